//! Components of which something is known, and stays as it is.

use super::Settings;
use crate::error::{Error, Result};
use crate::init::ScaleIn;
use crate::matrix::{
    DataMatrix, Entry, Less, Matrix, PartColumns, Parts, SampleWeights, Scalar, check_data,
    gram_of_rows, scale_by_power, total_weight, weighted_row_sums,
};
use crate::models::factors::Pair;
use crate::update::{BasisProducts, Fixed, HSolver, ZScratch, z_least_squares};

/// Components that are known in part: columns of the basis `Z` or rows of the features `H` that a fit leaves as they are,
/// while it finds the others.
///
/// The components with a fixed basis are the first ones, those with fixed features the last ones.
///
/// ```
/// use deepnmf::{Factorization, FitSession, FixedComponents, Matrix, Nmf};
/// let x = Matrix::from_fn(8, 20, |i, j| ((i + 2) * (j + 3) % 7) as f64);
/// let known = Matrix::from_fn(8, 1, |i, _| i as f64);
/// let fixed = FixedComponents { bases: Some(known.clone()), features: None };
/// let model = Nmf::new(3).fit_fixed(&x, fixed, None, &mut FitSession::new())?;
/// assert_eq!(model.factors.z[0].col(0), known.col(0));
/// # Ok::<(), deepnmf::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct FixedComponents<T> {
    /// The basis vectors of the first components, a column each.
    pub bases: Option<Matrix<T>>,
    /// The features of the last components, a row each, of the samples of this part.
    pub features: Option<Matrix<T>>,
}

/// The same with matrices that may be empty.
#[derive(Debug, Clone)]
pub(crate) struct Known<T> {
    bases: Matrix<T>,
    features: Matrix<T>,
}

/// Begins so many components, given the data that they are to explain.
type Start<'a, T> = dyn FnMut(&dyn DataMatrix<T>, usize) -> Result<Pair<T>> + 'a;

impl<T: Scalar> FixedComponents<T> {
    /// *Together*: checks them for a model and data.
    pub(crate) fn checked(self, settings: &Settings, x: &dyn DataMatrix<T>) -> Result<Known<T>> {
        let ((p, n), k) = (x.shape(), settings.layers()[0]);
        settings.check_fixed()?;
        let known = Known {
            bases: self.bases.unwrap_or_else(|| Matrix::zeros(p, 0)),
            features: self.features.unwrap_or_else(|| Matrix::zeros(0, n)),
        };
        let shape = |what: &str, found: String, expected: String| {
            Err(Error::Shape { what: what.into(), found, expected })
        };
        if known.bases.rows() != p {
            let found = format!("{} features", known.bases.rows());
            return shape("the fixed basis vectors", found, format!("{p}, as the data have,"));
        }
        if known.features.cols() != n {
            let found = format!("{} samples", known.features.cols());
            return shape("the fixed features", found, format!("{n}, as the data have,"));
        }
        let Fixed { bases, features } = known.fixed();
        if bases + features > k {
            let accepted = format!("the model has {k} components in all");
            return Err(Error::parameter(
                "the number of fixed components",
                bases + features,
                accepted,
            ));
        }
        known.check_numbers(settings.abilities().negative_data, x.parts())?;
        Ok(known)
    }
}

impl<T: Scalar> Known<T> {
    pub(crate) fn fixed(&self) -> Fixed {
        Fixed { bases: self.bases.cols(), features: self.features.rows() }
    }

    fn check_numbers(&self, negative_bases: bool, parts: Parts<'_>) -> Result<()> {
        let features = PartColumns::new(self.features.view(), parts);
        if self.bases.cols() > 0 {
            check_data(&self.bases)?;
        }
        if self.features.rows() > 0 {
            check_data(&features)?;
        }
        let refuse = |what: &str, Entry { sample, feature, value }: Entry| {
            let name = format!("{what}, row {}, column {}", feature + 1, sample + 1);
            Err(Error::parameter(name, value, "they must not be negative"))
        };
        if let Some(entry) = features.find_entry(&|v| v < T::ZERO)? {
            return refuse("the fixed features", entry);
        }
        match self.bases.find_entry(&|v| v < T::ZERO)? {
            Some(entry) if !negative_bases => refuse("the fixed basis vectors", entry),
            _ => Ok(()),
        }
    }

    /// The same for data times a power of two, which the bases carry.
    pub(crate) fn in_unit(mut self, exponent: i32) -> Self {
        scale_by_power(&mut self.bases, exponent);
        self
    }

    /// The same for samples times factors.
    pub(crate) fn weighted(mut self, weights: &SampleWeights) -> Self {
        weights.put_on(&mut self.features);
        self
    }

    /// The same for samples divided by factors.
    pub(crate) fn unweighted(mut self, weights: &SampleWeights) -> Self {
        weights.take_off(&mut self.features);
        self
    }

