//! Steps on data as they are held.
//!
//! Sparse data stay sparse: steps that leave zeros as they are change the values alone. `standardize`, and `min-max` of
//! features whose smallest value is not 0, move zeros too: they scale the features, and what they take off is
//! remembered ([`Values::Centred`]). Steps with samples in a file are taken with each block when it is read.

use std::ops::ControlFlow;

use deepnmf::{DataMatrix, Matrix, Scalar, Sparse};

use super::counts;
use super::step::{check_features, fitted, refuse};
use super::{Norm, Step, check_log1p};
use crate::{Columns, DataError, Dataset, DatasetOf, InFile, Values};

/// Samples that steps can be taken with.
pub trait Prepare: Columns {
    /// What they are made of.
    type Number: Scalar;

    /// The samples.
    fn data(&self) -> &dyn DataMatrix<Self::Number>;

    /// Takes a step that has been fitted.
    ///
    /// # Errors
    /// If it does not fit the data, which are then as they were.
    fn take(data: &mut DatasetOf<Self>, step: &Step) -> Result<(), DataError>;

    /// Scales all samples to norm 1 but those of these numbers, which are zero and stay so.
    ///
    /// # Errors
    /// If another one has no norm.
    fn scale_others(data: &mut DatasetOf<Self>, zeros: &[usize]) -> Result<(), DataError>;

    /// The samples that are zero in every feature.
    ///
    /// # Errors
    /// If the data cannot be read.
    fn zeros(&self) -> Result<Vec<usize>, DataError>;

    /// Whether entries are missing, which are NaN then.
    fn has_nan(&self) -> bool {
        false
    }
}

impl<T: Scalar> Prepare for Matrix<T> {
    type Number = T;

    fn data(&self) -> &dyn DataMatrix<T> {
        self
    }

    fn take(data: &mut Dataset<T>, step: &Step) -> Result<(), DataError> {
        step.apply_dense(data)
    }

    fn scale_others(data: &mut Dataset<T>, zeros: &[usize]) -> Result<(), DataError> {
        // A sample of norm 1 for the time being: it is one step for all samples or for none.
        for &sample in zeros {
            data.x.col_mut(sample).fill(T::ONE);
        }
        let done = Step::Unit.apply_dense(data);
        for &sample in zeros {
            data.x.col_mut(sample).fill(T::ZERO);
        }
        done
    }

    fn zeros(&self) -> Result<Vec<usize>, DataError> {
        let columns = self.columns().enumerate();
        let zeros = columns.filter(|(_, column)| column.iter().all(|v| *v == T::ZERO));
        Ok(zeros.map(|(sample, _)| sample).collect())
    }

    fn has_nan(&self) -> bool {
        self.as_slice().iter().any(|v| v.to_f64().is_nan())
    }
}

impl<T: Scalar> Prepare for Values<T> {
    type Number = T;

    fn data(&self) -> &dyn DataMatrix<T> {
        self
    }

    fn take(data: &mut DatasetOf<Self>, step: &Step) -> Result<(), DataError> {
        if let Values::Dense(_) = data.x {
            return in_dense(data, |data| step.apply_dense(data));
        }
        let taken = match &data.x {
            Values::Dense(_) => return Ok(()),
            Values::Sparse(x) => take_sparse(x, step)?.map(Values::Sparse),
            Values::InFile(x) => take_in_file(x, step)?.map(Values::InFile),
            Values::Centred { x, offset } => Some(take_centred(x, offset, step)?),
            Values::Incomplete(_) => return Err(declared(step.name())),
        };
        data.x = match taken {
            Some(taken) => taken,
            None => take_centred(&data.x, &vec![T::ZERO; data.x.features()], step)?,
        };
        Ok(())
    }

    fn scale_others(data: &mut DatasetOf<Self>, zeros: &[usize]) -> Result<(), DataError> {
        match &data.x {
            Values::Dense(_) => in_dense(data, |data| Matrix::scale_others(data, zeros)),
            Values::Sparse(x) => {
                data.x = Values::Sparse(unit(x, zeros)?);
                Ok(())
            }
            Values::Centred { .. } | Values::Incomplete(_) => Self::take(data, &Step::Unit),
            Values::InFile(x) => {
                data.x = Values::InFile(x.take(&Step::Unit, zeros)?);
                Ok(())
            }
        }
    }

