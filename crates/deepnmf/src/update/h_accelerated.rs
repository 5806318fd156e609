//! Nesterov's accelerated projected gradient with restart (Nesterov 2007; the restart of
//! O'Donoghue & Candes 2015):
//!
//! ```text
//! H_new <- max(0, Y - (G Y - B) / L)
//! t_new <- (1 + sqrt(1 + 4 t^2)) / 2
//! Y     <- H_new + (t - 1) / t_new * (H_new - H)
//! ```
//!
//! (with `B + H W` and `G + d_j I` in the columns of samples that are tied to others.)
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
    let gram = products.phi_t_phi;
    let bound = curvature_bound(gram);
    for_each_block(
        h,
        products,
        COLUMNS,
        || Scratch::new(k),
        |scratch, h, target| {
            scratch.resize(h.len());
            let (mut pulled, mut degrees): (Vec<T>, &[T]) = (vec![], &[]);
            if let Some((hw, d)) = target.ties {
                pulled = target.b.iter().zip(hw).map(|(b, hw)| *b + *hw).collect();
                degrees = d;
            }
            let b = if degrees.is_empty() { target.b } else { &pulled };
            let curvature = degrees.iter().fold(bound, |most, d| most.max(bound + d.to_f64()));
            if curvature > 0.0 {
                let problem = Problem { gram, degrees, step: T::from_f64(1.0 / curvature) };
                problem.descend(h, b, steps, scratch);
            } // a zero basis otherwise: every H is as good
        },
    );
}

/// An upper bound of the spectral norm of a symmetric matrix.
fn curvature_bound<T: Scalar>(gram: &Matrix<T>) -> f64 {
    let row_sum = |c: &[T]| c.iter().map(|v| v.to_f64().abs()).sum::<f64>();
    gram.columns().map(row_sum).fold(0.0, f64::max).min(gram.norm_sq().sqrt())
}

/// One block's `min 1/2 <H, G H + H D> - <B, H>` over non-negative `H`.
struct Problem<'a, T> {
    gram: &'a Matrix<T>,
    /// The diagonal of `D`, or nothing if it is zero.
    degrees: &'a [T],
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
        let columns = image.chunks_exact_mut(rows).zip(h.chunks_exact(rows)).zip(self.degrees);
        for ((image, h), d) in columns {
            image.iter_mut().zip(h).for_each(|(image, h)| *image += *d * *h);
        }
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
