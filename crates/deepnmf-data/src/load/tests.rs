use super::csv::Delimiter;
use super::detect::detect;
use super::test_files::{Mat, encode, npy};
use super::test_load::loaded;
use super::*;
use crate::{ImageShape, PixelOrder};

#[test]
fn the_content_goes_before_the_extension() {
    let array = npy(1, "<f8", false, "(1, 1)", &encode("f8", false, &[1.0]));
    let mat = Mat::new(true, false);
    for extension in ["npy", "csv", "mat", "", "bin"] {
        assert_eq!(detect(&array, extension).unwrap(), Format::Npy);
        assert_eq!(detect(&mat.bytes, extension).unwrap(), Format::Mat);
    }
}

#[test]
fn text_is_told_by_its_extension() {
    let comma = Format::Text(Delimiter::Comma);
    assert_eq!(detect(b"1,2", "csv").unwrap(), comma);
    assert_eq!(detect(b"1", "csv").unwrap(), comma);
    assert_eq!(detect(b"1,2", "txt").unwrap(), comma);
    assert_eq!(detect(b"1 2", "txt").unwrap(), Format::Text(Delimiter::Spaces));
    assert_eq!(detect(b"1,2", "tsv").unwrap(), Format::Text(Delimiter::Tab));
    assert!(matches!(detect(b"1,2", "dat"), Err(Fault::UnknownFormat)));
    assert!(matches!(detect(b"1,2", "npy"), Err(Fault::WrongContent { .. })));
    assert!(matches!(detect(b"1,2", "mat"), Err(Fault::WrongContent { .. })));
}

#[test]
fn every_format_is_known_by_its_first_bytes() {
    let behind_a_block = [&[0; 512][..], b"\x89HDF\r\n\x1a\n"].concat();
    for (head, format) in [
        (&b"MATLAB 7.3 MAT-file, Platform"[..], Format::Hdf5 { matlab: true }),
        (b"\x89HDF\r\n\x1a\n", Format::Hdf5 { matlab: false }),
        (&behind_a_block, Format::Hdf5 { matlab: false }),
        (b"PK\x03\x04...", Format::Npz),
        (b"PAR1....", Format::Parquet),
    ] {
        for extension in ["mat", "csv", "npy", "npz", "h5ad", "parquet", ""] {
            assert_eq!(detect(head, extension).unwrap(), format);
        }
    }
}

#[test]
fn known_but_unsupported_formats_are_called_by_name() {
    for (head, name) in [(&b"\x1f\x8b\x08"[..], "gzip"), (b"\x89PNG\r\n\x1a\n", "picture")] {
        for extension in ["mat", "csv", "npy", "npz"] {
            let message = detect(head, extension).unwrap_err().to_string();
            assert!(message.contains(name), "{message}");
        }
    }
}

#[test]
fn a_format_that_is_compiled_out_says_how_to_get_it() {
    let message = Format::Parquet.compiled_out().to_string();
    assert_eq!(
        message,
        "this is a Parquet file, which this program was built without: build it with the feature \
         \"parquet\", or write the table as .csv"
    );
}

#[test]
fn the_extension_may_be_in_capitals() {
    assert_eq!(extension(Path::new("a/B.CSV")), "csv");
    assert_eq!(extension(Path::new("a.b/c")), "");
}

fn said_to_be(shape: &str, features: usize) -> Result<Dataset<f64>, Fault> {
    let values: Vec<f64> = [1.0, 2.0].repeat(features);
    let file = npy(1, "<f8", false, &format!("(2, {features})"), &encode("f8", false, &values));
    let image_shape = Some(shape.parse().unwrap());
    loaded("x.npy", &file, &LoadOptions { image_shape, ..LoadOptions::default() })
}

#[test]
fn samples_of_a_file_are_the_pictures_they_are_said_to_be() {
    let data = said_to_be("3x2:column-major", 6).unwrap();
    let shape = ImageShape { width: 3, height: 2, order: PixelOrder::ColumnMajor };
    assert_eq!(data.image_shape, Some(shape));
    assert_eq!(data.x.col(0), [1.0, 2.0, 1.0, 2.0, 1.0, 2.0], "they stay as they are");
}

#[test]
fn pictures_of_another_size_are_refused_with_those_that_would_fit() {
    for (features, advice) in [
        (16, "if they are square, use --image 4x4"),
        (12, "no square fits, but --image 4x3 or 3x4 would"),
        (7, "leave --image out"),
    ] {
        let message = said_to_be("5x3", features).unwrap_err().to_string();
        assert!(message.contains(&format!("have {features} features")), "{message}");
        assert!(message.contains("5 x 3") && message.contains(advice), "{message}");
    }
}

/// A file packed with gzip.
fn packed(bytes: &[u8]) -> Vec<u8> {
    use std::io::Write;
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    packer.write_all(bytes).unwrap();
    packer.finish().unwrap()
}

#[test]
fn a_packed_file_is_what_is_packed_in_it() {
    let folder = tempfile::tempdir().unwrap();
    let array = npy(1, "<f8", false, "(1, 2)", &[0; 16]);
    for (name, bytes) in
        [("x.csv", b"a,b\n1,2\n".as_slice()), ("x.tsv", b"a\tb\n1\t2\n"), ("x.npy", &array)]
    {
        let (plain, gz) = (folder.path().join(name), folder.path().join(format!("{name}.gz")));
        fs::write(&plain, bytes).unwrap();
        fs::write(&gz, packed(bytes)).unwrap();
        let load = |path: &Path| load::<f64>(path, &LoadOptions::default()).unwrap();
        assert_eq!(load(&gz), load(&plain), "{name}");
    }
    let cut = folder.path().join("cut.csv.gz");
    let bytes = packed(b"a,b\n1,2\n");
    fs::write(&cut, &bytes[..bytes.len() - 5]).unwrap();
    let message = load::<f64>(&cut, &LoadOptions::default()).unwrap_err().to_string();
    assert!(message.contains("damaged or cut short"), "{message}");
}

#[test]
fn bytes_without_a_name_tell_their_format() {
    let array = npy(1, "<f8", false, "(1, 2)", &[0; 16]);
    for bytes in [b"a;b\n0;0\n".as_slice(), b"a\tb\n0\t0\n", b"a,b\n0,0", &array, &packed(&array)] {
        let data = load_from::<f64>(bytes, "standard input", &LoadOptions::default()).unwrap();
        assert_eq!(data.x.as_slice(), [0.0, 0.0]);
    }
    let error = load_from::<f64>(&b"a\nb\n"[..], "standard input", &LoadOptions::default());
    assert!(error.unwrap_err().to_string().starts_with("standard input: line 2"));
}

#[test]
fn features_without_names_get_those_of_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let names = folder.path().join("names.txt");
    let options = LoadOptions { feature_names: Some(names.clone()), ..LoadOptions::default() };
    let read = |text: &str, bytes: &[u8]| {
        fs::write(&names, text).unwrap();
        load_from::<f64>(bytes, "x", &options).map_err(|error| error.to_string())
    };
    let data = read("left eye\r\nmouth\r\n", b"5,6\n7,8\n").unwrap();
    assert_eq!(data.feature_names.unwrap(), ["left eye", "mouth"]);
    for (text, bytes, word) in [
        ("a\n", &b"5,6\n"[..], "1 lines for 2 features"),
        ("a\n\n", b"5,6\n", "line 2 is blank"),
        ("a\nb\n", b"p,q\n5,6\n", "leave --feature-names out"),
    ] {
        let message = read(text, bytes).unwrap_err();
        assert!(message.contains(word) && message.contains("names.txt"), "{message}");
    }
}