    fn zeros(&self) -> Result<Vec<usize>, DataError> {
        match self {
            Values::Dense(x) => x.zeros(),
            Values::Sparse(x) => {
                let mut zero = vec![true; x.shape().1];
                x.for_each(|_, sample, v| zero[sample] &= v == T::ZERO);
                Ok((0..zero.len()).filter(|sample| zero[*sample]).collect())
            }
            Values::InFile(x) => zeros_in_file(x),
            Values::Incomplete(x) => x.to_nan().zeros(),
            // What is left of a sample that equals the offset.
            centred @ Values::Centred { .. } => {
                let lengths = centred.sample_norms_sq()?.into_iter().enumerate();
                Ok(lengths.filter(|(_, length)| *length == 0.0).map(|(sample, _)| sample).collect())
            }
        }
    }

    fn has_nan(&self) -> bool {
        if let Values::Dense(x) = self { x.has_nan() } else { false }
    }
}

/// Steps come before missing entries are declared.
fn declared(step: &'static str) -> DataError {
    refuse(
        step,
        "comes before missing entries are declared: take it with the data as they were read",
    )
}

/// Lets `change` change the numbers of dense data.
fn in_dense<T: Scalar>(
    data: &mut DatasetOf<Values<T>>,
    change: impl FnOnce(&mut Dataset<T>) -> Result<(), DataError>,
) -> Result<(), DataError> {
    let taken = std::mem::replace(data, DatasetOf::new(Values::Dense(Matrix::zeros(0, 0))));
    let mut dense = taken.into_dense()?;
    let done = change(&mut dense);
    *data = dense.holding(Values::Dense);
    done
}

/// A step taken with samples of which these are zero and stay so where others are scaled to norm 1.
pub(crate) fn take_keeping_zeros<T: Scalar>(
    data: &mut DatasetOf<Values<T>>,
    step: &Step,
    zeros: &[usize],
) -> Result<(), DataError> {
    if *step == Step::Unit && !zeros.is_empty() {
        return Values::scale_others(data, zeros);
    }
    Values::take(data, step)
}

/// Blocks that are read later know neither which samples they are nor who asked for the step, so all samples are looked
/// at now, and errors are those of data in memory. None where the step moves zeros of sparse data.
fn take_in_file<T: Scalar>(x: &InFile<T>, step: &Step) -> Result<Option<InFile<T>>, DataError> {
    match step {
        Step::Standardize(_) | Step::MinMax(_) if x.is_sparse() => return Ok(None),
        Step::Unit => {
            if let Some(zero) = zeros_in_file(x)?.first() {
                return Err(DataError::NoUnitNorm { sample: zero + 1, what: DataError::ALL_ZERO });
            }
        }
        Step::Log1p => check_log1p(x)?,
        Step::CountsPer { .. } => counts::check(x)?,
        _ => {}
    }
    x.take(step, &[]).map(Some)
}

fn zeros_in_file<T: Scalar>(x: &InFile<T>) -> Result<Vec<usize>, DataError> {
    let mut zeros = vec![];
    if x.is_sparse() {
        let lengths = x.sample_norms_sq()?.into_iter().enumerate();
        zeros.extend(lengths.filter(|(_, length)| *length == 0.0).map(|(sample, _)| sample));
        return Ok(zeros);
    }
    x.blocks(&mut |start, block| {
        let is_zero = |sample: &usize| block.col(*sample).all(|v| v == T::ZERO);
        zeros.extend((0..block.cols()).filter(is_zero).map(|sample| start + sample));
        ControlFlow::Continue(())
    })?;
    Ok(zeros)
}

/// None where the step moves zeros.
fn take_sparse<T: Scalar>(
    x: &Sparse<'static, T>,
    step: &Step,
) -> Result<Option<Sparse<'static, T>>, DataError> {
    let (name, p) = (step.name(), x.shape().0);
    Ok(Some(match step {
        Step::Unit => unit(x, &[])?,
        Step::Log1p => {
            check_log1p(x)?;
            changed(x, |_, _, v| v.ln_1p())
        }
        Step::TfIdf(idf) => {
            let weights = &fitted(name, idf.as_ref())?.weights;
            check_features(name, weights.len(), p)?;
            changed(x, |feature, _, v| v * weights[feature])
        }
        Step::CountsPer { total } => {
            let factors = counts::factors(x, *total)?;
            changed(x, |_, sample, v| v * factors[sample])
        }
        Step::Standardize(_) | Step::MinMax(_) => return Ok(None),
        Step::Igo(_) | Step::Resize { .. } => {
            return Err(refuse(
                name,
                "needs pictures, which sparse data are not: load them as .npy",
            ));
        }
    }))
}

