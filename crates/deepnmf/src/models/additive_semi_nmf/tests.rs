use super::algorithm::AdditiveLoop;
use super::coordinates::Coordinates;
use super::descent::{State, TO_REST, descend};
use super::memberships::Memberships;
use super::*;
use crate::driver::{Algorithm, FitSession};
use crate::matrix::{Incomplete, Matrix, Scalar, symmetric_eigen};
use crate::models::{Factorization, Factors, FitOptions, Model, Notice, SemiNmf};
use crate::persist::{AnyModel, model_from_bytes};
use crate::project::Projection;
use crate::rng::{below, generator, shuffle};
use crate::stop::{StopReason, StopRule};
use crate::testing::{distance, literal_error, literal_product, normal};

/// Labels of two independent attributes, `a` and `b` classes.
pub(super) fn attributes((a, b): (usize, usize), samples: usize, seed: u64) -> Vec<[usize; 2]> {
    let mut rng = generator(seed, 77);
    (0..samples).map(|_| [below(&mut rng, a), below(&mut rng, b)]).collect()
}

/// Samples that are a constant, a centre of each attribute, and noise; the second attribute is weaker.
pub(super) fn planted(labels: &[[usize; 2]], p: usize, noise: f64, seed: u64) -> Matrix<f64> {
    let first = normal::<f64>(p, 20, seed + 100);
    let second = normal::<f64>(p, 20, seed + 200);
    let rest = normal::<f64>(p, labels.len(), seed + 300);
    Matrix::from_fn(p, labels.len(), |i, j| {
        let [a, b] = labels[j];
        3.0 + 2.0 * first[(i, a)] + second[(i, b)] + noise * rest[(i, j)]
    })
}

pub(super) fn seeded(parts: &[usize], seed: u64) -> AdditiveSemiNmf {
    AdditiveSemiNmf::new(parts).with(FitOptions::default().seed(seed))
}

/// The adjusted Rand index by its definition: pairs of samples.
pub(super) fn ari(a: &[usize], b: &[usize]) -> f64 {
    let pairs = |same: &dyn Fn(usize, usize) -> bool| {
        let of = |j: usize| (0..j).filter(|l| same(j, *l)).count();
        (0..a.len()).map(of).sum::<usize>() as f64
    };
    let [in_a, in_b] = [pairs(&|j, l| a[j] == a[l]), pairs(&|j, l| b[j] == b[l])];
    let both = pairs(&|j, l| a[j] == a[l] && b[j] == b[l]);
    let expected = in_a * in_b / pairs(&|_, _| true);
    (both - expected) / (f64::midpoint(in_a, in_b) - expected)
}

/// The labels of one part.
pub(super) fn of_part<T: Scalar>(model: &Model<T>, part: usize) -> Vec<usize> {
    model.part_labels().iter().map(|labels| labels[part - 1]).collect()
}

pub(super) fn coordinates(x: &Matrix<f64>) -> Coordinates {
    let (directions, t) = super::coordinates::Directions::leading(x, 0).unwrap();
    Coordinates::of(x, &directions, t).unwrap()
}

pub(super) fn any_memberships(sizes: &[usize], samples: usize, seed: u64) -> Memberships {
    let mut rng = generator(seed, 5);
    let labels = (0..samples * sizes.len()).map(|i| below(&mut rng, sizes[i % sizes.len()]));
    let held = vec![false; sizes.len()];
    Memberships { sizes: sizes.to_vec(), labels: labels.collect(), held }
}

/// `log det(R R^T + t^2 I)` by its definition, with centres by the pseudo-inverse.
fn literal_objective(samples: &Coordinates, memberships: &Memberships) -> f64 {
    let (d, n) = samples.y.shape();
    let h = memberships.one_hot::<f64>(0..n);
    let inverse = crate::matrix::pseudo_inverse(h.view()).unwrap();
    let centres = literal_product(samples.y.view(), inverse.view());
    let fitted = literal_product(centres.view(), h.view());
    let rest = crate::testing::difference(&samples.y, &fitted);
    let mut a = literal_product(rest.view(), rest.t());
    (0..d).for_each(|i| a[(i, i)] += samples.floor);
    symmetric_eigen(&a).unwrap().0.iter().map(|value| value.ln()).sum()
}

