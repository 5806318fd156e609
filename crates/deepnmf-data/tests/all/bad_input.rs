//! Every bad file ends in one sentence that names the culprit and what would work.

#[allow(dead_code)] // shared with the unit tests, which use all of it
#[path = "../../src/load/test_files.rs"]
mod test_files;

use std::fs;
use std::path::PathBuf;

use deepnmf_data::{LoadOptions, load};
use tempfile::TempDir;
use test_files::{CELL, Mat, encode, npy, npy_with_header};

/// A folder for one bad file.
struct Bad {
    folder: TempDir,
    path: PathBuf,
    options: LoadOptions,
}

impl Bad {
    fn file(name: &str, bytes: impl AsRef<[u8]>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        fs::write(&path, bytes).unwrap();
        Self { folder, path, options: LoadOptions::default() }
    }

    fn data_key(mut self, key: &str) -> Self {
        self.options.data_key = Some(key.into());
        self
    }

    fn labels_key(mut self, key: &str) -> Self {
        self.options.labels_key = Some(key.into());
        self
    }

    /// Checks what is said about the file after its path.
    fn says(&self, expected: &str) {
        let message = load::<f32>(&self.path, &self.options).unwrap_err().to_string();
        assert_eq!(message, format!("{}: {expected}", self.path.display()));
    }
}

fn npy_file(descr: &str, shape: &str, data: &[u8]) -> Bad {
    Bad::file("x.npy", npy(1, descr, false, shape, data))
}

fn mat_file(fill: impl Fn(&mut Mat)) -> Bad {
    let mut mat = Mat::new(false, true);
    fill(&mut mat);
    Bad::file("x.mat", mat.bytes)
}

fn table_and_labels(mat: &mut Mat) {
    mat.array("fea", &[3, 2], "u1", &[1.0; 6]);
    mat.array("gnd", &[2, 1], "u1", &[1.0, 2.0]);
    mat.other("names", CELL, &[3, 1]);
}

const LIST: &str = "the file holds fea (3 x 2 double), gnd (2 x 1 double), names (3 x 1 cell)";

#[test]
fn a_missing_file_a_folder_and_a_device_are_named() {
    let bad = Bad::file("x.csv", "");
    let said = |path: &str| {
        load::<f64>(&bad.folder.path().join(path), &bad.options).unwrap_err().to_string()
    };
    let missing = said("no.npy");
    assert!(missing.starts_with("there is no file /"), "{missing}");
    assert!(missing.ends_with(
        "no.npy: give the path of a .npy, .npz, .mat (MATLAB), .mtx (Matrix Market), .h5ad, .parquet, .csv, .tsv or .txt \
         file"
    ));
    #[cfg(feature = "images")]
    assert!(said("").contains("the folder holds no picture"));
    #[cfg(unix)]
    assert!(said("/dev/zero").starts_with("/dev/zero is a device or pipe, not a file"));
}

#[cfg(unix)]
#[test]
fn a_file_that_may_not_be_read_is_named() {
    use std::os::unix::fs::PermissionsExt;
    let bad = Bad::file("x.csv", "1,2\n");
    fs::set_permissions(&bad.path, fs::Permissions::from_mode(0o000)).unwrap();
    match load::<f64>(&bad.path, &bad.options) {
        // The superuser may read everything.
        Ok(_) => assert!(fs::read(&bad.path).is_ok()),
        Err(error) => {
            let message = error.to_string();
            let start = format!("cannot read {}: ", bad.path.display());
            assert!(message.starts_with(&start), "{message}");
        }
    }
}

#[test]
fn empty_and_unknown_files() {
    let accepted =
        ".npy, .npz, .mat (MATLAB), .mtx (Matrix Market), .h5ad, .parquet, .csv, .tsv or .txt";
    for name in ["x.csv", "x.npy", "x.mat", "x"] {
        Bad::file(name, "")
            .says(&format!("the file is empty: {accepted} with at least one sample is needed"));
    }
    for name in ["x.dat", "x", "x.jpeg"] {
        Bad::file(name, "1,2\n").says(&format!("the format is not known: {accepted} is accepted"));
    }
    Bad::file("x.npy", "1,2\n").says(
        "the name ends in .npy, but the content is not a NumPy array: write it with numpy.save",
    );
    Bad::file("x.mat", "1,2\n").says(
        "the name ends in .mat, but the content is not a MATLAB file: \
         write it with save -v7 in MATLAB",
    );
}

