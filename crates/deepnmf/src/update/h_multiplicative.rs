//! The paper's multiplicative rule (Algorithm 1; Ding, Li & Jordan 2010):
//!
//! ```text
//! H <- H * [ (B^pos + G^neg H + (H W)^pos) / (B^neg + G^pos H + (H W)^neg + H D + eps) ]^eta
//! ```
//!
//! (Algorithm 2; without a graph `W` and `D` are zero) with `B = Phi^T X`, `G = Phi^T Phi`, `A^pos = (|A| + A) / 2` and `A^neg = (|A| - A) / 2`, both
//! non-negative. Zero entries stay zero.

use super::Products;
use super::blocks::{for_each_block, vectorised};
use crate::matrix::{Matrix, MatrixView, Scalar, mul_block};

/// Columns worked on at a time: the products of a block stay in cache for the pass over them.
const COLUMNS: usize = 128;

/// Keeps a denominator away from zero.
const EPS: f64 = 1e-16;

/// One multiplicative update of `h` with exponent `eta`.
pub fn h_multiplicative<T: Scalar>(h: &mut Matrix<T>, products: Products<'_, T>, eta: f64) {
    let k = h.rows();
    let gram_pos = products.phi_t_phi.map(|v| v.larger(T::ZERO));
    let gram_neg = products.phi_t_phi.map(|v| (-v).larger(T::ZERO));
    let any_negative = gram_neg.as_slice().iter().any(|v| *v > T::ZERO);
    let scratch = || (vec![T::ZERO; COLUMNS * k], vec![T::ZERO; COLUMNS * k]);
    for_each_block(h, products, COLUMNS, scratch, |(up, down), h, target| {
        let (up, down) = (&mut up[..h.len()], &mut down[..h.len()]);
        let block = MatrixView::contiguous(h, k, h.len() / k);
        mul_block(down, gram_pos.view(), block);
        if any_negative {
            mul_block(up, gram_neg.view(), block);
        }
        if let Some((hw, degrees)) = target.ties {
            if !any_negative {
                up.fill(T::ZERO);
            }
            vectorised(|| add_ties(up, down, h, hw, degrees));
        }
        let ratio = Ratio { up, down, b: target.b };
        #[allow(clippy::float_cmp)] // exactly the square root, or something else
        if eta == 0.5 {
            vectorised(|| ratio.apply(h, T::root));
        } else {
            let eta = T::from_f64(eta);
            vectorised(|| ratio.apply(h, |r| r.power(eta)));
        }
    });
}

/// `up += (H W)^pos` and `down += (H W)^neg + H D`.
#[inline(always)]
fn add_ties<T: Scalar>(up: &mut [T], down: &mut [T], h: &[T], hw: &[T], degrees: &[T]) {
    let k = h.len() / degrees.len();
    let samples = up.chunks_exact_mut(k).zip(down.chunks_exact_mut(k)).zip(degrees);
    let products = h.chunks_exact(k).zip(hw.chunks_exact(k));
    for (((up, down), d), (h, hw)) in samples.zip(products) {
        for (((up, down), h), hw) in up.iter_mut().zip(down).zip(h).zip(hw) {
            *up += hw.larger(T::ZERO);
            *down += (-*hw).larger(T::ZERO) + *d * *h;
        }
    }
}

/// The parts of the fraction by which `h` is multiplied.
struct Ratio<'a, T> {
    up: &'a [T],
    down: &'a [T],
    b: &'a [T],
}

impl<T: Scalar> Ratio<'_, T> {
    #[inline(always)]
    fn apply(&self, h: &mut [T], exponent: impl Fn(T) -> T) {
        let eps = T::from_f64(EPS);
        for (((h, up), down), b) in h.iter_mut().zip(self.up).zip(self.down).zip(self.b) {
            let up = *up + b.larger(T::ZERO);
            let down = *down + (-*b).larger(T::ZERO) + eps;
            let new = *h * exponent(up / down);
            *h = if new < T::FLUSH { T::ZERO } else { new };
        }
    }
}
