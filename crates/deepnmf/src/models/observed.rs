//! One layer fitted to the observed entries alone, where most are missing.
//!
//! Filling in (`matrix/incomplete`) costs little more than complete data do, but each iteration closes only about the
//! observed share of the distance. With a Gram matrix for each sample and each feature,
//!
//! ```text
//! G_j = sum over the observed i of w_ij z_i z_i^T        h_j <- argmin_(h >= 0)  h^T G_j h / 2 - h^T sum w_ij x_ij z_i
//! ```
//! (all weights are 1 unless entries have others)
//!
//! and the same of the rows of `Z` with the features in place of the basis, a sweep needs `k` operations more for each
//! entry, and as few sweeps as complete data do. [`pays`] says which of both is used.

use std::marker::PhantomData;

use rayon::prelude::*;

use crate::checkpoint::{Restored, StateWriter};
use crate::error::Result;
use crate::matrix::{DataMatrix, Incomplete, Matrix, Scalar, Whitening, product};
use crate::models::extrapolation::{Extrapolated, Sweeps, extrapolated, extrapolated_above_zero};
use crate::models::factors::Pair;

/// Below this product of the components and the squared share of observed entries a Gram matrix for each sample and feature
/// is the faster way (`studies/missing` has the measurement).
const WORTH: f64 = 1.0;

/// Sweeps of coordinate descent for one sample or feature.
const MOST_SWEEPS: usize = 10;

/// A sweep that moves less than this share of the first one (squared) is the last.
const LITTLE: f64 = 0.01;

/// Whether data with `components` are best fitted by their observed entries alone. Data in parts would have to exchange a
/// Gram matrix for each feature.
pub(crate) fn pays<T: Scalar>(x: &dyn DataMatrix<T>, components: usize) -> bool {
    let Some(own) = x.incomplete().filter(|_| x.is_incomplete() && x.parts().is_whole()) else {
        return false;
    };
    let observed = own.observed_share();
    observed * observed * components as f64 <= WORTH
}

/// The observed entries in lists: those of each sample, or of each feature.
struct Lists {
    starts: Vec<usize>,
    places: Vec<usize>,
    values: Vec<f64>,
    /// None if all are 1.
    weights: Vec<f64>,
}

impl Lists {
    /// Sorts entries `(list, place, value, weight)`, whose places rise in each list.
    fn of(count: usize, entries: impl Iterator<Item = (usize, usize, f64, f64)> + Clone) -> Self {
        let mut starts = vec![0; count + 1];
        entries.clone().for_each(|(list, ..)| starts[list + 1] += 1);
        (0..count).for_each(|list| starts[list + 1] += starts[list]);
        let (mut next, all) = (starts.clone(), starts[count]);
        let (mut places, mut values) = (vec![0; all], vec![0.0; all]);
        let weighed = entries.clone().any(|(.., weight)| weight < 1.0);
        let mut weights = vec![1.0; if weighed { all } else { 0 }];
        for (list, place, value, weight) in entries {
            let at = next[list];
            (places[at], values[at]) = (place, value);
            weights.get_mut(at).into_iter().for_each(|to| *to = weight);
            next[list] += 1;
        }
        Self { starts, places, values, weights }
    }

    /// Places, values and weights of a list.
    fn of_list(&self, list: usize) -> impl Iterator<Item = (usize, f64, f64)> + Clone {
        let entry = |at: usize| {
            (self.places[at], self.values[at], self.weights.get(at).copied().unwrap_or(1.0))
        };
        (self.starts[list]..self.starts[list + 1]).map(entry)
    }
}

/// The squared error over the observed entries, factor by factor.
pub(crate) struct Observed {
    by_sample: Lists,
    by_feature: Lists,
    /// Whether the basis must not be negative, either.
    above_zero: bool,
}

impl Observed {
    /// Begins from given factors; from the features alone, if the basis may have any sign.
    pub(crate) fn begin<T: Scalar>(
        x: &dyn DataMatrix<T>,
        mut pair: Pair<T>,
        above_zero: bool,
    ) -> Result<Extrapolated<ObservedSweeps<T>>> {
        let (p, n) = x.shape();
        let entries = x.incomplete().map_or(vec![], Incomplete::observed);
        let weights = x.incomplete().and_then(Incomplete::entry_weights);
        let weight = |at: (usize, usize)| weights.as_ref().map_or(1.0, |w| w[at].to_f64());
        let each = || entries.iter().map(|(i, j, v)| (*i, *j, v.to_f64(), weight((*i, *j))));
        let by_sample = Lists::of(n, each().map(|(i, j, v, w)| (j, i, v, w)));
        let by_feature = Lists::of(p, each());
        let mut zt = pair.z.t().to_matrix().cast();
        if !above_zero {
            solve(&by_feature, &pair.h.cast(), &mut zt, above_zero, inverse_for::<T>)?;
            pair.z = zt.cast().t().to_matrix();
        }
        let observed = Self { by_sample, by_feature, above_zero };
        let value = observed.value(&zt, &pair.h.cast());
        let sweeps = ObservedSweeps { observed, number: PhantomData };
        Ok(Extrapolated::new(sweeps, pair, value))
    }

