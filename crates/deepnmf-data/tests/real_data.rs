//! The real face pictures behind the paper's results, where they are at hand.

#![allow(clippy::float_cmp)] // whole numbers are exact

use deepnmf_data::{LoadOptions, load};
use deepnmf_testing::real_data;

#[test]
fn cmu_pie_pose_27_is_68_persons_of_42_pictures_each() {
    let Some(path) = real_data("PIE_pose27.mat") else { return };
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
