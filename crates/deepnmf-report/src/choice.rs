//! Which samples are judged, and which of those are shown.

use deepnmf::rng::{below, generator};
use rand_chacha::ChaCha8Rng;

/// The most samples that are clustered and classified; more change a score little and take long.
pub(crate) const MOST_JUDGED: usize = 10_000;

/// Samples by their place in the data, each list in ascending order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Choice {
    /// All samples there are.
    pub(crate) samples: usize,
    /// Those that are clustered and counted.
    pub(crate) judged: Vec<usize>,
    /// Those with a point and a picture on the page, by their place among the judged.
    pub(crate) shown: Vec<usize>,
}

impl Choice {
    /// Draws at random, the same ones for the same seed; everything where there is room.
    pub(crate) fn new(samples: usize, most_shown: usize, seed: u64) -> Self {
        let mut random = generator(seed, 0);
        let judged = draw(samples, MOST_JUDGED, &mut random);
        let shown = draw(judged.len(), most_shown, &mut random);
        Self { samples, judged, shown }
    }

    /// The shown samples by their place in the data.
    pub(crate) fn shown_in_data(&self) -> Vec<usize> {
        self.shown.iter().map(|&place| self.judged[place]).collect()
    }
}

/// At most `most` of the numbers below `count`.
fn draw(count: usize, most: usize, random: &mut ChaCha8Rng) -> Vec<usize> {
    let mut places: Vec<usize> = (0..count).collect();
    if count > most {
        for i in 0..most {
            places.swap(i, i + below(random, count - i));
        }
        places.truncate(most);
        places.sort_unstable();
    }
    places
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn what_is_shown_is_judged_and_nothing_twice(n in 1usize..30_000, most in 1usize..3000) {
            let choice = Choice::new(n, most, 3);
            prop_assert_eq!(choice.judged.len(), n.min(MOST_JUDGED));
            prop_assert_eq!(choice.shown.len(), choice.judged.len().min(most));
            let in_data = choice.shown_in_data();
            prop_assert!(in_data.windows(2).all(|pair| pair[0] < pair[1]));
            prop_assert!(in_data.iter().all(|&sample| sample < n));
            prop_assert_eq!(&choice, &Choice::new(n, most, 3));
        }
    }

    #[test]
    fn few_samples_are_all_shown() {
        let choice = Choice::new(4, 10, 0);
        assert_eq!((choice.judged, choice.shown), (vec![0, 1, 2, 3], vec![0, 1, 2, 3]));
    }

    #[test]
    fn a_draw_spreads_over_all_of_the_data() {
        let choice = Choice::new(100_000, 1000, 0);
        let early = choice.judged.iter().filter(|&&sample| sample < 50_000).count();
        assert!((4700..5300).contains(&early), "{early}");
    }
}
