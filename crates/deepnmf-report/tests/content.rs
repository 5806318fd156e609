//! What a page holds, for every kind of model and data.

#![allow(clippy::unwrap_used, clippy::panic)] // as in every test

use deepnmf::{
    Activation, AdditiveSemiNmf, DeepSemiNmf, Divergence, Factorization, Matrix, Model,
    MultilayerNmf, Nmf, PartSizes, SemiNmf, WhitenedPca, Wsf,
};
use deepnmf_data::builtin::generate;
use deepnmf_data::preprocess::{Pipeline, Step};
use deepnmf_data::{Attribute, Dataset};
use deepnmf_eval::Scaling;
use deepnmf_report::content::Content;
use deepnmf_report::{Draft, Options, ReportError};

fn faces() -> Dataset<f64> {
    generate("faces:identities=4,poses=3,expressions=2,illuminations=2,size=10").unwrap()
}

fn content(model: &Model<f64>, data: &Dataset<f64>, options: Options) -> Content {
    let report = Draft::new(data, options).finish(model, data, &mut |_| ()).unwrap();
    report.content().clone()
}

/// What holds for every page.
fn check(content: &Content) {
    let (shown, judged) = (content.samples.numbers.len(), content.judged);
    assert!(shown <= judged && judged <= content.samples_total);
    for layer in &content.layers {
        assert_eq!([layer.principal.x.len(), layer.principal.y.len()], [shown, shown]);
        assert_eq!([layer.near.len(), layer.likeness.missed.len()], [shown, shown]);
        assert!(layer.near.iter().flatten().all(|&other| other < shown));
        assert!(layer.basis.shown.len() <= layer.components);
    }
    for clustering in &content.clusterings {
        assert_eq!(clustering.labels.len(), shown);
        let sizes: usize = clustering.clusters.iter().map(|cluster| cluster.size).sum();
        assert_eq!(sizes, judged, "every judged sample is in one cluster");
        for cluster in &clustering.clusters {
            assert!(cluster.examples.iter().all(|&sample| sample < shown));
        }
    }
    for grouping in &content.groupings {
        assert_eq!(grouping.clusterings.len(), content.layers.len());
        for flows in &grouping.flows {
            assert_eq!(flows.iter().map(|flow| flow.2).sum::<u64>(), judged as u64);
        }
    }
    for attribute in &content.attributes {
        assert_eq!(attribute.codes.len(), shown);
    }
}

#[test]
fn what_a_model_predicts_is_shown_for_every_sample_and_as_a_sentence() {
    let faces = faces();
    let illumination = faces.attributes.iter().find(|a| a.name == "illumination").unwrap();
    let codes: Vec<Option<u32>> =
        illumination.codes().iter().enumerate().map(|(j, c)| c.filter(|_| j % 3 == 0)).collect();
    let mut model = Wsf::new(6, 1.0).fit_labelled(&faces.x, &[Some(&codes)]).unwrap();
    model.provenance.attributes = vec![Some("illumination".into())];
    model.provenance.classes = vec![illumination.classes().to_vec()];
    let content = content(&model, &faces, Options::default());
    check(&content);
    let predicted = &content.predictions[0];
    assert_eq!(predicted.classes, illumination.classes());
    assert_eq!([predicted.codes.len(), predicted.margins.len()], [faces.samples(); 2]);
    let known = content.attributes.iter().find(|a| a.name == "illumination").unwrap();
    let same = |(code, truth): (&usize, &i64)| {
        predicted.classes[*code] == known.classes[usize::try_from(*truth).unwrap()]
    };
    let right = predicted.codes.iter().zip(&known.codes).filter(|pair| same(*pair)).count();
    assert!(right * 10 >= 9 * faces.samples(), "{right}");
    assert!(content.words.predictions[0].starts_with("illumination: "));
}

/// Counts of words by two themes, with a label that says which.
fn documents() -> Dataset<f64> {
    let x = Matrix::from_fn(12, 60, |i, j| {
        let used = i % 3 == j % 3 && (i + j) % 4 != 0;
        if used { 1.0 + ((i * j) % 3) as f64 } else { 0.0 }
    });
    let theme = Attribute::from_ints("theme", (0..60).map(|j| Some(j % 3)));
    let names = (0..12).map(|i| format!("word {i}")).collect();
    Dataset { attributes: vec![theme], feature_names: Some(names), ..Dataset::new(x) }
}

