//! The flags as they are typed. Their ranges are checked here (exit code 2); whether they fit the
//! data is found out by the library (exit code 1).

mod names;
mod values;

use std::path::PathBuf;

use clap::{Parser, Subcommand};
use deepnmf_data::ImageShape;
use deepnmf_data::preprocess::Pipeline;
use deepnmf_eval::KMeans;

pub(crate) use self::names::{
    ActivationName, ClassifierName, DtypeName, FormName, GraphName, LossName, MethodName,
    ModelName, NeighbourSearchName, NeighbourWeightsName, NormalFormName, OptimizerName,
    PretrainingName, ScaleName, ScalingName, SolverName, StartName, VariantName,
};
use self::values::{
    at_least_one, chain, eta, image_shape, not_negative, positive, seconds, share, share_or_all,
    shown, size, thread_count, whole,
};

/// Deep matrix factorization: learns a representation per layer from data that mix attributes.
#[derive(Debug, Parser)]
#[command(
    name = "deepnmf",
    version,
    after_help = "Start with:\n  deepnmf demo\n  deepnmf fit faces.npy --layers 100,20 --out m.safetensors"
)]
pub(crate) struct Args {
    /// Print exactly one JSON object on standard output, everything else on standard error
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// No progress bars and no remarks
    #[arg(long, short, global = true)]
    pub(crate) quiet: bool,
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Factorize built-in faces and look at what each layer found
    Demo(DemoArgs),
    /// Factorize a data file and write the model
    Fit(Box<FitArgs>),
    /// Compute the features of samples with a fitted model
    Transform(TransformArgs),
    /// Show what is in a model file
    Info(InfoArgs),
    /// Evaluate features: which layer best predicts each attribute?
    Evaluate(EvaluateArgs),
    /// Write one page that explores a model: layers, clusters, maps, bases, samples
    Report(ReportArgs),
    /// Run the paper's experiments and show its numbers beside ours
    Reproduce(Box<ReproduceArgs>),
    /// List or download public data sets
    #[command(subcommand)]
    Datasets(DatasetsCommand),
    /// Print a completion script for a shell
    Completions(CompletionsArgs),
}

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  deepnmf demo\n  deepnmf demo --faces identities=40,poses=7,noise=0.05 --layers 200,40"
)]
pub(crate) struct DemoArgs {
    /// Components of each layer, the one next to the data first
    #[arg(
        long,
        value_delimiter = ',',
        value_parser = at_least_one,
        allow_negative_numbers = true,
        default_value = "150,60,20"
    )]
    pub(crate) layers: Vec<usize>,
    /// Options of the faces: identities, poses, expressions, illuminations, noise, size
    #[arg(long, default_value = "", value_name = "KEY=VALUE,...")]
    pub(crate) faces: String,
    /// Seed of the faces and of the fit
    #[arg(long, default_value_t = 0, value_parser = whole::<u64>, allow_negative_numbers = true)]
    pub(crate) seed: u64,
    /// Folder for the data, the model, the picture and the report
    #[arg(long, default_value = "deepnmf-demo")]
    pub(crate) out: PathBuf,
    /// Threads to use; all by default
    #[arg(long, value_parser = thread_count, allow_negative_numbers = true)]
    pub(crate) threads: Option<usize>,
}

#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  deepnmf fit faces.npy --layers 40 --out m.safetensors
  deepnmf fit PIE_pose27.mat --model deep-semi-nmf --layers 625,40 --out m.safetensors
  deepnmf fit PIE_pose27.mat --layers 400,100 --activation relu --out m.safetensors
  deepnmf fit faces/ --pattern {identity}_{pose}_{expression}_{eyes} --model deep-wsf \\
    --layers 100,100,100 --attributes pose,expression,identity --lambda 1e-3
  deepnmf fit PIE_pose27.mat --layers 625,40 --auxiliary labelled.mat --attributes none,gnd \\
    --lambda 0.01
  deepnmf fit PIE_pose27.mat --image 32x32:column-major --normalize igo --layers 40
  deepnmf fit table.csv --labels-key species --layers 3 --normalize none --json
  deepnmf fit builtin:faces:identities=40,noise=0.05 --layers 100,20

