//! What is to be fitted: the flags, checked against each other.

use deepnmf::batches::PASSES;
use deepnmf::{
    Activation, AdditiveSemiNmf, Cnmf, DeepSemiNmf, DeepWsf, Descent, Divergence, Dnmf, ElasticNet,
    FitOptions, Form, Gnmf, HSolver, LabelGraph, LabelUse, Loss, MultilayerNmf, NeNmf,
    Neighbourhood, Nmf, NonNegativeStart, NormalForm, Optimizer, PartSizes, Penalties, Pretraining,
    ScaleIn, SemiNmf, Settings, Start, StopRule, Variant, WhitenedPca, Wsf, WsfMa,
};

use deepnmf_select::LayerSize;

use crate::args::{
    DeepArgs, FitArgs, GraphName, LabelArgs, ModelName, OptimizerName, PartName, SolverName,
    UsageError,
};

/// The weight of labels if none is given.
const LAMBDA: f64 = 1.0;

/// The same with the penalty as printed: the paper's.
const PRINTED_LAMBDA: f64 = 1e-3;

/// The weight of the scatter within classes if none is given.
const GAMMA: f64 = 0.1;

/// The word for a layer that has no attribute.
const NO_ATTRIBUTE: &str = "none";

/// A model with its settings.
pub(super) enum Plan {
    /// One fit.
    Model(Box<Settings>),
    /// Supervised pre-training by the first, then the second.
    Transfer(Box<(DeepWsf, DeepSemiNmf)>),
}

impl Plan {
    pub(super) fn new(args: &FitArgs) -> Result<Self, UsageError> {
        let usual = match args.layers.len() {
            _ if !args.parts.is_empty() => "additive-semi-nmf",
            1 => "semi-nmf",
            _ => "deep-semi-nmf",
        };
        let named = args.model.or_else(|| ModelName::find(usual));
        let model = named.ok_or_else(|| UsageError(format!("there is no model {usual}")))?;
        refuse_foreign_flags(args, model)?;
        refuse_with_choice(args)?;
        let options = options(args)?;
        let labels = &args.labels;
        let sizes = args.sizes();
        let shallow = || match sizes.as_slice() {
            &[k] => Ok(k),
            layers => Err(UsageError(format!(
                "this model has one layer, but --layers names {}: name one, or use \
                 --model deep-semi-nmf or deep-wsf",
                layers.len()
            ))),
        };
        let near = neighbourhood(args)?;
        let deep = || {
            let model = DeepSemiNmf::new(sizes.clone()).neighbourhood(near.clone());
            deep(args, model.with(options.clone()))
        };
        let settings: Settings = match model.as_str() {
            "whitened-pca" => WhitenedPca::new(shallow()?).seed(args.seed).into(),
            "nmf" => with_divergence(args, nmf(args, shallow()?, &options)?)?
                .penalty(elastic(args)?)
                .into(),
            "nenmf" => {
                let k = shallow()?;
                NeNmf::new(k).with(nmf(args, k, &options)?).into()
            }
            "gnmf" => gnmf(args, shallow()?, &options)?.into(),
            "multilayer-nmf" => {
                let nmf = with_divergence(args, nmf(args, 1, &options)?)?;
                MultilayerNmf::new(sizes.clone()).with(nmf).into()
            }
            "cnmf" => {
                labels.weights(1)?;
                let k = shallow()?;
                Cnmf::new(k).with(published(args, nmf(args, k, &options)?)).into()
            }
            "dnmf" => {
                labels.weights(1)?;
                let k = shallow()?;
                let gamma = args.baseline.gamma.unwrap_or(GAMMA);
                let dnmf = Dnmf::new(k, gamma, args.baseline.delta.unwrap_or(0.0));
                dnmf.with(published(args, nmf(args, k, &options)?)).into()
            }
            "additive-semi-nmf" => AdditiveSemiNmf::new(parts(args)?).with(options).into(),
            "semi-nmf" => SemiNmf::new(shallow()?).neighbourhood(near).with(options).into(),
            "deep-semi-nmf" if labels.auxiliary.is_some() => {
                return Ok(Self::Transfer(Box::new((deep_wsf(args, deep()?)?, deep()?))));
            }
            "deep-semi-nmf" => deep()?.into(),
            "wsf" => {
                let lambda = labels.weights(1)?[0];
                let wsf = Wsf::new(shallow()?, lambda).graph(labels.graph()?);
                wsf.variant(labels.variant()).neighbourhood(near).with(options).into()
            }
            "wsf-ma" => {
                let lambda = labels.weights(labels.attributes.len())?;
                let wsf = WsfMa::new(shallow()?, lambda).graph(labels.graph()?);
                wsf.variant(labels.variant()).neighbourhood(near).with(options).into()
            }
            "deep-wsf" => deep_wsf(args, deep()?)?.into(),
            other => return Err(UsageError(format!("{other} cannot be fitted by this program"))),
        };
        Ok(Self::Model(Box::new(settings)))
    }
}

