use std::path::PathBuf;

use proptest::prelude::*;
use tempfile::TempDir;

use super::*;
use crate::matrix::Scalar;
use crate::models::{DeepSemiNmf, Factorization, Model, Recorded, Settings};
use crate::testing::positive;

fn model<T: Scalar>() -> Model<T> {
    let mut model = DeepSemiNmf::new([5, 2]).fit(&positive::<T>(7, 11, 1)).unwrap();
    model.provenance.feature_names = Some((0..7).map(|i| format!("pixel \"{i}\"")).collect());
    model.provenance.preprocessing = Recorded::of(&["unit"]).unwrap();
    model
}

/// As a file keeps it: clocks are no part of it.
fn timeless<T: Scalar>(model: Model<T>) -> Model<T> {
    Model { summary: model.summary.without_times(), ..model }
}

fn in_folder(name: &str) -> (TempDir, PathBuf) {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join(name);
    (folder, path)
}

/// A valid file with some of its bytes replaced.
fn reads_without_panic(bytes: &[u8]) -> Result<AnyModel, String> {
    let (_folder, path) = in_folder("m.safetensors");
    std::fs::write(&path, bytes).unwrap();
    load_model(&path).map_err(|e| e.to_string())
}

fn file_of(model: &Model<f64>) -> Vec<u8> {
    let (_folder, path) = in_folder("m.safetensors");
    model.save(&path).unwrap();
    std::fs::read(path).unwrap()
}

#[test]
fn a_model_comes_back_bit_for_bit() {
    let (_folder, path) = in_folder("m.safetensors");
    let wide = model::<f64>();
    wide.save(&path).unwrap();
    assert_eq!(load_model(&path).unwrap(), AnyModel::F64(timeless(wide)));
    let narrow = model::<f32>();
    narrow.save(&path).unwrap();
    assert_eq!(load_model(&path).unwrap(), AnyModel::F32(timeless(narrow)));
    let with_offset = crate::WhitenedPca::new(3).fit(&positive::<f64>(7, 11, 1)).unwrap();
    with_offset.save(&path).unwrap();
    assert_eq!(load_model(&path).unwrap(), AnyModel::F64(timeless(with_offset)));
}

#[test]
fn bytes_are_those_of_the_file() {
    let model = model::<f64>();
    let bytes = model.to_bytes().unwrap();
    assert_eq!(bytes, file_of(&model));
    assert_eq!(model_from_bytes(&bytes).unwrap(), AnyModel::F64(timeless(model)));
    let message = model_from_bytes(&bytes[..bytes.len() - 1]).unwrap_err().to_string();
    assert!(message.contains("truncated"), "{message}");
}

#[test]
fn any_reader_of_the_format_finds_components_and_samples_as_rows() {
    let model = model::<f64>();
    let bytes = file_of(&model);
    let file = safetensors::SafeTensors::deserialize(&bytes).unwrap();
    let z = file.tensor("z1").unwrap();
    assert_eq!(z.shape(), [5, 7]);
    assert_eq!(file.tensor("h2").unwrap().shape(), [11, 2]);
    let first = f64::from_le_bytes(z.data()[..8].try_into().unwrap());
    assert_eq!(first.to_bits(), model.factors.z[0][(0, 0)].to_bits());
    let second_component = f64::from_le_bytes(z.data()[7 * 8..8 * 8].try_into().unwrap());
    assert_eq!(second_component.to_bits(), model.factors.z[0][(0, 1)].to_bits());
}

#[test]
fn every_truncation_is_refused() {
    let bytes = file_of(&model());
    for length in 0..bytes.len() {
        assert!(reads_without_panic(&bytes[..length]).is_err(), "{length} bytes were accepted");
    }
    let mut longer = bytes.clone();
    longer.push(0);
    assert!(reads_without_panic(&longer).unwrap_err().contains("should have"));
}

