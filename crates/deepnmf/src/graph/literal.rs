//! Graphs by their definitions, as dense `n x n` matrices, and what is asked of every graph.

use super::{DotProduct, Graph, Labels, NeighbourWeights, Neighbours, Rbf, SameLabel};
use crate::matrix::{Matrix, Parts, Scalar, dot};
use crate::rng::{Purpose, stream, uniform};
use crate::testing::{distance, literal_product, normal};

/// A graph in the form nobody else forms.
pub(super) type Dense = Matrix<f64>;

fn rounding<T: Scalar>() -> f64 {
    200.0 * T::EPSILON.to_f64()
}

/// Codes of any size, some samples without one, and one class with a single sample.
pub(super) fn labels(n: usize, seed: u64) -> Vec<Option<u32>> {
    let mut rng = stream(seed, Purpose::KMeans);
    let code = |u: f64| match u {
        ..0.2 => None,
        ..0.4 => Some(0),
        ..0.6 => Some(u32::MAX),
        _ => Some(7),
    };
    let mut labels: Vec<_> = (0..n).map(|_| code(uniform(&mut rng))).collect();
    if let Some(last) = labels.last_mut() {
        *last = Some(123_456_789);
    }
    labels
}

pub(super) fn dense(n: usize, weight: impl Fn(usize, usize) -> f64) -> Dense {
    Matrix::from_fn(n, n, weight)
}

pub(super) fn inside(labels: &Labels, weight: impl Fn(usize, usize) -> f64) -> Dense {
    let together = |j: usize, l: usize| labels[j].is_some() && labels[j] == labels[l];
    dense(labels.len(), |j, l| if together(j, l) { weight(j, l) } else { 0.0 })
}

pub(super) fn literal_dot<T: Scalar>(x: &Matrix<T>, j: usize, l: usize) -> f64 {
    x.col(j).iter().zip(x.col(l)).map(|(a, b)| a.to_f64() * b.to_f64()).sum()
}

pub(super) fn literal_distance<T: Scalar>(x: &Matrix<T>, j: usize, l: usize) -> f64 {
    let squares = x.col(j).iter().zip(x.col(l)).map(|(a, b)| (a.to_f64() - b.to_f64()).powi(2));
    squares.sum::<f64>().sqrt()
}

pub(super) fn literal_heat<T: Scalar>(x: &Matrix<T>, sigma: f64, j: usize, l: usize) -> f64 {
    (-literal_distance(x, j, l).powi(2) / (2.0 * sigma * sigma)).exp()
}

/// The graph of nearest neighbours by a search that sorts all distances.
pub(super) fn literal_neighbours<T: Scalar>(
    x: &Matrix<T>,
    count: usize,
    weight: impl Fn(usize, usize) -> f64,
) -> Dense {
    let nearest: Vec<Vec<usize>> = (0..x.cols())
        .map(|j| {
            let others = (0..x.cols()).filter(|l| *l != j);
            let mut others: Vec<_> = others.map(|l| (literal_distance(x, j, l), l)).collect();
            others.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            others[..count].iter().map(|other| other.1).collect()
        })
        .collect();
    let near = |j: usize, l: usize| nearest[j].contains(&l) || nearest[l].contains(&j);
    dense(x.cols(), |j, l| if near(j, l) { weight(j, l) } else { 0.0 })
}

/// `1/2 sum |w_jl| |h_j - sgn(w_jl) h_l|^2`.
pub(super) fn literal_penalty<T: Scalar>(w: &Dense, h: &Matrix<T>) -> f64 {
    let apart = |j: usize, l: usize, sign: f64| -> f64 {
        let pairs = h.col(j).iter().zip(h.col(l));
        pairs.map(|(a, b)| (a.to_f64() - sign * b.to_f64()).powi(2)).sum()
    };
    let pairs = (0..w.cols()).flat_map(|l| (0..w.rows()).map(move |j| (j, l)));
    pairs.map(|(j, l)| 0.5 * w[(j, l)].abs() * apart(j, l, w[(j, l)].signum())).sum()
}