#[test]
fn the_fast_objective_is_the_literal_log_det() {
    for seed in 0..10 {
        let x = normal::<f64>(9, 40, seed);
        let samples = coordinates(&x);
        for sizes in [vec![3, 2], vec![4, 3, 2], vec![30, 5]] {
            let memberships = any_memberships(&sizes, 40, seed);
            let fast = State::of(&samples, &memberships).unwrap().objective;
            let slow = literal_objective(&samples, &memberships);
            assert!((fast - slow).abs() < 1e-7 * slow.abs().max(1.0), "{sizes:?}: {fast} {slow}");
        }
    }
}

/// Samples choose among all combinations, or part after part where these are too many.
#[test]
fn no_round_of_descent_raises_the_objective() {
    for seed in 0..20 {
        let samples = coordinates(&normal::<f64>(12, 90, seed));
        for sizes in [vec![6, 3], vec![4, 3, 2], vec![70, 60], vec![9, 9, 9, 9]] {
            let mut memberships = any_memberships(&sizes, 90, seed);
            let mut state = State::of(&samples, &memberships).unwrap();
            for _ in 0..30 {
                memberships = state.choose(&samples, &memberships);
                let next = State::of(&samples, &memberships).unwrap();
                let rise = next.objective - state.objective;
                assert!(rise < 1e-8, "{sizes:?} seed {seed}: {rise}");
                state = next;
            }
        }
    }
}

#[test]
fn no_step_raises_the_objective() {
    for seed in 0..8 {
        let x = planted(&attributes((5, 3), 80, seed), 15, 1.5, seed);
        let (samples, none) = (coordinates(&x), Memberships::together(vec![1, 1], 80));
        let mut fit = AdditiveLoop::new(samples, &[5, 3], &none, seed, &|| Ok(())).unwrap();
        let mut before = (fit.objective(), fit.error());
        for _ in 0..6 {
            fit.step().unwrap();
            assert!(fit.objective() <= before.0 && fit.error() <= before.1, "seed {seed}");
            before = (fit.objective(), fit.error());
        }
    }
}

/// What is chosen is the least of all sums, of equal ones the first.
#[test]
fn the_joint_choice_is_the_nearest_sum() {
    let sizes = [4, 2, 3];
    let (centres, y) = (normal::<f64>(5, 9, 1), normal::<f64>(5, 300, 2));
    let inner = literal_product(centres.t(), centres.view());
    let mut labels = vec![0; 3 * 300];
    Choice::new(&sizes, &[false; 3], &inner).choose(&centres, y.view(), &mut labels);
    let away = |j: usize, [a, b, c]: [usize; 3]| -> f64 {
        let sum = |i: usize| centres[(i, a)] + centres[(i, 4 + b)] + centres[(i, 6 + c)];
        (0..5).map(|i| (y[(i, j)] - sum(i)).powi(2)).sum()
    };
    for j in 0..300 {
        let chosen = away(j, [labels[3 * j], labels[3 * j + 1], labels[3 * j + 2]]);
        let all = (0..24).map(|i| away(j, [i % 4, i / 4 % 2, i / 8]));
        assert!(chosen <= all.fold(f64::INFINITY, f64::min) + 1e-12);
    }
}

#[test]
fn two_independent_attributes_are_found_apart() {
    for seed in 0..10 {
        let labels = attributes((8, 3), 200, seed);
        let x = planted(&labels, 40, 0.5, seed);
        let model = seeded(&[8, 3], seed).fit(&x).unwrap();
        for part in [1, 2] {
            let truth: Vec<usize> = labels.iter().map(|labels| labels[part - 1]).collect();
            let found = ari(&truth, &of_part(&model, part));
            assert!(found > 0.95, "seed {seed} part {part}: {found}");
        }
    }
}

