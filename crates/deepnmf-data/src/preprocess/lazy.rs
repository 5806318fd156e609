//! Preprocessing of data that are not to be changed or copied.
//!
//! Steps that scale features or samples pass through the products of the data as they are: with
//! `y_ij = (x_ij - o_i) / w_i / s_j`,
//!
//! ```text
//! Z^T Y = (V^T X - (V^T o) 1^T) S^-1        v_i = z_i / w_i
//! Y H^T = W^-1 (X G^T - o (G 1)^T)          g_j = h_j / s_j
//! ```
//!
//! so sparse data stay sparse and mapped data stay where they are. `log1p` has no such form: its products
//! are formed from one block of samples at a time.

use std::ops::ControlFlow;

use deepnmf::matrix::{Parts, Visit, product};
use deepnmf::{DataMatrix, Matrix, Scalar};

use super::scale::{Moments, Range};
use super::step::{check_features, fitted, refuse};
use super::tfidf::Idf;
use super::{Norm, Pipeline, Step, check_log1p, counts, norm};
use crate::DataError;

/// Data after some steps, which nobody has carried out.
///
/// ```
/// use deepnmf::{DataMatrix, Matrix};
/// use deepnmf_data::preprocess::Pipeline;
///
/// let x = Matrix::from_vec(2, 2, vec![0.0, 8.0, 4.0, 6.0])?;
/// let mut pipeline: Pipeline = "min-max,unit".parse()?;
/// let lazy = pipeline.fit_lazily(&x)?;
/// assert_eq!(lazy.to_dense()?.col(1), &[1.0, 0.0]);
/// assert_eq!(x.col(1), &[4.0, 6.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Lazy<'a, T> {
    x: &'a dyn DataMatrix<T>,
    maps: Vec<Map>,
}

/// What one step does to a number.
enum Map {
    /// `(v - origin) / width`, by feature.
    Features { origin: Vec<f64>, width: Vec<f64> },
    /// `v / norm`, by sample of this part.
    Samples(Vec<Norm>),
    /// `ln(1 + v)`.
    Log1p,
}

impl Pipeline {
    /// Fits every step to what those before it make of the data, without changing them; all parts of the
    /// data call it together.
    ///
    /// # Errors
    /// If a step cannot be taken with these data, or only in place (`igo` and `resize`).
    pub fn fit_lazily<'a, T: Scalar>(
        &mut self,
        x: &'a dyn DataMatrix<T>,
    ) -> Result<Lazy<'a, T>, DataError> {
        let mut lazy = Lazy { x, maps: vec![] };
        for step in &mut self.steps {
            match step {
                Step::Standardize(moments) => *moments = Some(Moments::of(&lazy)?),
                Step::MinMax(range) => *range = Some(Range::of(&lazy)?),
                Step::TfIdf(idf) => *idf = Some(Idf::of(&lazy)?),
                Step::Unit
                | Step::Log1p
                | Step::CountsPer { .. }
                | Step::Igo(_)
                | Step::Resize { .. } => {}
            }
            lazy.take(step)?;
        }
        Ok(lazy)
    }

    /// The data after the steps as they were fitted before, without changing them.
    ///
    /// # Errors
    /// If a step has not been fitted, does not fit the data, or can only be taken in place.
    pub fn lazily<'a, T: Scalar>(
        &self,
        x: &'a dyn DataMatrix<T>,
    ) -> Result<Lazy<'a, T>, DataError> {
        let mut lazy = Lazy { x, maps: vec![] };
        self.steps.iter().try_for_each(|step| lazy.take(step))?;
        Ok(lazy)
    }
}

