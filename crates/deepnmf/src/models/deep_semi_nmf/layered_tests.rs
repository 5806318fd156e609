//! Layers that read the features of the layer below.

use crate::activation::Activation;
use crate::graph::{NeighbourWeights, nearest_neighbours};
use crate::matrix::{Matrix, Parts, Svd, SvdMethod, pseudo_inverse, truncated_svd};
use crate::models::reading::Lens;
use crate::models::{DeepSemiNmf, Factorization, Loss, Model, Neighbourhood, SemiNmf};
use crate::persist::{AnyModel, model_from_bytes};
use crate::project::Projection;
use crate::testing::{distance, literal_product, positive};

fn model(weights: NeighbourWeights) -> DeepSemiNmf {
    let near = Neighbourhood::of([0, 4]).weights(weights).lambda(1.5);
    DeepSemiNmf::new([9, 5]).neighbourhood(near)
}

/// What a layer of 5 components sees of features of layer 1: with `Z H = U S V^T` the rows `S^2 / (S^2 + t^2) V`, of
/// other samples those of `V = S^-1 U^T Z h`, about their mean, at unit length, and a one.
fn literal_unit(h: &Matrix<f64>, fitted: &Model<f64>) -> Matrix<f64> {
    let (z, trained) = (&fitted.factors.z[0], &fitted.factors.h[0]);
    let all = literal_product(z.view(), trained.view());
    let k = z.cols();
    let Svd { u, s, .. } = truncated_svd(&all, k, SvdMethod::Exact, 0).unwrap();
    let t = s[4] / 2.0;
    let whitened = |h: &Matrix<f64>| {
        let along = literal_product(u.t(), literal_product(z.view(), h.view()).view());
        Matrix::from_fn(k, h.cols(), |r, j| along[(r, j)] * s[r] / (s[r] * s[r] + t * t))
    };
    let (of, f) = (whitened(trained), whitened(h));
    let n = of.cols() as f64;
    let mean: Vec<f64> =
        (0..k).map(|r| (0..of.cols()).map(|j| of[(r, j)]).sum::<f64>() / n).collect();
    let length = |j: usize| (0..k).map(|r| (f[(r, j)] - mean[r]).powi(2)).sum::<f64>().sqrt();
    Matrix::from_fn(
        k + 1,
        f.cols(),
        |r, j| if r < k { (f[(r, j)] - mean[r]) / length(j) } else { 1.0 },
    )
}

/// The distance of two columns.
fn apart(a: &Matrix<f64>, j: usize, b: &Matrix<f64>, l: usize) -> f64 {
    a.col(j).iter().zip(b.col(l)).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
}

#[test]
fn without_a_weight_it_is_the_model_without_neighbours_bit_for_bit() {
    let x = positive::<f64>(12, 60, 1);
    let near = Neighbourhood::of([4, 4]).lambda(0.0);
    let plain = DeepSemiNmf::new([9, 5]).fit(&x).unwrap();
    let twin = DeepSemiNmf::new([9, 5]).neighbourhood(near.clone()).fit(&x).unwrap();
    assert_eq!(plain.factors, twin.factors);
    let near = Neighbourhood { neighbours: vec![4], ..near };
    let twin = SemiNmf::new(5).neighbourhood(near).fit(&x).unwrap();
    assert_eq!(SemiNmf::new(5).fit(&x).unwrap().factors, twin.factors);
}

/// Connected samples are nearer in the features the more the graph weighs.
#[test]
fn neighbours_are_drawn_together() {
    let x = positive::<f64>(12, 60, 1);
    let mut before = f64::INFINITY;
    for lambda in [0.1, 1.0, 10.0] {
        let near = Neighbourhood::of([0, 4]).lambda(lambda);
        let fitted = DeepSemiNmf::new([9, 5]).neighbourhood(near).fit(&x).unwrap();
        let read = literal_unit(&fitted.factors.h[0], &fitted);
        let h = &fitted.factors.h[1];
        let seen = literal_product(fitted.factors.readings[1].as_ref().unwrap().view(), h.view());
        let near = nearest_neighbours(&read, 4);
        let sum: f64 = near
            .iter()
            .enumerate()
            .flat_map(|(j, near)| near.iter().map(move |n| (j, n.sample)))
            .map(|(j, l)| apart(&seen, j, &seen, l).powi(2))
            .sum();
        assert!(sum < 0.9 * before, "{lambda}: {sum} {before}");
        before = sum;
        assert!(fitted.summary.relative_error < 1.0);
        assert!(fitted.summary.error >= fitted.summary.svd_bound.unwrap() * (1.0 - 1e-9));
    }
}

