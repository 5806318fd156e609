//! `deepnmf fit`.

use std::path::PathBuf;

use clap::ArgAction;
use deepnmf_data::preprocess::Pipeline;
use deepnmf_select::LayerSize;

use super::names::{
    ActivationName, DivergenceName, DtypeName, FormName, GraphName, LossName, ModelName,
    NeighbourSearchName, NeighbourWeightsName, NormalFormName, OptimizerName, PretrainingName,
    ScaleName, SolverName, StartName, VariantName,
};
use super::read::{DataArgs, ZeroArgs};
use super::values::{
    PartName, at_least_one, chain, eta, layer_size, memory, not_negative, part_name, positive,
    seconds, share_between, share_or_all, share_or_none, span, thread_count, two_or_more, whole,
};

#[derive(Debug, Clone, clap::Args)]
#[command(after_help = "Examples:
  deepnmf fit faces.npy --layers 40 --out m.safetensors
  deepnmf fit faces.npy --layers auto --curves curves.svg --out m.safetensors
  deepnmf fit PIE_pose27.mat --model deep-semi-nmf --layers 625,40 --out m.safetensors
  deepnmf fit PIE_pose27.mat --layers 400,100 --activation relu --out m.safetensors
  deepnmf fit faces/ --pattern {identity}_{pose}_{expression}_{eyes} --model deep-wsf \\
    --layers 100,100,100 --attributes pose,expression,identity --lambda 1e-3
  deepnmf fit PIE_pose27.mat --layers 625,40 --auxiliary labelled.mat --attributes none,gnd \\
    --lambda 0.01
  deepnmf fit faces/ --pattern {identity}_{pose} --parts 20,4 --out m.safetensors
  deepnmf fit faces/ --pattern {identity}_{pose} --parts 20,pose --label-fraction 0.1
  deepnmf fit PIE_pose27.mat --image 32x32:column-major --normalize igo --layers 40
  deepnmf fit table.csv --labels-key species --layers 3 --normalize none --json
  deepnmf fit table.csv --names-key id --labels-key species,site --drop note --layers 3
  deepnmf fit monday.npy tuesday.npy --feature-names names.txt --layers 40 --out m.safetensors
  zcat table.csv.gz | deepnmf fit - --layers 3
  deepnmf fit builtin:faces:identities=40,noise=0.05 --layers 100,20