/// Refuses flags that the model has no use for, so that none is ignored without a word.
fn refuse_foreign_flags(args: &FitArgs, model: ModelName) -> Result<(), UsageError> {
    let can = model.abilities();
    let takes_labels = can.labels != LabelUse::None;
    let name = model.as_str();
    let (gnmf, dnmf, additive) = (name == "gnmf", name == "dnmf", name == "additive-semi-nmf");
    let counts = name == "nmf" || name == "multilayer-nmf";
    let weak = takes_labels && can.negative_data && !additive;
    let deep = can.deep && can.negative_data;
    let classes = takes_labels && !can.negative_data;
    let transfer = args.labels.auxiliary.is_some() && name == "deep-semi-nmf";
    let known_parts = args.parts.iter().any(|part| part.attribute().is_some());
    let near = gnmf || (can.negative_data && !can.centred && !additive);
    let semi = can.warm_start && !transfer;
    let together = name == "semi-nmf" || name == "nmf";
    let rules = !additive || args.parts.len() == 1;
    let (labels, given, baseline) = (&args.labels, &args.near, &args.baseline);
    let weak_models = "wsf, wsf-ma or deep-wsf (or deep-semi-nmf with --auxiliary)";
    let labelled = "wsf, wsf-ma, deep-wsf, cnmf or dnmf (or deep-semi-nmf with --auxiliary; \
                    additive-semi-nmf has attributes among its parts, such as --parts 20,pose)";
    let with_neighbours =
        "semi-nmf, deep-semi-nmf, wsf, wsf-ma or deep-wsf (and gnmf, by --lambda)";
    let weighted = "wsf, wsf-ma, deep-wsf or gnmf (or deep-semi-nmf with --auxiliary)";
    let with_soft_whitening = "semi-nmf, deep-semi-nmf, wsf, wsf-ma or deep-wsf";
    let with_rules = "semi-nmf and others with a rule for the features";
    let flags = [
        ("--auxiliary", labels.auxiliary.is_some(), transfer, "deep-semi-nmf"),
        ("--attributes", !labels.attributes.is_empty(), weak || transfer || classes, labelled),
        ("--lambda", !labels.lambda.is_empty(), weak || transfer || gnmf, weighted),
        ("--graph", labels.graph.is_some(), weak || transfer, weak_models),
        ("--sigma", labels.sigma.is_some(), weak || transfer, weak_models),
        (
            "--label-fraction",
            labels.label_fraction.is_some(),
            weak || transfer || classes || known_parts,
            labelled,
        ),
        ("--pretraining", labels.pretraining.is_some(), deep && (weak || transfer), "deep-wsf"),
        ("--variant", labels.variant.is_some(), weak || transfer || gnmf, weighted),
        ("--neighbours", !given.neighbours.is_empty(), near, with_neighbours),
        ("--neighbour-lambda", given.neighbour_lambda.is_some(), near && !gnmf, with_neighbours),
        ("--neighbour-weights", given.neighbour_weights.is_some(), near, with_neighbours),
        ("--neighbour-search", given.neighbour_search.is_some(), near, with_neighbours),
        ("--fade", args.fade.is_some(), near && !gnmf, with_soft_whitening),
        ("--parts", !args.parts.is_empty(), additive, "additive-semi-nmf"),
        ("--divergence", args.divergence.is_some(), counts, "nmf or multilayer-nmf"),
        ("--alpha-features", baseline.alpha_features.is_some(), name == "nmf", "nmf"),
        ("--alpha-basis", baseline.alpha_basis.is_some(), name == "nmf", "nmf"),
        ("--l1-ratio", baseline.l1_ratio.is_some(), name == "nmf", "nmf"),
        (
            "--weights-file",
            args.weights_file.is_some(),
            can.weights,
            "semi-nmf, deep-semi-nmf, nmf, nenmf or multilayer-nmf",
        ),
        ("--fixed-bases", args.fixed_bases.is_some(), can.fixed, "semi-nmf or nmf"),
        ("--fixed-features", args.fixed_features.is_some(), can.fixed, "semi-nmf or nmf"),
        ("--init", args.init.is_some(), rules, with_rules),
        ("--solver", args.solver.is_some(), rules, with_rules),
        ("--inner", args.inner.is_some(), rules, with_rules),
        ("--gamma", baseline.gamma.is_some(), dnmf, "dnmf"),
        ("--delta", baseline.delta.is_some(), dnmf, "dnmf"),
        ("--consensus", args.consensus.is_some(), together, "semi-nmf or nmf"),
        ("--init-from", args.init_from.is_some(), semi, "semi-nmf, deep-semi-nmf or nmf"),
        ("--bases-from", args.bases_from.is_some(), semi && deep, "deep-semi-nmf"),
    ];
    let foreign = |flag: &str, owners: &str| {
        Err(UsageError(format!("{flag} belongs to --model {owners}: leave it out")))
    };
    if let Some(flag) = args.deep.given().filter(|_| !deep) {
        return foreign(flag, "deep-semi-nmf or deep-wsf");
    }
    if let Some((flag, _, _, owners)) = flags.iter().find(|(_, given, used, _)| *given && !used) {
        return foreign(flag, owners);
    }
    let softly = ScaleIn::from(args.scale) == ScaleIn::Soft || !given.neighbours.is_empty();
    if args.fade.is_some() && !softly {
        return Err(UsageError("--fade needs --scale soft or --neighbours".into()));
    }
    if name == "nenmf" && args.solver.is_some() {
        return Err(UsageError("nenmf has a rule of its own: leave --solver out".into()));
    }
    Ok(())
}

