//! Settings of Semi-NMF, and the fit.

use serde::{Deserialize, Serialize};

use super::SemiNmfLoop;
use crate::driver::{FitSession, Run};
use crate::error::{Error, Result};
use crate::graph::LabelGraph;
use crate::init::{Begin, ScaleIn, begin_watched};
use crate::matrix::{DataMatrix, Entry, Matrix, PartColumns, Parts, Scalar, Watched, check_data};
use crate::models::factors::{Pair, check_shape};
use crate::models::graphs::{Labelled, Near, penalty_of, weighted};
use crate::models::observed::{self, Observed};
use crate::models::options::check_layers;
use crate::models::summary::{Bound, Record, blame_shrinking};
use crate::models::{
    Abilities, Factors, FitOptions, Kind, Known, Model, Neighbourhood, Notice, Outcome, Task,
    Variant, WarmStart,
};
use crate::observe::Stage;
use crate::update::{GraphPenalty, HSolver};

/// Semi-NMF: `X ~ Z H` with non-negative `H`.
///
/// ```
/// use deepnmf::{Factorization, Matrix, SemiNmf};
/// let x = Matrix::from_fn(8, 20, |i, j| ((i + 2) * (j + 3) % 7) as f64);
/// let model = SemiNmf::new(3).fit(&x)?;
/// assert!(model.factors.h[0].as_slice().iter().all(|h| *h >= 0.0));
/// assert!(model.summary.gap.unwrap() < 1e-9); // non-negative data: as good as can be
/// # Ok::<(), deepnmf::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SemiNmf {
    /// The number of components `k`.
    pub components: usize,
    /// A neighbour graph.
    #[serde(default)]
    pub neighbourhood: Neighbourhood,
    /// Settings that all models share.
    pub options: FitOptions,
}

impl SemiNmf {
    /// Semi-NMF with `components` components and default settings.
    pub fn new(components: usize) -> Self {
        let (neighbourhood, options) = (Neighbourhood::default(), FitOptions::default());
        Self { components, neighbourhood, options }
    }

    /// Sets a neighbour graph.
    #[must_use]
    pub fn neighbourhood(self, neighbourhood: Neighbourhood) -> Self {
        Self { neighbourhood, ..self }
    }

    /// Replaces the shared settings.
    #[must_use]
    pub fn with(self, options: FitOptions) -> Self {
        Self { options, ..self }
    }
}

impl Kind for SemiNmf {
    const ABILITIES: Abilities =
        Abilities { warm_start: true, weights: true, fixed: true, ..Abilities::SHALLOW };

    fn layers(&self) -> Vec<usize> {
        vec![self.components]
    }

    fn in_unit(self, factor: f64) -> Self {
        Self { neighbourhood: self.neighbourhood.in_unit(factor), ..self }
    }

    fn unit_in(&self) -> ScaleIn {
        self.options.scale
    }

    fn neighbourhood(&self) -> Option<Neighbourhood> {
        Some(self.neighbourhood.clone())
    }

    fn beyond_samples(&self) -> Option<&'static str> {
        self.neighbourhood.any().then_some("neighbours")
    }

    fn run<T: Scalar>(&self, task: Task<'_, T>, session: &mut FitSession<'_>) -> Result<Model<T>> {
        let (x, options) = (task.x, &self.options);
        if let Some(known) = task.known {
            return Ok(Model::new(self.clone(), self.fit_around(x, &known, session)?));
        }
        let outcome = match task.from {
            None => {
                let layer = OneLayer {
                    components: self.components,
                    graph: LabelGraph::default(),
                    variant: Variant::ScaleFree,
                    neighbourhood: &self.neighbourhood,
                    options,
                };
                layer.fit(x, &[], session)?
            }
            Some(_) if self.neighbourhood.any() => {
                let accepted = "a model with neighbours begins by itself, leave them out";
                return Err(Error::parameter("the factors to begin from", "given", accepted));
            }
            Some(WarmStart::Factors(given)) => {
                check(x, self.components, options)?;
                let h = given.top_features().clone();
                check_given_features(&h, self.components, 1, x.parts())?;
                let (fitted, run) =
                    session.run(Stage::Fitting, &options.stop, x.parts(), || {
                        SemiNmfLoop::new(x, h, options.solver)
                    })?;
                sum_up(x, fitted.into_pair(), Record::of(run), options, session)?
            }
            Some(WarmStart::Bases(_)) => {
                let accepted = "semi-nmf has one layer, begin from factors";
                return Err(Error::parameter("the warm start", "bases", accepted));
            }
        };
        Ok(Model::new(self.clone(), outcome))
    }
}

