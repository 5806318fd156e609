#![allow(clippy::float_cmp)] // equal means equal here

use proptest::prelude::*;

use super::*;
use crate::numbers::distance_sq;
use deepnmf::rng::{generator, uniform};

/// `per` samples around each of `k` centres.
fn blobs(p: usize, k: usize, per: usize, noise: f64, seed: u64) -> Matrix<f64> {
    let mut rng = generator(seed, 0);
    let centres = Matrix::from_fn(p, k, |_, _| 10.0 * uniform(&mut rng));
    Matrix::from_fn(p, k * per, |i, j| {
        let normal: f64 = (0..12).map(|_| uniform(&mut rng)).sum::<f64>() - 6.0;
        centres[(i, j % k)] + noise * normal
    })
}

/// Lloyd's algorithm as it is written in textbooks.
fn literal_lloyd(x: &Matrix<f64>, start: &Matrix<f64>, rounds: usize) -> (Vec<usize>, f64) {
    let mut centroids = start.clone();
    let nearest = |c: &Matrix<f64>, j: usize| {
        let d = |i: usize| distance_sq(x.col(j), c.col(i));
        (0..c.cols()).min_by(|a, b| d(*a).total_cmp(&d(*b))).unwrap()
    };
    for _ in 0..rounds {
        let labels: Vec<usize> = (0..x.cols()).map(|j| nearest(&centroids, j)).collect();
        for c in 0..start.cols() {
            let members: Vec<usize> = (0..x.cols()).filter(|j| labels[*j] == c).collect();
            if members.is_empty() {
                continue;
            }
            for i in 0..x.rows() {
                centroids[(i, c)] =
                    members.iter().map(|j| x[(i, *j)]).sum::<f64>() / members.len() as f64;
            }
        }
    }
    let labels: Vec<usize> = (0..x.cols()).map(|j| nearest(&centroids, j)).collect();
    let inertia = (0..x.cols()).map(|j| distance_sq(x.col(j), centroids.col(labels[j]))).sum();
    (labels, inertia)
}

fn first_samples(x: &Matrix<f64>, k: usize) -> Matrix<f64> {
    x.view_columns(0..k).to_matrix()
}

#[test]
fn bounds_and_products_give_what_literal_lloyd_gives() {
    for (p, k, noise) in [(2, 5, 3.0), (17, 9, 2.0), (40, 12, 5.0)] {
        let x = blobs(p, k, 120, noise, 7);
        let start = first_samples(&x, k);
        let (labels, inertia) = literal_lloyd(&x, &start, 300);
        let settings = KMeans::new(k).tolerance(0.0);
        let fast = settings.fit_from(&x, &start).unwrap();
        let plain = settings.bounds(false).fit_from(&x, &start).unwrap();
        assert_eq!(fast.labels, labels);
        assert!((fast.inertia - inertia).abs() <= 1e-12 * inertia);
        assert_eq!(fast, plain);
        assert!(fast.converged);
    }
}

#[test]
fn bounds_change_no_bit_in_f32_far_from_the_origin() {
    let x = blobs(10, 8, 200, 3.0, 3).map(|v| v + 1000.0).cast::<f32>();
    let start = x.view_columns(0..8).to_matrix();
    let settings = KMeans::new(8).tolerance(0.0);
    let fast = settings.fit_from(&x, &start).unwrap();
    assert_eq!(fast, settings.bounds(false).fit_from(&x, &start).unwrap());
}

#[test]
fn a_seed_gives_the_same_bits_at_any_number_of_threads() {
    let x = blobs(20, 15, 150, 4.0, 1);
    let fit = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| KMeans::new(15).restarts(4).seed(5).fit(&x).unwrap())
    };
    let one = fit(1);
    for threads in [2, 3, 7] {
        assert_eq!(one, fit(threads), "{threads} threads");
    }
    assert_ne!(one.inertias, KMeans::new(15).restarts(4).seed(6).fit(&x).unwrap().inertias);
}

#[test]
fn f32_and_f64_agree() {
    let x = blobs(8, 6, 60, 0.5, 2);
    let wide = KMeans::new(6).fit(&x).unwrap();
    let narrow = KMeans::new(6).fit(&x.cast::<f32>()).unwrap();
    assert_eq!(crate::metrics::accuracy(&wide.labels, &narrow.labels).unwrap(), 1.0);
    assert!((wide.inertia - narrow.inertia).abs() < 1e-5 * wide.inertia);
}

#[test]
fn separated_blobs_are_found() {
    let x = blobs(5, 10, 40, 0.05, 4);
    let truth: Vec<usize> = (0..400).map(|j| j % 10).collect();
    let found = KMeans::new(10).fit(&x).unwrap();
    assert_eq!(crate::metrics::accuracy(&truth, &found.labels).unwrap(), 1.0);
    assert_eq!(found.inertias.len(), 10);
    let least = found.inertias.iter().copied().fold(f64::INFINITY, f64::min);
    assert_eq!((found.inertia, found.inertias[found.restart]), (least, least));
}

#[test]
fn a_swap_mends_what_lloyd_cannot() {
    let x = blobs(5, 4, 50, 0.05, 4);
    let samples = Samples::of(&x, &deepnmf::CancelToken::new()).unwrap();
    let limits = KMeans::new(4).limits(&samples);
    // Two centroids in the first blob, one each in the second and third, none in the fourth.
    let start = Matrix::from_fn(5, 4, |i, c| samples.x[(i, [0, 4, 1, 2][c])]);
    let stuck = Lloyd::new(&samples, start).run(&limits);
    let truth: Vec<usize> = (0..200).map(|j| j % 4).collect();
    let accuracy = |labels: &[usize]| crate::metrics::accuracy(&truth, labels).unwrap();
    assert!(accuracy(&stuck.labels) < 0.9);
    let mended = swap::improve(&samples, stuck, &limits, 1);
    assert_eq!(accuracy(&mended.labels), 1.0);
}

