//! Samples as a command asks for them, with the preprocessing that belongs to a model.

use std::io;
use std::path::{Path, PathBuf, is_separator};

use anyhow::{Context, Result, anyhow, bail};
use deepnmf::persist::check_writable;
use deepnmf::{Matrix, Model, Provenance, Recorded, Scalar};
use deepnmf_data::preprocess::{Pipeline, ZeroSamples, Zeros};
use deepnmf_data::{
    AnyDataset, DataError, DatasetOf, DisplayHints, ImageOptions, ImageShape, JoinBy, LabelFile,
    LoadOptions, TableOptions, Values, builtin, load_any, load_any_from,
};
use deepnmf_mpi::ranks_on_this_machine;

use crate::args::{DataArgs, HeaderName, MissingName, ReadArgs, UsageError, ZeroArgs};
use crate::output::Output;
use crate::resources::cores_of_this_machine;

/// Data that need no file are named with this in front.
const BUILTIN: &str = "builtin:";

/// The name that means standard input.
const STANDARD: &str = "-";

/// Loads or makes the samples, those of several files one after the other.
pub(crate) fn samples<T: Scalar>(args: &DataArgs) -> Result<AnyDataset<T>> {
    samples_held(args, Held::default())
}

/// Where samples are once they have been read.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Held {
    /// Bytes that they may take in memory.
    pub(crate) memory: Option<u64>,
    /// Whether they stay in their file if they can, whatever they take.
    pub(crate) in_file: bool,
}

/// The same; those of a single file may stay there.
pub(crate) fn samples_held<T: Scalar>(args: &DataArgs, held: Held) -> Result<AnyDataset<T>> {
    if let [only] = args.data.as_slice() {
        return read_held(only, &args.read, held);
    }
    if args.data.iter().filter(|path| is_standard(path)).count() > 1 {
        return Err(UsageError("standard input (-) can be read once: name it once".into()).into());
    }
    // Rows of a file of labels belong to all samples together.
    let each = ReadArgs { labels_file: None, labels_by: None, ..args.read.clone() };
    let sets =
        args.data.iter().map(|path| Ok((path.display().to_string(), samples_of(path, &each)?)));
    let mut data = DatasetOf::concat(&sets.collect::<Result<Vec<_>>>()?)?;
    if let Some(file) = labels_file(&args.read) {
        file.join(&mut data)?;
    }
    Ok(data)
}

/// Loads the samples of a file or folder, or makes built-in ones.
pub(crate) fn samples_of<T: Scalar>(data: &Path, read: &ReadArgs) -> Result<AnyDataset<T>> {
    read_held(data, read, Held::default())
}

fn read_held<T: Scalar>(data: &Path, read: &ReadArgs, held: Held) -> Result<AnyDataset<T>> {
    if let Some(spec) = data.to_str().and_then(|data| data.strip_prefix(BUILTIN)) {
        refuse_for_builtin(read)?;
        return Ok(builtin::generate(spec)?.holding(Values::Dense));
    }
    let options = LoadOptions {
        data_key: read.data_key.clone(),
        labels_key: read.labels_key.clone(),
        image_shape: read.image,
        table: TableOptions {
            header: read.header.into(),
            columns: read.columns.clone(),
            drop: read.drop.clone(),
            names_key: read.names_key.clone(),
        },
        feature_names: read.feature_names.clone(),
        images: ImageOptions { resize: read.resize, pattern: read.pattern.clone() },
        labels_file: labels_file(read),
        missing: read.missing == Some(MissingName::Nan),
        memory: held.memory,
        leave_in_file: held.in_file,
    };
    let mut data = if is_standard(data) {
        load_any_from(io::stdin().lock(), "standard input", &options)?
    } else {
        load_any(data, &options)?
    };
    if let Some(missing) = read.missing {
        data.x = data.x.with_nan(missing.into())?;
    }
    Ok(data)
}

/// Refuses `--missing` where nothing may be missing.
pub(crate) fn refuse_missing(read: &ReadArgs, why: &str) -> Result<()> {
    match read.missing {
        None => Ok(()),
        Some(_) => Err(UsageError(format!("--missing does not apply: {why}")).into()),
    }
}

/// Lets fits and projections leave out what is missing, once all preprocessing is done.
pub(crate) fn declare<T: Scalar>(x: Values<T>, read: &ReadArgs) -> Result<Values<T>> {
    Ok(match read.missing {
        Some(missing) => x.declared(missing.into())?,
        None => x,
    })
}

fn is_standard(data: &Path) -> bool {
    data == Path::new(STANDARD)
}

fn labels_file(read: &ReadArgs) -> Option<LabelFile> {
    let by = read.labels_by.clone().map_or(JoinBy::Row, JoinBy::Name);
    read.labels_file.clone().map(|path| LabelFile { path, by })
}

/// Files whose names of features are none that a first line was taken for.
const WITHOUT_HEADER: [&str; 8] =
    [".npy", ".npz", ".mat", ".h5ad", ".h5", ".hdf5", ".mtx", ".parquet"];