#[test]
fn attributes_are_found_apart_where_entries_are_missing() {
    for percent in [10, 40] {
        let labels = attributes((5, 3), 400, 3);
        let x = planted(&labels, 40, 0.3, 3);
        let mut rng = generator(9, 1);
        let hidden = |rng: &mut _| below(rng, 100) < percent;
        let places = (0..40).flat_map(|i| (0..400).map(move |j| (i, j)));
        let holes: Vec<_> = places.filter(|_| hidden(&mut rng)).collect();
        let data = Incomplete::with_holes(&x, &holes).unwrap();
        let model = seeded(&[5, 3], 0).fit(&data).unwrap();
        assert_eq!(model.summary.missing, holes.len());
        let again = model.project(&data, 1, Projection::NonNegative).unwrap();
        let of_projected =
            Model { factors: Factors { h: vec![again], ..model.factors.clone() }, ..model.clone() };
        for part in [1, 2] {
            let truth: Vec<usize> = labels.iter().map(|label| label[part - 1]).collect();
            for model in [&model, &of_projected] {
                let found = ari(&of_part(model, part), &truth);
                assert!(found > 0.9, "{percent}%, part {part}: {found}");
            }
        }
    }
}

#[test]
fn one_part_is_semi_nmf_to_the_bit() {
    let x = normal::<f64>(10, 50, 1);
    let options = FitOptions::default().seed(3);
    let alone = AdditiveSemiNmf::new([4]).with(options.clone()).fit(&x).unwrap();
    let plain = SemiNmf::new(4).with(options).fit(&x).unwrap();
    assert!(alone.factors == plain.factors);
    assert_eq!(alone.summary.history, plain.summary.history);
    let new = normal::<f64>(10, 7, 2);
    let of = |model: &Model<f64>| model.project(&new, 1, Projection::NonNegative).unwrap();
    assert_eq!(of(&alone), of(&plain));
}

#[test]
fn samples_of_the_fit_get_their_own_clusters_back() {
    for seed in 0..5 {
        let x = planted(&attributes((6, 4), 120, seed), 30, 2.0, seed);
        let model = seeded(&[6, 4], seed).fit(&x).unwrap();
        for method in [Projection::NonNegative, Projection::Basis] {
            assert_eq!(model.project(&x, 1, method).unwrap(), model.factors.h[0]);
        }
        // One by one, too: no sample depends on its company.
        let some = x.view_columns(7..8).to_matrix();
        let h = model.project(&some, 1, Projection::NonNegative).unwrap();
        assert_eq!(h.col(0), model.factors.h[0].col(7));
    }
}

#[test]
fn new_samples_get_the_clusters_of_their_attributes() {
    let labels = attributes((6, 3), 300, 1);
    let x = planted(&labels, 30, 0.3, 1);
    let old = x.view_columns(0..200).to_matrix();
    let model = seeded(&[6, 3], 0).fit(&old).unwrap();
    let h = model.project(&x, 1, Projection::NonNegative).unwrap();
    for part in [0, 1] {
        let truth: Vec<usize> = labels.iter().map(|labels| labels[part]).collect();
        let found: Vec<usize> =
            model.part_labels_of(&h).iter().map(|labels| labels[part]).collect();
        assert!(ari(&truth, &found) > 0.99);
    }
}

/// Random numbers belong to samples by their place, so starts differ. What samples choose does not, and where
/// attributes are separated neither does the result.
#[test]
fn permuted_samples_have_permuted_clusters() {
    let labels = attributes((6, 3), 120, 4);
    let x = planted(&labels, 30, 0.3, 4);
    let mut order: Vec<usize> = (0..120).collect();
    shuffle(&mut order, &mut generator(1, 1));
    let permuted = Matrix::from_fn(30, 120, |i, j| x[(i, order[j])]);
    let (here, there) = (coordinates(&x), coordinates(&permuted));
    let from = any_memberships(&[6, 3], 120, 9);
    let moved = |m: &Memberships| Memberships {
        labels: order.iter().flat_map(|j| m.labels[2 * j..2 * j + 2].to_vec()).collect(),
        ..m.clone()
    };
    let rest = descend(&here, from.clone(), TO_REST).unwrap();
    let rest_there = descend(&there, moved(&from), TO_REST).unwrap();
    assert_eq!(rest_there.memberships, moved(&rest.memberships));
    let (a, b) = (seeded(&[6, 3], 0).fit(&x).unwrap(), seeded(&[6, 3], 0).fit(&permuted).unwrap());
    for part in [1, 2] {
        let a: Vec<usize> = order.iter().map(|j| of_part(&a, part)[*j]).collect();
        assert!((ari(&a, &of_part(&b, part)) - 1.0).abs() < 1e-12);
    }
}

