use std::fs;
use std::io::Cursor;

use image::{DynamicImage, GrayImage, ImageFormat, Luma, Rgb, RgbImage};
use tempfile::TempDir;

use super::super::options::ImageOptions;
use super::*;

/// Pixels that differ all over.
fn sample(width: u32, height: u32) -> GrayImage {
    GrayImage::from_fn(width, height, |x, y| Luma([u8::try_from(10 * x + y).unwrap()]))
}

fn encoded(image: impl Into<DynamicImage>, format: ImageFormat) -> Vec<u8> {
    let mut bytes = Cursor::new(Vec::new());
    image.into().write_to(&mut bytes, format).unwrap();
    bytes.into_inner()
}

/// A folder of files, by their paths.
fn folder(files: &[(&str, Vec<u8>)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (path, bytes) in files {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
    folder
}

fn with(pattern: Option<&str>, resize: Option<(usize, usize)>) -> LoadOptions {
    let images = ImageOptions { pattern: pattern.map(str::to_owned), resize };
    LoadOptions { images, ..LoadOptions::default() }
}

fn said(folder: &TempDir, options: &LoadOptions) -> String {
    crate::load::<f32>(folder.path(), options).unwrap_err().to_string()
}

#[test]
fn every_format_gives_the_same_grey_pixels() {
    let image = sample(4, 3);
    let files = [
        ("1.bmp", encoded(image.clone(), ImageFormat::Bmp)),
        ("2.pgm", encoded(image.clone(), ImageFormat::Pnm)),
        ("3", encoded(image.clone(), ImageFormat::Png)), // told by its content
        ("4.tiff", encoded(image.clone(), ImageFormat::Tiff)),
        ("README.md", b"no picture".to_vec()),
        (".hidden.png", b"no picture".to_vec()),
    ];
    let data = crate::load::<f64>(folder(&files).path(), &LoadOptions::default()).unwrap();
    let expected: Vec<f64> = image.iter().map(|&v| f64::from(v)).collect();
    assert_eq!(data.samples(), 4);
    for column in data.x.columns() {
        assert_eq!(column, expected);
    }
    let shape = ImageShape { width: 4, height: 3, order: PixelOrder::RowMajor };
    assert_eq!(data.image_shape, Some(shape));
    assert_eq!(data.sample_names.unwrap(), ["1.bmp", "2.pgm", "3", "4.tiff"]);
    assert!(data.attributes.is_empty());
}

#[test]
fn colours_and_jpeg_become_grey() {
    let red = RgbImage::from_pixel(8, 8, Rgb([90, 90, 90]));
    let files = [
        ("a.jpg", encoded(red.clone(), ImageFormat::Jpeg)),
        ("b.png", encoded(red, ImageFormat::Png)),
    ];
    let data = crate::load::<f64>(folder(&files).path(), &LoadOptions::default()).unwrap();
    assert!(data.x.as_slice().iter().all(|v| (v - 90.0).abs() <= 1.0));
}

#[test]
fn sub_folders_are_labels() {
    let png = encoded(sample(2, 2), ImageFormat::Png);
    let files = [("cat/1.png", png.clone()), ("dog/1.png", png.clone()), ("dog/2.png", png)];
    let data = crate::load::<f32>(folder(&files).path(), &LoadOptions::default()).unwrap();
    assert_eq!(data.attributes[0].name, "folder");
    assert_eq!(data.attributes[0].classes(), ["cat", "dog"]);
    assert_eq!(data.attributes[0].counts(), [1, 2]);
    let data = crate::load::<f32>(folder(&files_again()).path(), &with(Some("{who}/{n}"), None));
    assert_eq!(data.unwrap().attributes[1].classes(), ["1", "2"]);
}

fn files_again() -> [(&'static str, Vec<u8>); 2] {
    let png = encoded(sample(2, 2), ImageFormat::Png);
    [("cat/1.png", png.clone()), ("dog/2.png", png)]
}

#[test]
fn a_pattern_finds_attributes_and_leaves_out_what_does_not_fit() {
    let png = encoded(sample(2, 2), ImageFormat::Png);
    let small = encoded(sample(1, 1), ImageFormat::Png);
    let files = [("eva_left_2.png", png.clone()), ("jo_up_2.png", png), ("eva_left_4.png", small)];
    let options = with(Some("{identity}_{pose}_2"), None);
    let data = crate::load::<f32>(folder(&files).path(), &options).unwrap();
    assert_eq!(data.samples(), 2);
    assert_eq!(data.attribute("identity").unwrap().classes(), ["eva", "jo"]);
    assert_eq!(data.attribute("pose").unwrap().class_of(1), Some("up"));
    let message = said(&folder(&files), &with(Some("{a}-{b}"), None));
    assert!(message.contains("no picture whose name fits the pattern"), "{message}");
}

#[test]
fn pictures_of_different_sizes_are_both_named_unless_they_are_resized() {
    let files = [
        ("a.png", encoded(sample(4, 3), ImageFormat::Png)),
        ("b.png", encoded(sample(2, 5), ImageFormat::Png)),
    ];
    let folder = folder(&files);
    let message = said(&folder, &LoadOptions::default());
    assert!(message.contains("b.png has 2 x 5 pixels, but "), "{message}");
    assert!(message.contains("a.png has 4 x 3: resize them with --resize"), "{message}");
    let data = crate::load::<f32>(folder.path(), &with(None, Some((3, 2)))).unwrap();
    assert_eq!(data.x.shape(), (6, 2));
    assert_eq!(data.image_shape.unwrap().width, 3);
}

#[test]
fn damaged_pictures_empty_folders_and_useless_options_are_named() {
    let mut cut = encoded(sample(4, 3), ImageFormat::Png);
    cut.truncate(40);
    let message = said(&folder(&[("a.png", cut)]), &LoadOptions::default());
    assert!(message.contains("a.png: the file is damaged or cut short"), "{message}");
    let message = said(&folder(&[("a.pgm", b"hello".to_vec())]), &LoadOptions::default());
    assert!(message.contains("it is no PGM, PNG, JPEG, TIFF or BMP picture"), "{message}");
    let message = said(&folder(&[("a.txt", b"hello".to_vec())]), &LoadOptions::default());
    assert!(message.contains("the folder holds no picture: put PGM, PNG"), "{message}");
    let huge = b"P5 60000 60000 255\n12".to_vec();
    let message = said(&folder(&[("a.pgm", huge)]), &LoadOptions::default());
    assert!(message.contains("more pixels than a file of its size can hold"), "{message}");
    let labels = LoadOptions { labels_key: Some("y".into()), ..LoadOptions::default() };
    assert!(said(&folder(&files_again()), &labels).contains("--labels-key does not apply"));
}

#[test]
fn a_folder_is_not_told_the_size_of_its_pictures() {
    let image_shape = Some("2x2".parse().unwrap());
    let options = LoadOptions { image_shape, ..LoadOptions::default() };
    let message = said(&folder(&files_again()), &options);
    assert!(message.contains("--image does not apply to a folder of pictures"), "{message}");
}
