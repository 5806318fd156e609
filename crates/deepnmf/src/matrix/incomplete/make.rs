//! How incomplete data are made: from NaN, holes, held entries or weights.

use std::sync::RwLock;

use super::Incomplete;
use super::holes::Holes;
use super::means::{Means, fill_with};
use super::store::{Rest, Store, entries};
use crate::error::{Error, Result};
use crate::matrix::{DataMatrix, Matrix, Parts, Scalar, Sparse, Stored};

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