#[test]
fn a_cluster_that_runs_empty_gets_the_farthest_sample() {
    let x = Matrix::from_vec(1, 5, vec![0.0, 0.1, 0.2, 5.0, 9.0]).unwrap();
    let start = Matrix::from_vec(1, 3, vec![0.0, 100.0, 200.0]).unwrap();
    let found = KMeans::new(3).fit_from(&x, &start).unwrap();
    assert_eq!(found.labels, [0, 0, 0, 2, 1]);
    assert!((found.inertia - 0.02f64).abs() < 1e-12);
}

#[test]
fn fewer_distinct_samples_than_clusters_still_end() {
    let x = Matrix::from_fn(3, 20, |i, j| (i + j % 2) as f64);
    let found = KMeans::new(5).fit(&x).unwrap();
    assert!(found.inertia < 1e-20 && found.converged);
    let same = Matrix::from_fn(3, 20, |_, _| 0.1);
    assert!(KMeans::new(20).fit(&same).unwrap().inertia < 1e-20);
}

#[test]
fn as_many_clusters_as_samples_leave_no_distance() {
    let x = blobs(4, 1, 30, 1.0, 9);
    let found = KMeans::new(30).fit(&x).unwrap();
    assert!(found.inertia < 1e-20);
    let mut labels = found.labels;
    labels.sort_unstable();
    assert!(labels.into_iter().eq(0..30));
}

#[test]
fn one_cluster_is_the_mean() {
    let x = blobs(3, 4, 10, 1.0, 8);
    let found = KMeans::new(1).fit(&x).unwrap();
    for (c, m) in found.centroids.col(0).iter().zip(mean_sample(&x)) {
        assert!((c - m).abs() < 1e-12);
    }
}

#[test]
fn what_cannot_be_clustered_is_refused_in_words() {
    let x = Matrix::from_vec(2, 2, vec![1.0, 2.0, 3.0, f64::NAN]).unwrap();
    let says = |error: EvalError| error.to_string();
    assert!(says(KMeans::new(1).fit(&x).unwrap_err()).contains("sample 2, feature 2"));
    let x = Matrix::from_vec(1, 2, vec![1.0, 2.0]).unwrap();
    assert_eq!(
        says(KMeans::new(3).fit(&x).unwrap_err()),
        "3 clusters were asked of 2 samples: ask for at most 2"
    );
    assert!(KMeans::new(0).fit(&x).is_err());
    assert!(KMeans::new(1).restarts(0).fit(&x).is_err());
    assert!(KMeans::new(1).tolerance(f64::NAN).fit(&x).is_err());
    assert!(KMeans::new(1).fit(&Matrix::<f64>::zeros(0, 3)).is_err());
    let huge = Matrix::from_vec(1, 2, vec![1e200, -1e200]).unwrap();
    assert!(says(KMeans::new(2).fit(&huge).unwrap_err()).contains("overflow"));
    let huge = Matrix::from_vec(1, 2, vec![f64::MAX, f64::MAX]).unwrap();
    assert!(KMeans::new(2).fit(&huge).is_err());
    let far = Matrix::from_vec(1, 1, vec![1e300]).unwrap();
    assert!(KMeans::new(1).fit_from(&x, &far).is_err());
    assert!(KMeans::new(2).fit_from(&x, &far).is_err());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn labels_are_nearest_centroids_and_inertia_is_their_distance(
        p in 1usize..6, n in 1usize..40, k in 1usize..8, seed in any::<u64>(),
    ) {
        let k = k.min(n);
        let mut rng = generator(seed, 1);
        // A coarse grid, so that ties and copies are common.
        let x = Matrix::from_fn(p, n, |_, _| (uniform(&mut rng) * 6.0).floor());
        let found = KMeans::new(k).restarts(3).seed(seed).tolerance(0.0).fit(&x).unwrap();
        let distance = |j: usize, c: usize| distance_sq(x.col(j), found.centroids.col(c));
        let mut sum = 0.0;
        for j in 0..n {
            let own = distance(j, found.labels[j]);
            sum += own;
            for c in 0..k {
                prop_assert!(own <= distance(j, c) + 1e-9);
            }
        }
        prop_assert!((sum - found.inertia).abs() <= 1e-9 * (1.0 + sum));
        let least = found.inertias.iter().copied().fold(f64::INFINITY, f64::min);
        prop_assert!(found.inertia <= least, "swaps never make it worse");
    }
}

#[test]
fn who_stops_it_gets_a_clustering_all_the_same() {
    let x = Matrix::from_fn(6, 400, |i, j| ((i * 31 + j * 17) % 23) as f64);
    let cancel = deepnmf::CancelToken::new();
    cancel.cancel();
    let found = KMeans::new(7).fit_until(&x, &cancel).unwrap();
    assert_eq!(found.labels.len(), 400);
    assert!(found.labels.iter().all(|label| *label < 7));
    assert!(found.inertia.is_finite() && found.inertias.len() == 1);
    let whole = KMeans::new(7).fit(&x).unwrap();
    assert!(whole.inertia <= found.inertia);
    assert_eq!(whole, KMeans::new(7).fit_until(&x, &deepnmf::CancelToken::new()).unwrap());
}
