//! The paper's two ways to evaluate features, each as one call with one record as its answer.

use deepnmf::{Matrix, Scalar};
use serde::{Deserialize, Serialize};

use crate::error::{EvalError, Result, check_lengths, counted};
use crate::instances::Instances;
use crate::kmeans::KMeans;
use crate::knn::NearestNeighbour;
use crate::metrics::{Average, Confusion, Contingency, Label, confusion};
use crate::scale::Scaling;
use crate::svm::LinearSvm;

/// How features are clustered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ClusterOptions {
    /// How many starts of k-means to try; the one of least inertia counts.
    pub restarts: usize,
    /// How many swaps of a centroid without gain end the search after the best start; 0 is plain
    /// k-means.
    pub swaps: usize,
    /// The seed of all random numbers.
    pub seed: u64,
    /// The scaling of the features.
    pub scale: Scaling,
}

impl Default for ClusterOptions {
    fn default() -> Self {
        Self { restarts: 10, swaps: KMeans::SWAPS, seed: 0, scale: Scaling::None }
    }
}

/// How well k-means on the features matches the classes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ClusterScore {
    /// Accuracy after the best pairing of clusters with classes.
    pub ac: f64,
    /// Normalised mutual information (geometric).
    pub nmi: f64,
    /// Adjusted Rand index.
    pub ari: f64,
    /// Purity.
    pub purity: f64,
    /// The sum of squared distances from the centroids, after scaling.
    pub inertia: f64,
    /// The number of clusters, which is that of the classes.
    pub k: usize,
    /// The number of samples with a known class: only they count in the scores.
    pub labelled: usize,
    /// How the features were clustered.
    pub options: ClusterOptions,
}

/// Clusters all samples (columns of `features`) by k-means into as many clusters as there are
/// classes, and compares both where the class is known.
///
/// ```
/// use deepnmf::Matrix;
/// use deepnmf_eval::{ClusterOptions, cluster};
/// let features = Matrix::from_vec(1, 4, vec![0.0, 0.1, 5.0, 5.1])?;
/// let score = cluster(&features, &[0usize, 0, 1, 1], &ClusterOptions::default())?;
/// assert_eq!((score.ac, score.nmi, score.k), (1.0, 1.0, 2));
/// # Ok::<(), deepnmf_eval::EvalError>(())
/// ```
///
/// # Errors
/// If there is not one label per sample, if no sample has a class, or if the features cannot be
/// scaled or clustered.
pub fn cluster<T: Instances>(
    features: &Matrix<T>,
    labels: &[impl Label],
    options: &ClusterOptions,
) -> Result<ClusterScore> {
    check_lengths(
        counted("the list of labels", labels.len()),
        counted("the features", features.cols()),
    )?;
    // Of classes against themselves, only the number of classes matters here.
    let k = Contingency::of(labels, labels)?.classes.len();
    let scaled = options.scale.apply(features)?;
    let settings = KMeans::new(k).restarts(options.restarts).swaps(options.swaps);
    let found = settings.seed(options.seed).fit(&scaled)?;
    let table = Contingency::of(labels, &found.labels)?;
    Ok(ClusterScore {
        ac: table.accuracy()?,
        nmi: table.nmi(Average::Geometric),
        ari: table.ari(),
        purity: table.purity(),
        inertia: found.inertia,
        k,
        labelled: labels.iter().filter(|label| label.number().is_some()).count(),
        options: *options,
    })
}

/// A classifier.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Classifier {
    /// A linear support vector machine.
    #[default]
    LinearSvm,
    /// The class of the nearest training sample.
    NearestNeighbour,
}

/// How features are classified.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ClassifyOptions {
    /// The classifier.
    pub classifier: Classifier,
    /// The weight of errors in the support vector machine.
    pub c: f64,
    /// The seed of all random numbers.
    pub seed: u64,
    /// The scaling of the features; learned from the training samples alone.
    pub scale: Scaling,
}

impl Default for ClassifyOptions {
    fn default() -> Self {
        Self { classifier: Classifier::LinearSvm, c: 1.0, seed: 0, scale: Scaling::None }
    }
}

/// How well a classifier does on samples it has not seen.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ClassifyScore {
    /// The share of test samples whose class is predicted right.
    pub accuracy: f64,
    /// Test samples by class (rows) and predicted class (columns).
    pub confusion: Confusion,
    /// Training samples with a known class.
    pub trained_on: usize,
    /// Test samples with a known class.
    pub tested_on: usize,
    /// Whether the support vector machine reached its tolerance; always so for neighbours.
    pub converged: bool,
    /// How the features were classified.
    pub options: ClassifyOptions,
}

/// Learns from the training samples and predicts the test samples. Samples without a class are left
/// out of both.
///
/// # Errors
/// If there is not one label per sample, if a set has no sample with a class, or if the features
/// cannot be scaled or learned from.
pub fn classify<T: Instances>(
    train: &Matrix<T>,
    train_labels: &[impl Label],
    test: &Matrix<T>,
    test_labels: &[impl Label],
    options: &ClassifyOptions,
) -> Result<ClassifyScore> {
    let (train, train_labels) = labelled("training samples with a class", train, train_labels)?;
    let (test, test_labels) = labelled("test samples with a class", test, test_labels)?;
    let scaler = options.scale.fit(&train)?;
    let (train, test) = (scaler.apply(&train)?, scaler.apply(&test)?);
    let (predicted, converged) = match options.classifier {
        Classifier::LinearSvm => {
            let machine = LinearSvm::new().c(options.c).seed(options.seed);
            let machine = machine.fit(&train, &train_labels)?;
            (machine.predict(&test)?, machine.converged)
        }
        Classifier::NearestNeighbour => {
            (NearestNeighbour::fit(&train, &train_labels)?.predict(&test)?, true)
        }
    };
    let right = predicted.iter().zip(&test_labels).filter(|(a, b)| a == b).count();
    Ok(ClassifyScore {
        accuracy: right as f64 / test_labels.len() as f64,
        confusion: confusion(&test_labels, &predicted)?,
        trained_on: train_labels.len(),
        tested_on: test_labels.len(),
        converged,
        options: *options,
    })
}

/// The samples with a class, and their classes.
fn labelled<T: Scalar>(
    what: &'static str,
    x: &Matrix<T>,
    labels: &[impl Label],
) -> Result<(Matrix<T>, Vec<usize>)> {
    check_lengths(counted("the list of labels", labels.len()), counted("the features", x.cols()))?;
    let mut numbers = Vec::with_capacity(labels.len());
    let mut entries = Vec::with_capacity(x.as_slice().len());
    for (column, label) in x.columns().zip(labels) {
        if let Some(number) = label.number() {
            numbers.push(number);
            entries.extend_from_slice(column);
        }
    }
    if numbers.is_empty() {
        return Err(EvalError::TooFew { what, needed: 1, found: 0 });
    }
    Ok((Matrix::from_vec(x.rows(), numbers.len(), entries)?, numbers))
}

#[cfg(test)]
mod tests;