impl<T: Scalar> Lazy<'_, T> {
    fn take(&mut self, step: &Step) -> Result<(), DataError> {
        let name = step.name();
        let map = match step {
            Step::Unit => Map::Samples(self.norms()?),
            Step::Log1p => {
                check_log1p(self)?;
                Map::Log1p
            }
            Step::Standardize(moments) => {
                let Moments { mean, deviation } = fitted(name, moments.as_ref())?;
                Map::Features { origin: mean.clone(), width: deviation.clone() }
            }
            Step::MinMax(range) => {
                let range = fitted(name, range.as_ref())?;
                Map::Features { origin: range.low.clone(), width: range.widths() }
            }
            Step::TfIdf(idf) => {
                let weights = &fitted(name, idf.as_ref())?.weights;
                let width = weights.iter().map(|weight| 1.0 / weight).collect();
                Map::Features { origin: vec![0.0; weights.len()], width }
            }
            Step::CountsPer { total } => {
                let factors = counts::factors(self, *total)?;
                let norm = |factor: f64| Norm { largest: 1.0 / factor, rest: 1.0 };
                Map::Samples(factors.into_iter().map(norm).collect())
            }
            Step::Igo(_) | Step::Resize { .. } => {
                let why =
                    "changes the number of features and cannot be taken lazily: load the data";
                return Err(refuse(name, why));
            }
        };
        if let Map::Features { origin, width } = &map {
            check_features(name, origin.len(), width.len())?;
            check_features(name, origin.len(), self.shape().0)?;
        }
        self.maps.push(map);
        Ok(())
    }

    /// The norm of each sample of this part; all parts refuse one that has none.
    fn norms(&self) -> Result<Vec<Norm>, DataError> {
        let mut norms = Vec::with_capacity(self.shape().1);
        let mut refused = None;
        self.blocks(&mut |start, block| {
            for j in 0..block.cols() {
                match norm(&block.col(j).collect::<Vec<_>>()) {
                    Ok(norm) => norms.push(norm),
                    Err(what) => {
                        refused = Some((start + j, what));
                        return ControlFlow::Break(());
                    }
                }
            }
            ControlFlow::Continue(())
        })?;
        let parts = self.parts();
        let first = refused.map_or(f64::INFINITY, |(j, _)| (parts.range().start + j) as f64);
        let mut first_of_all = [first];
        parts.min(&mut first_of_all)?;
        if first_of_all[0].is_infinite() {
            return Ok(norms);
        }
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // a sample's number
        let sample = first_of_all[0] as usize + 1;
        let what =
            refused.filter(|_| first <= first_of_all[0]).map_or("all zero", |(_, what)| what);
        Err(DataError::NoUnitNorm { sample, what })
    }

    fn through(&self) -> Through<'_, T> {
        Through { x: self.x, maps: &self.maps }
    }
}

impl Map {
    /// The step taken with one block of samples, of which the first has this number on this part.
    fn apply<T: Scalar>(&self, start: usize, block: &mut Matrix<T>) {
        for j in 0..block.cols() {
            let column = block.col_mut(j).iter_mut();
            match self {
                Self::Features { origin, width } => {
                    for ((v, origin), width) in column.zip(origin).zip(width) {
                        *v = T::from_f64((v.to_f64() - origin) / width);
                    }
                }
                Self::Samples(norms) => {
                    let norm = norms[start + j];
                    column.for_each(|v| *v = T::from_f64(norm.divide(v.to_f64())));
                }
                Self::Log1p => column.for_each(|v| *v = T::from_f64(v.to_f64().ln_1p())),
            }
        }
    }
}

/// Data after the first of some steps.
struct Through<'a, T> {
    x: &'a dyn DataMatrix<T>,
    maps: &'a [Map],
}

