//! Singular value decompositions: exact, randomized with a stated accuracy, symmetric.
//!
//! All of them run on one thread but for the products with the data, because the parallel
//! decompositions of the linear-algebra crate round differently for each number of threads.

use std::ops::ControlFlow;

use faer::diag::DiagMut;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::evd::{self, ComputeEigenvectors};
use faer::{MatMut, MatRef, Par};

use super::kernels::Kernels;
use super::krylov::randomized_svd;
use super::product::{gram_of_columns, mul, product};
use super::{DataMatrix, Matrix, MatrixView, Scalar, Widened};
use crate::error::{Error, Result};

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
    /// Exact where the matrix is small, by eigenvectors of a Gram matrix where one side is short or most of
    /// the singular values are asked for, randomized otherwise.
    Auto,
    /// The same, but a thousandth of the largest singular value is accurate enough: for factors that only begin.
    Rough,
    /// All singular values by a dense decomposition, then the first `k`.
    Exact,
    /// By eigenvectors of `X X^T` or `X^T X`, whichever is smaller.
    Gram,
    /// Randomized block Lanczos (`krylov.rs`) until [`Svd::accuracy`] is at most `tolerance`.
    Randomized {
        /// The accuracy to reach.
        tolerance: f64,
    },
}

impl<T: Scalar> Svd<T> {
    /// How many of the singular values are more than rounding. Numbers of type `T` are off by a share of
    /// `T::EPSILON` at most, each in its own direction: all of them together make up singular values of no
    /// more than a few times that share of the largest, however many they are.
    pub fn rank(&self) -> usize {
        let largest = self.s.first().copied().unwrap_or(0.0);
        let rounding = largest * self.accuracy.max(4.0 * T::EPSILON.to_f64());
        self.s.iter().take_while(|s| **s > rounding).count()
    }
}

/// The accuracy that [`SvdMethod::Auto`] asks of the randomized method: the error of a sum of
/// squared singular values is about its square.
pub(crate) const AUTO_TOLERANCE: f64 = 3e-6;
/// The same of [`SvdMethod::Rough`].
const ROUGH_TOLERANCE: f64 = 1e-3;
/// Up to this smaller dimension, and this many entries, the exact decomposition takes no time worth saving.
const SMALL: usize = 256;
const SMALL_COPY: usize = 1 << 18;
/// Up to this many entries the exact decomposition is affordable where most of it is asked for.
const COPIED: usize = 1 << 24;
/// Up to this smaller dimension the eigenvectors of a Gram matrix take less time than a few rounds of a
/// randomized decomposition. Measured with 20000 samples of 500 features, 50 components: 0.08 s, randomized
/// 1.6 s; 1024 features, 100 components: 0.3 and 3.7 s; 2048 features, 40 components: 2.1 and 11 s where the
/// spectrum is flat, but 4000 samples of low rank: 1.2 and 0.07 s.
const GRAM_SIDE: usize = 768;
/// Up to this one they take less time than many rounds, which flat spectra need.
const GRAM_LIMIT: usize = 2048;
/// Rounds that tell whether a spectrum is flat.
const FEW_ITERATIONS: usize = 12;
/// Singular values from this share of the largest on keep enough digits when squared.
const GRAM_RANGE: f64 = 1e-5;
/// Rounds before the randomized method gives way.
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

/// [`truncated_svd`] of `f32` data: their squares have digits that `f32` does not.
pub(crate) fn widened_svd<T: Scalar>(
    x: &dyn DataMatrix<T>,
    k: usize,
    method: SvdMethod,
    seed: u64,
) -> Result<Svd<T>> {
    let Svd { u, s, v, accuracy } = compute_truncated_svd(&Widened(x), k, method, seed)?;
    Ok(Svd { u: u.cast(), s, v: v.cast(), accuracy })
}

