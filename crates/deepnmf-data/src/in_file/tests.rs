use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use deepnmf::{Factorization, Nmf, SemiNmf};

use super::*;
use crate::load::test_files::{encode, npy};
use crate::preprocess::{Pipeline, ZeroSamples};
use crate::{AnyDataset, Columns, DatasetOf, LoadOptions, Values, load_any};

const SAMPLES: usize = 53;
const FEATURES: usize = 7;

/// Counts; samples 11 and 40 have none.
fn counts() -> Matrix<f64> {
    Matrix::from_fn(FEATURES, SAMPLES, |i, j| match j {
        11 | 40 => 0.0,
        _ => ((i * 31 + j * 17 + i * j) % 11) as f64,
    })
}

/// A file of [`counts`] in either order.
fn write(path: &Path, kind: &str, big: bool, fortran: bool) {
    let x = counts();
    let values: Vec<f64> =
        if fortran { x.t().to_matrix().as_slice().to_vec() } else { x.as_slice().to_vec() };
    let descr = format!("{}{kind}", if big { '>' } else { '<' });
    let shape = format!("({SAMPLES}, {FEATURES})");
    fs::write(path, npy(1, &descr, fortran, &shape, &encode(kind, big, &values))).unwrap();
}

fn loaded(path: &Path, memory: Option<u64>) -> AnyDataset<f64> {
    load_any(path, &LoadOptions { memory, ..LoadOptions::default() }).unwrap()
}

/// Data that stay in their file, in blocks of few samples.
fn kept(path: &Path, samples_of_a_block: usize) -> AnyDataset<f64> {
    let data = loaded(path, Some(0));
    data.holding(|x| {
        let Values::InFile(x) = x else { panic!("they stay in their file") };
        Values::InFile(x.within(samples_of_a_block * FEATURES * 24))
    })
}

fn in_file<T: Scalar>(data: &AnyDataset<T>) -> &InFile<T> {
    let Values::InFile(x) = &data.x else { panic!("they stay in their file") };
    x
}

#[test]
fn a_file_is_the_same_read_at_once_or_in_blocks() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.npy");
    for kind in ["f8", "f4", "u1", "i2"] {
        for (big, fortran) in [(false, false), (true, false), (false, true)] {
            write(&path, kind, big, fortran);
            for block in [1, 5, 52, 53, 1000] {
                let x = kept(&path, block).x;
                assert_eq!(x.own_dense().unwrap(), counts(), "{kind} {big} {fortran} {block}");
            }
            assert_eq!(loaded(&path, Some(1 << 20)).x.into_dense().unwrap(), counts());
        }
    }
}

#[test]
fn products_are_those_of_data_in_memory() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.npy");
    write(&path, "f8", false, false);
    let (x, stored) = (counts(), kept(&path, 10).x);
    let z = Matrix::from_fn(FEATURES, 3, |i, k| ((i * 5 + k * 3) % 7) as f64 - 2.5);
    let h = Matrix::from_fn(3, SAMPLES, |k, j| ((j * 3 + k * 7) % 5) as f64);
    let (mut a, mut b) = (Matrix::zeros(3, SAMPLES), Matrix::zeros(3, SAMPLES));
    x.tr_mul(&z, &mut a).unwrap();
    stored.tr_mul(&z, &mut b).unwrap();
    assert_eq!(a, b, "whole numbers and halves are exact");
    let (mut a, mut b) = (Matrix::zeros(FEATURES, 3), Matrix::zeros(FEATURES, 3));
    x.mul_tr(&h, &mut a).unwrap();
    stored.mul_tr(&h, &mut b).unwrap();
    assert_eq!(a, b);
    assert_eq!(x.sample_norms_sq().unwrap(), stored.sample_norms_sq().unwrap());
    assert_eq!(x.fingerprint().unwrap(), stored.fingerprint().unwrap());
}