In files a sample is a row. Formats: .npy, .npz, MATLAB .mat, AnnData .h5ad, .parquet, .csv, .tsv,
and folders of pictures.")]
pub(crate) struct FitArgs {
    #[command(flatten)]
    pub(crate) data: DataArgs,
    /// Model; by default semi-nmf for one layer and deep-semi-nmf for more
    #[arg(long, value_parser = ModelName::parser())]
    pub(crate) model: Option<ModelName>,
    /// Components of each layer, the one next to the data first, such as 625,40
    #[arg(
        long,
        value_delimiter = ',',
        required = true,
        value_parser = at_least_one,
        allow_negative_numbers = true
    )]
    pub(crate) layers: Vec<usize>,
    /// Model file to write (safetensors); without it the result is only reported
    #[arg(long, short)]
    pub(crate) out: Option<PathBuf>,
    /// Preprocessing of the samples, repeated by transform: unit (each sample to unit norm, as the
    /// paper does), none, or a chain of unit, log1p, standardize, min-max, tf-idf, igo, resize=WxH
    /// with commas between them
    #[arg(long, default_value = "unit", value_parser = chain)]
    pub(crate) normalize: Pipeline,
    /// Initialization of the factors [default: optimal, and nndsvda for non-negative models]
    #[arg(long, value_enum)]
    pub(crate) init: Option<StartName>,
    /// Initialize from the factors of this model file instead
    #[arg(long, value_name = "MODEL", conflicts_with = "init")]
    pub(crate) init_from: Option<PathBuf>,
    /// Initialize from the bases of this model file, which may have been fitted to other samples
    #[arg(long, value_name = "MODEL", conflicts_with_all = ["init", "init_from"])]
    pub(crate) bases_from: Option<PathBuf>,
    /// Factor that carries the scale of a component after initialization
    #[arg(long, value_enum, default_value_t = ScaleName::Auto)]
    pub(crate) scale: ScaleName,
    /// Rule that updates the features [default: hals, and multiplicative for gnmf, cnmf and dnmf]
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
    pub(crate) baseline: BaselineArgs,
    /// Most iterations of each loop [default: 1000, and 150 for nonlinear models and other losses]
    #[arg(long, value_parser = whole::<usize>, allow_negative_numbers = true)]
    pub(crate) max_iter: Option<usize>,
    /// Stop when the error falls by no more than this times max(1, error)
    #[arg(
        long,
        default_value_t = 1e-6,
        value_parser = not_negative,
        allow_negative_numbers = true
    )]
    pub(crate) kappa: f64,
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
}

/// What only gnmf and dnmf have.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Options of gnmf and dnmf")]
pub(crate) struct BaselineArgs {
    /// dnmf: weight of the scatter within classes [default: 0.1]
    #[arg(long, value_parser = not_negative, allow_negative_numbers = true)]
    pub(crate) gamma: Option<f64>,
    /// dnmf: weight of the scatter between classes [default: 0]
    #[arg(long, value_parser = not_negative, allow_negative_numbers = true)]
    pub(crate) delta: Option<f64>,
    /// gnmf: neighbours of each sample in the neighbour graph [default: 5]
    #[arg(long, value_parser = at_least_one, allow_negative_numbers = true)]
    pub(crate) neighbours: Option<usize>,
    /// gnmf: weights of the neighbour graph [default: binary]
    #[arg(long, value_enum)]
    pub(crate) neighbour_weights: Option<NeighbourWeightsName>,
    /// gnmf: how neighbours are found [default: auto]
    #[arg(long, value_enum)]
    pub(crate) neighbour_search: Option<NeighbourSearchName>,
}

/// What only models that learn from labels have.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Options of wsf, wsf-ma and deep-wsf")]
pub(crate) struct LabelArgs {
    /// Attributes to learn from, with commas between them: one for wsf (and cnmf and dnmf), any
    /// number for wsf-ma, one for each layer (or none) for deep-wsf
    #[arg(long, value_delimiter = ',', value_name = "NAME,...")]
    pub(crate) attributes: Vec<String>,
    /// Weight of the graph penalty: of label graphs, one for all or one for each attribute
    /// [default: 0.001]; of the neighbour graph of gnmf [default: 100]
    #[arg(
        long,
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
    /// Model that pre-trains each layer of deep-wsf [default: wsf]
    #[arg(long, value_enum)]
    pub(crate) pretraining: Option<PretrainingName>,
    /// Which form of Algorithm 2 a linear deep-wsf follows [default: printed]
    #[arg(long, value_enum)]
    pub(crate) variant: Option<VariantName>,
    /// Supervised pre-training of deep-semi-nmf: labelled samples to fit a deep-wsf to first (the
    /// flags above are its flags), whose bases initialize the fit to DATA, which needs no labels
    #[arg(long, value_name = "DATA")]
    pub(crate) auxiliary: Option<PathBuf>,
}

