use proptest::prelude::*;

use super::kl_rule::{Slopes, next};
use super::*;
use crate::matrix::{Parts, Sparse};
use crate::objective::kl_divergence;
use crate::testing::{distance, literal_product, positive};
use crate::update::{KlBetween, KlEntries};

/// `D(X | Z H)` by its definition.
fn literal_divergence(x: &Matrix<f64>, z: &Matrix<f64>, h: &Matrix<f64>) -> f64 {
    let y = literal_product(z.view(), h.view());
    let term = |(x, y): (&f64, &f64)| if *x > 0.0 { x * (x / y).ln() - x + y } else { *y };
    x.as_slice().iter().zip(y.as_slice()).map(term).sum()
}

/// One sweep over all coordinates by the formulas at the head of `kl_rule.rs`, `Z H` formed anew for each of them.
fn literal_sweep(x: &Matrix<f64>, z: &Matrix<f64>, h: &mut Matrix<f64>) {
    for j in 0..h.cols() {
        for r in 0..h.rows() {
            let y = literal_product(z.view(), h.view());
            let (mut a, mut g, mut q) = (0.0, 0.0, 0.0);
            for i in 0..z.rows() {
                a += z[(i, r)];
                if x[(i, j)] > 0.0 {
                    g += x[(i, j)] * z[(i, r)] / y[(i, j)];
                    q += x[(i, j)] * (z[(i, r)] / y[(i, j)]).powi(2);
                }
            }
            let old = h[(r, j)];
            h[(r, j)] = match g > a {
                true => old + g * (g - a) / (a * q),
                false if old > 0.0 => q * old * old / (a - g + q * old),
                false => 0.0,
            };
        }
    }
}

/// Numbers of which about the share `kept` is not zero.
fn some_zeros(rows: usize, cols: usize, seed: u64, kept: f64) -> Matrix<f64> {
    let (values, drawn) =
        (positive::<f64>(rows, cols, seed), positive::<f64>(rows, cols, seed + 7));
    let limit = 1.3 * kept; // about a share of normal numbers is below
    Matrix::from_fn(rows, cols, |i, j| if drawn[(i, j)] < limit { values[(i, j)] } else { 0.0 })
}

fn descended(x: &Matrix<f64>, z: &Matrix<f64>, h: &Matrix<f64>, effort: Effort) -> Matrix<f64> {
    let (entries, factor) = (Sparse::from_dense(x), z.t().to_matrix());
    let sums = Sums::Same(sums_of_rows(&factor, Parts::whole(factor.cols())).unwrap());
    let mut h = h.clone();
    let penalty = Penalty::NONE;
    KlProblem { penalty, ..KlProblem::new(&entries, &factor, &sums) }.descend(&mut h, effort);
    h
}

#[test]
fn a_sweep_equals_its_formula() {
    for (p, n, k, kept) in [(9, 13, 4, 1.0), (30, 7, 3, 0.3), (3, 5, 6, 0.6), (1, 1, 1, 1.0)] {
        let (x, z) = (some_zeros(p, n, 1, kept), positive::<f64>(p, k, 2));
        let start = positive::<f64>(k, n, 3);
        let (found, mut literal) = (descended(&x, &z, &start, Effort::Sweeps(1)), start.clone());
        literal_sweep(&x, &z, &mut literal);
        assert!(distance(&found, &literal) < 1e-12, "{p} {n} {k}");
    }
}

#[test]
fn long_lists_are_swept_as_short_ones_are() {
    let (p, k) = (70_000, 5); // more numbers than a list copies at once
    let (x, z, start) = (some_zeros(p, 1, 1, 0.9), positive::<f64>(p, k, 2), positive(k, 1, 3));
    let mut literal = start.clone();
    literal_sweep(&x, &z, &mut literal);
    assert!(distance(&descended(&x, &z, &start, Effort::Sweeps(1)), &literal) < 1e-11);
}

#[test]
fn the_divergence_is_what_it_says() {
    for kept in [1.0, 0.2] {
        let (x, z, h) =
            (some_zeros(20, 30, 1, kept), positive::<f64>(20, 3, 2), positive(3, 30, 3));
        let literal = literal_divergence(&x, &z, &h);
        for x in [&x as &dyn crate::DataMatrix<f64>, &Sparse::from_dense(&x)] {
            assert!((kl_divergence(x, &z, &h).unwrap() / literal - 1.0).abs() < 1e-12);
        }
        // Near the data the difference is one of nearly equal numbers.
        let exact = literal_product(z.view(), h.view());
        let near = exact.map(|v| v * (1.0 + 1e-6));
        let found = kl_divergence(&near, &z, &h).unwrap();
        let expected = exact.as_slice().iter().sum::<f64>() * 0.5e-12;
        assert!((found / expected - 1.0).abs() < 1e-5, "{found} {expected}");
    }
}

