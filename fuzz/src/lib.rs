//! What the fuzz targets do with their bytes, and what must hold whatever these are.
//!
//! The tests of `deepnmf-data` include this file and feed it the seeds, so that there is one place
//! for what "survives" means.

mod memory;

use std::fs;
use std::path::{Path, PathBuf};

use deepnmf::persist::{AnyModel, load_model};
use deepnmf::{DataMatrix, Matrix, Model, Scalar};
use deepnmf_data::preprocess::Pipeline;
use deepnmf_data::{
    AnyDataset, DataError, Dataset, Header, ImageOptions, ImageShape, JoinBy, LabelFile,
    LoadOptions, PixelOrder, TableOptions, Values, load, load_any,
};
use tempfile::TempDir;

/// A parser that meets hostile bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    Npy,
    Npz,
    /// MATLAB v5 to v7.
    Mat,
    /// MATLAB v7.3, `AnnData` and plain HDF5.
    Hdf5,
    Parquet,
    /// Matrix Market.
    Market,
    Picture,
    /// Tables as text.
    Text,
    /// Labels in a text file of their own.
    LabelFile,
    /// Patterns for file names.
    Pattern,
    /// Chains of preprocessing.
    Chain,
    /// Model files and the preprocessing in them.
    Model,
}

impl Target {
    pub const ALL: [Self; 12] = [
        Self::Npy,
        Self::Npz,
        Self::Mat,
        Self::Hdf5,
        Self::Parquet,
        Self::Market,
        Self::Picture,
        Self::Text,
        Self::LabelFile,
        Self::Pattern,
        Self::Chain,
        Self::Model,
    ];

    /// Its name among the targets, and that of its folder of seeds.
    pub fn name(self) -> &'static str {
        match self {
            Self::Npy => "npy",
            Self::Npz => "npz",
            Self::Mat => "mat",
            Self::Hdf5 => "hdf5",
            Self::Parquet => "parquet",
            Self::Market => "market",
            Self::Picture => "picture",
            Self::Text => "text",
            Self::LabelFile => "label_file",
            Self::Pattern => "pattern",
            Self::Chain => "chain",
            Self::Model => "model",
        }
    }

    /// Reads the bytes in every way that a user could; whether one of them gives something.
    ///
    /// # Panics
    /// If what is read is no finite table, an error has no message, or too much memory is taken.
    pub fn survives(self, bytes: &[u8]) -> bool {
        let (read, most) = memory::most_during(|| self.read(bytes));
        let bound = most_memory(bytes.len());
        assert!(most <= bound, "{most} bytes of memory for {} bytes: {bound} allowed", bytes.len());
        read
    }

    fn read(self, bytes: &[u8]) -> bool {
        match self {
            Self::Npy => file("x.npy", bytes, &[LoadOptions::default()]),
            Self::Npz => file("x.npz", bytes, &usual()),
            Self::Mat => file("x.mat", bytes, &usual()),
            Self::Hdf5 => {
                let data_key = Some("layers/counts".into());
                let [plain, labelled] = usual();
                let layer = LoadOptions { data_key, ..LoadOptions::default() };
                file("x.h5ad", bytes, &[plain, labelled, layer])
            }
            Self::Parquet => file("x.parquet", bytes, &usual()),
            Self::Market => market(bytes),
            Self::Text => {
                any(["x.csv", "x.tsv", "x.txt"], |name| file(name, bytes, &usual()))
                    | file("x.csv", bytes, &chosen_columns())
            }
            Self::Picture => picture(bytes),
            Self::LabelFile => label_file(bytes),
            Self::Pattern => pattern(bytes),
            Self::Chain => chain(bytes),
            Self::Model => model(bytes),
        }
    }
}

/// The most memory that a file of this length may take.
///
/// Deflate packs up to 1032 bytes into one. Each of them may be a number or a label, of which there
/// are several copies, wider than a byte, while the class of every label is looked up.
fn most_memory(length: usize) -> usize {
    const ALWAYS: usize = 64 << 20;
    const BEST_COMPRESSION: usize = 1032;
    const EACH: usize = 64;
    ALWAYS + length * BEST_COMPRESSION * EACH
}

/// With the labels that the file offers by itself, and with those that most seeds have.
fn usual() -> [LoadOptions; 2] {
    let labels_key = Some("kind".into());
    [LoadOptions::default(), LoadOptions { labels_key, ..LoadOptions::default() }]
}

