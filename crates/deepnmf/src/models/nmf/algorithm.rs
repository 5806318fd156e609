//! The alternation of NMF and its kin: `Z` and `H` by the same rule, with something that constrains `H`.
//!
//! Per sweep the data are touched twice, in `X H^T` and `Z^T X`: `4 p n k` floating-point operations,
//! and `O((p + n) k^2)` beside.

use crate::checkpoint::{Restored, StateWriter};
use crate::error::Result;
use crate::graph::{ClassMeans, Graph};
use crate::matrix::{DataMatrix, Matrix, Scalar, dot, gram_of_rows, scale};
use crate::models::extrapolation::{Extrapolated, Sweeps, extrapolated_above_zero};
use crate::models::factors::Pair;
use crate::models::nmf::EntryPenalties;
use crate::objective::{Fitted, reconstruction_error};
use crate::update::{
    BasisProducts, FeatureProducts, Fixed, GraphTerm, HSolver, Regularizer, Smoothness, update_rows,
};

/// The error of a non-negative factorization, factor by factor.
pub(crate) struct Alternation<'a, T> {
    x: &'a dyn DataMatrix<T>,
    x_norm_sq: f64,
    solver: HSolver,
    constraint: Option<Constraint<'a, T>>,
}

/// What constrains features beside the data.
pub(crate) enum Constraint<'a, T> {
    /// Graph regularization (GNMF, DNMF).
    Graph { graph: &'a dyn Graph<T>, form: GraphForm },
    /// All samples of a class have the same features (CNMF).
    Equal(ClassMeans<'a>),
    /// Penalties of the entries of both factors.
    Small(EntryPenalties),
    /// Some components stay as they are.
    Fixed(Fixed),
}

/// What a graph adds to the objective.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum GraphForm {
    /// `Tr(Z H L H^T Z^T)`, on which no scale has an effect (`update/smoothness.rs`).
    ScaleFree,
    /// `Tr(H L H^T)` with columns of `Z` that keep the length 1, so that features cannot shrink or grow.
    UnitBasis,
    /// `Tr(H L H^T)` as printed.
    Printed,
}

/// Begins from given factors.
pub(crate) fn alternate<'a, T: Scalar>(
    x: &'a dyn DataMatrix<T>,
    mut pair: Pair<T>,
    solver: HSolver,
    constraint: Option<Constraint<'a, T>>,
) -> Result<Extrapolated<Alternation<'a, T>>> {
    let mut penalty = 0.0;
    match &constraint {
        Some(Constraint::Graph { graph, form: GraphForm::ScaleFree }) => {
            let term = Smoothness::new(*graph, &pair.h)?;
            penalty = term.penalty(&BasisProducts::of(x, &pair.z)?.phi_t_phi);
        }
        Some(Constraint::Graph { graph, form }) => {
            if *form == GraphForm::UnitBasis {
                bring_to_unit_length(&mut pair.z, &mut pair.h);
                bring_to_best_size(x, &mut pair, *graph)?;
            }
            penalty = graph.penalty(&pair.h)?;
        }
        Some(Constraint::Equal(classes)) => classes.average(&mut pair.h)?,
        Some(Constraint::Small(penalties)) => penalty = 2.0 * penalties.of(x, &pair.z, &pair.h)?,
        Some(Constraint::Fixed(_)) | None => {}
    }
    let error = reconstruction_error(x, &pair.z, &pair.h)?;
    let alternation = Alternation { x, x_norm_sq: x.norm_sq()?, solver, constraint };
    Ok(Extrapolated::new(alternation, pair, (error * error + penalty).max(0.0) / 2.0))
}

/// Scales the columns of `z` to sum 1 and the rows of `h` such that the product stays.
pub(crate) fn bring_to_unit_sums<T: Scalar>(z: &mut Matrix<T>, h: &mut Matrix<T>) {
    bring_to_unit(z, h, |column| column.iter().map(|v| v.to_f64()).sum());
}

