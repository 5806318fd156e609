use super::{ElasticNet, Nmf};
use crate::init::NonNegativeStart;
use crate::matrix::{Matrix, Sparse, power_of_two};
use crate::models::{Factorization, Gnmf, MultilayerNmf, NeNmf, NonNegativeOptions, Settings};
use crate::objective::Divergence;
use crate::project::Projection;
use crate::stop::StopRule;
use crate::testing::{distance, in_common_unit, literal_product, positive};
use crate::update::HSolver;

const BOTH: [Divergence; 2] = [Divergence::Frobenius, Divergence::KullbackLeibler];

fn samples() -> Matrix<f64> {
    let product = literal_product(positive::<f64>(12, 3, 1).view(), positive(3, 40, 2).view());
    let noise = positive::<f64>(12, 40, 3);
    in_common_unit(Matrix::from_fn(12, 40, |i, j| product[(i, j)] * noise[(i, j)]))
}

/// Of both factors.
fn elastic(l1: f64, l2: f64) -> ElasticNet {
    let weight = l1 + l2;
    ElasticNet::new(weight, weight, if weight > 0.0 { l1 / weight } else { 0.0 })
}

fn nmf(divergence: Divergence, penalty: ElasticNet, max_iterations: usize) -> Nmf {
    let stop = StopRule { kappa: 0.0, max_iterations, max_seconds: None };
    let options = NonNegativeOptions::default().stop(stop);
    Nmf::new(3).divergence(divergence).penalty(penalty).with(options)
}

/// The objective by its definition.
fn literal(x: &Matrix<f64>, z: &Matrix<f64>, h: &Matrix<f64>, nmf: &Nmf) -> f64 {
    let y = literal_product(z.view(), h.view());
    let term = |(x, y): (&f64, &f64)| match nmf.divergence {
        Divergence::Frobenius => 0.5 * (x - y).powi(2),
        Divergence::KullbackLeibler if *x > 0.0 => x * (x / y).ln() - x + y,
        Divergence::KullbackLeibler => *y,
    };
    let data: f64 = x.as_slice().iter().zip(y.as_slice()).map(term).sum();
    let ElasticNet { features, basis, l1_ratio, .. } = nmf.penalty;
    let penalty = |weight: f64, factor: &Matrix<f64>| -> f64 {
        let of = |v: &f64| l1_ratio * v + 0.5 * (1.0 - l1_ratio) * v * v;
        weight * factor.as_slice().iter().map(of).sum::<f64>()
    };
    let (p, n) = (x.rows() as f64, x.cols() as f64);
    data + p * penalty(features, h) + n * penalty(basis, z)
}

#[test]
fn the_history_is_that_of_the_penalized_objective_and_never_rises() {
    let x = samples();
    let rules = [HSolver::HALS, HSolver::ACCELERATED, Nmf::LEE_SEUNG, Nmf::MULTIPLICATIVE];
    for divergence in BOTH {
        for (l1, l2) in [(0.0, 3e-4), (3e-4, 0.0), (2e-4, 1e-4)] {
            for start in [NonNegativeStart::Nndsvda, NonNegativeStart::Nndsvd] {
                for solver in rules {
                    if divergence == Divergence::KullbackLeibler && solver != HSolver::HALS {
                        continue;
                    }
                    let nmf = nmf(divergence, elastic(l1, l2), 60);
                    let options = nmf.options.clone().start(start).solver(solver);
                    let nmf = nmf.with(options);
                    let model = nmf.fit(&x).unwrap();
                    let history = &model.summary.history;
                    assert!(history.len() > 5, "{divergence:?} {solver:?}");
                    assert!(history.windows(2).all(|pair| pair[1] <= pair[0] * (1.0 + 1e-12)));
                    let (z, h) = (&model.factors.z[0], &model.factors.h[0]);
                    let expected = (2.0 * literal(&x, z, h, &nmf)).sqrt();
                    assert!((history[history.len() - 1] / expected - 1.0).abs() < 1e-9);
                    // The error that is reported is that of the reconstruction alone.
                    let without = Nmf { penalty: ElasticNet::default(), ..nmf };
                    let error = (2.0 * literal(&x, z, h, &without)).sqrt();
                    assert!((model.summary.error / error - 1.0).abs() < 1e-9);
                }
            }
        }
    }
}