/// What only deep models have.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Options of deep-semi-nmf and deep-wsf")]
pub(crate) struct DeepArgs {
    /// Nonlinearity between the layers [default: identity]
    #[arg(long, value_enum)]
    pub(crate) activation: Option<ActivationName>,
    /// Loss over all layers [default: paper]
    #[arg(long, value_enum)]
    pub(crate) loss: Option<LossName>,
    /// Weight of each layer in the losses layer and data, with commas between them [default: 1 each]
    #[arg(long, value_delimiter = ',', value_parser = positive, allow_negative_numbers = true)]
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

#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  deepnmf transform m.safetensors new.npy --out h.npy
  deepnmf transform m.safetensors new.npy --layer 1 --method basis --out h1.npy")]
pub(crate) struct TransformArgs {
    /// Model file
    pub(crate) model: PathBuf,
    #[command(flatten)]
    pub(crate) data: DataArgs,
    /// Layer, counted from 1; the last one by default
    #[arg(long, value_parser = at_least_one, allow_negative_numbers = true)]
    pub(crate) layer: Option<usize>,
    /// Projection method [default: nonnegative, but basis for whitened-pca]
    #[arg(long, value_enum)]
    pub(crate) method: Option<MethodName>,
    /// File to write (.npy), a row per sample
    #[arg(long, short)]
    pub(crate) out: PathBuf,
    /// Threads to use; all by default
    #[arg(long, value_parser = thread_count, allow_negative_numbers = true)]
    pub(crate) threads: Option<usize>,
}

#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  deepnmf info m.safetensors
  deepnmf info m.safetensors --json")]
pub(crate) struct InfoArgs {
    /// Model file
    pub(crate) model: PathBuf,
}

#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  deepnmf evaluate m.safetensors --data faces.mat --repeats 5
  deepnmf evaluate m.safetensors --data test.mat --project basis --classify --attribute identity
  deepnmf evaluate h.npy --data faces.mat --cluster --scale unit-samples --json")]
pub(crate) struct EvaluateArgs {
    /// Model file (.safetensors), every layer of which is evaluated, or a file of features
    pub(crate) source: PathBuf,
    /// Data that the features belong to, for their labels
    #[arg(long)]
    pub(crate) data: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) read: ReadArgs,
    /// Project the data onto the model instead of taking the features of its fit
    #[arg(long, value_enum, value_name = "METHOD")]
    pub(crate) project: Option<MethodName>,
    /// Layer of the model, counted from 1; all by default
    #[arg(long, value_parser = at_least_one, allow_negative_numbers = true)]
    pub(crate) layer: Option<usize>,
    /// Attributes to evaluate by, with commas between them; all by default
    #[arg(long, value_delimiter = ',')]
    pub(crate) attribute: Vec<String>,
    /// Only cluster (k-means, AC, NMI, ARI, purity)
    #[arg(long)]
    pub(crate) cluster: bool,
    /// Only classify held-out samples
    #[arg(long)]
    pub(crate) classify: bool,
    /// Scaling of the features
    #[arg(long, value_enum, default_value_t = ScalingName::None)]
    pub(crate) scale: ScalingName,
    /// Classifier
    #[arg(long, value_enum, default_value_t = ClassifierName::LinearSvm)]
    pub(crate) classifier: ClassifierName,
    /// Weight of errors in the support vector machine (C)
    #[arg(long, default_value_t = 1.0, value_parser = positive, allow_negative_numbers = true)]
    pub(crate) penalty: f64,
    /// Share of the samples held out for classification
    #[arg(long, default_value_t = 0.3, value_parser = share, allow_negative_numbers = true)]
    pub(crate) test_share: f64,
    /// How often everything is repeated with another seed
    #[arg(long, default_value_t = 3, value_parser = at_least_one, allow_negative_numbers = true)]
    pub(crate) repeats: usize,
    /// Starts of k-means in each repeat; the one of least inertia counts
    #[arg(long, default_value_t = 10, value_parser = at_least_one, allow_negative_numbers = true)]
    pub(crate) restarts: usize,
    /// Swaps of a k-means centroid without gain that end the search after the best start; 0 is
    /// plain k-means
    #[arg(
        long,
        default_value_t = KMeans::SWAPS,
        value_parser = whole::<usize>,
        allow_negative_numbers = true
    )]
    pub(crate) swaps: usize,
    /// Seed of the first repeat
    #[arg(long, default_value_t = 0, value_parser = whole::<u32>, allow_negative_numbers = true)]
    pub(crate) seed: u32,
    /// Threads to use; all by default. The number changes no result
    #[arg(long, value_parser = thread_count, allow_negative_numbers = true)]
    pub(crate) threads: Option<usize>,
}