impl<T: Scalar> Through<'_, T> {
    fn tr_mul(&self, z: &Matrix<T>, out: &mut Matrix<T>) -> deepnmf::Result<()> {
        let Some((last, before)) = self.maps.split_last() else { return self.x.tr_mul(z, out) };
        let below = Through { x: self.x, maps: before };
        let k = z.cols();
        match last {
            Map::Features { origin, width } => {
                let v = divided_rows(z, width);
                below.tr_mul(&v, out)?;
                let shift: Vec<T> = v.columns().map(|v| along(v, origin)).collect();
                for column in out.as_mut_slice().chunks_exact_mut(k.max(1)) {
                    column.iter_mut().zip(&shift).for_each(|(o, s)| *o -= *s);
                }
            }
            Map::Samples(norms) => {
                below.tr_mul(z, out)?;
                divide_columns(out, norms);
            }
            Map::Log1p => self.blocks(&mut |start, block| {
                let products = product(z.t(), block);
                let place = start * k..(start + block.cols()) * k;
                out.as_mut_slice()[place].copy_from_slice(products.as_slice());
                ControlFlow::Continue(())
            })?,
        }
        Ok(())
    }

    fn mul_tr(&self, h: &Matrix<T>, out: &mut Matrix<T>) -> deepnmf::Result<()> {
        let Some((last, before)) = self.maps.split_last() else { return self.x.mul_tr(h, out) };
        let below = Through { x: self.x, maps: before };
        match last {
            Map::Features { origin, width } => {
                below.mul_tr(h, out)?;
                let mut sums = vec![0.0; h.rows()];
                for column in h.columns() {
                    sums.iter_mut().zip(column).for_each(|(sum, h)| *sum += h.to_f64());
                }
                self.x.parts().sum(&mut sums)?;
                for (k, sum) in sums.into_iter().enumerate() {
                    for ((v, origin), width) in out.col_mut(k).iter_mut().zip(origin).zip(width) {
                        *v = T::from_f64((v.to_f64() - sum * origin) / width);
                    }
                }
                Ok(())
            }
            Map::Samples(norms) => {
                let mut g = h.clone();
                divide_columns(&mut g, norms);
                below.mul_tr(&g, out)
            }
            Map::Log1p => {
                out.as_mut_slice().fill(T::ZERO);
                self.blocks(&mut |start, block| {
                    let columns = h.view_columns(start..start + block.cols());
                    let products = product(block, columns.t());
                    let pairs = out.as_mut_slice().iter_mut().zip(products.as_slice());
                    pairs.for_each(|(o, v)| *o += *v);
                    ControlFlow::Continue(())
                })?;
                self.x.parts().sum_matrix(out)
            }
        }
    }

    fn blocks(&self, visit: &mut Visit<'_, T>) -> deepnmf::Result<()> {
        self.x.blocks(&mut |start, block| {
            let mut copy = block.to_matrix();
            self.maps.iter().for_each(|map| map.apply(start, &mut copy));
            visit(start, copy.view())
        })
    }
}

fn divided_rows<T: Scalar>(z: &Matrix<T>, width: &[f64]) -> Matrix<T> {
    Matrix::from_fn(z.rows(), z.cols(), |i, k| T::from_f64(z[(i, k)].to_f64() / width[i]))
}

fn divide_columns<T: Scalar>(h: &mut Matrix<T>, norms: &[Norm]) {
    for (j, norm) in norms.iter().enumerate() {
        h.col_mut(j).iter_mut().for_each(|v| *v = T::from_f64(norm.divide(v.to_f64())));
    }
}

fn along<T: Scalar>(v: &[T], origin: &[f64]) -> T {
    T::from_f64(v.iter().zip(origin).map(|(v, o)| v.to_f64() * o).sum())
}

impl<T: Scalar> DataMatrix<T> for Lazy<'_, T> {
    fn shape(&self) -> (usize, usize) {
        self.x.shape()
    }

    fn parts(&self) -> Parts<'_> {
        self.x.parts()
    }

    fn tr_mul(&self, z: &Matrix<T>, out: &mut Matrix<T>) -> deepnmf::Result<()> {
        self.through().tr_mul(z, out)
    }

    fn mul_tr(&self, h: &Matrix<T>, out: &mut Matrix<T>) -> deepnmf::Result<()> {
        self.through().mul_tr(h, out)
    }

    fn blocks(&self, visit: &mut Visit<'_, T>) -> deepnmf::Result<()> {
        self.through().blocks(visit)
    }

    fn may_densify(&self) -> bool {
        self.x.may_densify()
    }
}

#[cfg(test)]
#[path = "lazy_tests.rs"]
mod tests;
