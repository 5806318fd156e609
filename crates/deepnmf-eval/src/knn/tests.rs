use proptest::prelude::*;

use super::*;
use deepnmf::rng::{generator, uniform};

fn literal(known: &Matrix<f32>, sample: &[f32]) -> usize {
    let distance = |j: &usize| distance_sq(known.col(*j), sample);
    (0..known.cols()).min_by(|a, b| distance(a).total_cmp(&distance(b))).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn the_neighbour_is_truly_the_nearest_even_far_from_the_origin(
        p in 1usize..12, n in 1usize..50, m in 1usize..20, far in 0f64..1e4, seed in any::<u64>(),
    ) {
        let mut rng = generator(seed, 0);
        let mut random = |n| Matrix::from_fn(p, n, |_, _| f32::from_f64(far + uniform(&mut rng)));
        let (known, new) = (random(n), random(m));
        let labels: Vec<usize> = (0..n).collect();
        let found = NearestNeighbour::fit(&known, &labels).unwrap().predict(&new).unwrap();
        for (sample, label) in new.columns().zip(found) {
            prop_assert_eq!(label, literal(&known, sample));
        }
    }
}

#[test]
fn a_remembered_sample_is_its_own_neighbour() {
    let x = Matrix::from_fn(3, 600, |i, j| ((i + 1) * j) as f64);
    let judge = NearestNeighbour::fit(&x, &vec![0; 600]).unwrap();
    assert!(judge.neighbours(&x).unwrap().into_iter().eq(0..600));
}

#[test]
fn samples_that_do_not_fit_are_refused() {
    let x = Matrix::from_fn(2, 3, |i, j| (i + j) as f64);
    assert!(NearestNeighbour::fit(&x, &[1, 2]).is_err());
    assert!(NearestNeighbour::fit(&x.map(|v| v * 1e200), &[1, 2, 3]).is_err());
    let judge = NearestNeighbour::fit(&x, &[1, 2, 3]).unwrap();
    assert!(judge.predict(&Matrix::zeros(3, 1)).is_err());
    assert!(judge.predict(&Matrix::from_vec(2, 1, vec![f64::NAN, 0.0]).unwrap()).is_err());
}
