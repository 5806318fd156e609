//! Sparse data answer what the same data answer in dense form.

use std::borrow::Cow;

use proptest::prelude::*;

use super::{Form, Sparse, Stored, Whole};
use crate::matrix::{
    Centred, DataMatrix, Matrix, Scalar, Scaled, SvdMethod, Widened, mean_column, truncated_svd,
};
use crate::testing::{distance, literal_error, literal_product, normal};

/// A dense matrix of which about a share of the entries is not zero, with empty rows and columns.
fn dense<T: Scalar>(p: usize, n: usize, share: f64, seed: u64) -> Matrix<T> {
    let (values, chances) = (normal::<f64>(p, n, seed), normal::<f64>(p, n, seed + 1));
    // A standard normal number is above this with about that chance.
    let limit = (1.0 - 2.0 * share) * 1.5;
    Matrix::from_fn(p, n, |i, j| {
        let empty = i % 7 == 3 || j % 11 == 5;
        let kept = !empty && chances[(i, j)] > limit;
        T::from_f64(if kept { values[(i, j)] } else { 0.0 })
    })
}

/// The same data stored in both ways.
fn both<T: Scalar>(x: &Matrix<T>) -> [Sparse<'static, T>; 2] {
    let by_sample = Sparse::from_dense(x);
    let by_feature = by_sample.turned_around();
    assert_eq!(by_feature.stored(), Stored::ByFeature);
    [by_sample, by_feature]
}

fn assert_same_products<T: Scalar>(x: &Matrix<T>, k: usize, tolerance: f64) {
    let (p, n) = x.shape();
    let (z, h) = (normal::<T>(p, k, 91), normal::<T>(k, n, 92));
    let (left, right) = (literal_product(z.t(), x.view()), literal_product(x.view(), h.t()));
    for sparse in both(x) {
        let (mut z_t_x, mut x_ht) = (Matrix::zeros(k, n), Matrix::zeros(p, k));
        sparse.tr_mul(&z, &mut z_t_x).unwrap();
        sparse.mul_tr(&h, &mut x_ht).unwrap();
        assert!(distance(&z_t_x, &left) < tolerance, "{:?}", sparse.stored());
        assert!(distance(&x_ht, &right) < tolerance, "{:?}", sparse.stored());
        let (mut z_t_x, mut x_ht) = (Matrix::zeros(k, n), Matrix::zeros(p, k));
        sparse.wide_tr_mul(&z.cast(), &mut z_t_x).unwrap();
        sparse.wide_mul_tr(&h.cast(), &mut x_ht).unwrap();
        assert!(distance(&z_t_x, &left) < 1e-13, "{:?}", sparse.stored());
        assert!(distance(&x_ht, &right) < 1e-13, "{:?}", sparse.stored());
    }
}

#[test]
fn products_are_those_of_the_dense_data() {
    for (p, n, share) in [(1, 1, 0.9), (9, 40, 0.3), (40, 9, 0.3), (300, 20, 0.1), (70, 90, 0.02)] {
        for k in [1, 3, 8, 21] {
            assert_same_products(&dense::<f64>(p, n, share, 1), k, 1e-13);
            assert_same_products(&dense::<f32>(p, n, share, 1), k, 1e-5);
        }
    }
    assert_same_products(&Matrix::<f64>::zeros(5, 7), 2, 1e-13);
}

/// Long lists, more places than stay in a cache, and results of their own for blocks of lists.
#[test]
fn products_of_many_entries_are_those_of_the_dense_data() {
    assert_same_products(&dense::<f64>(40, 30_000, 0.4, 2), 9, 1e-12);
    assert_same_products(&dense::<f64>(5000, 60, 0.3, 3), 33, 1e-12);
    assert_same_products(&dense::<f32>(30, 40_000, 0.5, 4), 5, 1e-5);
    // A factor of ten megabytes is taken in pieces.
    assert_same_products(&dense::<f64>(10, 60_000, 0.3, 5), 21, 1e-12);
    assert_same_products(&dense::<f64>(60_000, 10, 0.3, 6), 21, 1e-12);
}