/// With every kind of column, under names and numbers that some seeds have.
fn chosen_columns() -> [LoadOptions; 3] {
    let with = |header, columns: &[&str], drop: &[&str], names: Option<&str>| LoadOptions {
        table: TableOptions {
            header,
            columns: columns.iter().map(|&name| name.into()).collect(),
            drop: drop.iter().map(|&name| name.into()).collect(),
            names_key: names.map(Into::into),
        },
        labels_key: Some("kind,b".into()),
        ..LoadOptions::default()
    };
    [
        with(Header::Auto, &["a", "1"], &[], Some("kind")),
        with(Header::Yes, &[], &["2"], Some("1")),
        with(Header::No, &[], &["1"], None),
    ]
}

/// Whether one of these is true; all are tried.
fn any<I>(all: impl IntoIterator<Item = I>, is_true: impl FnMut(I) -> bool) -> bool {
    all.into_iter().map(is_true).fold(false, |one, other| one | other)
}

fn file(name: &str, bytes: &[u8], options: &[LoadOptions]) -> bool {
    let (_folder, path) = written(name, bytes);
    any(options, |options| {
        let narrow = check(load::<f32>(&path, options));
        let wide = check(load::<f64>(&path, options));
        narrow | wide | check_held(load_any(&path, options)) | check_in_file(&path, options)
    })
}

/// What is left in a file, or copied into a temporary one, is what is read at once, or refused.
fn check_in_file(path: &Path, options: &LoadOptions) -> bool {
    const MOST: usize = 1 << 20;
    let held = load_any::<f64>(path, options).ok();
    let is_dense = held.as_ref().is_some_and(|data| data.x.entries_held().is_none());
    let print = held.and_then(|data| Some((data.x.shape(), data.x.fingerprint().ok()?)));
    let kept = |memory, leave_in_file| {
        let options = LoadOptions { memory, leave_in_file, ..options.clone() };
        let data = load_any::<f64>(path, &options).ok()?;
        let x = data.x.with_file(|x| Ok(Values::InFile(x.within(1 << 16)))).ok()?;
        let shape = x.shape();
        let is_small = shape.0.saturating_mul(shape.1) <= MOST;
        is_small.then(|| Some((shape, x.fingerprint().ok()?)))?
    };
    let kept = [kept(Some(0), false), kept(Some(100), false), kept(None, true)];
    let is_small = print.is_some_and(|((p, n), _)| p.saturating_mul(n) <= MOST);
    // Only the formats that no piece can be read of may be refused for want of memory.
    let end = path.extension().unwrap_or_default();
    let is_array = is_dense && (end == "mtx" || path.is_dir()); // column after column, as text
    let may_refuse = end == "mat" || end == "npz" || is_array;
    for kept in kept.into_iter().take(if is_small { 3 } else { 0 }) {
        assert!(kept == print || (may_refuse && kept.is_none()));
    }
    kept.iter().any(Option::is_some)
}

/// A file with these bytes, in a folder of its own that lives as long as the first value.
#[allow(clippy::expect_used)] // without files nothing can be tried
fn written(name: &str, bytes: &[u8]) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder for a file");
    let path = folder.path().join(name);
    fs::write(&path, bytes).expect("space for a file");
    (folder, path)
}

/// Whatever is read is a finite table whose labels and names fit; whatever is not has a message.
fn check<T: Scalar>(read: Result<Dataset<T>, DataError>) -> bool {
    let data = match read {
        Ok(data) => data,
        Err(error) => {
            assert!(!error.to_string().is_empty());
            return false;
        }
    };
    let (features, samples) = data.x.shape();
    assert!(samples > 0 && features > 0);
    assert!(data.x.as_slice().iter().all(|v| v.finite()));
    assert!(data.attributes.iter().all(|a| a.len() == samples));
    assert!(data.sample_names.is_none_or(|names| names.len() == samples));
    assert!(data.feature_names.is_none_or(|names| names.len() == features));
    assert!(data.image_shape.is_none_or(|shape| shape.width * shape.height == features));
    true
}