    /// Half the squared error over the observed entries.
    fn value(&self, zt: &Matrix<f64>, h: &Matrix<f64>) -> f64 {
        let of_sample = |j: usize| {
            let rest = |(i, x, w): (usize, f64, f64)| {
                let told: f64 = zt.col(i).iter().zip(h.col(j)).map(|(z, h)| z * h).sum();
                w * (x - told) * (x - told)
            };
            self.by_sample.of_list(j).map(rest).sum::<f64>()
        };
        let of_samples: Vec<f64> = (0..h.cols()).into_par_iter().map(of_sample).collect();
        of_samples.iter().sum::<f64>() / 2.0
    }
}

/// The columns of `factor` that fit each list best, with the other factor at its places: non-negative ones by coordinate
/// descent from where they are, others by least squares.
fn solve(
    lists: &Lists,
    other: &Matrix<f64>,
    factor: &mut Matrix<f64>,
    above_zero: bool,
    inverse: Inverse,
) -> Result<()> {
    let k = other.rows();
    let columns = factor.as_mut_slice().par_chunks_mut(k.max(1)).enumerate();
    columns.try_for_each_init(
        || (Matrix::zeros(k, k), Matrix::zeros(k, 1)),
        |(gram, b), (list, column)| {
            gram.as_mut_slice().fill(0.0);
            b.as_mut_slice().fill(0.0);
            for (place, x, weight) in lists.of_list(list) {
                let row = other.col(place);
                for (c, v) in row.iter().enumerate() {
                    add(&mut gram.col_mut(c)[c..], weight * v, &row[c..]);
                }
                add(b.col_mut(0), weight * x, row);
            }
            for c in 0..k {
                for r in c + 1..k {
                    gram[(c, r)] = gram[(r, c)];
                }
            }
            if above_zero {
                descend(column, gram, b.col(0));
                return Ok(());
            }
            // Directions that hardly any entry sees are left out of the inverse, which may cost more than it gains.
            let best = product(inverse(gram)?.view(), b.view());
            if objective(best.as_slice(), gram, b.col(0)) <= objective(column, gram, b.col(0)) {
                column.copy_from_slice(best.as_slice());
            }
            Ok(())
        },
    )
}

/// The inverse of a Gram matrix in which rounding of the number type of the data is no direction.
type Inverse = fn(&Matrix<f64>) -> Result<Matrix<f64>>;

fn inverse_for<T: Scalar>(gram: &Matrix<f64>) -> Result<Matrix<f64>> {
    Ok(Whitening::of::<T>(gram)?.inverse)
}

/// `h^T G h / 2 - b^T h`.
fn objective(h: &[f64], gram: &Matrix<f64>, b: &[f64]) -> f64 {
    let dot = |a: &[f64]| a.iter().zip(h).map(|(a, h)| a * h).sum::<f64>();
    let curved: f64 = h.iter().zip(gram.columns()).map(|(h, g)| h * dot(g)).sum();
    curved / 2.0 - dot(b)
}

/// Each coordinate in turn to its exact minimum above zero.
fn descend(h: &mut [f64], gram: &Matrix<f64>, b: &[f64]) {
    let mut enough = 0.0;
    for sweep in 0..MOST_SWEEPS {
        let mut moved = 0.0;
        for r in 0..h.len() {
            let g = gram.col(r);
            if g[r] <= 0.0 {
                continue; // nothing observed depends on it
            }
            let rest: f64 = b[r] - g.iter().zip(&*h).map(|(g, h)| g * h).sum::<f64>();
            let new = (h[r] + rest / g[r]).max(0.0);
            moved += (new - h[r]).powi(2);
            h[r] = new;
        }
        if sweep == 0 {
            enough = LITTLE * moved;
        }
        if moved <= enough && sweep > 0 {
            break;
        }
    }
}

/// `a += factor b`.
fn add(a: &mut [f64], factor: f64, b: &[f64]) {
    a.iter_mut().zip(b).for_each(|(a, b)| *a += factor * b);
}

/// The sweeps over both factors, for factors of one number type.
pub(crate) struct ObservedSweeps<T> {
    observed: Observed,
    number: PhantomData<fn() -> T>,
}

impl<T: Scalar> Sweeps for ObservedSweeps<T> {
    type Point = Pair<T>;