/// [`truncated_svd`] itself.
pub(crate) fn compute_truncated_svd(
    x: &dyn DataMatrix<f64>,
    k: usize,
    method: SvdMethod,
    seed: u64,
) -> Result<Svd<f64>> {
    let (p, n) = (x.shape().0, x.parts().total());
    let full = p.min(n);
    if k == 0 || k > full {
        let accepted = format!("1 to {full} singular values can be asked of a {p} x {n} matrix");
        return Err(Error::parameter("the number of singular values", k, accepted));
    }
    match method {
        SvdMethod::Exact if x.may_densify() => exact_svd(x, k),
        SvdMethod::Exact => {
            let accepted = "these data are too large for the dense copy that it takes, use another";
            Err(Error::parameter("the method of decomposition", "exact", accepted))
        }
        SvdMethod::Gram => gram_svd(x, k),
        SvdMethod::Randomized { tolerance } => {
            randomized_svd(x, k, tolerance, MOST_ITERATIONS, seed)
        }
        SvdMethod::Auto => suitable_svd(x, k, AUTO_TOLERANCE, seed),
        SvdMethod::Rough => suitable_svd(x, k, ROUGH_TOLERANCE, seed),
    }
}

/// The cheapest decomposition that is accurate enough.
fn suitable_svd(x: &dyn DataMatrix<f64>, k: usize, tolerance: f64, seed: u64) -> Result<Svd<f64>> {
    let (p, n) = (x.shape().0, x.parts().total());
    let full = p.min(n);
    let may_densify = x.may_densify();
    let most_of_it = 3 * k > full;
    let tiny = full <= SMALL && p * n <= SMALL_COPY;
    if may_densify && (tiny || full > GRAM_SIDE && most_of_it && p * n <= COPIED) {
        return exact_svd(x, k);
    }
    // A Gram matrix of the samples compares all of them with all, which takes them in one place.
    let in_one_place = may_densify || x.parts().is_whole() && x.entries_held().is_some();
    let gram_is_affordable = full <= GRAM_LIMIT && (p <= n || in_one_place);
    let exact_is_affordable = full <= DENSE_LIMIT && may_densify;
    if !(gram_is_affordable && (full <= GRAM_SIDE || most_of_it)) {
        let rounds = if gram_is_affordable { FEW_ITERATIONS } else { MOST_ITERATIONS };
        let svd = randomized_svd(x, k, tolerance, rounds, seed)?;
        let nothing_better = !gram_is_affordable && !exact_is_affordable;
        if svd.accuracy <= tolerance || nothing_better {
            return Ok(svd);
        }
    }
    if gram_is_affordable {
        let svd = gram_svd(x, k)?;
        if svd.s[k - 1] > GRAM_RANGE * svd.s[0] {
            return Ok(svd);
        }
    }
    if exact_is_affordable {
        return exact_svd(x, k);
    }
    randomized_svd(x, k, tolerance, MOST_ITERATIONS, seed)
}

fn exact_svd(x: &dyn DataMatrix<f64>, k: usize) -> Result<Svd<f64>> {
    let ThinSvd { u, s, v } = thin_svd(x.to_dense()?.view())?;
    let accuracy = f64::EPSILON * (u.rows().max(v.rows()) as f64).sqrt();
    let own = x.parts().range();
    let v = Matrix::from_fn(own.len(), k, |j, i| v[(own.start + j, i)]);
    Ok(Svd { u: u.view_columns(0..k).to_matrix(), s: s[..k].to_vec(), v, accuracy })
}

/// `|X - U U^T X|_F` for the `k` leading left singular vectors, in `f64` and by its definition: what is left of
/// `|X|^2` less the squared singular values may be rounding alone.
pub(crate) fn truncation_error<T: Scalar>(
    x: &dyn DataMatrix<T>,
    k: usize,
    seed: u64,
) -> Result<f64> {
    let x = Widened(x);
    let u = compute_truncated_svd(&x, k, SvdMethod::Auto, seed)?.u;
    let mut along = Matrix::zeros(k, x.shape().1);
    x.tr_mul(&u, &mut along)?;
    Ok(x.residual_norm_sq(&u, &along)?.sqrt())
}

