use proptest::prelude::*;

use super::product::gram_of_rows;
use super::*;
use crate::testing::{difference, distance, literal_product, normal};

/// The same numbers with the strides of a C-ordered, a Fortran-ordered and a sliced array.
fn layouts<T: Scalar>(x: &Matrix<T>) -> Vec<(Vec<T>, usize, usize)> {
    let (p, n) = x.shape();
    let by_feature = x.t().to_matrix().into_vec();
    let mut sliced = vec![T::from_f64(f64::NAN); 3 * p * n];
    for j in 0..n {
        for i in 0..p {
            sliced[3 * (i + j * p)] = x[(i, j)];
        }
    }
    vec![(x.as_slice().to_vec(), 1, p), (by_feature, n, 1), (sliced, 3, 3 * p)]
}

fn products_equal_their_definition<T: Scalar>(tolerance: f64) {
    let (x, z, h) = (normal::<T>(17, 1100, 1), normal::<T>(17, 5, 2), normal::<T>(5, 1100, 3));
    for (data, row_stride, col_stride) in layouts(&x) {
        let view = MatrixView::strided(&data, 17, 1100, row_stride, col_stride).unwrap();
        let (mut z_t_x, mut x_ht) = (Matrix::zeros(5, 1100), Matrix::zeros(17, 5));
        view.tr_mul(&z, &mut z_t_x).unwrap();
        view.mul_tr(&h, &mut x_ht).unwrap();
        assert!(distance(&z_t_x, &literal_product(z.t(), x.view())) < tolerance);
        assert!(distance(&x_ht, &literal_product(x.view(), h.t())) < tolerance);
        assert!((view.norm_sq().unwrap() / x.norm_sq() - 1.0).abs() < 1e-12);
        assert_eq!(view.to_dense().unwrap(), x);
    }
    let mut gram = Matrix::zeros(5, 5);
    gram_of_rows(&mut gram, &h, Parts::whole(1100)).unwrap();
    assert!(distance(&gram, &literal_product(h.view(), h.t())) < 1e-13);
}

#[test]
fn products_of_every_layout_equal_their_definition() {
    products_equal_their_definition::<f64>(1e-13);
    products_equal_their_definition::<f32>(1e-5);
}

#[test]
fn a_view_beyond_its_memory_is_refused() {
    let data = [0.0f64; 6];
    assert!(MatrixView::strided(&data, 2, 3, 1, 2).is_ok());
    assert!(MatrixView::strided(&data, 2, 3, 1, 3).is_err());
    assert!(MatrixView::strided(&data, 2, 3, 4, 1).is_err());
    assert!(MatrixView::strided(&data, usize::MAX, 2, usize::MAX, 1).is_err());
    assert!(MatrixView::strided(&data, 0, 3, 1, 2).is_ok());
    assert!(Matrix::from_vec(2, 2, data.to_vec()).is_err());
}

#[test]
fn data_that_are_not_finite_are_refused_with_their_place() {
    let mut x = normal::<f32>(4, 300, 5);
    assert!(check_data(&x).is_ok());
    x[(2, 290)] = f32::NEG_INFINITY;
    let message = check_data(&x).unwrap_err().to_string();
    assert!(message.contains("sample 291, feature 3 is -inf"), "{message}");
    assert!(check_data(&Matrix::<f64>::zeros(0, 4)).is_err());
}

/// A matrix with singular values `decay^0, decay^1, ...`.
fn decaying(p: usize, n: usize, rank: usize, decay: f64) -> Matrix<f64> {
    let random = |rows, seed| {
        truncated_svd(&normal::<f64>(rows, rank, seed), rank, SvdMethod::Exact, 0).unwrap().u
    };
    let mut u = random(p, 1);
    for j in 0..rank {
        let s = decay.powi(i32::try_from(j).unwrap());
        u.col_mut(j).iter_mut().for_each(|v| *v *= s);
    }
    product(u.view(), random(n, 2).t())
}

fn is_a_decomposition(x: &Matrix<f64>, svd: &Svd<f64>, tolerance: f64) {
    let k = svd.s.len();
    for vectors in [&svd.u, &svd.v] {
        let gram = literal_product(vectors.t(), vectors.view());
        assert!(distance(&gram, &Matrix::<f64>::identity(k)) < tolerance.max(1e-10));
    }
    let images = literal_product(x.view(), svd.v.view());
    let scaled = Matrix::from_fn(x.rows(), k, |i, j| svd.u[(i, j)] * svd.s[j]);
    assert!(difference(&images, &scaled).norm_sq().sqrt() < tolerance * svd.s[0]);
}