    /// Writes the fixed features over those of `h`.
    pub(crate) fn put_back(&self, h: &mut Matrix<T>) {
        let first = h.rows() - self.features.rows();
        for (j, column) in self.features.columns().enumerate() {
            h.col_mut(j)[first..].copy_from_slice(column);
        }
    }

    /// What tells them from others.
    pub(crate) fn matrices(&self) -> [&Matrix<T>; 2] {
        [&self.bases, &self.features]
    }

    /// *Together*: factors with `k` components to begin from. `start` begins those of which nothing is known, given what the
    /// others leave of the data.
    pub(crate) fn begin(
        &self,
        x: &dyn DataMatrix<T>,
        k: usize,
        above_zero: bool,
        start: &mut Start<'_, T>,
    ) -> Result<Pair<T>> {
        let ((p, n), Fixed { bases, features }) = (x.shape(), self.fixed());
        let mut of_bases = Matrix::zeros(bases, n);
        if bases > 0 {
            HSolver::HALS.update(&mut of_bases, BasisProducts::of(x, &self.bases)?.plain());
        }
        let mut of_features = Matrix::zeros(p, features);
        if features > 0 {
            let rest = Less::new(x, &self.bases, &of_bases);
            let mut hht = Matrix::zeros(features, features);
            gram_of_rows(&mut hht, &self.features, x.parts())?;
            let mut scratch = ZScratch::new(p, features);
            z_least_squares(&mut of_features, &rest, &self.features, &hht, &mut scratch)?;
        }
        // A rule that multiplies never leaves a zero.
        let weights = x.weights();
        if let Some(weights) = weights {
            weights.take_off(&mut of_bases);
        }
        lift_zeros(&mut of_bases, x)?;
        if let Some(weights) = weights {
            weights.put_on(&mut of_bases);
        }
        if above_zero {
            of_features = of_features.map(|v| v.larger(T::ZERO));
            let whole = Matrix::zeros(0, features);
            lift_zeros(&mut of_features, &whole)?;
        }
        let z = beside(&[&self.bases, &of_features]);
        let h = above(&[&of_bases, &self.features]);
        let free = k - bases - features;
        let Pair { z: new_z, h: new_h } = match free {
            0 => Pair { z: Matrix::zeros(p, 0), h: Matrix::zeros(0, n) },
            _ => start(&Less::new(x, &z, &h), free)?,
        };
        Ok(Pair {
            z: beside(&[&self.bases, &new_z, &of_features]),
            h: above(&[&of_bases, &new_h, &self.features]),
        })
    }
}

/// *Together*: sets zeros to a hundredth of the mean, where the columns count as much as those of `x`.
fn lift_zeros<T: Scalar>(a: &mut Matrix<T>, x: &dyn DataMatrix<T>) -> Result<()> {
    let sum = x.parts().sum_of(weighted_row_sums(a, x.weights()).iter().sum())?;
    let count = a.rows() as f64 * total_weight(x);
    let little = T::from_f64(sum / count.max(1.0) / 100.0);
    for v in a.as_mut_slice().iter_mut().filter(|v| **v <= T::ZERO) {
        *v = little;
    }
    Ok(())
}

/// Matrices with as many rows, side by side.
fn beside<T: Scalar>(all: &[&Matrix<T>]) -> Matrix<T> {
    let numbers: Vec<T> = all.iter().flat_map(|a| a.as_slice().to_vec()).collect();
    let columns = all.iter().map(|a| a.cols()).sum();
    Matrix::from_vec(all[0].rows(), columns, numbers)
        .unwrap_or_else(|error| unreachable!("as many rows: {error}"))
}

/// Matrices with as many columns, one above the other.
fn above<T: Scalar>(all: &[&Matrix<T>]) -> Matrix<T> {
    let (rows, n) = (all.iter().map(|a| a.rows()).sum(), all[0].cols());
    let numbers: Vec<T> =
        (0..n).flat_map(|j| all.iter().flat_map(move |a| a.col(j).to_vec())).collect();
    Matrix::from_vec(rows, n, numbers)
        .unwrap_or_else(|error| unreachable!("as many columns: {error}"))
}

impl Settings {
    /// Refuses fixed components where they have no meaning.
    pub(super) fn check_fixed(&self) -> Result<()> {
        let accepted = match (self.abilities().fixed, self.beyond_samples(), self.unit_in()) {
            (true, None, ScaleIn::Auto | ScaleIn::Z | ScaleIn::Soft) => return Ok(()),
            (true, Some(beyond), _) => {
                format!(
                    "components stay in a loss of squares or the divergence alone, leave out {beyond}"
                )
            }
            (true, None, _) => "with features that carry the scale none can stay".into(),
            (false, ..) => {
                let takers = Self::MODELS.iter().filter(|model| model.abilities.fixed);
                let names: Vec<_> = takers.map(|model| model.name).collect();
                format!("{} leaves none as they are, these do: {}", self.name(), names.join(", "))
            }
        };
        Err(Error::parameter("the list of fixed components", "given", accepted))
    }
}
