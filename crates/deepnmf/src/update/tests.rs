use proptest::prelude::*;

use super::*;
use crate::matrix::{DataMatrix, Parts, gram_of_rows, pseudo_inverse};
use crate::objective::reconstruction_error;
use crate::testing::{distance, literal_error, literal_product, normal, optimality, positive};

const SOLVERS: [HSolver; 4] = [
    HSolver::MULTIPLICATIVE,
    HSolver::Multiplicative { eta: 0.5, repeats: 5 },
    HSolver::HALS,
    HSolver::ACCELERATED,
];

/// A problem `min |X - Phi H|` with its products and a start.
struct Problem<T> {
    x: Matrix<T>,
    phi: Matrix<T>,
    phi_t_x: Matrix<T>,
    phi_t_phi: Matrix<T>,
    h: Matrix<T>,
}

impl<T: Scalar> Problem<T> {
    fn new(p: usize, n: usize, k: usize, seed: u64) -> Self {
        Self::of(normal(p, n, seed), normal(p, k, seed + 1), positive(k, n, seed + 2))
    }

    fn of(x: Matrix<T>, phi: Matrix<T>, h: Matrix<T>) -> Self {
        let phi_t_x = literal_product(phi.t(), x.view()).cast();
        let phi_t_phi = literal_product(phi.t(), phi.view()).cast();
        Self { x, phi, phi_t_x, phi_t_phi, h }
    }

    fn products(&self) -> Products<'_, T> {
        Products::plain(&self.phi_t_x, &self.phi_t_phi)
    }

    fn error(&self, h: &Matrix<T>) -> f64 {
        literal_error(&self.x, &self.phi, h)
    }

    fn optimality(&self, h: &Matrix<T>) -> f64 {
        optimality(&self.phi_t_phi.cast(), &self.phi_t_x.cast(), h)
    }
}

/// The multiplicative rule as the paper prints it.
fn literal_multiplicative(problem: &Problem<f64>, eta: f64) -> Matrix<f64> {
    let pos = |a: f64| f64::midpoint(a.abs(), a);
    let neg = |a: f64| (a.abs() - a) / 2.0;
    let (g, b, h) = (&problem.phi_t_phi, &problem.phi_t_x, &problem.h);
    let up = literal_product(g.map(neg).view(), h.view());
    let down = literal_product(g.map(pos).view(), h.view());
    Matrix::from_fn(h.rows(), h.cols(), |i, j| {
        let up = pos(b[(i, j)]) + up[(i, j)];
        let down = neg(b[(i, j)]) + down[(i, j)];
        h[(i, j)] * (up / down).powf(eta)
    })
}

#[test]
fn the_multiplicative_rule_equals_its_formula() {
    for (p, n, k) in [(9, 300, 4), (4, 7, 9), (5, 1, 1)] {
        for eta in [0.5, 0.3, 1.0] {
            let problem = Problem::<f64>::new(p, n, k, 3);
            let mut h = problem.h.clone();
            h_multiplicative(&mut h, problem.products(), eta, 1);
            assert!(distance(&h, &literal_multiplicative(&problem, eta)) < 1e-12);
        }
    }
}

#[test]
fn two_repeats_are_two_updates_and_more_stop_where_little_moves() {
    let problem = Problem::<f64>::new(9, 300, 4, 3);
    let updated = |calls: usize, repeats| {
        let mut h = problem.h.clone();
        (0..calls).for_each(|_| h_multiplicative(&mut h, problem.products(), 0.5, repeats));
        h
    };
    assert_eq!(updated(1, 2), updated(2, 1));
    assert_eq!(updated(1, 100_000), updated(1, 200_000));
    assert_ne!(updated(1, 100_000), updated(100, 1));
}

