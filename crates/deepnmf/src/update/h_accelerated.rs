//! Nesterov's accelerated projected gradient with restart (Nesterov 2007; the restart of
//! O'Donoghue & Candes 2015):
//!
//! ```text
//! H_new <- max(0, Y - (G Y - B) / L)
//! t_new <- (1 + sqrt(1 + 4 t^2)) / 2
//! Y     <- H_new + (t - 1) / t_new * (H_new - H)
//! ```
//!
//! (with `B + H W` and `G + d_j I` where there is a graph.) `L >= |G|_2` makes each plain step a
//! descent. Every column has a momentum of its own, which is dropped where it points uphill, and a
//! column that should end higher than it began takes one plain step instead.

use super::Products;
use super::blocks::{for_each_block, vectorised};
use crate::matrix::{Matrix, MatrixView, Scalar, dot, mul_block};

/// Columns that stay in cache together.
const COLUMNS: usize = 128;

/// `steps` accelerated gradient steps on `h`.
pub fn h_accelerated<T: Scalar>(h: &mut Matrix<T>, products: Products<'_, T>, steps: usize) {
    let rows = h.rows();
    let gram = products.phi_t_phi;
    let bound = curvature_bound(gram);
    for_each_block(h, products, COLUMNS, Scratch::default, |scratch, h, target| {
        let (mut pulled, mut degrees): (Vec<T>, &[T]) = (vec![], &[]);
        if let Some(graph) = target.graph {
            pulled = target.b.iter().zip(graph.hw).map(|(b, hw)| *b + *hw).collect();
            degrees = graph.degrees;
        }
        let b = if degrees.is_empty() { target.b } else { &pulled };
        scratch.columns.clear();
        scratch.columns.extend((0..h.len() / rows).map(|j| {
            let curvature = bound + degrees.get(j).map_or(0.0, |d| d.to_f64());
            // A zero basis otherwise: every column is as good.
            let step = if curvature > 0.0 { 1.0 / curvature } else { 0.0 };
            Column { step: T::from_f64(step), t: 1.0, before: 0.0 }
        }));
        Problem { gram, degrees, rows, b }.descend(h, steps, scratch);
    });
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
    rows: usize,
    b: &'a [T],
}

#[derive(Default)]
struct Scratch<T> {
    start: Vec<T>,
    y: Vec<T>,
    previous: Vec<T>,
    image: Vec<T>,
    columns: Vec<Column<T>>,
}

/// What one column has for itself.
struct Column<T> {
    step: T,
    /// The momentum's counter.
    t: f64,
    /// The value at the beginning.
    before: f64,
}

impl<T: Scalar> Problem<'_, T> {
    fn descend(&self, h: &mut [T], steps: usize, s: &mut Scratch<T>) {
        let Scratch { start, y, previous, image, columns } = s;
        for buffer in [&mut *start, &mut *y, &mut *previous, &mut *image] {
            buffer.clear();
            buffer.extend_from_slice(h);
        }
        let k = self.rows;
        self.apply_gram(h, image);
        for (j, column) in columns.iter_mut().enumerate() {
            column.before = self.value(j, h, image);
        }
        for _ in 0..steps {
            previous.copy_from_slice(h);
            self.apply_gram(y, image);
            for (j, column) in columns.iter_mut().enumerate() {
                let here = j * k..(j + 1) * k;
                let (h, y, previous) =
                    (&mut h[here.clone()], &mut y[here.clone()], &previous[here.clone()]);
                let (image, b) = (&image[here.clone()], &self.b[here]);
                vectorised(|| project(h, y, image, b, column.step));
                if column.t > 1.0 && uphill(y, h, previous) {
                    column.t = 1.0;
                }
                let next = f64::midpoint(1.0, (1.0 + 4.0 * column.t * column.t).sqrt());
                let momentum = T::from_f64((column.t - 1.0) / next);
                vectorised(|| extrapolate(y, h, previous, momentum));
                column.t = next;
            }
        }
        self.apply_gram(h, image);
        let higher = |j: usize, column: &Column<T>| self.value(j, h, image) > column.before;
        let worse: Vec<usize> = (0..columns.len()).filter(|&j| higher(j, &columns[j])).collect();
        if !worse.is_empty() {
            self.apply_gram(start, image);
        }
        for j in worse {
            let here = j * k..(j + 1) * k;
            let (start, image) = (&start[here.clone()], &image[here.clone()]);
            project(&mut h[here.clone()], start, image, &self.b[here], columns[j].step);
        }
    }

    /// The value of column `j`, where `image` is `G H + H D`.
    fn value(&self, j: usize, h: &[T], image: &[T]) -> f64 {
        let here = j * self.rows..(j + 1) * self.rows;
        let h = &h[here.clone()];
        0.5 * dot(h, &image[here.clone()]) - dot(h, &self.b[here])
    }

    /// `image = G H + H D`.
    fn apply_gram(&self, h: &[T], image: &mut [T]) {
        let block = MatrixView::contiguous(h, self.rows, h.len() / self.rows);
        mul_block(image, self.gram.view(), block);
        let columns = image.chunks_exact_mut(self.rows).zip(h.chunks_exact(self.rows));
        for ((image, h), d) in columns.zip(self.degrees) {
            image.iter_mut().zip(h).for_each(|(image, h)| *image += *d * *h);
        }
    }
}

/// `h = max(0, y - (G y - b) / L)`.
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
