use super::*;
use crate::driver::Algorithm;
use crate::testing::{literal_product, normal, optimality, positive};

/// `|B - A Y|^2 / 2` over a free first block and a non-negative second one, `Y = [U; V]`.
struct LeastSquares {
    a: [Matrix<f64>; 2],
    b: Matrix<f64>,
    evaluations: usize,
}

impl LeastSquares {
    fn new(seed: u64) -> Self {
        // Scales that differ by orders of magnitude, as those of factors do.
        let a = [normal(12, 3, seed).map(|v| 30.0 * v), normal(12, 4, seed + 1).map(|v| 0.1 * v)];
        Self { a, b: normal(12, 5, seed + 2), evaluations: 0 }
    }

    fn start() -> Point<f64> {
        vec![normal(3, 5, 9), positive(4, 5, 10)]
    }
}

impl Objective<f64> for LeastSquares {
    fn evaluate(&mut self, point: &Point<f64>) -> Result<Evaluated<f64>> {
        self.evaluations += 1;
        let mut residual = self.b.map(|v| -v);
        for (a, y) in self.a.iter().zip(point) {
            crate::matrix::add_scaled(&mut residual, 1.0, &literal_product(a.view(), y.view()));
        }
        let gradient = self.a.iter().map(|a| literal_product(a.t(), residual.view())).collect();
        Ok(Evaluated { value: residual.norm_sq() / 2.0, gradient })
    }

    fn is_features(&self, block: usize) -> bool {
        block == 1
    }

    fn parts(&self) -> Parts<'_> {
        Parts::whole(self.b.cols())
    }
}

/// How far the non-negative block is from optimal for what the free one leaves.
fn violation(problem: &LeastSquares, point: &Point<f64>) -> f64 {
    let [free, bounded] = &problem.a;
    let rest = difference(&problem.b, &literal_product(free.view(), point[0].view()));
    let gram = literal_product(bounded.t(), bounded.view());
    optimality(&gram, &literal_product(bounded.t(), rest.view()), &point[1])
}

/// Runs to the end.
fn descend(algorithm: &mut impl Algorithm, steps: usize) -> f64 {
    (0..steps).for_each(|_| algorithm.step().unwrap());
    algorithm.error()
}

/// Whether steps were given up only where rounding was all that was left.
fn only_at_the_minimum(given_up: &[f64]) -> bool {
    given_up.iter().all(|steepness| *steepness < 1e-5)
}

#[test]
fn all_methods_find_the_minimum_and_give_up_nowhere_else() {
    for seed in 0..5 {
        let mut lbfgs = Lbfgs::new(LeastSquares::new(seed), LeastSquares::start()).unwrap();
        let best = descend(&mut lbfgs, 200);
        assert!(violation(&lbfgs.objective, &lbfgs.point) < 1e-6, "seed {seed}");
        assert!(only_at_the_minimum(&lbfgs.given_up), "{:?}", lbfgs.given_up);
        for joint in [true, false] {
            let begun = Accelerated::new(LeastSquares::new(seed), LeastSquares::start(), joint);
            let mut accelerated = begun.unwrap();
            let reached = descend(&mut accelerated, 2000);
            assert!(reached <= best * (1.0 + 1e-6), "seed {seed} {joint}: {reached} {best}");
            assert!(only_at_the_minimum(&accelerated.given_up), "{:?}", accelerated.given_up);
        }
        let mut adam = Adam::new(LeastSquares::new(seed), LeastSquares::start(), 0.02).unwrap();
        let reached = descend(&mut adam, 5000);
        assert!(reached <= best * (1.0 + 1e-2), "seed {seed}: {reached} {best}");
        let point = &adam.best;
        let value = adam.objective.evaluate(point).unwrap().value;
        assert!((reached * reached / 2.0 - value).abs() < 1e-12, "the best point is kept");
    }
}

/// The list of slopes can show a wrong gradient: here one of the other sign.
#[test]
fn a_gradient_that_points_uphill_is_given_up_at_once() {
    struct Uphill(LeastSquares);

    impl Objective<f64> for Uphill {
        fn evaluate(&mut self, point: &Point<f64>) -> Result<Evaluated<f64>> {
            let Evaluated { value, mut gradient } = self.0.evaluate(point)?;
            for block in &mut gradient {
                crate::matrix::scale(block, -1.0);
            }
            Ok(Evaluated { value, gradient })
        }

        fn is_features(&self, block: usize) -> bool {
            self.0.is_features(block)
        }

        fn parts(&self) -> Parts<'_> {
            self.0.parts()
        }
    }

    let mut lbfgs = Lbfgs::new(Uphill(LeastSquares::new(1)), LeastSquares::start()).unwrap();
    descend(&mut lbfgs, 1);
    assert!(!only_at_the_minimum(&lbfgs.given_up));
    let begun = Accelerated::new(Uphill(LeastSquares::new(1)), LeastSquares::start(), true);
    let mut accelerated = begun.unwrap();
    descend(&mut accelerated, 1);
    assert!(!only_at_the_minimum(&accelerated.given_up));
}

#[test]
fn variables_never_become_negative() {
    let mut lbfgs = Lbfgs::new(LeastSquares::new(3), LeastSquares::start()).unwrap();
    let begun = Accelerated::new(LeastSquares::new(3), LeastSquares::start(), true);
    let mut accelerated = begun.unwrap();
    for _ in 0..50 {
        lbfgs.step().unwrap();
        accelerated.step().unwrap();
        for point in [&lbfgs.point, &accelerated.point] {
            assert!(point[1].as_slice().iter().all(|v| *v >= 0.0));
        }
    }
}

#[test]
fn most_steps_of_lbfgs_take_one_evaluation() {
    let mut lbfgs = Lbfgs::new(LeastSquares::new(1), LeastSquares::start()).unwrap();
    descend(&mut lbfgs, 30);
    assert!(lbfgs.objective.evaluations < 60, "{}", lbfgs.objective.evaluations);
}

#[test]
fn a_minimum_is_left_as_it_is() {
    let mut lbfgs = Lbfgs::new(LeastSquares::new(2), LeastSquares::start()).unwrap();
    descend(&mut lbfgs, 300);
    let (point, error) = (lbfgs.point.clone(), lbfgs.error());
    descend(&mut lbfgs, 5);
    assert!((lbfgs.error() - error).abs() < 1e-9);
    let norm = |point: &Point<f64>| lbfgs.objective.norm(point).unwrap();
    assert!(norm(&differences(&lbfgs.point, &point)) < 1e-4 * norm(&point));
}