#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  deepnmf report m.safetensors --data faces.mat
  deepnmf report m.safetensors --data faces/ --pattern {identity}_{pose} --out faces.html
  deepnmf report m.safetensors --data table.csv --labels-file labels.csv --clusters 6

The page is one file that needs no network: open it in a browser, send it to a colleague.")]
pub(crate) struct ReportArgs {
    /// Model file
    pub(crate) model: PathBuf,
    /// Samples to show: those of the fit, or others like them
    #[arg(long)]
    pub(crate) data: PathBuf,
    #[command(flatten)]
    pub(crate) read: ReadArgs,
    /// Page to write
    #[arg(long, short, default_value = "report.html")]
    pub(crate) out: PathBuf,
    /// Most samples with a point and a picture, at most 5000
    #[arg(long, default_value_t = 1000, value_parser = shown, allow_negative_numbers = true)]
    pub(crate) samples: usize,
    /// Clusters of every layer [default: the number of classes of the attribute it best predicts]
    #[arg(long, value_parser = at_least_one, allow_negative_numbers = true)]
    pub(crate) clusters: Option<usize>,
    /// Scaling of the features before they are clustered, classified and mapped
    #[arg(long, value_enum, default_value_t = ScalingName::None)]
    pub(crate) scale: ScalingName,
    /// Heading of the page
    #[arg(long)]
    pub(crate) title: Option<String>,
    /// Seed of everything random; the same seed gives the same page
    #[arg(long, default_value_t = 0, value_parser = whole::<u64>, allow_negative_numbers = true)]
    pub(crate) seed: u64,
    /// Threads to use; all by default. The number changes no result
    #[arg(long, value_parser = thread_count, allow_negative_numbers = true)]
    pub(crate) threads: Option<usize>,
}

#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  deepnmf reproduce --list
  deepnmf reproduce all --quick
  deepnmf reproduce reconstruction --data folder/with/PIE_pose27.mat
  deepnmf reproduce all --data folder --repeats 10 --out reproduction
  deepnmf reproduce attributes --multi-pie folder/of/pictures

