//! The nonlinearities `g` between layers, each with its derivative, inverse and range.
//!
//! A layer's features are modelled as `H_{i-1} ~ g(Z_i H_i)`. Where `g` is bounded, features of any
//! size are first divided by a constant that brings them into its range ([`Activation::gain`]); the
//! basis below takes that constant over.

use std::fmt::{Display, Formatter};

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::matrix::{Matrix, Scalar};

/// Entries that one task handles.
const CHUNK: usize = 16 * 1024;

/// How far, as a share of a bounded range, an inverse stays away from where it is infinite.
const MARGIN: f64 = 0.01;

/// The scaled hyperbolic tangent of `LeCun` is `1.7159 tanh(2 x / 3)`.
const STANH: (f64, f64) = (1.7159, 2.0 / 3.0);

/// A nonlinearity between two layers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Activation {
    /// `x`: the linear model.
    #[default]
    Identity,
    /// `1.7159 tanh(2 x / 3)`.
    Stanh,
    /// `x^2`.
    Square,
    /// `1 / (1 + e^-x)`.
    Sigmoid,
    /// `ln(1 + e^x)`.
    Softplus,
    /// `max(x, 0)`.
    Relu,
}

impl Activation {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::Identity, Self::Stanh, Self::Square, Self::Sigmoid, Self::Softplus, Self::Relu];

    /// Its name, as in files and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Identity => "identity",
            Self::Stanh => "stanh",
            Self::Square => "square",
            Self::Sigmoid => "sigmoid",
            Self::Softplus => "softplus",
            Self::Relu => "relu",
        }
    }

    /// `g(x)`.
    pub fn value(self, x: f64) -> f64 {
        match self {
            Self::Identity => x,
            Self::Stanh => STANH.0 * (STANH.1 * x).tanh(),
            Self::Square => x * x,
            Self::Sigmoid => sigmoid(x),
            // The usual form overflows for large x.
            Self::Softplus => x.max(0.0) + (-x.abs()).exp().ln_1p(),
            Self::Relu => x.max(0.0),
        }
    }

    /// `g'(x)`; zero in the kink of [`Activation::Relu`].
    pub fn derivative(self, x: f64) -> f64 {
        match self {
            Self::Identity => 1.0,
            Self::Stanh => {
                let t = (STANH.1 * x).tanh();
                STANH.0 * STANH.1 * (1.0 - t * t)
            }
            Self::Square => 2.0 * x,
            Self::Sigmoid => sigmoid(x) * sigmoid(-x),
            Self::Softplus => sigmoid(x),
            Self::Relu => f64::from(u8::from(x > 0.0)),
        }
    }

    /// The closed interval that `g` maps to; its finite ends may only be limits.
    pub fn range(self) -> (f64, f64) {
        match self {
            Self::Identity => (f64::NEG_INFINITY, f64::INFINITY),
            Self::Stanh => (-STANH.0, STANH.0),
            Self::Square | Self::Softplus | Self::Relu => (0.0, f64::INFINITY),
            Self::Sigmoid => (0.0, 1.0),
        }
    }

    /// An `x` with `g(x) = y`: the non-negative one where there are several. A `y` outside of the
    /// range, or so near to its end that `x` would be huge, is first brought to where it is not.
    pub fn inverse(self, y: f64) -> f64 {
        match self {
            Self::Identity => y,
            Self::Stanh => {
                let most = 1.0 - MARGIN;
                (y / STANH.0).clamp(-most, most).atanh() / STANH.1
            }
            Self::Square => y.max(0.0).sqrt(),
            Self::Sigmoid => {
                let y = y.clamp(MARGIN, 1.0 - MARGIN);
                (y / (1.0 - y)).ln()
            }
            Self::Softplus => {
                let y = y.max(MARGIN);
                y + (-(-y).exp()).ln_1p()
            }
            Self::Relu => y.max(0.0),
        }
    }

    /// What features of which `largest` is the largest are divided by, to fill the part of a bounded
    /// range where `g` is not yet flat (the authors' `R_i`); one for other ranges.
    pub fn gain(self, largest: f64) -> f64 {
        let comfortable = match self {
            Self::Stanh => 1.0, // where it meets the identity
            Self::Sigmoid => 0.95,
            _ => return 1.0,
        };
        if largest > 0.0 { largest / comfortable } else { 1.0 }
    }

    /// `g(a)` for every entry.
    pub(crate) fn apply<T: Scalar>(self, a: &Matrix<T>) -> Matrix<T> {
        self.mapped(a, |x| self.value(x))
    }

    /// `g^-1(h)` for every entry.
    pub(crate) fn invert<T: Scalar>(self, h: &Matrix<T>) -> Matrix<T> {
        self.mapped(h, |y| self.inverse(y))
    }

    /// `delta *= g'(a)`, entry by entry.
    pub(crate) fn chain_rule<T: Scalar>(self, delta: &mut Matrix<T>, a: &Matrix<T>) {
        if self == Self::Identity {
            return;
        }
        let blocks = delta.as_mut_slice().par_chunks_mut(CHUNK).zip(a.as_slice().par_chunks(CHUNK));
        blocks.for_each(|(delta, a)| {
            for (d, a) in delta.iter_mut().zip(a) {
                *d *= T::from_f64(self.derivative(a.to_f64()));
            }
        });
    }

    fn mapped<T: Scalar>(self, from: &Matrix<T>, f: impl Fn(f64) -> f64 + Sync) -> Matrix<T> {
        let mut to = from.clone();
        if self != Self::Identity {
            to.as_mut_slice().par_chunks_mut(CHUNK).for_each(|block| {
                for v in block {
                    *v = T::from_f64(f(v.to_f64()));
                }
            });
        }
        to
    }
}