/// Refuses flags that do not go with a choice of sizes, or need one.
fn refuse_with_choice(args: &FitArgs) -> Result<(), UsageError> {
    if !args.chooses() {
        return match args.choice.given() {
            Some(flag) => Err(UsageError(format!("{flag} belongs to --layers auto: leave it out"))),
            None => Ok(()),
        };
    }
    let flags = [
        ("--plan", args.long.plan),
        ("--memory", args.long.memory.is_some()),
        ("--init-from", args.init_from.is_some()),
        ("--bases-from", args.bases_from.is_some()),
        ("--auxiliary", args.labels.auxiliary.is_some()),
        ("--weights-file", args.weights_file.is_some()),
        ("--entry-weights-file", args.entry_weights_file.is_some()),
        ("--fixed-bases", args.fixed_bases.is_some()),
        ("--fixed-features", args.fixed_features.is_some()),
    ];
    match flags.into_iter().find(|(_, given)| *given) {
        Some((flag, _)) => {
            Err(UsageError(format!("{flag} needs to know the sizes: name them with --layers")))
        }
        None => Ok(()),
    }
}

/// The clusters of each part.
fn parts(args: &FitArgs) -> Result<Vec<PartSizes>, UsageError> {
    if args.parts.is_empty() {
        let text = "additive-semi-nmf has parts instead of layers: name the clusters of each, such as --parts 20,4";
        return Err(UsageError(text.into()));
    }
    let size = |part: &PartName| match part {
        PartName::Clusters(sizes) => Ok(sizes.clone()),
        PartName::Attribute(_) => Ok(0.into()), // as many as it has classes
        PartName::Auto => {
            let text = "--parts auto finds all parts: leave the numbers out, or auto";
            Err(UsageError(text.into()))
        }
    };
    match args.parts.as_slice() {
        [PartName::Auto] => Ok(vec![]),
        parts => parts.iter().map(size).collect(),
    }
}