/// The same with length 1.
fn bring_to_unit_length<T: Scalar>(z: &mut Matrix<T>, h: &mut Matrix<T>) {
    bring_to_unit(z, h, |column| dot(column, column).sqrt());
}

fn bring_to_unit<T: Scalar>(z: &mut Matrix<T>, h: &mut Matrix<T>, size: impl Fn(&[T]) -> f64) {
    for r in 0..z.cols() {
        let size = size(z.col(r));
        if size.is_normal() {
            let (up, down) = (T::from_f64(size), T::from_f64(1.0 / size));
            z.col_mut(r).iter_mut().for_each(|v| *v *= down);
            (0..h.cols()).for_each(|j| h.col_mut(j)[r] *= up);
        }
    }
}

/// Scales the features such that the objective is least; it is then at most that of zeros.
fn bring_to_best_size<T: Scalar>(
    x: &dyn DataMatrix<T>,
    Pair { z, h }: &mut Pair<T>,
    graph: &dyn Graph<T>,
) -> Result<()> {
    let products = BasisProducts::of(x, z)?;
    let mut hht = Matrix::zeros(h.rows(), h.rows());
    gram_of_rows(&mut hht, h, x.parts())?;
    let cross = x.parts().sum_of(products.phi_t_x.inner(h))?;
    let curvature = products.phi_t_phi.cast::<f64>().inner(&hht) + graph.penalty(h)?;
    if curvature > 0.0 {
        scale(h, (cross / curvature).max(0.0));
    }
    Ok(())
}

/// The graph penalty of each row of `h`.
fn row_penalties<T: Scalar>(graph: &dyn Graph<T>, h: &Matrix<T>) -> Result<Vec<f64>> {
    let mut hw = Matrix::zeros(h.rows(), h.cols());
    graph.add_product(1.0, h, &mut hw)?;
    let mut penalties = vec![0.0; h.rows()];
    for ((h, hw), d) in h.columns().zip(hw.columns()).zip(graph.degrees()) {
        for ((penalty, h), hw) in penalties.iter_mut().zip(h).zip(hw) {
            *penalty += h.to_f64() * (d.to_f64() * h.to_f64() - hw.to_f64());
        }
    }
    graph.parts().sum(&mut penalties)?;
    Ok(penalties)
}