In files a sample is a row. Formats: .npy, .npz, MATLAB .mat, Matrix Market .mtx, AnnData .h5ad,
.parquet, .csv, .tsv, any of them packed with gzip (.csv.gz), folders of 10x Genomics and of pictures.
Sparse tables stay sparse.")]
pub(crate) struct FitArgs {
    #[command(flatten)]
    pub(crate) data: DataArgs,
    /// Model; by default semi-nmf for one layer, deep-semi-nmf for more and additive-semi-nmf for parts
    #[arg(long, value_parser = ModelName::parser())]
    pub(crate) model: Option<ModelName>,
    /// Components of each layer, the one next to the data first, such as 625,40. With auto, or a range such as 5..50, the
    /// program finds out how many the data have, and says why
    #[arg(
        long,
        action = ArgAction::Set, // once: a second list would be appended
        value_delimiter = ',',
        required_unless_present = "parts",
        value_parser = layer_size,
        value_name = "COMPONENTS,...",
        allow_negative_numbers = true
    )]
    pub(crate) layers: Vec<LayerSize>,
    /// Clusters of each part of additive-semi-nmf, instead of layers, such as 20,4: a sample is in one cluster of every
    /// part, and the parts are attributes, found without labels. With auto the fit finds out how many parts there are and
    /// how large, and says why. The name of an attribute is a part whose classes are known by some labels, such as 20,pose.
    /// A deep part has several numbers, such as 60-20,4: many clusters next to the data, merged to fewer in layer 2
    #[arg(
        long,
        action = ArgAction::Set,
        value_delimiter = ',',
        value_name = "CLUSTERS,...",
        conflicts_with = "layers",
        value_parser = part_name,
        allow_negative_numbers = true
    )]
    pub(crate) parts: Vec<PartName>,
    /// Model file to write (safetensors); without it the result is only reported
    #[arg(long, short)]
    pub(crate) out: Option<PathBuf>,
    /// Preprocessing of the samples, repeated by transform: unit (each sample to unit norm, as the
    /// paper does), none, or a chain of unit, log1p, standardize, min-max, tf-idf,
    /// counts-per=10000 (each sample to that sum), igo, resize=WxH with commas between them
    #[arg(long, default_value = "unit", value_parser = chain)]
    pub(crate) normalize: Pipeline,
    #[command(flatten)]
    pub(crate) zero: ZeroArgs,
    /// Initialization of the factors [default: optimal, and nndsvda for non-negative models]
    #[arg(long, value_enum)]
    pub(crate) init: Option<StartName>,
    /// Fit so many times from random factors, and bring the components together: medians of matched ones, each with how far
    /// the fits agree on it (semi-nmf, nmf)
    #[arg(
        long,
        value_name = "FITS",
        value_parser = two_or_more,
        allow_negative_numbers = true,
        conflicts_with_all = ["init", "init_from", "bases_from", "batch", "checkpoint"]
    )]
    pub(crate) consensus: Option<usize>,
    /// Initialize from the factors of this model file instead (semi-nmf, deep-semi-nmf, nmf)
    #[arg(long, value_name = "MODEL", conflicts_with = "init")]
    pub(crate) init_from: Option<PathBuf>,
    /// Initialize from the bases of this model file, which may have been fitted to other samples
    #[arg(long, value_name = "MODEL", conflicts_with_all = ["init", "init_from"])]
    pub(crate) bases_from: Option<PathBuf>,
    /// Weights of the samples in the loss, a number above 0 for each, in a file of one column: a sample of weight 2 counts
    /// as two copies of it (semi-nmf, linear deep-semi-nmf, nmf, nenmf, multilayer-nmf)
    #[arg(long, value_name = "FILE", conflicts_with_all = ["batch", "auxiliary", "missing"])]
    pub(crate) weights_file: Option<PathBuf>,
    /// Weights of the entries in the loss: a table of the shape of the data, with numbers of at least 0. Their ratios
    /// decide; an entry of weight 0 is missing (models of squared errors)
    #[arg(
        long,
        value_name = "FILE",
        conflicts_with_all = ["batch", "auxiliary", "memory", "weights_file"]
    )]
    pub(crate) entry_weights_file: Option<PathBuf>,
    /// Components that stay as they are, the first ones: a table with a row for each feature of the preprocessed samples
    /// and a column for each component, as export writes it, or a model file (semi-nmf, nmf)
    #[arg(
        long,
        value_name = "FILE",
        conflicts_with_all = ["batch", "auxiliary", "consensus", "init_from", "bases_from"]
    )]
    pub(crate) fixed_bases: Option<PathBuf>,
    /// Features that stay as they are, those of the last components: a table with a row for each sample and a column
    /// for each component (semi-nmf, nmf)
    #[arg(
        long,
        value_name = "FILE",
        conflicts_with_all = ["batch", "auxiliary", "consensus", "init_from", "bases_from"]
    )]
    pub(crate) fixed_features: Option<PathBuf>,
    /// Factor that carries the scale of a component after initialization
    #[arg(long, value_enum, default_value_t = ScaleName::Auto)]
    pub(crate) scale: ScaleName,
    /// From which component on those of softly whitened features fade out (--scale soft, --neighbours) [default: the
    /// number of components of the layer above, or a fifth of the layer's own]
    #[arg(long, value_name = "COMPONENT", value_parser = at_least_one, allow_negative_numbers = true)]
    pub(crate) fade: Option<usize>,
    /// What nmf and multilayer-nmf keep small; counts are best left as they are for kl (--normalize none) [default:
    /// frobenius]
    #[arg(long, value_enum)]
    pub(crate) divergence: Option<DivergenceName>,
    /// Rule that updates the features [default: hals, and multiplicative for cnmf, dnmf and gnmf as printed]
    #[arg(long, value_enum)]
    pub(crate) solver: Option<SolverName>,
    /// Exponent of the multiplicative rule [default: 0.5, and 1 for non-negative models]
    #[arg(long, value_parser = eta, allow_negative_numbers = true)]
    pub(crate) eta: Option<f64>,
    /// Work per iteration: sweeps of hals [default: 10], updates of multiplicative [default: 1, and
    /// 10 for nmf and multilayer-nmf] or steps of accelerated [default: 20]
    #[arg(long, value_parser = at_least_one, allow_negative_numbers = true)]
    pub(crate) inner: Option<usize>,
    #[command(flatten)]
    pub(crate) deep: DeepArgs,
    #[command(flatten)]
    pub(crate) labels: LabelArgs,
    #[command(flatten)]
    pub(crate) near: NeighbourArgs,
    #[command(flatten)]
    pub(crate) baseline: BaselineArgs,
    /// Most iterations of each loop [default: 1000, 150 for nonlinear models and other losses, and 20 with --batch]
    #[arg(long, value_parser = whole::<usize>, allow_negative_numbers = true)]
    pub(crate) max_iter: Option<usize>,
    /// Stop when the error falls by no more than this times max(1, error) [default: 1e-6, and 1e-4 with --batch]
    #[arg(long, value_parser = not_negative, allow_negative_numbers = true)]
    pub(crate) kappa: Option<f64>,
    /// Most seconds of the whole fit
    #[arg(long, value_parser = seconds, allow_negative_numbers = true)]
    pub(crate) max_seconds: Option<f64>,
    /// Seed of everything random; the same seed gives the same bits
    #[arg(long, default_value_t = 0, value_parser = whole::<u64>, allow_negative_numbers = true)]
    pub(crate) seed: u64,
    /// Threads to use; all by default. The number changes no result
    #[arg(long, value_parser = thread_count, allow_negative_numbers = true)]
    pub(crate) threads: Option<usize>,
    /// Number type of the computation
    #[arg(long, value_enum, default_value_t = DtypeName::F64)]
    pub(crate) dtype: DtypeName,
    /// Do not compute the SVD bound, which costs a decomposition of the data
    #[arg(long)]
    pub(crate) no_bound: bool,
    #[command(flatten)]
    pub(crate) choice: ChoiceArgs,
    #[command(flatten)]
    pub(crate) long: LongArgs,
}

