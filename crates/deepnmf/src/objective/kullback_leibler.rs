//! The Kullback-Leibler divergence, from the entries that are not zero:
//!
//! ```text
//! D(X | Z H) = sum_ij x_ij log(x_ij / (Z H)_ij) - x_ij + (Z H)_ij
//! ```
//!
//! `Z H` is formed where `X` is not zero; elsewhere its sum is that of all, less that. The error that is reported is
//! `sqrt(2 D)`.

use std::ops::ControlFlow;

use crate::error::Result;
use crate::matrix::{
    DataMatrix, Incomplete, Matrix, Parts, Scalar, Scaled, Sparse, columns_of, power_of_two,
    unit_exponent,
};
use crate::update::{KlEntries, KlProblem, Sums, sums_of_rows};

/// Below this relative difference the terms of the divergence are summed up as a series.
const NEAR: f64 = 0.01;

/// `x log(x / y) - x + y` for `x >= 0` and `y > 0`. Never negative, and exact to most digits where both are near.
#[inline(always)]
pub(crate) fn kl_term(x: f64, y: f64) -> f64 {
    if x <= 0.0 {
        return y;
    }
    let d = (y - x) / x;
    if d.abs() < NEAR {
        // d - log(1 + d)
        let series = 0.5
            - d * (1.0 / 3.0
                - d * (0.25 - d * (0.2 - d * (1.0 / 6.0 - d * (1.0 / 7.0 - d * 0.125)))));
        return x * d * d * series;
    }
    x * (x / y).ln() - x + y
}

/// *Together*: `D(X | Z H)`, where `h` holds the features of this part.
pub(crate) fn kl_divergence<T: Scalar>(
    x: &dyn DataMatrix<T>,
    z: &Matrix<T>,
    h: &Matrix<T>,
) -> Result<f64> {
    let factor = z.t().to_matrix();
    let of = |entries: &Sparse<'_, T>, sums: &Sums, h: &Matrix<T>| {
        KlProblem::new(entries, &factor, sums).divergence(h)
    };
    if x.is_incomplete() {
        let entries = KlEntries::of(x)?;
        let own = of(&entries.by_sample, &entries.sums_for_samples(&factor)?, h);
        return x.parts().sum_of(own);
    }
    let sums = Sums::Same(sums_of_rows(&factor, Parts::whole(factor.cols()))?);
    let mut own = 0.0;
    let is_sparse = x.sparse_blocks(&mut |start, entries| {
        own += of(entries, &sums, &columns_of(h, start..start + entries.shape().1));
        Ok(())
    })?;
    if !is_sparse {
        x.blocks(&mut |start, block| {
            let entries = Sparse::from_dense(&block.to_matrix());
            own += of(&entries, &sums, &h.view_columns(start..start + block.cols()).to_matrix());
            ControlFlow::Continue(())
        })?;
    }
    x.parts().sum_of(own)
}

/// Rounds after which the single component of incomplete data has come to rest.
const ROUNDS: usize = 1000;

/// A round that changes the divergence by less than this share of it is the last one.
const LITTLE: f64 = 1e-9;

/// *Together*: the same of incomplete data, where it has no closed form: each factor in turn is the ratio of what its
/// entries sum up to and what the other one does (quasi-independence; no round raises the divergence).
fn kl_of_one_component_of_observed<T: Scalar>(x: &Incomplete<'_, T>) -> Result<f64> {
    let ((p, n), entries) = (x.shape(), KlEntries::of(x)?);
    let of_samples = entries.sums_of_samples();
    let mut of_features = vec![0.0; p];
    entries.by_sample.for_each(|feature, _, v| of_features[feature] += v.to_f64());
    x.parts().sum(&mut of_features)?;
    let ratios = |sums: &[f64], others: &Sums| -> Vec<T> {
        let ratio = |(place, sum): (usize, &f64)| match others.of(place)[0] {
            other if other > 0.0 => T::from_f64(sum / other),
            _ => T::ZERO,
        };
        sums.iter().enumerate().map(ratio).collect()
    };
    let mut h = Matrix::from_fn(1, n, |_, _| T::ONE);
    let mut least = f64::INFINITY;
    for _ in 0..ROUNDS {
        let zt = Matrix::from_vec(1, p, ratios(&of_features, &entries.sums_for_features(&h)?))?;
        h = Matrix::from_vec(1, n, ratios(&of_samples, &entries.sums_for_samples(&zt)?))?;
        let now = kl_divergence(x, &zt.t().to_matrix(), &h)?;
        let enough = now >= least * (1.0 - LITTLE);
        least = least.min(now);
        if enough {
            break;
        }
    }
    Ok(least)
}

/// *Together*: the divergence of the best factorization with one component, which is the product of the sums of
/// features and samples.
pub(crate) fn kl_of_one_component<T: Scalar>(x: &dyn DataMatrix<T>) -> Result<f64> {
    let exponent = unit_exponent(x)?;
    if x.is_incomplete() {
        let own = Incomplete::for_projection(x, exponent)?;
        return Ok(kl_of_one_component_of_observed(&own)? * power_of_two(-exponent));
    }
    let x = Scaled::new(x, exponent);
    let (p, n) = x.shape();
    let (mut of_features, mut of_samples) = (Matrix::zeros(p, 1), Matrix::zeros(1, n));
    let ones = |rows, cols| Matrix::from_fn(rows, cols, |_, _| 1.0);
    x.wide_mul_tr(&ones(1, n), &mut of_features)?;
    x.wide_tr_mul(&ones(p, 1), &mut of_samples)?;
    let all = x.entry_sum()?;
    if all <= 0.0 {
        return Ok(0.0);
    }
    let shares = of_samples.map(|sum: f64| sum / all);
    Ok(kl_divergence(&x, &of_features.cast(), &shares.cast())? * power_of_two(-exponent))
}