impl<T: Scalar> Alternation<'_, T> {
    /// `Z^T <- rule(H X^T, H H^T)`.
    fn update_basis(&self, z: &mut Matrix<T>, h: &Matrix<T>) -> Result<()> {
        let mut turned_products = FeatureProducts::of(self.x, h)?.turned();
        match &self.constraint {
            Some(Constraint::Graph { graph, form: GraphForm::ScaleFree }) => {
                let mut hht = turned_products.phi_t_phi.cast::<f64>();
                Smoothness::new(*graph, h)?.add_to(&mut hht);
                turned_products.phi_t_phi = hht.cast();
            }
            Some(Constraint::Graph { graph, form: GraphForm::UnitBasis }) => {
                // The penalty of a component grows with the square of its basis vector.
                for (r, penalty) in row_penalties(*graph, h)?.into_iter().enumerate() {
                    turned_products.phi_t_phi[(r, r)] += T::from_f64(penalty.max(0.0));
                }
            }
            Some(Constraint::Small(penalties)) => {
                turned_products = penalties.basis.in_products(&turned_products);
            }
            _ => {}
        }
        let mut turned = z.t().to_matrix();
        let solver = self.solver.worth(self.x.parts().total(), h.rows());
        let free = self.fixed().free_bases(h.rows());
        update_rows(solver, &mut turned, &turned_products, &free);
        *z = turned.t().to_matrix();
        Ok(())
    }

    fn fixed(&self) -> Fixed {
        match self.constraint {
            Some(Constraint::Fixed(fixed)) => fixed,
            _ => Fixed::default(),
        }
    }

    fn is_multiplicative(&self) -> bool {
        matches!(self.solver, HSolver::Multiplicative { .. })
    }

    /// `H <- rule(Z^T X, Z^T Z)`; returns the objective.
    fn update_features(&self, z: &Matrix<T>, h: &mut Matrix<T>) -> Result<f64> {
        let mut products = BasisProducts::of(self.x, z)?;
        let mut term = None;
        match &self.constraint {
            Some(Constraint::Graph { graph, form: GraphForm::ScaleFree }) => {
                term = Some(GraphTerm::ScaleFree(Smoothness::new(*graph, h)?));
            }
            Some(Constraint::Graph { graph, .. }) if self.is_multiplicative() => {
                term = Some(GraphTerm::Printed(Regularizer::as_it_is(*graph, h)?));
            }
            Some(Constraint::Graph { graph, .. }) => {
                term = Some(GraphTerm::Printed(Regularizer::new(*graph, h)?));
            }
            Some(Constraint::Equal(classes)) => classes.average(&mut products.phi_t_x)?,
            Some(Constraint::Small(_) | Constraint::Fixed(_)) | None => {}
        }
        let solver = self.solver.worth(z.rows(), z.cols());
        match (&mut term, &self.constraint) {
            (Some(term), _) => term.update(solver, h, &products)?,
            (None, Some(Constraint::Small(penalties))) => {
                solver.update(h, penalties.features.in_products(&products).plain());
            }
            (None, _) => {
                let free = self.fixed().free_features(h.rows());
                update_rows(solver, h, &products, &free);
            }
        }
        if let Some(Constraint::Equal(classes)) = &self.constraint {
            // Their problems are the same and so are their answers, up to how a mean is rounded.
            classes.average(h)?;
        }
        let error = match self.x.fill_in(z, h)? {
            Some(left) => left.sqrt(),
            None => Fitted { phi: z, h, products: &products }.error(self.x, self.x_norm_sq)?,
        };
        let mut penalty = term.map_or(0.0, |term| term.penalty(&products.phi_t_phi));
        if let Some(Constraint::Small(penalties)) = &self.constraint {
            penalty = 2.0 * penalties.of(self.x, z, h)?;
        }
        Ok((error * error + penalty).max(0.0) / 2.0)
    }
}

impl<T: Scalar> Sweeps for Alternation<'_, T> {
    type Point = Pair<T>;

    fn sweep(&self, Pair { z, h }: &mut Pair<T>) -> Result<f64> {
        let unit_basis =
            matches!(self.constraint, Some(Constraint::Graph { form: GraphForm::UnitBasis, .. }));
        if unit_basis {
            bring_to_unit_length(z, h); // momentum may have changed it
        }
        // What is filled in lies above the objective only where the sweep begins.
        self.x.fill_in(z, h)?;
        self.update_basis(z, h)?;
        if unit_basis {
            bring_to_unit_length(z, h);
        }
        self.update_features(z, h)
    }

    fn ahead(&self, now: &Pair<T>, before: &Pair<T>, momentum: f64) -> Pair<T> {
        // A multiplicative rule would never leave a zero that momentum has brought about.
        if self.is_multiplicative() {
            return now.clone();
        }
        let ahead = |a, b| extrapolated_above_zero(a, b, momentum);
        Pair { z: ahead(&now.z, &before.z), h: ahead(&now.h, &before.h) }
    }

    fn save(name: &str, point: &Pair<T>, state: &mut StateWriter<'_>) {
        state.matrix(&format!("{name}.z"), &point.z);
        state.features(&format!("{name}.h"), &point.h);
    }

    fn restored(name: &str, state: &Restored<'_>) -> Result<Pair<T>> {
        Ok(Pair {
            z: state.matrix(&format!("{name}.z"))?,
            h: state.features(&format!("{name}.h"))?,
        })
    }
}
