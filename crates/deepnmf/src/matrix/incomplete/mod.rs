//! Data of which some entries are missing.
//!
//! A model minimises its error over the observed entries. With the missing ones filled in by what the model at hand
//! makes of them,
//!
//! ```text
//! X^ = X where it is observed, Phi H where it is not
//! ```
//!
//! `|X^ - Phi H|^2` is that error, and for any other factors it lies above theirs. So a step of any rule on `X^` that
//! lowers the one lowers the other, and filling in anew lowers it once more (majorisation; for normal noise the EM
//! algorithm). No rule knows of missing entries: a loop calls [`DataMatrix::fill_in`] wherever it has new factors.
//!
//! Entries may have weights, too. With `W` between 0 and 1 the same holds of
//!
//! ```text
//! X^ = W X + (1 - W) Phi H        sum w_ij (x_ij - y_ij)^2 <= |X^ - Y|^2 + what does not depend on Y
//! ```
//!
//! of which a missing entry is the one with weight 0.
//!
//! What is asked of such data means two things. Products, lengths of samples, blocks and the sum of the entries are
//! those of `X^`: what algorithms work on. The norm, `|X - Phi H|^2`, entries that are searched for and the fingerprint
//! are those of the observed entries: what a result is measured by.

mod answers;
mod holes;
mod make;
mod means;
mod store;
#[cfg(test)]
pub(crate) mod tests;
#[cfg(test)]
mod weight_tests;

use std::sync::{PoisonError, RwLock, RwLockReadGuard};

use self::means::{Means, fill_with};
use self::store::{Rest, Store};
use super::{DataMatrix, Matrix, Parts, Scalar, Sparse, fingerprint};
use crate::error::{Error, Result};
use crate::update::Seen;

/// Data in memory of which some entries are missing, dense or sparse.
///
/// ```
/// use deepnmf::matrix::Incomplete;
/// use deepnmf::{Factorization, Matrix, SemiNmf};
/// let mut x = Matrix::from_fn(8, 20, |i, j| ((i + 2) * (j + 3) % 7) as f64);
/// x[(3, 4)] = f64::NAN;
/// let model = SemiNmf::new(3).fit(&Incomplete::from_nan(x)?)?;
/// assert_eq!(model.summary.missing, 1);
/// # Ok::<(), deepnmf::Error>(())
/// ```
pub struct Incomplete<'a, T: Scalar> {
    store: RwLock<Store<T>>,
    shape: (usize, usize),
    parts: Parts<'a>,
    /// Entries that are missing in all parts.
    missing: usize,
    /// Whether some are missing, or count less than others, in any part.
    partial: bool,
    /// Whether it belongs to a fit, which may fill it in.
    fits: bool,
    /// The power of two that the data were multiplied by.
    exponent: i32,
}

impl<T: Scalar> Clone for Incomplete<'_, T> {
    fn clone(&self) -> Self {
        Self { store: RwLock::new(self.read().clone()), ..*self }
    }
}

impl<T: Scalar> std::fmt::Debug for Incomplete<'_, T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (p, n) = self.shape;
        write!(f, "{p} x {n} numbers of which {} are missing", self.missing)
    }
}

