//! `deepnmf fit`.

mod beside;
mod budget;
mod labels;
mod notes;
mod plan;
mod resources;
mod sizes;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use deepnmf::matrix::Parts;
use deepnmf::persist::{AnyModel, load_model};
use deepnmf::{
    Attributes, Checkpoints, DataMatrix, Dtype, Error, Factorization, Factors, FitSession,
    FixedComponents, Matrix, Model, Provenance, Recorded, Scalar, StopReason, Summary, WarmStart,
};
use deepnmf_data::{AnyDataset, Attribute, Columns};
use deepnmf_select::Consensus;
use serde_json::json;

use self::beside::{entry_weights, fixed_components, sample_weights};
use self::budget::Settled;
use self::labels::{attributes, codes};
use self::plan::Plan;
use crate::args::{FitArgs, LongArgs, ZeroName};
use crate::input::{
    check_model_output, declare, on_threads, provenance, remark_on_header, remark_on_zeros,
    samples_of,
};
use crate::output::{Outcome, Output, extended, summary_json, summary_text};
use crate::progress::Progress;
use crate::ranks::{Ranks, as_part, own_columns};
use crate::resources::{bytes, memory_peak};
use crate::{signals, spill};

/// Factorizes a data file.
pub(crate) fn run(args: &FitArgs, ranks: &Ranks, output: Output) -> Result<Outcome> {
    let plan = Plan::new(args)?;
    ranks.refuse(&[
        ("--zero-samples", args.zero.zero_samples != ZeroName::Error),
        ("--batch", args.long.batch.is_some()),
        ("--layers auto", args.chooses()),
        ("--consensus", args.consensus.is_some()),
        ("--label-fraction", args.labels.label_fraction.is_some()),
        ("standard input (-)", args.data.data.iter().any(|path| path == Path::new("-"))),
    ])?;
    if let Some(out) = args.out.as_ref().filter(|_| ranks.is_first()) {
        let read = args.data.data.iter().chain(&args.labels.auxiliary);
        check_model_output(out, &read.map(PathBuf::as_path).collect::<Vec<_>>())?;
    }
    match args.dtype.into() {
        Dtype::F32 => carry_out::<f32>(args, &plan, ranks, output),
        Dtype::F64 => carry_out::<f64>(args, &plan, ranks, output),
    }
}

fn carry_out<T: Scalar>(
    args: &FitArgs,
    plan: &Plan,
    ranks: &Ranks,
    output: Output,
) -> Result<Outcome> {
    let mut progress = Progress::new(output);
    progress.doing("reading the data");
    let Read { settled, labels, given, weights, mut provenance } =
        read::<T>(args, plan, ranks, output)?;
    let x = &settled.x;
    let cancel = signals::listen()?;
    let chosen;
    let (args, plan) = if args.chooses() {
        match sizes::choose(args, x, &cancel, &mut progress, output)? {
            sizes::Answer::Nothing => return Ok(Outcome::Done),
            sizes::Answer::Sizes { args, record } => {
                provenance.choice = record;
                chosen = (Plan::new(&args)?, args);
                (chosen.1.as_ref(), &chosen.0)
            }
        }
    } else {
        (args, plan)
    };
    let parts = ranks.parts(x.samples())?;
    if args.long.plan {
        return resources::plan(args, plan, x, ranks, parts, output);
    }
    resources::check(args, plan, x, parts, output)?;
    settled.begin(args.long.memory);
    let checkpoints = checkpoints(args);
    let mut stability = None;
    let (outcome, model) = on_threads(args.threads, || {
        if let (Some(fits), Plan::Model(settings)) = (args.consensus, plan) {
            let mut tell = |done| progress.counting(done, fits, || "fitting".into());
            let found = Consensus::of(x, settings, fits, &mut tell, &cancel)?;
            stability = Some(found.stability);
            return Ok((outcome_of(&found.model.summary), Some(found.model)));
        }
        // The bar is drawn from the fitting thread; nothing else touches it meanwhile.
        let mut tell = |event: &deepnmf::Event| deepnmf::Observer::on_event(&mut progress, event);
        let mut session = FitSession::new().observed_by(&mut tell).stopped_by(cancel);
        if let Some(checkpoints) = checkpoints.clone() {
            session = session.checkpointed(checkpoints);
        }
        as_part(x, parts, |x| {
            let labels = codes(&labels);
            let model = match (&weights, plan, given) {
                (weights, Plan::Model(settings), Given::Fixed(fixed)) => {
                    settings.fit_fixed(x, fixed, weights.as_deref(), &mut session)?
                }
                (None, _, given) => fit(args, plan, x, given, &labels, ranks, &mut session)?,
                (Some(weights), _, given) => fit_weighted(plan, x, weights, given, &mut session)?,
            };
            Ok((outcome_of(&model.summary), model.gathered(parts)?))
        })
        .map_err(|error| blame(args, error))
    })??;
    drop(progress);
    // The first rank has it, and writes for all.
    if let Some(mut model) = model {
        notes::remark_on_sizes(&model, output);
        model.provenance = with_labels(provenance, &labels, !model.predictors.is_empty());
        write(args, &model, checkpoints)?;
        report(args, &model, stability.as_deref(), resources::Held::of(x), ranks, output)?;
    }
    Ok(outcome)
}

