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

mod holes;
mod store;
#[cfg(test)]
pub(crate) mod tests;
#[cfg(test)]
mod weight_tests;

use std::ops::ControlFlow;
use std::sync::{PoisonError, RwLock, RwLockReadGuard};

use self::holes::Holes;
use self::store::{Rest, Store, entries};
use super::data::{Entry, Visit, first_of_all_parts, gram_of_blocks, sample_norms_sq_of_blocks};
use super::{
    DataMatrix, Fingerprint, Matrix, Parts, Scalar, Sparse, Stored, fingerprint, power_of_two,
};
use crate::error::{Error, Result};
use crate::update::Seen;

/// Columns handed out at a time.
const BLOCK_COLUMNS: usize = 256;

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

impl<T: Scalar> Incomplete<'static, T> {
    /// Takes over dense data in which missing entries are NaN.
    ///
    /// # Errors
    /// If there are 2^32 features or more.
    pub fn from_nan(x: Matrix<T>) -> Result<Self> {
        let holes = Holes::of_nan(&x)?;
        Ok(Self::new(Store::Dense { x, holes }))
    }

    /// Copies data, dense or sparse, of which the entries in a list of `(feature, sample)` are missing, whatever stands
    /// there. Zeros that sparse data do not hold are observed, unless they are in the list.
    ///
    /// # Errors
    /// If an entry of the list is outside of the data, or the data are not in memory.
    pub fn with_holes(x: &dyn DataMatrix<T>, list: &[(usize, usize)]) -> Result<Self> {
        let holes = Holes::of_list(x.shape(), list)?;
        if let Some(own) = x.incomplete().filter(|own| own.partial) {
            // What is missing already stays so.
            if !x.may_densify() {
                return Err(not_in_memory(x.shape()));
            }
            if let Store::Weighed { given, weights, .. } = &*own.read() {
                let mut weights = weights.clone();
                for place in list {
                    weights[*place] = T::ZERO;
                }
                return Ok(Self::new(weighed(given.clone(), weights)));
            }
            let mut dense = own.to_nan();
            for place in list {
                dense[*place] = T::from_f64(f64::NAN);
            }
            return Self::from_nan(dense);
        }
        if let Some(sparse) = x.sparse() {
            return Ok(Self::new(listed(&sparse.by_sample(), &holes)));
        }
        Ok(Self::new(Store::Dense { x: copy_of(x)?, holes }))
    }

    /// Copies data, dense or sparse, in which missing entries are NaN.
    ///
    /// # Errors
    /// If the data are not in memory.
    pub fn copied(x: &dyn DataMatrix<T>) -> Result<Self> {
        let Some(sparse) = x.sparse() else { return Self::from_nan(copy_of(x)?) };
        let sparse = sparse.by_sample();
        let missing = entries(&sparse).filter(|(_, _, v)| v.to_f64().is_nan());
        let list: Vec<_> = missing.map(|(i, j, _)| (i, j)).collect();
        Self::with_holes(&sparse, &list)
    }

    /// Takes over dense data whose entries have weights: the loss is `sum_ij w_ij (x_ij - (Z H)_ij)^2`, where weights are
    /// divided by the largest of them, because only their ratios decide what fits. An entry of weight 0, or NaN, is missing.
    /// If all others weigh the same, these are the data of [`from_nan`](Self::from_nan).
    ///
    /// ```
    /// use deepnmf::matrix::Incomplete;
    /// use deepnmf::{Factorization, Matrix, SemiNmf};
    /// let x = Matrix::from_fn(8, 20, |i, j| ((i + 2) * (j + 3) % 7) as f64);
    /// let weights = Matrix::from_fn(8, 20, |i, _| if i < 4 { 1.0 } else { 0.1 });
    /// let model = SemiNmf::new(3).fit(&Incomplete::weighted(x, &weights)?)?;
    /// assert_eq!(model.summary.missing, 0);
    /// # Ok::<(), deepnmf::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there is not one weight for each entry, one is negative or not finite, or all are 0.
    pub fn weighted(mut x: Matrix<T>, weights: &Matrix<f64>) -> Result<Self> {
        let largest = check_weights(&x, weights)?;
        let mut shares = weights.map(|w| w / largest).cast::<T>();
        let pairs = || x.as_slice().iter().zip(shares.as_slice());
        let partly = pairs().any(|(v, w)| *w > T::ZERO && *w < T::ONE && !v.to_f64().is_nan());
        if !partly {
            let missing = T::from_f64(f64::NAN);
            for (v, w) in x.as_mut_slice().iter_mut().zip(shares.as_slice()) {
                *v = if *w > T::ZERO { *v } else { missing };
            }
            return Self::from_nan(x);
        }
        for (v, w) in x.as_slice().iter().zip(shares.as_mut_slice()) {
            *w = if v.to_f64().is_nan() { T::ZERO } else { *w };
        }
        Ok(Self::new(weighed(x, shares)))
    }

    /// Copies sparse data whose zeros are missing: the entries that are held are the observed ones, explicit zeros
    /// among them.
    pub fn of_held(x: &Sparse<'_, T>) -> Self {
        let (x, (p, n)) = (x.by_sample().into_owned(), x.shape());
        if x.entries() == p * n {
            return Self::new(listed(&x, &Holes::none(n)));
        }
        let held = x.values().to_vec();
        let (phi, h) = (Matrix::zeros(p, 1), Matrix::zeros(1, n));
        Self::new(Store::Held(Rest { held, s: x, phi, h }))
    }

    fn new(mut store: Store<T>) -> Self {
        let (shape, missing) = (store.shape(), store.missing());
        let partial = store.is_incomplete();
        if partial {
            let means = Means::of(&store).means();
            fill_with(&mut store, &means);
        }
        let parts = Parts::whole(shape.1);
        let store = RwLock::new(store);
        Self { store, shape, parts, missing, partial, fits: false, exponent: 0 }
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

impl<T: Scalar> DataMatrix<T> for Filled<'_, T> {
    fn shape(&self) -> (usize, usize) {
        self.0.shape
    }

    fn parts(&self) -> Parts<'_> {
        self.0.parts
    }

    fn tr_mul(&self, z: &Matrix<T>, out: &mut Matrix<T>) -> Result<()> {
        self.0.tr_mul(z, out)
    }

    fn mul_tr(&self, h: &Matrix<T>, out: &mut Matrix<T>) -> Result<()> {
        self.0.mul_tr(h, out)
    }

    fn sparse(&self) -> Option<Sparse<'_, T>> {
        self.0.sparse()
    }

    fn entries_held(&self) -> Option<usize> {
        self.0.entries_held()
    }

    fn blocks(&self, visit: &mut Visit<'_, T>) -> Result<()> {
        self.0.blocks(visit)
    }

    fn sample_norms_sq(&self) -> Result<Vec<f64>> {
        self.0.sample_norms_sq()
    }

    fn may_densify(&self) -> bool {
        self.0.may_densify()
    }
}

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

