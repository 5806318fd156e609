#![allow(clippy::float_cmp)] // equal means equal here

use super::*;

#[test]
fn one_run_has_a_mean_but_no_deviation() {
    let one = spread(&[0.5]).unwrap();
    assert_eq!((one.mean, one.deviation), (0.5, None));
    assert!(spread(&[]).is_err());
    assert!(spread(&[1.0, f64::NAN]).unwrap_err().to_string().contains("entry 2"));
}

#[test]
fn a_paired_t_test_gives_the_value_of_scipy() {
    // scipy.stats.ttest_rel([1, 2, 3, 4, 6], [0, 2, 1, 3, 3])
    let test = paired_t_test(&[1.0, 2.0, 3.0, 4.0, 6.0], &[0.0, 2.0, 1.0, 3.0, 3.0]).unwrap();
    let Verdict::Tested { t, p, effect_size } = test.verdict else { panic!("{test:?}") };
    assert!((t - 2.745_625_891_934_577_6).abs() < 1e-12);
    assert!((p - 0.051_605_957_811_174_75).abs() < 1e-10);
    assert!((effect_size - t / 5f64.sqrt()).abs() < 1e-15);
}

#[test]
fn degenerate_pairs_are_explained_and_never_nan() {
    let same = paired_t_test(&[0.1, 0.2], &[0.1, 0.2]).unwrap();
    assert_eq!(same.verdict, Verdict::Identical);
    // 0.1 + 0.2 - 0.2 is not quite 0.1: rounding is no deviation.
    let constant = paired_t_test(&[0.3, 0.4, 1.1], &[0.2, 0.3, 1.0]).unwrap();
    assert_eq!(constant.verdict, Verdict::ConstantDifference);
    assert!(constant.explain().contains("does not vary"));
    assert!(paired_t_test(&[1.0], &[2.0]).is_err());
    assert!(paired_t_test(&[1.0, 2.0], &[2.0]).is_err());
    assert!(paired_t_test(&[1.0, f64::INFINITY], &[2.0, 1.0]).is_err());
}

#[test]
fn the_area_of_a_constant_curve_is_its_height_in_any_order() {
    assert_eq!(area_under_curve(&[(70.0, 0.5), (20.0, 0.5), (30.0, 0.5)]).unwrap(), 0.5);
    assert!(area_under_curve(&[(1.0, 0.5)]).is_err());
    assert!(area_under_curve(&[(1.0, 0.5), (1.0, 0.6)]).is_err());
    assert!(area_under_curve(&[(1.0, 0.5), (f64::NAN, 0.6)]).is_err());
}

#[test]
fn the_best_run_has_the_least_inertia_and_is_a_number() {
    assert_eq!(best_by_inertia(&[3.0, f64::NAN, 1.0, 1.0]), Some(2));
    assert_eq!(best_by_inertia(&[]), None);
    assert_eq!(best_by_inertia(&[f64::NAN]), None);
}

#[test]
fn a_test_is_one_flat_record_in_json() {
    let test = paired_t_test(&[1.0, 2.0, 4.0], &[0.0, 2.0, 1.0]).unwrap();
    let json = serde_json::to_value(test).unwrap();
    assert_eq!(json["verdict"], "tested");
    assert_eq!(serde_json::from_value::<PairedTest>(json).unwrap(), test);
}