#[test]
fn steps_are_those_of_data_in_memory() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.npy");
    write(&path, "f4", false, true);
    let chains = ["unit", "counts-per=100,log1p", "standardize,unit", "min-max", "tf-idf,unit"];
    for how in [ZeroSamples::Keep, ZeroSamples::Drop] {
        for chain in chains {
            let mut in_place = DatasetOf::new(Values::Dense(counts()));
            let mut blocks = kept(&path, 10);
            let [mut a, mut b]: [Pipeline; 2] = [chain, chain].map(|chain| chain.parse().unwrap());
            let dropped = a.fit_apply_with(&mut in_place, how).unwrap();
            assert_eq!(b.fit_apply_with(&mut blocks, how).unwrap(), dropped, "{chain}");
            let (expected, found) =
                (in_place.x.into_dense().unwrap(), blocks.x.own_dense().unwrap());
            assert_eq!(expected.shape(), found.shape(), "{chain}");
            for (e, f) in expected.as_slice().iter().zip(found.as_slice()) {
                assert!((e - f).abs() <= 1e-12 * (1.0 + e.abs()), "{chain}: {e} and {f}");
            }
            // Other samples, scaled by what was learnt from these.
            let mut others = kept(&path, 10);
            b.apply_with(&mut others, how).unwrap();
            assert_eq!(others.x.own_dense().unwrap(), found);
        }
    }
}

#[test]
fn steps_refuse_what_they_refuse_in_memory() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.npy");
    write(&path, "f8", false, false);
    for chain in ["unit", "igo"] {
        let message = |mut data: AnyDataset<f64>| {
            let mut pipeline: Pipeline = chain.parse().unwrap();
            pipeline.fit_apply(&mut data).unwrap_err().to_string()
        };
        let expected = message(DatasetOf::new(Values::Dense(counts())));
        assert_eq!(message(kept(&path, 10)), expected);
    }
}

#[test]
fn any_samples_can_be_chosen() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.npy");
    write(&path, "f8", false, false);
    let mut data = kept(&path, 4);
    let mut scaled: Pipeline = "unit".parse().unwrap();
    scaled.fit_apply_with(&mut data, ZeroSamples::Keep).unwrap();
    let all = data.x.own_dense().unwrap();
    let picked = [3, 4, 5, 40, 2, 11, 52];
    let some = in_file(&data).chosen(&picked);
    let expected = Matrix::from_fn(FEATURES, picked.len(), |i, j| all[(i, picked[j])]);
    // Zeros among them stay zero, wherever they stand now.
    assert_eq!(some.own_dense().unwrap(), expected);
    let again = some.range(1..5).own_dense().unwrap();
    assert_eq!(again, expected.view_columns(1..5).to_matrix());
    assert_eq!(in_file(&data).range(30..30).own_dense().unwrap().cols(), 0);
}

#[test]
fn models_are_those_of_data_in_memory() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.npy");
    write(&path, "f8", false, false);
    let (x, stored) = (counts(), kept(&path, 10).x);
    let close = |a: f64, b: f64| assert!((a - b).abs() <= 1e-9 * a, "{a} and {b}");
    let (a, b) = (SemiNmf::new(3).fit(&x).unwrap(), SemiNmf::new(3).fit(&stored).unwrap());
    close(a.summary.error, b.summary.error);
    let (a, b) = (Nmf::new(3).fit(&x).unwrap(), Nmf::new(3).fit(&stored).unwrap());
    close(a.summary.error, b.summary.error);
    let of = |model: &deepnmf::Model<f64>, x: &dyn DataMatrix<f64>| {
        model.project(x, 1, deepnmf::Projection::NonNegative).unwrap()
    };
    let (a, b) = (of(&a, &x), of(&a, &stored));
    assert!(a.as_slice().iter().zip(b.as_slice()).all(|(a, b)| (a - b).abs() < 1e-9));
}

#[test]
fn a_number_that_is_none_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.npy");
    for (fortran, place) in [(false, 19 * FEATURES + 4), (true, 4 * SAMPLES + 19)] {
        let mut values = vec![1.0; SAMPLES * FEATURES];
        values[place] = f64::NAN;
        let shape = format!("({SAMPLES}, {FEATURES})");
        fs::write(&path, npy(1, "<f8", fortran, &shape, &encode("f8", false, &values))).unwrap();
        let message = SemiNmf::new(2).fit(&kept(&path, 10).x).unwrap_err().to_string();
        assert!(message.contains("sample 20, feature 5 is NaN"), "{message}");
        assert!(message.contains("x.npy"), "{message}");
    }
}