/// One sweep of coordinate descent, entry by entry.
fn literal_sweep(problem: &Problem<f64>, h: &mut Matrix<f64>) {
    let (g, b) = (&problem.phi_t_phi, &problem.phi_t_x);
    for j in 0..h.cols() {
        for i in 0..h.rows() {
            let image: f64 = (0..h.rows()).map(|l| g[(i, l)] * h[(l, j)]).sum();
            h[(i, j)] = (h[(i, j)] + (b[(i, j)] - image) / g[(i, i)]).max(0.0);
        }
    }
}

#[test]
fn a_sweep_of_coordinate_descent_equals_its_formula() {
    for (p, n, k) in [(9, 37, 4), (4, 16, 9), (3, 1, 2)] {
        let problem = Problem::<f64>::new(p, n, k, 11);
        let (mut h, mut literal) = (problem.h.clone(), problem.h.clone());
        h_hals(&mut h, problem.products(), 1);
        literal_sweep(&problem, &mut literal);
        assert!(distance(&h, &literal) < 1e-12);
    }
}

/// Accelerated gradients with restart on each column, as their file's head prints them.
fn literal_accelerated(problem: &Problem<f64>, steps: usize) -> Matrix<f64> {
    let g = &problem.phi_t_phi;
    let row_sums = (0..g.rows()).map(|i| (0..g.rows()).map(|j| g[(i, j)].abs()).sum::<f64>());
    let l = row_sums.fold(0.0, f64::max).min(g.norm_sq().sqrt());
    let step = |y: &Matrix<f64>| {
        let image = literal_product(g.view(), y.view());
        Matrix::from_fn(y.rows(), y.cols(), |i, j| {
            (y[(i, j)] - (image[(i, j)] - problem.phi_t_x[(i, j)]) / l).max(0.0)
        })
    };
    let (mut h, mut y, mut t) = (problem.h.clone(), problem.h.clone(), vec![1.0f64; 100]);
    for _ in 0..steps {
        let new = step(&y);
        for (j, t) in t.iter_mut().enumerate() {
            let moves = (0..h.rows()).map(|i| (y[(i, j)] - new[(i, j)], new[(i, j)] - h[(i, j)]));
            if *t > 1.0 && moves.map(|(back, along)| back * along).sum::<f64>() > 0.0 {
                *t = 1.0;
            }
            let t_new = f64::midpoint(1.0, (1.0 + 4.0 * *t * *t).sqrt());
            for i in 0..h.rows() {
                y[(i, j)] = new[(i, j)] + (*t - 1.0) / t_new * (new[(i, j)] - h[(i, j)]);
            }
            *t = t_new;
        }
        h = new;
    }
    h
}

#[test]
fn accelerated_gradients_equal_their_formula() {
    for steps in [1, 2, 30] {
        let problem = Problem::<f64>::new(12, 100, 5, 7);
        let mut h = problem.h.clone();
        h_accelerated(&mut h, problem.products(), steps);
        assert!(distance(&h, &literal_accelerated(&problem, steps)) < 1e-11);
    }
}

#[test]
fn all_rules_end_at_the_exact_minimum() {
    let problem = Problem::<f64>::new(20, 60, 6, 21);
    let exact = h_exact(&problem.phi_t_phi, &problem.phi_t_x, &problem.h);
    assert!(problem.optimality(&exact) < 1e-11);
    for solver in [HSolver::HALS, HSolver::ACCELERATED] {
        let mut h = problem.h.clone();
        for _ in 0..100 {
            solver.update(&mut h, problem.products());
        }
        assert!(problem.optimality(&h) < 1e-9, "{solver:?}: {}", problem.optimality(&h));
        assert!(distance(&h, &exact) < 1e-8);
    }
    // Entries that belong at zero only creep there: 1 / iterations, not a rate.
    let mut h = problem.h.clone();
    for _ in 0..20_000 {
        HSolver::MULTIPLICATIVE.update(&mut h, problem.products());
    }
    assert!(problem.error(&h) < problem.error(&exact) * (1.0 + 1e-6));
}

