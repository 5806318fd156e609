//! The factors of a model with any number of layers.

use crate::activation::Activation;
use crate::checkpoint::{Restored, StateWriter};
use crate::error::{Error, Result};
use crate::matrix::{
    Centred, DataMatrix, Matrix, Scalar, Scaled, extreme_exponent, power_of_two, product,
    scale_by_power,
};
use crate::objective::reconstruction_error;

/// `Z_1 .. Z_m` and `H_1 .. H_m`; layers count from 1.
#[derive(Debug, Clone, PartialEq)]
pub struct Factors<T> {
    /// The bases: `Z_1` is `p x k_1`, `Z_i` is `k_{i-1} x k_i`.
    pub z: Vec<Matrix<T>>,
    /// The features: `H_i` is `k_i x n`.
    pub h: Vec<Matrix<T>>,
    /// What is taken off every sample first, in models that do so.
    pub offset: Option<Vec<T>>,
    /// The nonlinearity between the layers: `H_{i-1} ~ g(Z_i H_i)`.
    pub activation: Activation,
    /// The bases `V_i`, `(k_{i-1} + 1) x k_i`, by which layers with neighbours read the features of the layer below
    /// ([`Neighbourhood`](crate::Neighbourhood)), nothing for other layers; empty where no layer does.
    pub readings: Vec<Option<Matrix<T>>>,
    /// `Z_1^+ X` of the samples of the fit, `k_1 x n`, in models whose first layer has neighbours in the data, and in those
    /// with neighbours whose layers are fitted together: by it new samples find theirs.
    pub seen: Option<Matrix<T>>,
    /// In which metric samples choose their clusters, in models whose samples are sums of parts.
    pub metric: Option<Metric<T>>,
}

/// The metric of a model whose samples are sums of parts: a sample `x` belongs to those clusters, one of each part,
/// whose centres `z_1, z_2, ..` make `|M^T (x - z_1 - z_2 - ..)|` least.
#[derive(Debug, Clone, PartialEq)]
pub struct Metric<T> {
    /// The clusters of each part.
    pub parts: Vec<usize>,
    /// `M`, `p x d`. It has no unit: any multiple of it chooses the same.
    pub map: Matrix<T>,
}

impl<T: Scalar> Factors<T> {
    /// Factors of a linear model that takes nothing off the samples.
    pub fn new(z: Vec<Matrix<T>>, h: Vec<Matrix<T>>) -> Self {
        let activation = Activation::Identity;
        Self { z, h, offset: None, activation, readings: vec![], seen: None, metric: None }
    }

    /// Writes them to a checkpoint.
    pub(crate) fn save(&self, name: &str, state: &mut StateWriter<'_>) {
        state.matrices(&format!("{name}.z"), &self.z);
        state.list(&format!("{name}.h"), &self.h, |_| true);
    }

    /// Reads those of a linear model back.
    pub(crate) fn restored(name: &str, state: &Restored<'_>) -> Result<Self> {
        let z = state.matrices(&format!("{name}.z"))?;
        Ok(Self::new(z, state.list(&format!("{name}.h"), |_| true)?))
    }

    /// The features of layer 1 that features `h` of a layer stand for: `g(Z_2 g( ... Z_layer h))`.
    ///
    /// # Errors
    /// If there is no such layer.
    ///
    /// # Panics
    /// If the shape of `h` does not fit the layer.
    pub fn decode(&self, layer: usize, h: &Matrix<T>) -> Result<Matrix<T>> {
        self.check_layer(layer)?;
        Ok(self.z[1..layer]
            .iter()
            .rev()
            .fold(h.clone(), |h, z| self.activation.apply(&product(z.view(), h.view()))))
    }

    /// The samples that features `h` of a layer stand for: `Z_1 g(Z_2 ... g(Z_layer h))`, and what
    /// is taken off every sample first.
    ///
    /// # Errors
    /// If there is no such layer, or the shape of `h` does not fit it.
    pub fn reconstruct(&self, layer: usize, h: &Matrix<T>) -> Result<Matrix<T>> {
        self.check_layer(layer)?;
        let expected = self.z[layer - 1].cols();
        check_shape(format!("the features of layer {layer}"), h, (expected, h.cols()))?;
        let mut x = product(self.z[0].view(), self.decode(layer, h)?.view());
        if let Some(offset) = &self.offset {
            for j in 0..x.cols() {
                x.col_mut(j).iter_mut().zip(offset).for_each(|(x, o)| *x += *o);
            }
        }
        Ok(x)
    }