/// What a fit begins with, on this rank.
struct Read<T: Scalar> {
    settled: Settled<T>,
    labels: Vec<Option<Attribute>>,
    given: Given<T>,
    /// The weights of the samples of this rank.
    weights: Option<Vec<f64>>,
    provenance: Provenance,
}

fn read<T: Scalar>(args: &FitArgs, plan: &Plan, ranks: &Ranks, output: Output) -> Result<Read<T>> {
    let mut data = budget::read::<T>(args, ranks)?;
    remark_on_header(&args.data, &data, output);
    let mut steps = args.normalize.clone();
    let raw = provenance(&data, &steps)?;
    let how = args.zero.zero_samples.into();
    let zeros = ranks.prepare(&mut steps, &mut data, how).with_context(|| args.data.shown())?;
    remark_on_zeros(&zeros, output);
    data.x = declare(data.x, &args.data.read)?;
    if let Some(path) = &args.entry_weights_file {
        data.x = entry_weights(data.x, path)?;
    }
    // The chain as fitted, and the data as they came.
    let provenance = Provenance { preprocessing: Recorded::of(&steps)?, ..raw };
    let parts = ranks.parts(data.samples())?;
    let (mut given, weights) = (given(args, parts)?, sample_weights(args, parts)?);
    if let Some(fixed) = fixed_components(args, parts)? {
        given = Given::Fixed(fixed);
    }
    let mut labelled = None;
    if let Some(path) = &args.labels.auxiliary {
        let mut data = ranks.own_samples(samples_of::<T>(path, &args.data.read)?)?;
        let zeros = steps.apply_with(&mut data, how).with_context(|| path.display().to_string())?;
        remark_on_zeros(&zeros, output);
        data.x = declare(data.x, &args.data.read)?;
        labelled = Some(data);
    }
    let labels = attributes(args, labelled.as_ref().unwrap_or(&data))?;
    if let Some(data) = labelled {
        given = Given::Auxiliary(data);
    }
    let settled = budget::settle(args, plan, data.x, output)?;
    Ok(Read { settled, labels, given, weights, provenance })
}

/// Adds the attributes learnt from, and where the model predicts them the names of their classes.
fn with_labels(provenance: Provenance, labels: &[Option<Attribute>], predicts: bool) -> Provenance {
    let name = |attribute: &Option<Attribute>| attribute.as_ref().map(|a| a.name.clone());
    let classes = |attribute: &Option<Attribute>| {
        attribute.as_ref().map_or(vec![], |attribute| attribute.classes().to_vec())
    };
    Provenance {
        attributes: labels.iter().map(name).collect(),
        classes: if predicts { labels.iter().map(classes).collect() } else { provenance.classes },
        ..provenance
    }
}

/// Writes the model, and removes the checkpoints of a fit that is over.
fn write<T: Scalar>(
    args: &FitArgs,
    model: &Model<T>,
    checkpoints: Option<Checkpoints>,
) -> Result<()> {
    let Some(out) = &args.out else { return Ok(()) };
    signals::while_writing(|| save(model, out))?;
    let whole = model.summary.runs.iter().all(|run| !is_early(run.stop));
    if let Some(checkpoints) = checkpoints.filter(|_| whole) {
        checkpoints.remove()?;
    }
    Ok(())
}

fn checkpoints(args: &FitArgs) -> Option<Checkpoints> {
    let LongArgs { checkpoint, every, resume, .. } = &args.long;
    let folder = checkpoint.as_ref()?;
    Some(Checkpoints::new(folder).every(Duration::from_secs_f64(*every)).resume(*resume))
}

/// Whether a loop was stopped from outside.
fn is_early(stop: StopReason) -> bool {
    matches!(stop, StopReason::Cancelled | StopReason::TimeBudget)
}

/// Writes the model; to a second place if the first one cannot take it.
fn save<T: Scalar>(model: &Model<T>, out: &Path) -> Result<()> {
    let Err(first) = model.save(out) else { return Ok(()) };
    let name = format!("deepnmf-{}.safetensors", std::process::id());
    let beside = std::env::temp_dir().join(name);
    match model.save(&beside) {
        Ok(()) => bail!("{first}; the model is safe in {} instead", beside.display()),
        Err(second) => bail!("{first}; and {second}: the model is lost"),
    }
}

/// What is given to begin with, or the samples it is fitted to first.
enum Given<T: Scalar> {
    Nothing,
    WarmStart(WarmStart<T>),
    Auxiliary(AnyDataset<T>),
    /// Components that stay.
    Fixed(FixedComponents<T>),
}