#[test]
fn exact_features_are_the_best_over_all_sets_of_free_entries() {
    let k = 4;
    for seed in 0..20 {
        let problem = Problem::<f64>::new(6, 5, k, seed);
        let exact = h_exact(&problem.phi_t_phi, &problem.phi_t_x, &Matrix::<f64>::zeros(k, 5));
        for j in 0..5 {
            let best = (0u32..1 << k)
                .filter_map(|set| restricted_minimum(&problem, j, set))
                .fold(f64::INFINITY, f64::min);
            let x = problem.x.view_columns(j..j + 1).to_matrix();
            let found = literal_error(&x, &problem.phi, &exact.view_columns(j..j + 1).to_matrix());
            assert!((found - best).abs() < 1e-10, "{found} is not {best}");
        }
    }
}

/// The error of sample `j` with the entries of `set` free and no sign asked for, if all come out
/// non-negative.
fn restricted_minimum(problem: &Problem<f64>, j: usize, set: u32) -> Option<f64> {
    let free: Vec<usize> = (0..problem.phi.cols()).filter(|i| set >> i & 1 == 1).collect();
    let x = problem.x.view_columns(j..j + 1).to_matrix();
    if free.is_empty() {
        return Some(x.norm_sq().sqrt());
    }
    let part = Matrix::from_fn(x.rows(), free.len(), |i, l| problem.phi[(i, free[l])]);
    let h = literal_product(pseudo_inverse(part.view()).unwrap().view(), x.view());
    h.as_slice().iter().all(|h| *h >= 0.0).then(|| literal_error(&x, &part, &h))
}

#[test]
fn exact_features_exist_for_a_singular_basis() {
    let half = normal::<f64>(10, 3, 1);
    let phi = Matrix::from_fn(10, 9, |i, j| half[(i, j % 3)] * (1.0 + (j / 3) as f64));
    let problem = Problem::of(normal(10, 30, 2), phi, positive(9, 30, 3));
    let exact = h_exact(&problem.phi_t_phi, &problem.phi_t_x, &problem.h);
    assert!(problem.optimality(&exact) < 1e-10);
    let zero_basis = Problem::of(normal(4, 5, 1), Matrix::<f64>::zeros(4, 2), positive(2, 5, 3));
    let exact = h_exact(&zero_basis.phi_t_phi, &zero_basis.phi_t_x, &zero_basis.h);
    assert!(exact.as_slice().iter().all(|h| *h == 0.0));
}

#[test]
fn zero_basis_vectors_and_zero_data_do_no_harm() {
    let mut phi = normal::<f64>(6, 3, 1);
    phi.col_mut(1).fill(0.0);
    let mut x = normal::<f64>(6, 20, 2);
    x.col_mut(5).fill(0.0);
    let problem = Problem::of(x, phi, positive(3, 20, 3));
    for solver in SOLVERS {
        let mut h = problem.h.clone();
        for _ in 0..20 {
            solver.update(&mut h, problem.products());
        }
        assert!(h.as_slice().iter().all(|h| h.is_finite() && *h >= 0.0), "{solver:?}");
    }
}

fn basis_of<T: Scalar>(x: &Matrix<T>, h: &Matrix<T>) -> Matrix<T> {
    let (p, k) = (x.rows(), h.rows());
    let mut hht = Matrix::zeros(k, k);
    gram_of_rows(&mut hht, h, Parts::whole(h.cols())).unwrap();
    let mut z = Matrix::zeros(p, k);
    z_least_squares(&mut z, x, h, &hht, &mut ZScratch::new(p, k)).unwrap();
    z
}

#[test]
fn the_basis_is_the_data_times_the_pseudo_inverse() {
    let x = normal::<f64>(8, 50, 1);
    let deficient = Matrix::from_fn(4, 50, |i, j| ((i / 2 + 1) * (j + 1) % 7) as f64);
    for h in [positive::<f64>(4, 50, 2), deficient] {
        let inverse = pseudo_inverse(h.view()).unwrap();
        assert!(distance(&basis_of(&x, &h), &literal_product(x.view(), inverse.view())) < 1e-9);
    }
}