DATA holds any of PIE_pose27.mat, cmu-faces/, xm2vts/ and multi-pie/; deepnmf datasets fetch gets the
first two. XM2VTS and Multi-PIE are licensed: without them other faces stand in for them, and every
output says so. An interrupted run goes on where it was when the same command is given again.")]
pub(crate) struct ReproduceArgs {
    /// Experiment: xor, layers, reconstruction, clustering, pretraining, attributes, or all
    pub(crate) experiment: Option<String>,
    /// List what there is to run, on which data, and how long it would take
    #[arg(long)]
    pub(crate) list: bool,
    /// Folder with the data; otherwise that of the environment's `DEEPNMF_DATA`
    #[arg(long, value_name = "FOLDER")]
    pub(crate) data: Option<PathBuf>,
    /// XM2VTS as a folder of pictures
    #[arg(long, value_name = "FOLDER")]
    pub(crate) xm2vts: Option<PathBuf>,
    /// How the names of its pictures hold the identity [default: {identity}_{session}_{shot}, else
    /// a folder for each person]
    #[arg(long, value_name = "PATTERN")]
    pub(crate) xm2vts_pattern: Option<String>,
    /// Multi-PIE as a folder of pictures
    #[arg(long, value_name = "FOLDER")]
    pub(crate) multi_pie: Option<PathBuf>,
    /// How the names of its pictures hold the labels [default: {identity}_{pose}_{expression}]
    #[arg(long, value_name = "PATTERN")]
    pub(crate) multi_pie_pattern: Option<String>,
    /// How often what is random is repeated with another seed [default: 10, and 3 for layers]
    #[arg(long, value_parser = at_least_one, allow_negative_numbers = true)]
    pub(crate) repeats: Option<usize>,
    /// Small models on small drawn faces: all parts in a few minutes, no result
    #[arg(long)]
    pub(crate) quick: bool,
    /// Folder for records, tables, figures and pages
    #[arg(long, default_value = "deepnmf-reproduction")]
    pub(crate) out: PathBuf,
    /// Fits to run at a time, with a thread each; one for each core by default. The number changes
    /// no result
    #[arg(long, value_parser = thread_count, allow_negative_numbers = true)]
    pub(crate) threads: Option<usize>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum DatasetsCommand {
    /// List what is built in and what can be downloaded
    List,
    /// Download a public data set into the cache, unpack it and print where it is
    Fetch(FetchArgs),
}

#[cfg_attr(not(feature = "fetch"), allow(dead_code))] // the flags stay, the download does not
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  deepnmf fit \"$(deepnmf datasets fetch pie-pose27)\" --layers 625,40
  deepnmf fit \"$(deepnmf datasets fetch cmu-faces)\" --layers 40 \\
    --pattern {identity}_{pose}_{expression}_{eyes}_2
  deepnmf datasets fetch pie-pose27 --offline folder/with/the/file")]
pub(crate) struct FetchArgs {
    /// Name of the data set
    pub(crate) name: String,
    /// Folder for downloads; otherwise that of the environment's `DEEPNMF_CACHE`, else deepnmf in
    /// the user's cache folder
    #[arg(long)]
    pub(crate) cache: Option<PathBuf>,
    /// Address to download from instead of the origin, as URL/SET/FILE; otherwise `DEEPNMF_MIRROR`
    #[arg(long, value_name = "URL")]
    pub(crate) mirror: Option<String>,
    /// Folder that has the files, so that nothing is downloaded; otherwise `DEEPNMF_OFFLINE`
    #[arg(long, value_name = "FOLDER")]
    pub(crate) offline: Option<PathBuf>,
    /// Seconds that a server may send nothing [default: 30]
    #[arg(long, value_name = "SECONDS", value_parser = whole::<u64>)]
    pub(crate) patience: Option<u64>,
}

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  deepnmf completions bash > ~/.local/share/bash-completion/completions/deepnmf"
)]
pub(crate) struct CompletionsArgs {
    /// Shell
    #[arg(value_enum)]
    pub(crate) shell: clap_complete::Shell,
}

/// Flags that do not go together.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct UsageError(pub(crate) String);

/// Where samples come from.
#[derive(Debug, clap::Args)]
pub(crate) struct DataArgs {
    /// Data file, folder of pictures, or builtin:faces[:KEY=VALUE,...]
    pub(crate) data: PathBuf,
    #[command(flatten)]
    pub(crate) read: ReadArgs,
}

/// How a file or folder is read.
#[derive(Debug, Clone, Default, clap::Args)]
pub(crate) struct ReadArgs {
    /// Variable that holds the samples [default: fea or X, or the only table]
    #[arg(long, value_name = "NAME")]
    pub(crate) data_key: Option<String>,
    /// Labels: a variable beside the samples [default: gnd or Y], or a column of a table
    #[arg(long, value_name = "NAME")]
    pub(crate) labels_key: Option<String>,
    /// Labels in a text file of their own, a column per attribute
    #[arg(long, value_name = "FILE")]
    pub(crate) labels_file: Option<PathBuf>,
    /// Column of the labels file that names the samples [default: row by row]
    #[arg(long, value_name = "COLUMN", requires = "labels_file")]
    pub(crate) labels_by: Option<String>,
    /// Size of the pictures that the rows of a file are, which igo and resize need, such as 32x32.
    /// Pixels run along the rows of a picture; MATLAB files mostly hold pictures column by column:
    /// write 32x32:column-major then
    #[arg(long, value_name = "WIDTHxHEIGHT[:column-major]", value_parser = image_shape)]
    pub(crate) image: Option<ImageShape>,
    /// How names of pictures hold labels, such as {identity}_{pose}_{expression}_{eyes}_2
    #[arg(long)]
    pub(crate) pattern: Option<String>,
    /// Size that the pictures of a folder are brought to, such as 32x32
    #[arg(long, value_name = "WIDTHxHEIGHT", value_parser = size)]
    pub(crate) resize: Option<(usize, usize)>,
}
