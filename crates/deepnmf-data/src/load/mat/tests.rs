use proptest::prelude::*;

use super::super::test_files::{CELL, CHAR, COMPLEX_DOUBLE, LOGICAL_UINT8, Mat, OPAQUE, encode};
use super::*;
use crate::Dataset;

/// Three samples of two features, as MATLAB stores them, and as they should be in memory.
const STORED: [f64; 6] = [1.0, 3.0, 50.0, 2.0, 40.0, 60.0];
const TABLE: [f64; 6] = [1.0, 2.0, 3.0, 40.0, 50.0, 60.0];

fn options(data_key: Option<&str>, labels_key: Option<&str>) -> LoadOptions {
    LoadOptions {
        data_key: data_key.map(Into::into),
        labels_key: labels_key.map(Into::into),
        ..LoadOptions::default()
    }
}

/// What a file holds, made dense.
fn read<T: Scalar>(bytes: &[u8], options: &LoadOptions) -> Result<Dataset<T>, Fault> {
    super::read(bytes, options).map(|data| data.into_dense().unwrap())
}

fn read_plain(mat: &Mat) -> Result<Dataset<f64>, Fault> {
    read(&mat.bytes, &LoadOptions::default())
}

#[test]
fn every_storage_type_and_byte_order_compressed_or_not_gives_the_same_matrix() {
    for kind in ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8"] {
        for (big, compress) in [(false, false), (false, true), (true, false), (true, true)] {
            let mut mat = Mat::new(big, compress);
            mat.array("fea", &[3, 2], kind, &STORED);
            mat.array("gnd", &[3, 1], kind, &[7.0, 5.0, 7.0]);
            let data = read_plain(&mat).unwrap();
            assert_eq!(data.x.shape(), (2, 3));
            assert_eq!(data.x.as_slice(), TABLE, "{kind} {big} {compress}");
            assert_eq!(data.attributes[0].name, "gnd");
            assert_eq!(data.attributes[0].classes(), ["5", "7"]);
            assert_eq!(data.attributes[0].codes(), [Some(1), Some(0), Some(1)]);
            let single: Dataset<f32> = read(&mat.bytes, &LoadOptions::default()).unwrap();
            assert_eq!(single.x, data.x.cast());
        }
    }
}

/// Three samples of two features: rows of the entries, where columns begin, values; with room for more.
fn sparse(mat: &mut Mat, flags: u32, rows: &[f64], starts: &[f64], values: &[f64]) {
    let mut body = mat.header("fea", flags, &[3, 2]);
    body.extend(mat.element(5, &encode("i4", mat.big, rows)));
    body.extend(mat.element(5, &encode("i4", mat.big, starts)));
    body.extend(mat.element(9, &encode("f8", mat.big, values)));
    mat.variable(&body);
}

#[test]
fn sparse_tables_are_read_and_stay_sparse() {
    const SPARSE: u32 = 5;
    for (big, compress) in [(false, false), (false, true), (true, false), (true, true)] {
        let mut mat = Mat::new(big, compress);
        sparse(&mut mat, SPARSE, &[0.0, 2.0, 1.0, 0.0, 0.0], &[0.0, 2.0, 3.0], &[1.0, 5.0, 7.0]);
        mat.array("gnd", &[3, 1], "u1", &[7.0, 5.0, 7.0]);
        let data = super::read::<f64>(&mat.bytes, &LoadOptions::default()).unwrap();
        assert!(matches!(data.x, Values::Sparse(_)));
        let data = data.into_dense().unwrap();
        assert_eq!(data.x.as_slice(), [1.0, 0.0, 0.0, 7.0, 5.0, 0.0]);
        assert_eq!(data.attributes[0].name, "gnd");
    }
    for (rows, starts, culprit) in [
        ([0.0, 3.0, 1.0], [0.0, 2.0, 3.0], "it must be below 3"),
        ([0.0, -2.0, 1.0], [0.0, 2.0, 3.0], "a row of a sparse table is -2"),
        ([0.0, 2.0, 1.0], [0.0, 4.0, 3.0], "a number from 0 to 3"),
        ([0.0, 2.0, 1.0], [1.0, 2.0, 3.0], "the first bound"),
        ([0.0, 2.0, 1.0], [0.0, 2.0, 9.0], "one for each of"),
    ] {
        let mut mat = Mat::new(false, false);
        sparse(&mut mat, SPARSE, &rows, &starts, &[1.0, 5.0, 7.0]);
        let error = read_plain(&mat).unwrap_err().to_string();
        assert!(error.contains(culprit) || error.contains("bound"), "{rows:?} {starts:?}: {error}");
    }
    let mut complex = Mat::new(false, false);
    sparse(&mut complex, 0x0805, &[0.0], &[0.0, 1.0, 1.0], &[1.0]);
    assert!(read_plain(&complex).is_err());
}

