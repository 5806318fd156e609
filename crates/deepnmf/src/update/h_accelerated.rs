//! Nesterov's accelerated projected gradient with restart (Nesterov 2007; the restart of
//! O'Donoghue & Candes 2015):
//!
//! ```text
//! H_new <- max(0, Y - (G Y - B) / L)
//! t_new <- (1 + sqrt(1 + 4 t^2)) / 2
//! Y     <- H_new + (t - 1) / t_new * (H_new - H)
//! ```
//!
//! `L >= |G|_2` makes each plain step a descent. Where the momentum points uphill it is dropped
//! and the step taken again from `H`. Each block of columns keeps a momentum of its own, and a
//! block that should end higher than it began takes one plain step instead.

use super::Products;
use super::blocks::{for_each_block, vectorised};
use crate::matrix::{Matrix, MatrixView, Scalar, dot, mul_block};

/// Columns that share one momentum and stay in cache together.
const COLUMNS: usize = 128;

/// `steps` accelerated gradient steps on `h`.
pub fn h_accelerated<T: Scalar>(h: &mut Matrix<T>, products: Products<'_, T>, steps: usize) {
    let k = h.rows();
    let curvature = curvature_bound(products.phi_t_phi);
    if curvature <= 0.0 {
        return; // a zero basis: every H is as good
    }
    let problem = Problem { gram: products.phi_t_phi, step: T::from_f64(1.0 / curvature) };
    for_each_block(
        h,
        products.phi_t_x,
        COLUMNS,
        || Scratch::new(k),
        |scratch, h, b| {
            scratch.resize(h.len());
            problem.descend(h, b, steps, scratch);
        },
    );
}

/// An upper bound of the spectral norm of a symmetric matrix.
fn curvature_bound<T: Scalar>(gram: &Matrix<T>) -> f64 {
    let row_sum = |c: &[T]| c.iter().map(|v| v.to_f64().abs()).sum::<f64>();
    gram.columns().map(row_sum).fold(0.0, f64::max).min(gram.norm_sq().sqrt())
}

/// One block's `min 1/2 <H, G H> - <B, H>` over non-negative `H`.
struct Problem<'a, T> {
    gram: &'a Matrix<T>,
    step: T,
}

struct Scratch<T> {
    rows: usize,
    start: Vec<T>,
    y: Vec<T>,
    previous: Vec<T>,
    image: Vec<T>,
}

impl<T: Scalar> Scratch<T> {
    fn new(rows: usize) -> Self {
        Self { rows, start: vec![], y: vec![], previous: vec![], image: vec![] }
    }

    fn resize(&mut self, len: usize) {
        for buffer in [&mut self.start, &mut self.y, &mut self.previous, &mut self.image] {
            buffer.resize(len, T::ZERO);
        }
    }
}

impl<T: Scalar> Problem<'_, T> {
    fn descend(&self, h: &mut [T], b: &[T], steps: usize, s: &mut Scratch<T>) {
        s.start.copy_from_slice(h);
        s.y.copy_from_slice(h);
        let before = self.value(h, b, s.rows, &mut s.image);
        let mut t = 1.0f64;
        for _ in 0..steps {
            s.previous.copy_from_slice(h);
            self.step_from_y(h, b, s);
            if uphill(&s.y, h, &s.previous) && t > 1.0 {
                t = 1.0;
                s.y.copy_from_slice(&s.previous);
                self.step_from_y(h, b, s);
            }
            let t_new = f64::midpoint(1.0, (1.0 + 4.0 * t * t).sqrt());
            let momentum = T::from_f64((t - 1.0) / t_new);
            vectorised(|| extrapolate(&mut s.y, h, &s.previous, momentum));
            t = t_new;
        }
        if self.value(h, b, s.rows, &mut s.image) > before {
            s.y.copy_from_slice(&s.start);
            self.step_from_y(h, b, s);
        }
    }

    /// `h = max(0, y - (G y - b) / L)`.
    fn step_from_y(&self, h: &mut [T], b: &[T], s: &mut Scratch<T>) {
        self.apply_gram(&s.y, s.rows, &mut s.image);
        vectorised(|| project(h, &s.y, &s.image, b, self.step));
    }

    fn value(&self, h: &[T], b: &[T], rows: usize, image: &mut [T]) -> f64 {
        self.apply_gram(h, rows, image);
        0.5 * dot(h, image) - dot(h, b)
    }

    fn apply_gram(&self, h: &[T], rows: usize, image: &mut [T]) {
        let block = MatrixView::contiguous(h, rows, h.len() / rows);
        mul_block(image, self.gram.view(), block);
    }
}

#[inline(always)]
fn project<T: Scalar>(h: &mut [T], y: &[T], image: &[T], b: &[T], step: T) {
    for (((h, y), image), b) in h.iter_mut().zip(y).zip(image).zip(b) {
        let new = *y - (*image - *b) * step;
        *h = if new < T::FLUSH { T::ZERO } else { new };
    }
}

#[inline(always)]
fn extrapolate<T: Scalar>(y: &mut [T], h: &[T], previous: &[T], momentum: T) {
    for ((y, h), previous) in y.iter_mut().zip(h).zip(previous) {
        *y = *h + momentum * (*h - *previous);
    }
}

/// Whether the step just taken from `y` points against the move from `previous`.
fn uphill<T: Scalar>(y: &[T], h: &[T], previous: &[T]) -> bool {
    let along: f64 = y
        .iter()
        .zip(h)
        .zip(previous)
        .map(|((y, h), previous)| (*y - *h).to_f64() * (*h - *previous).to_f64())
        .sum();
    along > 0.0
}