/// Says that a first line of numbers was taken for a header, which might be a mistake.
pub(crate) fn remark_on_header<T: Scalar>(args: &DataArgs, data: &AnyDataset<T>, output: Output) {
    let names = data.feature_names.as_deref().unwrap_or_default();
    let counts_from = |first: usize| (first..).zip(names).all(|(n, name)| *name == n.to_string());
    let is_text = |path: &PathBuf| {
        let name = path.to_string_lossy().to_lowercase();
        !WITHOUT_HEADER.iter().any(|end| name.trim_end_matches(".gz").ends_with(end))
    };
    let is_guess = args.read.header == HeaderName::Auto
        && args.read.feature_names.is_none()
        && args.data.iter().any(is_text);
    if is_guess && names.len() > 1 && (counts_from(0) || counts_from(1)) {
        output.remark(format!(
            "note: the first line of {} ({}, {}, ...) was taken for a header: say --header no if it \
             is a sample, --header yes if not",
            args.shown(),
            names[0],
            names[1]
        ));
    }
}

fn refuse_for_builtin(read: &ReadArgs) -> Result<()> {
    let given = [
        ("--missing", read.missing.is_some()),
        ("--data-key", read.data_key.is_some()),
        ("--labels-key", read.labels_key.is_some()),
        ("--labels-file", read.labels_file.is_some()),
        ("--header", read.header != HeaderName::Auto),
        ("--columns", !read.columns.is_empty()),
        ("--drop", !read.drop.is_empty()),
        ("--names-key", read.names_key.is_some()),
        ("--feature-names", read.feature_names.is_some()),
        ("--image", read.image.is_some()),
        ("--pattern", read.pattern.is_some()),
        ("--resize", read.resize.is_some()),
    ];
    match given.iter().find(|(_, given)| *given) {
        None => Ok(()),
        Some((flag, _)) => {
            let text = format!("{flag} does not apply to built-in data: leave it out");
            Err(UsageError(text).into())
        }
    }
}

/// What the model file should remember of the data, which are still as they were read.
pub(crate) fn provenance<X>(data: &DatasetOf<X>, steps: &Pipeline) -> Result<Provenance> {
    let shown = data.image_shape.map(|shape| Recorded::of(&DisplayHints { image: Some(shape) }));
    Ok(Provenance {
        feature_names: data.feature_names.clone(),
        preprocessing: Recorded::of(steps)?,
        display: shown.transpose()?.unwrap_or_default(),
        ..Provenance::default()
    })
}

/// The pictures that the samples of a model were, as they were read.
pub(crate) fn image_shape<T: Scalar>(model: &Model<T>) -> Option<ImageShape> {
    model.provenance.display.read::<DisplayHints>().ok()??.image
}

/// Finds out, before the work, that its result can be written, and not over what is `read`.
pub(crate) fn check_output(out: &Path, read: &[&Path]) -> Result<()> {
    let shown = out.display();
    let same = |path: &&&Path| {
        path.canonicalize().ok().zip(out.canonicalize().ok()).is_some_and(|(a, b)| a == b)
    };
    if let Some(path) = read.iter().find(same).filter(|path| path.is_file()) {
        let text = format!("--out {shown} would replace {}: name another file", path.display());
        return Err(UsageError(text).into());
    }
    if out.is_dir() || out.to_string_lossy().ends_with(is_separator) {
        bail!("cannot write {shown}: it is a folder: name a file");
    }
    match out.parent() {
        Some(folder) if !folder.as_os_str().is_empty() && !folder.is_dir() => {
            bail!("cannot write {shown}: there is no folder {}: make it first", folder.display())
        }
        _ => Ok(check_writable(out)?),
    }
}

/// Refuses a name for a model that its content would belie, and what [`check_output`] refuses.
pub(crate) fn check_model_output(out: &Path, read: &[&Path]) -> Result<()> {
    check_output(out, read)?;
    if out.extension().is_some_and(|extension| extension == "safetensors") {
        return Ok(());
    }
    let text = format!(
        "--out {} is no name for a model: a model is written as safetensors, so let the name end in \
         .safetensors; deepnmf export and deepnmf transform write tables",
        out.display()
    );
    Err(UsageError(text).into())
}

/// Does to new samples what was done to those the model was fitted to.
pub(crate) fn prepare_for<T: Scalar>(
    model: &Model<T>,
    data: &mut AnyDataset<T>,
    read: &ReadArgs,
) -> Result<()> {
    let done = prepare(model, data, ZeroSamples::Error, read);
    done.map(drop).map_err(|error| without_unit_norm(error, ""))
}

/// The same, with a flag that says what is done with samples that are zero; says which ones were.
pub(crate) fn prepare_with_zeros<T: Scalar>(
    model: &Model<T>,
    data: &mut AnyDataset<T>,
    (zero, read): (ZeroArgs, &ReadArgs),
    output: Output,
) -> Result<Zeros> {
    let zeros = prepare(model, data, zero.zero_samples.into(), read)
        .map_err(|error| without_unit_norm(error, ", or use --zero-samples keep or drop"))?;
    remark_on_zeros(&zeros, output);
    Ok(zeros)
}