#[test]
fn a_file_that_was_cut_short_since_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.npy");
    write(&path, "f8", false, false);
    let data = kept(&path, 10);
    let file = fs::OpenOptions::new().write(true).open(&path).unwrap();
    file.set_len(1000).unwrap();
    let message = Nmf::new(2).fit(&data.x).unwrap_err().to_string();
    assert!(message.contains("it has become shorter while it was read"), "{message}");
}

#[test]
fn files_that_are_read_from_front_to_back_become_others() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.csv");
    fs::write(&path, "1.5,2\n3,4\n5,6\n").unwrap();
    let held = loaded(&path, Some(48)).x;
    assert!(held.in_file().is_none());
    for memory in [0, 47] {
        let kept = loaded(&path, Some(memory)).x;
        assert_eq!(kept.bytes_of_all(), 48);
        assert!(kept.in_file().is_some());
        assert_eq!(kept.own_dense().unwrap(), held.own_dense().unwrap());
    }
}

/// [`counts`] in every form of which entries can be left in a file.
fn write_sparse(folder: &Path) -> Vec<PathBuf> {
    let x = counts();
    let entries = |by_sample: bool| {
        let places = (0..if by_sample { SAMPLES } else { FEATURES }).flat_map(|a| {
            (0..if by_sample { FEATURES } else { SAMPLES })
                .map(move |b| if by_sample { (a, b) } else { (b, a) })
        });
        let held = places.filter(|&(j, i)| x[(i, j)] != 0.0);
        held.map(|(j, i)| (j, i, x[(i, j)])).collect::<Vec<_>>()
    };
    let text = |by_sample| {
        let lines = entries(by_sample);
        let lines = lines.iter().map(|(j, i, v)| format!("{} {} {v}\n", j + 1, i + 1));
        let lines: Vec<String> = lines.collect();
        format!(
            "%%MatrixMarket matrix coordinate real general\n{SAMPLES} {FEATURES} {}\n{}",
            lines.len(),
            lines.concat()
        )
    };
    let list = |kind: &str, numbers: Vec<f64>| {
        let shape = format!("({},)", numbers.len());
        npy(1, &format!("<{kind}"), false, &shape, &encode(kind, false, &numbers))
    };
    let word = |word: &str| npy(1, &format!("|S{}", word.len()), false, "()", word.as_bytes());
    let bounds = |of: &dyn Fn(&(usize, usize, f64)) -> usize, count, by_sample| {
        let held = entries(by_sample);
        (0..=count).map(|l| held.iter().filter(|e| of(e) < l).count() as f64).collect::<Vec<_>>()
    };
    let archive = |name: &str, packed: bool| {
        let by_sample = name != "csc";
        let held = entries(by_sample);
        let lists: [(&str, Vec<f64>); 2] = match name {
            "csr" => [
                ("indices", held.iter().map(|e| e.1 as f64).collect()),
                ("indptr", bounds(&|e| e.0, SAMPLES, true)),
            ],
            "csc" => [
                ("indices", held.iter().map(|e| e.0 as f64).collect()),
                ("indptr", bounds(&|e| e.1, FEATURES, false)),
            ],
            _ => [
                ("row", held.iter().map(|e| e.0 as f64).collect()),
                ("col", held.iter().map(|e| e.1 as f64).collect()),
            ],
        };
        let mut parts = vec![
            ("format", word(name)),
            ("shape", list("i8", vec![SAMPLES as f64, FEATURES as f64])),
            ("data", list("f4", held.iter().map(|e| e.2).collect())),
        ];
        let kind = if packed { "i8" } else { "i4" };
        parts.extend(lists.map(|(name, numbers)| (name, list(kind, numbers))));
        let path = folder.join(format!("{name}{packed}.npz"));
        fs::write(&path, zipped(&parts, packed)).unwrap();
        path
    };
    let texts = [true, false].map(|by_sample| {
        let path = folder.join(format!("{by_sample}.mtx"));
        fs::write(&path, text(by_sample)).unwrap();
        path
    });
    let forms = ["csr", "csc", "coo"].into_iter().flat_map(|name| [(name, true), (name, false)]);
    texts.into_iter().chain(forms.map(|(name, packed)| archive(name, packed))).collect()
}