/// What only an automatic choice of sizes needs.
#[derive(Debug, Clone, Default, clap::Args)]
#[command(next_help_heading = "Options of --layers auto")]
pub(crate) struct ChoiceArgs {
    /// Share of the entries that are held out, by which numbers of components are judged [default: 0.1]
    #[arg(long, value_name = "SHARE", value_parser = share_between, allow_negative_numbers = true)]
    pub(crate) held_out: Option<f64>,
    /// Masks of entries that are held out in turn, and with them fits of each number of components [default: 5]
    #[arg(long, value_name = "COUNT", value_parser = at_least_one, allow_negative_numbers = true)]
    pub(crate) masks: Option<usize>,
    /// Picture of the curves to write (SVG): loss of the entries held out, agreement of the fits, singular values
    #[arg(long, value_name = "FILE")]
    pub(crate) curves: Option<PathBuf>,
    /// Folder for what is found, from which the search goes on when it was interrupted
    #[arg(long, value_name = "FOLDER")]
    pub(crate) records: Option<PathBuf>,
    /// Number of this process among several that share the folder of records, counted from 0
    #[arg(
        long,
        value_name = "INDEX",
        requires_all = ["total_workers", "records"],
        value_parser = whole::<usize>,
        allow_negative_numbers = true
    )]
    pub(crate) worker_index: Option<usize>,
    /// How many processes share the search
    #[arg(
        long,
        value_name = "COUNT",
        requires = "worker_index",
        value_parser = at_least_one,
        allow_negative_numbers = true
    )]
    pub(crate) total_workers: Option<usize>,
}

impl ChoiceArgs {
    /// The first of these flags that was given.
    pub(crate) fn given(&self) -> Option<&'static str> {
        let flags = [
            ("--held-out", self.held_out.is_some()),
            ("--masks", self.masks.is_some()),
            ("--curves", self.curves.is_some()),
            ("--records", self.records.is_some()),
            ("--worker-index", self.worker_index.is_some()),
        ];
        flags.into_iter().find_map(|(flag, given)| given.then_some(flag))
    }
}

