use deepnmf::{Factorization, MultilayerNmf, Nmf, SemiNmf};

use super::*;

/// Two topics of four words each, which share the last word, and a word that nobody uses.
fn documents() -> Matrix<f64> {
    Matrix::from_fn(8, 40, |i, j| {
        let of_topic = if j % 2 == 0 { i < 3 } else { (3..6).contains(&i) };
        let used = of_topic && (i + j / 2) % 3 != 0;
        if used || i == 6 { 1.0 + ((i * j) % 3) as f64 } else { 0.0 }
    })
}

fn literal_npmi(x: &Matrix<f64>, a: usize, b: usize) -> f64 {
    let n = x.cols() as f64;
    let share = |wanted: &[usize]| {
        (0..x.cols()).filter(|j| wanted.iter().all(|i| x[(*i, *j)] > 0.0)).count() as f64 / n
    };
    let (of_a, of_b, both) = (share(&[a]), share(&[b]), share(&[a, b]));
    if both == 0.0 {
        return -1.0;
    }
    if both >= 1.0 {
        return 0.0;
    }
    (both / (of_a * of_b)).log2() / -both.log2()
}

#[test]
fn coherence_is_the_mean_npmi_of_pairs() {
    let x = documents();
    let top = vec![0, 1, 2, 4, 6];
    let seen = Seen::of(&x, std::slice::from_ref(&top));
    let mut expected = vec![];
    for b in 1..top.len() {
        expected.extend((0..b).map(|a| literal_npmi(&x, top[a], top[b])));
    }
    let mean = expected.iter().sum::<f64>() / expected.len() as f64;
    assert!((f64::from(seen.coherence(&top).unwrap()) - mean).abs() < 1e-3);
    assert_eq!(seen.coherence(&[0]), None);
    // Words that never meet, and one that is everywhere.
    assert_eq!(Seen::of(&x, &[vec![0, 4]]).coherence(&[0, 4]), Some(-1.0));
    assert_eq!(Seen::of(&x, &[vec![6, 6]]).coherence(&[6, 6]), Some(0.0));
}

#[test]
fn topics_are_told_by_their_words_and_samples() {
    let x = documents();
    let model = Nmf::new(2).fit(&x).unwrap();
    assert!(are_topics(&model, &x));
    let (phi, h) = (model.factors.basis(1).unwrap(), &model.factors.h[0]);
    let weighed = Weighed::new(&phi, h);
    let shown: Vec<usize> = (0..40).collect();
    let found = weighed.topics(&x, &shown, None);
    assert_eq!(found.topics.len(), 2);
    let shares: f32 = found.topics.iter().map(|topic| topic.share).sum();
    assert!((shares - 1.0).abs() < 1e-3);
    for topic in &found.topics {
        let of_even = topic.own[..2].iter().all(|(i, _)| *i < 3);
        let of_odd = topic.own[..2].iter().all(|(i, _)| (3..6).contains(i));
        assert!(of_even || of_odd, "{topic:?}");
        assert!(topic.top.iter().all(|(i, _)| *i != 7), "a word that nobody uses");
        assert!(topic.samples.iter().all(|(j, share)| (j % 2 == 0) == of_even && *share > 0.5));
        assert!(topic.top.windows(2).all(|pair| pair[0].1 >= pair[1].1));
    }
    let main = weighed.main();
    assert!(main.iter().enumerate().all(|(j, topic)| *topic == main[j % 2]));
    assert_ne!(main[0], main[1]);
    // Word 6 stands in both, all others in one.
    let sentence = found.sentence(0, |i| format!("word {i}"));
    assert!(sentence.contains("Layer 1 has 2 topics") && sentence.contains("word 6"), "{sentence}");
}

#[test]
fn topics_of_a_layer_are_made_of_those_below() {
    let x = documents();
    let model = MultilayerNmf::new([3, 2]).fit(&x).unwrap();
    let bases = [1, 2].map(|layer| model.factors.basis(layer).unwrap());
    let [below, above] = [0, 1].map(|i| Weighed::new(&bases[i], &model.factors.h[i]));
    let shown: Vec<usize> = (0..40).collect();
    let found = above.topics(&x, &shown, Some((&below, &model.factors.z[1])));
    for topic in &found.topics {
        let together: f32 = topic.below.iter().map(|(_, share)| share).sum();
        assert!((0.9..1.001).contains(&together), "{topic:?}");
        // The sum of a topic is that of what it is made of.
        let z = model.factors.z[1].col(topic.component);
        let sum: f64 = z.iter().zip(&below.sums).map(|(z, s)| z * s).sum();
        assert!((sum / above.sums[topic.component] - 1.0).abs() < 1e-9);
    }
}

#[test]
fn other_models_and_full_data_have_no_topics() {
    let x = documents();
    assert!(!are_topics(&SemiNmf::new(2).fit(&x).unwrap(), &x));
    let full = x.map(|v| v + 1.0);
    assert!(!are_topics(&Nmf::new(2).fit(&full).unwrap(), &full));
}

#[test]
fn distinctness_counts_words_of_one_topic() {
    assert!((distinctness(&[vec![1, 2], vec![2, 3]]) - 0.5).abs() < 1e-6);
    assert!((distinctness(&[vec![1, 2], vec![4, 3]]) - 1.0).abs() < 1e-6);
    assert!(distinctness(&[]).abs() < 1e-6);
}
