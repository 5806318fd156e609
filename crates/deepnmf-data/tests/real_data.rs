//! The real face pictures behind the paper's results, where they are at hand.

#![allow(clippy::float_cmp)] // whole numbers are exact

use std::env;
use std::path::{Path, PathBuf};

use deepnmf_data::{LoadOptions, load};

/// The file, or `None` after a word about why the test is skipped.
#[allow(clippy::print_stderr)] // a skipped test must say so
fn real(name: &str) -> Option<PathBuf> {
    if let Some(folder) = env::var_os("DEEPNMF_DATA") {
        // A relative path starts at the workspace, but tests run in the folder of their crate.
        let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        return Some(workspace.join(folder).join(name));
    }
    assert!(
        env::var("CI").as_deref() != Ok("true"),
        "DEEPNMF_DATA is not set, but no test may be skipped in CI"
    );
    eprintln!("SKIPPED: DEEPNMF_DATA is not set; it should name the folder that holds {name}");
    None
}

#[test]
fn cmu_pie_pose_27_is_68_persons_of_42_pictures_each() {
    let Some(path) = real("PIE_pose27.mat") else {
        return;
    };
    let faces = load::<f32>(&path, &LoadOptions::default()).unwrap();
    assert_eq!(faces.x.shape(), (1024, 2856));
    let persons = faces.attribute("gnd").unwrap();
    assert_eq!(persons.counts(), [42; 68]);
    assert_eq!(persons.class_of(0), Some("1"));
    assert_eq!(persons.class_of(2855), Some("68"));
    // From SciPy's loadmat: fea[1000, 500], fea[100, 7], fea[2855, 0] and fea.sum().
    assert_eq!(faces.x[(500, 1000)], 132.0);
    assert_eq!(faces.x[(7, 100)], 1.0);
    assert_eq!(faces.x[(0, 2855)], 1.0);
    let sum: f64 = faces.x.as_slice().iter().map(|&v| f64::from(v)).sum();
    assert_eq!(sum, 250_451_258.0);
}
