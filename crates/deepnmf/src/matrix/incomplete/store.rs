//! Data whose missing entries hold what a model makes of them.
//!
//! ```text
//! dense          a copy in which they are filled
//! weighed        X^ = W X + (1 - W) Phi H, entry by entry: an entry of less weight is filled in partly
//! listed         sparse data in which they are held beside the entries that are observed
//! held only      X^ = S + Phi H: of sparse data whose zeros are missing, S has what the model leaves of the entries
//!                that are held, so that no product takes more than the entries and the two factors
//! ```

use rayon::prelude::*;

use super::holes::Holes;
use crate::error::Result;
use crate::matrix::data::Entry;
use crate::matrix::{
    Matrix, MatrixView, Parts, Scalar, Sparse, add_mul, dot, gram_of_columns, gram_of_rows,
    mul_block, product, scale_by_power, sum_of_pairs,
};

/// Columns that one task fills: a fixed number, so that threads change no result.
const BLOCK: usize = 256;

#[derive(Debug, Clone)]
pub(super) enum Store<T: Scalar> {
    Dense {
        x: Matrix<T>,
        holes: Holes,
    },
    /// The data as they are given are zero where their weight is.
    Weighed {
        x: Matrix<T>,
        given: Matrix<T>,
        weights: Matrix<T>,
    },
    Listed {
        x: Sparse<'static, T>,
        at: Vec<usize>,
    },
    Held(Rest<T>),
}

/// `X^ = S + Phi H`.
#[derive(Debug, Clone)]
pub(super) struct Rest<T: Scalar> {
    /// The entries that are held.
    pub(super) held: Vec<T>,
    /// What the model leaves of them.
    pub(super) s: Sparse<'static, T>,
    pub(super) phi: Matrix<T>,
    pub(super) h: Matrix<T>,
}

impl<T: Scalar> Store<T> {
    pub(super) fn shape(&self) -> (usize, usize) {
        match self {
            Self::Dense { x, .. } | Self::Weighed { x, .. } => x.shape(),
            Self::Listed { x, .. } => x.shape(),
            Self::Held(rest) => rest.s.shape(),
        }
    }

    /// The entries that are missing.
    pub(super) fn missing(&self) -> usize {
        let (p, n) = self.shape();
        match self {
            Self::Dense { holes, .. } => holes.count(),
            Self::Weighed { weights, .. } => {
                weights.as_slice().iter().filter(|w| **w <= T::ZERO).count()
            }
            Self::Listed { at, .. } => at.len(),
            Self::Held(rest) => p * n - rest.held.len(),
        }
    }

    /// The same data times a power of two.
    pub(super) fn in_unit(&self, exponent: i32) -> Self {
        let mut there = self.clone();
        match &mut there {
            Self::Dense { x, .. } => scale_by_power(x, exponent),
            Self::Weighed { x, given, .. } => {
                scale_by_power(x, exponent);
                scale_by_power(given, exponent);
            }
            Self::Listed { x, .. } => *x = x.clone().times_power(exponent),
            Self::Held(rest) => {
                let mut held = Matrix::from_fn(1, rest.held.len(), |_, j| rest.held[j]);
                scale_by_power(&mut held, exponent);
                rest.held = held.into_vec();
                rest.s = rest.s.clone().times_power(exponent);
                scale_by_power(&mut rest.phi, exponent);
            }
        }
        there
    }

    /// How much an observed entry counts, as a share of the most that any does.
    pub(super) fn weight(&self, feature: usize, sample: usize) -> f64 {
        match self {
            Self::Weighed { weights, .. } => weights[(feature, sample)].to_f64(),
            _ => 1.0,
        }
    }

    /// Whether some entries are missing, or count less than others.
    pub(super) fn is_incomplete(&self) -> bool {
        match self {
            Self::Weighed { weights, .. } => weights.as_slice().iter().any(|w| *w < T::ONE),
            _ => self.missing() > 0,
        }
    }