/// Dense data with weights of at most 1; what stands where a weight is 0 does not count.
fn weighed<T: Scalar>(mut given: Matrix<T>, weights: Matrix<T>) -> Store<T> {
    for (v, w) in given.as_mut_slice().iter_mut().zip(weights.as_slice()) {
        *v = if *w > T::ZERO { *v } else { T::ZERO };
    }
    Store::Weighed { x: given.clone(), given, weights }
}

/// Refuses weights of entries that are none; returns the largest.
fn check_weights<T: Scalar>(x: &Matrix<T>, weights: &Matrix<f64>) -> Result<f64> {
    let (p, n) = x.shape();
    if weights.shape() != (p, n) {
        return Err(Error::Shape {
            what: "the weights of entries".into(),
            found: format!("{} features of {} samples", weights.rows(), weights.cols()),
            expected: format!("one for each of the {p} features of {n} samples"),
        });
    }
    if let Some(at) = weights.as_slice().iter().position(|w| !(*w >= 0.0 && w.is_finite())) {
        let (feature, sample) = (at % p + 1, at / p + 1);
        let name = format!("the weight of feature {feature} of sample {sample}");
        let accepted = "weights must be 0, for an entry that is missing, or above";
        return Err(Error::parameter(name, weights.as_slice()[at], accepted));
    }
    let largest = weights.as_slice().iter().fold(0.0, |most: f64, w| most.max(*w));
    if largest > 0.0 {
        return Ok(largest);
    }
    Err(Error::parameter("the largest weight of an entry", 0.0, "some entry must count"))
}