#[test]
fn rescaled_data_have_the_same_clusters() {
    let x = planted(&attributes((5, 3), 90, 2), 25, 1.0, 2);
    let plain = seeded(&[5, 3], 0).fit(&x).unwrap();
    for scale in [1e-7, 3.0, 1e9] {
        let model = seeded(&[5, 3], 0).fit(&x.map(|v| v * scale)).unwrap();
        assert_eq!(model.part_labels(), plain.part_labels(), "{scale}");
        assert!((model.summary.relative_error / plain.summary.relative_error - 1.0).abs() < 1e-9);
    }
}

#[test]
fn single_precision_agrees_with_double() {
    let labels = attributes((6, 3), 150, 6);
    let x = planted(&labels, 30, 0.3, 6);
    let wide = seeded(&[6, 3], 0).fit(&x).unwrap();
    let narrow = seeded(&[6, 3], 0).fit(&x.cast::<f32>()).unwrap();
    for part in [1, 2] {
        assert!((ari(&of_part(&wide, part), &of_part(&narrow, part)) - 1.0).abs() < 1e-12);
    }
    assert!((narrow.summary.error / wide.summary.error - 1.0).abs() < 1e-4);
    let h = narrow.project(&x.cast::<f32>(), 1, Projection::NonNegative).unwrap();
    assert_eq!(h, narrow.factors.h[0]);
}

#[test]
fn the_mean_is_in_the_first_part_and_the_parts_add_up() {
    let x = planted(&attributes((5, 3), 90, 3), 12, 1.0, 3);
    let model = seeded(&[5, 3], 1).fit(&x).unwrap();
    let (z, h) = (&model.factors.z[0], &model.factors.h[0]);
    assert_eq!(model.part_rows(2).unwrap(), 5..8);
    let one = |part| model.reconstruct_part(part, h).unwrap();
    let sum = Matrix::from_fn(12, 90, |i, j| one(1)[(i, j)] + one(2)[(i, j)]);
    assert!(distance(&sum, &model.factors.reconstruct(1, h).unwrap()) < 1e-12);
    for i in 0..12 {
        let mean = |m: &Matrix<f64>| (0..90).map(|j| m[(i, j)]).sum::<f64>() / 90.0;
        assert!(mean(&one(2)).abs() < 1e-12);
        assert!((mean(&one(1)) - mean(&x)).abs() < 1e-12);
    }
    assert!((literal_error(&x, z, h) / model.summary.error - 1.0).abs() < 1e-9);
    // No other basis has a smaller error: what is left over is orthogonal to the features.
    let left = crate::testing::difference(&x, &literal_product(z.view(), h.view()));
    assert!(literal_product(left.view(), h.t()).norm_sq().sqrt() < 1e-9);
    let told = model.part_rows(3).unwrap_err().to_string();
    assert!(told.contains("the part is 3") && told.contains("parts 1 to 2"), "{told}");
}

#[test]
fn parts_that_do_not_fit_are_refused_in_words() {
    let x = normal::<f64>(4, 9, 1);
    let told = |parts: &[usize]| seeded(parts, 0).fit(&x).unwrap_err().to_string();
    let one = told(&[3, 1]);
    assert!(one.contains("clusters of part 2 is 1") && one.contains("between 2 and 9"), "{one}");
    let many = told(&[10, 2]);
    assert!(many.contains("clusters of part 1 is 10") && many.contains("9 samples"), "{many}");
    let single = seeded(&[2, 2], 0).fit(&normal::<f64>(4, 1, 1)).unwrap_err().to_string();
    assert!(single.contains("1 sample, parts need at least 2"), "{single}");
}