/// Of data about an offset only the features can be scaled and moved: anything else would fill in their zeros.
fn take_centred<T: Scalar>(
    x: &Values<T>,
    offset: &[T],
    step: &Step,
) -> Result<Values<T>, DataError> {
    let (name, offset): (_, Vec<f64>) = (step.name(), offset.iter().map(|o| o.to_f64()).collect());
    match step {
        Step::Standardize(moments) => {
            let moments = fitted(name, moments.as_ref())?;
            rescaled(name, x, &offset, &moments.mean, &moments.deviation)
        }
        Step::MinMax(range) => {
            let range = fitted(name, range.as_ref())?;
            rescaled(name, x, &offset, &range.low, &range.widths())
        }
        _ => {
            let why = "would fill in the zeros of sparse data after a step that moves them: put it in front \
                       of standardize and min-max, or load the data as .npy";
            Err(refuse(name, why))
        }
    }
}

/// `(x - offset - origin) / width`, feature by feature.
fn rescaled<T: Scalar>(
    step: &'static str,
    x: &Values<T>,
    offset: &[f64],
    origin: &[f64],
    width: &[f64],
) -> Result<Values<T>, DataError> {
    // Two lists from a model file may differ in length.
    check_features(step, origin.len(), width.len())?;
    check_features(step, origin.len(), x.shape().0)?;
    let scaled = divided(x, width);
    let moved =
        offset.iter().zip(origin).zip(width).map(|((offset, origin), w)| (offset + origin) / w);
    let offset: Vec<T> = moved.map(T::from_f64).collect();
    if offset.iter().all(|o| *o == T::ZERO) {
        return Ok(scaled);
    }
    Ok(Values::Centred { x: Box::new(scaled), offset })
}

/// Every feature divided by a number of its own.
pub(crate) fn divided<T: Scalar>(x: &Values<T>, by: &[f64]) -> Values<T> {
    match x {
        Values::Dense(x) => Values::Dense(Matrix::from_fn(x.rows(), x.cols(), |i, j| {
            T::from_f64(x[(i, j)].to_f64() / by[i])
        })),
        Values::Sparse(x) => Values::Sparse(changed(x, |feature, _, v| v / by[feature])),
        Values::Centred { x, offset } => {
            let offset = offset.iter().zip(by).map(|(o, by)| T::from_f64(o.to_f64() / by));
            Values::Centred { x: Box::new(divided(x, by)), offset: offset.collect() }
        }
        Values::InFile(x) => Values::InFile(x.divided(by)),
        Values::Incomplete(x) => divided(&Values::Dense(x.to_nan()), by),
    }
}

/// Every sample to norm 1 but those of these numbers.
fn unit<T: Scalar>(
    x: &Sparse<'static, T>,
    zeros: &[usize],
) -> Result<Sparse<'static, T>, DataError> {
    let n = x.shape().1;
    let (mut largest, mut squares) = (vec![0.0f64; n], vec![0.0f64; n]);
    let mut finite = vec![true; n];
    x.for_each(|_, sample, v| {
        largest[sample] = largest[sample].max(v.to_f64().abs());
        finite[sample] &= v.finite();
    });
    // Relative to the largest entry no square overflows, and those that vanish do not count.
    x.for_each(|_, sample, v| squares[sample] += (v.to_f64() / largest[sample]).powi(2));
    let mut norms = Vec::with_capacity(n);
    for sample in 0..n {
        let what = match (finite[sample], largest[sample] > 0.0) {
            (false, _) => "not finite",
            (true, false) if zeros.binary_search(&sample).is_err() => DataError::ALL_ZERO,
            _ => {
                let zero = largest[sample] == 0.0;
                let rest = if zero { 1.0 } else { squares[sample].sqrt() };
                norms.push(Norm { largest: if zero { 1.0 } else { largest[sample] }, rest });
                continue;
            }
        };
        return Err(DataError::NoUnitNorm { sample: sample + 1, what });
    }
    Ok(changed(x, |_, sample, v| norms[sample].divide(v)))
}

/// The same places with other values, computed in `f64`.
fn changed<T: Scalar>(
    x: &Sparse<'static, T>,
    value: impl Fn(usize, usize, f64) -> f64,
) -> Sparse<'static, T> {
    x.clone().map(|feature, sample, v| T::from_f64(value(feature, sample, v.to_f64())))
}

#[cfg(test)]
#[path = "prepare_tests.rs"]
mod tests;