/// What only long fits need.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Options of long fits")]
pub(crate) struct LongArgs {
    /// Estimate memory, disk space and time, and stop
    #[arg(long)]
    pub(crate) plan: bool,
    /// Memory that the program may take, such as 1GB or 800MB. Samples that would exceed it stay in their file, and are
    /// read in blocks: .npy, HDF5 (.h5ad, .mat v7.3), SciPy's .npz by sample. Those of .mtx, .csv, .parquet and packed or
    /// by-feature files are copied to the temporary folder (TMPDIR) for that, and so are features that exceed it
    /// [default: all there is]
    #[arg(long, value_name = "SIZE", value_parser = memory)]
    pub(crate) memory: Option<u64>,
    /// Learn from so many samples at a time, which takes far fewer passes over the data: for data on a disk, and models
    /// semi-nmf, nmf and deep-semi-nmf (linear). An iteration is a pass. Samples should stand in no order
    #[arg(
        long,
        value_name = "SAMPLES",
        value_parser = at_least_one,
        allow_negative_numbers = true,
        conflicts_with_all = ["init_from", "bases_from", "auxiliary"]
    )]
    pub(crate) batch: Option<usize>,
    /// Folder for checkpoints, from which a fit that ended in any way goes on with --resume. They are
    /// removed once the model is written
    #[arg(long, value_name = "FOLDER")]
    pub(crate) checkpoint: Option<PathBuf>,
    /// Seconds between two checkpoints
    #[arg(
        long,
        value_name = "SECONDS",
        default_value = "30",
        requires = "checkpoint",
        value_parser = span,
        allow_negative_numbers = true
    )]
    pub(crate) every: f64,
    /// Go on where the checkpoints ended; begin anew if there are none
    #[arg(long, requires = "checkpoint")]
    pub(crate) resume: bool,
}

/// What models with a neighbour graph have.
#[derive(Debug, Clone, clap::Args)]
#[command(
    next_help_heading = "Options of neighbour graphs (semi-nmf, deep-semi-nmf, wsf, wsf-ma, deep-wsf, gnmf)"
)]
pub(crate) struct NeighbourArgs {
    /// Connect each sample to so many nearest ones: in the features of the layer below for every layer above the
    /// first, in the data for models with one layer. A list has a number for each layer, 0 for a layer
    /// without [default: none, and 5 for gnmf]
    #[arg(
        long,
        action = ArgAction::Set,
        value_delimiter = ',',
        value_name = "COUNT,...",
        value_parser = whole::<usize>,
        allow_negative_numbers = true
    )]
    pub(crate) neighbours: Vec<usize>,
    /// Weight of the neighbour graph; 1 draws samples half of the way to their neighbours, 0 is the model without it.
    /// That of gnmf is --lambda [default: 1]
    #[arg(long, value_name = "WEIGHT", value_parser = not_negative, allow_negative_numbers = true)]
    pub(crate) neighbour_lambda: Option<f64>,
    /// Weights of neighbours [default: heat, and binary for gnmf]
    #[arg(long, value_enum)]
    pub(crate) neighbour_weights: Option<NeighbourWeightsName>,
    /// How neighbours are found [default: auto]
    #[arg(long, value_enum)]
    pub(crate) neighbour_search: Option<NeighbourSearchName>,
}

/// What only nmf, or only dnmf has.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Options of nmf and dnmf")]
pub(crate) struct BaselineArgs {
    /// nmf: weight of a penalty on the features, once for every feature of a sample. Give the basis one, too, or it
    /// grows instead [default: 0]
    #[arg(long, value_name = "WEIGHT", value_parser = not_negative, allow_negative_numbers = true)]
    pub(crate) alpha_features: Option<f64>,
    /// nmf: weight of a penalty on the basis, once for every sample [default: that of the features]
    #[arg(long, value_name = "WEIGHT", value_parser = not_negative, allow_negative_numbers = true)]
    pub(crate) alpha_basis: Option<f64>,
    /// nmf: share of l1 in these penalties, which makes entries zero; the rest is l2, which keeps them small
    /// [default: 0]
    #[arg(long, value_name = "SHARE", value_parser = share_or_none, allow_negative_numbers = true)]
    pub(crate) l1_ratio: Option<f64>,
    /// Weight of the scatter within classes [default: 0.1]
    #[arg(long, value_parser = not_negative, allow_negative_numbers = true)]
    pub(crate) gamma: Option<f64>,
    /// Weight of the scatter between classes [default: 0]
    #[arg(long, value_parser = not_negative, allow_negative_numbers = true)]
    pub(crate) delta: Option<f64>,
}