impl<T> Sample<T> {
    /// How much one of its entries counts.
    pub(crate) fn weight(&self, at: usize) -> f64 {
        self.weights.get(at).copied().unwrap_or(1.0)
    }
}

/// A dense copy of data in memory.
fn copy_of<T: Scalar>(x: &dyn DataMatrix<T>) -> Result<Matrix<T>> {
    if x.may_densify() && x.entries_held().is_none() {
        return x.own_dense();
    }
    Err(not_in_memory(x.shape()))
}

fn not_in_memory((p, n): (usize, usize)) -> Error {
    Error::Shape {
        what: "the data with missing entries".into(),
        found: format!("{p} x {n} numbers that are not in memory"),
        expected: "data in memory, where missing entries can be filled in,".into(),
    }
}

/// Sparse data that hold an entry at every hole, too.
fn listed<T: Scalar>(x: &Sparse<'_, T>, holes: &Holes) -> Store<T> {
    let (mut values, mut places, mut starts, mut at) = (vec![], vec![], vec![0u64], vec![]);
    for j in 0..x.shape().1 {
        let mut missing = holes.of(j).iter().map(|i| *i as usize).peekable();
        for (i, v) in x.sample(j) {
            while let Some(hole) = missing.next_if(|hole| *hole < i) {
                at.push(values.len());
                values.push(T::ZERO);
                places.push(hole as u64);
            }
            if missing.next_if_eq(&i).is_some() {
                at.push(values.len());
                values.push(T::ZERO);
            } else {
                values.push(v);
            }
            places.push(i as u64);
        }
        for hole in missing {
            at.push(values.len());
            values.push(T::ZERO);
            places.push(hole as u64);
        }
        starts.push(values.len() as u64);
    }
    let lists = (places.into(), starts.into());
    let x = Sparse::new(x.shape(), Stored::BySample, values, lists.0, lists.1)
        .unwrap_or_else(|error| unreachable!("places rise: {error}"));
    Store::Listed { x, at }
}

/// Sums and counts of the observed entries of each feature, by their weights, and which samples have any.
struct Means {
    sums: Vec<f64>,
    counts: Vec<f64>,
    first_empty: Option<usize>,
}

impl Means {
    fn of<T: Scalar>(store: &Store<T>) -> Self {
        let (p, n) = store.shape();
        // Zeros that sparse data do not hold are observed, if holes are listed.
        let zeros = matches!(store, Store::Listed { .. });
        let (mut sums, mut counts) = (vec![0.0; p], vec![if zeros { n as f64 } else { 0.0 }; p]);
        let mut of_samples = vec![if zeros { p } else { 0 }; n];
        store.observed(|i, j, v| {
            let weight = store.weight(i, j);
            sums[i] += weight * v.to_f64();
            if !zeros {
                counts[i] += weight;
                of_samples[j] += 1;
            }
            true
        });
        if zeros {
            store.for_each_hole(|i, j| {
                counts[i] -= 1.0;
                of_samples[j] -= 1;
            });
        }
        let first_empty = of_samples.iter().position(|count| *count == 0);
        Self { sums, counts, first_empty }
    }

    fn means(&self) -> Vec<f64> {
        let both = self.sums.iter().zip(&self.counts);
        both.map(|(sum, count)| if *count > 0.0 { sum / count } else { 0.0 }).collect()
    }

