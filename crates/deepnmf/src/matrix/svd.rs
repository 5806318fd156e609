//! Singular value decompositions: exact, randomized with a stated accuracy, symmetric.
//!
//! All of them run on one thread but for the products with the data, because the parallel
//! decompositions of the linear-algebra crate round differently for each number of threads.

use std::ops::ControlFlow;

use faer::diag::DiagMut;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::evd::{self, ComputeEigenvectors};
use faer::{MatMut, MatRef, Par};

use super::product::{add_mul, gram_of_rows, mul, product};
use super::{DataMatrix, Matrix, MatrixView, Scalar};
use crate::error::{Error, Result};
use crate::rng;

/// The leading part of a singular value decomposition `X ~ U diag(s) V^T`.
#[derive(Debug, Clone)]
pub struct Svd<T> {
    /// Left singular vectors, `p x k`.
    pub u: Matrix<T>,
    /// Singular values, largest first.
    pub s: Vec<f64>,
    /// Right singular vectors, `n x k`, of the samples of this part.
    pub v: Matrix<T>,
    /// The largest `|X v_i - s_i u_i| / s_1`. A true singular value lies within `accuracy * s_1`
    /// of each `s_i`, and the error of the sum of squares is of the order of its square.
    pub accuracy: f64,
}

/// How to compute a truncated singular value decomposition.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum SvdMethod {
    /// Exact where the matrix is small or most of it is asked for, by eigenvectors of `X X^T` where
    /// samples are very many, randomized otherwise.
    Auto,
    /// All singular values by a dense decomposition, then the first `k`.
    Exact,
    /// Randomized subspace iteration until [`Svd::accuracy`] is at most `tolerance`.
    Randomized {
        /// The accuracy to reach.
        tolerance: f64,
    },
}

/// The accuracy that [`SvdMethod::Auto`] asks of the randomized method: the error of a sum of
/// squared singular values is about its square.
const AUTO_TOLERANCE: f64 = 3e-6;
/// Below this smaller dimension the exact decomposition takes no time worth saving.
const SMALL: usize = 256;
/// Up to this many entries a copy of the data, which the exact decomposition needs, is affordable.
const COPIED: usize = 1 << 24;
/// Subspace iterations before the randomized method gives way.
const MOST_ITERATIONS: usize = 60;
/// Up to this smaller dimension the exact decomposition is a reasonable last resort.
const DENSE_LIMIT: usize = 4096;

/// The `k` leading singular values and vectors of `x`; all parts of `x` call it together.
///
/// ```
/// use deepnmf::matrix::{truncated_svd, Matrix, SvdMethod};
/// let x = Matrix::from_vec(2, 2, vec![3.0, 0.0, 0.0, 1.0])?;
/// let svd = truncated_svd(&x, 1, SvdMethod::Exact, 0)?;
/// assert!((svd.s[0] - 3.0f64).abs() < 1e-12);
/// # Ok::<(), deepnmf::Error>(())
/// ```
///
/// # Errors
/// If `k` is zero or larger than the smaller dimension of `x`, or if a decomposition fails.
pub fn truncated_svd<T: Scalar>(
    x: &dyn DataMatrix<T>,
    k: usize,
    method: SvdMethod,
    seed: u64,
) -> Result<Svd<T>> {
    T::truncated_svd(x, k, method, seed)
}

/// [`truncated_svd`] itself.
pub(crate) fn compute_truncated_svd<T: Scalar>(
    x: &dyn DataMatrix<T>,
    k: usize,
    method: SvdMethod,
    seed: u64,
) -> Result<Svd<T>> {
    let (p, n) = (x.shape().0, x.parts().total());
    let full = p.min(n);
    if k == 0 || k > full {
        let accepted = format!("1 to {full} singular values can be asked of a {p} x {n} matrix");
        return Err(Error::parameter("the number of singular values", k, accepted));
    }
    let small = p * n <= COPIED;
    let may_densify = x.may_densify();
    let (tolerance, exact) = match method {
        SvdMethod::Exact if !may_densify => {
            let accepted = "these data are too large for the dense copy that it takes, use another";
            return Err(Error::parameter("the method of decomposition", "exact", accepted));
        }
        SvdMethod::Exact => (0.0, true),
        SvdMethod::Randomized { tolerance } => (tolerance, false),
        SvdMethod::Auto if !small && p == full && p <= DENSE_LIMIT / 2 => return gram_svd(x, k),
        SvdMethod::Auto => (AUTO_TOLERANCE, may_densify && (full <= SMALL || 3 * k > full)),
    };
    if exact {
        return exact_svd(x, k);
    }
    let approximate = randomized_svd(x, k, tolerance, seed)?;
    let give_way = method == SvdMethod::Auto && may_densify && full <= DENSE_LIMIT;
    if approximate.accuracy > tolerance && give_way { exact_svd(x, k) } else { Ok(approximate) }
}

