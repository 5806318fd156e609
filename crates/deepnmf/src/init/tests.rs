use microlp::{ComparisonOp, OptimizationDirection, Problem, SolveOutcome};
use proptest::prelude::*;

use super::positive::{Direction, positive_direction};
use super::*;
use crate::matrix::{Parts, SvdMethod, product, truncated_svd};
use crate::testing::{literal_error, normal, positive};

const STARTS: [Start; 4] = [Start::Random, Start::KMeans, Start::Svd, Start::Optimal];

fn start_with(
    x: &Matrix<f64>,
    components: usize,
    start: Start,
    scale: ScaleIn,
    seed: u64,
) -> Started<f64> {
    begin(x, Begin { components, start, scale, seed, fade: 1 }, None).unwrap()
}

/// The error of the best basis for the features of a start.
fn error_of(x: &Matrix<f64>, h: &Matrix<f64>) -> f64 {
    let (p, k) = (x.rows(), h.rows());
    let mut hht = Matrix::zeros(k, k);
    gram_of_rows(&mut hht, h, Parts::whole(h.cols())).unwrap();
    let mut z = Matrix::zeros(p, k);
    z_least_squares(&mut z, x, h, &hht, &mut ZScratch::new(p, k)).unwrap();
    literal_error(x, &z, h)
}

/// The error of the best approximation of rank `k`.
fn bound(x: &Matrix<f64>, k: usize) -> f64 {
    if k == 0 {
        return x.norm_sq().sqrt();
    }
    let svd = truncated_svd(x, k, SvdMethod::Exact, 0).unwrap();
    (x.norm_sq() - svd.s.iter().map(|s| s * s).sum::<f64>()).max(0.0).sqrt()
}

#[test]
fn every_start_is_non_negative_and_has_the_asked_shape() {
    for x in [normal::<f64>(9, 30, 1), positive(9, 30, 1), Matrix::zeros(9, 30)] {
        for start in STARTS {
            for scale in [ScaleIn::H, ScaleIn::Z, ScaleIn::Balanced] {
                for k in [1, 2, 5, 9, 14, 30] {
                    let h = start_with(&x, k, start, scale, 4).h;
                    assert_eq!(h.shape(), (k, 30), "{start:?}");
                    assert!(h.as_slice().iter().all(|h| h.is_finite() && *h >= 0.0), "{start:?}");
                }
            }
        }
    }
}

#[test]
fn non_negative_data_reach_the_bound_at_once() {
    let x = positive::<f64>(12, 40, 3);
    for scale in [ScaleIn::H, ScaleIn::Z, ScaleIn::Balanced] {
        for k in [1, 2, 5, 11] {
            let started = start_with(&x, k, Start::Optimal, scale, 0);
            assert!(started.found_positive_vector);
            assert!((error_of(&x, &started.h) / bound(&x, k) - 1.0).abs() < 1e-9);
        }
    }
}

/// All samples on one side of a plane, with a mean that no leading singular vector shares.
#[test]
fn mixed_data_with_a_hidden_positive_vector_reach_the_bound() {
    let k = 4;
    let mut coordinates = normal::<f64>(k, 60, 5);
    for j in 0..60 {
        coordinates[(3, j)] = 0.3 + 0.1 * coordinates[(3, j)].abs();
    }
    let x = product(normal::<f64>(10, k, 6).view(), coordinates.view());
    let started = start_with(&x, k, Start::Optimal, ScaleIn::H, 0);
    assert!(started.found_positive_vector);
    assert!(error_of(&x, &started.h) < 1e-9 * x.norm_sq().sqrt());
}

/// With `x` and `-x` among the samples no vector is positive on both.
#[test]
fn symmetric_data_fall_back_to_rank_k_minus_one() {
    let half = normal::<f64>(8, 15, 7);
    let x = Matrix::from_fn(8, 30, |i, j| if j < 15 { half[(i, j)] } else { -half[(i, j - 15)] });
    for k in [2, 4] {
        let started = start_with(&x, k, Start::Optimal, ScaleIn::H, 0);
        assert!(!started.found_positive_vector);
        let error = error_of(&x, &started.h);
        assert!(error <= bound(&x, k - 1) * (1.0 + 1e-9));
        assert!(error >= bound(&x, k) * (1.0 - 1e-9));
    }
}

#[test]
fn the_svd_start_is_at_least_as_good_as_rank_k_minus_one() {
    for x in [normal::<f64>(10, 50, 1), positive(10, 50, 2)] {
        for k in [1, 3, 7] {
            let h = start_with(&x, k, Start::Svd, ScaleIn::H, 0).h;
            assert!(error_of(&x, &h) <= bound(&x, k - 1) * (1.0 + 1e-9));
        }
    }
}

