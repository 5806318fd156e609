//! Linear models with scale-free graph penalties, layer after layer.
//!
//! Layer `i` minimises
//!
//! ```text
//! |Y_i - V_i H_i|^2 / 2 + Tr(V_i H_i L_i H_i^T V_i^T) / 2
//! ```
//!
//! which has a minimum, mostly known in closed form (`init/smooth.rs`). What a layer sees, `Y_i`, is
//!
//! * for the first one the data;
//! * above it the data in the space that the basis of the layer below spans, in orthonormal coordinates. So each
//!   layer is measured by the data, is shaped by its own graph alone, and has an error between the SVD bound of its
//!   size and the norm of the data. With `V_i W_i^T` orthonormal, `Z_{i+1} = W_i^T V_{i+1}`;
//! * from the first layer above the data with neighbours on, what the layer below makes of the samples, softly whitened,
//!   at unit length, and drawn to their neighbours where the layer has any (`models/reading.rs`). `Z_i` is then the basis that reconstructs the data best, `Phi_{i-1}^+ X H_i^+`.
//!
//! `L_i` is the Laplacian of labels, and for the first layer of neighbours, too.
//!
//! Fine-tuning all layers together, as Algorithm 2 does, would undo that: the linear loss knows the product of all
//! bases only, so that the graphs of all layers would act on the same reconstruction.

use super::params::DeepSemiNmf;
use crate::driver::FitSession;
use crate::error::{Error, Result};
use crate::graph::{Graph, Weighted, WeightedSum};
use crate::init::{ScaleIn, Start};
use crate::matrix::{
    DataMatrix, Matrix, PartColumns, Parts, Scalar, Watched, Whitening, gram_of_columns,
    gram_of_rows, product,
};
use crate::models::factors::{Pair, chain};
use crate::models::graphs::Graphs;
use crate::models::reading::{Drawn, Lens, draw_to_neighbours};
use crate::models::semi_nmf::{Layer, LayerTask, start_and_run};
use crate::models::summary::Record;
use crate::models::{Factors, FitOptions, Notice};
use crate::observe::Stage;
use crate::stop::StopReason;
use crate::update::{GraphPenalty, ZScratch, z_least_squares};

/// The data as the layers above one see them.
struct Coordinates<T> {
    /// In an orthonormal basis of the space that its basis spans.
    data: Matrix<T>,
    /// `W^T`: its basis times this is that orthonormal one.
    from_basis: Matrix<T>,
}

/// Fits all layers; `graphs` holds those that are known before, with their weights.
pub(super) fn fit_layers<T: Scalar>(
    model: &DeepSemiNmf,
    x: &dyn DataMatrix<T>,
    graphs: Graphs<'_, T>,
    record: &mut Record,
    session: &mut FitSession<'_>,
) -> Result<Factors<T>> {
    let (parts, depth) = (x.parts(), model.layers.len());
    let mut factors = Factors::new(vec![], vec![]);
    let mut below: Option<Coordinates<T>> = None;
    for layer in 1..=depth {
        let reads = model.neighbourhood.reads_features(layer);
        let read = if reads {
            let Read { drawn, missed } = read_features(model, layer, &factors, parts, session)?;
            record.notices.extend(missed);
            Some(drawn)
        } else {
            None
        };
        let seen = read.as_ref().map(|read| &read.seen);
        let seen = seen.or(below.as_ref().map(|below| &below.data));
        let columns = seen.map(|seen| PartColumns::new(seen.view(), parts));
        let input = columns.as_ref().map_or(x, |columns| columns as &dyn DataMatrix<T>);
        let fitted = fit_layer(model, layer, input, graphs.of(layer), session)?;
        let Pair { z: v, h } = fitted.factors;
        factors.z.push(match &below {
            _ if reads => basis_for_data(x, &factors.z, &h)?,
            Some(below) => product(below.from_basis.view(), v.view()),
            None => v.clone(),
        });
        let needed = layer < depth && !model.neighbourhood.reads_features(layer + 1);
        below = if needed { Some(coordinates(input, &v)?) } else { None };
        factors.h.push(h);
        factors.readings.push(read.map(|read| product(read.directions.view(), v.view())));
        if layer == 1 {
            record.singular_values = fitted.singular_values;
        }
        record.notices.extend(fitted.notices);
        record.runs.push(fitted.run);
    }
    if factors.readings.iter().all(Option::is_none) {
        factors.readings.clear();
    }
    record.main_run = depth - 1;
    Ok(factors)
}

