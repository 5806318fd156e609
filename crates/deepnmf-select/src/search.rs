//! Which numbers of components to try next: up a ladder until the loss rises, then closer around the answer.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use crate::choice::Trials;

/// Ranges of up to so many numbers are tried whole.
const FEW: usize = 12;

/// Steps of the ladder that are tried together: more work for many workers, a little in vain for one.
const STEPS: usize = 3;

/// So many steps above the best one must be worse.
const WORSE: usize = 2;

/// A number is known closely enough when its neighbours are as near as this share of it.
const CLOSE: usize = 20;

/// What to try next; nothing where the answer is known.
pub(crate) fn next(trials: &Trials, allowed: &RangeInclusive<usize>) -> Vec<usize> {
    let (least, most) = (*allowed.start(), *allowed.end());
    let tried = trials.sizes();
    let untried = |sizes: Vec<usize>| -> Vec<usize> {
        sizes.into_iter().filter(|size| !tried.contains(size)).collect()
    };
    if most - least < FEW {
        return untried(allowed.clone().collect());
    }
    let steps = climbing(&tried, trials.best(), least, most);
    if steps.is_empty() { untried(closing_in(&tried, trials)) } else { steps }
}

/// The next steps up, while the loss may fall.
fn climbing(tried: &[usize], best: Option<usize>, least: usize, most: usize) -> Vec<usize> {
    let Some((top, best)) = tried.last().zip(best) else {
        return (0..=STEPS).scan(least, |size, _| Some(up(size, most))).collect();
    };
    let worse = tried.iter().filter(|size| **size > best).count();
    if worse >= WORSE || *top == most {
        return vec![];
    }
    let mut size = step_above(*top).min(most);
    let mut steps: Vec<usize> = (0..STEPS).map(|_| up(&mut size, most)).collect();
    steps.dedup();
    steps
}

/// This step, and on to the next.
fn up(size: &mut usize, most: usize) -> usize {
    let step = *size;
    *size = step_above(step).min(most);
    step
}

fn step_above(size: usize) -> usize {
    size + (size / 2).max(1)
}

/// Numbers between those that were tried, around the best one and the one that would be chosen.
fn closing_in(tried: &[usize], trials: &Trials) -> Vec<usize> {
    let (chosen, best) = trials.chosen();
    let mut wanted = BTreeSet::new();
    for pivot in [chosen, best].into_iter().chain(trials.best()) {
        let Some(at) = tried.iter().position(|size| *size == pivot) else { continue };
        let close = (pivot / CLOSE).max(1);
        let neighbours = [at.checked_sub(1), Some(at + 1)].into_iter().flatten();
        for other in neighbours.filter_map(|at| tried.get(at).copied()) {
            let (low, high) = (pivot.min(other), pivot.max(other));
            if high - low > close {
                let parts = STEPS.min(high - low - 1) + 1;
                wanted.extend((1..parts).map(|part| low + (high - low) * part / parts));
            }
        }
    }
    wanted.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::choice::tests::trials;

    /// Searches with a loss that is known; returns the answer and how many sizes were tried.
    fn search(allowed: &RangeInclusive<usize>, loss: impl Fn(usize) -> f64) -> (usize, usize) {
        let mut known: Vec<(usize, [f64; 2])> = vec![];
        loop {
            let lists: Vec<(usize, &[f64])> =
                known.iter().map(|(k, l)| (*k, l.as_slice())).collect();
            let found = trials(&lists);
            let wanted = next(&found, allowed);
            if wanted.is_empty() {
                return (found.chosen().0, known.len());
            }
            for size in wanted {
                assert!(allowed.contains(&size) && known.iter().all(|(other, _)| *other != size));
                // Both masks alike: every difference counts.
                known.push((size, [loss(size), loss(size)]));
            }
        }
    }

    #[test]
    fn a_minimum_is_found_wherever_it_lies() {
        for minimum in 1..=40 {
            let loss = |size: usize| 0.1 + 0.01 * size.abs_diff(minimum) as f64;
            let (found, count) = search(&(1..=200), loss);
            assert!(found.abs_diff(minimum) <= minimum / CLOSE, "{minimum}: {found}");
            assert!(count <= 30, "{minimum}: {count} sizes");
        }
    }

    #[test]
    fn short_ranges_are_tried_whole_and_limits_hold() {
        assert_eq!(search(&(2..=9), |size| 1.0 / size as f64).1, 8);
        assert_eq!(search(&(20..=50), |size| 1.0 / size as f64).0, 50);
        assert_eq!(search(&(20..=50), |size| size as f64 / 100.0).0, 20);
        assert_eq!(search(&(1..=100), |size| 1.0 + size as f64).0, 0);
    }
}