fn nmf(args: &FitArgs, k: usize, options: &FitOptions) -> Result<Nmf, UsageError> {
    let start = match args.init.map(|name| (name, name.non_negative())) {
        None => NonNegativeStart::default(),
        Some((_, Some(start))) => start,
        Some((_, None)) => {
            let text = "--init of non-negative models is random, nndsvd, nndsvda or nndsvdar: \
                        name one of them";
            return Err(UsageError(text.into()));
        }
    };
    let solver = match options.solver {
        HSolver::Multiplicative { .. } => multiplicative(args, Nmf::REPEATS),
        other => other,
    };
    let FitOptions { scale, fade, stop, seed, measure_bound, .. } = *options;
    Ok(Nmf::new(k).with(FitOptions { start, scale, fade, solver, stop, seed, measure_bound }))
}

/// The penalty of both factors.
fn elastic(args: &FitArgs) -> Result<ElasticNet, UsageError> {
    let given = &args.baseline;
    let features = given.alpha_features.unwrap_or(0.0);
    let basis = given.alpha_basis.unwrap_or(features);
    let penalty = ElasticNet::new(features, basis, given.l1_ratio.unwrap_or(0.0));
    if given.l1_ratio.is_some() && penalty.is_none() {
        let text = "--l1-ratio divides a penalty: give its weight with --alpha-features";
        return Err(UsageError(text.into()));
    }
    Ok(penalty)
}

/// What is kept small. The Kullback-Leibler divergence is minimised by one rule.
fn with_divergence(args: &FitArgs, nmf: Nmf) -> Result<Nmf, UsageError> {
    let nmf = nmf.divergence(args.divergence.map_or(Divergence::default(), Into::into));
    let hals = matches!(nmf.options.solver, HSolver::Hals { .. });
    if nmf.divergence == Divergence::KullbackLeibler && !hals {
        let text =
            "--divergence kl is minimised by coordinate descent: leave --solver out, or use hals";
        return Err(UsageError(text.into()));
    }
    Ok(nmf)
}

/// Lee and Seung's rule, repeated as often as asked for, or as is usual.
fn multiplicative(args: &FitArgs, repeats: usize) -> HSolver {
    let (eta, repeats) = (args.eta.unwrap_or(1.0), args.inner.unwrap_or(repeats));
    HSolver::Multiplicative { eta, repeats }
}

/// The rule that a model was published with, unless another one is asked for.
fn published(args: &FitArgs, nmf: Nmf) -> Nmf {
    match args.solver {
        None | Some(SolverName::Multiplicative) => {
            let options = nmf.options.clone().solver(multiplicative(args, 1));
            nmf.with(options)
        }
        Some(_) => nmf,
    }
}