/// From the eigenvectors of `X X^T`, or of `X^T X` where samples are fewer than features. Singular values
/// below a hundred-millionth of the largest are lost.
fn gram_svd(x: &dyn DataMatrix<f64>, k: usize) -> Result<Svd<f64>> {
    let (p, parts) = (x.shape().0, x.parts());
    let (n, accuracy) = (parts.samples(), (f64::EPSILON * (parts.total() as f64).sqrt()).sqrt());
    if p <= parts.total() {
        let (s, u) = leading_eigenvectors(&x.gram_of_features()?, k)?;
        let mut v = Matrix::zeros(n, k);
        if x.entries_held().is_some() {
            let mut along = Matrix::zeros(k, n);
            x.tr_mul(&u, &mut along)?;
            for (i, s) in s.iter().enumerate() {
                let (column, inverse) = (v.col_mut(i), inverse_or_zero(*s));
                (0..n).for_each(|j| column[j] = along[(i, j)] * inverse);
            }
            return Ok(Svd { u, s, v, accuracy });
        }
        // Block by block: many samples are copied once, not twice.
        x.blocks(&mut |start, block| {
            let along = product(u.t(), block);
            for i in 0..k {
                let (column, inverse) = (v.col_mut(i), inverse_or_zero(s[i]));
                (0..block.cols()).for_each(|j| column[start + j] = along[(i, j)] * inverse);
            }
            ControlFlow::Continue(())
        })?;
        return Ok(Svd { u, s, v, accuracy });
    }
    let (s, v) = leading_eigenvectors(&gram_of_samples(x)?, k)?;
    let own = parts.range();
    let v = Matrix::from_fn(n, k, |j, i| v[(own.start + j, i)]);
    let mut u = Matrix::zeros(p, k);
    x.mul_tr(&v.t().to_matrix(), &mut u)?;
    for (j, s) in s.iter().enumerate() {
        let inverse = inverse_or_zero(*s);
        u.col_mut(j).iter_mut().for_each(|v| *v *= inverse);
    }
    Ok(Svd { u, s, v, accuracy })
}

/// `X^T X` of the samples of all parts.
fn gram_of_samples(x: &dyn DataMatrix<f64>) -> Result<Matrix<f64>> {
    let n = x.parts().total();
    let mut gram = Matrix::zeros(n, n);
    if x.entries_held().is_none() || !x.parts().is_whole() {
        gram_of_columns(&mut gram, &x.to_dense()?);
        return Ok(gram);
    }
    // Sparse data are multiplied by a block of themselves at a time.
    let mut failed = Ok(());
    x.blocks(&mut |start, block| {
        let mut products = Matrix::zeros(block.cols(), n);
        failed = x.tr_mul(&block.to_matrix(), &mut products);
        for j in 0..block.cols() {
            let column = gram.col_mut(start + j).iter_mut().enumerate();
            column.for_each(|(l, gram)| *gram = products[(j, l)]);
        }
        if failed.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })?;
    failed.map(|()| gram)
}

/// The roots of the `k` largest eigenvalues, and their vectors.
fn leading_eigenvectors(gram: &Matrix<f64>, k: usize) -> Result<(Vec<f64>, Matrix<f64>)> {
    let (squares, vectors) = symmetric_eigen(gram)?;
    let roots = squares[..k].iter().map(|v| v.max(0.0).sqrt()).collect();
    Ok((roots, vectors.view_columns(0..k).to_matrix()))
}

pub(super) fn inverse_or_zero(s: f64) -> f64 {
    if s > 0.0 { 1.0 / s } else { 0.0 }
}

