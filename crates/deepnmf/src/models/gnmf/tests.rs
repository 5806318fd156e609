use super::*;
use crate::graph::{Graph, NeighbourWeights, Neighbours};
use crate::matrix::Matrix;
use crate::models::{Factorization, Nmf, NonNegativeOptions};
use crate::stop::StopRule;
use crate::testing::{distance, in_common_unit, literal_error, literal_product, positive};
use crate::update::HSolver;

fn rounds(max_iterations: usize) -> StopRule {
    StopRule { kappa: 0.0, max_iterations, max_seconds: None }
}

fn nmf(components: usize, solver: HSolver, stop: StopRule) -> Nmf {
    Nmf::new(components).with(NonNegativeOptions::default().solver(solver).stop(stop))
}

const WEIGHTS: [NeighbourWeights; 3] =
    [NeighbourWeights::Binary, NeighbourWeights::Heat { sigma: None }, NeighbourWeights::Dot];

#[test]
fn without_a_weight_it_is_nmf_bit_for_bit() {
    let x = positive::<f64>(12, 50, 1);
    for solver in [Nmf::LEE_SEUNG, HSolver::HALS] {
        let nmf = nmf(4, solver, StopRule::default());
        let plain = nmf.fit(&x).unwrap();
        for gnmf in [Gnmf::new(4), Gnmf::published(4)] {
            let unweighted = gnmf.with(nmf.clone()).lambda(0.0).fit(&x).unwrap();
            assert_eq!(plain.factors, unweighted.factors);
        }
    }
}

/// That no sweep raises it is a test of NMF, whose loop this is.
#[test]
fn the_objective_falls_and_is_what_it_says() {
    let x = in_common_unit(positive::<f64>(12, 50, 2));
    for weights in WEIGHTS {
        for solver in [Nmf::LEE_SEUNG, HSolver::MULTIPLICATIVE, HSolver::HALS] {
            for lambda in [0.1, 100.0] {
                let nmf = nmf(4, solver, rounds(40));
                let model = Gnmf::published(4).with(nmf).lambda(lambda).neighbours(4, weights);
                let model = model.fit(&x).unwrap();
                let (history, h) = (&model.summary.history, &model.factors.h[0]);
                let (first, last) = (history[0], history[40]);
                assert!(last < first, "{weights:?} {solver:?} {lambda}");
                let error = literal_error(&x, &model.factors.z[0], h);
                let near = Neighbours::new(&x, 4, weights).unwrap();
                let objective = (error * error + lambda * near.penalty(h).unwrap()).sqrt();
                assert!((last / objective - 1.0).abs() < 1e-9, "{weights:?} {solver:?} {lambda}");
            }
        }
    }
}

/// One round of the published rules by their formulas.
#[test]
fn the_rules_are_the_published_ones() {
    let x = in_common_unit(positive::<f64>(9, 30, 3));
    let lambda = 2.0;
    let fit = |n| {
        let nmf = nmf(3, Nmf::LEE_SEUNG, rounds(n));
        Gnmf::published(3).with(nmf).lambda(lambda).fit(&x).unwrap().factors
    };
    let (before, after) = (fit(0), fit(1));
    let (h, new_z) = (&before.h[0], &after.z[0]);
    let near = Neighbours::new(&x, 5, NeighbourWeights::Binary).unwrap();
    let mut hw = Matrix::zeros(3, 30);
    near.add_product(lambda, h, &mut hw).unwrap();
    let up = literal_product(new_z.t(), x.view());
    let gram = literal_product(new_z.t(), new_z.view());
    let down = literal_product(gram.view(), h.view());
    let expected = Matrix::from_fn(3, 30, |i, j| {
        let d = lambda * near.degrees()[j] * h[(i, j)];
        h[(i, j)] * (up[(i, j)] + hw[(i, j)]) / (down[(i, j)] + d)
    });
    assert!(distance(&after.h[0], &expected) < 1e-12);
}

#[test]
fn neighbours_get_similar_features() {
    let x = positive::<f64>(12, 50, 4);
    let near = Neighbours::new(&x, 5, NeighbourWeights::Binary).unwrap();
    let relative = |lambda| {
        // Few rounds: in the long run features rather shrink, as nothing holds their scale.
        let nmf = nmf(4, Nmf::LEE_SEUNG, rounds(20));
        let h = &Gnmf::published(4).with(nmf).lambda(lambda).fit(&x).unwrap().factors.h[0];
        near.penalty(h).unwrap() / h.norm_sq()
    };
    let (regularized, free) = (relative(100.0), relative(0.0));
    assert!(regularized < 0.5 * free, "{regularized} {free}");
}

/// The published penalty is gone after some thousand rounds; this one stays, and grows on what it acts on.
#[test]
fn the_scale_free_penalty_keeps_its_effect_in_any_number_of_rounds() {
    let x = in_common_unit(positive::<f64>(12, 50, 4));
    let near = Neighbours::new(&x, 5, NeighbourWeights::Binary).unwrap();
    let fit = |lambda: f64, stop| {
        let model = Gnmf::new(4).with(nmf(4, HSolver::HALS, stop)).lambda(lambda).fit(&x).unwrap();
        let reconstruction = model.factors.reconstruct(1, &model.factors.h[0]).unwrap();
        (near.penalty(&reconstruction).unwrap() / reconstruction.norm_sq(), model.summary)
    };
    let mut before = f64::INFINITY;
    for lambda in [0.0, 0.1, 1.0, 10.0] {
        let (few, _) = fit(lambda, rounds(200));
        let (many, summary) = fit(lambda, rounds(2000));
        assert!((few / many - 1.0).abs() < 0.1, "{lambda}: {few} {many}");
        assert!(many < before, "{lambda}: {many} {before}");
        assert!(summary.relative_error < 1.0);
        before = many;
    }
}

/// Shrinking features and growing the basis lowers the published objective at no cost, without end.
#[test]
fn features_that_shrink_away_beside_the_published_penalty_are_said() {
    let x = positive::<f64>(12, 50, 4);
    let fit = |gnmf: Gnmf| {
        gnmf.with(nmf(4, HSolver::HALS, rounds(500))).lambda(1.0).fit(&x).unwrap().summary
    };
    let published = fit(Gnmf::published(4));
    let said = |n: &crate::Notice| n.to_string().contains("scale-free");
    assert!(published.notices.iter().any(said), "{:?}", published.notices);
    assert!(fit(Gnmf::new(4)).notices.is_empty());
}
