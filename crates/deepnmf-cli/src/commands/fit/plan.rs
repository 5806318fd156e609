//! What is to be fitted: the flags, checked against each other.

use deepnmf::{
    Activation, DeepSemiNmf, DeepWsf, Descent, FitOptions, Form, HSolver, LabelGraph, Loss, Nmf,
    NonNegativeStart, NormalForm, Optimizer, Penalties, Pretraining, SemiNmf, Start, StopRule,
    Variant, WhitenedPca, Wsf, WsfMa,
};

use crate::args::{
    DeepArgs, FitArgs, GraphName, LabelArgs, ModelName, OptimizerName, SolverName, UsageError,
};

/// The weight of labels if none is given: the paper's.
const LAMBDA: f64 = 1e-3;

/// The word for a layer that has no attribute.
const NO_ATTRIBUTE: &str = "none";

/// A model with its settings.
pub(super) enum Plan {
    Shallow(SemiNmf),
    Deep(DeepSemiNmf),
    Baseline(WhitenedPca),
    Nmf(Nmf),
    Wsf(Wsf),
    WsfMa(WsfMa),
    DeepWsf(DeepWsf),
    /// Supervised pre-training by the first, then the second.
    Transfer(DeepWsf, DeepSemiNmf),
}

impl Plan {
    pub(super) fn new(args: &FitArgs) -> Result<Self, UsageError> {
        let model = args.model.unwrap_or(match args.layers.len() {
            1 => ModelName::SemiNmf,
            _ => ModelName::DeepSemiNmf,
        });
        refuse_foreign_flags(args, model)?;
        let options = options(args)?;
        let labels = &args.labels;
        let shallow = || match args.layers.as_slice() {
            &[k] => Ok(k),
            layers => Err(UsageError(format!(
                "this model has one layer, but --layers names {}: name one, or use \
                 --model deep-semi-nmf or deep-wsf",
                layers.len()
            ))),
        };
        let deep = || deep(args, DeepSemiNmf::new(args.layers.clone()).with(options.clone()));
        Ok(match model {
            ModelName::WhitenedPca => Self::Baseline(WhitenedPca::new(shallow()?).seed(args.seed)),
            ModelName::Nmf => Self::Nmf(nmf(args, shallow()?, &options)?),
            ModelName::SemiNmf => Self::Shallow(SemiNmf::new(shallow()?).with(options)),
            ModelName::DeepSemiNmf if labels.auxiliary.is_some() => {
                Self::Transfer(deep_wsf(args, deep()?)?, deep()?)
            }
            ModelName::DeepSemiNmf => Self::Deep(deep()?),
            ModelName::Wsf => {
                let lambda = labels.weights(1)?[0];
                Self::Wsf(Wsf::new(shallow()?, lambda).graph(labels.graph()?).with(options))
            }
            ModelName::WsfMa => {
                let lambda = labels.weights(labels.attributes.len())?;
                Self::WsfMa(WsfMa::new(shallow()?, lambda).graph(labels.graph()?).with(options))
            }
            ModelName::DeepWsf => Self::DeepWsf(deep_wsf(args, deep()?)?),
        })
    }
}

/// Refuses flags that the model has no use for, so that none is ignored without a word.
fn refuse_foreign_flags(args: &FitArgs, model: ModelName) -> Result<(), UsageError> {
    let foreign = |flag: &str, owners: &str| {
        Err(UsageError(format!("{flag} belongs to --model {owners}: leave it out")))
    };
    let weak = matches!(model, ModelName::Wsf | ModelName::WsfMa | ModelName::DeepWsf);
    let deep = matches!(model, ModelName::DeepSemiNmf | ModelName::DeepWsf);
    let transfer = args.labels.auxiliary.is_some();
    if let Some(flag) = args.deep.given().filter(|_| !deep) {
        return foreign(flag, "deep-semi-nmf or deep-wsf");
    }
    if transfer && model != ModelName::DeepSemiNmf {
        return foreign("--auxiliary", "deep-semi-nmf");
    }
    if let Some(flag) = args.labels.given().filter(|_| !weak && !transfer) {
        return foreign(flag, "wsf, wsf-ma or deep-wsf (or deep-semi-nmf with --auxiliary)");
    }
    if let Some(flag) = args.labels.given_for_depth().filter(|_| !deep) {
        return foreign(flag, "deep-wsf");
    }
    let no_start = matches!(model, ModelName::WhitenedPca | ModelName::Nmf);
    if args.init_from.is_some() && (no_start || weak || transfer) {
        let text = "--init-from belongs to --model semi-nmf and deep-semi-nmf: leave it out";
        return Err(UsageError(text.into()));
    }
    if args.bases_from.is_some() && (model != ModelName::DeepSemiNmf || transfer) {
        return foreign("--bases-from", "deep-semi-nmf without --auxiliary");
    }
    Ok(())
}

