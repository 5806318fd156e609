//! What the Kullback-Leibler divergence sees of the data: their entries by sample and by feature, and which zeros count.
//!
//! A reconstruction counts wherever the data are observed, also where they are zero. So a column needs the sum of the other
//! factor over the places that its sample (or feature) has: the same for all if nothing is missing, else
//!
//! ```text
//! a_j = sum of all columns, less those at the missing places       or, if only held entries are observed, the sum at those
//! ```

use super::{KlProblem, SampleFactors, sums_of_rows};
use crate::error::Result;
use crate::matrix::{DataMatrix, Incomplete, Matrix, Parts, Scalar, Sparse};

/// The entries of data twice, and which places of them are missing.
pub(crate) struct KlEntries<'a, T: Scalar> {
    pub(crate) by_sample: Sparse<'a, T>,
    pub(crate) by_feature: Sparse<'static, T>,
    pub(crate) parts: Parts<'a>,
    seen: Option<Seen<T>>,
    /// What samples were multiplied by for their weights.
    factors: Option<Vec<f64>>,
}

/// Which places of incomplete data are observed: a matrix of ones.
pub(crate) enum Seen<T: Scalar> {
    /// All but these.
    AllBut(Sparse<'static, T>),
    /// These alone.
    Only(Sparse<'static, T>),
}

/// The sums of the rows of a factor over the places that a list sees.
pub(crate) enum Sums {
    /// Every list sees all of them.
    Same(Vec<f64>),
    /// A column for each list.
    OfLists(Matrix<f64>),
}

impl Sums {
    /// Those of a list.
    #[inline(always)]
    pub(crate) fn of(&self, list: usize) -> &[f64] {
        match self {
            Self::Same(sums) => sums,
            Self::OfLists(sums) => sums.col(list),
        }
    }
}

impl<'a, T: Scalar> KlEntries<'a, T> {
    pub(crate) fn of(x: &'a dyn DataMatrix<T>) -> Result<Self> {
        let (by_sample, seen) = match x.incomplete().filter(|_| x.is_incomplete()) {
            Some(own) => {
                let (entries, seen) = own.entries_and_seen()?;
                (entries, Some(seen))
            }
            None if x.is_incomplete() => return Err(Incomplete::<T>::no_fit()),
            None => (Sparse::of(x)?, None),
        };
        let by_feature = by_sample.turned_around();
        let factors = x.weights().map(|weights| weights.factors().to_vec());
        Ok(Self { by_sample, by_feature, parts: x.parts(), seen, factors })
    }

    /// The problem of the samples, given the sums of [`sums_for_samples`](Self::sums_for_samples).
    pub(crate) fn of_samples<'b>(&'b self, zt: &'b Matrix<T>, sums: &'b Sums) -> KlProblem<'b, T> {
        let factors = self.factors.as_deref().map_or(SampleFactors::One, SampleFactors::OfLists);
        KlProblem { factors, ..KlProblem::new(&self.by_sample, zt, sums) }
    }

    /// The problem of the features, given the sums of [`sums_for_features`](Self::sums_for_features).
    pub(crate) fn of_features<'b>(&'b self, h: &'b Matrix<T>, sums: &'b Sums) -> KlProblem<'b, T> {
        let factors = self.factors.as_deref().map_or(SampleFactors::One, SampleFactors::OfPlaces);
        KlProblem { factors, ..KlProblem::new(&self.by_feature, h, sums) }
    }

    /// What a sample was multiplied by.
    pub(crate) fn factor(&self, sample: usize) -> f64 {
        self.factors.as_ref().map_or(1.0, |factors| factors[sample])
    }

    /// Whether nothing is missing.
    pub(crate) fn are_complete(&self) -> bool {
        self.seen.is_none()
    }

    /// For each sample of this part: the sums over the features that it has, of a factor with a column for each feature.
    pub(crate) fn sums_for_samples(&self, zt: &Matrix<T>) -> Result<Sums> {
        let all = sums_of_rows(zt, Parts::whole(zt.cols()))?;
        let Some(seen) = &self.seen else { return Ok(Sums::Same(all)) };
        let (k, n) = (zt.rows(), self.by_sample.shape().1);
        let mut sums = Matrix::zeros(k, n);
        seen.places().wide_tr_mul(&zt.t().to_matrix().cast(), &mut sums)?;
        Ok(seen.counted(&all, sums))
    }

    /// *Together*: for each feature, the sums over the samples that have it, of a factor with a column for each sample.
    pub(crate) fn sums_for_features(&self, h: &Matrix<T>) -> Result<Sums> {
        let all = sums_of_rows(h, self.parts)?;
        let Some(seen) = &self.seen else { return Ok(Sums::Same(all)) };
        let mut sums = Matrix::zeros(self.by_sample.shape().0, h.rows());
        seen.places().wide_mul_tr(&h.cast(), &mut sums)?;
        self.parts.sum(sums.as_mut_slice())?;
        Ok(seen.counted(&all, sums.t().to_matrix()))
    }

    /// The sum of the observed entries of each sample of this part.
    pub(crate) fn sums_of_samples(&self) -> Vec<f64> {
        let mut sums = vec![0.0; self.by_sample.shape().1];
        self.by_sample.for_each(|_, sample, v| sums[sample] += v.to_f64());
        sums
    }
}

impl<T: Scalar> Seen<T> {
    fn places(&self) -> &Sparse<'static, T> {
        match self {
            Self::AllBut(places) | Self::Only(places) => places,
        }
    }

    /// From the sums over the listed places.
    fn counted(&self, all: &[f64], mut sums: Matrix<f64>) -> Sums {
        if matches!(self, Self::AllBut(_)) {
            for column in sums.as_mut_slice().chunks_exact_mut(all.len().max(1)) {
                for (sum, all) in column.iter_mut().zip(all) {
                    // What rounding leaves below zero is nothing.
                    *sum = (all - *sum).max(0.0);
                }
            }
        }
        Sums::OfLists(sums)
    }
}