#[test]
fn formats_that_are_not_supported_yet() {
    Bad::file("x.png", b"\x89PNG\r\n\x1a\n").says(
        "this is a single picture, which is not supported yet: \
         give the folder that holds the pictures",
    );
}

#[test]
fn options_without_a_use() {
    npy_file("|u1", "(1, 1)", &[1]).data_key("X").says(
        "--data-key does not apply to a .npy file, which holds one array without a name: \
         leave it out",
    );
    npy_file("|u1", "(1, 1)", &[1]).labels_key("Y").says(
        "--labels-key does not apply to a .npy file, which holds one array and no labels: \
         leave it out",
    );
    Bad::file("x.csv", "1,2\n").data_key("X").says(
        "--data-key does not apply to a text file, which holds one table without a name: \
         leave it out",
    );
}

#[test]
fn npy_arrays_that_are_no_tables_of_numbers() {
    npy_file("|u1", "(3,)", &[1, 2, 3]).says(
        "the array has shape (3,), but a table of samples x features is needed: \
         reshape it, for example with x.reshape(-1, 1)",
    );
    npy_file("|u1", "(1, 2, 3)", &[0; 6]).says(
        "the array has shape (1, 2, 3), but a table of samples x features is needed: \
         reshape it, for example with x.reshape(len(x), -1)",
    );
    for (descr, words) in [
        ("|O", "Python objects (type \"|O\")"),
        ("<c16", "complex numbers (type \"<c16\")"),
        ("<U5", "text (type \"<U5\")"),
        ("<M8[ns]", "dates or times (type \"<M8[ns]\")"),
        ("<f16", "floating-point numbers of an unusual size (type \"<f16\")"),
    ] {
        npy_file(descr, "(1, 1)", &[0; 16]).says(&format!(
            "the array holds {words}: convert it to floating-point or whole numbers"
        ));
    }
    npy_file("|u1", "(0, 3)", &[])
        .says("the table is empty (0 samples of 3 features): at least one of each is needed");
}

#[test]
fn npy_records_are_no_numbers() {
    let header = "{'descr': [('a', '<f8'), ('b', '<i4')], 'fortran_order': False, 'shape': (3,), }";
    Bad::file("x.npy", npy_with_header(1, header, &[0; 36])).says(
        "the array holds records of several fields: convert it to floating-point or whole numbers",
    );
}

#[test]
fn npy_files_cut_short() {
    npy_file("<f8", "(3, 2)", &[0; 40]).says(
        "the file is damaged or cut short (3 x 2 numbers of type <f8 need 48 bytes, \
         but 40 are there): save or copy it again",
    );
    Bad::file("x.npy", b"\x93NUMPY\x01")
        .says("the file is damaged or cut short (its header is incomplete): save or copy it again");
    Bad::file("x.npy", b"\x93NUMPY\x01\0\x10\0{'descr': 3     ").says(
        "the file is damaged or cut short (its header cannot be understood at \"3     \"): \
         save or copy it again",
    );
}

#[test]
fn numbers_that_are_not_finite_or_do_not_fit() {
    npy_file("<f8", "(2, 2)", &encode("f8", false, &[1.0, 2.0, f64::NAN, 4.0])).says(
        "sample 2, feature 1 is NaN (row and column of the table, counted from 1): \
         remove the sample, put a number there, or declare it missing with --missing nan",
    );
    npy_file("<f8", "(2, 2)", &encode("f8", false, &[1.0, 1e300, 3.0, 4.0])).says(
        "sample 1, feature 2 is 1e300 (row and column of the table, counted from 1), \
         too large for f32: load the data as f64",
    );
    mat_file(|mat| mat.array("fea", &[2, 2], "f8", &[1.0, f64::NEG_INFINITY, 3.0, 4.0])).says(
        "sample 2, feature 1 is -inf (row and column of the table, counted from 1): \
         remove the sample, put a number there, or declare it missing with --missing nan",
    );
    Bad::file("x.csv", "width,height\n1,2\n3,nan\n").says(
        "sample 2, feature 2 (\"height\") is NaN (row and column of the table, counted from 1): \
         remove the sample, put a number there, or declare it missing with --missing nan",
    );
}

