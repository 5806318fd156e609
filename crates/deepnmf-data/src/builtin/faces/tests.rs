use std::collections::HashSet;

use deepnmf::Matrix;

use super::{BuiltinError, Faces};
use crate::builtin::generate;

fn small() -> Faces {
    Faces::default().identities(3).poses(3).size(16)
}

fn pixels(faces: &Faces) -> Matrix<f64> {
    faces.generate().unwrap().x
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt()
}

#[test]
fn same_seed_gives_the_same_bits() {
    let (once, again) = (pixels(&small().seed(5)), pixels(&small().seed(5)));
    let bits = |x: &Matrix<f64>| x.as_slice().iter().map(|v| v.to_bits()).collect::<Vec<_>>();
    assert_eq!(bits(&once), bits(&again));
}

/// These numbers were computed once; they hold on every platform and for every later version.
#[test]
fn a_seed_means_the_same_picture_for_ever() {
    let image = pixels(&small().seed(1));
    let checksum = image.as_slice().iter().fold(0u64, |sum, value| {
        sum.rotate_left(5).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ value.to_bits()
    });
    assert_eq!(checksum, CHECKSUM, "{checksum:#x}");
}
const CHECKSUM: u64 = 0xb612_89dd_b9be_a472;

#[test]
fn another_seed_gives_other_people() {
    let (one, other) = (pixels(&small().noise(0.0)), pixels(&small().noise(0.0).seed(1)));
    assert!(distance(one.col(0), other.col(0)) > 0.3);
}

#[test]
fn adding_identities_leaves_the_earlier_ones_unchanged() {
    let (few, many) = (pixels(&small()), pixels(&small().identities(5)));
    assert_eq!(few.as_slice(), &many.as_slice()[..few.as_slice().len()]);
}

#[test]
fn every_combination_of_attributes_appears_once() {
    let faces = small().expressions(6).illuminations(8).generate::<f32>().unwrap();
    let names: Vec<_> = faces.attributes.iter().map(|a| a.name.as_str()).collect();
    assert_eq!(names, ["identity", "pose", "expression", "illumination"]);
    let classes: Vec<_> = faces.attributes.iter().map(|a| a.classes().len()).collect();
    assert_eq!(classes, [3, 3, 6, 8]);
    let combinations: HashSet<Vec<_>> = (0..faces.samples())
        .map(|j| faces.attributes.iter().map(|a| a.class_of(j).unwrap()).collect())
        .collect();
    assert_eq!(combinations.len(), 3 * 3 * 6 * 8);
    assert_eq!(faces.samples(), combinations.len());
}

#[test]
fn pixels_stay_between_zero_and_one() {
    let faces = pixels(&small().noise(2.0).illuminations(8));
    assert!(faces.as_slice().iter().all(|value| (0.0..=1.0).contains(value)));
}

/// Each attribute on its own changes the picture, and by more than rounding.
#[test]
fn noise_free_images_that_differ_in_one_attribute_differ() {
    let faces = small().noise(0.0).expressions(6).illuminations(8).generate::<f64>().unwrap();
    let label = |j: usize| faces.attributes.iter().map(|a| a.codes()[j]).collect::<Vec<_>>();
    for j in 0..faces.samples() {
        let differing = |&k: &usize| label(j).iter().zip(label(k)).filter(|(a, b)| *a != b).count();
        for k in (0..j).filter(|k| differing(k) == 1) {
            assert!(
                distance(faces.x.col(j), faces.x.col(k)) > 0.05,
                "{:?} {:?}",
                label(j),
                label(k)
            );
        }
    }
}

#[test]
fn noise_free_images_of_one_identity_differ_by_pose() {
    let faces = pixels(&small().noise(0.0).poses(9).expressions(1).illuminations(1));
    for pose in 1..9 {
        assert!(distance(faces.col(pose - 1), faces.col(pose)) > 0.3);
    }
}

/// The light is to blame for most of the variance, as in photographs.
#[test]
fn illumination_explains_more_than_any_other_attribute() {
    let faces = Faces::default().identities(6).generate::<f64>().unwrap();
    let share: Vec<_> = (0..4)
        .map(|which| variance_between_classes(&faces.x, faces.attributes[which].codes()))
        .collect();
    assert!(share[3] > share[0] && share[0] > share[1] && share[1] > share[2], "{share:?}");
}