    /// Calls `see(feature, sample, value)` for every observed entry, sample after sample, until it says stop. Zeros
    /// of sparse data are left out.
    pub(super) fn observed(&self, mut see: impl FnMut(usize, usize, T) -> bool) {
        match self {
            Self::Dense { x, holes } => {
                for (j, column) in x.columns().enumerate() {
                    let mut missing = holes.of(j).iter().map(|i| *i as usize).peekable();
                    for (i, v) in column.iter().enumerate() {
                        if missing.next_if_eq(&i).is_none() && !see(i, j, *v) {
                            return;
                        }
                    }
                }
            }
            Self::Weighed { given, weights, .. } => {
                for (j, (column, weights)) in given.columns().zip(weights.columns()).enumerate() {
                    for (i, (v, w)) in column.iter().zip(weights).enumerate() {
                        if *w > T::ZERO && !see(i, j, *v) {
                            return;
                        }
                    }
                }
            }
            Self::Listed { x, at } => {
                let mut missing = at.iter().copied().peekable();
                for (place, (i, j, v)) in entries(x).enumerate() {
                    if missing.next_if_eq(&place).is_none() && !see(i, j, v) {
                        return;
                    }
                }
            }
            Self::Held(rest) => {
                for ((i, j, _), v) in entries(&rest.s).zip(&rest.held) {
                    if !see(i, j, *v) {
                        return;
                    }
                }
            }
        }
    }

    /// Calls `see(feature, sample)` for every missing entry, unless those are all that are not held.
    pub(super) fn for_each_hole(&self, mut see: impl FnMut(usize, usize)) {
        match self {
            Self::Dense { holes, .. } => holes.for_each(see),
            Self::Weighed { weights, .. } => {
                for (j, column) in weights.columns().enumerate() {
                    let missing = column.iter().enumerate().filter(|(_, w)| **w <= T::ZERO);
                    missing.for_each(|(i, _)| see(i, j));
                }
            }
            Self::Listed { x, at } => {
                let mut missing = at.iter().copied().peekable();
                for (place, (i, j, _)) in entries(x).enumerate() {
                    if missing.next_if_eq(&place).is_some() {
                        see(i, j);
                    }
                }
            }
            Self::Held(_) => {}
        }
    }

    /// The first observed entry of which `wanted` holds. Zeros of sparse data are asked about once, and found where
    /// the first of them stands.
    pub(super) fn find(&self, wanted: &dyn Fn(T) -> bool) -> Option<Entry> {
        let mut found = None;
        self.observed(|feature, sample, v| {
            if wanted(v) {
                found = Some(Entry { sample, feature, value: v.to_f64() });
            }
            found.is_none()
        });
        if let (Self::Listed { x, .. }, true) = (self, wanted(T::ZERO)) {
            let p = x.shape().0;
            let zero = (0..x.shape().1).find_map(|j| {
                let held: Vec<usize> = x.sample(j).map(|(i, _)| i).collect();
                let feature = (0..p).find(|i| held.binary_search(i).is_err())?;
                Some(Entry { sample: j, feature, value: 0.0 })
            });
            let place = |e: &Entry| (e.sample, e.feature);
            found = found.into_iter().chain(zero).min_by_key(place);
        }
        found
    }

    /// The sum of the squared observed entries, each times its weight.
    pub(super) fn norm_sq(&self) -> f64 {
        match self {
            Self::Dense { x, holes } => {
                let mut column = vec![T::ZERO; x.rows()];
                let of = |j| {
                    column.copy_from_slice(x.col(j));
                    holes.of(j).iter().for_each(|i| column[*i as usize] = T::ZERO);
                    dot(&column, &column)
                };
                (0..x.cols()).map(of).sum()
            }
            Self::Weighed { given, weights, .. } => {
                let of_sample = |(v, w): (&[T], &[T])| sum_of_pairs(v, w, |v, w| w * v * v);
                given.columns().zip(weights.columns()).map(of_sample).sum()
            }
            Self::Listed { x, at } => {
                let mut observed = x.clone();
                let values = observed.values_mut();
                for place in at {
                    values[*place] = T::ZERO;
                }
                observed.squared_norm()
            }
            Self::Held(rest) => rest.held.chunks(1 << 12).map(|v| dot(v, v)).sum(),
        }
    }