/// What only models that learn from labels have.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Options of wsf, wsf-ma and deep-wsf")]
pub(crate) struct LabelArgs {
    /// Attributes to learn from, with commas between them: one for wsf (and cnmf and dnmf), any
    /// number for wsf-ma, one for each layer (or none) for deep-wsf
    #[arg(long, action = ArgAction::Set, value_delimiter = ',', value_name = "NAME,...")]
    pub(crate) attributes: Vec<String>,
    /// Weight of the graph penalty: of label graphs, one for all or one for each attribute; 1 draws samples half of
    /// the way to the mean of their class [default: 1, as printed 0.001]; of the neighbour graph of gnmf
    /// [default: 1, as printed 100]
    #[arg(
        long,
        action = ArgAction::Set,
        value_delimiter = ',',
        value_name = "WEIGHT,...",
        value_parser = not_negative,
        allow_negative_numbers = true
    )]
    pub(crate) lambda: Vec<f64>,
    /// Weights of the label graph, between samples of the same class [default: binary]
    #[arg(long, value_enum)]
    pub(crate) graph: Option<GraphName>,
    /// Width of --graph rbf [default: the median distance within classes]
    #[arg(long, value_parser = positive, allow_negative_numbers = true)]
    pub(crate) sigma: Option<f64>,
    /// Share of the labels to use; the others are dropped, for studies [default: 1]
    #[arg(long, value_name = "SHARE", value_parser = share_or_all, allow_negative_numbers = true)]
    pub(crate) label_fraction: Option<f64>,
    /// Model that pre-trains each layer of deep-wsf, where layers are pre-trained [default: wsf]
    #[arg(long, value_enum)]
    pub(crate) pretraining: Option<PretrainingName>,
    /// Which graph penalty wsf, wsf-ma, deep-wsf and gnmf have, and which form of Algorithm 2 a linear deep-wsf
    /// follows [default: scale-free]
    #[arg(long, value_enum)]
    pub(crate) variant: Option<VariantName>,
    /// Supervised pre-training of deep-semi-nmf: labelled samples to fit a deep-wsf to first (the
    /// flags above are its flags), whose bases initialize the fit to DATA, which needs no labels
    #[arg(long, value_name = "DATA")]
    pub(crate) auxiliary: Option<PathBuf>,
}

/// What only deep models have.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Options of deep-semi-nmf and deep-wsf")]
pub(crate) struct DeepArgs {
    /// Nonlinearity between the layers [default: identity]
    #[arg(long, value_enum)]
    pub(crate) activation: Option<ActivationName>,
    /// Loss over all layers [default: paper]
    #[arg(long, value_enum)]
    pub(crate) loss: Option<LossName>,
    /// Weight of each layer in the losses layer and data, with commas between them [default: 1 each]
    #[arg(
        long,
        action = ArgAction::Set,
        value_delimiter = ',',
        value_parser = positive,
        allow_negative_numbers = true
    )]
    pub(crate) weights: Vec<f64>,
    /// Optimizer of the loss [default: auto]
    #[arg(long, value_enum)]
    pub(crate) optimizer: Option<OptimizerName>,
    /// Step size of adam [default: 0.001]
    #[arg(long, value_parser = positive, allow_negative_numbers = true)]
    pub(crate) step: Option<f64>,
    /// Ridge penalty: weight of the squared bases, as a share of a sample's mean squared norm
    /// [default: 0, and 0.001 for the loss layer]
    #[arg(long, value_parser = not_negative, allow_negative_numbers = true)]
    pub(crate) ridge: Option<f64>,
    /// l1 penalty: weight of the sum of features, as the same share; needs --ridge [default: 0]
    #[arg(long, value_parser = not_negative, allow_negative_numbers = true)]
    pub(crate) sparsity: Option<f64>,
    /// What has unit norm in the last layer of the result [default: none]
    #[arg(long, value_enum)]
    pub(crate) normal_form: Option<NormalFormName>,
    /// How Algorithm 1 of the paper is carried out, for the linear model [default: fast]
    #[arg(long, value_enum)]
    pub(crate) form: Option<FormName>,
}