    fn sweep(&self, pair: &mut Pair<T>) -> Result<f64> {
        let Observed { by_sample, by_feature, above_zero } = &self.observed;
        let (mut zt, mut h) = (pair.z.t().to_matrix().cast::<f64>(), pair.h.cast::<f64>());
        solve(by_feature, &h, &mut zt, *above_zero, inverse_for::<T>)?;
        let flushed = |factor: &Matrix<f64>| {
            // What a file would keep: tiny numbers are zero.
            factor.cast::<T>().map(|v| if v.magnitude() < T::FLUSH { T::ZERO } else { v })
        };
        pair.z = flushed(&zt).t().to_matrix();
        let zt = pair.z.t().to_matrix().cast::<f64>();
        solve(by_sample, &zt, &mut h, true, inverse_for::<T>)?;
        pair.h = flushed(&h);
        Ok(self.observed.value(&zt, &pair.h.cast()))
    }

    fn ahead(&self, now: &Pair<T>, before: &Pair<T>, momentum: f64) -> Pair<T> {
        let of_basis =
            if self.observed.above_zero { extrapolated_above_zero } else { extrapolated };
        Pair {
            z: of_basis(&now.z, &before.z, momentum),
            h: extrapolated_above_zero(&now.h, &before.h, momentum),
        }
    }

    fn save(name: &str, point: &Pair<T>, state: &mut StateWriter<'_>) {
        state.matrix(&format!("{name}.z"), &point.z);
        state.features(&format!("{name}.h"), &point.h);
    }

    fn restored(name: &str, state: &Restored<'_>) -> Result<Pair<T>> {
        Ok(Pair {
            z: state.matrix(&format!("{name}.z"))?,
            h: state.features(&format!("{name}.h"))?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::driver::Algorithm;
    use crate::rng::{generator, uniform};
    use crate::testing::positive;

    /// Products of so many components of which a share of the entries is missing.
    fn holed(
        shape: (usize, usize),
        k: usize,
        missing: f64,
        noise: f64,
    ) -> Incomplete<'static, f64> {
        let (p, n) = shape;
        let clean = product(positive::<f64>(p, k, 1).view(), positive(k, n, 2).view());
        let (error, mut rng) = (positive::<f64>(p, n, 3), generator(4, 4));
        let mut entry = |i: usize, j: usize| {
            let hole = uniform(&mut rng) < missing;
            if hole { f64::NAN } else { clean[(i, j)] + noise * error[(i, j)] }
        };
        Incomplete::from_nan(Matrix::from_fn(p, n, &mut entry)).unwrap()
    }

    fn begun(
        x: &Incomplete<'_, f64>,
        k: usize,
        above_zero: bool,
    ) -> Extrapolated<ObservedSweeps<f64>> {
        let (p, n) = x.shape();
        let pair = Pair { z: positive(p, k, 5), h: positive(k, n, 6) };
        Observed::begin(x, pair, above_zero).unwrap()
    }

    #[test]
    fn the_value_is_that_of_the_definition_and_never_rises() {
        let x = holed((15, 40), 3, 0.6, 0.3);
        for above_zero in [false, true] {
            let mut fit = begun(&x, 4, above_zero);
            let mut before = f64::INFINITY;
            for _ in 0..60 {
                fit.step().unwrap();
                let Pair { z, h } = &fit.point;
                let told = product(z.view(), h.view());
                let rest = |(i, j, v): (usize, usize, f64)| (v - told[(i, j)]).powi(2);
                let literal: f64 = x.observed().into_iter().map(rest).sum();
                assert!((fit.error().powi(2) - literal).abs() < 1e-9 * literal.max(1e-9));
                assert!(fit.error() <= before * (1.0 + 1e-12), "{} after {before}", fit.error());
                before = fit.error();
                assert!(h.as_slice().iter().all(|h| *h >= 0.0));
                assert!(!above_zero || z.as_slice().iter().all(|z| *z >= 0.0));
            }
            // Nothing but the rounding of a fit that has come to rest.
            assert!(fit.rising.iter().all(|rise| rise.to <= rise.from * (1.0 + 1e-9)));
        }
    }

    #[test]
    fn what_is_missing_is_found_where_there_is_enough_to_tell_it() {
        let x = holed((30, 80), 2, 0.5, 0.0);
        let complete = product(positive::<f64>(30, 2, 1).view(), positive(2, 80, 2).view());
        for above_zero in [false, true] {
            let mut fit = begun(&x, 2, above_zero);
            (0..1000).for_each(|_| fit.step().unwrap());
            let told = product(fit.point.z.view(), fit.point.h.view());
            for (a, b) in told.as_slice().iter().zip(complete.as_slice()) {
                assert!((a - b).abs() < 1e-3 * b.abs().max(1.0), "{a} and {b}");
            }
        }
    }

    #[test]
    fn few_observed_entries_and_few_components_are_fitted_alone() {
        assert!(pays(&holed((10, 30), 2, 0.9, 0.1), 10));
        assert!(!pays(&holed((10, 30), 2, 0.1, 0.1), 40));
        assert!(!pays(&positive::<f64>(10, 30, 1), 1));
    }
}