#[test]
fn the_number_of_threads_changes_no_bit() {
    for (p, n, share) in [(40, 20_000, 0.4), (3000, 70, 0.3), (90, 400, 0.05)] {
        let x = dense::<f32>(p, n, share, 5);
        let (z, h) = (normal::<f32>(p, 7, 6), normal::<f32>(7, n, 7));
        for sparse in both(&x) {
            let answers = |threads: usize| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                pool.install(|| {
                    let (mut z_t_x, mut x_ht) = (Matrix::zeros(7, n), Matrix::zeros(p, 7));
                    sparse.tr_mul(&z, &mut z_t_x).unwrap();
                    sparse.mul_tr(&h, &mut x_ht).unwrap();
                    let sums = [
                        sparse.norm_sq().unwrap(),
                        sparse.entry_sum().unwrap(),
                        sparse.residual_norm_sq(&z, &h).unwrap(),
                    ];
                    let gram = (p < 100).then(|| sparse.gram_of_features().unwrap());
                    let print = sparse.fingerprint().unwrap();
                    (z_t_x, x_ht, sums.map(f64::to_bits), gram, print)
                })
            };
            let one = answers(1);
            for threads in [2, 3] {
                assert!(answers(threads) == one, "{:?} on {threads}", sparse.stored());
            }
        }
    }
}

#[test]
fn statistics_are_those_of_the_dense_data() {
    for (p, n, share) in [(1, 1, 0.9), (9, 40, 0.3), (40, 300, 0.1), (300, 12, 0.5)] {
        let x = dense::<f64>(p, n, share, 8);
        for sparse in both(&x) {
            let close = |a: f64, b: f64| assert!((a - b).abs() <= 1e-12 * b.abs().max(1.0));
            close(sparse.norm_sq().unwrap(), x.norm_sq());
            close(sparse.entry_sum().unwrap(), x.entry_sum().unwrap());
            let lengths = sparse.sample_norms_sq().unwrap();
            let of_dense = x.sample_norms_sq().unwrap();
            lengths.iter().zip(&of_dense).for_each(|(a, b)| close(*a, *b));
            assert_eq!(sparse.fingerprint().unwrap(), x.fingerprint().unwrap());
            assert_eq!(sparse.to_dense().unwrap(), x);
            let gram = literal_product(x.view(), x.t());
            assert!(distance(&sparse.gram_of_features().unwrap(), &gram) < 1e-12);
        }
    }
}

/// Many blocks of samples, where lists of features are gone through step by step.
#[test]
fn blocks_are_those_of_the_dense_data() {
    let x = dense::<f64>(9000, 700, 0.01, 9);
    for sparse in both(&x) {
        assert!(sparse.to_dense().unwrap() == x);
    }
}

#[test]
fn the_first_entry_wanted_is_the_first_in_the_order_of_the_samples() {
    let mut x = Matrix::<f64>::zeros(4, 5);
    (x[(3, 1)], x[(0, 2)], x[(1, 1)]) = (-1.0, -2.0, 5.0);
    let full = Matrix::from_fn(4, 5, |i, j| (1 + i + j) as f64);
    let questions: [fn(f64) -> bool; 4] = [|v| v < 0.0, |v| v == 0.0, |v| v > 4.0, |v| v.is_nan()];
    for x in [x, full] {
        for sparse in both(&x) {
            for wanted in questions {
                assert_eq!(sparse.find_entry(&wanted).unwrap(), x.find_entry(&wanted).unwrap());
            }
        }
    }
}