/// The problem is convex: at its minimum no coordinate has descent left, and positive ones no slope.
#[test]
fn the_minimum_satisfies_its_conditions() {
    for (p, n, k, kept) in [(20, 15, 4, 1.0), (40, 10, 6, 0.2), (4, 10, 9, 1.0), (5, 6, 1, 0.5)] {
        let (x, z) = (some_zeros(p, n, 1, kept), some_zeros(p, k, 2, 0.8));
        let h = descended(&x, &z, &positive::<f64>(k, n, 3), Effort::Minimum);
        let y = literal_product(z.view(), h.view());
        for j in 0..n {
            for r in 0..k {
                let a: f64 = z.col(r).iter().sum();
                let of = |i: usize| if x[(i, j)] > 0.0 { x[(i, j)] / y[(i, j)] } else { 0.0 };
                let g: f64 = (0..p).map(|i| of(i) * z[(i, r)]).filter(|g| g.is_finite()).sum();
                let slope = (a - g) / a;
                let off = if h[(r, j)] > 0.0 { slope.abs() } else { (-slope).max(0.0) };
                // A coordinate on its way to zero weighs by what is left of it.
                assert!(off < 1e-6 || off * a * h[(r, j)] < 1e-8, "{p} {j} {r}: {off}");
            }
        }
    }
}