/// What the top layer sees: `Y (I + lambda L)^-1` in its leading directions, at unit length, by definitions.
#[test]
fn features_are_those_of_smoothed_samples_at_unit_length() {
    let (x, lambda, near, components) = (positive::<f64>(12, 60, 1), 1.5, 4, 5);
    let fitted = model(NeighbourWeights::Binary).fit(&x).unwrap();
    let below = &fitted.factors.h[0];
    let (y, k, n) = (literal_unit(below, &fitted), below.rows(), 60);
    let found = nearest_neighbours(&y, near);
    let is_near = |j: usize, l: usize| found[j].iter().any(|near| near.sample == l);
    let w = Matrix::from_fn(n, n, |j, l| f64::from(u8::from(is_near(j, l) && is_near(l, j))));
    let degree = |j: usize| w.col(j).iter().sum::<f64>();
    let normalised = |j: usize, l: usize| w[(j, l)] / degree(j).max(degree(l)).max(1.0);
    let drawn = |j: usize| (0..n).map(|l| normalised(j, l)).sum::<f64>();
    let system = Matrix::from_fn(n, n, |j, l| {
        let diagonal = if j == l { 1.0 + lambda * drawn(j) } else { 0.0 };
        diagonal - lambda * normalised(j, l)
    });
    let smooth = literal_product(y.view(), pseudo_inverse(system.view()).unwrap().view());
    let rows = Matrix::from_fn(k, n, |i, j| smooth[(i, j)]);
    let directions = truncated_svd(&rows, components - 1, SvdMethod::Exact, 0).unwrap().u;
    let along = literal_product(directions.t(), rows.view());
    let length = |j: usize| along.col(j).iter().map(|v| v * v).sum::<f64>().sqrt();
    let seen = Matrix::from_fn(components - 1, n, |i, j| along[(i, j)] / length(j));
    let top = &fitted.factors.h[1];
    for (j, l) in [(0, 1), (3, 50), (20, 21), (59, 0)] {
        let (expected, found) = (apart(&seen, j, &seen, l), apart(top, j, top, l));
        assert!((expected - found).abs() < 1e-9, "samples {j}, {l}: {expected} {found}");
    }
}

#[test]
fn samples_of_the_fit_get_its_features_by_both_methods() {
    let x = positive::<f64>(12, 60, 1);
    for weights in
        [NeighbourWeights::Binary, NeighbourWeights::Heat { sigma: None }, NeighbourWeights::Cosine]
    {
        let fitted = model(weights).fit(&x).unwrap();
        for method in [Projection::Basis, Projection::NonNegative] {
            assert_eq!(fitted.project(&x, 2, method).unwrap(), fitted.factors.h[1]);
        }
    }
}

/// `V^+ r` with `r = (u(V V^+ g); 1)` and `g = (y + lambda sum_l w_l V h_l) / (1 + lambda)`, by its definition.
#[test]
fn new_samples_are_drawn_to_the_nearest_of_the_fit() {
    let (x, new) = (positive::<f64>(12, 60, 1), positive::<f64>(12, 7, 2));
    let fitted = model(NeighbourWeights::Binary).fit(&x).unwrap();
    let (below, top) = (&fitted.factors.h[0], &fitted.factors.h[1]);
    let v = fitted.factors.readings[1].as_ref().unwrap();
    let h = fitted.project(&new, 1, Projection::Basis).unwrap();
    // V is written in coordinates whose signs are the lens's.
    let lens = Lens::new(&fitted.factors, 1, 5, Parts::whole(60)).unwrap();
    let (y, trained) = (lens.unit_features(&h), lens.unit_features(below));
    let (literal_y, literal_trained) = (literal_unit(&h, &fitted), literal_unit(below, &fitted));
    for (j, l) in [(0, 0), (3, 9), (6, 59)] {
        let expected = apart(&literal_y, j, &literal_trained, l);
        assert!((apart(&y, j, &trained, l) - expected).abs() < 1e-9);
    }
    let seen = literal_product(v.view(), top.view());
    let mut target = y.clone();
    for j in 0..7 {
        let away = |l: usize| apart(&y, j, &trained, l);
        let mut order: Vec<usize> = (0..60).collect();
        order.sort_by(|a, b| away(*a).total_cmp(&away(*b)));
        for i in 0..y.rows() {
            let mean = order[..4].iter().map(|l| seen[(i, *l)]).sum::<f64>() / 4.0;
            target[(i, j)] = (y[(i, j)] + 1.5 * mean) / 2.5;
        }
    }
    let inverse = pseudo_inverse(v.view()).unwrap();
    let along = literal_product(inverse.view(), target.view());
    let mut target = literal_product(v.view(), along.view());
    let k = target.rows() - 1;
    for j in 0..7 {
        let length = target.col(j)[..k].iter().map(|v| v * v).sum::<f64>().sqrt();
        target.col_mut(j)[..k].iter_mut().for_each(|v| *v /= length);
        target[(k, j)] = 1.0;
    }
    let expected = literal_product(inverse.view(), target.view());
    let found = fitted.project(&new, 2, Projection::Basis).unwrap();
    assert!(distance(&found, &expected) < 1e-9, "{}", distance(&found, &expected));
}

