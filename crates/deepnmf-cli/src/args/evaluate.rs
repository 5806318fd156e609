//! `deepnmf evaluate`.

use std::path::PathBuf;

use deepnmf_eval::KMeans;

use super::names::{ClassifierName, MethodName, ScalingName};
use super::read::{ReadArgs, ZeroArgs};
use super::values::{at_least_one, positive, share, thread_count, whole};

#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  deepnmf evaluate m.safetensors --data faces.mat --repeats 5
  deepnmf evaluate m.safetensors --data test.mat --project basis --classify --attributes identity
  deepnmf evaluate h.npy --data faces.mat --cluster --scale unit-samples --json")]
pub(crate) struct EvaluateArgs {
    /// Model file (.safetensors), every layer of which is evaluated, or a file of features
    pub(crate) source: PathBuf,
    /// Data that the features belong to, for their labels
    #[arg(long)]
    pub(crate) data: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) read: ReadArgs,
    #[command(flatten)]
    pub(crate) zero: ZeroArgs,
    /// Project the data onto the model instead of taking the features of its fit
    #[arg(long, value_enum, value_name = "METHOD")]
    pub(crate) project: Option<MethodName>,
    /// Layer of the model, counted from 1; all by default
    #[arg(long, value_parser = at_least_one, allow_negative_numbers = true)]
    pub(crate) layer: Option<usize>,
    /// Attributes to evaluate by, with commas between them; all by default, but for identifiers, which
    /// have a class of their own for nearly every sample
    #[arg(
        long = "attributes",
        alias = "attribute",
        value_delimiter = ',',
        value_name = "NAME,..."
    )]
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