fn gnmf(args: &FitArgs, k: usize, options: &FitOptions) -> Result<Gnmf, UsageError> {
    let nmf = nmf(args, k, options)?;
    let mut gnmf = match args.labels.variant() {
        Variant::ScaleFree => Gnmf::new(k).with(nmf),
        variant => Gnmf::published(k).variant(variant).with(published(args, nmf)),
    };
    gnmf.lambda = match args.labels.lambda.as_slice() {
        [] => gnmf.lambda,
        &[lambda] => lambda,
        _ => return Err(UsageError("--lambda of gnmf is one weight: give one".into())),
    };
    let neighbours = match args.near.neighbours.as_slice() {
        [] => gnmf.neighbours,
        &[neighbours] => neighbours,
        _ => return Err(UsageError("--neighbours of gnmf is one number: give one".into())),
    };
    let weights = args.near.neighbour_weights.map_or(gnmf.weights, Into::into);
    let search = args.near.neighbour_search.map_or(gnmf.search, Into::into);
    Ok(gnmf.neighbours(neighbours, weights).search(search))
}

/// The neighbour graphs of the layers.
fn neighbourhood(args: &FitArgs) -> Result<Neighbourhood, UsageError> {
    let (given, layers) = (&args.near, args.layers.len());
    let usual = match given.neighbours.as_slice() {
        [] => {
            let flags = [
                ("--neighbour-lambda", given.neighbour_lambda.is_some()),
                ("--neighbour-weights", given.neighbour_weights.is_some()),
                ("--neighbour-search", given.neighbour_search.is_some()),
            ];
            return match flags.into_iter().find(|(_, given)| *given) {
                Some((flag, _)) if args.model.is_none_or(|model| model.as_str() != "gnmf") => {
                    Err(UsageError(format!("{flag} needs --neighbours: name how many")))
                }
                _ => Ok(Neighbourhood::default()),
            };
        }
        &[neighbours] => Neighbourhood::above_the_data(neighbours, layers),
        list if list.len() == layers => Neighbourhood::of(list),
        list => {
            return Err(UsageError(format!(
                "--neighbours has {} numbers for {layers} layers: give one for all or one for each",
                list.len()
            )));
        }
    };
    let Neighbourhood { lambda, weights, search, .. } = usual;
    Ok(usual
        .lambda(given.neighbour_lambda.unwrap_or(lambda))
        .weights(given.neighbour_weights.map_or(weights, Into::into))
        .search(given.neighbour_search.map_or(search, Into::into)))
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
        .variant(labels.variant()))
}

/// The model with one layer by which numbers of components are compared: that of the flags without labels, neighbours and
/// depth.
pub(super) fn one_layer(args: &FitArgs) -> Result<Settings, UsageError> {
    if args.model.is_some_and(|model| model.abilities().centred) {
        let text = "--layers auto compares factorizations, and whitened-pca is none: name a number";
        return Err(UsageError(text.into()));
    }
    let mut options = options(args)?;
    options.stop.max_seconds = None;
    if args.model.is_none_or(|model| model.abilities().negative_data) {
        return Ok(SemiNmf::new(1).with(options).into());
    }
    let nmf = with_divergence(args, nmf(args, 1, &options)?)?;
    Ok(nmf.penalty(elastic(args)?).into())
}

impl FitArgs {
    /// The components of each layer. One that is to be found out counts with the least that it may have.
    pub(super) fn sizes(&self) -> Vec<usize> {
        let size = |layer: &LayerSize| match *layer {
            LayerSize::Exactly(size) | LayerSize::Auto(Some((size, _))) => size,
            LayerSize::Auto(None) => 1,
        };
        self.layers.iter().map(size).collect()
    }

    /// Whether the components of a layer are to be found out.
    pub(super) fn chooses(&self) -> bool {
        self.layers.iter().any(|layer| matches!(layer, LayerSize::Auto(_)))
    }

    /// The attribute of each place: a layer or a part may have none.
    pub(super) fn attribute_names(&self) -> Vec<Option<&str>> {
        if self.parts.iter().any(|part| part.attribute().is_some()) {
            return self.parts.iter().map(PartName::attribute).collect();
        }
        let names = self.labels.attributes.iter().map(String::as_str);
        names.map(|name| (name != NO_ATTRIBUTE).then_some(name)).collect()
    }
}

