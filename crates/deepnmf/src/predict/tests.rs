use super::ridge::ridge;
use crate::error::Result;
use crate::graph::LabelGraph;
use crate::matrix::{Matrix, PartColumns, product};
use crate::models::{DeepSemiNmf, DeepWsf, Factorization, Model, SemiNmf, Wsf, WsfMa};
use crate::persist::{AnyModel, model_from_bytes};
use crate::split_tests::on_parts;
use crate::testing::{distance, normal, positive};

/// `e_j` by learning from all samples but `j`, with the ridge as a number.
#[test]
fn the_leave_one_out_error_is_that_of_leaving_one_out() {
    let (a, of): (_, Vec<usize>) = (normal::<f64>(4, 25, 1), (0..25).map(|j| j * j % 3).collect());
    let all = ridge(&a, &of, 3).unwrap();
    // Which ridge was chosen shows in the weights: find it again by its definition.
    let centred = |keep: &[usize]| {
        let mean: Vec<f64> = (0..4)
            .map(|i| keep.iter().map(|j| a[(i, *j)]).sum::<f64>() / keep.len() as f64)
            .collect();
        let share = |c| keep.iter().filter(|j| of[**j] == c).count() as f64 / keep.len() as f64;
        let shares: Vec<f64> = (0..3).map(share).collect();
        let x = Matrix::from_fn(4, keep.len(), |i, j| a[(i, keep[j])] - mean[i]);
        let y = Matrix::from_fn(3, keep.len(), |c, j| {
            f64::from(u8::from(of[keep[j]] == c)) - shares[c]
        });
        (mean, shares, x, y)
    };
    let solve = |keep: &[usize], number: f64| {
        let (mean, shares, x, y) = centred(keep);
        let mut gram = product(x.view(), x.t());
        (0..4).for_each(|i| gram[(i, i)] += number);
        let inverse = crate::matrix::Whitening::of::<f64>(&gram).unwrap().inverse;
        (product(product(y.view(), x.t()).view(), inverse.view()), mean, shares)
    };
    let everybody: Vec<usize> = (0..25).collect();
    let (_, _, x, y) = centred(&everybody);
    let unit = x.norm_sq() / 4.0;
    let mut best = (f64::INFINITY, 0.0, 0.0);
    for share in [1e-4, 1e-3, 3e-3, 1e-2, 3e-2, 0.1, 0.3, 1.0, 3.0, 10.0] {
        let (mut squares, mut wrong) = (0.0, 0.0);
        for left_out in 0..25 {
            let others: Vec<usize> = (0..25).filter(|j| *j != left_out).collect();
            let (w, mean, shares) = solve(&others, share * unit);
            let x = Matrix::from_fn(4, 1, |i, _| a[(i, left_out)] - mean[i]);
            let score = product(w.view(), x.view());
            let score = |c: usize| score[(c, 0)] + shares[c];
            squares += (0..3)
                .map(|c| (f64::from(u8::from(of[left_out] == c)) - score(c)).powi(2))
                .sum::<f64>();
            let found = (1..3).fold(0, |best, c| if score(c) > score(best) { c } else { best });
            wrong += f64::from(u8::from(found != of[left_out]));
        }
        if squares / y.norm_sq() < best.0 {
            best = (squares / y.norm_sq(), wrong / 25.0, share);
        }
    }
    assert!((all.squared_error / best.0 - 1.0).abs() < 1e-9, "{} {best:?}", all.squared_error);
    assert!((all.wrong - best.1).abs() < 1e-12);
    assert!(distance(&all.weights, &solve(&everybody, best.2 * unit).0) < 1e-9);
}

/// Samples that are a sum: of one of ten large vectors, one of three small ones, and noise.
fn mixed(samples: u32) -> (Matrix<f64>, [Vec<u32>; 2]) {
    let n = samples as usize;
    let (large, small) = (positive::<f64>(30, 10, 1), positive::<f64>(30, 3, 2));
    let noise = normal::<f64>(30, n, 3);
    let who: Vec<u32> = (0..samples).map(|j| j * 7 % 10).collect();
    let pose: Vec<u32> = (0..samples).map(|j| (j / 10) % 3).collect();
    let x = Matrix::from_fn(30, n, |i, j| {
        5.0 * large[(i, who[j] as usize)]
            + 0.5 * small[(i, pose[j] as usize)]
            + 0.15 * noise[(i, j)]
    });
    (x, [who, pose])
}