#[test]
fn more_components_than_rank_are_filled_up_and_fit_exactly() {
    let x = normal::<f64>(3, 40, 1);
    for start in [Start::Svd, Start::Optimal] {
        let started = start_with(&x, 6, start, ScaleIn::H, 0);
        assert!(started.found_positive_vector);
        assert!(error_of(&x, &started.h) < 1e-9 * x.norm_sq().sqrt());
    }
}

#[test]
fn the_scale_sits_where_it_is_asked_to() {
    let x = positive::<f64>(9, 50, 3);
    for start in [Start::Random, Start::KMeans] {
        let h = start_with(&x, 3, start, ScaleIn::Z, 0).h;
        let mut hht = Matrix::zeros(3, 3);
        gram_of_rows(&mut hht, &h, Parts::whole(50)).unwrap();
        assert!((0..3).all(|i| (hht[(i, i)] - 1.0).abs() < 1e-9), "{start:?}");
        let h = start_with(&x, 3, start, ScaleIn::H, 0).h;
        gram_of_rows(&mut hht, &h, Parts::whole(50)).unwrap();
        let mut z = Matrix::zeros(9, 3);
        z_least_squares(&mut z, &x, &h, &hht, &mut ZScratch::new(9, 3)).unwrap();
        assert!(z.columns().all(|c| (crate::matrix::dot(c, c) - 1.0).abs() < 1e-9), "{start:?}");
    }
}

#[test]
fn kmeans_memberships_recover_separated_clusters() {
    let noise = normal::<f64>(5, 60, 2);
    let x = Matrix::from_fn(5, 60, |i, j| noise[(i, j)] + if i == j % 3 { 100.0 } else { 0.0 });
    let h = kmeans::memberships(&x, 3, 8).unwrap();
    let cluster = |j: usize| h.col(j).iter().position(|v| *v > 1.0).unwrap();
    for j in 3..60 {
        assert_eq!(cluster(j), cluster(j % 3));
    }
    assert!(cluster(0) != cluster(1) && cluster(1) != cluster(2));
}

#[test]
fn a_seed_decides_every_start() {
    let x = normal::<f64>(6, 30, 1);
    for start in STARTS {
        let with = |seed| start_with(&x, 4, start, ScaleIn::H, seed).h;
        assert_eq!(with(1), with(1), "{start:?}");
    }
    let with = |seed| start_with(&x, 4, Start::Random, ScaleIn::H, seed).h;
    assert_ne!(with(1), with(2));
}

/// The same question put to a linear program: `max t` with `b_j . y >= t |b_j|`, `|y_i| <= 1`.
fn margin_by_linear_program(b: &Matrix<f64>) -> f64 {
    let mut program = Problem::new(OptimizationDirection::Maximize);
    let t = program.add_var(1.0, (-10.0, 10.0));
    let y: Vec<_> = (0..b.rows()).map(|_| program.add_var(0.0, (-1.0, 1.0))).collect();
    for column in b.columns() {
        let norm = crate::matrix::dot(column, column).sqrt();
        let mut terms: Vec<_> = y.iter().copied().zip(column.iter().map(|v| v / norm)).collect();
        terms.push((t, -1.0));
        program.add_constraint(terms, ComparisonOp::Ge, 0.0);
    }
    match program.solve().unwrap() {
        SolveOutcome::Solution(solution) => solution.objective(),
        SolveOutcome::Interrupted(_) => panic!("the linear program was not solved"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn a_positive_vector_is_found_exactly_when_a_linear_program_finds_one(
        k in 1usize..6, n in 1usize..25, seed in 0u64..10_000, shift in 0.0f64..1.5,
    ) {
        let b = normal::<f64>(k, n, seed);
        let b = Matrix::from_fn(k, n, |i, j| b[(i, j)] + if i == k - 1 { shift } else { 0.0 });
        let margin = margin_by_linear_program(&b);
        prop_assume!(!(1e-9..1e-4).contains(&margin.abs())); // too close to call for either
        let found = positive_direction(&b, None, Parts::whole(n), None).unwrap();
        prop_assert_eq!(found.is_some(), margin > 1e-4);
        let positive_along = |y: &[f64]| b.columns().all(|c| crate::matrix::dot(c, y) > 0.0);
        match found {
            Some(Direction::Along(y)) => prop_assert!(positive_along(&y)),
            Some(Direction::Leading { flipped }) => {
                let mut y = vec![0.0; k];
                y[0] = if flipped { -1.0 } else { 1.0 };
                prop_assert!(positive_along(&y));
            }
            None => {}
        }
    }
}