fn prepare<T: Scalar>(
    model: &Model<T>,
    data: &mut AnyDataset<T>,
    zeros: ZeroSamples,
    read: &ReadArgs,
) -> Result<Zeros> {
    check_feature_names(model, data)?;
    check_image_shape(model, data)?;
    let recorded = &model.provenance.preprocessing;
    let steps: Pipeline = recorded
        .read()
        .with_context(|| {
            format!(
                "the model's preprocessing {recorded} is not known to this version of the program"
            )
        })?
        .unwrap_or_default();
    let zeros = steps.apply_with(data, zeros)?;
    let x = std::mem::replace(&mut data.x, Values::Dense(Matrix::zeros(0, 0)));
    data.x = declare(x, read)?;
    Ok(zeros)
}

/// The library's advice is a flag of fit; a model knows how its samples were scaled.
fn without_unit_norm(error: anyhow::Error, or: &str) -> anyhow::Error {
    match error.downcast_ref::<DataError>() {
        Some(DataError::NoUnitNorm { sample, what }) => {
            let or = if *what == DataError::ALL_ZERO { or } else { "" };
            anyhow!(
                "sample {sample} (counted from 1) is {what} and cannot be scaled to norm 1, as \
                 those of the model were: remove it{or}"
            )
        }
        _ => error,
    }
}

/// The names of the samples that are left; their numbers, where rows would no longer tell them.
pub(crate) fn names_of_left<T: Scalar>(data: &AnyDataset<T>, zeros: &Zeros) -> Option<Vec<String>> {
    if data.sample_names.is_some() || zeros.dropped.is_empty() {
        return data.sample_names.clone();
    }
    let all = 0..data.samples() + zeros.dropped.len();
    let left = all.filter(|sample| zeros.dropped.binary_search(sample).is_err());
    Some(left.map(|sample| (sample + 1).to_string()).collect())
}

/// Says which samples were zero, and what became of them.
pub(crate) fn remark_on_zeros(zeros: &Zeros, output: Output) {
    const LISTED: usize = 5;
    for (samples, what) in [(&zeros.dropped, "were dropped"), (&zeros.kept, "stay zero")] {
        if samples.is_empty() {
            continue;
        }
        let listed: Vec<_> = samples.iter().take(LISTED).map(|s| (s + 1).to_string()).collect();
        let more = if samples.len() > LISTED { ", ..." } else { "" };
        output.remark(format!(
            "note: samples that are zero in every feature {what}: {} in all, {}{more} (counted \
             from 1)",
            samples.len(),
            listed.join(", ")
        ));
    }
}

/// Columns in another order would silently give nonsense.
fn check_feature_names<T: Scalar>(model: &Model<T>, data: &AnyDataset<T>) -> Result<()> {
    let (Some(wanted), Some(found)) = (&model.provenance.feature_names, &data.feature_names) else {
        return Ok(());
    };
    if wanted.len() != found.len() {
        bail!(
            "each sample has {} features, but the model was fitted with {}: give those, in the \
             model's order",
            found.len(),
            wanted.len()
        );
    }
    let differs = wanted.iter().zip(found).position(|(wanted, found)| wanted != found);
    if let Some(at) = differs {
        bail!(
            "feature {} is {:?}, but the model was fitted with {:?} there: bring the columns \
             into the model's order",
            at + 1,
            found[at],
            wanted[at]
        );
    }
    Ok(())
}

/// Pixels in another order would, too. Samples that nobody calls pictures are taken for the model's.
fn check_image_shape<T: Scalar>(model: &Model<T>, data: &AnyDataset<T>) -> Result<()> {
    match (image_shape(model), data.image_shape) {
        (Some(wanted), Some(found)) if wanted != found => bail!(
            "the samples are pictures of {found}, but the model was fitted to {wanted}: give \
             pictures of that size and order; for a file leave --image out, the model knows it"
        ),
        _ => Ok(()),
    }
}

/// The threads to use: as many as asked for, else as the environment says, else one per core; never more than
/// the cores that this process may use, by affinity and by the quota of a container. Ranks share those of their
/// machine.
fn thread_count(asked: Option<usize>) -> usize {
    let usable = std::thread::available_parallelism().map_or(1, usize::from);
    let cores = match ranks_on_this_machine() {
        1 => usable,
        ranks => usable.min((cores_of_this_machine().unwrap_or(usable) / ranks).max(1)),
    };
    let said = |name| std::env::var(name).ok()?.parse::<usize>().ok().filter(|count| *count > 0);
    let around = || ["RAYON_NUM_THREADS", "OMP_NUM_THREADS"].into_iter().filter_map(said).min();
    asked.or_else(around).unwrap_or(cores).min(cores)
}

/// Runs `work` on a pool of that many threads, or of one per core.
pub(crate) fn on_threads<R: Send>(
    threads: Option<usize>,
    work: impl FnOnce() -> R + Send,
) -> Result<R> {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(thread_count(threads))
        .build()
        .context("cannot start the threads")?;
    Ok(pool.install(work))
}