#[test]
fn components_of_counts_are_topics_and_samples_stand_with_their_main_one() {
    let data = documents();
    let deep = MultilayerNmf::new([5, 3]).with(Nmf::new(1).divergence(Divergence::KullbackLeibler));
    for model in [Nmf::new(3).fit(&data.x).unwrap(), deep.fit(&data.x).unwrap()] {
        let content = content(&model, &data, Options::default());
        check(&content);
        for layer in &content.layers {
            let topics = layer.topics.as_ref().unwrap();
            assert_eq!(topics.topics.len(), layer.components);
            assert!(
                topics.topics.iter().all(|topic| !topic.samples.is_empty() || topic.share < 0.1)
            );
        }
        let first = &content.groupings[0];
        assert!(first.as_found && first.attribute.is_none() && first.asked.is_none());
        assert!(content.groupings.iter().skip(1).all(|way| !way.as_found));
        assert_eq!(content.words.topics.len(), content.layers.len());
        assert!(content.words.topics[0].contains("word "), "{:?}", content.words.topics);
        let named = content.feature_names.iter().map(|(i, _)| *i).collect::<Vec<_>>();
        let topics = content.layers.iter().flat_map(|layer| &layer.topics.as_ref().unwrap().topics);
        let mut mentioned = topics.flat_map(|topic| topic.top.iter().chain(&topic.own));
        assert!(mentioned.all(|(i, _)| named.contains(i)));
        // Somebody who asks for a number of clusters gets them.
        let asked = Options { clusters: Some(4), ..Options::default() };
        let content = self::content(&model, &data, asked);
        assert_eq!(content.groupings[0].asked, Some(4));
    }
    let semi = content(&SemiNmf::new(3).fit(&data.x).unwrap(), &data, Options::default());
    assert!(semi.layers[0].topics.is_none() && semi.words.topics.is_empty());
}

#[test]
fn the_parts_of_an_additive_model_stand_side_by_side() {
    let faces = faces();
    let model = AdditiveSemiNmf::new([4, 2]).fit(&faces.x).unwrap();
    let content = content(&model, &faces, Options::default());
    check(&content);
    assert_eq!(content.layers.iter().map(|part| part.components).collect::<Vec<_>>(), [4, 2]);
    let shares: f32 = content.layers.iter().filter_map(|part| part.share).sum();
    assert!(shares > 0.0 && shares <= 1.0, "{shares}");
    // Clusters are those that were found.
    let labels = model.part_labels();
    for (part, clustering) in [0, 1].map(|part| {
        let of = content.clusterings.iter().find(|c| c.layer == part && c.attribute.is_none());
        (part, of.unwrap())
    }) {
        for (shown, number) in content.samples.numbers.iter().enumerate() {
            assert_eq!(clustering.labels[shown], labels[number - 1][part]);
        }
    }
    let [swaps] = content.swaps.as_slice() else { panic!("{} swaps", content.swaps.len()) };
    assert_eq!(swaps.tiles.count, swaps.rows.len() * swaps.columns.len());
    assert!(content.words.model.contains("a sum of 2 parts of 4 and 2 clusters"));
    assert_eq!(content.words.parts.len(), 3);
    assert!(content.words.layers[0].starts_with("Part 1"), "{}", content.words.layers[0]);
}

#[test]
fn deep_parts_stand_side_by_side_as_they_are_in_the_top_layer() {
    let faces = faces();
    let parts = [PartSizes::from([9, 4]), PartSizes::from(2)];
    let model = AdditiveSemiNmf::new(parts).fit(&faces.x).unwrap();
    let content = content(&model, &faces, Options::default());
    check(&content);
    assert_eq!(content.layers.iter().map(|part| part.components).collect::<Vec<_>>(), [4, 2]);
    assert!(content.words.model.contains("a sum of 2 parts of 4 and 2 clusters"));
}

#[test]
fn every_kind_of_model_has_a_page() {
    let faces = faces();
    let x = &faces.x;
    let nonlinear = DeepSemiNmf::new([8, 4]).activation(Activation::Relu);
    let models = [
        SemiNmf::new(5).fit(x).unwrap(),
        DeepSemiNmf::new([12, 6, 4]).fit(x).unwrap(),
        nonlinear.fit(x).unwrap(),
        Nmf::new(5).fit(x).unwrap(),
        MultilayerNmf::new([8, 4]).fit(x).unwrap(),
        WhitenedPca::new(5).fit(x).unwrap(),
    ];
    for model in &models {
        let content = content(model, &faces, Options::default());
        check(&content);
        assert!(content.of_the_fit, "{}", content.model.name);
        assert_eq!(content.cells.len(), 4 * content.layers.len());
        assert!(content.samples.pictures.is_some());
        assert!(content.layers.iter().all(|layer| layer.relative_error < 1.0));
    }
}