/// Every `share`-th label is known.
fn some(labels: &[u32], share: usize) -> Vec<Option<u32>> {
    let known = |j: usize| (j % 31).is_multiple_of(share);
    labels.iter().enumerate().map(|(j, label)| known(j).then_some(*label)).collect()
}

fn right(found: &[u32], labels: &[u32]) -> f64 {
    let same = found.iter().zip(labels).filter(|(a, b)| a == b).count();
    same as f64 / labels.len() as f64
}

#[test]
fn removing_an_attribute_helps_the_others() {
    let (x, labels) = mixed(300);
    let known = labels.clone().map(|labels| some(&labels, 8));
    let both = DeepWsf::new([14, 12], [0.1, 0.1])
        .fit_labelled(&x, &[Some(&known[1]), Some(&known[0])])
        .unwrap();
    assert_eq!(both.predictors.len(), 2);
    assert!(both.predictors[1].info.after_others, "{:?}", both.predictors[1].info);
    let who = right(&both.predict(&x, 1).unwrap().classes, &labels[0]);
    let pose = right(&both.predict(&x, 0).unwrap().classes, &labels[1]);
    let alone = Wsf::new(14, 0.1).fit_labelled(&x, &[Some(&known[1])]).unwrap();
    let alone = right(&alone.predict(&x, 0).unwrap().classes, &labels[1]);
    assert!(who > 0.99 && pose > 0.95 && pose > alone, "{who} {pose} {alone}");
}

#[test]
fn new_samples_are_predicted_with_margins_and_a_file_keeps_the_machines() {
    let (x, labels) = mixed(300);
    let known = labels.clone().map(|labels| some(&labels, 5));
    let models: [Model<f64>; 3] = [
        WsfMa::new(14, [0.1, 0.1])
            .graph(LabelGraph::Rbf { sigma: None })
            .fit_labelled(&x, &[Some(&known[0]), Some(&known[1])])
            .unwrap(),
        DeepWsf::new([14, 12], [0.1, 0.1])
            .fit_labelled(&x, &[Some(&known[0]), Some(&known[1])])
            .unwrap(),
        DeepWsf::of(DeepSemiNmf::new([14, 12]).activation(crate::Activation::Relu), [0.1, 0.1])
            .fit_labelled(&x, &[Some(&known[0]), Some(&known[1])])
            .unwrap(),
    ];
    let (new, truth) = mixed(340);
    let new = new.view_columns(300..340).to_matrix();
    for model in models {
        let AnyModel::F64(read) = model_from_bytes(&model.to_bytes().unwrap()).unwrap() else {
            panic!("the numbers have 64 bits");
        };
        assert_eq!(read.predictors, model.predictors);
        for attribute in [0, 1] {
            let found = model.predict(&new, attribute).unwrap();
            assert_eq!(found, read.predict(&new, attribute).unwrap());
            assert!(right(&found.classes, &truth[attribute][300..]) > 0.9);
            assert!(found.margins.iter().all(|margin| *margin >= 0.0));
        }
        let told = model.predict(&new, 2).unwrap_err().to_string();
        assert!(told.contains("attribute 1, 2") || told.contains("attribute 2, 1"), "{told}");
    }
    let told = SemiNmf::new(3).fit(&x).unwrap().predict(&new, 0).unwrap_err().to_string();
    assert!(told.contains("labels"), "{told}");
}

#[test]
fn machines_are_the_same_on_parts_as_in_one_place() -> Result<()> {
    let (x, labels) = mixed(61);
    let known = labels.map(|labels| some(&labels, 2));
    let wsf = WsfMa::new(9, [0.1, 0.1]);
    let whole = wsf.fit_labelled(&x, &[Some(&known[0]), Some(&known[1])])?;
    for sizes in [&[20, 41][..], &[7, 0, 54]] {
        let parts = on_parts(sizes, |parts| {
            let own = x.view_columns(parts.range()).to_matrix();
            let of = |place: usize| Some(&known[place][parts.range()]);
            wsf.fit_labelled(&PartColumns::new(own.view(), parts), &[of(0), of(1)]).unwrap()
        });
        for part in parts {
            for (a, b) in part.predictors.iter().zip(&whole.predictors) {
                assert_eq!(a.info.attribute, b.info.attribute);
                assert!(distance(&a.weights, &b.weights) < 1e-6);
            }
        }
    }
    Ok(())
}