#[test]
fn mat_variables_that_are_not_there_or_of_no_use() {
    mat_file(table_and_labels)
        .data_key("Fea")
        .says(&format!("there is no variable \"Fea\": {LIST}"));
    mat_file(table_and_labels).labels_key("y").says(&format!("there is no variable \"y\": {LIST}"));
    mat_file(table_and_labels).data_key("names").says(&format!(
        "the variable \"names\" is 3 x 1 cell, but a numeric table is needed: {LIST}"
    ));
    mat_file(table_and_labels).labels_key("gnd").says(&format!(
        "the variable \"gnd\" is 2 x 1 double, but a numeric 3 x 1 array of labels, \
         one for each sample, is needed: {LIST}"
    ));
    let two = mat_file(|mat| {
        mat.array("a", &[2, 2], "u1", &[1.0; 4]);
        mat.array("b", &[2, 3], "u1", &[1.0; 6]);
    });
    two.says(
        "no variable is named fea or X and 2 others could be the data: name a numeric table \
         with --data-key; the file holds a (2 x 2 double), b (2 x 3 double)",
    );
    mat_file(|_| ()).says(
        "no variable is named fea or X and 0 others could be the data: name a numeric table \
         with --data-key; the file holds no variables",
    );
    mat_file(|mat| mat.array("fea", &[0, 5], "f8", &[]))
        .says("the table is empty (0 samples of 5 features): at least one of each is needed");
    let halves = mat_file(|mat| {
        mat.array("fea", &[2, 1], "u1", &[1.0; 2]);
        mat.array("y", &[2, 1], "f8", &[1.0, 1.5]);
    });
    halves.labels_key("y").says(
        "the label of sample 2 in variable \"y\" is 1.5: labels are whole numbers, \
         or NaN where they are missing",
    );
}

#[test]
fn mat_files_cut_short() {
    let whole = {
        let mut mat = Mat::new(false, false);
        mat.array("fea", &[3, 2], "f8", &[1.0; 6]);
        mat.bytes
    };
    Bad::file("x.mat", &whole[..whole.len() - 8]).says(
        "the file is damaged or cut short (the element at byte 128 should have 96 bytes, \
         but only 88 are left): save or copy it again",
    );
    Bad::file("x.mat", &whole[..100])
        .says("the file is damaged or cut short (its header is incomplete): save or copy it again");
    Bad::file("x.mat", &whole[..131])
        .says("the file is damaged or cut short (3 stray bytes at its end): save or copy it again");
}

#[test]
fn text_files_with_ragged_lines_words_and_gaps() {
    Bad::file("x.csv", "a;b\r\n1;2\r\n1;2;3\r\n").says(
        "line 3 has 3 fields, but the first line has 2: \
         give every line the same number of fields, separated by semicolons",
    );
    Bad::file("x.csv", "a,class\n1,2\n1,setosa\n").says(
        "line 3, column 2 (\"class\") holds \"setosa\", which is not a number: \
         put a number there; or, if the column holds labels, use --labels-key class; if it names \
         the samples, --names-key class; otherwise --drop class",
    );
    Bad::file("x.tsv", "1\t4\n1\t2,5\n")
        .says("line 2, column 2 holds \"2,5\", which is not a number: write decimals with a point");
    Bad::file("x.csv", "a,b,k\n1,?,u\n").labels_key("k").says(
        "line 2, column 2 (\"b\") holds \"?\", which is not a number: \
         put a number there; or, if the column holds labels, use --labels-key b; if it names \
         the samples, --names-key b; otherwise --drop b",
    );
    Bad::file("x.csv", "1,2,4\n1,,3\n")
        .says("line 2, column 2 is a missing value: put a number there, remove the sample, or declare it missing with --missing nan");
    Bad::file("x.csv", b"a,k\n1,\xff\n")
        .labels_key("k")
        .says("line 2, column 2 (\"k\") is not UTF-8 text: save the file as UTF-8");
}

#[test]
fn text_files_without_the_column_asked_for_or_without_samples() {
    Bad::file("x.csv", "a,b\n1,2\n").labels_key("c").says(
        "there is no column \"c\": \
         give --labels-key a number from 1 to 2 or one of the names \"a\", \"b\"",
    );
    Bad::file("x.csv", "1,2\n").labels_key("3").says(
        "there is no column \"3\": \
         give --labels-key a number from 1 to 2; the file has no header with names",
    );
    Bad::file("x.csv", "a,b\n")
        .says("the table is empty (0 samples of 2 features): at least one of each is needed");
    Bad::file("x.csv", "\n\n")
        .says("the table is empty (0 samples of 0 features): at least one of each is needed");
    Bad::file("x.csv", "x\ny\n")
        .labels_key("x")
        .says("the table is empty (1 samples of 0 features): at least one of each is needed");
}
