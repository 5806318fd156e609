//! The linear algebra of each number type, compiled once.
//!
//! Everything in this crate is generic over [`Scalar`](super::Scalar), and generic code is compiled anew
//! in every crate that uses it. These methods are not: code that uses them finds them compiled.

use faer::diag::DiagMut;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::householder;
use faer::linalg::matmul::matmul;
use faer::linalg::matmul::triangular::{self, BlockStructure};
use faer::linalg::qr::no_pivoting::factor as qr;
use faer::linalg::svd::{self as faer_svd, ComputeSvdVectors};
use faer::{Accum, Conj, MatMut, MatRef, Par};

/// What faer computes for one number type. `MatRef` and `MatMut` are views of our memory.
pub trait Kernels: Sized {
    /// `out = a b` or `out += a b`.
    fn matmul(
        out: MatMut<'_, Self>,
        accumulate: Accum,
        a: MatRef<'_, Self>,
        b: MatRef<'_, Self>,
        par: Par,
    );

    /// The lower half of `a a^T`.
    fn lower_gram(out: MatMut<'_, Self>, accumulate: Accum, a: MatRef<'_, Self>, par: Par);

    /// Replaces the columns of `a` by Householder reflections and sets `q`, which begins as the first
    /// columns of an identity matrix, to an orthonormal basis of their span.
    fn orthonormalize(a: MatMut<'_, Self>, q: MatMut<'_, Self>);

    /// All singular values and both kinds of vectors; false if the iteration does not converge.
    fn thin_svd(
        a: MatRef<'_, Self>,
        values: &mut [Self],
        u: MatMut<'_, Self>,
        v: MatMut<'_, Self>,
    ) -> bool;
}

macro_rules! kernels {
    ($type:ty) => {
        impl Kernels for $type {
            fn matmul(
                out: MatMut<'_, Self>,
                accumulate: Accum,
                a: MatRef<'_, Self>,
                b: MatRef<'_, Self>,
                par: Par,
            ) {
                matmul(out, accumulate, a, b, 1.0, par);
            }

            fn lower_gram(out: MatMut<'_, Self>, accumulate: Accum, a: MatRef<'_, Self>, par: Par) {
                let (lower, whole) = (BlockStructure::TriangularLower, BlockStructure::Rectangular);
                triangular::matmul(
                    out,
                    lower,
                    accumulate,
                    a,
                    whole,
                    a.transpose(),
                    whole,
                    1.0,
                    par,
                );
            }

            fn orthonormalize(mut a: MatMut<'_, Self>, q: MatMut<'_, Self>) {
                let (rows, cols) = (a.nrows(), a.ncols());
                let block = qr::recommended_block_size::<$type>(rows, cols);
                let mut coefficients = faer::Mat::<$type>::zeros(block, cols);
                let scratch = qr::qr_in_place_scratch::<$type>(
                    rows,
                    cols,
                    block,
                    Par::Seq,
                    Default::default(),
                );
                qr::qr_in_place(
                    a.as_mut(),
                    coefficients.as_mut(),
                    Par::Seq,
                    MemStack::new(&mut MemBuffer::new(scratch)),
                    Default::default(),
                );
                let scratch =
                    householder::apply_block_householder_sequence_on_the_left_in_place_scratch::<
                        $type,
                    >(rows, block, cols);
                householder::apply_block_householder_sequence_on_the_left_in_place_with_conj(
                    a.as_ref(),
                    coefficients.as_ref(),
                    Conj::No,
                    q,
                    Par::Seq,
                    MemStack::new(&mut MemBuffer::new(scratch)),
                );
            }

            fn thin_svd(
                a: MatRef<'_, Self>,
                values: &mut [Self],
                u: MatMut<'_, Self>,
                v: MatMut<'_, Self>,
            ) -> bool {
                let (rows, cols) = (a.nrows(), a.ncols());
                let thin = ComputeSvdVectors::Thin;
                let scratch = faer_svd::svd_scratch::<$type>(
                    rows,
                    cols,
                    thin,
                    thin,
                    Par::Seq,
                    Default::default(),
                );
                faer_svd::svd(
                    a,
                    DiagMut::from_slice_mut(values),
                    Some(u),
                    Some(v),
                    Par::Seq,
                    MemStack::new(&mut MemBuffer::new(scratch)),
                    Default::default(),
                )
                .is_ok()
            }
        }
    };
}

kernels!(f32);
kernels!(f64);