impl LabelArgs {
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
                 layer ({NO_ATTRIBUTE} for a layer without), or one for wsf, cnmf and dnmf"
            )));
        }
        match self.lambda.as_slice() {
            [] if self.variant() == Variant::ScaleFree => Ok(vec![LAMBDA; places]),
            [] => Ok(vec![PRINTED_LAMBDA; places]),
            &[lambda] => Ok(vec![lambda; places]),
            lambda if lambda.len() == places => Ok(lambda.to_vec()),
            lambda => Err(UsageError(format!(
                "--lambda has {} weights for {places} attributes: give one for all or one for each",
                lambda.len()
            ))),
        }
    }

    /// Which graph penalty is meant.
    fn variant(&self) -> Variant {
        self.variant.map_or(Variant::default(), Into::into)
    }

    fn graph(&self) -> Result<LabelGraph, UsageError> {
        match (self.graph, self.sigma) {
            (Some(GraphName::Rbf), sigma) => Ok(LabelGraph::Rbf { sigma }),
            (_, Some(_)) => Err(UsageError("--sigma belongs to --graph rbf: leave it out".into())),
            (graph, None) => Ok(graph.map_or(LabelGraph::Binary, Into::into)),
        }
    }
}

impl DeepArgs {
    /// The first of these flags that was given.
    fn given(&self) -> Option<&'static str> {
        let flags = [
            ("--activation", self.activation.is_some()),
            ("--loss", self.loss.is_some()),
            ("--weights", !self.weights.is_empty()),
            ("--optimizer", self.optimizer.is_some()),
            ("--step", self.step.is_some()),
            ("--ridge", self.ridge.is_some()),
            ("--sparsity", self.sparsity.is_some()),
            ("--normal-form", self.normal_form.is_some()),
            ("--form", self.form.is_some()),
        ];
        flags.into_iter().find_map(|(flag, given)| given.then_some(flag))
    }
}

fn options(args: &FitArgs) -> Result<FitOptions, UsageError> {
    let unused = |text: &str| Err(UsageError(text.into()));
    let solver = match (args.solver.unwrap_or(SolverName::Hals), args.eta, args.inner) {
        (SolverName::Multiplicative, eta, inner) => {
            HSolver::Multiplicative { eta: eta.unwrap_or(0.5), repeats: inner.unwrap_or(1) }
        }
        (SolverName::Hals, None, Some(sweeps)) => HSolver::Hals { sweeps },
        (SolverName::Accelerated, None, Some(steps)) => HSolver::Accelerated { steps },
        (solver, None, None) => solver.into(),
        (_, Some(_), _) => {
            return unused("--eta belongs to --solver multiplicative: leave it out");
        }
    };
    let start = match args.init {
        None => Start::default(),
        // What nmf makes of the name it says itself.
        Some(name) if args.model.is_some_and(|model| !model.abilities().negative_data) => {
            name.of_any_sign().unwrap_or_default()
        }
        Some(name) => name.of_any_sign().ok_or_else(|| {
            let text = "--init nndsvd, nndsvda and nndsvdar belong to non-negative models such as --model nmf";
            UsageError(text.into())
        })?,
    };
    let mut options = FitOptions::default()
        .start(start)
        .scale(args.scale.into())
        .fade(args.fade)
        .solver(solver)
        .seed(args.seed)
        .stop(stop_rule(args));
    options.measure_bound = !args.no_bound;
    Ok(options)
}

/// When loops end: passes in batches do more than iterations, and end sooner.
pub(super) fn stop_rule(args: &FitArgs) -> StopRule {
    let usual = if args.long.batch.is_some() { PASSES } else { StopRule::default() };
    StopRule {
        kappa: args.kappa.unwrap_or(usual.kappa),
        max_iterations: args.max_iter.unwrap_or(usual.max_iterations),
        max_seconds: args.max_seconds,
    }
}
