//! Parts of several layers.

use super::tests::{ari, attributes, of_part, planted, seeded};
use super::*;
use crate::matrix::Matrix;
use crate::models::{Factorization, FitOptions, Model, Settings};
use crate::persist::{AnyModel, model_from_bytes};
use crate::project::Projection;
use crate::testing::{distance, literal_error, literal_product, normal};

fn deep(parts: &[&[usize]], seed: u64) -> AdditiveSemiNmf {
    let parts = parts.iter().map(|part| PartSizes::from(part.to_vec()));
    AdditiveSemiNmf::new(parts).with(FitOptions::default().seed(seed))
}

/// The only row of each column that has a one.
fn members(h: &Matrix<f64>, rows: std::ops::Range<usize>) -> Vec<usize> {
    let member = |h: &[f64]| {
        let of_part = &h[rows.clone()];
        assert!((of_part.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        of_part.iter().position(|v| *v > 0.5).unwrap()
    };
    h.columns().map(member).collect()
}

/// The law of each layer: clusters above are unions of clusters below, their centres the means.
fn check(model: &Model<f64>, x: &Matrix<f64>) {
    let (z, h) = (&model.factors.z, &model.factors.h);
    for layer in 2..=model.factors.depth() {
        let (z_up, below, above) = (&z[layer - 1], &h[layer - 2], &h[layer - 1]);
        for part in 1..=model.settings.parts().len() {
            let rows = model.part_rows_in(layer - 1, part).unwrap();
            let columns = model.part_rows_in(layer, part).unwrap();
            let (lower, upper) = (members(below, rows.clone()), members(above, columns.clone()));
            for b in 0..columns.len() {
                let total = upper.iter().filter(|of| **of == b).count() as f64;
                for a in 0..z_up.rows() {
                    let share = z_up[(a, columns.start + b)];
                    if !rows.contains(&a) {
                        assert!(share.abs() < 1e-12);
                        continue;
                    }
                    let own = lower.iter().filter(|of| **of == a - rows.start).count() as f64;
                    let both = lower.iter().zip(&upper);
                    let both =
                        both.filter(|(l, u)| **l == a - rows.start && **u == b).count() as f64;
                    // All of a cluster are in one above.
                    assert!(both.abs() < 0.5 || (both - own).abs() < 0.5);
                    assert!(total < 0.5 || (share - both / total).abs() < 1e-12);
                }
            }
        }
    }
    let depth = model.factors.depth();
    let basis = model.factors.basis(depth).unwrap();
    assert!((literal_error(x, &basis, &h[depth - 1]) / model.summary.error - 1.0).abs() < 1e-9);
    for (layer, h) in (1..).zip(h) {
        for method in [Projection::Basis, Projection::NonNegative] {
            assert_eq!(model.project(x, layer, method).unwrap(), *h);
        }
    }
}

#[test]
fn clusters_of_a_layer_are_unions_of_those_below_with_their_means() {
    for seed in 0..4 {
        let x = planted(&attributes((6, 3), 150, seed), 25, 1.5, seed);
        check(&deep(&[&[14, 6], &[3]], seed).fit(&x).unwrap(), &x);
        check(&deep(&[&[3], &[14, 9, 5], &[6, 2]], seed).fit(&x).unwrap(), &x);
    }
}

#[test]
fn layer_one_is_the_sum_of_shallow_parts() {
    let x = planted(&attributes((6, 3), 150, 1), 25, 1.5, 1);
    let (both, shallow) =
        (deep(&[&[14, 6], &[3]], 0).fit(&x).unwrap(), seeded(&[14, 3], 0).fit(&x).unwrap());
    assert!(both.factors.z[0] == shallow.factors.z[0] && both.factors.h[0] == shallow.factors.h[0]);
    assert_eq!(both.summary.history, shallow.summary.history);
    // The shallow part is the same in both layers.
    let rows = |layer| both.part_rows_in(layer, 2).unwrap();
    assert_eq!((rows(1), rows(2)), (14..17, 6..9));
    assert_eq!(members(&both.factors.h[0], rows(1)), members(&both.factors.h[1], rows(2)));
}

/// Each class is three clusters along a way of its own. Merged by the growth of `J` they are the classes again.
#[test]
fn a_deep_part_finds_classes_of_many_shapes() {
    let mut mean = 0.0;
    for seed in 0..5 {
        let labels = attributes((6, 3), 270, seed);
        let turns = attributes((3, 2), 270, seed + 50);
        let x = planted(&labels, 40, 0.4, seed);
        let own = normal::<f64>(40, 6, seed + 8);
        let x = Matrix::from_fn(40, 270, |i, j| {
            x[(i, j)] + 0.8 * (turns[j][0] as f64 - 1.0) * own[(i, labels[j][0])]
        });
        let truth: Vec<usize> = labels.iter().map(|of| of[0]).collect();
        mean += ari(&truth, &of_part(&deep(&[&[18, 6], &[3]], seed).fit(&x).unwrap(), 1)) / 5.0;
    }
    assert!(mean > 0.9, "{mean}");
}

#[test]
fn deep_parts_come_back_from_a_file_and_shallow_ones_are_written_as_before() {
    let x = planted(&attributes((5, 3), 90, 9), 20, 1.0, 9);
    let model = deep(&[&[11, 5], &[3]], 0).fit(&x).unwrap();
    let AnyModel::F64(back) = model_from_bytes(&model.to_bytes().unwrap()).unwrap() else {
        panic!("the numbers have 64 bits");
    };
    assert!(back.factors == model.factors && back.settings == model.settings);
    let new = normal::<f64>(20, 13, 1);
    for layer in [1, 2] {
        let of = |model: &Model<f64>| model.project(&new, layer, Projection::Basis).unwrap();
        assert_eq!(of(&back), of(&model));
    }
    let written = |settings: AdditiveSemiNmf| {
        serde_json::to_value(Settings::from(settings)).unwrap()["parts"].clone()
    };
    assert_eq!(written(seeded(&[20, 4], 0)), serde_json::json!([20, 4]));
    assert_eq!(written(deep(&[&[60, 20], &[4]], 0)), serde_json::json!([[60, 20], 4]));
    let read: PartSizes = serde_json::from_str("20").unwrap();
    assert_eq!(read, PartSizes::from(20));
    // Who breaks a file gets a sentence.
    let mut broken = model;
    broken.settings = deep(&[&[], &[3]], 0).into();
    let told = broken.to_bytes().and_then(|bytes| model_from_bytes(&bytes).map(|_| ()));
    assert!(told.is_err());
}

/// A deep part beside one of which some labels are known.
#[test]
fn a_deep_part_stands_beside_one_with_labels() {
    let both = attributes((8, 3), 240, 3);
    let x = planted(&both, 30, 0.5, 3);
    let known =
        |(j, of): (usize, &[usize; 2])| (j % 12 == 0).then(|| u32::try_from(of[1]).unwrap());
    let labels: Vec<Option<u32>> = both.iter().enumerate().map(known).collect();
    let model = deep(&[&[20, 8], &[0]], 0).fit_labelled(&x, &[None, Some(&labels)]).unwrap();
    check(&model, &x);
    let large: Vec<usize> = both.iter().map(|of| of[0]).collect();
    assert!(ari(&large, &of_part(&model, 1)) > 0.95);
    let predicted = model.predict(&x, 1).unwrap();
    let clusters = of_part(&model, 2);
    assert!(clusters.iter().zip(&predicted.classes).all(|(a, b)| *a == *b as usize));
    let right = predicted.classes.iter().zip(&both).filter(|(a, b)| **a as usize == b[1]).count();
    assert!(right * 100 > 97 * 240, "{right}");
}

#[test]
fn deep_parts_that_make_no_sense_are_refused_in_words() {
    let x = planted(&attributes((5, 3), 60, 1), 12, 1.0, 1);
    let told = |parts: &[&[usize]]| deep(parts, 0).fit(&x).unwrap_err().to_string();
    let rising = told(&[&[5, 8], &[3]]);
    assert!(rising.contains("part 1 is 8") || rising.contains("part 1 is 5-8"), "{rising}");
    assert!(rising.contains("it must fall"), "{rising}");
    assert!(told(&[&[8, 1], &[3]]).contains("between 2 and 60"));
    assert!(told(&[&[8, 4]]).contains("beside others"));
    assert!(told(&[&[], &[3]]).contains("name the clusters"));
    let labels = [Some(0), Some(1), Some(0)].repeat(20);
    let labelled = deep(&[&[6, 2], &[3]], 0).fit_labelled(&x, &[Some(&labels), None]);
    assert!(labelled.unwrap_err().to_string().contains("its labels have 2 classes"));
}

/// All alike, zero, and as many clusters as samples.
#[test]
fn odd_data_give_sound_layers() {
    let alike = Matrix::from_fn(5, 12, |i, _| 1.0 + i as f64);
    for x in [alike, Matrix::zeros(5, 12), normal::<f64>(5, 12, 1), normal::<f64>(1, 12, 2)] {
        let model = deep(&[&[12, 5, 2], &[3]], 0).fit(&x).unwrap();
        let top = model.factors.basis(3).unwrap();
        assert!(top.as_slice().iter().all(|v| v.is_finite()));
        for (layer, h) in (1..).zip(&model.factors.h) {
            assert_eq!(model.project(&x, layer, Projection::Basis).unwrap(), *h);
            for part in [1, 2] {
                members(h, model.part_rows_in(layer, part).unwrap());
            }
        }
        // The mean of the samples is in all layers.
        let mean =
            |m: &Matrix<f64>| -> Vec<f64> { m.row_sums().iter().map(|s| s / 12.0).collect() };
        let fitted = literal_product(top.view(), model.factors.h[2].view());
        let column = |m: &Matrix<f64>| Matrix::from_vec(m.rows(), 1, mean(m)).unwrap();
        assert!(distance(&column(&fitted), &column(&x)) < 1e-9);
    }
}