impl Display for Activation {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

fn sigmoid(x: f64) -> f64 {
    if x >= 0.0 { 1.0 / (1.0 + (-x).exp()) } else { x.exp() / (1.0 + x.exp()) }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn derivatives_are_those_of_finite_differences(x in -6.0..6.0f64) {
            prop_assume!(x.abs() > 1e-3); // the kink
            let step = 1e-5;
            for g in Activation::ALL {
                let slope = (g.value(x + step) - g.value(x - step)) / (2.0 * step);
                prop_assert!((g.derivative(x) - slope).abs() < 1e-8 * (1.0 + slope.abs()), "{g}");
            }
        }

        #[test]
        fn the_inverse_finds_its_way_back(x in 0.0..2.5f64) {
            for g in Activation::ALL {
                prop_assert!((g.inverse(g.value(x)) - x).abs() < 1e-9, "{g}");
            }
            for g in [Activation::Identity, Activation::Stanh, Activation::Sigmoid] {
                prop_assert!((g.inverse(g.value(-x)) + x).abs() < 1e-9, "{g}");
            }
        }

        #[test]
        fn values_stay_in_range_and_inverses_are_finite(x in any::<f64>()) {
            prop_assume!(x.is_finite());
            for g in Activation::ALL {
                let (low, high) = g.range();
                prop_assert!((low..=high).contains(&g.value(x)), "{g}");
                prop_assert!(g.inverse(x).is_finite() && g.derivative(x).is_finite() || x.abs() > 1e300, "{g}");
            }
        }

        #[test]
        fn a_gain_brings_features_into_range(largest in 1e-6..1e6f64, share in 0.05..1.0f64) {
            for g in Activation::ALL {
                let gain = g.gain(largest);
                let y = share * largest;
                let back = gain * g.value(g.inverse(y / gain));
                prop_assert!(g == Activation::Softplus && y < 0.02 || (back - y).abs() < 1e-6 * y, "{g}");
            }
        }
    }

    #[test]
    fn each_is_stored_under_its_name() {
        for g in Activation::ALL {
            assert_eq!(serde_json::to_value(g).unwrap(), g.name());
        }
    }
}