    /// `|X - Phi H|^2` over the observed entries, each with its weight; nothing is filled in.
    pub(super) fn residual_norm_sq(&self, phi: &Matrix<T>, h: &Matrix<T>) -> Result<f64> {
        match self {
            Self::Dense { x, holes } => {
                let of = |block: usize| block_residual(x, holes, phi, h, block).0;
                let blocks = x.cols().div_ceil(BLOCK);
                let sums: Vec<f64> = (0..blocks).into_par_iter().map(of).collect();
                Ok(sums.iter().sum())
            }
            Self::Weighed { given, weights, .. } => {
                let blocks = 0..given.cols().div_ceil(BLOCK);
                let of = |block: usize| weighed_residual(given, weights, phi, h, block);
                let sums: Vec<f64> = blocks.into_par_iter().map(of).collect();
                Ok(sums.iter().sum())
            }
            Self::Listed { x, at } => {
                let mut there = x.clone();
                fill_listed(&mut there, at, phi, h);
                there.residual(phi, h)
            }
            Self::Held(rest) => {
                let left = rest.left_of(phi, h);
                Ok(left.chunks(1 << 12).map(|v| dot(v, v)).sum())
            }
        }
    }

    /// Fills the missing entries with `Phi H`; returns the squared error over the observed ones.
    pub(super) fn fill(&mut self, phi: &Matrix<T>, h: &Matrix<T>) -> Result<f64> {
        match self {
            Self::Dense { x, holes } => {
                let p = x.rows();
                let of = |block: usize| block_residual(x, holes, phi, h, block);
                let blocks = x.cols().div_ceil(BLOCK);
                let fills: Vec<(f64, Vec<T>)> = (0..blocks).into_par_iter().map(of).collect();
                for (block, (_, fill)) in fills.iter().enumerate() {
                    let mut fill = fill.iter();
                    for j in block * BLOCK..((block + 1) * BLOCK).min(holes.samples()) {
                        let column = &mut x.as_mut_slice()[j * p..(j + 1) * p];
                        for (i, v) in holes.of(j).iter().zip(&mut fill) {
                            column[*i as usize] = *v;
                        }
                    }
                }
                Ok(fills.iter().map(|(sum, _)| sum).sum())
            }
            Self::Weighed { x, given, weights } => {
                let p = given.rows().max(1);
                let blocks = x.as_mut_slice().par_chunks_mut(BLOCK * p).enumerate();
                let fill = |(block, filled): (usize, &mut [T])| {
                    fill_weighed(given, weights, phi, h, block, filled)
                };
                let sums: Vec<f64> = blocks.map(fill).collect();
                Ok(sums.iter().sum())
            }
            Self::Listed { x, at } => {
                fill_listed(x, at, phi, h);
                x.residual(phi, h)
            }
            Self::Held(rest) => {
                let left = rest.left_of(phi, h);
                let error = left.chunks(1 << 12).map(|v| dot(v, v)).sum();
                rest.s.values_mut().copy_from_slice(&left);
                (rest.phi, rest.h) = (phi.clone(), h.clone());
                Ok(error)
            }
        }
    }
}