impl SemiNmf {
    /// Fits what is not known of the components.
    fn fit_around<T: Scalar>(
        &self,
        x: &dyn DataMatrix<T>,
        known: &Known<T>,
        session: &mut FitSession<'_>,
    ) -> Result<Outcome<T>> {
        let (options, k) = (&self.options, self.components);
        check(x, k, options)?;
        let watch = session.watch(&options.stop);
        let mut notices = vec![];
        let (fitted, run) = session.run(Stage::Fitting, &options.stop, x.parts(), || {
            let pair = known.begin(x, k, false, &mut |rest, components| {
                let scale = options.scale.in_layer(true);
                let fade = options.fade.unwrap_or(ScaleIn::fade_of(components));
                let wanted =
                    Begin { components, start: options.start, scale, seed: options.seed, fade };
                let started = begin_watched(rest, &watch, wanted, None)?;
                if started.cut_short {
                    let stage = Stage::Fitting.to_string();
                    notices.push(Notice::InitializationCutShort { stage });
                }
                Ok(Pair { z: Matrix::zeros(x.shape().0, components), h: started.h })
            })?;
            SemiNmfLoop::with_fixed(x, pair, options.solver, known.fixed())
        })?;
        sum_up(x, fitted.into_pair(), Record { notices, ..Record::of(run) }, options, session)
    }
}

/// The settings of a model with one layer and any graphs.
pub(crate) struct OneLayer<'a> {
    pub(crate) components: usize,
    pub(crate) graph: LabelGraph,
    pub(crate) variant: Variant,
    pub(crate) neighbourhood: &'a Neighbourhood,
    pub(crate) options: &'a FitOptions,
}

impl OneLayer<'_> {
    /// Fits it with the graphs of these labels and of neighbours.
    pub(crate) fn fit<T: Scalar>(
        &self,
        x: &dyn DataMatrix<T>,
        labelled: &[Labelled<'_>],
        session: &mut FitSession<'_>,
    ) -> Result<Outcome<T>> {
        let Self { components, graph, variant, neighbourhood, options } = *self;
        variant.check_shallow()?;
        neighbourhood.check(1)?;
        let watch = session.watch(&options.stop);
        let watched = Watched::new(x, &watch);
        let near = Near::in_data(neighbourhood, options.seed, variant);
        let graph = weighted(&watched, (graph, variant), labelled, near.as_ref())?;
        fit_regularized(x, components, penalty_of(graph.as_ref(), variant), options, session)
    }
}

/// One layer of `k` components, with a graph or without, fitted and summed up.
fn fit_regularized<T: Scalar>(
    x: &dyn DataMatrix<T>,
    k: usize,
    graph: Option<GraphPenalty<'_, T>>,
    options: &FitOptions,
    session: &mut FitSession<'_>,
) -> Result<Outcome<T>> {
    check(x, k, options)?;
    let wanted = LayerTask {
        components: k,
        last: true,
        stage: Stage::Fitting,
        graph,
        fade: options.fade.unwrap_or(ScaleIn::fade_of(k)),
    };
    let layer = start_and_run(x, &wanted, options, session)?;
    // With a graph the history is that of another objective.
    let error = graph
        .map(|_| crate::reconstruction_error(x, &layer.factors.z, &layer.factors.h))
        .transpose()?;
    let record = Record {
        error,
        notices: layer.notices,
        singular_values: layer.singular_values,
        ..Record::of(layer.run)
    };
    sum_up(x, layer.factors, record, options, session)
}

fn check<T: Scalar>(x: &dyn DataMatrix<T>, k: usize, options: &FitOptions) -> Result<()> {
    options.check()?;
    check_data(x)?;
    check_layers(&[k], x.parts().total())
}