/// Everything a graph answers, beside its dense form.
pub(super) fn check<T: Scalar>(name: &str, graph: &dyn Graph<T>, w: &Dense) {
    let n = w.cols();
    assert_eq!(graph.samples(), n, "{name}");
    let degrees: Vec<f64> = w.columns().map(|w| w.iter().map(|w| w.abs()).sum()).collect();
    let scale = degrees.iter().fold(1.0, |a: f64, b| a.max(*b));
    for (found, wanted) in graph.degrees().iter().zip(&degrees) {
        assert!((found.to_f64() - wanted).abs() <= rounding::<T>() * scale, "{name}: degrees");
    }
    for (k, seed) in [(1, 5), (4, 6), (3, 7)] {
        let h = normal::<T>(k, n, seed);
        let before = normal::<T>(k, n, seed + 10);
        let mut out = before.clone();
        graph.add_product(0.75, &h, &mut out).unwrap();
        let product = literal_product(h.cast::<f64>().view(), w.view());
        let wanted = Matrix::from_fn(k, n, |i, j| before[(i, j)].to_f64() + 0.75 * product[(i, j)]);
        assert!(distance(&out, &wanted) < rounding::<T>(), "{name}: {}", distance(&out, &wanted));
        check_quadratic_forms(name, graph, &degrees, w, &h);
    }
}

fn check_quadratic_forms<T: Scalar>(
    name: &str,
    graph: &dyn Graph<T>,
    degrees: &[f64],
    w: &Dense,
    h: &Matrix<T>,
) {
    let lengths = h.columns().zip(degrees).map(|(h, d)| d * dot(h, h));
    let scale = lengths.sum::<f64>();
    let small = rounding::<T>() * scale;
    let (penalty, wanted) = (graph.penalty(h).unwrap(), literal_penalty(w, h));
    assert!((penalty - wanted).abs() <= small, "{name}: {penalty} is not {wanted}");
    assert!(penalty >= -small, "{name}: D - W is not positive");
    assert!(2.0 * scale - penalty >= -small, "{name}: D + W is not positive");
    if graph.is_positive() {
        assert!(scale - penalty >= -small, "{name}: W is not positive");
    }
}

/// All graphs of some samples beside their dense forms.
pub(super) fn all_graphs<T: Scalar>(
    x: &Matrix<T>,
    labels: &Labels,
    neighbours: usize,
) -> Vec<(&'static str, Box<dyn Graph<T>>, Dense)> {
    let rbf = Rbf::new(x, labels, None).unwrap();
    let kernel = inside(labels, |j, l| literal_heat(x, rbf.sigma(), j, l));
    let near = |weights| -> Box<dyn Graph<T>> {
        Box::new(Neighbours::new(x, neighbours, weights).unwrap())
    };
    let sigma = (x.rows() as f64).sqrt();
    let dots = |j: usize, l: usize| literal_dot(x, j, l);
    vec![
        (
            "binary",
            Box::new(SameLabel::new(labels, Parts::whole(labels.len())).unwrap()),
            inside(labels, |_, _| 1.0),
        ),
        ("dot", Box::new(DotProduct::new(x, labels).unwrap()), inside(labels, dots)),
        ("rbf", Box::new(rbf), kernel),
        ("nearest", near(NeighbourWeights::Binary), literal_neighbours(x, neighbours, |_, _| 1.0)),
        (
            "nearest by heat",
            near(NeighbourWeights::Heat { sigma: Some(sigma) }),
            literal_neighbours(x, neighbours, |j, l| literal_heat(x, sigma, j, l)),
        ),
        ("nearest by dot", near(NeighbourWeights::Dot), literal_neighbours(x, neighbours, dots)),
        (
            "nearest by cosine",
            near(NeighbourWeights::Cosine),
            literal_neighbours(x, neighbours, |j, l| {
                let lengths = (literal_dot(x, j, j) * literal_dot(x, l, l)).sqrt();
                if lengths > 0.0 { (literal_dot(x, j, l) / lengths).clamp(0.0, 1.0) } else { 0.0 }
            }),
        ),
    ]
}