#[test]
fn large_data_are_thinned_and_the_page_says_so() {
    let x = Matrix::from_fn(6, 12_000, |i, j| ((i + 2) * (j % 97 + 1) % 13) as f64 + 0.5);
    let labels = Attribute::from_ints("kind", (0..12_000).map(|j| Some(j % 3)));
    let data = Dataset { attributes: vec![labels], ..Dataset::new(x) };
    let model = SemiNmf::new(3).fit(&data.x).unwrap();
    let content = content(&model, &data, Options { samples: 150, ..Options::default() });
    check(&content);
    assert_eq!((content.samples_total, content.judged), (12_000, 10_000));
    assert_eq!(content.samples.numbers.len(), 150);
    assert!(content.samples.numbers.iter().all(|number| (1..=12_000).contains(number)));
}

#[test]
fn little_data_still_make_a_page() {
    for n in [1, 2, 3, 5] {
        let x = Matrix::from_fn(3, n, |i, j| (1 + i * j) as f64);
        let labels = Attribute::from_strings("kind", (0..n).map(|_| Some("only")));
        let data = Dataset { attributes: vec![labels], ..Dataset::new(x) };
        let model = SemiNmf::new(1).fit(&data.x).unwrap();
        let content = content(&model, &data, Options { clusters: Some(4), ..Options::default() });
        check(&content);
        assert!(content.cells.is_empty(), "one class leaves nothing to predict");
        assert_eq!(content.clusterings[0].clusters.len(), n.min(4));
    }
}

#[test]
fn each_layer_is_clustered_by_its_best_attribute_and_by_every_attribute() {
    let faces = faces();
    let model = DeepSemiNmf::new([12, 4]).fit(&faces.x).unwrap();
    let plain = content(&model, &faces, Options::default());
    let ways: Vec<_> = plain.groupings.iter().map(|way| way.attribute).collect();
    assert_eq!(ways, [None, Some(0), Some(1), Some(2), Some(3)]);
    let asked = content(&model, &faces, Options { clusters: Some(7), ..Options::default() });
    assert_eq!((asked.groupings[0].asked, asked.groupings.len()), (Some(7), 6));
    check(&asked);
}

#[test]
fn a_scaling_of_the_features_is_applied_and_named() {
    let faces = faces();
    let model = SemiNmf::new(6).fit(&faces.x).unwrap();
    let with = |scale| content(&model, &faces, Options { scale, ..Options::default() });
    let (plain, whitened) = (with(Scaling::None), with(Scaling::Whitened));
    assert_eq!(whitened.scale, "whitened");
    assert_ne!(plain.layers[0].principal, whitened.layers[0].principal);
}

#[test]
fn pictures_are_drawn_as_read_and_as_the_model_sees_them() {
    let mut faces = faces();
    let draft = Draft::new(&faces, Options::default());
    let mut steps = Pipeline::new([Step::Igo(None)]);
    steps.fit_apply(&mut faces).unwrap();
    let mut model = SemiNmf::new(4).fit(&faces.x).unwrap();
    model.provenance.preprocessing = deepnmf::Recorded::of(&steps).unwrap();
    let report = draft.finish(&model, &faces, &mut |_| ()).unwrap();
    let samples = &report.content().samples;
    assert_eq!(samples.pictures.as_ref().map(|atlas| atlas.width), Some(10));
    assert_eq!(samples.seen.as_ref().map(|atlas| (atlas.width, atlas.signed)), Some((20, true)));
}

#[test]
fn other_samples_than_those_begun_with_are_refused() {
    let faces = faces();
    let model = SemiNmf::new(4).fit(&faces.x).unwrap();
    let draft = Draft::new(&faces, Options::default());
    let fewer = faces.select(&[0, 1, 2]).unwrap();
    let error = draft.finish(&model, &fewer, &mut |_| ()).unwrap_err();
    assert!(matches!(error, ReportError::OtherSamples { begun: 48, found: 3 }), "{error}");
}
