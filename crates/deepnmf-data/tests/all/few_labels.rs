//! Attributes of real faces from few labels, where the faces are at hand.

use deepnmf::{DeepWsf, Factorization};
use deepnmf_data::preprocess::Pipeline;
use deepnmf_data::{Attribute, Dataset, ImageOptions, LoadOptions, load};
use deepnmf_testing::real_data;

/// Numbers that look random, the same on any machine.
struct Draws(u64);

impl Draws {
    fn next(&mut self) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }
}

/// The labels of a tenth of the samples of each class, and of no other.
fn a_tenth(attribute: &Attribute, draws: &mut Draws) -> Vec<Option<u32>> {
    let codes = attribute.codes();
    let mut kept = vec![None; codes.len()];
    for class in 0..u32::try_from(attribute.classes().len()).unwrap() {
        let mut members: Vec<usize> =
            (0..codes.len()).filter(|j| codes[*j] == Some(class)).collect();
        members.sort_by_cached_key(|_| draws.next());
        let count = (members.len() + 5) / 10;
        members.iter().take(count).for_each(|j| kept[*j] = Some(class));
    }
    kept
}

fn cmu_faces() -> Option<Dataset<f64>> {
    let path = real_data("cmu-faces")?;
    let pattern = "{identity}_{pose}_{expression}_{eyes}_4";
    let images = ImageOptions { pattern: Some(pattern.into()), resize: None };
    let mut faces = load::<f64>(&path, &LoadOptions { images, ..LoadOptions::default() }).unwrap();
    "unit".parse::<Pipeline>().unwrap().fit_apply(&mut faces).unwrap();
    Some(faces)
}

/// The best of a linear support vector machine on pixels and on softly whitened features has .951, .807 and .733 on
/// five draws of its own (studies/few-labels has both on the same draws).
#[test]
fn a_tenth_of_the_labels_predicts_identity_pose_and_eyes() {
    let Some(faces) = cmu_faces() else { return };
    let names = ["pose", "eyes", "identity"];
    let attributes = names.map(|name| faces.attribute(name).unwrap());
    let mut right = [0.0; 3];
    for draw in 0..5 {
        let mut draws = Draws(1000 + draw);
        let kept = attributes.map(|attribute| a_tenth(attribute, &mut draws));
        let labels: Vec<_> = kept.iter().map(|labels| Some(labels.as_slice())).collect();
        let model =
            DeepWsf::new([100, 100, 100], [1.0; 3]).fit_labelled(&faces.x, &labels).unwrap();
        for (place, attribute) in attributes.iter().enumerate() {
            let found = model.predict(&faces.x, place).unwrap().classes;
            let unlabelled: Vec<usize> =
                (0..found.len()).filter(|j| kept[place][*j].is_none()).collect();
            let hits = unlabelled.iter().filter(|j| attribute.codes()[**j] == Some(found[**j]));
            right[place] += hits.count() as f64 / unlabelled.len() as f64 / 5.0;
        }
    }
    for ((name, right), least) in names.iter().zip(right).zip([0.807, 0.733, 0.951]) {
        assert!(right >= least, "{name}: {right} of {right:?}, not {least}");
    }
}
