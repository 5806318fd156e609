//! `deepnmf fit`.

use std::fmt::Write as _;

use anyhow::{Context, Result};
use deepnmf::persist::{AnyModel, check_writable, load_model};
use deepnmf::{
    DeepSemiNmf, Dtype, Factors, FitOptions, FitSession, HSolver, Matrix, Model, Scalar, SemiNmf,
    StopReason, StopRule,
};
use serde_json::json;

use crate::args::{FitArgs, ModelName, SolverName, UsageError};
use crate::input::{on_threads, provenance, samples};
use crate::output::{Outcome, Output, extended, summary_json, summary_text};
use crate::progress::{Progress, cancelled_by_interrupt};

/// Factorizes a data file.
pub(crate) fn run(args: &FitArgs, output: Output) -> Result<Outcome> {
    let plan = Plan::new(args)?;
    if let Some(out) = &args.out {
        check_writable(out)?;
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
}

impl Plan {
    fn new(args: &FitArgs) -> Result<Self, UsageError> {
        let options = options(args)?;
        let model = args.model.unwrap_or(match args.layers.len() {
            1 => ModelName::SemiNmf,
            _ => ModelName::DeepSemiNmf,
        });
        match (model, args.layers.as_slice()) {
            (ModelName::SemiNmf, &[k]) => Ok(Self::Shallow(SemiNmf::new(k).with(options))),
            (ModelName::SemiNmf, layers) => Err(UsageError(format!(
                "semi-nmf has one layer, but --layers names {}: name one, or use \
                 --model deep-semi-nmf",
                layers.len()
            ))),
            (ModelName::DeepSemiNmf, layers) => {
                let model = DeepSemiNmf::new(layers).form(args.form.into());
                Ok(Self::Deep(model.with(options)))
            }
        }
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
        (_, Some(_), _) => {
            return unused("--eta belongs to --solver multiplicative: leave it out");
        }
        (_, None, Some(_)) => {
            return unused("--inner belongs to hals and accelerated: leave it out");
        }
    };
    let mut options = FitOptions::default()
        .start(args.init.into())
        .scale(args.scale.into())
        .solver(solver)
        .seed(args.seed)
        .stop(StopRule {
            kappa: args.kappa,
            max_iterations: args.max_iter,
            max_seconds: args.max_seconds,
        });
    options.measure_bound = !args.no_bound;
    Ok(options)
}

fn carry_out<T: Scalar>(args: &FitArgs, plan: &Plan, output: Output) -> Result<Outcome> {
    let mut progress = Progress::new(output);
    progress.doing("reading the data");
    let mut data = samples::<T>(&args.data)?;
    let normalize = args.normalize.into();
    let provenance = provenance(&data, normalize);
    normalize.apply(&mut data.x)?;
    let given = args.init_from.as_ref().map(|path| given_factors(path)).transpose()?;
    let cancel = cancelled_by_interrupt()?;
    let mut model = on_threads(args.threads, || {
        // The bar is drawn from the fitting thread; nothing else touches it meanwhile.
        let mut tell = |event: &deepnmf::Event| deepnmf::Observer::on_event(&mut progress, event);
        let mut session = FitSession::new().observed_by(&mut tell).stopped_by(cancel);
        fit(plan, &data.x, given, &mut session)
    })??;
    drop(progress);
    model.provenance = provenance;
    if let Some(out) = &args.out {
        model.save(out)?;
    }
    report(args, &model, output)
}

fn fit<T: Scalar>(
    plan: &Plan,
    x: &Matrix<T>,
    given: Option<Factors<T>>,
    session: &mut FitSession<'_>,
) -> Result<Model<T>> {
    let model = match (plan, given) {
        (Plan::Shallow(model), None) => model.fit_in(x, session),
        (Plan::Deep(model), None) => model.fit_in(x, session),
        (Plan::Shallow(model), Some(given)) => {
            model.fit_from(x, given.top_features().clone(), session)
        }
        (Plan::Deep(model), Some(given)) => model.fit_from(x, given, session),
    };
    Ok(model?)
}

/// The factors of another model, in the number type of this one.
fn given_factors<T: Scalar>(path: &std::path::Path) -> Result<Factors<T>> {
    fn cast<A: Scalar, B: Scalar>(factors: &Factors<A>) -> Factors<B> {
        let all = |list: &[Matrix<A>]| list.iter().map(Matrix::cast).collect();
        Factors { z: all(&factors.z), h: all(&factors.h) }
    }
    Ok(match load_model(path).context("--init-from")? {
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
    output.result(&text, &object)?;
    let interrupted = model.summary.runs.iter().any(|run| run.stop == StopReason::Cancelled);
    if interrupted {
        output.remark("interrupted: this is the best so far");
    }
    Ok(if interrupted { Outcome::Interrupted } else { Outcome::Done })
}