/// Also where differences of squares have no digit left.
#[test]
fn the_reconstruction_error_keeps_its_digits() {
    let (z, h) = (dense::<f64>(60, 5, 0.4, 10), dense::<f64>(5, 80, 0.4, 11));
    let exact = crate::matrix::product(z.view(), h.view());
    for off in [1.0, 1e-3, 1e-6, 1e-9, 1e-12] {
        let mut x = exact.clone();
        x.as_mut_slice().iter_mut().step_by(7).for_each(|v| *v += off);
        let truth = literal_error(&x, &z, &h);
        for sparse in both(&x) {
            let found = sparse.residual_norm_sq(&z, &h).unwrap().sqrt();
            // Half of the digits are left of a difference, less what a sum loses. Entries of the product that the
            // literal error is formed from are rounded, each by itself.
            assert!((found / truth - 1.0).abs() < 1e-7 + 1e-15 / off, "{off}: {found} {truth}");
        }
        let narrow = x.cast::<f32>();
        let (z, h) = (z.cast::<f32>(), h.cast::<f32>());
        let truth = literal_error(&narrow, &z, &h);
        for sparse in both(&narrow) {
            let found = sparse.residual_norm_sq(&z, &h).unwrap().sqrt();
            assert!((found / truth - 1.0).abs() < 1e-7, "{off}: {found} {truth}");
        }
    }
    let zeros = Sparse::from_dense(&exact);
    let none = zeros.residual_norm_sq(&Matrix::zeros(60, 2), &Matrix::zeros(2, 80)).unwrap();
    assert!((none / exact.norm_sq() - 1.0).abs() < 1e-14);
}

/// What adaptors make of sparse data, beside the same of dense data.
#[test]
fn adaptors_answer_for_sparse_data_what_they_answer_for_dense() {
    fn assert_same<T: Scalar>(a: &dyn DataMatrix<T>, b: &dyn DataMatrix<T>, tolerance: f64) {
        let (p, n) = b.shape();
        let (z, h) = (normal::<T>(p, 3, 12), normal::<T>(3, n, 13));
        let products = |x: &dyn DataMatrix<T>| {
            let (mut z_t_x, mut x_ht) = (Matrix::zeros(3, n), Matrix::zeros(p, 3));
            x.tr_mul(&z, &mut z_t_x).unwrap();
            x.mul_tr(&h, &mut x_ht).unwrap();
            let (mut wide_z_t_x, mut wide_x_ht) = (Matrix::zeros(3, n), Matrix::zeros(p, 3));
            x.wide_tr_mul(&z.cast(), &mut wide_z_t_x).unwrap();
            x.wide_mul_tr(&h.cast(), &mut wide_x_ht).unwrap();
            let lengths = Matrix::from_vec(1, n, x.sample_norms_sq().unwrap()).unwrap();
            let grams = x.gram_of_features().unwrap();
            let all = [z_t_x.cast::<f64>(), x_ht.cast::<f64>(), wide_z_t_x, wide_x_ht];
            all.into_iter().chain([lengths, grams]).collect::<Vec<_>>()
        };
        for (a, b) in products(a).iter().zip(&products(b)) {
            assert!(distance(a, b) < tolerance, "{}", distance(a, b));
        }
        let numbers = |x: &dyn DataMatrix<T>| {
            let residual = x.residual_norm_sq(&z, &h).unwrap();
            // The sum of centred data is rounding alone: it is measured by their size.
            let sum = x.entry_sum().unwrap() + x.norm_sq().unwrap().sqrt();
            [x.norm_sq().unwrap(), sum, residual]
        };
        for (a, b) in numbers(a).into_iter().zip(numbers(b)) {
            assert!((a - b).abs() <= tolerance * b.abs(), "{a} {b}");
        }
        assert_eq!(a.to_dense().unwrap(), b.to_dense().unwrap());
    }
    let x = dense::<f64>(30, 50, 0.3, 14);
    let offset = mean_column(&x).unwrap();
    for sparse in both(&x) {
        assert!(distance_of(&mean_column(&sparse).unwrap(), &offset) < 1e-14);
        let centred = [&sparse as &dyn DataMatrix<f64>, &x].map(|x| Centred::new(x, &offset));
        assert_same(&centred[0], &centred[1], 1e-11);
        let questions: [fn(f64) -> bool; 4] = [|v| v > 1.5, |v| v < 0.0, |v| v == 0.0, f64::is_nan];
        for wanted in questions {
            let [a, b] = [0, 1].map(|i| centred[i].find_entry(&wanted).unwrap());
            assert_eq!(a, b);
        }
        assert_ne!(centred[0].fingerprint().unwrap(), sparse.fingerprint().unwrap());
        for exponent in [-900, -20, 0, 7, 800] {
            let other = Sparse::from_dense(&x.map(|v| v * 2f64.powi(-exponent)));
            let dense = x.map(|v| v * 2f64.powi(-exponent));
            assert_same(&Scaled::new(&other, exponent), &Scaled::new(&dense, exponent), 1e-12);
        }
        let narrow = x.cast::<f32>();
        assert_same(&Widened(&sparse.view().cast::<f32>()), &Widened(&narrow), 1e-12);
    }
}

