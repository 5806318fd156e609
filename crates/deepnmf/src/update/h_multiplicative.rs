//! The paper's multiplicative rule (Algorithm 1; Ding, Li & Jordan 2010):
//!
//! ```text
//! H <- H * [ (B^pos + G^neg H + (H W)^pos) / (B^neg + G^pos H + (H W)^neg + H D + eps) ]^eta
//! ```
//!
//! (Algorithm 2; without a graph `W` and `D` are zero) with `B = Phi^T X`, `G = Phi^T Phi`,
//! `A^pos = (|A| + A) / 2` and `A^neg = (|A| - A) / 2`, both non-negative. Zero entries stay zero.
//!
//! Without a graph it can be repeated on the same products, which cost far more than an update does
//! (Gillis & Glineur 2012). Each column ends with the first update that moves it by less than a tenth of
//! what its first one did.

use super::Products;
use super::blocks::{GraphColumns, for_each_block, vectorised};
use crate::matrix::{Matrix, MatrixView, Scalar, mul_block};

/// Columns worked on at a time: the products of a block stay in cache for the pass over them.
const COLUMNS: usize = 128;

/// Keeps a denominator away from zero.
const EPS: f64 = 1e-16;

/// A later update that moves less than this share of the first one (squared) is the last.
const LITTLE: f64 = 0.01;

/// At most `repeats` multiplicative updates of `h` with exponent `eta`.
pub fn h_multiplicative<T: Scalar>(
    h: &mut Matrix<T>,
    products: Products<'_, T>,
    eta: f64,
    repeats: usize,
) {
    let k = h.rows();
    let gram_pos = products.phi_t_phi.map(|v| v.larger(T::ZERO));
    let gram_neg = products.phi_t_phi.map(|v| (-v).larger(T::ZERO));
    let any_negative = gram_neg.as_slice().iter().any(|v| *v > T::ZERO);
    let scratch = || (vec![T::ZERO; COLUMNS * k], vec![T::ZERO; COLUMNS * k]);
    for_each_block(h, products, COLUMNS, scratch, |(up, down), h, target| {
        let (up, down) = (&mut up[..h.len()], &mut down[..h.len()]);
        let repeats = if target.graph.is_some() { 1 } else { repeats };
        let mut columns = [Column { moving: true, enough: T::ZERO }; COLUMNS];
        let columns = &mut columns[..h.len() / k];
        for r in 0..repeats {
            let block = MatrixView::contiguous(h, k, h.len() / k);
            mul_block(down, gram_pos.view(), block);
            if any_negative {
                mul_block(up, gram_neg.view(), block);
            }
            if let Some(graph) = target.graph {
                if !any_negative {
                    up.fill(T::ZERO);
                }
                vectorised(|| add_graph(up, down, h, graph));
            }
            let parts = up.chunks_exact(k).zip(down.chunks_exact(k)).zip(target.b.chunks_exact(k));
            for ((column, h), ((up, down), b)) in
                columns.iter_mut().zip(h.chunks_exact_mut(k)).zip(parts)
            {
                if column.moving {
                    let moved = Ratio { up, down, b }.apply_power(h, eta);
                    if r == 0 {
                        column.enough = moved * T::from_f64(LITTLE);
                    }
                    column.moving = moved > column.enough;
                }
            }
            if columns.iter().all(|column| !column.moving) {
                break;
            }
        }
    });
}

/// Whether a column still moves, and how far (squared) an update must move it to go on.
#[derive(Clone, Copy)]
struct Column<T> {
    moving: bool,
    enough: T,
}

/// `up += (H W)^pos` and `down += (H W)^neg + H D`.
#[inline(always)]
fn add_graph<T: Scalar>(up: &mut [T], down: &mut [T], h: &[T], graph: GraphColumns<'_, T>) {
    let GraphColumns { hw, degrees } = graph;
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
    /// Multiplies by the fraction to a power; returns how far `h` has moved, squared.
    #[allow(clippy::float_cmp)] // exactly the square root, or exactly the fraction itself
    fn apply_power(&self, h: &mut [T], eta: f64) -> T {
        if eta == 0.5 {
            return vectorised(|| self.apply(h, T::root));
        }
        if eta == 1.0 {
            return vectorised(|| self.apply(h, |ratio| ratio));
        }
        let eta = T::from_f64(eta);
        vectorised(|| self.apply(h, |ratio| ratio.power(eta)))
    }

    #[inline(always)]
    fn apply(&self, h: &mut [T], exponent: impl Fn(T) -> T) -> T {
        let eps = T::from_f64(EPS);
        let mut moved = T::ZERO;
        for (((h, up), down), b) in h.iter_mut().zip(self.up).zip(self.down).zip(self.b) {
            let up = *up + b.larger(T::ZERO);
            let down = *down + (-*b).larger(T::ZERO) + eps;
            let new = *h * exponent(up / down);
            let new = if new < T::FLUSH { T::ZERO } else { new };
            moved += (new - *h) * (new - *h);
            *h = new;
        }
        moved
    }
}