/// Nonlinear layers and other losses are fitted together: neighbours are those in what pre-training made of samples.
#[test]
fn neighbours_of_nonlinear_models_and_other_losses_are_drawn_together() {
    let x = positive::<f64>(12, 60, 1);
    let models = [
        DeepSemiNmf::new([9, 5]).activation(Activation::Softplus),
        DeepSemiNmf::new([9, 5]).loss(Loss::Data),
    ];
    for model in models {
        let fit = |lambda: f64| {
            let near = Neighbourhood::of([4, 4]).lambda(lambda);
            model.clone().neighbourhood(near).fit(&x).unwrap()
        };
        assert_eq!(fit(0.0).factors, model.fit(&x).unwrap().factors);
        let near = nearest_neighbours(&x, 4);
        let drawn = |fitted: &Model<f64>| -> f64 {
            let h = fitted.factors.decode(2, fitted.factors.top_features()).unwrap();
            let p = literal_product(fitted.factors.z[0].view(), h.view());
            let pairs = near.iter().enumerate();
            let pairs = pairs.flat_map(|(j, near)| near.iter().map(move |n| (j, n.sample)));
            pairs.map(|(j, l)| apart(&p, j, &p, l).powi(2)).sum()
        };
        let (weak, strong) = (fit(1e-6), fit(10.0));
        assert!(drawn(&strong) < 0.5 * drawn(&weak), "{} {}", drawn(&strong), drawn(&weak));
        assert!(strong.summary.history.windows(2).all(|e| e[1] <= e[0] * (1.0 + 1e-9)));
        let Ok(AnyModel::F64(read)) = model_from_bytes(&strong.to_bytes().unwrap()) else {
            panic!("no such model")
        };
        assert!(read.factors == strong.factors);
    }
}

/// The ridge of soft whitening is that of the spectrum, or given.
#[test]
fn the_component_from_which_on_others_fade_out_can_be_given() {
    let x = positive::<f64>(12, 60, 1);
    let fit = |fade: Option<usize>| {
        let usual = model(NeighbourWeights::Cosine);
        let options = usual.options.clone().fade(fade);
        usual.with(options).fit(&x)
    };
    let usual = fit(None).unwrap();
    assert!(usual.factors == fit(Some(5)).unwrap().factors);
    let other = fit(Some(2)).unwrap();
    assert!(usual.factors.h[1] != other.factors.h[1]);
    let found = other.project(&x, 2, Projection::NonNegative).unwrap();
    assert!(found == other.factors.h[1], "what is read of new samples fades out alike");
    assert!(fit(Some(0)).unwrap_err().to_string().contains("counted from 1"));
}

/// Twelve features of rank four, and components to spare in both layers.
#[test]
fn data_of_low_rank_have_neighbours_files_and_projections() {
    let x = literal_product(positive::<f64>(12, 4, 1).view(), positive::<f64>(4, 60, 2).view());
    for layers in [[9, 5], [9, 8], [3, 5]] {
        let near = Neighbourhood::of([0, 4]);
        let fitted = DeepSemiNmf::new(layers).neighbourhood(near).fit(&x).unwrap();
        let v = fitted.factors.readings[1].as_ref().unwrap();
        assert_eq!(v.shape(), (layers[0] + 1, layers[1]));
        let Ok(AnyModel::F64(read)) = model_from_bytes(&fitted.to_bytes().unwrap()) else {
            panic!("no such model")
        };
        assert!(read.factors == fitted.factors);
        let found = read.project(&x, 2, Projection::NonNegative).unwrap();
        assert!(found == fitted.factors.h[1], "{layers:?}");
    }
}
