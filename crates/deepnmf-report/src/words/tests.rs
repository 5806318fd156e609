use super::*;

fn fit(gap: Option<f64>) -> Fit {
    Fit {
        error: 1.0,
        relative_error: 0.1079,
        relative_to: "the norm of the data",
        bound: Some(1.0),
        gap,
        samples: 900,
        iterations: 3,
        stop: "converged".into(),
        seconds: 0.1,
        notices: vec![],
        curves: vec![],
    }
}

fn known(name: &str, classes: usize) -> Known {
    let classes = (0..classes).map(|c| c.to_string()).collect();
    Known { name: name.into(), classes, codes: vec![], usable: true }
}

fn cell(layer: usize, attribute: usize, ac: f32, svm: f32) -> Cell {
    let measure = |value| Measure { value, chance: 0.2 };
    Cell { layer, attribute, ac: measure(ac), nmi: measure(ac), svm: Some(measure(svm)) }
}

fn words(cells: &[Cell], gap: Option<f64>) -> Words {
    let known = [known("identity", 20), known("pose", 5)];
    let facts = Facts {
        samples: 12_900,
        features: 1024,
        picture: Some((32, 32)),
        known: &known,
        model: "deep-semi-nmf",
        preprocessing: "unit",
        nonlinear: false,
        parts: vec![],
        components: vec![150, 60, 20],
        fit: &fit(gap),
        cells,
    };
    facts.words()
}

#[test]
fn layers_that_best_predict_one_attribute_share_a_clause() {
    let cells = [
        cell(0, 0, 0.3, 0.9),
        cell(0, 1, 0.9, 0.9),
        cell(1, 0, 0.3, 0.9),
        cell(1, 1, 0.5, 0.9),
        cell(2, 0, 0.7, 0.9),
        cell(2, 1, 0.2, 0.2),
    ];
    let words = words(&cells, Some(1e-5));
    assert_eq!(words.headline, "Layers 1 and 2 best predict pose; layer 3 best predicts identity.");
    assert!(words.layers[0].contains("clearly predicts pose: AC 90% (chance 20%)"), "{words:?}");
    assert!(words.layers[1].contains("components) predicts pose"), "{words:?}");
    assert!(words.attributes[0].contains("clusters of layer 3 match it"), "{words:?}");
    assert!(
        words.quality.contains("11% of the norm of the data, less than 0.01% above"),
        "{words:?}"
    );
    assert!(words.data.starts_with("12,900 pictures of 32 × 32 pixels, labelled by identity (20)"));
}

#[test]
fn what_is_at_chance_is_said_to_be() {
    let cells = [cell(0, 0, 0.2, 0.95), cell(0, 1, 0.21, 0.22)];
    let words = words(&cells, None);
    assert!(words.headline.starts_with("No layer's clusters match"), "{words:?}");
    assert!(words.layers[0].contains("match no known attribute"), "{words:?}");
    assert!(words.attributes[0].contains("no layer's clusters match it"), "{words:?}");
    assert!(
        words.attributes[0].contains("classifier predicts it from layer 1 with 95%"),
        "{words:?}"
    );
    assert!(words.attributes[1].contains("hardly predicts it"), "{words:?}");
}

#[test]
fn a_nonlinear_model_may_be_below_the_bound() {
    assert!(words(&[], Some(-0.19)).quality.contains("19% below"));
    assert!(words(&[], None).headline.starts_with("No labels are known"));
}

#[test]
fn numbers_and_lists_read_well() {
    assert_eq!([grouped(7), grouped(1234), grouped(1_000_000)], ["7", "1,234", "1,000,000"]);
    let items = ["a", "b", "c"].map(String::from);
    assert_eq!([listed(&items[..1]), listed(&items)], ["a", "a, b and c"]);
    assert_eq!([percent(0.5), percent(0.012), percent(0.0005)], ["50%", "1.2%", "0.05%"]);
}