/// By finite differences: no entry of a factor could move and lower the objective.
#[test]
fn the_end_of_a_fit_is_a_minimum_in_every_entry() {
    let x = samples();
    for divergence in BOTH {
        for (l1, l2) in [(0.0, 1e-3), (1e-3, 0.0), (5e-4, 5e-4)] {
            let nmf = nmf(divergence, elastic(l1, l2), 20_000);
            let model = nmf.fit(&x).unwrap();
            let (z, h) = (&model.factors.z[0], &model.factors.h[0]);
            let scale = literal(&x, z, h, &nmf);
            let slope = |change: &dyn Fn(f64) -> f64, at: f64| {
                let step = 1e-6 * (1.0 + at);
                if at > step {
                    (change(step) - change(-step)) / (2.0 * step)
                } else {
                    (change(step) - change(0.0)) / step
                }
            };
            for r in 0..3 {
                for j in 0..x.cols() {
                    let change = |step: f64| {
                        let mut moved = h.clone();
                        moved[(r, j)] += step;
                        literal(&x, z, &moved, &nmf)
                    };
                    let found = slope(&change, h[(r, j)]);
                    let least = if h[(r, j)] > 1e-5 { found.abs() } else { -found };
                    assert!(least < 2e-4 * scale, "{divergence:?} {l1} {l2}: {found}");
                }
                for i in 0..x.rows() {
                    let change = |step: f64| {
                        let mut moved = z.clone();
                        moved[(i, r)] += step;
                        literal(&x, &moved, h, &nmf)
                    };
                    let found = slope(&change, z[(i, r)]);
                    let least = if z[(i, r)] > 1e-5 { found.abs() } else { -found };
                    assert!(least < 2e-4 * scale, "{divergence:?} {l1} {l2}: {found}");
                }
            }
        }
    }
}

#[test]
fn l1_makes_features_sparse_and_l2_keeps_them_small() {
    let x = samples();
    for divergence in BOTH {
        let of = |l1, l2| nmf(divergence, elastic(l1, l2), 500).fit(&x).unwrap();
        let (plain, sparse, small) = (of(0.0, 0.0), of(1e-2, 0.0), of(0.0, 1e-2));
        let zeros = |model: &crate::Model<f64>| {
            let both = [&model.factors.z[0], &model.factors.h[0]];
            both.iter().flat_map(|m| m.as_slice()).filter(|v| **v <= 0.0).count()
        };
        let (few, many) = (zeros(&plain), zeros(&sparse));
        // The Kullback-Leibler divergence has an l1 term of its own, so l1 mostly makes all entries smaller there.
        match divergence {
            Divergence::Frobenius => assert!(many > few, "{few} {many}"),
            Divergence::KullbackLeibler => assert!(many >= few, "{few} {many}"),
        }
        let sum = |model: &crate::Model<f64>| -> f64 {
            let (z, h) = (&model.factors.z[0], &model.factors.h[0]);
            literal_product(z.view(), h.view()).as_slice().iter().sum()
        };
        assert!(sum(&sparse) < sum(&plain), "{divergence:?}");
        // Each factor counts as in the objective.
        let size = |model: &crate::Model<f64>| {
            let (z, h) = (&model.factors.z[0], &model.factors.h[0]);
            x.cols() as f64 * z.norm_sq() + x.rows() as f64 * h.norm_sq()
        };
        assert!(size(&small) < size(&plain), "{divergence:?}");
    }
}

/// Weights of zero change no bit.
#[test]
fn no_penalty_is_none() {
    let x = samples();
    for divergence in BOTH {
        let plain = nmf(divergence, ElasticNet::default(), 20);
        let text = serde_json::to_string(&Settings::from(plain.clone())).unwrap();
        assert!(!text.contains("penalty"), "{text}");
        let zero = nmf(divergence, elastic(0.0, 0.0), 20);
        let (one, two) = (plain.fit(&x).unwrap(), zero.fit(&x).unwrap());
        assert_eq!(one.factors, two.factors);
        assert_eq!(one.summary.history, two.summary.history);
    }
}

