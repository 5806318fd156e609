//! Every model on several ranks equals the same model in one process.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::atomic::{AtomicU64, Ordering};

use deepnmf::matrix::{Communicator, PartColumns, PartData, Parts, Reduction};
use deepnmf::{DataMatrix, Error, FitSession, Matrix, Model, Settings, Sparse};
use deepnmf_mpi::World;

use crate::cases::{SAMPLES, Tried, every_setting};
use crate::job::{Job, folder};
use crate::reductions::bytes;

/// The largest difference to one process, relative to the largest entry of a factor or to the norm of the data.
const ROUNDING: f64 = 1e-9;

/// The samples of each of so many ranks: uneven, and among three and four ranks one has none.
fn sizes(ranks: usize) -> &'static [usize] {
    [&[SAMPLES][..], &[20, 41], &[7, 0, 54], &[33, 0, 5, 23]][ranks - 1]
}

/// All ranks, and what by the formula they send.
struct Counted<'a> {
    world: &'a World,
    bytes: AtomicU64,
}

impl Communicator for Counted<'_> {
    fn rank(&self) -> usize {
        self.world.rank()
    }

    fn size(&self) -> usize {
        self.world.size()
    }

    fn reduce(&self, reduction: Reduction, values: &mut [f64]) -> deepnmf::Result<()> {
        self.bytes.fetch_add(bytes(values.len(), self.size()), Ordering::Relaxed);
        self.world.reduce(reduction, values)
    }

    fn abort(&self, why: &Error) {
        self.world.abort(why);
    }
}

/// What every rank does.
pub(crate) fn fit(world: &World) {
    let counted = Counted { world, bytes: AtomicU64::default() };
    let parts = Parts::new(&counted, sizes(world.size())[world.rank()]).unwrap();
    let mut bits = DefaultHasher::new();
    for tried in every_setting() {
        let own = tried.x.view_columns(parts.range()).to_matrix();
        let dense = fit_to(&tried, &PartColumns::new(own.view(), parts));
        let own = Sparse::from_dense(&own);
        let sparse = fit_to(&tried, &PartData::new(&own, parts).unwrap());
        let Some(whole) = parts.is_first().then(|| tried.fit(&tried.x, &mut FitSession::new()))
        else {
            continue;
        };
        let whole = whole.unwrap();
        for (model, held) in [(dense, "dense"), (sparse, "sparse")] {
            let model = model.expect("the first rank has the model");
            assert_same(
                &format!("{held}, {}", tried.what),
                tried.x.norm_sq().sqrt(),
                &whole,
                &model,
            );
            factors(&model)
                .iter()
                .flat_map(Matrix::as_slice)
                .for_each(|v| v.to_bits().hash(&mut bits));
        }
    }
    assert_eq!(world.communication().total().bytes, counted.bytes.load(Ordering::Relaxed));
    if parts.is_first() {
        fs::write(folder().join("bits"), bits.finish().to_string()).unwrap();
    }
}

/// The model of all samples, on the first rank. All ranks have the same bases, to the bit.
fn fit_to(tried: &Tried, x: &dyn DataMatrix<f64>) -> Option<Model<f64>> {
    let parts = x.parts();
    let model = tried.fit_some(x, parts.range(), &mut FitSession::new());
    let model = model.unwrap_or_else(|error| panic!("{}: {error}", tried.what));
    for z in &model.factors.z {
        let [mut least, mut most] = [z.as_slice().to_vec(), z.as_slice().to_vec()];
        parts.min(&mut least).unwrap();
        parts.max(&mut most).unwrap();
        assert_eq!(least, most, "{}", tried.what);
    }
    model.gathered(parts).unwrap()
}

fn factors(model: &Model<f64>) -> Vec<Matrix<f64>> {
    [model.factors.z.clone(), model.factors.h.clone()].concat()
}

fn assert_same(what: &str, norm: f64, whole: &Model<f64>, model: &Model<f64>) {
    assert_eq!(whole.summary.iterations, model.summary.iterations, "{what}");
    assert_eq!(whole.summary.samples, model.summary.samples, "{what}");
    assert_eq!(whole.summary.notices, model.summary.notices, "{what}");
    assert_eq!(whole.summary.fingerprint, model.summary.fingerprint, "{what}");
    let off = (whole.summary.error - model.summary.error).abs() / norm;
    assert!(off < ROUNDING, "{what}: errors differ by {off}");
    for (a, b) in factors(model).iter().zip(&factors(whole)) {
        assert_eq!(a.shape(), b.shape(), "{what}");
        let largest = |m: &mut dyn Iterator<Item = f64>| m.fold(0.0f64, |l, v| l.max(v.abs()));
        let pairs = a.as_slice().iter().zip(b.as_slice());
        let off = largest(&mut pairs.map(|(a, b)| a - b));
        let size = largest(&mut b.as_slice().iter().copied());
        assert!(off <= ROUNDING * size, "{what}: factors differ by {off} of {size}");
    }
}

#[test]
fn every_model_is_the_same_on_any_number_of_ranks_as_in_one_process() {
    for model in Settings::MODELS {
        assert!(every_setting().iter().any(|tried| tried.settings.name() == model.name));
    }
    for ranks in [2, 4] {
        Job::succeed("models", ranks);
    }
}

#[test]
fn every_model_has_the_same_bits_in_every_run_on_as_many_ranks() {
    let [first, second] = [(); 2].map(|()| Job::succeed("models", 3).read("bits"));
    assert_eq!(first, second);
}