/// The squared distances of the class means to the mean of all, weighted by class size.
fn variance_between_classes(x: &Matrix<f64>, codes: &[Option<u32>]) -> f64 {
    let mean = |members: Vec<usize>| -> Vec<f64> {
        let sum = |i: usize| members.iter().map(|&j| x[(i, j)]).sum::<f64>();
        (0..x.rows()).map(|i| sum(i) / members.len() as f64).collect()
    };
    let overall = mean((0..x.cols()).collect());
    let classes: HashSet<_> = codes.iter().collect();
    let spread = |class| {
        let members: Vec<_> = (0..x.cols()).filter(|&j| codes[j] == class).collect();
        let weight = members.len() as f64;
        weight * distance(&mean(members), &overall).powi(2)
    };
    classes.into_iter().map(|&class| spread(class)).sum()
}

#[test]
fn noise_has_the_standard_deviation_asked_for() {
    // Far from black and white, where nothing is cut off: only the wall in the upper corner.
    let (clean, noisy) = (pixels(&small().noise(0.0)), pixels(&small().noise(0.05)));
    let errors: Vec<f64> = clean
        .columns()
        .zip(noisy.columns())
        .flat_map(|(a, b)| a[..3].iter().zip(&b[..3]).map(|(a, b)| b - a).collect::<Vec<_>>())
        .collect();
    let deviation = (errors.iter().map(|e| e * e).sum::<f64>() / errors.len() as f64).sqrt();
    assert!((0.04..0.06).contains(&deviation), "{deviation}");
}

#[test]
fn a_single_pose_looks_straight_ahead() {
    let faces = small().poses(1).generate::<f32>().unwrap();
    assert_eq!(faces.attribute("pose").unwrap().classes(), ["0"]);
}

#[test]
fn float32_is_float64_rounded() {
    assert_eq!(small().generate::<f32>().unwrap().x, pixels(&small()).cast::<f32>());
}

#[test]
fn parsed_options_are_those_of_the_builder() {
    let text = " identities=4, poses=3,expressions=2,illuminations=1,noise=0.5,seed=9,size=20 ";
    let built = Faces::default().identities(4).poses(3).expressions(2).illuminations(1);
    assert_eq!(Faces::parse(text).unwrap(), built.noise(0.5).seed(9).size(20));
    assert_eq!(Faces::parse("").unwrap(), Faces::default());
}

#[test]
fn wrong_options_are_named_with_what_would_be_accepted() {
    let message = |options: &str| Faces::parse(options).unwrap_err().to_string();
    for (options, parts) in [
        (
            "people=3",
            ["\"people\"", "identities, poses, expressions, illuminations, noise, seed, size"],
        ),
        ("poses", ["\"poses\"", "key=value"]),
        ("poses=3,", ["\"\"", "key=value"]),
        ("poses=3,poses=4", ["poses", "twice"]),
        ("poses=three", ["poses is \"three\"", "whole number"]),
        ("identities=-1", ["identities is \"-1\"", "whole number"]),
        ("identities=0", ["identities is \"0\"", "above 0"]),
        ("poses=102", ["poses is \"102\"", "from 1 to 101"]),
        ("expressions=7", ["expressions is \"7\"", "from 1 to 6"]),
        ("illuminations=9", ["illuminations is \"9\"", "from 1 to 8"]),
        ("noise=-0.1", ["noise is \"-0.1\"", "0 or more"]),
        ("noise=NaN", ["noise is \"NaN\"", "0 or more"]),
        ("noise=inf", ["noise is \"inf\"", "0 or more"]),
        ("size=7", ["size is \"7\"", "8 to 1024"]),
        ("identities=4294967295,poses=101", ["samples", "10000000"]),
    ] {
        let message = message(options);
        assert!(parts.iter().all(|part| message.contains(part)), "{options}: {message}");
    }
}

#[test]
fn options_of_the_builder_are_checked_when_generating() {
    let error = Faces::default().noise(f64::NAN).generate::<f32>().unwrap_err();
    assert!(matches!(error, BuiltinError::OutOfRange { key, .. } if key == "noise"));
}

#[test]
fn a_built_in_set_is_found_by_name() {
    let faces = generate::<f32>("faces:identities=1,size=8").unwrap();
    assert_eq!(faces.x.shape(), (64, 45));
    assert_eq!(faces.image_shape.unwrap().width, 8);
    assert_eq!(generate::<f32>("faces").unwrap().samples(), 900);
    let unknown = generate::<f32>("cats:legs=4").unwrap_err().to_string();
    assert!(unknown.contains("\"cats\"") && unknown.contains("faces"));
}