fn sum_up<T: Scalar>(
    x: &dyn DataMatrix<T>,
    Pair { z, h }: Pair<T>,
    record: Record,
    options: &FitOptions,
    session: &FitSession<'_>,
) -> Result<Outcome<T>> {
    let bound = Bound { components: h.rows(), seed: options.seed };
    let summary = record.sum_up(x, options.measure_bound.then_some(bound), session)?;
    Ok(Outcome { factors: Factors::new(vec![z], vec![h]), summary })
}

/// Which layer is to be factorized.
pub(crate) struct LayerTask<'a, T> {
    pub(crate) components: usize,
    /// Whether no layer lies above.
    pub(crate) last: bool,
    pub(crate) stage: Stage,
    pub(crate) graph: Option<GraphPenalty<'a, T>>,
    /// From which component on those of a softly whitened layer fade out.
    pub(crate) fade: usize,
}

/// One layer, factorized.
pub(crate) struct Layer<T> {
    pub(crate) factors: Pair<T>,
    pub(crate) run: Run,
    pub(crate) singular_values: Option<Vec<f64>>,
    pub(crate) notices: Vec<Notice>,
}

/// Starts and runs Semi-NMF on the input of one layer.
pub(crate) fn start_and_run<T: Scalar>(
    x: &dyn DataMatrix<T>,
    layer: &LayerTask<'_, T>,
    options: &FitOptions,
    session: &mut FitSession<'_>,
) -> Result<Layer<T>> {
    let LayerTask { components, last, stage, graph, fade } = *layer;
    let (mut singular_values, mut notice) = (None, None);
    let number = stage.layer().unwrap_or(1);
    let missed = graph.and_then(|graph| Notice::of_search(number, graph.graph));
    let watch = session.watch(&options.stop);
    let mut size = 0.0;
    let mut begin = || {
        let scale = options.scale.in_layer(last);
        let wanted = Begin { components, start: options.start, scale, seed: options.seed, fade };
        let smooth_over = graph.filter(|graph| graph.scale_free).map(|graph| graph.graph);
        let started = begin_watched(x, &watch, wanted, smooth_over)?;
        singular_values = started.singular_values;
        let fell_back =
            (!started.found_positive_vector).then_some(Notice::NoPositiveVector { layer: number });
        let cut_short = Notice::InitializationCutShort { stage: stage.to_string() };
        notice = if started.cut_short { Some(cut_short) } else { fell_back };
        size = x.parts().sum_of(started.h.norm_sq())?;
        Ok(started.h)
    };
    let (rule, parts) = (&options.stop, x.parts());
    let hals = matches!(options.solver, HSolver::Hals { .. });
    let (factors, mut run) = if graph.is_none() && hals && observed::pays(x, components) {
        let prepare = || {
            let z = Matrix::zeros(x.shape().0, components);
            Observed::begin(x, Pair { z, h: begin()? }, false)
        };
        let (fitted, run) = session.run(stage, rule, parts, prepare)?;
        (fitted.point, run)
    } else {
        let prepare = || SemiNmfLoop::penalised(x, begin()?, options.solver, graph);
        let (fitted, run) = session.run(stage, rule, parts, prepare)?;
        (fitted.into_pair(), run)
    };
    if graph.is_some_and(|graph| !graph.scale_free) {
        let after = x.parts().sum_of(factors.h.norm_sq())?;
        notice = blame_shrinking(&mut run, size, after).or(notice);
    }
    Ok(Layer { factors, run, singular_values, notices: missed.into_iter().chain(notice).collect() })
}

/// Refuses features of the wrong shape, or not finite, or negative; all parts call it together.
pub(crate) fn check_given_features<T: Scalar>(
    h: &Matrix<T>,
    components: usize,
    layer: usize,
    parts: Parts<'_>,
) -> Result<()> {
    let shape = (components, parts.samples());
    check_shape(format!("the given features of layer {layer}"), h, shape)?;
    let given = PartColumns::new(h.view(), parts);
    check_data(&given)?;
    match given.find_entry(&|v| v < T::ZERO)? {
        None => Ok(()),
        Some(Entry { sample, value, .. }) => {
            let name = format!("a given feature of layer {layer}, sample {}", sample + 1);
            Err(Error::parameter(name, value, "features must not be negative"))
        }
    }
}
