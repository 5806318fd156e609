//! What a basis learns from, and how.

use crate::error::Result;
use crate::matrix::{DataMatrix, Matrix, Scalar, Whitening, gram_of_rows, product};
use crate::models::{Settings, chain};
use crate::update::{BasisProducts, HSolver};

/// What earlier samples have to say on a basis.
#[derive(Debug, Clone, PartialEq)]
pub struct Sums {
    /// `A`, the sum of `h h^T`: `k x k`.
    pub hht: Matrix<f64>,
    /// `B`, the sum of `x h^T`: as the basis.
    pub x_ht: Matrix<f64>,
}

impl Sums {
    /// Those of samples that a basis reconstructs exactly.
    pub(super) fn of_exact<T: Scalar>(z: &Matrix<T>, h: &Matrix<T>) -> Self {
        let h = h.cast::<f64>();
        let hht = product(h.view(), h.t());
        Self { x_ht: product(z.cast::<f64>().view(), hht.view()), hht }
    }

    /// Adds samples and their features; what was there before fades by a factor.
    pub(super) fn add<T: Scalar>(
        &mut self,
        x: &dyn DataMatrix<T>,
        h: &Matrix<T>,
        fading: f64,
    ) -> Result<()> {
        let k = h.rows();
        let mut hht = Matrix::<f64>::zeros(k, k);
        gram_of_rows(&mut hht, h, x.parts())?;
        let mut x_ht = Matrix::zeros(x.shape().0, k);
        x.mul_tr(h, &mut x_ht)?;
        fade_and_add(&mut self.hht, fading, &hht);
        fade_and_add(&mut self.x_ht, fading, &x_ht.cast());
        Ok(())
    }
}

fn fade_and_add(sum: &mut Matrix<f64>, fading: f64, more: &Matrix<f64>) {
    let both = sum.as_mut_slice().iter_mut().zip(more.as_slice());
    both.for_each(|(sum, more)| *sum = fading * *sum + more);
}

/// How the sums become a basis.
#[derive(Debug, Clone, Copy)]
pub(super) enum Rule {
    /// Of any sign, by least squares.
    LeastSquares,
    /// Without negative entries, by a rule of NMF.
    NonNegative(HSolver),
}

impl Rule {
    pub(super) fn of(settings: &Settings) -> Self {
        match settings {
            Settings::Nmf(nmf) => Self::NonNegative(nmf.options.solver),
            _ => Self::LeastSquares,
        }
    }

    /// Lowers `Tr(Z A Z^T) / 2 - Tr(Z^T B)` by the first factor of `Z`; those above it stay.
    pub(super) fn update<T: Scalar>(
        self,
        first: &mut Matrix<T>,
        above: &[Matrix<T>],
        sums: &Sums,
    ) -> Result<()> {
        match self {
            Self::LeastSquares => least_squares(first, above, sums),
            Self::NonNegative(solver) => {
                let products = BasisProducts {
                    phi_t_x: sums.x_ht.t().to_matrix(),
                    phi_t_phi: sums.hht.clone(),
                };
                let mut turned = first.cast::<f64>().t().to_matrix();
                solver.update(&mut turned, products.plain());
                *first = turned.t().to_matrix().cast();
                Ok(())
            }
        }
    }
}

/// `Z_1 <- Z_1 + (B - Z_1 M A) M^T (M A M^T)^+`: what no sample has used yet stays as it is.
fn least_squares<T: Scalar>(
    first: &mut Matrix<T>,
    above: &[Matrix<T>],
    Sums { hht, x_ht }: &Sums,
) -> Result<()> {
    let old = first.cast::<f64>();
    let above: Vec<Matrix<f64>> = above.iter().map(Matrix::cast).collect();
    // M A M^T and B M^T
    let (gram, target) = if above.is_empty() {
        (hht.clone(), x_ht.clone())
    } else {
        let m = chain(&above);
        (product(m.view(), product(hht.view(), m.t()).view()), product(x_ht.view(), m.t()))
    };
    let now = product(old.view(), gram.view());
    let missing = Matrix::from_fn(old.rows(), old.cols(), |i, j| target[(i, j)] - now[(i, j)]);
    let step = product(missing.view(), Whitening::of::<f64>(&gram)?.inverse.view());
    *first =
        Matrix::from_fn(old.rows(), old.cols(), |i, j| T::from_f64(old[(i, j)] + step[(i, j)]));
    Ok(())
}
