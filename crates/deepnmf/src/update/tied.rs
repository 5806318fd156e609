//! Features tied to each other by a graph, between one update and the next.

use super::{HSolver, Products, Ties};
use crate::graph::Graph;
use crate::matrix::{Matrix, Scalar};

/// A graph with what it says of the present features.
pub(crate) struct Tied<'a, T> {
    graph: &'a dyn Graph<T>,
    hw: Matrix<T>,
    /// The diagonal of `2 D`, for a `W` that is not positive semi-definite; `D + W` takes its place.
    doubled: Option<Vec<T>>,
    roughness: f64,
}

impl<'a, T: Scalar> Tied<'a, T> {
    pub(crate) fn new(graph: &'a dyn Graph<T>, h: &Matrix<T>) -> Self {
        let twice = |d: &T| *d + *d;
        let doubled = (!graph.is_positive()).then(|| graph.degrees().iter().map(twice).collect());
        Self::with(graph, doubled, h)
    }

    /// `W` and `D` as they are: a multiplicative rule lowers the objective with any `W` that has no
    /// negative weight.
    pub(crate) fn as_it_is(graph: &'a dyn Graph<T>, h: &Matrix<T>) -> Self {
        Self::with(graph, None, h)
    }

    fn with(graph: &'a dyn Graph<T>, doubled: Option<Vec<T>>, h: &Matrix<T>) -> Self {
        let hw = Matrix::zeros(h.rows(), h.cols());
        let mut this = Self { graph, hw, doubled, roughness: 0.0 };
        this.look_at(h);
        this
    }

    /// Takes notice of other features.
    pub(crate) fn look_at(&mut self, h: &Matrix<T>) {
        self.hw.as_mut_slice().fill(T::ZERO);
        self.graph.add_product(1.0, h, &mut self.hw);
        let mut lengths = 0.0;
        let k = h.rows();
        let columns = self.hw.as_mut_slice().chunks_exact_mut(k).zip(h.columns());
        for ((hw, h), d) in columns.zip(self.graph.degrees()) {
            for (hw, h) in hw.iter_mut().zip(h) {
                let (pull, d) = (*hw, *d);
                lengths += h.to_f64() * (d.to_f64() * h.to_f64() - pull.to_f64());
                if self.doubled.is_some() {
                    *hw += d * *h;
                }
            }
        }
        self.roughness = lengths;
    }

    /// `Tr(H L H^T)` of the features last looked at.
    pub(crate) fn roughness(&self) -> f64 {
        self.roughness
    }

    fn ties(&self) -> Ties<'_, T> {
        let degrees = self.doubled.as_deref().unwrap_or_else(|| self.graph.degrees());
        Ties { hw: &self.hw, degrees }
    }
}

/// Updates the features `h` and takes notice of the new ones.
pub(crate) fn update_tied<T: Scalar>(
    solver: HSolver,
    h: &mut Matrix<T>,
    (phi_t_x, phi_t_phi): (&Matrix<T>, &Matrix<T>),
    tied: &mut Option<Tied<'_, T>>,
) {
    let ties = tied.as_ref().map(Tied::ties);
    solver.update(h, Products { phi_t_x, phi_t_phi, ties });
    if let Some(tied) = tied {
        tied.look_at(h);
    }
}

/// The root of twice the objective: of the squared error and what the graph adds to it.
pub(crate) fn with_roughness<T: Scalar>(error: f64, tied: Option<&Tied<'_, T>>) -> f64 {
    // Without a graph not a bit may change; what rounding makes negative is nothing.
    tied.map_or(error, |tied| (error * error + tied.roughness()).max(0.0).sqrt())
}