#[test]
fn zeros_do_no_harm() {
    let mut x = some_zeros(8, 12, 1, 0.5);
    x.col_mut(3).fill(0.0);
    let mut z = positive::<f64>(8, 3, 2);
    z.col_mut(1).fill(0.0);
    (0..3).for_each(|r| z[(5, r)] = 0.0); // a feature that no component has
    let zeros = Matrix::<f64>::zeros(3, 12);
    for start in [&zeros, &positive(3, 12, 3)] {
        for effort in [Effort::Sweeps(3), Effort::Minimum] {
            let h = descended(&x, &z, start, effort);
            assert!(h.as_slice().iter().all(|h| h.is_finite() && *h >= 0.0));
            assert!(h[(0, 3)] == 0.0 && h[(2, 3)] == 0.0); // the sample that is zero
            let total = |h: &Matrix<f64>| kl_divergence(&x, &z, h).unwrap();
            assert!(total(&h).is_finite() && total(&h) <= total(start));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn no_sweep_ever_raises_the_divergence(
        p in 1usize..12, n in 1usize..12, k in 1usize..8, seed in 0u64..1000,
        kept in 0.1f64..1.3, scale in -40i32..40, of_z in 0.2f64..1.3, of_h in 0.2f64..1.3,
    ) {
        let unit = f64::from(scale).exp2();
        let x = some_zeros(p, n, seed, kept);
        let z = some_zeros(p, k, seed + 1, of_z).map(|v| v * unit);
        let mut h = some_zeros(k, n, seed + 2, of_h);
        let mut before = kl_divergence(&x, &z, &h).unwrap();
        let mass = x.as_slice().iter().sum::<f64>() + before;
        for sweeps in [1, 1, 2, 5] {
            h = descended(&x, &z, &h, Effort::Sweeps(sweeps));
            let after = kl_divergence(&x, &z, &h).unwrap();
            prop_assert!(after <= before + 1e-12 * mass, "{before} -> {after}");
            prop_assert!(h.as_slice().iter().all(|h| *h >= 0.0 && h.is_finite()));
            before = after;
        }
        let least = kl_divergence(&x, &z, &descended(&x, &z, &h, Effort::Minimum)).unwrap();
        prop_assert!(least <= before + 1e-12 * mass, "{before} -> {least}, {mass}");
    }

    /// The step ends between where it began and the minimum, penalties or not.
    #[test]
    fn no_step_passes_the_minimum(
        count in 1usize..8, seed in 0u64..1000, h in 0f64..3.0, a in 0.01f64..10.0, ridge in 0f64..2.0,
        zero in any::<bool>(), plain in any::<bool>(),
    ) {
        let (h, l2) = (if zero { 0.0 } else { h }, if plain { 0.0 } else { ridge });
        let entries = positive::<f64>(3, count, seed);
        let pull = |s: f64| entries.columns().map(|e| e[0] * e[1] / (e[2] + e[1] * s)).sum::<f64>();
        let fall = entries.columns().map(|e| e[0] * (e[1] / (e[2] + e[1] * h)).powi(2)).sum();
        let slope = |s: f64| a + l2 * s - pull(s);
        let new = next(h, a, l2, Slopes { pull: pull(h), fall });
        prop_assert!(new >= 0.0);
        let rounding = 1e-9 * (a + l2 * new + pull(new));
        if slope(h) < 0.0 {
            prop_assert!(new >= h && slope(new) <= rounding);
        } else {
            prop_assert!(new <= h * (1.0 + 1e-12) && slope(new) >= -rounding);
            if l2 == 0.0 && h > 0.0 {
                prop_assert!(new <= h * pull(h) / a * (1.0 + 1e-12)); // no shorter than multiplicative
            }
        }
    }

    #[test]
    fn single_precision_agrees_with_double_in_the_divergence(
        n in 1usize..12, k in 1usize..6, seed in 0u64..1000,
    ) {
        let (x, z) = (some_zeros(15, n, seed, 0.5), positive::<f64>(15, k, seed + 1));
        let (h, factor) = (positive::<f64>(k, n, seed + 2), z.t().to_matrix());
        let wide = kl_divergence(&x, &z, &descended(&x, &z, &h, Effort::Sweeps(4))).unwrap();
        let (narrow_x, factor, mut narrow) = (x.cast::<f32>(), factor.cast::<f32>(), h.cast::<f32>());
        let sums = Sums::Same(sums_of_rows(&factor, Parts::whole(15)).unwrap());
        let entries = Sparse::from_dense(&narrow_x);
        let penalty = Penalty::NONE;
        KlProblem { penalty, ..KlProblem::new(&entries, &factor, &sums) }
            .descend(&mut narrow, Effort::Sweeps(4));
        let found = kl_divergence(&narrow_x, &z.cast(), &narrow).unwrap();
        prop_assert!((found - wide).abs() <= 1e-4 * (1.0 + wide), "{found} {wide}");
    }
}

/// The formula at the head of `kl_between.rs`, with everything formed.
fn literal_between(
    x: &Matrix<f64>,
    psi: &Matrix<f64>,
    z: &Matrix<f64>,
    q: &Matrix<f64>,
) -> Matrix<f64> {
    let times = |a: &Matrix<f64>, b: &Matrix<f64>| literal_product(a.view(), b.view());
    let y = times(&times(psi, z), q);
    let ratio = Matrix::from_fn(x.rows(), x.cols(), |i, j| x[(i, j)] / y[(i, j)]);
    let ones = Matrix::from_fn(x.rows(), x.cols(), |_, _| 1.0);
    let (psi_t, q_t) = (psi.t().to_matrix(), q.t().to_matrix());
    let (up, down) = (times(&times(&psi_t, &ratio), &q_t), times(&times(&psi_t, &ones), &q_t));
    Matrix::from_fn(z.rows(), z.cols(), |a, b| z[(a, b)] * up[(a, b)] / down[(a, b)])
}

#[test]
fn a_basis_between_others_follows_its_formula_and_never_raises_the_divergence() {
    for (p, n, below, above, kept) in [(9, 200, 4, 3, 0.4), (12, 30, 5, 5, 1.0), (2, 1, 1, 1, 1.0)]
    {
        let x = some_zeros(p, n, 1, kept);
        let (psi, q) = (positive::<f64>(p, below, 2), positive::<f64>(above, n, 3));
        let mut z = positive::<f64>(below, above, 4);
        let (entries, psi_t) = (KlEntries::of(&x).unwrap(), psi.t().to_matrix());
        let between = KlBetween { entries: &entries, psi_t: &psi_t, q: &q };
        let product = |z: &Matrix<f64>| literal_product(psi.view(), z.view());
        for _ in 0..20 {
            let (before, literal) =
                (literal_divergence(&x, &product(&z), &q), literal_between(&x, &psi, &z, &q));
            between.update(&mut z, 1).unwrap();
            assert!(distance(&z, &literal) < 1e-12);
            assert!(literal_divergence(&x, &product(&z), &q) <= before * (1.0 + 1e-12));
        }
    }
}

/// A penalty is a part of the step: the minimum of a column has no slope, or belongs at zero.
#[test]
fn columns_with_a_penalty_end_at_its_minimum() {
    let (x, z) = (some_zeros(12, 20, 1, 0.5), positive::<f64>(12, 4, 2));
    let (entries, factor) = (Sparse::from_dense(&x), z.t().to_matrix());
    let sums = sums_of_rows(&factor, Parts::whole(12)).unwrap();
    let same = Sums::Same(sums.clone());
    for (l1, l2) in [(0.5, 0.0), (0.0, 2.0), (1.0, 3.0), (30.0, 0.0)] {
        let penalty = Penalty { l1, l2 };
        let mut h = positive::<f64>(4, 20, 3);
        let (entries, factor) = (&entries, &factor);
        let problem = KlProblem { penalty, ..KlProblem::new(entries, factor, &same) };
        problem.descend(&mut h, Effort::Minimum);
        let y = literal_product(z.view(), h.view());
        for j in 0..20 {
            for r in 0..4 {
                let pull: f64 = (0..12)
                    .filter(|i| x[(*i, j)] > 0.0)
                    .map(|i| x[(i, j)] * z[(i, r)] / y[(i, j)])
                    .sum();
                let slope = sums[r] + l1 + l2 * h[(r, j)] - pull;
                if h[(r, j)] > 1e-6 {
                    assert!(slope.abs() < 1e-4 * sums[r], "{l1} {l2}: {slope}");
                } else {
                    assert!(slope > -1e-4 * sums[r], "{l1} {l2}: {slope}");
                }
            }
        }
    }
}
