//! The real face pictures behind the paper's results, where they are at hand.

#[cfg(feature = "images")]
use deepnmf_data::ImageOptions;
use deepnmf_data::{LoadOptions, load};
use deepnmf_testing::real_data;

#[test]
fn cmu_pie_pose_27_is_68_persons_of_42_pictures_each() {
    let Some(path) = real_data("PIE_pose27.mat") else { return };
    let faces = load::<f32>(&path, &LoadOptions::default()).unwrap();
    assert_eq!(faces.x.shape(), (1024, 2856));
    let persons = faces.attribute("gnd").unwrap();
    assert_eq!(persons.counts(), [42; 68]);
    assert_eq!(persons.class_of(0), Some("1"));
    assert_eq!(persons.class_of(2855), Some("68"));
    // From SciPy's loadmat: fea[1000, 500], fea[100, 7], fea[2855, 0] and fea.sum().
    assert_eq!(faces.x[(500, 1000)], 132.0);
    assert_eq!(faces.x[(7, 100)], 1.0);
    assert_eq!(faces.x[(0, 2855)], 1.0);
    let sum: f64 = faces.x.as_slice().iter().map(|&v| f64::from(v)).sum();
    assert_eq!(sum, 250_451_258.0);
}

#[cfg(feature = "images")]
#[test]
fn cmu_faces_load_from_their_folder_with_all_four_attributes() {
    let Some(path) = real_data("cmu-faces") else { return };
    let pattern = "{identity}_{pose}_{expression}_{eyes}_2";
    let options = LoadOptions {
        images: ImageOptions { pattern: Some(pattern.into()), resize: None },
        ..LoadOptions::default()
    };
    let faces = load::<f32>(&path, &options).unwrap();
    assert_eq!(faces.x.shape(), (64 * 60, 624));
    let shape = faces.image_shape.unwrap();
    assert_eq!((shape.width, shape.height), (64, 60));
    let classes: Vec<_> =
        faces.attributes.iter().map(|a| (a.name.as_str(), a.classes().len())).collect();
    assert_eq!(classes, [("identity", 20), ("pose", 4), ("expression", 4), ("eyes", 2)]);
    assert!(faces.attributes.iter().all(|a| a.missing() == 0));
}