fn exact_svd<T: Scalar>(x: &dyn DataMatrix<T>, k: usize) -> Result<Svd<T>> {
    let ThinSvd { u, s, v } = thin_svd(x.to_dense()?.view())?;
    let accuracy = T::EPSILON.to_f64() * (u.rows().max(v.rows()) as f64).sqrt();
    let own = x.parts().range();
    let v = Matrix::from_fn(own.len(), k, |j, i| v[(own.start + j, i)]);
    Ok(Svd { u: u.view_columns(0..k).to_matrix(), s: s[..k].to_vec(), v, accuracy })
}

/// From the eigenvectors of `X X^T`, summed up in `f64`: no copy of many samples, at the price of
/// singular values below a hundred-millionth of the largest.
fn gram_svd<T: Scalar>(x: &dyn DataMatrix<T>, k: usize) -> Result<Svd<T>> {
    let (p, n) = x.shape();
    let mut gram = Matrix::zeros(p, p);
    let mut wide = Matrix::<f64>::zeros(0, 0);
    x.blocks(&mut |_, block| {
        if wide.cols() != block.cols() {
            wide = Matrix::zeros(p, block.cols());
        }
        for j in 0..block.cols() {
            wide.col_mut(j).iter_mut().zip(block.col(j)).for_each(|(w, v)| *w = v.to_f64());
        }
        add_mul(&mut gram, wide.view(), wide.t());
        ControlFlow::Continue(())
    })?;
    x.parts().sum(gram.as_mut_slice())?;
    let (squares, vectors) = symmetric_eigen(&gram)?;
    let u = vectors.view_columns(0..k).to_matrix().cast::<T>();
    let s: Vec<f64> = squares[..k].iter().map(|v| v.max(0.0).sqrt()).collect();
    let mut b = Matrix::zeros(k, n);
    x.tr_mul(&u, &mut b)?;
    let v = Matrix::from_fn(n, k, |j, i| {
        if s[i] > 0.0 { T::from_f64(b[(i, j)].to_f64() / s[i]) } else { T::ZERO }
    });
    let accuracy =
        (f64::EPSILON * (x.parts().total() as f64).sqrt()).sqrt().max(T::EPSILON.to_f64());
    Ok(Svd { u, s, v, accuracy })
}

/// Subspace iteration (Halko, Martinsson & Tropp) that stops on a residual, not after a fixed
/// number of rounds: with `B = Q^T X`, the next block `X B^T` also tells how far each pair of
/// singular vectors is from being one.
fn randomized_svd<T: Scalar>(
    x: &dyn DataMatrix<T>,
    k: usize,
    tolerance: f64,
    seed: u64,
) -> Result<Svd<T>> {
    let (p, parts) = (x.shape().0, x.parts());
    let width = (k + (k / 2).max(10)).min(p.min(parts.total()));
    let mut b = rng::normal_columns(width, parts.range(), seed, rng::Purpose::Svd);
    let mut next = Matrix::zeros(p, width);
    x.mul_tr(&b, &mut next)?;
    let mut gram = Matrix::zeros(width, width);
    for round in 1.. {
        let q = orthonormal_columns(next.clone())?;
        x.tr_mul(&q, &mut b)?;
        gram_of_rows(&mut gram, &b, parts)?;
        let (squares, vectors) = symmetric_eigen(&gram)?;
        x.mul_tr(&b, &mut next)?;
        let vectors = vectors.view_columns(0..k).to_matrix().cast::<T>();
        let u = product(q.view(), vectors.view());
        let images = product(next.view(), vectors.view());
        let accuracy = worst_residual(&u, &images, &squares);
        if accuracy <= tolerance || round == MOST_ITERATIONS {
            let s: Vec<f64> = squares[..k].iter().map(|v| v.max(0.0).sqrt()).collect();
            let mut v = product(b.t(), vectors.view());
            for (j, s) in s.iter().enumerate() {
                let inverse = if *s > 0.0 { T::from_f64(1.0 / s) } else { T::ZERO };
                v.col_mut(j).iter_mut().for_each(|v| *v *= inverse);
            }
            return Ok(Svd { u, s, v, accuracy });
        }
    }
    unreachable!("the loop returns in its last round")
}

/// The largest `|X v_i - s_i u_i|` relative to `s_1`, where `images` holds `s_i X v_i`.
fn worst_residual<T: Scalar>(u: &Matrix<T>, images: &Matrix<T>, squares: &[f64]) -> f64 {
    let largest = squares.first().map_or(0.0, |s| s.sqrt());
    let residual = |j: usize| {
        let square = squares[j];
        let distance: f64 = images
            .col(j)
            .iter()
            .zip(u.col(j))
            .map(|(image, u)| (image.to_f64() - square * u.to_f64()).powi(2))
            .sum();
        let s = square.max(0.0).sqrt();
        if s > f64::EPSILON * largest { distance.sqrt() / (s * largest) } else { 0.0 }
    };
    (0..u.cols()).map(residual).fold(0.0, f64::max)
}