/// The squared error of a block of samples over their observed entries, and what the model makes of the missing ones.
fn block_residual<T: Scalar>(
    x: &Matrix<T>,
    holes: &Holes,
    phi: &Matrix<T>,
    h: &Matrix<T>,
    block: usize,
) -> (f64, Vec<T>) {
    let p = x.rows();
    let columns = block * BLOCK..((block + 1) * BLOCK).min(x.cols());
    let mut model = vec![T::ZERO; p * columns.len()];
    mul_block(&mut model, phi.view(), h.view_columns(columns.clone()));
    let (mut sum, mut fill) = (0.0, vec![]);
    for (j, fitted) in columns.zip(model.chunks_exact_mut(p.max(1))) {
        let column = x.col(j);
        for i in holes.of(j) {
            let i = *i as usize;
            fill.push(fitted[i]);
            fitted[i] = column[i]; // no difference: it is not observed
        }
        sum += sum_of_pairs(column, fitted, |x, f| (x - f) * (x - f));
    }
    (sum, fill)
}

/// Sets `filled` to `W X + (1 - W) Phi H` in a block of samples; returns their squared error, each entry with its weight.
fn fill_weighed<T: Scalar>(
    given: &Matrix<T>,
    weights: &Matrix<T>,
    phi: &Matrix<T>,
    h: &Matrix<T>,
    block: usize,
    filled: &mut [T],
) -> f64 {
    let p = given.rows().max(1);
    let columns = block * BLOCK..((block + 1) * BLOCK).min(given.cols());
    mul_block(filled, phi.view(), h.view_columns(columns.clone()));
    let mut sum = 0.0;
    for (j, filled) in columns.zip(filled.chunks_exact_mut(p)) {
        for ((y, x), w) in filled.iter_mut().zip(given.col(j)).zip(weights.col(j)) {
            let rest = *x - *y;
            sum += (*w * rest * rest).to_f64();
            // What counts in full stays as it is, to the bit.
            *y = if *w < T::ONE { *y + *w * rest } else { *x };
        }
    }
    sum
}

/// The same error, without a place to fill.
fn weighed_residual<T: Scalar>(
    given: &Matrix<T>,
    weights: &Matrix<T>,
    phi: &Matrix<T>,
    h: &Matrix<T>,
    block: usize,
) -> f64 {
    let samples = BLOCK.min(given.cols() - block * BLOCK);
    let mut filled = vec![T::ZERO; given.rows() * samples];
    fill_weighed(given, weights, phi, h, block, &mut filled)
}

/// The held entries of sparse data that stand by sample.
pub(super) fn entries<'a, T: Scalar>(
    x: &'a Sparse<'_, T>,
) -> impl Iterator<Item = (usize, usize, T)> + 'a {
    (0..x.shape().1).flat_map(|j| x.sample(j).map(move |(i, v)| (i, j, v)))
}

/// What `Phi H` is at places of sparse data, and makes of them.
fn at_places<T: Scalar>(
    x: &Sparse<'_, T>,
    phi: &Matrix<T>,
    h: &Matrix<T>,
    of: impl Fn(usize, f64) -> T + Sync + Send,
) -> Vec<T> {
    let turned = phi.t().to_matrix();
    let starts = x.starts();
    let columns = (0..x.shape().1).into_par_iter().with_min_len(64);
    let found: Vec<Vec<T>> = columns
        .map(|j| {
            let first = starts.get(j);
            let model =
                |(at, (i, _)): (usize, (usize, T))| of(first + at, dot(turned.col(i), h.col(j)));
            x.sample(j).enumerate().map(model).collect()
        })
        .collect();
    found.concat()
}

fn fill_listed<T: Scalar>(
    x: &mut Sparse<'static, T>,
    at: &[usize],
    phi: &Matrix<T>,
    h: &Matrix<T>,
) {
    let turned = phi.t().to_matrix();
    let mut sample = 0;
    let model: Vec<T> = at
        .iter()
        .map(|at| {
            while x.starts().get(sample + 1) <= *at {
                sample += 1;
            }
            T::from_f64(dot(turned.col(x.places().get(*at)), h.col(sample)))
        })
        .collect();
    let values = x.values_mut();
    at.iter().zip(model).for_each(|(at, v)| values[*at] = v);
}