#[test]
fn new_samples_have_the_penalty_of_the_fit() {
    let x = samples();
    for divergence in BOTH {
        let nmf = nmf(divergence, elastic(1e-3, 5e-4), 4000);
        let model = nmf.fit(&x).unwrap();
        let (z, own) = (&model.factors.z[0], &model.factors.h[0]);
        for x in [&x as &dyn crate::DataMatrix<f64>, &Sparse::from_dense(&x)] {
            let h = model.project(x, 1, Projection::NonNegative).unwrap();
            assert!(distance(&h, own) < 1e-3, "{divergence:?} {}", distance(&h, own));
        }
        let h = model.project(&x, 1, Projection::NonNegative).unwrap();
        assert!(literal(&x, z, &h, &nmf) <= literal(&x, z, own, &nmf) * (1.0 + 1e-12));
    }
}

/// Data times a power of two, with a weight that has the unit too: l2 of the basis has none in the Frobenius norm.
#[test]
fn weights_have_the_unit_of_the_data() {
    let x = samples();
    let (frobenius, kl) = (Divergence::Frobenius, Divergence::KullbackLeibler);
    // The share of l1, and by which power of the unit the weights of features and basis grow.
    for (divergence, l1_ratio, features, basis) in
        [(frobenius, 0.0, 2, 0), (frobenius, 1.0, 2, 1), (kl, 0.0, 1, -1), (kl, 1.0, 1, 0)]
    {
        for exponent in [-7, 5, 200] {
            let times = |power: i32| power_of_two(exponent * power);
            let weighted = |features, basis| {
                nmf(divergence, ElasticNet::new(1e-3 * features, 2e-3 * basis, l1_ratio), 50)
            };
            let (model, other) = (weighted(1.0, 1.0), weighted(times(features), times(basis)));
            let scaled = x.map(|v| v * times(1));
            let (one, two) = (model.fit(&x).unwrap(), other.fit(&scaled).unwrap());
            assert_eq!(one.factors.h, two.factors.h, "{divergence:?} {exponent}");
            assert_eq!(one.factors.z[0].map(|v| v * times(1)), two.factors.z[0]);
            assert_eq!(two.settings, other.into());
            let new = |m: &crate::Model<f64>, x| m.project(x, 1, Projection::NonNegative).unwrap();
            assert!(distance(&new(&one, &x), &new(&two, &scaled)) < 1e-9);
        }
    }
}

#[test]
fn penalties_that_cannot_work_are_refused_or_said() {
    let x = samples();
    for divergence in BOTH {
        for bad in [-1.0, f64::NAN, f64::INFINITY] {
            let refused = |penalty| nmf(divergence, penalty, 5).fit(&x).unwrap_err().to_string();
            let of_features = refused(ElasticNet::new(bad, 0.0, 0.0));
            assert!(of_features.contains("penalty of the features"), "{of_features}");
            assert!(refused(ElasticNet::new(0.0, bad, 0.0)).contains("penalty of the basis"));
            assert!(refused(ElasticNet::new(0.1, 0.1, bad)).contains("the share of l1"));
        }
        let alone = ElasticNet::new(1e-3, 0.0, 1.0);
        let said = nmf(divergence, alone, 5).fit(&x).unwrap().summary.notices;
        assert!(said[0].to_string().contains("the basis has no penalty"), "{said:?}");
    }
    let said = nmf(Divergence::Frobenius, elastic(1e3, 0.0), 50).fit(&x).unwrap().summary;
    assert!(said.notices[0].to_string().contains("every feature is zero"), "{:?}", said.notices);
    assert!((said.relative_error - 1.0).abs() < 1e-12);
    let with = nmf(Divergence::Frobenius, elastic(1e-3, 0.0), 5);
    let models: [Settings; 3] = [
        Gnmf::new(2).with(with.clone()).into(),
        NeNmf::new(2).with(with.clone()).into(),
        MultilayerNmf::new([3, 2]).with(with).into(),
    ];
    for settings in models {
        let refused = settings.fit(&x, &[], &mut crate::FitSession::new()).unwrap_err().to_string();
        assert!(refused.contains("elastic-net"), "{}: {refused}", settings.name());
    }
}