fn nmf(args: &FitArgs, k: usize, options: &FitOptions) -> Result<Nmf, UsageError> {
    let start = match args.init.map(|name| (name, name.non_negative())) {
        None => NonNegativeStart::default(),
        Some((_, Some(start))) => start,
        Some((_, None)) => {
            let text = "--init for nmf is random, nndsvd, nndsvda or nndsvdar: name one of them";
            return Err(UsageError(text.into()));
        }
    };
    let solver = match options.solver {
        HSolver::Multiplicative { .. } => HSolver::Multiplicative { eta: args.eta.unwrap_or(1.0) },
        other => other,
    };
    let mut nmf = Nmf::new(k).start(start).solver(solver).stop(options.stop).seed(options.seed);
    nmf.measure_bound = options.measure_bound;
    Ok(nmf)
}

/// The model with the flags that only it has.
fn deep(args: &FitArgs, model: DeepSemiNmf) -> Result<DeepSemiNmf, UsageError> {
    let flags = &args.deep;
    let optimizer = match (flags.optimizer, flags.step) {
        (Some(OptimizerName::Adam), Some(step)) => Optimizer::Adam { step },
        (_, Some(_)) => {
            return Err(UsageError("--step belongs to --optimizer adam: leave it out".into()));
        }
        (name, None) => name.map_or(Optimizer::Auto, Into::into),
    };
    let descent = Descent::default();
    Ok(model
        .activation(flags.activation.map_or(Activation::Identity, Into::into))
        .loss(flags.loss.map_or(Loss::Paper, Into::into))
        .weights(flags.weights.clone())
        .form(flags.form.map_or(Form::Fast, Into::into))
        .penalties(Penalties {
            ridge: flags.ridge.unwrap_or(0.0),
            sparsity: flags.sparsity.unwrap_or(0.0),
            normal_form: flags.normal_form.map_or(NormalForm::None, Into::into),
        })
        .descent(Descent {
            optimizer,
            max_iterations: args.max_iter.unwrap_or(descent.max_iterations),
        }))
}

fn deep_wsf(args: &FitArgs, deep: DeepSemiNmf) -> Result<DeepWsf, UsageError> {
    let labels = &args.labels;
    let lambda = labels.weights(args.layers.len())?;
    Ok(DeepWsf::of(deep, lambda)
        .graph(labels.graph()?)
        .pretraining(labels.pretraining.map_or(Pretraining::Wsf, Into::into))
        .variant(labels.variant.map_or(Variant::Printed, Into::into)))
}

impl LabelArgs {
    /// The attribute of each place; a layer may have none.
    pub(super) fn names(&self) -> Vec<Option<&str>> {
        let names = self.attributes.iter().map(String::as_str);
        names.map(|name| (name != NO_ATTRIBUTE).then_some(name)).collect()
    }