    /// `|X - Z_1 g(Z_2 ... g(Z_layer H))|_F` for features `h` of a layer.
    ///
    /// # Errors
    /// If there is no such layer, or the data cannot be read.
    ///
    /// # Panics
    /// If the shapes of `x` and `h` do not fit the layer.
    pub fn reconstruction_error(
        &self,
        x: &dyn DataMatrix<T>,
        layer: usize,
        h: &Matrix<T>,
    ) -> Result<f64> {
        if let Some(exponent) = extreme_exponent(&self.z[0])? {
            let (there, x) = (self.in_unit(exponent), Scaled::new(x, exponent));
            return Ok(there.reconstruction_error(&x, layer, h)? * power_of_two(-exponent));
        }
        let (basis, decoded);
        let (z, h) = if self.activation == Activation::Identity {
            basis = self.basis(layer)?;
            (&basis, h)
        } else {
            decoded = self.decode(layer, h)?;
            (&self.z[0], &decoded)
        };
        match &self.offset {
            None => reconstruction_error(x, z, h),
            Some(offset) => reconstruction_error(&Centred::new(x, offset), z, h),
        }
    }

    /// The same for data times a power of two.
    pub(crate) fn in_unit(&self, exponent: i32) -> Self {
        let mut there = self.clone();
        scale_by_power(&mut there.z[0], exponent);
        if let Some(offset) = &mut there.offset {
            let factor = T::from_f64(power_of_two(exponent));
            for v in offset {
                *v *= factor;
            }
        }
        there
    }

    /// The basis by which a layer reads the features of the layer below, if it does.
    pub(crate) fn reading(&self, layer: usize) -> Option<&Matrix<T>> {
        self.readings.get(layer - 1).and_then(Option::as_ref)
    }

    /// The number of layers `m`.
    pub fn depth(&self) -> usize {
        self.z.len()
    }

    /// The features of the last layer.
    ///
    /// # Panics
    /// If there are no layers; no fit makes such factors.
    pub fn top_features(&self) -> &Matrix<T> {
        &self.h[self.h.len() - 1]
    }

    /// `Phi = Z_1 ... Z_layer`, the basis of a layer in the space of the data, `p x k`. In a
    /// nonlinear model it is what the basis would be without the nonlinearity.
    ///
    /// # Errors
    /// If there is no such layer.
    pub fn basis(&self, layer: usize) -> Result<Matrix<T>> {
        self.check_layer(layer)?;
        Ok(chain(&self.z[..layer]))
    }

    /// Refuses a layer that the model does not have.
    ///
    /// # Errors
    /// If there is no such layer.
    pub fn check_layer(&self, layer: usize) -> Result<()> {
        if (1..=self.depth()).contains(&layer) {
            return Ok(());
        }
        let accepted = match self.depth() {
            1 => "this model has layer 1 only".to_owned(),
            m => format!("this model has layers 1 to {m}"),
        };
        Err(Error::parameter("the layer", layer, accepted))
    }

    /// Refuses factors whose shapes do not fit each other or the wanted ones.
    pub(crate) fn check_shapes(&self, p: usize, n: usize, layers: &[usize]) -> Result<()> {
        if self.z.len() != layers.len() || self.h.len() != layers.len() {
            return Err(Error::Shape {
                what: "the given factors".into(),
                found: format!("{} bases and {} features", self.z.len(), self.h.len()),
                expected: format!("{} of each", layers.len()),
            });
        }
        let mut below = p;
        for (i, &k) in layers.iter().enumerate() {
            check_shape(format!("Z_{}", i + 1), &self.z[i], (below, k))?;
            check_shape(format!("H_{}", i + 1), &self.h[i], (k, n))?;
            below = k;
        }
        Ok(())
    }
}

/// The factors of one layer.
#[derive(Debug, Clone)]
pub(crate) struct Pair<T> {
    pub(crate) z: Matrix<T>,
    pub(crate) h: Matrix<T>,
}

pub(crate) fn check_shape<T: Scalar>(
    what: String,
    matrix: &Matrix<T>,
    expected: (usize, usize),
) -> Result<()> {
    if matrix.shape() == expected {
        return Ok(());
    }
    Err(Error::Shape {
        what,
        found: format!("{} x {}", matrix.rows(), matrix.cols()),
        expected: format!("{} x {}", expected.0, expected.1),
    })
}

/// The product of one or more factors, from the left.
pub(crate) fn chain<T: Scalar>(factors: &[Matrix<T>]) -> Matrix<T> {
    let (first, rest) = factors.split_first().unwrap_or_else(|| unreachable!("no factors"));
    rest.iter().fold(first.clone(), |left, right| product(left.view(), right.view()))
}