fn zipped(parts: &[(&str, Vec<u8>)], packed: bool) -> Vec<u8> {
    use zip::CompressionMethod::{Deflated, Stored};
    let method = if packed { Deflated } else { Stored };
    let options = zip::write::SimpleFileOptions::default().compression_method(method);
    let mut archive = zip::ZipWriter::new(std::io::Cursor::new(vec![]));
    for (name, bytes) in parts {
        archive.start_file(format!("{name}.npy"), options).unwrap();
        archive.write_all(bytes).unwrap();
    }
    archive.finish().unwrap().into_inner()
}

#[test]
fn sparse_files_are_the_same_read_at_once_or_in_blocks() {
    let folder = tempfile::tempdir().unwrap();
    for path in write_sparse(folder.path()) {
        let held = loaded(&path, None).x;
        assert!(matches!(held, Values::Sparse(_)), "{}", path.display());
        for (block, chosen) in [(1, false), (600, true), (1 << 20, true)] {
            let mut kept = loaded(&path, Some(1)).x;
            kept = kept.with_file(|x| Ok(Values::InFile(x.within(block)))).unwrap();
            assert!(in_file(&DatasetOf::new(kept.clone())).is_sparse(), "{}", path.display());
            assert_eq!(kept.entries_held(), held.entries_held());
            assert_eq!(kept.own_dense().unwrap(), counts(), "{} {block}", path.display());
            assert_eq!(kept.fingerprint().unwrap(), held.fingerprint().unwrap());
            assert!(matches!(kept.clone().into_memory().unwrap(), Values::Sparse(_)));
            if chosen {
                let some = [3, 4, 5, 40, 2, 11, 52];
                assert_eq!(
                    kept.chosen(&some).own_dense().unwrap(),
                    held.chosen(&some).own_dense().unwrap()
                );
            }
        }
    }
}