/// Samples that are all alike, that stand there twice, that are zero, and as many clusters as samples.
#[test]
fn odd_data_give_a_sound_answer() {
    let alike = Matrix::from_fn(5, 12, |i, _| 1.0 + i as f64);
    let random = normal::<f64>(5, 12, 1);
    let twice = Matrix::from_fn(5, 24, |i, j| random[(i, j % 12)]);
    let some_zero = Matrix::from_fn(5, 12, |i, j| if j % 3 == 0 { 0.0 } else { random[(i, j)] });
    let no_feature = Matrix::from_fn(5, 12, |i, j| if i == 2 { 0.0 } else { random[(i, j)] });
    let narrow = normal::<f64>(1, 12, 2);
    let zero = Matrix::zeros(5, 12);
    for x in [alike, twice, some_zero, no_feature, narrow, zero] {
        for parts in [vec![3, 2], vec![12, 12], vec![2, 2, 2]] {
            let model = seeded(&parts, 0).fit(&x).unwrap();
            assert!(model.factors.z[0].as_slice().iter().all(|v| v.is_finite()));
            assert!(model.summary.relative_error <= 1.0 + 1e-9);
            assert_eq!(model.project(&x, 1, Projection::Basis).unwrap(), model.factors.h[0]);
            for h in model.factors.h[0].columns() {
                let ones = |rows: std::ops::Range<usize>| h[rows].iter().sum::<f64>();
                let all: f64 = (1..=parts.len()).map(|i| ones(model.part_rows(i).unwrap())).sum();
                assert!((all - parts.len() as f64).abs() < 1e-12);
            }
        }
    }
    let x = Matrix::from_fn(5, 12, |i, _| 1.0 + i as f64);
    assert!(seeded(&[3, 2], 0).fit(&x).unwrap().summary.relative_error < 1e-12);
}

#[test]
fn the_same_seed_gives_the_same_bits_at_any_number_of_threads() {
    let x = planted(&attributes((5, 3), 700, 5), 20, 1.0, 5);
    let fit = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| seeded(&[5, 3], 7).fit(&x).unwrap())
    };
    let (one, three) = (fit(1), fit(3));
    assert!(one.factors == three.factors);
    assert_eq!(one.summary.history, three.summary.history);
}

/// Who stops it early gets random clusters with the best centres for them, and is told so.
#[test]
fn a_fit_without_time_is_no_worse_than_zeros_and_says_so() {
    let x = planted(&attributes((5, 3), 90, 8), 20, 1.0, 8);
    let stop = StopRule { max_seconds: Some(0.0), ..StopRule::default() };
    let model =
        AdditiveSemiNmf::new([5, 3]).with(FitOptions::default().stop(stop)).fit(&x).unwrap();
    assert_eq!(model.summary.stop, StopReason::TimeBudget);
    assert!(model.summary.relative_error <= 1.0);
    let said = |n: &Notice| matches!(n, Notice::InitializationCutShort { .. });
    assert!(model.summary.notices.iter().any(said));
}

#[test]
fn a_model_comes_back_from_a_file_bit_for_bit() {
    let x = planted(&attributes((5, 3), 90, 9), 20, 1.0, 9);
    for parts in [vec![5, 3], vec![4]] {
        let model = seeded(&parts, 0).fit_in(&x, &[], &mut FitSession::new()).unwrap();
        let bytes = model.to_bytes().unwrap();
        let back = crate::persist::model_from_bytes(&bytes).unwrap();
        let crate::persist::AnyModel::F64(back) = back else { panic!("f64") };
        assert!(back.factors == model.factors);
        assert_eq!(back.settings, model.settings);
        let of = |model: &Model<f64>| model.project(&x, 1, Projection::Basis).unwrap();
        assert_eq!(of(&back), of(&model));
    }
}

/// Two attributes, and nothing else.
#[test]
fn parts_that_nobody_names_are_found_and_noise_has_none() {
    let labels = attributes((5, 3), 240, 3);
    let x = planted(&labels, 30, 0.3, 3);
    let model = AdditiveSemiNmf::auto().fit(&x).unwrap();
    let parts = model.settings.parts();
    assert!(parts.len() >= 2, "{parts:?}");
    let found = |attribute: usize| {
        let truth: Vec<usize> = labels.iter().map(|l| l[attribute]).collect();
        (1..=parts.len()).map(|part| ari(&truth, &of_part(&model, part))).fold(0.0, f64::max)
    };
    assert!(found(0) > 0.9 && found(1) > 0.9, "{parts:?}: {} {}", found(0), found(1));
    let told = model.summary.notices.iter().filter(|n| matches!(n, Notice::PartFound { .. }));
    assert_eq!(told.count(), parts.len());
    let noise = normal::<f64>(30, 240, 9);
    let refused = AdditiveSemiNmf::auto().fit(&noise).unwrap_err().to_string();
    assert!(refused.contains("no structure beyond noise"), "{refused}");
}