/// Rows of `H` that nearly coincide would cost a plain Gram solution in `f32` all its digits.
#[test]
fn the_basis_survives_ill_conditioned_features_in_f32() {
    let common = positive::<f64>(1, 400, 1);
    let own = normal::<f64>(5, 400, 2);
    let h = Matrix::from_fn(5, 400, |i, j| 30.0 * common[(0, j)] + 0.02 * own[(i, j)].abs());
    let x = normal::<f64>(10, 400, 3);
    let best = literal_error(&x, &basis_of(&x, &h), &h);
    let (x32, h32) = (x.cast::<f32>(), h.cast::<f32>());
    let z32 = basis_of(&x32, &h32);
    assert!(reconstruction_error(&x32, &z32, &h32).unwrap() < best * (1.0 + 1e-4));
}

#[test]
fn settings_without_meaning_are_refused() {
    for eta in [0.0, -1.0, 1.5, f64::NAN] {
        assert!(HSolver::Multiplicative { eta, repeats: 1 }.check().is_err());
    }
    assert!(HSolver::Hals { sweeps: 0 }.check().is_err());
    assert!(HSolver::Accelerated { steps: 0 }.check().is_err());
    assert!(SOLVERS.iter().all(|s| s.check().is_ok()));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn no_rule_ever_raises_the_error(
        p in 1usize..12, n in 1usize..40, k in 1usize..10, seed in 0u64..1000, signs in 0u8..3,
    ) {
        let x = if signs == 0 { positive(p, n, seed) } else { normal::<f64>(p, n, seed) };
        let phi = if signs == 1 { positive(p, k, seed + 1) } else { normal(p, k, seed + 1) };
        let problem = Problem::of(x, phi, positive(k, n, seed + 2));
        let scale = problem.x.norm_sq().sqrt();
        for solver in SOLVERS {
            let mut h = problem.h.clone();
            let mut before = problem.error(&h);
            for _ in 0..5 {
                solver.update(&mut h, problem.products());
                let after = problem.error(&h);
                prop_assert!(after <= before + 1e-12 * scale, "{solver:?}: {before} -> {after}");
                prop_assert!(h.as_slice().iter().all(|h| *h >= 0.0));
                before = after;
            }
        }
    }

    #[test]
    fn exact_features_satisfy_the_optimality_conditions(
        p in 1usize..15, n in 1usize..10, k in 1usize..15, seed in 0u64..1000,
    ) {
        let problem = Problem::<f64>::new(p, n, k, seed);
        let exact = h_exact(&problem.phi_t_phi, &problem.phi_t_x, &problem.h);
        prop_assert!(problem.optimality(&exact) < 1e-8);
    }

    #[test]
    fn single_and_double_precision_agree(n in 1usize..40, k in 1usize..8, seed in 0u64..1000) {
        let wide = Problem::<f64>::new(12, n, k, seed);
        let narrow = Problem::of(wide.x.cast::<f32>(), wide.phi.cast(), wide.h.cast());
        for solver in SOLVERS {
            let (mut h, mut h32) = (wide.h.clone(), narrow.h.clone());
            for _ in 0..3 {
                solver.update(&mut h, wide.products());
                solver.update(&mut h32, narrow.products());
            }
            let (error, error32) = (wide.error(&h), narrow.error(&h32));
            prop_assert!((error - error32).abs() <= 1e-4 * wide.x.norm_sq().sqrt(), "{solver:?}");
        }
    }
}

/// `DataMatrix` is object safe and its blocks cover all columns once, in order.
#[test]
fn blocks_cover_all_columns_once() {
    let x = normal::<f64>(3, 700, 1);
    let data: &dyn DataMatrix<f64> = &x;
    let mut next = 0;
    data.blocks(&mut |start, block| {
        assert_eq!(start, next);
        next += block.cols();
        std::ops::ControlFlow::Continue(())
    })
    .unwrap();
    assert_eq!(next, 700);
}