/// An orthonormal basis of the columns' span, by Householder reflections.
pub(super) fn orthonormal_columns(mut a: Matrix<f64>) -> Result<Matrix<f64>> {
    let (rows, cols) = a.shape();
    let mut q = Matrix::from_fn(rows, cols, |i, j| if i == j { 1.0 } else { 0.0 });
    f64::orthonormalize(
        MatMut::from_column_major_slice_mut(a.as_mut_slice(), rows, cols),
        MatMut::from_column_major_slice_mut(q.as_mut_slice(), rows, cols),
    );
    if q.as_slice().iter().all(|v| v.is_finite()) {
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
    let cutoff = s.first().copied().unwrap_or(0.0) * T::EPSILON.to_f64() * root_of_size(a.shape());
    for (j, s) in s.iter().enumerate() {
        let inverse = if *s > cutoff { T::from_f64(1.0 / s) } else { T::ZERO };
        v.col_mut(j).iter_mut().for_each(|v| *v *= inverse);
    }
    let mut out = Matrix::zeros(a.cols(), a.rows());
    mul(&mut out, v.view(), u.t());
    Ok(out)
}

/// How many rounding units errors of a decomposition come to: they point in all directions.
fn root_of_size((rows, cols): (usize, usize)) -> f64 {
    4.0 * (rows.max(cols) as f64).sqrt()
}

fn no_convergence() -> Error {
    Error::Numerical("a matrix decomposition did not converge: rescale the data".into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::normal;

    /// Tall, wide, and in two number types.
    #[test]
    fn eigenvectors_of_the_gram_matrix_give_the_exact_decomposition() {
        fn check<T: Scalar>(p: usize, n: usize, digits: f64) {
            let x = normal::<T>(p, n, 1);
            let by = |method| truncated_svd(&x, 5, method, 0).unwrap();
            let (exact, gram) = (by(SvdMethod::Exact), by(SvdMethod::Gram));
            for i in 0..5 {
                assert!((exact.s[i] / gram.s[i] - 1.0).abs() < digits);
                let same = |a: &[T], b: &[T]| (crate::matrix::dot(a, b).abs() - 1.0).abs() < digits;
                assert!(same(exact.u.col(i), gram.u.col(i)));
                assert!(same(exact.v.col(i), gram.v.col(i)));
            }
        }
        check::<f64>(12, 700, 1e-9);
        check::<f64>(700, 12, 1e-9);
        check::<f32>(12, 700, 1e-6);
    }

    /// Many `f32` samples of low rank: no direction is taken for rounding because samples are many.
    #[test]
    fn the_rank_of_single_precision_data_does_not_depend_on_how_many_they_are() {
        for n in [300, 30_000] {
            let mut x = normal::<f32>(8, n, 1);
            for j in 0..n {
                // One direction is a thousand times longer than the others.
                x.col_mut(j)[0] *= 1e3;
            }
            assert_eq!(truncated_svd(&x, 8, SvdMethod::Auto, 0).unwrap().rank(), 8, "{n}");
        }
        let low = product(normal::<f32>(30, 3, 2).view(), normal::<f32>(3, 5000, 3).view());
        assert_eq!(truncated_svd(&low, 6, SvdMethod::Auto, 0).unwrap().rank(), 3);
    }

    /// Large data that can only be multiplied: a copy or a Gram matrix of them would not fit into memory.
    struct ProductsOnly(Matrix<f64>);

    impl DataMatrix<f64> for ProductsOnly {
        fn shape(&self) -> (usize, usize) {
            self.0.shape()
        }

        fn tr_mul(&self, z: &Matrix<f64>, out: &mut Matrix<f64>) -> Result<()> {
            self.0.tr_mul(z, out)
        }

        fn mul_tr(&self, h: &Matrix<f64>, out: &mut Matrix<f64>) -> Result<()> {
            self.0.mul_tr(h, out)
        }

        fn blocks(&self, _: &mut crate::matrix::Visit<'_, f64>) -> Result<()> {
            panic!("no block of these data is wanted")
        }

        fn may_densify(&self) -> bool {
            false
        }
    }

    /// Their spectrum is flat, which takes the randomized decomposition many rounds.
    #[test]
    fn data_with_two_long_sides_are_only_multiplied() {
        let side = GRAM_LIMIT + 2;
        let x = ProductsOnly(normal(side, side, 5));
        let svd = truncated_svd(&x, 2, SvdMethod::Auto, 0).unwrap();
        assert!(svd.accuracy <= AUTO_TOLERANCE, "{}", svd.accuracy);
        // The largest singular value of such a matrix is close to twice the root of its side.
        assert!((svd.s[0] / (2.0 * (side as f64).sqrt()) - 1.0).abs() < 0.05, "{:?}", svd.s);
    }
}