    /// *Together*: the means over all parts. Refuses a sample of which nothing is observed, and a feature if every one is
    /// needed.
    fn of_all_parts(mut self, parts: Parts<'_>, every_feature: bool) -> Result<Vec<f64>> {
        let mut first =
            [self.first_empty.map_or(f64::INFINITY, |j| (parts.range().start + j) as f64)];
        parts.min(&mut first)?;
        parts.sum(&mut self.sums)?;
        parts.sum(&mut self.counts)?;
        let nothing = |what: &'static str, number: usize| Error::NothingObserved { what, number };
        if first[0].is_finite() {
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // a place
            return Err(nothing("sample", first[0] as usize + 1));
        }
        let empty = self.counts.iter().position(|count| *count <= 0.0);
        if let Some(feature) = empty.filter(|_| every_feature) {
            return Err(nothing("feature", feature + 1));
        }
        Ok(self.means())
    }
}

/// Fills the missing entries of each feature with a number of its own.
fn fill_with<T: Scalar>(store: &mut Store<T>, means: &[f64]) {
    let n = store.shape().1;
    let phi = Matrix::from_fn(means.len(), 1, |i, _| T::from_f64(means[i]));
    let filled = store.fill(&phi, &Matrix::from_fn(1, n, |_, _| T::ONE));
    debug_assert!(filled.is_ok(), "data in memory can be filled");
}

