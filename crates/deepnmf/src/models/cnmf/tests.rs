use super::*;
use crate::matrix::Matrix;
use crate::models::{Factorization, Nmf, NonNegativeOptions};
use crate::stop::StopRule;
use crate::testing::{distance, literal_error, literal_product, positive};
use crate::update::HSolver;

fn labels(n: u32) -> Vec<Option<u32>> {
    (0..n).map(|j| (j % 3 != 1).then_some((j / 2) % 4)).collect()
}

fn rounds(max_iterations: usize) -> StopRule {
    StopRule { kappa: 0.0, max_iterations, max_seconds: None }
}

fn nmf(components: usize, solver: HSolver, n: usize) -> Nmf {
    Nmf::new(components).with(NonNegativeOptions::default().solver(solver).stop(rounds(n)))
}

/// The published rules with `A` written out.
#[test]
fn the_rules_are_the_published_ones() {
    let (n, x, labels) = (30, positive::<f64>(9, 30, 1), labels(30));
    let fit = |n| {
        let cnmf = Cnmf::new(3).with(nmf(3, Nmf::LEE_SEUNG, n));
        cnmf.fit_labelled(&x, &[Some(&labels)]).unwrap().factors
    };
    let (before, after) = (fit(0), fit(1));
    // Which row of V each sample has: classes 0 to 3 first, then the unlabelled ones.
    let mut rows = 4;
    let mut row_of = |label: &Option<u32>| {
        label.map_or_else(
            || {
                rows += 1;
                rows - 1
            },
            |class| class as usize,
        )
    };
    let row: Vec<usize> = labels.iter().map(&mut row_of).collect();
    let a = Matrix::from_fn(n, rows, |j, r| if row[j] == r { 1.0 } else { 0.0 });
    let first = |r: usize| (0..n).find(|j| row[*j] == r).unwrap();
    let v = Matrix::from_fn(rows, 3, |r, i| before.h[0][(i, first(r))]);
    let times = |a: &Matrix<f64>, b: &Matrix<f64>| literal_product(a.view(), b.view());
    let turned = |m: &Matrix<f64>| m.t().to_matrix();
    let z = &after.z[0];
    let up = times(&turned(&a), &times(&turned(&x), z));
    let down = times(&times(&turned(&a), &a), &times(&v, &times(&turned(z), z)));
    let new = Matrix::from_fn(rows, 3, |r, i| v[(r, i)] * up[(r, i)] / down[(r, i)]);
    assert!(distance(&after.h[0], &turned(&times(&a, &new))) < 1e-10);
}

/// That no sweep raises the error is a test of NMF, whose loop this is.
#[test]
fn samples_of_a_class_have_the_same_features_and_the_error_falls() {
    let (x, labels) = (positive::<f64>(12, 50, 2), labels(50));
    for solver in [Nmf::LEE_SEUNG, HSolver::HALS, HSolver::ACCELERATED] {
        let cnmf = Cnmf::new(4).with(nmf(4, solver, 40));
        let model = cnmf.fit_labelled(&x, &[Some(&labels)]).unwrap();
        let history = &model.summary.history;
        assert!(history[40] < history[0], "{solver:?} {history:?}");
        let h = &model.factors.h[0];
        for j in 0..50 {
            for l in 0..50 {
                if labels[j].is_some() && labels[j] == labels[l] {
                    assert_eq!(h.col(j), h.col(l));
                }
            }
        }
        let error = literal_error(&x, &model.factors.z[0], h);
        assert!((model.summary.error / error - 1.0).abs() < 1e-6);
    }
}

#[test]
fn without_labels_it_is_nmf_bit_for_bit() {
    let x = positive::<f64>(12, 50, 3);
    let nmf = nmf(4, HSolver::default(), 20);
    let plain = nmf.fit(&x).unwrap();
    let cnmf = Cnmf::new(4).with(nmf);
    for labels in [&[Some(&[None; 50][..])][..], &[]] {
        assert_eq!(cnmf.fit_labelled(&x, labels).unwrap().factors, plain.factors);
    }
}