impl<T: Scalar> Incomplete<'_, T> {
    fn read(&self) -> RwLockReadGuard<'_, Store<T>> {
        // Nobody leaves it half filled.
        self.store.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// What loops say that somebody else owns.
    pub(crate) fn no_fit() -> Error {
        let text = "missing entries are filled in by whole fits: use Factorization::fit in place of a loop";
        Error::Numerical(text.into())
    }

    /// The entries of this part that are missing.
    pub fn own_missing(&self) -> usize {
        self.read().missing()
    }

    /// The samples of this part in dense form, with NaN where an entry is missing.
    pub fn to_nan(&self) -> Matrix<T> {
        let (store, (p, n)) = (self.read(), self.shape);
        let nan = T::from_f64(f64::NAN);
        if let Store::Held(_) = &*store {
            let mut dense = Matrix::from_fn(p, n, |_, _| nan);
            store.observed(|i, j, v| {
                dense[(i, j)] = v;
                true
            });
            return dense;
        }
        let mut dense = match &*store {
            Store::Dense { x, .. } => x.clone(),
            Store::Weighed { given, .. } => given.clone(),
            Store::Listed { x, .. } | Store::Held(Rest { s: x, .. }) => x.view().to_dense_matrix(),
        };
        store.for_each_hole(|i, j| dense[(i, j)] = nan);
        dense
    }

    /// The observed entries of this part as `(feature, sample, value)`, sample after sample.
    pub fn observed(&self) -> Vec<(usize, usize, T)> {
        let mut entries = vec![];
        if !matches!(&*self.read(), Store::Listed { .. }) {
            self.read().observed(|i, j, v| {
                entries.push((i, j, v));
                true
            });
            return entries;
        }
        for (j, column) in self.to_nan().columns().enumerate() {
            let present = column.iter().enumerate().filter(|(_, v)| !v.to_f64().is_nan());
            entries.extend(present.map(|(i, v)| (i, j, *v)));
        }
        entries
    }

    /// The weights of the entries of this part, as shares of the largest, if they have any.
    pub fn entry_weights(&self) -> Option<Matrix<T>> {
        match &*self.read() {
            Store::Weighed { weights, .. } => Some(weights.clone()),
            _ => None,
        }
    }

    /// How much the entries of this part count on average, as a share of complete data.
    pub(crate) fn observed_share(&self) -> f64 {
        let (store, (p, n)) = (self.read(), self.shape);
        let all = (p * n).max(1) as f64;
        match &*store {
            Store::Weighed { weights, .. } => {
                weights.as_slice().iter().map(|w| w.to_f64()).sum::<f64>() / all
            }
            store => 1.0 - store.missing() as f64 / all,
        }
    }

    /// Whether the observed entries are those that sparse data hold.
    pub fn is_sparse(&self) -> bool {
        matches!(&*self.read(), Store::Held(_))
    }

    /// *Together*: a copy of incomplete data for one fit, times a power of two, with the mean of each feature in place
    /// of its missing entries.
    pub(crate) fn for_fit(x: &dyn DataMatrix<T>, exponent: i32) -> Result<Incomplete<'_, T>> {
        Self::with_means(x, exponent, true)
    }

    /// *Together*: the same of new samples, which may all lack a feature.
    pub(crate) fn for_projection(
        x: &dyn DataMatrix<T>,
        exponent: i32,
    ) -> Result<Incomplete<'_, T>> {
        Self::with_means(x, exponent, false)
    }

    fn with_means(
        x: &dyn DataMatrix<T>,
        exponent: i32,
        every_feature: bool,
    ) -> Result<Incomplete<'_, T>> {
        let mut store = match x.incomplete() {
            Some(own) => own.read().in_unit(exponent),
            None if x.parts().is_whole() => return Err(Self::no_fit()),
            // A part that lacks nothing.
            None => Incomplete::with_holes(x, &[])?.read().in_unit(exponent),
        };
        let parts = x.parts();
        if matches!(store, Store::Weighed { .. }) && !parts.is_whole() {
            let accepted = "the largest of them is looked for in one place, leave them out";
            return Err(Error::parameter(
                "the weights of entries of data in parts",
                "given",
                accepted,
            ));
        }
        let means = Means::of(&store).of_all_parts(parts, every_feature)?;
        fill_with(&mut store, &means);
        Ok(Incomplete {
            store: RwLock::new(store),
            shape: x.shape(),
            parts,
            missing: x.missing(),
            partial: x.is_incomplete(),
            fits: true,
            exponent,
        })
    }

    /// Refuses incomplete data where no loop fills them in.
    pub(crate) fn refuse(x: &dyn DataMatrix<T>, who: &str) -> Result<()> {
        Self::refuse_weights(x, who)?;
        if x.missing() == 0 {
            return Ok(());
        }
        let accepted = format!(
            "{who} takes complete data: fill them in first, with `deepnmf impute` for instance"
        );
        Err(Error::parameter("the number of missing entries", x.missing(), accepted))
    }

    /// Refuses weights of entries where they have no meaning.
    pub(crate) fn refuse_weights(x: &dyn DataMatrix<T>, who: &str) -> Result<()> {
        if x.incomplete().is_none_or(|own| own.entry_weights().is_none()) {
            return Ok(());
        }
        let accepted = format!("{who} takes entries that all count the same, leave them out");
        Err(Error::parameter("the weights of entries", "given", accepted))
    }

    /// The observed entries of this part without their zeros, and which places are observed.
    pub(crate) fn entries_and_seen(&self) -> Result<(Sparse<'static, T>, Seen<T>)> {
        let (store, shape) = (self.read(), self.shape);
        let (mut entries, mut ones) = (vec![], vec![]);
        let held = matches!(&*store, Store::Held(_));
        store.observed(|i, j, v| {
            if v != T::ZERO {
                entries.push((i, j, v));
            }
            if held {
                ones.push((i, j, T::ONE));
            }
            true
        });
        if !held {
            store.for_each_hole(|i, j| ones.push((i, j, T::ONE)));
        }
        let (entries, places) =
            (Sparse::from_entries(shape, &entries)?, Sparse::from_entries(shape, &ones)?);
        Ok((entries, if held { Seen::Only(places) } else { Seen::AllBut(places) }))
    }

    /// What is known of each sample of this part.
    pub(crate) fn samples(&self) -> Vec<Sample<T>> {
        let store = self.read();
        let listed = matches!(&*store, Store::Dense { .. } | Store::Listed { .. });
        let weighed = matches!(&*store, Store::Weighed { .. });
        let none = Sample { entries: vec![], places: vec![], missing: listed, weights: vec![] };
        let mut samples = vec![none; self.shape.1];
        store.observed(|i, j, v| {
            samples[j].entries.push((i, v));
            if !listed {
                samples[j].places.push(i);
            }
            if weighed {
                samples[j].weights.push(store.weight(i, j));
            }
            true
        });
        if listed {
            store.for_each_hole(|i, j| samples[j].places.push(i));
        }
        samples
    }

    /// The data as they are filled, for who does not care which entries are observed.
    pub(crate) fn as_complete(&self) -> Filled<'_, T> {
        Filled(self)
    }

    /// The fingerprint of the samples of this part, the first of which has this number among all.
    pub(super) fn own_fingerprint(&self, first: usize) -> u64 {
        let store = self.read();
        let mut sum = 0u64;
        store.observed(|feature, sample, v| {
            sum = sum.wrapping_add(fingerprint::of_entry(feature, first + sample, v.to_f64()));
            true
        });
        store.for_each_hole(|feature, sample| {
            sum = sum.wrapping_add(fingerprint::of_entry(feature, first + sample, f64::INFINITY));
        });
        if matches!(&*store, Store::Held(_)) {
            // A zero that is held is observed.
            store.observed(|feature, sample, _| {
                let one = fingerprint::of_entry(feature, first + sample, f64::NEG_INFINITY);
                sum = sum.wrapping_add(one);
                true
            });
        }
        sum
    }

    /// The norm, and `|X - Phi H|^2`, of the observed entries of this part times a power of two.
    pub(super) fn norm_sq_in_unit(&self, exponent: i32) -> f64 {
        self.read().in_unit(exponent).norm_sq()
    }

    pub(super) fn residual_in_unit(
        &self,
        exponent: i32,
        phi: &Matrix<T>,
        h: &Matrix<T>,
    ) -> Result<f64> {
        self.read().in_unit(exponent).residual_norm_sq(phi, h)
    }
}

/// Incomplete data as they are filled.
pub(crate) struct Filled<'a, T: Scalar>(&'a Incomplete<'a, T>);

/// What is known of a sample.
#[derive(Clone)]
pub(crate) struct Sample<T> {
    /// Its observed entries, but for zeros that sparse data do not hold.
    pub(crate) entries: Vec<(usize, T)>,
    /// The features that it lacks, or those that it has.
    pub(crate) places: Vec<usize>,
    /// Which of both.
    pub(crate) missing: bool,
    /// The weights of its entries, if they have any.
    pub(crate) weights: Vec<f64>,
}

impl<T> Sample<T> {
    /// How much one of its entries counts.
    pub(crate) fn weight(&self, at: usize) -> f64 {
        self.weights.get(at).copied().unwrap_or(1.0)
    }
}