#[test]
fn numbers_that_fit_into_the_tag_are_read_from_there() {
    for big in [false, true] {
        let mut mat = Mat::new(big, false);
        mat.array("x", &[2, 2], "u1", &[1.0, 2.0, 3.0, 4.0]);
        assert_eq!(read_plain(&mat).unwrap().x.as_slice(), [1.0, 3.0, 2.0, 4.0]);
    }
}

#[test]
fn data_are_fea_else_x_else_the_only_table() {
    let mut mat = Mat::new(false, true);
    mat.array("other", &[3, 2], "u1", &STORED);
    mat.array("Y", &[1, 3], "u1", &[1.0, 2.0, 3.0]);
    mat.array("count", &[1, 1], "u1", &[3.0]);
    mat.other("names", CELL, &[3, 1]);
    mat.other("table", OPAQUE, &[]);
    let only = read_plain(&mat).unwrap();
    assert_eq!(only.x.as_slice(), TABLE);
    assert!(only.attributes.is_empty(), "Y belongs to X, not to other");

    mat.array("X", &[3, 1], "u1", &[4.0, 5.0, 6.0]);
    let x = read_plain(&mat).unwrap();
    assert_eq!(x.x.as_slice(), [4.0, 5.0, 6.0]);
    assert_eq!(x.attributes[0].name, "Y");

    mat.array("fea", &[1, 1], "u1", &[9.0]);
    assert_eq!(read_plain(&mat).unwrap().x.as_slice(), [9.0]);
    let named: Dataset<f64> = read(&mat.bytes, &options(Some("other"), Some("Y"))).unwrap();
    assert_eq!(named.x.as_slice(), TABLE);
    assert_eq!(named.attributes[0].classes(), ["1", "2", "3"]);
}

#[test]
fn usual_labels_that_cannot_be_labels_are_left_out_but_asked_for_they_are_an_error() {
    for (shape, values) in [([2, 1], vec![1.0, 2.0]), ([3, 1], vec![1.0, 2.5, 3.0])] {
        let mut mat = Mat::new(false, false);
        mat.array("fea", &[3, 2], "u1", &STORED);
        mat.array("gnd", &shape, "f8", &values);
        assert!(read_plain(&mat).unwrap().attributes.is_empty());
        assert!(read::<f64>(&mat.bytes, &options(None, Some("gnd"))).is_err());
    }
}

#[test]
fn a_label_that_is_not_a_number_is_a_missing_one() {
    let mut mat = Mat::new(false, true);
    mat.array("fea", &[3, 2], "u1", &STORED);
    mat.array("gnd", &[3, 1], "f8", &[-1.0, f64::NAN, 4.0]);
    let data = read_plain(&mat).unwrap();
    assert_eq!(data.attributes[0].codes(), [Some(0), None, Some(1)]);
    assert_eq!(data.attributes[0].classes(), ["-1", "4"]);
}

#[test]
fn numbers_that_are_none_are_missing_entries_if_there_may_be_any() {
    let mut mat = Mat::new(false, true);
    let mut stored = STORED;
    stored[4] = f64::NAN;
    mat.array("fea", &[3, 2], "f8", &stored);
    assert!(read_plain(&mat).is_err());
    let missing = LoadOptions { missing: true, ..LoadOptions::default() };
    let data: Dataset<f64> = read(&mat.bytes, &missing).unwrap();
    assert!(data.x[(1, 1)].is_nan() && data.x[(1, 0)] == TABLE[1]);
    stored[5] = f64::INFINITY;
    let mut mat = Mat::new(false, true);
    mat.array("fea", &[3, 2], "f8", &stored);
    assert!(read::<f64>(&mat.bytes, &missing).is_err());
}

#[test]
fn only_real_numeric_tables_can_be_data_and_all_variables_are_listed() {
    let mut mat = Mat::new(true, true);
    mat.other("c", CELL, &[3, 1]);
    mat.other("s", CHAR, &[1, 5]);
    mat.other("z", COMPLEX_DOUBLE, &[2, 2]);
    mat.array("cube", &[2, 2, 2], "u1", &[0.0; 8]);
    mat.other("mask", LOGICAL_UINT8, &[2, 2, 2]);
    let message = read_plain(&mat).unwrap_err().to_string();
    let list = "c (3 x 1 cell), s (1 x 5 char), z (2 x 2 complex), cube (2 x 2 x 2 double), \
                mask (2 x 2 x 2 logical)";
    assert!(message.contains(list), "{message}");
    for name in ["c", "s", "z", "cube"] {
        let fault = read::<f64>(&mat.bytes, &options(Some(name), None)).unwrap_err();
        assert!(matches!(fault, Fault::WrongVariable { .. }), "{fault}");
    }
}