impl<T: Scalar> DataMatrix<T> for Incomplete<'_, T> {
    fn shape(&self) -> (usize, usize) {
        self.shape
    }

    fn parts(&self) -> Parts<'_> {
        self.parts
    }

    fn tr_mul(&self, z: &Matrix<T>, out: &mut Matrix<T>) -> Result<()> {
        match &*self.read() {
            Store::Dense { x, .. } | Store::Weighed { x, .. } => x.tr_mul(z, out),
            Store::Listed { x, .. } => x.tr_mul(z, out),
            Store::Held(rest) => {
                rest.s.tr_mul(z, out)?;
                rest.add_tr_mul(z, out);
                Ok(())
            }
        }
    }

    fn mul_tr(&self, h: &Matrix<T>, out: &mut Matrix<T>) -> Result<()> {
        match &*self.read() {
            Store::Dense { x, .. } | Store::Weighed { x, .. } => x.mul_tr(h, out)?,
            Store::Listed { x, .. } => x.mul_tr(h, out)?,
            Store::Held(rest) => {
                rest.s.mul_tr(h, out)?;
                rest.add_mul_tr(h, out);
            }
        }
        self.parts.sum_matrix(out)
    }

    fn wide_tr_mul(&self, z: &Matrix<f64>, out: &mut Matrix<f64>) -> Result<()> {
        match &*self.read() {
            Store::Dense { x, .. } | Store::Weighed { x, .. } => x.wide_tr_mul(z, out),
            Store::Listed { x, .. } => x.wide_tr_mul(z, out),
            Store::Held(rest) => {
                rest.s.wide_tr_mul(z, out)?;
                rest.add_tr_mul(z, out);
                Ok(())
            }
        }
    }

    fn wide_mul_tr(&self, h: &Matrix<f64>, out: &mut Matrix<f64>) -> Result<()> {
        match &*self.read() {
            Store::Dense { x, .. } | Store::Weighed { x, .. } => x.wide_mul_tr(h, out)?,
            Store::Listed { x, .. } => x.wide_mul_tr(h, out)?,
            Store::Held(rest) => {
                rest.s.wide_mul_tr(h, out)?;
                rest.add_mul_tr(h, out);
            }
        }
        self.parts.sum_matrix(out)
    }

    fn gram_of_features(&self) -> Result<Matrix<f64>> {
        let mut gram = match &*self.read() {
            Store::Dense { .. } | Store::Weighed { .. } => return gram_of_blocks(self),
            Store::Listed { x, .. } => x.gram_of_rows(),
            Store::Held(rest) => rest.gram_of_features()?,
        };
        self.parts.sum(gram.as_mut_slice())?;
        Ok(gram)
    }

    /// A copy: what is filled in changes.
    fn sparse(&self) -> Option<Sparse<'_, T>> {
        match &*self.read() {
            Store::Listed { x, .. } => Some(x.clone()),
            _ => None,
        }
    }

    fn entries_held(&self) -> Option<usize> {
        match &*self.read() {
            Store::Dense { .. } | Store::Weighed { .. } => None,
            Store::Listed { x, .. } => Some(x.entries()),
            Store::Held(rest) => Some(rest.held.len()),
        }
    }

    fn blocks(&self, visit: &mut Visit<'_, T>) -> Result<()> {
        match &*self.read() {
            Store::Dense { x, .. } | Store::Weighed { x, .. } => x.blocks(visit),
            Store::Listed { x, .. } => x.blocks(visit),
            Store::Held(rest) => {
                let n = self.shape.1;
                for start in (0..n).step_by(BLOCK_COLUMNS) {
                    let block = rest.block(start, BLOCK_COLUMNS.min(n - start));
                    if visit(start, block.view()) == ControlFlow::Break(()) {
                        break;
                    }
                }
                Ok(())
            }
        }
    }

    fn norm_sq(&self) -> Result<f64> {
        let own = match (&*self.read(), self.missing) {
            // Complete data have the bits they always had.
            (Store::Dense { x, .. }, 0) => DataMatrix::norm_sq(x)?,
            (store, _) => store.norm_sq(),
        };
        self.parts.sum_of(own)
    }

    fn sample_norms_sq(&self) -> Result<Vec<f64>> {
        match &*self.read() {
            Store::Held(rest) => Ok(rest.sample_norms_sq()),
            Store::Listed { x, .. } => x.sample_norms_sq(),
            Store::Dense { x, .. } | Store::Weighed { x, .. } => sample_norms_sq_of_blocks(x),
        }
    }

    fn entry_sum(&self) -> Result<f64> {
        let own = match &*self.read() {
            Store::Held(rest) => rest.entry_sum(),
            Store::Listed { x, .. } => x.entry_sum()?,
            Store::Dense { x, .. } | Store::Weighed { x, .. } => x.entry_sum()?,
        };
        self.parts.sum_of(own)
    }

    fn find_entry(&self, wanted: &dyn Fn(T) -> bool) -> Result<Option<Entry>> {
        // The value is told in the unit of the caller.
        let unit = power_of_two(-self.exponent);
        let found = self.read().find(wanted).map(|e| Entry { value: e.value * unit, ..e });
        first_of_all_parts(found, self.parts)
    }

    fn residual_norm_sq(&self, phi: &Matrix<T>, h: &Matrix<T>) -> Result<f64> {
        let own = self.read().residual_norm_sq(phi, h)?;
        self.parts.sum_of(own)
    }

    fn fingerprint(&self) -> Result<Fingerprint> {
        fingerprint::of_all_parts(self.own_fingerprint(self.parts.range().start), self.parts)
    }

    fn may_densify(&self) -> bool {
        let all = self.shape.0.saturating_mul(self.parts.total());
        let held = self.entries_held().unwrap_or(usize::MAX);
        all <= super::data::COPIED.max(if self.parts.is_whole() { held } else { 0 })
    }

    fn missing(&self) -> usize {
        self.missing
    }

    fn is_incomplete(&self) -> bool {
        self.partial
    }

    fn incomplete(&self) -> Option<&Incomplete<'_, T>> {
        Some(self)
    }

    fn fill_in(&self, phi: &Matrix<T>, h: &Matrix<T>) -> Result<Option<f64>> {
        if !self.partial {
            return Ok(None);
        }
        if !self.fits {
            return Err(Self::no_fit());
        }
        let own = {
            let mut store = self.store.write().unwrap_or_else(PoisonError::into_inner);
            store.fill(phi, h)?
        };
        self.parts.sum_of(own).map(Some)
    }

    fn own_dense(&self) -> Result<Matrix<T>> {
        match &*self.read() {
            Store::Dense { x, .. } | Store::Weighed { x, .. } => Ok(x.clone()),
            Store::Listed { x, .. } => x.own_dense(),
            Store::Held(rest) => Ok(rest.block(0, self.shape.1)),
        }
    }
}
