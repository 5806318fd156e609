//! `deepnmf fit`.

use std::fmt::Write as _;

use anyhow::{Context, Result};
use deepnmf::persist::{AnyModel, load_model};
use deepnmf::{
    Activation, DeepSemiNmf, Descent, Dtype, Error, Factors, FitOptions, FitSession, Form, HSolver,
    Loss, Matrix, Model, NormalForm, Optimizer, Penalties, Provenance, Scalar, SemiNmf, StopReason,
    StopRule, WhitenedPca,
};
use serde_json::json;

use crate::args::{DeepArgs, FitArgs, ModelName, OptimizerName, SolverName, UsageError};
use crate::input::{check_output, on_threads, provenance, samples};
use crate::output::{Outcome, Output, extended, summary_json, summary_text};
use crate::progress::{Progress, cancelled_by_interrupt};

/// Factorizes a data file.
pub(crate) fn run(args: &FitArgs, output: Output) -> Result<Outcome> {
    let plan = Plan::new(args)?;
    if let Some(out) = &args.out {
        check_output(out, &[&args.data.data])?;
    }
    match args.dtype.into() {
        Dtype::F32 => carry_out::<f32>(args, &plan, output),
        Dtype::F64 => carry_out::<f64>(args, &plan, output),
    }
}

/// What is to be fitted: the flags, checked against each other.
enum Plan {
    Shallow(SemiNmf),
    Deep(DeepSemiNmf),
    Baseline(WhitenedPca),
}

