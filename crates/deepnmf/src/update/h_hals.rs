//! Coordinate descent (HALS; Cichocki & Phan 2009, repeated sweeps as in Gillis & Glineur 2012).
//!
//! Each row in turn is set to its exact minimiser, the others fixed:
//!
//! ```text
//! h_i <- max(0, h_i + (b_i - g_i^T H) / g_ii)        i = 1 .. k
//! ```
//!
//! with `b_i + (H W)_i` in place of `b_i` and `G + d_j I` in place of `G` where there is a graph.
//!
//! Sweeps over all rows are repeated on the same products, which cost far more than a sweep does. Each
//! column ends with the first sweep that moves it by less than a tenth of what its first sweep did.

use super::Products;
use super::blocks::for_each_block;
use crate::matrix::{Matrix, MatrixView, Scalar};

/// Columns swept together, side by side in vector registers.
const LANES: usize = 16;

/// A later sweep that moves less than this share of the first one (squared) is the last.
const LITTLE: f64 = 0.01;

/// At most `sweeps` sweeps of coordinate descent on `h`.
pub fn h_hals<T: Scalar>(h: &mut Matrix<T>, products: Products<'_, T>, sweeps: usize) {
    let k = h.rows();
    let gram = products.phi_t_phi;
    let scratch = || (vec![[T::ZERO; LANES]; k], vec![[T::ZERO; LANES]; k]);
    for_each_block(h, products, LANES, scratch, |(rows, targets), h, target| {
        rows.fill([T::ZERO; LANES]);
        targets.fill([T::ZERO; LANES]);
        add_to_rows(h, rows);
        add_to_rows(target.b, targets);
        let mut degrees = [T::ZERO; LANES];
        if let Some(graph) = target.graph {
            add_to_rows(graph.hw, targets);
            degrees[..graph.degrees.len()].copy_from_slice(graph.degrees);
        }
        let gram = gram.as_slice();
        pulp::Arch::new().dispatch(Sweeps {
            gram,
            degrees: &degrees,
            b: targets,
            h: rows,
            most: sweeps,
        });
        from_rows(rows, h);
    });
}

/// The sweeps over one block. A type of its own, because a closure this large would not be inlined
/// where vector instructions are enabled.
struct Sweeps<'a, T> {
    gram: &'a [T],
    degrees: &'a [T; LANES],
    b: &'a [[T; LANES]],
    h: &'a mut [[T; LANES]],
    most: usize,
}

impl<T: Scalar> pulp::NullaryFnOnce for Sweeps<'_, T> {
    type Output = ();

    #[inline(always)]
    fn call(mut self) {
        let mut enough = [T::ZERO; LANES];
        let mut moving = [true; LANES];
        for s in 0..self.most {
            let moved = self.sweep(&moving);
            if s == 0 {
                enough = moved.map(|first| first * T::from_f64(LITTLE));
            }
            let mut any = false;
            for l in 0..LANES {
                moving[l] &= moved[l] > enough[l];
                any |= moving[l];
            }
            if !any {
                break;
            }
        }
    }
}

impl<T: Scalar> Sweeps<'_, T> {
    /// One sweep over all rows of the columns that still move; returns how far each has moved, squared.
    #[inline(always)]
    fn sweep(&mut self, moving: &[bool; LANES]) -> [T; LANES] {
        let Self { gram, degrees, b, h, .. } = self;
        let k = h.len();
        let mut moved = [T::ZERO; LANES];
        for i in 0..k {
            let g_i = &gram[i * k..(i + 1) * k];
            let rest = less_products(b[i], g_i, h);
            for l in 0..LANES {
                let curvature = g_i[i] + degrees[l];
                // A zero basis vector: its features change nothing.
                let inverse = if curvature > T::ZERO { T::ONE / curvature } else { T::ZERO };
                let new = h[i][l] + (rest[l] - degrees[l] * h[i][l]) * inverse;
                let new = if new < T::FLUSH { T::ZERO } else { new };
                let new = if moving[l] { new } else { h[i][l] };
                let step = new - h[i][l];
                moved[l] += step * step;
                h[i][l] = new;
            }
        }
        moved
    }
}

/// `b - g^T H`. Even and odd rows are summed apart: one chain of sums would wait for itself.
#[inline(always)]
fn less_products<T: Scalar>(b: [T; LANES], g: &[T], h: &[[T; LANES]]) -> [T; LANES] {
    let (mut even, mut odd) = (b, [T::ZERO; LANES]);
    let (pairs, last) = g.as_chunks::<2>();
    let (row_pairs, last_row) = h.as_chunks::<2>();
    for (g, rows) in pairs.iter().zip(row_pairs) {
        for l in 0..LANES {
            even[l] -= g[0] * rows[0][l];
            odd[l] -= g[1] * rows[1][l];
        }
    }
    for (g, row) in last.iter().zip(last_row) {
        for l in 0..LANES {
            even[l] -= *g * row[l];
        }
    }
    for l in 0..LANES {
        even[l] += odd[l];
    }
    even
}

/// Adds columns to rows of lanes.
fn add_to_rows<T: Scalar>(columns: &[T], rows: &mut [[T; LANES]]) {
    let k = rows.len();
    let view = MatrixView::contiguous(columns, k, columns.len() / k);
    for j in 0..view.cols() {
        for (row, v) in rows.iter_mut().zip(view.col(j)) {
            row[j] += v;
        }
    }
}

fn from_rows<T: Scalar>(rows: &[[T; LANES]], columns: &mut [T]) {
    for (j, column) in columns.chunks_exact_mut(rows.len()).enumerate() {
        for (v, row) in column.iter_mut().zip(rows) {
            *v = row[j];
        }
    }
}