fn distance_of(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

/// Wide, tall, and too large for a copy: the decomposition is that of the dense data.
#[test]
fn decompositions_are_those_of_the_dense_data() {
    for (p, n) in [(30, 50), (500, 900), (900, 500), (300, 60_000), (60_000, 300)] {
        let x = dense::<f64>(p, n, 0.02, 15);
        let wanted = truncated_svd(&x, 4, SvdMethod::Auto, 3).unwrap();
        for sparse in both(&x) {
            let methods = [SvdMethod::Auto, SvdMethod::Gram];
            for method in methods {
                let found = truncated_svd(&sparse, 4, method, 3).unwrap();
                for (a, b) in found.s.iter().zip(&wanted.s) {
                    assert!((a / b - 1.0).abs() < 1e-6, "{p} x {n} {method:?}: {a} {b}");
                }
                let images = crate::matrix::product(x.t(), found.u.view());
                for (i, s) in found.s.iter().enumerate() {
                    let off = images.col(i).iter().zip(found.v.col(i)).map(|(a, v)| a - s * v);
                    let off = off.map(|v| v * v).sum::<f64>().sqrt();
                    assert!(off < 1e-3 * wanted.s[0], "{p} x {n} {method:?}: {off}");
                }
            }
        }
        let large = p * n > 1 << 24;
        assert_eq!(Sparse::from_dense(&x).may_densify(), !large);
        if large {
            let refused = truncated_svd(&Sparse::from_dense(&x), 4, SvdMethod::Exact, 3);
            assert!(refused.unwrap_err().to_string().contains("dense copy"));
        }
    }
}

#[test]
fn selected_samples_are_those_of_the_dense_data() {
    let x = dense::<f64>(9, 30, 0.4, 16);
    let chosen = [4, 29, 0, 4, 5];
    let wanted = Matrix::from_fn(9, 5, |i, j| x[(i, chosen[j])]);
    let [by_sample, by_feature] = both(&x);
    let joined = Sparse::beside(&[&by_sample, &by_feature.select(&chosen), &by_feature]).unwrap();
    let order: Vec<usize> = (0..30).chain(chosen).chain(0..30).collect();
    let dense = Matrix::from_fn(9, 65, |i, j| x[(i, order[j])]);
    assert_eq!(joined.to_dense().unwrap(), dense);
    assert!(Sparse::beside(&[&by_sample, &Sparse::from_dense(&wanted.t().to_matrix())]).is_err());
    for sparse in both(&x) {
        assert_eq!(sparse.select(&chosen).to_dense().unwrap(), wanted);
        let doubled = sparse.view().map(|_, _, v| 2.0 * v);
        assert_eq!(doubled.to_dense().unwrap(), x.map(|v| 2.0 * v));
    }
}

const VALUES: [f64; 4] = [1.0, 2.0, 3.0, 4.0];

fn refused(places: Whole<'_>, starts: Whole<'_>) -> String {
    let (shape, values) = ((3, 2), &VALUES[..]);
    let error = Sparse::new(shape, Stored::BySample, values, places.clone(), starts.clone());
    let error = error.unwrap_err().to_string();
    if !error.contains("sort them") {
        let same = Sparse::canonical(shape, Stored::BySample, values, places, starts);
        assert_eq!(same.unwrap_err().to_string(), error);
    }
    error
}

#[test]
fn lists_that_contradict_each_other_are_refused() {
    let places = || Whole::from(vec![0u32, 2, 0, 1]);
    let starts = |bounds: &[u64]| Whole::from(bounds.to_vec());
    let good = Sparse::new((3, 2), Stored::BySample, &VALUES[..], places(), starts(&[0, 2, 4]));
    assert!(good.is_ok());
    for (bounds, culprit) in [
        (&[0, 2][..], "one more than 2 samples"),
        (&[], "one more than 2 samples"),
        (&[0, 2, 4, 4], "one more than 2 samples"),
        (&[1, 2, 4], "the first bound of the samples of sparse data: found 1"),
        (&[0, 5, 4], "behind sample 1 of sparse data: found 5, but a number from 0 to 4"),
        (&[0, 3, 2], "behind sample 2 of sparse data: found 2, but a number from 3 to 4"),
        (&[0, 2, 3], "the last bound of the samples of sparse data: found 3"),
        // Beyond 2^31 and 2^63: numbers that others overflow with.
        (&[0, 1 << 31, 1 << 32], "a number from 0 to 4"),
        (&[0, u64::MAX, 4], "a number from 0 to 4"),
        (&[0, 2, u64::MAX], "a number from 2 to 4"),
        (&[1 << 63, 2, 4], "the first bound"),
    ] {
        let error = refused(places(), starts(bounds));
        assert!(error.contains(culprit), "{bounds:?}: {error}");
    }
    for (places, culprit) in [
        (vec![0u32, 2, 0], "one for each of 4 values"),
        (
            vec![0, 3, 0, 1],
            "entry 2 of sample 1 of sparse data is 3: counted from 0, it must be below 3",
        ),
        (vec![0, 2, 0, u32::MAX], "entry 2 of sample 2 of sparse data is 4294967295"),
        (vec![2, 0, 0, 1], "entry 2 of sample 1 of sparse data is 0: each must be above"),
        (vec![0, 2, 1, 1], "entry 2 of sample 2 of sparse data is 1: each must be above"),
    ] {
        let error = refused(Whole::from(places.clone()), starts(&[0, 2, 4]));
        assert!(error.contains(culprit), "{places:?}: {error}");
    }
    // Out of range behind one that is only out of order.
    let (unsorted, bounds) = (Whole::from(vec![2u32, 0, 0, 9]), starts(&[0, 2, 4]));
    let error = Sparse::canonical((3, 2), Stored::BySample, &VALUES[..], unsorted, bounds);
    assert!(error.unwrap_err().to_string().contains("entry 2 of sample 2 of sparse data is 9"));
    assert!(Whole::of_i32("the features", &[0, -1]).unwrap_err().to_string().contains("is -1"));
    assert!(Whole::of_i64("the features", &[i64::MIN]).is_err());
}

/// As many samples as nobody has memory for: the bounds are looked at, nothing is counted out.
#[test]
fn shapes_without_end_are_refused() {
    for shape in [(usize::MAX, 2), (3, usize::MAX), (usize::MAX, usize::MAX)] {
        for stored in [Stored::BySample, Stored::ByFeature] {
            let bounds = Whole::from(vec![0u64, 2, 4]);
            let places = Whole::from(vec![0u64, 1, 0, 1]);
            let made = Sparse::new(shape, stored, &VALUES[..], places, bounds);
            // Two lists whose places may be any number are fine, whatever their limit is.
            assert_eq!(made.is_ok(), (stored, shape.1) == (Stored::BySample, 2), "{shape:?}");
            if let Ok(x) = made {
                assert!(!x.may_densify());
                assert!((x.norm_sq().unwrap() - 30.0).abs() < 1e-12);
            }
        }
    }
}

#[test]
fn buffers_of_others_are_borrowed() {
    let (places, starts) = ([0i32, 2, 0, 1], [0i64, 2, 4]);
    let places = Whole::of_i32("the features", &places).unwrap();
    let starts = Whole::of_i64("the bounds", &starts).unwrap();
    let (x, form) =
        Sparse::canonical((3, 2), Stored::BySample, &VALUES[..], places, starts).unwrap();
    assert_eq!(form, Form::Canonical);
    assert!(x.is_borrowed() && x.values().as_ptr() == VALUES.as_ptr());
    assert!(x.by_sample().is_borrowed());
    assert!(!x.clone().into_owned().is_borrowed());
}

type Entries = Vec<(usize, usize, f64)>;

/// Entries anywhere, in any order, at the same place more than once, zeros among them.
fn entries() -> impl Strategy<Value = ((usize, usize), Entries)> {
    (1usize..9, 1usize..9).prop_flat_map(|(p, n)| {
        let value = prop_oneof![3 => -4.0..4.0, 1 => Just(0.0)];
        (Just((p, n)), prop::collection::vec((0..p, 0..n, value), 0..30))
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_entries_in_any_form_are_the_dense_matrix((shape, entries) in entries()) {
        let mut x = Matrix::<f64>::zeros(shape.0, shape.1);
        for (i, j, v) in &entries {
            x[(*i, *j)] += v;
        }
        let near = |sparse: &Sparse<'_, f64>| {
            let dense = sparse.to_dense().unwrap();
            let off = dense.as_slice().iter().zip(x.as_slice()).map(|(a, b)| (a - b).abs());
            off.fold(0.0, f64::max) < 1e-13
        };
        let from_entries = Sparse::from_entries(shape, &entries).unwrap();
        prop_assert!(near(&from_entries) && near(&from_entries.turned_around()));
        let list = |of: fn(&(usize, usize, f64)) -> usize| -> Whole<'_> {
            entries.iter().map(|entry| of(entry) as u64).collect::<Vec<u64>>().into()
        };
        let values: Vec<f64> = entries.iter().map(|entry| entry.2).collect();
        let (features, samples) = (list(|entry| entry.0), list(|entry| entry.1));
        prop_assert!(near(&Sparse::from_coordinates(shape, &features, &samples, &values).unwrap()));
        for stored in [Stored::BySample, Stored::ByFeature] {
            // Lists in the order in which the entries come, with numbers of every width.
            let (lists, by_sample) = match stored {
                Stored::BySample => (shape.1, true),
                Stored::ByFeature => (shape.0, false),
            };
            let (mut values, mut places, mut starts) = (vec![], vec![], vec![0i64]);
            for list in 0..lists {
                for (i, j, v) in &entries {
                    let (of, place) = if by_sample { (j, i) } else { (i, j) };
                    if *of == list {
                        values.push(*v);
                        places.push(i32::try_from(*place).unwrap());
                    }
                }
                starts.push(i64::try_from(values.len()).unwrap());
            }
            let wide_places: Vec<i64> = places.iter().map(|p| i64::from(*p)).collect();
            let narrow_starts: Vec<u32> = starts.iter().map(|s| u32::try_from(*s).unwrap()).collect();
            let unsigned: Vec<u64> = places.iter().map(|p| u64::try_from(*p).unwrap()).collect();
            for (places, starts) in [
                (Whole::of_i32("", &places).unwrap(), Whole::of_i64("", &starts).unwrap()),
                (Whole::of_i64("", &wide_places).unwrap(), Whole::from(&narrow_starts[..])),
                (Whole::from(&unsigned[..]), Whole::from(narrow_starts.clone())),
            ] {
                let (made, form) = Sparse::canonical(
                    shape, stored, Cow::Borrowed(&values[..]), places.clone(), starts.clone(),
                ).unwrap();
                prop_assert!(near(&made));
                let strict = Sparse::new(shape, stored, Cow::Borrowed(&values[..]), places, starts);
                prop_assert_eq!(strict.is_ok(), form == Form::Canonical);
                let (z, h) = (normal::<f64>(shape.0, 3, 1), normal::<f64>(3, shape.1, 2));
                let (mut a, mut b) = (Matrix::zeros(3, shape.1), Matrix::zeros(shape.0, 3));
                made.tr_mul(&z, &mut a).unwrap();
                made.mul_tr(&h, &mut b).unwrap();
                let off = |a: &Matrix<f64>, b: &Matrix<f64>| distance_of(a.as_slice(), b.as_slice());
                prop_assert!(off(&a, &literal_product(z.t(), x.view())) < 1e-11);
                prop_assert!(off(&b, &literal_product(x.view(), h.t())) < 1e-11);
            }
        }
    }
}