/// The same for data as they are held, of which sparse ones may be far too large to be dense.
fn check_held(read: Result<AnyDataset<f64>, DataError>) -> bool {
    let data = match read {
        Ok(data) => data,
        Err(error) => return check(Err::<Dataset<f64>, _>(error)),
    };
    let Values::Sparse(x) = &data.x else { return true };
    let (features, samples) = x.shape();
    assert!(samples > 0 && features > 0);
    assert!(x.values().iter().all(|v| v.is_finite()));
    let mut seen = 0;
    x.for_each(|feature, sample, _| {
        assert!(feature < features && sample < samples);
        seen += 1;
    });
    assert!(seen == x.entries());
    assert!(data.attributes.iter().all(|a| a.len() == samples));
    assert!(data.sample_names.is_none_or(|names| names.len() == samples));
    assert!(data.feature_names.is_none_or(|names| names.len() == features));
    true
}

/// By itself, and beside the names of two features in a folder of 10x.
fn market(bytes: &[u8]) -> bool {
    let alone = file("x.mtx", bytes, &[LoadOptions::default()]);
    let (folder, path) = written("matrix.mtx", bytes);
    let _ = fs::write(path.with_file_name("genes.tsv"), "a\tA\nb\tB\n");
    let options = LoadOptions::default();
    alone | check_held(load_any(folder.path(), &options)) | check_in_file(folder.path(), &options)
}

fn picture(bytes: &[u8]) -> bool {
    let (folder, _) = written("x.png", bytes);
    any([None, Some((3, 2))], |resize| {
        let images = ImageOptions { resize, ..ImageOptions::default() };
        check(load::<f64>(folder.path(), &LoadOptions { images, ..LoadOptions::default() }))
    })
}

/// Two pictures, because pictures have names that labels can be joined by.
fn two_pictures() -> TempDir {
    const PICTURE: &[u8] = b"P5 2 1 255\n\x00\xff";
    let (folder, first) = written("b_1.pgm", PICTURE);
    let _ = fs::copy(&first, first.with_file_name("c_2.pgm"));
    folder
}

fn label_file(bytes: &[u8]) -> bool {
    let pictures = two_pictures();
    let (_folder, path) = written("labels.csv", bytes);
    any([JoinBy::Row, JoinBy::Name("a".into())], |by| {
        let labels_file = Some(LabelFile { path: path.clone(), by });
        let options = LoadOptions { labels_file, ..LoadOptions::default() };
        check(load::<f32>(pictures.path(), &options))
    })
}

fn pattern(bytes: &[u8]) -> bool {
    let Ok(pattern) = str::from_utf8(bytes) else { return false };
    let images = ImageOptions { pattern: Some(pattern.into()), ..ImageOptions::default() };
    let options = LoadOptions { images, ..LoadOptions::default() };
    check(load::<f32>(two_pictures().path(), &options))
}

/// Whatever can be written as a chain is the same chain when read again.
fn chain(bytes: &[u8]) -> bool {
    let Ok(text) = str::from_utf8(bytes) else { return false };
    let Ok(chain) = text.parse::<Pipeline>() else { return false };
    assert!(chain.to_string().parse::<Pipeline>().is_ok_and(|again| again == chain));
    true
}

fn model(bytes: &[u8]) -> bool {
    let (_folder, path) = written("m.safetensors", bytes);
    match load_model(&path) {
        Ok(AnyModel::F32(model)) => check_model(&model),
        Ok(AnyModel::F64(model)) => check_model(&model),
        Err(error) => {
            assert!(!error.to_string().is_empty());
            return false;
        }
    }
    true
}

/// The factors are finite and fit each other; the preprocessing works or has a message.
fn check_model<T: Scalar>(model: &Model<T>) {
    let factors = &model.factors;
    assert!(factors.z.len() == factors.h.len() && !factors.z.is_empty());
    assert!(factors.z.windows(2).all(|pair| pair[0].cols() == pair[1].rows()));
    assert!(factors.z.iter().zip(&factors.h).all(|(z, h)| z.cols() == h.rows()));
    let all = factors.z.iter().chain(&factors.h);
    assert!(all.flat_map(Matrix::as_slice).all(|v| v.finite()));
    let steps = model.provenance.preprocessing.clone();
    // Resizing takes as much memory as the new size needs, however small the file that asks for it.
    let is_bounded = |chain: &Pipeline| !chain.steps().iter().any(|s| s.name() == "resize");
    if let Some(chain) = steps.read().ok().flatten().filter(is_bounded) {
        let image_shape = Some(ImageShape { width: 2, height: 2, order: PixelOrder::RowMajor });
        let x = Matrix::from_fn(4, 3, |i, j| T::from_f64((i + j) as f64));
        let mut data = Dataset { image_shape, ..Dataset::new(x) };
        let done = chain.apply(&mut data).map(|()| data);
        check(done);
    }
}