#[test]
fn what_sparse_files_answer_is_what_data_in_memory_answer() {
    let folder = tempfile::tempdir().unwrap();
    let path = write_sparse(folder.path()).remove(0);
    let chains =
        ["", "unit", "counts-per=100,log1p", "tf-idf,unit", "standardize", "log1p,min-max"];
    for chain in chains {
        let mut held = loaded(&path, None);
        let mut kept = loaded(&path, Some(1))
            .holding(|x| x.with_file(|x| Ok(Values::InFile(x.within(500)))).unwrap());
        if !chain.is_empty() {
            let mut steps: Pipeline = chain.parse().unwrap();
            let dropped = steps.fit_apply_with(&mut held, ZeroSamples::Keep).unwrap();
            let mut steps: Pipeline = chain.parse().unwrap();
            assert_eq!(steps.fit_apply_with(&mut kept, ZeroSamples::Keep).unwrap(), dropped);
        }
        let (held, kept) = (held.x, kept.x);
        assert!(kept.in_file().is_some() && kept.entries_held().is_some(), "{chain}");
        let close = |a: &[f64], b: &[f64], what: &str| {
            assert_eq!(a.len(), b.len(), "{chain}: {what}");
            let most = a.iter().fold(1e-300f64, |most, v| most.max(v.abs()));
            let apart = a.iter().zip(b).fold(0.0f64, |most, (a, b)| most.max((a - b).abs()));
            assert!(apart <= 1e-13 * most, "{chain}: {what} differ by {apart} of {most}");
        };
        let z = Matrix::from_fn(FEATURES, 3, |i, k| ((i * 5 + k * 3) % 7) as f64 - 2.5);
        let h = Matrix::from_fn(3, SAMPLES, |k, j| ((j * 3 + k * 7) % 5) as f64);
        let product = |x: &Values<f64>, wide: bool| {
            let (mut a, mut b) = (Matrix::zeros(3, SAMPLES), Matrix::zeros(FEATURES, 3));
            if wide {
                x.wide_tr_mul(&z, &mut a).and(x.wide_mul_tr(&h, &mut b)).unwrap();
            } else {
                x.tr_mul(&z, &mut a).and(x.mul_tr(&h, &mut b)).unwrap();
            }
            [a.into_vec(), b.into_vec()].concat()
        };
        close(&product(&held, false), &product(&kept, false), "products");
        close(&product(&held, true), &product(&kept, true), "wide products");
        let gram = |x: &Values<f64>| x.gram_of_features().unwrap().into_vec();
        close(&gram(&held), &gram(&kept), "Gram matrices");
        let numbers = |x: &Values<f64>| {
            [x.norm_sq(), x.entry_sum(), x.residual_norm_sq(&z, &h)].map(Result::unwrap)
        };
        close(&numbers(&held), &numbers(&kept), "sums");
        close(&held.sample_norms_sq().unwrap(), &kept.sample_norms_sq().unwrap(), "lengths");
        for wanted in [0.0, 3.0, 10.0] {
            let found = |x: &Values<f64>| x.find_entry(&|v| v > wanted).unwrap();
            assert_eq!(found(&held), found(&kept), "{chain}: above {wanted}");
        }
        let error = |x: &Values<f64>| SemiNmf::new(3).fit(x).unwrap().summary.error;
        close(&[error(&held)], &[error(&kept)], "errors");
        if held.find_entry(&|v| v < 0.0).unwrap().is_none() {
            for divergence in [deepnmf::Divergence::Frobenius, deepnmf::Divergence::KullbackLeibler]
            {
                let nmf = Nmf::new(3).divergence(divergence);
                let (a, b) = (nmf.fit(&held).unwrap(), nmf.fit(&kept).unwrap());
                assert!((a.summary.error / b.summary.error - 1.0).abs() < 1e-8, "{chain}");
                let of = |model: &deepnmf::Model<f64>, x: &Values<f64>| {
                    model.project(x, 1, deepnmf::Projection::NonNegative).unwrap().into_vec()
                };
                let (a, b) = (of(&a, &held), of(&a, &kept));
                assert!(a.iter().zip(&b).all(|(a, b)| (a - b).abs() <= 1e-8 * (1.0 + a.abs())));
            }
        }
    }
}

#[test]
fn an_entry_that_is_no_number_or_nowhere_is_named_wherever_it_stands() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.npz");
    let list = |kind: &str, numbers: &[f64]| {
        let shape = format!("({},)", numbers.len());
        npy(1, &format!("<{kind}"), false, &shape, &encode(kind, false, numbers))
    };
    let message = |values: &[f64], places: &[f64]| {
        let parts = [
            ("format", npy(1, "|S3", false, "()", b"csr")),
            ("shape", list("i8", &[3.0, 4.0])),
            ("data", list("f8", values)),
            ("indices", list("i4", places)),
            ("indptr", list("i4", &[0.0, 1.0, 1.0, 3.0])),
        ];
        fs::write(&path, zipped(&parts, false)).unwrap();
        let loaded =
            load_any::<f64>(&path, &LoadOptions { memory: Some(0), ..LoadOptions::default() });
        match loaded.map(|data| data.x.norm_sq()) {
            Ok(Ok(norm)) => norm.to_string(),
            Ok(Err(error)) => error.to_string(),
            Err(error) => error.to_string(),
        }
    };
    assert_eq!(message(&[1.0, 2.0, 3.0], &[3.0, 0.0, 1.0]), "14");
    let nan = message(&[1.0, 2.0, f64::NAN], &[3.0, 0.0, 2.0]);
    assert!(nan.contains("sample 3, feature 3 is NaN"), "{nan}");
    for wrong in [[3.0, 0.0, 4.0], [3.0, -1.0, 1.0]] {
        let message = message(&[1.0, 2.0, 3.0], &wrong);
        assert!(message.contains("x.npz") && message.contains("sparse"), "{message}");
    }
}