/// What a layer sees of the features below.
fn read_features<T: Scalar>(
    model: &DeepSemiNmf,
    layer: usize,
    below: &Factors<T>,
    parts: Parts<'_>,
    session: &mut FitSession<'_>,
) -> Result<Read<T>> {
    let lens = Lens::new(below, layer - 1, model.fade_of(layer - 1), parts)?;
    let y = lens.unit_features(below.top_features());
    let watch = session.watch(&model.options.stop);
    let near = {
        let columns = PartColumns::new(y.view(), parts);
        match neighbours_of(model, layer, &Watched::new(&columns, &watch), parts) {
            // Who has stopped the fit gets the layers that are done, and this one as it begins.
            Err(Error::Interrupted(_)) => None,
            near => near?,
        }
    };
    let Some(near) = near else {
        let directions = Matrix::identity(y.rows());
        return Ok(Read { drawn: Drawn { seen: y, directions }, missed: None });
    };
    let drawn = draw_to_neighbours(y, &near, model.layers[layer - 1])?;
    Ok(Read { drawn, missed: Notice::of_search(layer, &near) })
}

/// The features below as a layer sees them, and what to say of the search for neighbours.
struct Read<T> {
    drawn: Drawn<T>,
    missed: Option<Notice>,
}

/// The graphs that models need whose layers are fitted together: those given, and those of neighbours in the data and in
/// what pre-training makes of them, with their weights.
pub(super) fn with_neighbours<'a, T: Scalar>(
    model: &DeepSemiNmf,
    x: &'a dyn DataMatrix<T>,
    pretrained: &Factors<T>,
    given: Graphs<'a, T>,
    session: &mut FitSession<'_>,
) -> Result<Vec<Option<WeightedSum<'a, T>>>> {
    let (parts, watch) = (x.parts(), session.watch(&model.options.stop));
    let of_layer = |layer: usize| {
        let near = if model.neighbourhood.of_layer(layer) == 0 {
            None
        } else if layer == 1 {
            neighbours_of(model, layer, &Watched::new(x, &watch), parts)?
        } else {
            let lens = Lens::new(pretrained, layer - 1, model.fade_of(layer - 1), parts)?;
            let y = lens.unit_features(&pretrained.h[layer - 2]);
            let columns = PartColumns::new(y.view(), parts);
            neighbours_of(model, layer, &Watched::new(&columns, &watch), parts)?
        };
        let near = near.map(|near| Box::new(near) as Box<dyn Graph<T> + 'a>);
        let given = given.of(layer).map(|given| Box::new(given) as Box<dyn Graph<T> + 'a>);
        let terms: Vec<_> =
            near.into_iter().chain(given).map(|graph| Weighted { weight: 1.0, graph }).collect();
        if terms.is_empty() { Ok(None) } else { WeightedSum::new(terms, parts).map(Some) }
    };
    (1..=model.layers.len()).map(of_layer).collect()
}

/// The neighbour graph of a layer with its weight, if it has one.
fn neighbours_of<'a, T: Scalar>(
    model: &DeepSemiNmf,
    layer: usize,
    seen: &dyn DataMatrix<T>,
    parts: Parts<'a>,
) -> Result<Option<WeightedSum<'a, T>>> {
    let Some(search) = model.neighbourhood.search_in(layer, model.options.seed, true) else {
        return Ok(None);
    };
    let term = Weighted { weight: model.neighbourhood.lambda, graph: search.graph(seen, parts)? };
    WeightedSum::new(vec![term], parts).map(Some)
}