impl Plan {
    fn new(args: &FitArgs) -> Result<Self, UsageError> {
        let options = options(args)?;
        let model = args.model.unwrap_or(match args.layers.len() {
            1 => ModelName::SemiNmf,
            _ => ModelName::DeepSemiNmf,
        });
        if let Some(flag) = args.deep.given().filter(|_| model != ModelName::DeepSemiNmf) {
            let reason = format!("{flag} belongs to --model deep-semi-nmf: leave it out");
            return Err(UsageError(reason));
        }
        match (model, args.layers.as_slice()) {
            (ModelName::WhitenedPca, _) if args.init_from.is_some() => {
                Err(UsageError("whitened-pca has no start: leave --init-from out".into()))
            }
            (ModelName::SemiNmf | ModelName::WhitenedPca, _) if args.bases_from.is_some() => Err(
                UsageError("--bases-from belongs to --model deep-semi-nmf: leave it out".into()),
            ),
            (ModelName::WhitenedPca, &[k]) => {
                Ok(Self::Baseline(WhitenedPca::new(k).seed(args.seed)))
            }
            (ModelName::SemiNmf, &[k]) => Ok(Self::Shallow(SemiNmf::new(k).with(options))),
            (ModelName::SemiNmf | ModelName::WhitenedPca, layers) => Err(UsageError(format!(
                "this model has one layer, but --layers names {}: name one, or use \
                 --model deep-semi-nmf",
                layers.len()
            ))),
            (ModelName::DeepSemiNmf, layers) => {
                Ok(Self::Deep(deep(args, DeepSemiNmf::new(layers).with(options))?))
            }
        }
    }
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
    let mut options = FitOptions::default()
        .start(args.init.into())
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

fn carry_out<T: Scalar>(args: &FitArgs, plan: &Plan, output: Output) -> Result<Outcome> {
    let mut progress = Progress::new(output);
    progress.doing("reading the data");
    let mut data = samples::<T>(&args.data)?;
    let mut steps = args.normalize.clone();
    let raw = provenance(&data, &steps);
    steps.fit_apply(&mut data).with_context(|| args.data.data.display().to_string())?;
    // The chain as fitted, and the data as they came.
    let provenance = Provenance { preprocessing: json!(steps), ..raw };
    let given = given(args)?;
    let cancel = cancelled_by_interrupt()?;
    let mut model = on_threads(args.threads, || {
        // The bar is drawn from the fitting thread; nothing else touches it meanwhile.
        let mut tell = |event: &deepnmf::Event| deepnmf::Observer::on_event(&mut progress, event);
        let mut session = FitSession::new().observed_by(&mut tell).stopped_by(cancel);
        fit(plan, &data.x, given, &mut session).map_err(|error| blame(args, error))
    })??;
    drop(progress);
    model.provenance = provenance;
    if let Some(out) = &args.out {
        model.save(out)?;
    }
    report(args, &model, output)
}

/// What another model gives to begin with.
enum Given<T> {
    Nothing,
    Factors(Factors<T>),
    Bases(Vec<Matrix<T>>),
}

fn given<T: Scalar>(args: &FitArgs) -> Result<Given<T>> {
    Ok(match (&args.init_from, &args.bases_from) {
        (Some(path), _) => Given::Factors(given_factors(path).context("--init-from")?),
        (None, Some(path)) => Given::Bases(given_factors(path).context("--bases-from")?.z),
        (None, None) => Given::Nothing,
    })
}

fn fit<T: Scalar>(
    plan: &Plan,
    x: &Matrix<T>,
    given: Given<T>,
    session: &mut FitSession<'_>,
) -> deepnmf::Result<Model<T>> {
    match (plan, given) {
        (Plan::Shallow(model), Given::Factors(given)) => {
            model.fit_from(x, given.top_features().clone(), session)
        }
        (Plan::Deep(model), Given::Factors(given)) => model.fit_from(x, given, session),
        (Plan::Deep(model), Given::Bases(bases)) => model.fit_from_bases(x, bases, session),
        (Plan::Shallow(model), _) => model.fit_in(x, session),
        (Plan::Deep(model), Given::Nothing) => model.fit_in(x, session),
        (Plan::Baseline(model), _) => model.fit_in(x, session),
    }
}

/// Names the model file whose factors do not fit the data.
fn blame(args: &FitArgs, error: Error) -> anyhow::Error {
    let flags = [("--init-from", &args.init_from), ("--bases-from", &args.bases_from)];
    let given = flags.into_iter().find_map(|(flag, path)| Some((flag, path.as_ref()?)));
    match (given, &error) {
        (Some((flag, path)), Error::Shape { .. }) => {
            anyhow::Error::new(error).context(format!("{flag} {}", path.display()))
        }
        _ => error.into(),
    }
}

/// The factors of another model, in the number type of this one.
fn given_factors<T: Scalar>(path: &std::path::Path) -> Result<Factors<T>> {
    fn cast<A: Scalar, B: Scalar>(factors: &Factors<A>) -> Factors<B> {
        let all = |list: &[Matrix<A>]| list.iter().map(Matrix::cast).collect();
        Factors::new(all(&factors.z), all(&factors.h))
    }
    Ok(match load_model(path)? {
        AnyModel::F32(model) => cast(&model.factors),
        AnyModel::F64(model) => cast(&model.factors),
    })
}

fn report<T: Scalar>(args: &FitArgs, model: &Model<T>, output: Output) -> Result<Outcome> {
    let mut text = summary_text(&model.settings, &model.summary);
    match &args.out {
        Some(out) => writeln!(text, "wrote {}", out.display())?,
        None => output.remark("nothing was written: name a model file with --out"),
    }
    let object = extended(
        summary_json(&model.settings, &model.summary),
        json!({
            "dtype": T::DTYPE,
            "settings": model.settings,
            "preprocessing": model.provenance.preprocessing,
            "out": args.out,
        }),
    );
    if output.is_json() {
        for notice in &model.summary.notices {
            output.remark(format!("note: {notice}"));
        }
    }
    output.result(&text, &object)?;
    let interrupted = model.summary.runs.iter().any(|run| run.stop == StopReason::Cancelled);
    if interrupted {
        output.remark("interrupted: this is the best so far");
    }
    Ok(if interrupted { Outcome::Interrupted } else { Outcome::Done })
}