fn given<T: Scalar>(args: &FitArgs, parts: Parts<'_>) -> Result<Given<T>> {
    Ok(match (&args.init_from, &args.bases_from) {
        (Some(path), _) => {
            let mut factors = given_factors(path).context("--init-from")?;
            factors.h = factors.h.into_iter().map(|h| own_columns(h, parts)).collect();
            Given::WarmStart(WarmStart::Factors(factors))
        }
        (None, Some(path)) => {
            Given::WarmStart(WarmStart::Bases(given_factors(path).context("--bases-from")?.z))
        }
        (None, None) => Given::Nothing,
    })
}

fn fit<T: Scalar>(
    args: &FitArgs,
    plan: &Plan,
    x: &dyn DataMatrix<T>,
    given: Given<T>,
    labels: &Attributes<'_>,
    ranks: &Ranks,
    session: &mut FitSession<'_>,
) -> deepnmf::Result<Model<T>> {
    match (plan, given) {
        (Plan::Model(settings), Given::Nothing) if args.long.batch.is_some() => {
            let size = args.long.batch.unwrap_or_default();
            settings.fit_in_batches(x, size, &plan::stop_rule(args), session)
        }
        (Plan::Transfer(both), Given::Auxiliary(data)) => {
            let (first, then) = &**both;
            let parts = ranks.parts(data.samples())?;
            as_part(&data.x, parts, |auxiliary| {
                Ok(first.fit_then(auxiliary, labels, then, x, session)?.1)
            })
        }
        (Plan::Transfer(both), _) => both.1.fit_in(x, &[], session),
        (Plan::Model(settings), Given::WarmStart(from)) => settings.fit_from(x, from, session),
        (Plan::Model(settings), _) => settings.fit(x, labels, session),
    }
}

/// The same where samples have weights. Flags that do not go with them were refused.
fn fit_weighted<T: Scalar>(
    plan: &Plan,
    x: &dyn DataMatrix<T>,
    weights: &[f64],
    given: Given<T>,
    session: &mut FitSession<'_>,
) -> deepnmf::Result<Model<T>> {
    let from = match given {
        Given::WarmStart(from) => Some(from),
        Given::Nothing | Given::Auxiliary(_) | Given::Fixed(_) => None,
    };
    match plan {
        Plan::Model(settings) => settings.fit_weighted(x, weights, from, session),
        Plan::Transfer(both) => both.1.fit_weighted(x, weights, from, session),
    }
}

/// Names the model file whose factors do not fit the data.
fn blame(args: &FitArgs, error: Error) -> anyhow::Error {
    let flags = [
        ("--init-from", &args.init_from),
        ("--bases-from", &args.bases_from),
        ("--fixed-bases", &args.fixed_bases),
        ("--fixed-features", &args.fixed_features),
    ];
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

fn outcome_of(summary: &Summary) -> Outcome {
    let interrupted = summary.runs.iter().any(|run| run.stop == StopReason::Cancelled);
    if interrupted { Outcome::Interrupted } else { Outcome::Done }
}

fn report<T: Scalar>(
    args: &FitArgs,
    model: &Model<T>,
    stability: Option<&[f64]>,
    held: resources::Held,
    ranks: &Ranks,
    output: Output,
) -> Result<()> {
    let mut text = summary_text(&model.settings, &model.summary) + &ranks.text();
    if let (Some(fits), Some(stability)) = (args.consensus, stability) {
        let each: Vec<String> = stability.iter().map(|cosine| format!("{cosine:.2}")).collect();
        writeln!(
            text,
            "  consensus   of {fits} fits; they agree on the components by {}",
            each.join(" ")
        )?;
    }
    let peak = memory_peak();
    if let (Some(budget), Some(peak)) = (args.long.memory, peak) {
        writeln!(text, "memory: {} at the peak, {} were allowed", bytes(peak), bytes(budget))?;
    }
    match &args.out {
        Some(out) => {
            writeln!(text, "wrote {}", out.display())?;
            if output.shows_pictures() {
                text += &notes::next_commands(args, out);
            }
        }
        None => output.remark("nothing was written: name a model file with --out"),
    }
    let object = extended(
        summary_json(&model.settings, &model.summary),
        json!({
            "dtype": T::DTYPE,
            "settings": model.settings,
            "preprocessing": model.provenance.preprocessing,
            "attributes": model.provenance.attributes,
            "choice": model.provenance.choice,
            "stability": stability,
            "memory_peak": peak,
            "in_file": held.in_file,
            "mapped": spill::mapped(),
            "out": args.out,
        }),
    );
    if output.is_json() {
        for notice in &model.summary.notices {
            output.remark(format!("note: {notice}"));
        }
    }
    output.result(&text, &extended(object, ranks.object()))?;
    if outcome_of(&model.summary) == Outcome::Interrupted {
        output.remark("interrupted: this is the best so far");
    }
    Ok(())
}
