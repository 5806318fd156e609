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
