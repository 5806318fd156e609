//! Every format, cut short and changed at random: an error or data, never a panic.

use proptest::prelude::*;

use super::test_files::{Mat, encode, npy};
use super::test_load::loaded;
use super::*;

/// How often each property is tried: `DEEPNMF_HOSTILE=100` makes it a hundred times as often.
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

/// Whatever is read is a finite table; whatever is not has a message.
fn survives(name: &str, bytes: &[u8]) {
    for labels_key in [None, Some("kind".to_owned())] {
        let options = LoadOptions { labels_key, ..LoadOptions::default() };
        match loaded::<f32>(name, bytes, &options) {
            Ok(data) => {
                assert!(data.samples() > 0 && data.features() > 0);
                assert!(data.x.as_slice().iter().all(|v| v.is_finite()));
                assert!(data.attributes.iter().all(|a| a.len() == data.samples()));
            }
            Err(fault) => assert!(!fault.to_string().is_empty()),
        }
    }
}

fn small_npz(packed: bool) -> Vec<u8> {
    let table = npy(1, "<f8", false, "(3, 2)", &encode("f8", false, &[1.0; 6]));
    let labels = npy(1, "<i4", false, "(3,)", &encode("i4", false, &[1.0, 2.0, 1.0]));
    npz::tests::npz(packed, &[("X.npy", table), ("kind.npy", labels)])
}

fn small_mat() -> Vec<u8> {
    let mut mat = Mat::new(false, true);
    mat.array("fea", &[3, 2], "f8", &[1.0; 6]);
    mat.array("kind", &[3, 1], "u1", &[1.0, 2.0, 1.0]);
    mat.bytes
}

proptest! {
    #![proptest_config(cases(400))]

    #[test]
    fn npz(packed in any::<bool>().prop_flat_map(|packed| harmed(small_npz(packed)))) {
        survives("x.npz", &packed);
    }

    #[test]
    fn mat(bytes in harmed(small_mat())) {
        survives("x.mat", &bytes);
    }

    #[test]
    fn label_files(text in "[a-c,;\t\"\n]{0,40}") {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("labels.csv");
        fs::write(&path, text).unwrap();
        for by in [JoinBy::Row, JoinBy::Name("a".into())] {
            let mut data = Dataset::<f32>::new(deepnmf::Matrix::zeros(1, 2));
            data.sample_names = Some(vec!["b".into(), "c".into()]);
            let _ = label_file::join(&mut data, &LabelFile { path: path.clone(), by });
        }
    }
}

#[cfg(feature = "hdf5")]
proptest! {
    #![proptest_config(cases(400))]

    #[test]
    fn hdf5_of_matlab(bytes in harmed(test_load::fixture("v73.mat"))) {
        survives("x.mat", &bytes);
    }

    #[test]
    fn anndata(bytes in prop_oneof![
        harmed(test_load::fixture("dense.h5ad")),
        harmed(test_load::fixture("csr.h5ad")),
        harmed(test_load::fixture("csc.h5ad")),
    ]) {
        survives("x.h5ad", &bytes);
    }
}

#[cfg(feature = "parquet")]
proptest! {
    #![proptest_config(cases(1000))]

    #[test]
    fn parquet(bytes in harmed(test_load::fixture("snappy.parquet"))) {
        survives("x.parquet", &bytes);
    }
}

#[cfg(feature = "images")]
proptest! {
    #![proptest_config(cases(1000))]

    #[test]
    fn pictures(bytes in (0..5usize).prop_flat_map(|format| harmed(images::tests::small(format)))) {
        let result = images::decode::decode(io::Cursor::new(&bytes), bytes.len() as u64);
        if let Ok(picture) = result {
            assert_eq!(picture.pixels.len(), picture.width * picture.height);
        }
    }
}