#[test]
fn what_is_no_model_file_is_refused_in_words() {
    let told = |bytes: &[u8]| reads_without_panic(bytes).unwrap_err();
    assert!(told(b"").contains("the file is empty"));
    assert!(told(b"x,y\n1,2\n3,4\n").contains("not a model file"));
    assert!(told(&[0xff; 64]).contains("not a model file"));
    let foreign = safetensors::serialize::<&str, safetensors::tensor::TensorView<'_>, _>([], None);
    assert!(told(&foreign.unwrap()).contains("not a model of deepnmf"));
    let folder = TempDir::new().unwrap();
    assert!(load_model(folder.path()).unwrap_err().to_string().contains("folder"));
    let missing = load_model(&folder.path().join("none")).unwrap_err().to_string();
    assert!(missing.contains("no such file") && missing.contains("none"), "{missing}");
}

/// Replaces a piece of text in the header, keeping its length.
fn edited(from: &str, to: &str) -> Vec<u8> {
    assert_eq!(from.len(), to.len());
    let mut bytes = file_of(&model());
    let at = bytes.windows(from.len()).position(|w| w == from.as_bytes()).unwrap();
    bytes[at..at + to.len()].copy_from_slice(to.as_bytes());
    bytes
}

#[test]
fn a_header_that_contradicts_itself_is_refused_in_words() {
    let told = |bytes: Vec<u8>| reads_without_panic(&bytes).unwrap_err();
    let newer = told(edited("format_version\\\":1", "format_version\\\":9"));
    assert!(newer.contains("version 9") && newer.contains("reads version 1"), "{newer}");
    assert!(told(edited("\\\"dtype\\\":\\\"f64", "\\\"dtype\\\":\\\"f32")).contains("needs F32"));
    assert!(told(edited("layers\\\":[5,2]", "layers\\\":[4,2]")).contains("needs F64 [4, 7]"));
    assert!(told(edited("\"shape\":[5,7]", "\"shape\":[7,5]")).contains("z1"));
    assert!(told(edited("features\\\":7", "features\\\":8")).contains("z1"));
}

#[test]
fn factors_that_are_not_finite_are_refused() {
    let mut bytes = file_of(&model());
    let end = bytes.len();
    bytes[end - 8..].copy_from_slice(&f64::NAN.to_le_bytes());
    assert!(reads_without_panic(&bytes).unwrap_err().contains("h2"));
}

#[test]
fn equal_fits_are_equal_files() {
    assert_eq!(file_of(&model()), file_of(&model()));
}

#[test]
fn every_flipped_bit_is_refused() {
    let bytes = file_of(&model());
    let header = 8 + usize::try_from(u64::from_le_bytes(bytes[..8].try_into().unwrap())).unwrap();
    for at in (0..bytes.len()).filter(|at| *at >= header || at % 7 == 0) {
        for bit in 0..8 {
            let mut flipped = bytes.clone();
            flipped[at] ^= 1 << bit;
            assert!(reads_without_panic(&flipped).is_err(), "bit {bit} of byte {at}");
        }
    }
}

#[test]
fn negative_features_are_refused() {
    let mut model = model::<f64>();
    model.factors.h[1][(0, 3)] = -0.5;
    assert!(reads_without_panic(&file_of(&model)).unwrap_err().contains("negative"));
}

/// Files of earlier versions have no checksum, no fingerprint, and times.
#[test]
fn files_of_earlier_versions_are_read() {
    let bytes = file_of(&model());
    let length = usize::try_from(u64::from_le_bytes(bytes[..8].try_into().unwrap())).unwrap();
    let text = String::from_utf8(bytes[8..8 + length].to_vec()).unwrap();
    let begin = text.find(",\\\"checksum").unwrap();
    let end = text[begin..].find('}').unwrap() + begin;
    let print = text.find("\\\"fingerprint").unwrap();
    let print_end = text[print..].find(',').unwrap() + print + 1;
    let older = format!("{}{}{}", &text[..print], &text[print_end..begin], &text[end..]);
    let older = format!("{older:<length$}");
    let file = [&bytes[..8], older.as_bytes(), &bytes[8 + length..]].concat();
    let AnyModel::F64(read) = model_from_bytes(&file).unwrap() else { panic!("f64") };
    assert_eq!(read.summary.fingerprint, None);
    assert_eq!(read.factors, model::<f64>().factors);
}

