//! Samples to learn from, and samples to be judged by.

use deepnmf::Scalar;
use deepnmf::rng::keyed;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::Rng;

use crate::{Attribute, DataError, Dataset};

/// Which samples are for training and which for testing, each in ascending order.
///
/// ```
/// use deepnmf_data::builtin::generate;
/// use deepnmf_data::preprocess::Split;
/// let xor = generate::<f64>("xor")?;
/// let split = Split::stratified(&xor, Some("identity"), 0.25, 7)?;
/// let (train, test) = (xor.select(&split.train)?, xor.select(&split.test)?);
/// assert_eq!((train.samples(), test.samples()), (300, 100));
/// assert_eq!(test.attributes[0].counts(), [50, 50]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Split {
    /// Indices of the samples to learn from.
    pub train: Vec<usize>,
    /// Indices of the samples to be judged by.
    pub test: Vec<usize>,
}

impl Split {
    /// Draws a share of the samples for testing; the same seed draws the same ones. With the name of
    /// an attribute every class gives the same share, up to rounding, and so do the samples that
    /// have no label.
    ///
    /// # Errors
    /// If there is no such attribute, the share is not between 0 and 1, or one side would be empty.
    pub fn stratified<T: Scalar>(
        data: &Dataset<T>,
        attribute: Option<&str>,
        test_share: f64,
        seed: u64,
    ) -> Result<Self, DataError> {
        if !(test_share > 0.0 && test_share < 1.0) {
            let why = format!("the share {test_share} is not between 0 and 1, such as 0.25");
            return Err(DataError::Split { why });
        }
        let groups = groups(data, attribute)?;
        let counts = shares(&groups, data.samples(), test_share);
        let mut random = keyed(seed, 0);
        let (mut train, mut test) = (Vec::new(), Vec::new());
        for (mut group, count) in groups.into_iter().zip(counts) {
            shuffle(&mut group, &mut random);
            test.extend_from_slice(&group[..count]);
            train.extend_from_slice(&group[count..]);
        }
        if train.is_empty() || test.is_empty() {
            let n = data.samples();
            let why = format!("a share of {test_share} of {n} samples leaves one side empty");
            return Err(DataError::Split { why });
        }
        train.sort_unstable();
        test.sort_unstable();
        Ok(Self { train, test })
    }
}

/// The samples of every class; those without a label come last.
fn groups<T: Scalar>(
    data: &Dataset<T>,
    attribute: Option<&str>,
) -> Result<Vec<Vec<usize>>, DataError> {
    let Some(name) = attribute else {
        return Ok(vec![(0..data.samples()).collect()]);
    };
    let attribute = data.attribute(name).ok_or_else(|| {
        let names: Vec<_> = data.attributes.iter().map(|a| a.name.as_str()).collect();
        let why = format!("there is no attribute {name:?}; there are {}", names.join(", "));
        DataError::Split { why }
    })?;
    Ok(groups_of(attribute))
}

fn groups_of(attribute: &Attribute) -> Vec<Vec<usize>> {
    let classes = attribute.classes().len();
    let mut groups = vec![Vec::new(); classes + 1];
    for (sample, code) in attribute.codes().iter().enumerate() {
        groups[code.map_or(classes, |code| code as usize)].push(sample);
    }
    groups
}

/// Forgets labels until a share of them is left, the same share of every class up to rounding; for
/// studies of how much labels are worth. The same seed and name keep the same ones, and attributes of
/// other names keep those of other samples.
///
/// ```
/// use deepnmf_data::builtin::generate;
/// use deepnmf_data::preprocess::keep_labels;
/// let xor = generate::<f64>("xor")?;
/// let few = keep_labels(&xor.attributes[0], 0.1, 7);
/// assert_eq!((few.counts(), few.missing()), (vec![20, 20], 360));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn keep_labels(attribute: &Attribute, share: f64, seed: u64) -> Attribute {
    let mut groups = groups_of(attribute);
    groups.pop(); // no labels, nothing to keep
    let counts = shares(&groups, attribute.len() - attribute.missing(), share.clamp(0.0, 1.0));
    let name: u64 = attribute.name.bytes().fold(1, |n, b| n.wrapping_mul(257) ^ u64::from(b));
    let mut random = keyed(seed, name);
    let mut kept = vec![false; attribute.len()];
    for (mut group, count) in groups.into_iter().zip(counts) {
        shuffle(&mut group, &mut random);
        group[..count].iter().for_each(|&sample| kept[sample] = true);
    }
    attribute.only(|sample| kept[sample])
}

/// How many test samples every group gives: its share rounded down, and one more where the rounding
/// has cost most, until the whole share is reached.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // at most the size of a group
fn shares(groups: &[Vec<usize>], samples: usize, test_share: f64) -> Vec<usize> {
    let exact: Vec<f64> = groups.iter().map(|group| group.len() as f64 * test_share).collect();
    let mut counts: Vec<usize> = exact.iter().map(|share| share.floor() as usize).collect();
    let mut order: Vec<usize> = (0..groups.len()).collect();
    // Stable, so that ties go to the first classes.
    order.sort_by(|&a, &b| exact[b].fract().total_cmp(&exact[a].fract()));
    let wanted = (samples as f64 * test_share).round() as usize;
    let missing = wanted.saturating_sub(counts.iter().sum());
    for &group in order.iter().take(missing) {
        counts[group] = (counts[group] + 1).min(groups[group].len());
    }
    counts
}

/// Fisher and Yates' shuffle. It draws otherwise than `deepnmf::rng::shuffle`: splits are to stay what they
/// were.
fn shuffle(samples: &mut [usize], random: &mut ChaCha8Rng) {
    for last in (1..samples.len()).rev() {
        // The bias of the remainder is below 2^-32 for any number of samples that fits into memory.
        let range = last as u64 + 1;
        #[allow(clippy::cast_possible_truncation)] // at most `last`
        samples.swap(last, (random.next_u64() % range) as usize);
    }
}

#[cfg(test)]
#[path = "split_tests.rs"]
mod tests;