impl<T: Scalar> Rest<T> {
    /// What `Phi H` leaves of the held entries.
    fn left_of(&self, phi: &Matrix<T>, h: &Matrix<T>) -> Vec<T> {
        at_places(&self.s, phi, h, |at, model| T::from_f64(self.held[at].to_f64() - model))
    }

    /// `S^T`, `Phi` and `H` in another number type give `Z^T X^`.
    pub(super) fn add_tr_mul<A: Scalar>(&self, z: &Matrix<A>, out: &mut Matrix<A>) {
        let between = product(z.t(), self.phi.cast::<A>().view());
        add_mul(out, between.view(), self.h.cast::<A>().view());
    }

    /// The same for `X^ H'^T`.
    pub(super) fn add_mul_tr<A: Scalar>(&self, h: &Matrix<A>, out: &mut Matrix<A>) {
        let between = product(self.h.cast::<A>().view(), h.t());
        add_mul(out, self.phi.cast::<A>().view(), between.view());
    }

    /// `X^ X^^T` of the samples of this part.
    pub(super) fn gram_of_features(&self) -> Result<Matrix<f64>> {
        let mut gram = self.s.gram_of_rows();
        let (phi, h) = (self.phi.cast::<f64>(), self.h.cast::<f64>());
        let k = h.rows();
        let mut hht = Matrix::zeros(k, k);
        gram_of_rows(&mut hht, &h, Parts::whole(h.cols()))?;
        let mut s_ht = Matrix::zeros(phi.rows(), k);
        crate::matrix::DataMatrix::wide_mul_tr(&self.s, &h, &mut s_ht)?;
        // With M = Phi H: S M^T + M S^T + M M^T = (S H^T + Phi H H^T) Phi^T + Phi (S H^T)^T
        let mut left = s_ht.clone();
        add_mul(&mut left, phi.view(), hht.view());
        add_mul(&mut gram, left.view(), phi.t());
        add_mul(&mut gram, phi.view(), s_ht.t());
        Ok(gram)
    }

    /// The squared length of each sample.
    pub(super) fn sample_norms_sq(&self) -> Vec<f64> {
        let k = self.phi.cols();
        let mut gram = Matrix::zeros(k, k);
        gram_of_columns(&mut gram, &self.phi.cast::<f64>());
        let h = self.h.cast::<f64>();
        let shadow = product(gram.view(), h.view());
        let mut norms: Vec<f64> =
            h.columns().zip(shadow.columns()).map(|(a, b)| dot(a, b)).collect();
        for ((_, j, s), v) in entries(&self.s).zip(&self.held) {
            let (s, v) = (s.to_f64(), v.to_f64());
            // v^2 in place of the model's square
            norms[j] += s * (v + v - s);
        }
        for norm in &mut norms {
            *norm = norm.max(0.0);
        }
        norms
    }

    /// The sum of all entries of this part.
    pub(super) fn entry_sum(&self) -> f64 {
        let of_h = self.h.row_sums();
        let of_phi = self.phi.columns().map(|phi| phi.iter().map(|v| v.to_f64()).sum::<f64>());
        self.s.sum() + of_phi.zip(of_h).map(|(a, b)| a * b).sum::<f64>()
    }

    /// Some samples in dense form.
    pub(super) fn block(&self, start: usize, count: usize) -> Matrix<T> {
        let p = self.phi.rows();
        let mut block = Matrix::zeros(p, count);
        let columns: MatrixView<'_, T> = self.h.view_columns(start..start + count);
        mul_block(block.as_mut_slice(), self.phi.view(), columns);
        for j in 0..count {
            let first = self.s.starts().get(start + j);
            for (at, (i, _)) in self.s.sample(start + j).enumerate() {
                block.col_mut(j)[i] = self.held[first + at];
            }
        }
        block
    }
}