/// A flat spectrum takes many rounds, in which the basis is cut back; data of low rank or with few features take one.
#[test]
fn randomized_decompositions_of_flat_spectra_low_rank_and_short_sides_are_exact() {
    let flat = normal::<f64>(700, 900, 3);
    let low = literal_product(normal::<f64>(90, 4, 1).view(), normal(4, 80, 2).view());
    let cases =
        [(flat, 30), (low.clone(), 4), (low, 9), (normal(7, 50, 4), 7), (normal(60, 5, 5), 5)];
    for (x, k) in cases {
        let tolerance = 1e-7;
        let svd = truncated_svd(&x, k, SvdMethod::Randomized { tolerance }, 1).unwrap();
        let exact = truncated_svd(&x, k, SvdMethod::Exact, 0).unwrap();
        assert!(svd.accuracy <= tolerance, "{:?}: {}", x.shape(), svd.accuracy);
        for (found, exact_value) in svd.s.iter().zip(&exact.s) {
            assert!((found - exact_value).abs() < 1e-6 * exact.s[0], "{found} {exact_value}");
        }
        if svd.s[k - 1] > 1e-6 * svd.s[0] {
            is_a_decomposition(&x, &svd, 1e-5);
        }
    }
}

#[test]
fn exact_and_randomized_decompositions_agree_within_the_stated_accuracy() {
    for (p, n) in [(300, 420), (420, 300)] {
        let x = decaying(p, n, 120, 0.93);
        let exact = truncated_svd(&x, 20, SvdMethod::Exact, 0).unwrap();
        is_a_decomposition(&x, &exact, 1e-12);
        for tolerance in [1e-3, 1e-6, 1e-9] {
            let method = SvdMethod::Randomized { tolerance };
            let svd = truncated_svd(&x, 20, method, 9).unwrap();
            assert!(svd.accuracy <= tolerance);
            is_a_decomposition(&x, &svd, 20.0 * tolerance);
            for (approximate, exact) in svd.s.iter().zip(&exact.s) {
                assert!((approximate - exact).abs() <= svd.accuracy * exact.max(svd.s[0]));
            }
        }
    }
}

#[test]
fn an_impossible_number_of_singular_values_is_refused() {
    let x = normal::<f64>(3, 4, 1);
    for k in [0, 4] {
        let message = truncated_svd(&x, k, SvdMethod::Auto, 0).unwrap_err().to_string();
        assert!(message.contains("1 to 3"), "{message}");
    }
}

fn satisfies_moore_penrose(a: &Matrix<f64>, inverse: &Matrix<f64>) {
    let both = literal_product(a.view(), inverse.view());
    let other = literal_product(inverse.view(), a.view());
    assert!(distance(&literal_product(both.view(), a.view()), a) < 1e-9);
    assert!(distance(&literal_product(other.view(), inverse.view()), inverse) < 1e-9);
    assert!(distance(&both.t().to_matrix(), &both) < 1e-9);
    assert!(distance(&other.t().to_matrix(), &other) < 1e-9);
}

#[test]
fn the_pseudo_inverse_satisfies_moore_and_penrose() {
    satisfies_moore_penrose(&normal(7, 4, 1), &pseudo_inverse(normal(7, 4, 1).view()).unwrap());
    let deficient = product(normal::<f64>(9, 2, 1).view(), normal::<f64>(2, 6, 2).view());
    satisfies_moore_penrose(&deficient, &pseudo_inverse(deficient.view()).unwrap());
}

#[test]
fn whitening_inverts_regular_and_singular_gram_matrices() {
    let regular = normal::<f64>(5, 40, 1);
    let deficient = product(normal::<f64>(6, 3, 2).view(), normal::<f64>(3, 50, 3).view());
    for (h, rank) in [(regular, 5), (deficient, 3)] {
        let gram = literal_product(h.view(), h.t());
        let whitening = Whitening::of::<f64>(&gram).unwrap();
        assert_eq!(whitening.rank(), rank);
        assert_eq!(whitening.well_conditioned, rank == h.rows());
        let white = literal_product(whitening.w.view(), gram.view());
        let white = literal_product(white.view(), whitening.w.t());
        assert!(distance(&white, &Matrix::<f64>::identity(rank)) < 1e-9);
        satisfies_moore_penrose(&gram, &whitening.inverse);
    }
}

proptest! {
    #[test]
    fn views_of_columns_show_those_columns(
        rows in 1usize..6, cols in 1usize..9, start in 0usize..9, count in 0usize..9, seed: u64,
    ) {
        prop_assume!(start + count <= cols);
        let x = normal::<f64>(rows, cols, seed);
        for (data, row_stride, col_stride) in layouts(&x) {
            let part = MatrixView::strided(&data, rows, cols, row_stride, col_stride).unwrap();
            let part = part.columns(start, count);
            for j in 0..count {
                prop_assert_eq!(part.col(j).collect::<Vec<_>>(), x.col(start + j));
                prop_assert_eq!(part.t().get(j, 0).to_bits(), x[(0, start + j)].to_bits());
            }
        }
    }
}