#[test]
fn nothing_unwanted_is_unpacked() {
    // Of a variable that is passed over, only the beginning needs to be sound.
    let mut mat = Mat::new(false, true);
    mat.array("big", &[1000, 1000], "u1", &vec![1.0; 1_000_000]);
    let end = mat.bytes.len();
    mat.bytes[end - 4..].fill(0xaa); // its checksum
    mat.array("fea", &[3, 2], "u1", &STORED);
    assert_eq!(read_plain(&mat).unwrap().x.as_slice(), TABLE);
    let fault = read::<f64>(&mat.bytes, &options(Some("big"), None)).unwrap_err();
    assert!(matches!(fault, Fault::Damaged { .. }), "a wrong checksum: {fault}");
}

#[test]
fn more_data_than_the_shape_needs_are_refused() {
    for compress in [false, true] {
        let mut mat = Mat::new(false, compress);
        let mut body = mat.header("fea", 6, &[3, 2]);
        body.extend(mat.element(2, &encode("u1", false, &STORED)));
        body.extend(vec![0; 10_000_000]);
        mat.variable(&body);
        assert!(matches!(read_plain(&mat), Err(Fault::Damaged { .. })));
    }
}

#[test]
fn shapes_beyond_the_file_are_refused_without_taking_memory() {
    for compress in [false, true] {
        for shape in [[0x7fff_ffff, 0x7fff_ffff], [u32::MAX, 1], [100_000, 10_000], [4, 2]] {
            let mut mat = Mat::new(false, compress);
            let mut body = mat.header("fea", 6, &shape);
            body.extend(mat.element(9, &encode("f8", false, &STORED)));
            mat.variable(&body);
            let fault = read_plain(&mat).unwrap_err();
            let refused = matches!(fault, Fault::Damaged { .. } | Fault::Memory { .. });
            assert!(refused, "{fault}");
        }
    }
}

#[test]
fn a_few_compressed_bytes_cannot_claim_to_be_gigabytes() {
    let mut claim = Vec::from(14u32.to_le_bytes());
    claim.extend(0xffff_fff0u32.to_le_bytes());
    let mut zlib = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::best());
    std::io::Write::write_all(&mut zlib, &claim).unwrap();
    let mut mat = Mat::new(false, false);
    mat.compressed(&zlib.finish().unwrap());
    let message = read_plain(&mat).unwrap_err().to_string();
    assert!(message.contains("cannot hold a variable of 4294967280 bytes"), "{message}");
}

#[test]
fn variables_inside_compressed_variables_are_passed_over() {
    let mut inner = Mat::new(false, true);
    inner.array("fea", &[3, 2], "u1", &STORED);
    let mut zlib = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::best());
    std::io::Write::write_all(&mut zlib, &inner.bytes[HEADER..]).unwrap();
    let mut mat = Mat::new(false, false);
    mat.compressed(&zlib.finish().unwrap());
    assert!(matches!(read_plain(&mat), Err(Fault::WhichVariable { count: 0, .. })));
}

fn sample_file(big: bool, compress: bool) -> Vec<u8> {
    let mut mat = Mat::new(big, compress);
    mat.array("fea", &[3, 2], "f8", &STORED);
    mat.array("gnd", &[3, 1], "u1", &[1.0, 2.0, 1.0]);
    mat.other("names", CELL, &[3, 1]);
    mat.bytes
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn no_bytes_make_it_panic(
        bytes in prop::collection::vec(any::<u8>(), 0..300),
        big in any::<bool>(),
        packed in any::<bool>(),
    ) {
        let mut mat = Mat::new(big, true);
        if packed {
            mat.variable(&bytes);
        } else {
            mat.bytes.extend(&bytes);
        }
        let _ = read_plain(&mat);
        let _ = read::<f32>(&bytes, &LoadOptions::default());
    }

    #[test]
    fn no_change_to_a_valid_file_makes_it_panic(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
        end in any::<prop::sample::Index>(),
        cut in any::<bool>(),
        (big, compress) in any::<(bool, bool)>(),
    ) {
        let mut file = sample_file(big, compress);
        for (at, byte) in changes {
            let at = at.index(file.len());
            file[at] = byte;
        }
        if cut {
            file.truncate(end.index(file.len()));
        }
        if let Ok(data) = read::<f64>(&file, &LoadOptions::default()) {
            prop_assert!(data.x.as_slice().iter().all(|v| v.is_finite()));
        }
    }
}
