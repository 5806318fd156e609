//! The seeds of the fuzz targets, as they are and harmed at random: data or an error, within bounded
//! memory. `fuzz/src/lib.rs` says what exactly must hold, `fuzz/seeds/make.py` what the seeds are.

#[allow(unreachable_pub)] // a library elsewhere
#[path = "../../../../fuzz/src/lib.rs"]
mod fuzz;

use std::fs;
use std::path::Path;

use fuzz::Target;
use proptest::prelude::*;
use proptest::test_runner::TestRunner;

/// The seeds of a target with their names.
fn seeds(target: Target) -> Vec<(String, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/seeds").join(target.name());
    let files = fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
    let name = |path: &Path| path.file_name().unwrap().to_str().unwrap().to_owned();
    let mut seeds: Vec<_> = files.map(|path| (name(&path), fs::read(path).unwrap())).collect();
    seeds.sort();
    assert!(!seeds.is_empty());
    seeds
}

/// Whether this build has the parser of a target.
fn is_built(target: Target) -> bool {
    match target {
        Target::Hdf5 => cfg!(feature = "hdf5"),
        Target::Parquet => cfg!(feature = "parquet"),
        Target::Picture | Target::LabelFile | Target::Pattern => cfg!(feature = "images"),
        _ => true,
    }
}

/// How often each target is tried: `DEEPNMF_HOSTILE=100` makes it a hundred times as often.
fn cases(usual: u32) -> ProptestConfig {
    let factor = std::env::var("DEEPNMF_HOSTILE").ok().and_then(|factor| factor.parse().ok());
    let cases = usual.saturating_mul(factor.unwrap_or(1));
    ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(cases) }
}

/// Cuts a file short, or changes some bytes, as often at its start and end as anywhere else.
fn harmed(file: Vec<u8>) -> impl Strategy<Value = Vec<u8>> {
    let length = file.len();
    let near = (length / 8).clamp(1, 256);
    let place = prop_oneof![0..length, 0..near, length - near..length];
    let byte = prop_oneof![any::<u8>(), Just(0xff), Just(0x00), Just(0x7f), Just(0x80)];
    let cut = prop_oneof![3 => Just(length), 1 => 0..length];
    (prop::collection::vec((place, byte), 0..6), cut).prop_map(move |(changes, cut)| {
        let mut bytes = file.clone();
        for (place, byte) in changes {
            bytes[place] = byte;
        }
        bytes.truncate(cut);
        bytes
    })
}

fn survives_harm(target: Target, usual: u32) {
    let seeds: Vec<_> = seeds(target).into_iter().map(|(_, bytes)| bytes).collect();
    let harmed = prop::sample::select(seeds).prop_flat_map(harmed);
    let tried = TestRunner::new(cases(usual)).run(&harmed, |bytes| {
        target.survives(&bytes);
        Ok(())
    });
    tried.unwrap();
}

#[test]
fn lies_bombs_and_wrong_contents_are_refused_and_all_else_is_read() {
    let mut surprises = Vec::new();
    for target in Target::ALL.into_iter().filter(|&target| is_built(target)) {
        for (name, bytes) in seeds(target) {
            let read = target.survives(&bytes);
            let expected = match name.split('-').next() {
                Some("found") => read, // by the fuzzer: that it survives is all that is asked
                Some("lie" | "bomb" | "wrong") => false,
                _ => true,
            };
            if read != expected {
                surprises.push(format!("{}/{name}: {read}", target.name()));
            }
        }
    }
    assert!(surprises.is_empty(), "{surprises:?}");
}

macro_rules! harmed_seeds_survive {
    ($($test:ident: $target:ident, $usual:literal;)*) => {
        $(#[test]
        fn $test() {
            survives_harm(Target::$target, $usual);
        })*
    };
}

harmed_seeds_survive! {
    npy: Npy, 400;
    npz: Npz, 400;
    mat: Mat, 400;
    hdf5: Hdf5, 400;
    parquet: Parquet, 400;
    market: Market, 400;
    pictures: Picture, 400;
    text: Text, 200;
    label_files: LabelFile, 100;
    patterns: Pattern, 100;
    chains: Chain, 400;
    models: Model, 400;
}
