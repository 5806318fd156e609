//! Which entries are held out.

use deepnmf::rng::{below, generator, uniform};

/// At most so many entries are held out: their mean loss is then known to a few digits, however large the data are.
const MOST: f64 = 1e7;

/// What the random numbers of masks are drawn for; fits draw theirs from other streams.
const MASKS: u64 = 101;

/// A share of the entries of every sample, spread at random over its features: `(feature, sample)`, sample after sample,
/// the features of each rising. Every sample and every feature keeps an entry.
///
/// Whole samples or features cannot be held out, for a model of the others says nothing of them.
pub(crate) fn speckles(
    (p, n): (usize, usize),
    share: f64,
    seed: u64,
    mask: u64,
) -> Vec<(usize, usize)> {
    let mut rng = generator(seed, MASKS | mask << 8);
    let of_sample = share.min(MOST / (p as f64 * n as f64)) * p as f64;
    let mut features: Vec<usize> = (0..p).collect();
    let mut left = vec![n; p];
    let mut held_out = Vec::new();
    for sample in 0..n {
        // The whole part always, one more as often as the rest says.
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // at most `p`
        let count = of_sample as usize + usize::from(uniform(&mut rng) < of_sample.fract());
        let first = held_out.len();
        for at in 0..count.min(p - 1) {
            let drawn = at + below(&mut rng, p - at);
            features.swap(at, drawn);
            let feature = features[at];
            if left[feature] > 1 {
                left[feature] -= 1;
                held_out.push((feature, sample));
            }
        }
        held_out[first..].sort_unstable();
    }
    held_out
}

/// The same of data of which only some entries are observed, in places that rise sample after sample: which of them.
pub(crate) fn some_of(
    places: &[(usize, usize)],
    (p, n): (usize, usize),
    share: f64,
    seed: u64,
    mask: u64,
) -> Vec<bool> {
    let mut rng = generator(seed, MASKS | mask << 8);
    let (mut of_feature, mut of_sample) = (vec![0usize; p], vec![0usize; n]);
    for (feature, sample) in places {
        of_feature[*feature] += 1;
        of_sample[*sample] += 1;
    }
    let share = share.min(MOST / places.len().max(1) as f64);
    let mut draw = |(feature, sample): &(usize, usize)| {
        let hidden =
            uniform(&mut rng) < share && of_feature[*feature] > 1 && of_sample[*sample] > 1;
        of_feature[*feature] -= usize::from(hidden);
        of_sample[*sample] -= usize::from(hidden);
        hidden
    };
    places.iter().map(&mut draw).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn a_share_is_held_out_and_nothing_loses_all_its_entries() {
        for (p, n, share) in
            [(50, 80, 0.1), (7, 300, 0.5), (400, 3, 0.02), (3, 4, 0.9), (5, 1, 0.5)]
        {
            let held_out = speckles((p, n), share, 3, 0);
            let distinct: HashSet<_> = held_out.iter().collect();
            assert_eq!(distinct.len(), held_out.len());
            assert!(held_out.is_sorted_by_key(|(feature, sample)| (*sample, *feature)));
            let wanted = share * (p * n) as f64;
            let found = held_out.len() as f64;
            assert!(found <= 1.2 * wanted + 3.0, "{found} of {wanted}");
            if n > 10 {
                assert!(found > 0.8 * wanted - 3.0, "{found} of {wanted}");
            }
            for i in 0..p {
                assert!(held_out.iter().filter(|(feature, _)| *feature == i).count() < n);
            }
            for j in 0..n {
                assert!(held_out.iter().filter(|(_, sample)| *sample == j).count() < p);
            }
        }
    }

    #[test]
    fn of_few_observed_entries_each_sample_and_feature_keeps_one() {
        let all: Vec<(usize, usize)> = (0..30).flat_map(|j| [(j % 7, j), (6, j)]).collect();
        let hidden = some_of(&all, (7, 30), 0.5, 1, 0);
        let left: Vec<_> = all.iter().zip(&hidden).filter(|(_, hidden)| !**hidden).collect();
        assert!(left.len() < 50, "{} of 60 are left", left.len());
        assert!((0..7).all(|i| left.iter().any(|((feature, _), _)| *feature == i)));
        assert!((0..30).all(|j| left.iter().any(|((_, sample), _)| *sample == j)));
    }

    #[test]
    fn masks_are_the_same_every_time_and_differ_from_each_other() {
        let mask = |seed, mask| speckles((40, 30), 0.1, seed, mask);
        assert_eq!(mask(1, 2), mask(1, 2));
        assert_ne!(mask(1, 2), mask(1, 3));
        assert_ne!(mask(1, 2), mask(2, 2));
    }
}
