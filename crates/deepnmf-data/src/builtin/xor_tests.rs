use super::*;

fn bits(xor: &Xor) -> Vec<u64> {
    xor.generate::<f64>().unwrap().x.as_slice().iter().map(|v| v.to_bits()).collect()
}

#[test]
fn the_pose_shows_in_one_coordinate_and_the_identity_only_in_both() {
    let xor = Xor::default().generate::<f64>().unwrap();
    let (identity, pose) = (&xor.attributes[0], &xor.attributes[1]);
    for (j, x) in xor.x.columns().enumerate() {
        assert_eq!(pose.class_of(j), Some(if x[0] < 0.0 { "1" } else { "2" }), "{x:?}");
        assert_eq!(identity.class_of(j), Some(if x[0] * x[1] > 0.0 { "1" } else { "2" }), "{x:?}");
    }
    // Both identities have the same mean, so that no line has more than chance to tell them apart.
    for coordinate in 0..2 {
        for class in ["1", "2"] {
            let of = |j: &usize| identity.class_of(*j) == Some(class);
            let sum: f64 = (0..400).filter(of).map(|j| xor.x[(coordinate, j)]).sum();
            assert!((sum / 200.0).abs() < 0.3, "{sum}");
        }
    }
}

#[test]
fn every_corner_has_the_deviation_asked_for() {
    let xor = Xor::default().samples(4000).sigma(2.0).generate::<f64>().unwrap();
    let corner: Vec<f64> = (0..4000).map(|j| xor.x[(0, j)]).collect();
    let mean = corner.iter().sum::<f64>() / 4000.0;
    let variance = corner.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / 4000.0;
    assert!((mean + 4.0).abs() < 0.15 && (variance.sqrt() - 2.0).abs() < 0.1);
}

#[test]
fn a_seed_means_the_same_samples() {
    assert_eq!(bits(&Xor::default()), bits(&Xor::default()));
    assert_ne!(bits(&Xor::default()), bits(&Xor::default().seed(1)));
}

#[test]
fn options_are_read_and_checked() {
    let parsed = Xor::parse("samples=5, sigma=0.5,distance=3,seed=9").unwrap();
    assert_eq!(parsed, Xor::default().samples(5).sigma(0.5).distance(3.0).seed(9));
    for bad in
        ["samples=0", "sigma=-1", "sigma=nan", "distance=inf", "size=3", "sigma", "seed=1,seed=1"]
    {
        assert!(Xor::parse(bad).is_err(), "{bad}");
    }
}