#[test]
fn a_failed_write_leaves_the_old_file_and_nothing_else() {
    let (folder, path) = in_folder("m.safetensors");
    std::fs::write(&path, "old").unwrap();
    let failed = write_atomically(&path, |file| {
        std::io::Write::write_all(file, b"half of the new")?;
        Err(std::io::Error::other("no space left"))
    });
    let told = failed.unwrap_err().to_string();
    assert!(told.contains("cannot write") && told.contains("no space left"), "{told}");
    assert_eq!(std::fs::read(&path).unwrap(), b"old");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    assert!(model::<f64>().save(folder.path()).is_err());
    assert!(model::<f64>().save(&folder.path().join("no/such/folder")).is_err());
}

#[cfg(unix)]
#[test]
fn devices_are_left_alone_and_links_are_followed() {
    let write = |path: &std::path::Path| write_atomically(path, |file| file.write_all(b"new"));
    assert!(write("/dev/null".as_ref()).is_err());
    let (folder, file) = in_folder("file");
    let link = folder.path().join("link");
    std::fs::write(&file, "old").unwrap();
    std::os::unix::fs::symlink(&file, &link).unwrap();
    write(&link).unwrap();
    assert!(std::fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(std::fs::read(&file).unwrap(), b"new");
    std::fs::remove_file(&file).unwrap();
    assert!(write(&link).unwrap_err().to_string().contains("leads nowhere"));
    assert!(std::fs::symlink_metadata(&link).unwrap().is_symlink(), "the link is untouched");
}

#[cfg(unix)]
#[test]
fn permissions_are_those_of_any_new_file_or_of_the_file_replaced() {
    use std::os::unix::fs::PermissionsExt;
    let mode = |path: &PathBuf| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let write = |path: &PathBuf| write_atomically(path, |file| file.write_all(b"new")).unwrap();
    let (folder, path) = in_folder("file");
    let usual = folder.path().join("usual");
    std::fs::write(&usual, "").unwrap();
    write(&path);
    assert_eq!(mode(&path), mode(&usual));
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o640)).unwrap();
    write(&path);
    assert_eq!(mode(&path), 0o640);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn a_damaged_file_never_panics(
        edits in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
    ) {
        let mut bytes = file_of(&model());
        let header = bytes.len() / 2; // most damage belongs where it can mislead
        for (index, byte) in edits {
            let at = index.index(header);
            bytes[at] = byte;
        }
        let _ = reads_without_panic(&bytes);
    }

    #[test]
    fn arbitrary_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        prop_assert!(reads_without_panic(&bytes).is_err());
    }
}

/// As version 0.1.0 has written them before non-negative models had shared options.
#[test]
fn settings_of_older_files_are_understood() {
    let stop = r#""stop":{"kappa":1e-6,"max_iterations":1000,"max_seconds":null}"#;
    let hals = r#""solver":{"rule":"hals","sweeps":10}"#;
    let shared = format!(r#"{hals},{stop},"seed":7,"measure_bound":true"#);
    let nmf = format!(r#"{{"components":3,"start":"nndsvdar",{shared}}}"#);
    let older = [
        format!(r#"{{"model":"nmf","components":3,"start":"nndsvdar",{shared}}}"#),
        format!(r#"{{"model":"nenmf","nmf":{nmf}}}"#),
        format!(
            r#"{{"model":"gnmf","nmf":{nmf},"lambda":100.0,"neighbours":5,"weights":{{"weights":"binary"}}}}"#
        ),
        format!(r#"{{"model":"multilayer-nmf","layers":[5,3],"nmf":{nmf}}}"#),
        format!(r#"{{"model":"cnmf","nmf":{nmf}}}"#),
        format!(r#"{{"model":"dnmf","nmf":{nmf},"gamma":0.1,"delta":0.0}}"#),
        format!(
            r#"{{"model":"semi-nmf","components":3,"options":{{"start":"optimal","scale":"auto",{shared}}}}}"#
        ),
        r#"{"model":"whitened-pca","components":3,"seed":7}"#.to_owned(),
    ];
    for text in older {
        let settings: Settings = serde_json::from_str(&text).unwrap();
        let again = serde_json::to_string(&settings).unwrap();
        assert_eq!(serde_json::from_str::<Settings>(&again).unwrap(), settings, "{text}");
        assert!(again.contains(r#""seed":7"#), "{again}");
        assert!(!again.contains("nndsvda\""), "the start is the one that was written: {again}");
    }
}