    /// A weight for each of `places` attributes.
    fn weights(&self, places: usize) -> Result<Vec<f64>, UsageError> {
        let named = self.attributes.len();
        if named == 0 {
            let text = "name the attributes to learn from with --attributes";
            return Err(UsageError(text.into()));
        }
        if named != places {
            return Err(UsageError(format!(
                "--attributes names {named}, but there is room for {places}: name one for each \
                 layer ({NO_ATTRIBUTE} for a layer without), or one for wsf"
            )));
        }
        match self.lambda.as_slice() {
            [] => Ok(vec![LAMBDA; places]),
            &[lambda] => Ok(vec![lambda; places]),
            lambda if lambda.len() == places => Ok(lambda.to_vec()),
            lambda => Err(UsageError(format!(
                "--lambda has {} weights for {places} attributes: give one for all or one for each",
                lambda.len()
            ))),
        }
    }

    fn graph(&self) -> Result<LabelGraph, UsageError> {
        match (self.graph, self.sigma) {
            (Some(GraphName::Rbf), sigma) => Ok(LabelGraph::Rbf { sigma }),
            (_, Some(_)) => Err(UsageError("--sigma belongs to --graph rbf: leave it out".into())),
            (graph, None) => Ok(graph.map_or(LabelGraph::Binary, Into::into)),
        }
    }

    /// The first of these flags that was given.
    fn given(&self) -> Option<&'static str> {
        let flags = [
            ("--attributes", !self.attributes.is_empty()),
            ("--lambda", !self.lambda.is_empty()),
            ("--graph", self.graph.is_some()),
            ("--sigma", self.sigma.is_some()),
            ("--label-fraction", self.label_fraction.is_some()),
        ];
        first_given(&flags).or_else(|| self.given_for_depth())
    }

    fn given_for_depth(&self) -> Option<&'static str> {
        first_given(&[
            ("--pretraining", self.pretraining.is_some()),
            ("--variant", self.variant.is_some()),
        ])
    }
}

impl DeepArgs {
    /// The first of these flags that was given.
    fn given(&self) -> Option<&'static str> {
        first_given(&[
            ("--activation", self.activation.is_some()),
            ("--loss", self.loss.is_some()),
            ("--weights", !self.weights.is_empty()),
            ("--optimizer", self.optimizer.is_some()),
            ("--step", self.step.is_some()),
            ("--ridge", self.ridge.is_some()),
            ("--sparsity", self.sparsity.is_some()),
            ("--normal-form", self.normal_form.is_some()),
            ("--form", self.form.is_some()),
        ])
    }
}

fn first_given(flags: &[(&'static str, bool)]) -> Option<&'static str> {
    flags.iter().find_map(|(flag, given)| given.then_some(*flag))
}

fn options(args: &FitArgs) -> Result<FitOptions, UsageError> {
    let unused = |text: &str| Err(UsageError(text.into()));
    let solver = match (args.solver, args.eta, args.inner) {
        (SolverName::Multiplicative, eta, None) => {
            HSolver::Multiplicative { eta: eta.unwrap_or(0.5) }
        }
        (SolverName::Hals, None, Some(sweeps)) => HSolver::Hals { sweeps },
        (SolverName::Accelerated, None, Some(steps)) => HSolver::Accelerated { steps },
        (solver, None, None) => solver.into(),
        (SolverName::Multiplicative, _, Some(_)) => {
            return unused("--inner belongs to --solver hals or accelerated: leave it out");
        }
        (_, Some(_), _) => {
            return unused("--eta belongs to --solver multiplicative: leave it out");
        }
    };
    let start = match args.init {
        None => Start::default(),
        // What nmf makes of the name it says itself.
        Some(name) if args.model == Some(ModelName::Nmf) => name.of_any_sign().unwrap_or_default(),
        Some(name) => name.of_any_sign().ok_or_else(|| {
            UsageError("--init nndsvd, nndsvda and nndsvdar belong to --model nmf".into())
        })?,
    };
    let mut options = FitOptions::default()
        .start(start)
        .scale(args.scale.into())
        .solver(solver)
        .seed(args.seed)
        .stop(StopRule {
            kappa: args.kappa,
            max_iterations: args.max_iter.unwrap_or(StopRule::default().max_iterations),
            max_seconds: args.max_seconds,
        });
    options.measure_bound = !args.no_bound;
    Ok(options)
}