fn fit_layer<T: Scalar>(
    model: &DeepSemiNmf,
    layer: usize,
    input: &dyn DataMatrix<T>,
    given: Option<&dyn Graph<T>>,
    session: &mut FitSession<'_>,
) -> Result<Layer<T>> {
    let scale = scale_of(model, layer, given.is_some());
    let mut options = FitOptions { scale, ..model.options.clone() };
    if scale == ScaleIn::Soft && options.start == Start::Optimal {
        // Where no positive vector exists, more iterations would trade the distances of whitened features for a
        // little less error.
        options.stop.kappa = options.stop.kappa.max(1.0);
    }
    // What is drawn to neighbours is factorized exactly by its initialization.
    let exact = layer > 1
        && model.neighbourhood.of_layer(layer) > 0
        && given.is_none()
        && options.start == Start::Optimal;
    if exact {
        options.stop.max_iterations = 0;
    }
    let watch = session.watch(&options.stop);
    let near = if layer == 1 {
        neighbours_of(model, layer, &Watched::new(input, &watch), input.parts())?
    } else {
        None
    };
    let both;
    let graph = match (given, &near) {
        (given, None) => given,
        (None, Some(near)) => Some(near as &dyn Graph<T>),
        (Some(given), Some(near)) => {
            let term =
                |graph| Weighted { weight: 1.0, graph: Box::new(graph) as Box<dyn Graph<T>> };
            both = WeightedSum::new(vec![term(near as &dyn Graph<T>), term(given)], input.parts())?;
            Some(&both as &dyn Graph<T>)
        }
    };
    let components = model.layers[layer - 1];
    let wanted = LayerTask {
        components,
        last: layer == model.layers.len(),
        stage: Stage::Layer { layer },
        graph: graph.map(|graph| GraphPenalty { graph, scale_free: true }),
        fade: model.fade_of(layer),
    };
    let mut fitted = start_and_run(input, &wanted, &options, session)?;
    if exact && fitted.run.stop == StopReason::MaxIterations {
        fitted.run.stop = StopReason::Converged;
    }
    Ok(fitted)
}

/// Which factor carries the scale of a layer: its features are softly whitened where neighbours are found in them,
/// and keep the distances that they were found by at the top. Those with labels are whitened, since no layer above
/// reads them.
fn scale_of(model: &DeepSemiNmf, layer: usize, labelled: bool) -> ScaleIn {
    let depth = model.layers.len();
    let reads = |layer| model.neighbourhood.reads_features(layer);
    match model.options.scale {
        ScaleIn::Auto if layer < depth && reads(layer + 1) => ScaleIn::Soft,
        ScaleIn::Auto if layer == depth && reads(layer) => ScaleIn::H,
        ScaleIn::Auto if labelled => ScaleIn::Z,
        other => other,
    }
}

fn coordinates<T: Scalar>(input: &dyn DataMatrix<T>, v: &Matrix<T>) -> Result<Coordinates<T>> {
    let mut gram = Matrix::zeros(v.cols(), v.cols());
    gram_of_columns(&mut gram, &v.cast::<f64>());
    let from_basis = Whitening::of::<T>(&gram)?.w.t().to_matrix().cast::<T>();
    let orthonormal = product(v.view(), from_basis.view());
    let mut data = Matrix::zeros(orthonormal.cols(), input.shape().1);
    input.tr_mul(&orthonormal, &mut data)?;
    Ok(Coordinates { data, from_basis })
}

/// `Phi^+ X H^+` with the basis `Phi` of the layer below.
fn basis_for_data<T: Scalar>(
    x: &dyn DataMatrix<T>,
    below: &[Matrix<T>],
    h: &Matrix<T>,
) -> Result<Matrix<T>> {
    let (p, k) = (x.shape().0, h.rows());
    let mut hht = Matrix::zeros(k, k);
    gram_of_rows(&mut hht, h, x.parts())?;
    let mut whole = Matrix::zeros(p, k);
    z_least_squares(&mut whole, x, h, &hht, &mut ZScratch::new(p, k))?;
    let phi = chain(below).cast::<f64>();
    let mut gram = Matrix::zeros(phi.cols(), phi.cols());
    gram_of_columns(&mut gram, &phi);
    let inverse = Whitening::of::<T>(&gram)?.inverse;
    let image = product(phi.t(), whole.cast::<f64>().view());
    Ok(product(inverse.view(), image.view()).cast())
}
