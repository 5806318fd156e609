//! Features smoothed over a graph: `G = B (I + L)^-1`, the minimiser of `|B - G|^2 + Tr(G L G^T)`.
//!
//! Rows are independent of each other. Each is solved by conjugate gradients, which need a few dozen products with
//! the graph for any weight in use (the condition number is at most `1 + 2 max d`), and two for the scatter
//! within classes, whose spectrum has two values. Sums over samples run over fixed blocks and are reduced over
//! parts.

use rayon::prelude::*;

use super::Graph;
use crate::error::Result;
use crate::matrix::{Matrix, Scalar};

/// Rows that are solved together, so that the memory for it does not grow with their number.
const ROWS: usize = 16;

/// Columns that one task works on.
const BLOCK: usize = 512;

/// More iterations than any weight in use needs.
const MOST_ITERATIONS: usize = 2000;

/// `B (I + L)^-1`; all parts call it together.
pub(crate) fn smoothed<T: Scalar>(graph: &dyn Graph<T>, b: &Matrix<T>) -> Result<Matrix<T>> {
    let mut smoothed = b.clone();
    smooth(graph, &mut smoothed)?;
    Ok(smoothed)
}

/// `B <- B (I + L)^-1`; all parts call it together.
pub(crate) fn smooth<T: Scalar>(graph: &dyn Graph<T>, b: &mut Matrix<T>) -> Result<()> {
    for start in (0..b.rows()).step_by(ROWS) {
        let rows = start..(start + ROWS).min(b.rows());
        let part = solve(graph, Matrix::from_fn(rows.len(), b.cols(), |i, j| b[(start + i, j)]))?;
        for j in 0..b.cols() {
            b.col_mut(j)[rows.clone()].copy_from_slice(part.col(j));
        }
    }
    Ok(())
}

fn solve<T: Scalar>(graph: &dyn Graph<T>, b: Matrix<T>) -> Result<Matrix<T>> {
    let tolerance = (50.0 * T::EPSILON.to_f64()).powi(2);
    let (k, n) = b.shape();
    let (mut x, mut p, mut r) = (Matrix::zeros(k, n), b.clone(), b);
    let mut image = Matrix::zeros(k, n);
    let wanted = row_products(graph, &r, &r)?;
    let mut left = wanted.clone();
    for _ in 0..MOST_ITERATIONS {
        if left.iter().zip(&wanted).all(|(left, wanted)| *left <= tolerance * wanted) {
            break;
        }
        apply(graph, &p, &mut image)?;
        let curvature = row_products(graph, &p, &image)?;
        let step: Vec<T> = left.iter().zip(&curvature).map(ratio).collect();
        for_columns(&mut x, &p, &step, |x, p, step| *x += step * p);
        for_columns(&mut r, &image, &step, |r, image, step| *r -= step * image);
        let now = row_products(graph, &r, &r)?;
        let turn: Vec<T> = now.iter().zip(&left).map(ratio).collect();
        for_columns(&mut p, &r, &turn, |p, r, turn| *p = r + turn * *p);
        left = now;
    }
    Ok(x)
}

/// A quotient, or nothing where a row is done.
fn ratio<T: Scalar>((over, under): (&f64, &f64)) -> T {
    T::from_f64(if *under > 0.0 { over / under } else { 0.0 })
}

/// `out = P (I + L)`.
fn apply<T: Scalar>(graph: &dyn Graph<T>, p: &Matrix<T>, out: &mut Matrix<T>) -> Result<()> {
    let (k, degrees) = (p.rows().max(1), graph.degrees());
    out.as_mut_slice().par_chunks_mut(k).with_min_len(BLOCK).enumerate().for_each(|(j, out)| {
        let weight = T::ONE + degrees[j];
        out.iter_mut().zip(p.col(j)).for_each(|(out, p)| *out = weight * *p);
    });
    graph.add_product(-1.0, p, out)
}

/// Changes `a` entry by entry, given the entry of `b` and what belongs to the row.
fn for_columns<T: Scalar>(
    a: &mut Matrix<T>,
    b: &Matrix<T>,
    of_rows: &[T],
    change: impl Fn(&mut T, T, T) + Sync,
) {
    let k = a.rows().max(1);
    a.as_mut_slice().par_chunks_mut(k).with_min_len(BLOCK).enumerate().for_each(|(j, a)| {
        a.iter_mut().zip(b.col(j)).zip(of_rows).for_each(|((a, b), row)| change(a, *b, *row));
    });
}

/// The inner products of rows over all samples.
fn row_products<T: Scalar>(graph: &dyn Graph<T>, a: &Matrix<T>, b: &Matrix<T>) -> Result<Vec<f64>> {
    let (k, n) = a.shape();
    let of_block = |block: usize| {
        let mut sums = vec![0.0; k];
        for j in block * BLOCK..((block + 1) * BLOCK).min(n) {
            let pairs = a.col(j).iter().zip(b.col(j));
            sums.iter_mut().zip(pairs).for_each(|(s, (a, b))| *s += a.to_f64() * b.to_f64());
        }
        sums
    };
    let blocks: Vec<Vec<f64>> = (0..n.div_ceil(BLOCK)).into_par_iter().map(of_block).collect();
    let mut sums = vec![0.0; k];
    for block in blocks {
        sums.iter_mut().zip(block).for_each(|(s, v)| *s += v);
    }
    graph.parts().sum(&mut sums)?;
    Ok(sums)
}