/// Labels of every `share`-th sample.
fn some_of(labels: &[usize], share: usize) -> Vec<Option<u32>> {
    let code = |label: usize| u32::try_from(label).unwrap();
    let known = |(j, label): (usize, &usize)| (j * 7 % share == 0).then(|| code(*label));
    labels.iter().enumerate().map(known).collect()
}

fn share_right(found: &[u32], labels: &[usize]) -> f64 {
    let right = found.iter().zip(labels).filter(|(a, b)| **a as usize == **b).count();
    right as f64 / labels.len() as f64
}

/// Few labels of the small attribute beside a part that is found, and the other way round, wherever the part stands.
#[test]
fn a_part_with_few_labels_stands_beside_one_without_any() {
    let both = attributes((8, 3), 240, 3);
    let x = planted(&both, 30, 0.5, 3);
    let [large, small] = [0, 1].map(|i| both.iter().map(|of| of[i]).collect::<Vec<usize>>());
    let cases = [(&small, 20, false), (&large, 4, true)];
    for (known, share, before) in cases {
        let found = if before { &small } else { &large };
        let sizes = if before { 3 } else { 8 };
        let labels = some_of(known, share);
        for first in [true, false] {
            let parts = if first { [0, sizes] } else { [sizes, 0] };
            let place = usize::from(!first);
            let given = if first { [Some(&labels[..]), None] } else { [None, Some(&labels[..])] };
            let fitted = seeded(&parts, 0).fit_labelled(&x, &given).unwrap();
            let told = format!("{parts:?} {:?}", fitted.predictors[0].info);
            assert_eq!(fitted.predictors[0].info.before_parts, before, "{told}");
            let predicted = fitted.predict(&x, place).unwrap();
            assert!(share_right(&predicted.classes, known) > 0.98, "{told}");
            let apart = ari(&of_part(&fitted, 2 - place), found);
            assert!(apart > 0.98, "{apart} {told}");
            // Samples of the fit get its clusters as new ones, from a file, too.
            let AnyModel::F64(read) = model_from_bytes(&fitted.to_bytes().unwrap()).unwrap() else {
                panic!("the numbers have 64 bits");
            };
            for method in [Projection::Basis, Projection::NonNegative] {
                assert!(read.project(&x, 1, method).unwrap() == fitted.factors.h[0], "{told}");
            }
            assert_eq!(read.predict(&x, place).unwrap(), predicted);
            // No unit of the data has an effect.
            let larger = seeded(&parts, 0).fit_labelled(&x.map(|v| 1024.0 * v), &given).unwrap();
            assert!(larger.factors.h[0] == fitted.factors.h[0], "{told}");
            let tiny = x.map(|v| v * 2f64.powi(-800));
            let there = seeded(&parts, 0).fit_labelled(&tiny, &given).unwrap();
            assert_eq!(there.predict(&tiny, place).unwrap().classes, predicted.classes, "{told}");
            // Its clusters are what is predicted, numbered as the classes are.
            let labels = of_part(&fitted, place + 1);
            assert!(labels.iter().zip(&predicted.classes).all(|(a, b)| *a == *b as usize));
        }
    }
}

#[test]
fn labels_that_do_not_fit_the_parts_are_refused_in_words() {
    let labels = attributes((4, 3), 60, 1);
    let x = planted(&labels, 20, 0.5, 1);
    let known = some_of(&labels.iter().map(|of| of[1]).collect::<Vec<_>>(), 3);
    let told = |parts: &[usize], given: &[Option<&[Option<u32>]>]| {
        seeded(parts, 0).fit_labelled(&x, given).unwrap_err().to_string()
    };
    let text = told(&[4, 5], &[None, Some(&known)]);
    assert!(text.contains("part 2 is 5") && text.contains("give 3 or 0"), "{text}");
    let text = told(&[0, 0], &[Some(&known), Some(&known)]);
    assert!(text.contains("at least one part"), "{text}");
    let text = told(&[4, 0], &[Some(&known)]);
    assert!(text.contains("each of the 2 parts"), "{text}");
    let text = told(&[4, 0], &[None, Some(&[Some(1); 60])]);
    assert!(text.contains("two classes"), "{text}");
    let text = told(&[4, 0], &[]);
    assert!(text.contains("part 2 is 0"), "{text}");
    let text = told(&[], &[Some(&known)]);
    assert!(text.contains("finds out"), "{text}");
}