/// An orthonormal basis of the columns' span, by Householder reflections.
fn orthonormal_columns<T: Scalar>(mut a: Matrix<T>) -> Result<Matrix<T>> {
    let (rows, cols) = a.shape();
    let mut q = Matrix::from_fn(rows, cols, |i, j| if i == j { T::ONE } else { T::ZERO });
    T::orthonormalize(
        MatMut::from_column_major_slice_mut(a.as_mut_slice(), rows, cols),
        MatMut::from_column_major_slice_mut(q.as_mut_slice(), rows, cols),
    );
    if q.as_slice().iter().all(|v| v.finite()) {
        Ok(q)
    } else {
        Err(Error::Numerical("orthogonalisation met numbers out of range: rescale the data".into()))
    }
}

/// Eigenvalues, largest first, and eigenvectors of a symmetric matrix.
pub(crate) fn symmetric_eigen(a: &Matrix<f64>) -> Result<(Vec<f64>, Matrix<f64>)> {
    let k = a.rows();
    let mut values = vec![0.0; k];
    let mut vectors = Matrix::zeros(k, k);
    let scratch = evd::self_adjoint_evd_scratch::<f64>(
        k,
        ComputeEigenvectors::Yes,
        Par::Seq,
        Default::default(),
    );
    evd::self_adjoint_evd(
        MatRef::from_column_major_slice(a.as_slice(), k, k),
        DiagMut::from_slice_mut(&mut values),
        Some(MatMut::from_column_major_slice_mut(vectors.as_mut_slice(), k, k)),
        Par::Seq,
        MemStack::new(&mut MemBuffer::new(scratch)),
        Default::default(),
    )
    .map_err(|_| no_convergence())?;
    values.reverse();
    let vectors = Matrix::from_fn(k, k, |i, j| vectors[(i, k - 1 - j)]);
    Ok((values, vectors))
}

/// All singular values, largest first, with their left and right vectors.
struct ThinSvd<T> {
    u: Matrix<T>,
    s: Vec<f64>,
    v: Matrix<T>,
}

fn thin_svd<T: Scalar>(a: MatrixView<'_, T>) -> Result<ThinSvd<T>> {
    let (rows, cols) = a.shape();
    let size = rows.min(cols);
    let mut values = vec![T::ZERO; size];
    let mut u = Matrix::zeros(rows, size);
    let mut v = Matrix::zeros(cols, size);
    let converged = T::thin_svd(
        a.faer(),
        &mut values,
        MatMut::from_column_major_slice_mut(u.as_mut_slice(), rows, size),
        MatMut::from_column_major_slice_mut(v.as_mut_slice(), cols, size),
    );
    if !converged {
        return Err(no_convergence());
    }
    Ok(ThinSvd { u, s: values.iter().map(|s| s.to_f64()).collect(), v })
}

/// The Moore-Penrose pseudo-inverse.
///
/// # Errors
/// If the singular value decomposition does not converge.
pub fn pseudo_inverse<T: Scalar>(a: MatrixView<'_, T>) -> Result<Matrix<T>> {
    let ThinSvd { u, s, mut v } = thin_svd(a)?;
    let cutoff =
        s.first().copied().unwrap_or(0.0) * T::EPSILON.to_f64() * a.rows().max(a.cols()) as f64;
    for (j, s) in s.iter().enumerate() {
        let inverse = if *s > cutoff { T::from_f64(1.0 / s) } else { T::ZERO };
        v.col_mut(j).iter_mut().for_each(|v| *v *= inverse);
    }
    let mut out = Matrix::zeros(a.cols(), a.rows());
    mul(&mut out, v.view(), u.t());
    Ok(out)
}

fn no_convergence() -> Error {
    Error::Numerical("a matrix decomposition did not converge: rescale the data".into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::normal;

    #[test]
    fn eigenvectors_of_the_gram_matrix_give_the_exact_decomposition() {
        fn check<T: Scalar>(digits: f64) {
            let x = normal::<T>(12, 700, 1);
            let (exact, gram) = (exact_svd(&x, 5).unwrap(), gram_svd(&x, 5).unwrap());
            for i in 0..5 {
                assert!((exact.s[i] / gram.s[i] - 1.0).abs() < digits);
                let same = |a: &[T], b: &[T]| (crate::matrix::dot(a, b).abs() - 1.0).abs() < digits;
                assert!(same(exact.u.col(i), gram.u.col(i)));
                assert!(same(exact.v.col(i), gram.v.col(i)));
            }
        }
        check::<f64>(1e-9);
        check::<f32>(1e-4);
    }
}
