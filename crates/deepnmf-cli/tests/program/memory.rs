//! Samples that stay in their file, so that a fit takes no more memory than it may.

use std::fs::File;
use std::io::{BufWriter, Write};

use serde_json::Value;

use crate::common::{Folder, number};

const SAMPLES: usize = 60_000;
const FEATURES: usize = 500;

/// 120 MB of numbers, products of six components and a little more.
fn write(folder: &Folder) {
    let mut file = BufWriter::new(File::create(folder.path("x.npy")).unwrap());
    let header =
        format!("{{'descr': '<f4', 'fortran_order': False, 'shape': ({SAMPLES}, {FEATURES}), }}\n");
    file.write_all(b"\x93NUMPY\x01\x00").unwrap();
    file.write_all(&u16::try_from(header.len()).unwrap().to_le_bytes()).unwrap();
    file.write_all(header.as_bytes()).unwrap();
    let mut state = 1u32;
    let mut random = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        f32::from(u16::try_from(state >> 16).unwrap()) / 65_536.0
    };
    let basis: Vec<f32> = (0..6 * FEATURES).map(|_| random().powi(3)).collect();
    let mut sample = vec![0u8; 4 * FEATURES];
    for _ in 0..SAMPLES {
        let usage: Vec<f32> = (0..6).map(|_| random().powi(4)).collect();
        for (i, bytes) in sample.chunks_exact_mut(4).enumerate() {
            let value: f32 = (0..6).map(|r| usage[r] * basis[r * FEATURES + i]).sum();
            bytes.copy_from_slice(&(value + 0.01 * random()).to_le_bytes());
        }
        file.write_all(&sample).unwrap();
    }
    file.into_inner().unwrap();
}

#[test]
#[cfg(target_os = "linux")] // elsewhere nobody tells how much memory was taken
fn a_fit_takes_no_more_memory_than_it_may_and_comes_to_the_same() {
    let folder = Folder::new();
    write(&folder);
    for model in ["semi-nmf", "nmf"] {
        let flags =
            format!("x.npy --model {model} --layers 6 --dtype f32 --max-iter 5 --threads 2");
        let fit = |memory: &str| -> Value {
            folder.fit(&format!("{flags} {memory} --out {model}.safetensors"))
        };
        let (whole, blocks) = (fit(""), fit("--memory 120MB"));
        assert!(whole["in_file"].is_null());
        assert_eq!(blocks["in_file"], 4 * SAMPLES * FEATURES);
        let peak = number(&blocks, "memory_peak");
        assert!(peak < 1.1 * 120e6, "{model}: {peak}");
        assert!(number(&whole, "memory_peak") > 1.1 * 120e6, "data in memory would show");
        let (a, b) = (number(&whole, "error"), number(&blocks, "error"));
        assert!((a - b).abs() < 1e-4 * a, "{model}: {a} and {b}");
        // New samples are read in the same way as those of the fit.
        let features = folder.json(&format!("transform {model}.safetensors x.npy --out h.npy"));
        assert!((number(&features, "error") - b).abs() < 0.01 * b);
    }
}

#[test]
fn a_plan_says_what_stays_in_the_file() {
    let folder = Folder::new();
    write(&folder);
    let flags = "x.npy --layers 6 --dtype f32 --memory 120MB --plan";
    let plan = folder.fit(flags);
    assert_eq!(plan["in_file"], 4 * SAMPLES * FEATURES);
    assert!(number(&plan, "blocks") < 60e6 && number(&plan, "memory") < 120e6);
    let text = folder.run(&format!("fit {flags}")).stdout;
    assert!(text.contains("120 MB stay in their file"), "{text}");
    // With enough there is nothing to leave out.
    let plan = folder.fit("x.npy --layers 6 --dtype f32 --memory 1GB --plan");
    assert!(plan["in_file"].is_null());
}

#[test]
#[cfg(target_os = "linux")]
fn features_larger_than_the_memory_go_to_files() {
    let folder = Folder::new();
    write(&folder);
    let fit = |memory: &str| -> Value {
        let flags = "x.npy --layers 300 --init random --dtype f32 --max-iter 2 --threads 2";
        folder.fit(&format!("{flags} {memory} --out m.safetensors"))
    };
    let (whole, files) = (fit(""), fit("--memory 200MB"));
    assert_eq!(number(&whole, "mapped").to_bits(), 0);
    assert!(number(&files, "mapped") > 200e6, "more than there is memory for");
    let peak = number(&files, "memory_peak");
    assert!(peak < 1.1 * 200e6, "{peak}");
    let (a, b) = (number(&whole, "error"), number(&files, "error"));
    assert!((a - b).abs() < 1e-4 * a, "{a} and {b}");
}

#[test]
fn too_little_memory_is_refused_before_the_work() {
    let folder = Folder::new();
    write(&folder);
    folder.write("x.csv", "1,2,3\n4,5,6\n".repeat(200_000));
    for data in ["x.npy", "x.csv --header no"] {
        folder.refuses(
            &format!("fit {data} --layers 2 --memory 4MB --out m.safetensors"),
            1,
            &["--memory allows 4 MB", "the least that works is"],
        );
    }
    for wrong in ["12", "many", "-1GB", "3XB", "1e30TB"] {
        let run = folder.run(&format!("fit x.npy --layers 2 --memory={wrong}"));
        assert_eq!(run.code, Some(2), "{run}");
        assert!(run.stderr.contains("--memory"), "{run}");
    }
}
