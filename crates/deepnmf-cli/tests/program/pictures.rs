//! `--image`: rows of a file that are pictures.

use crate::common::{FACES, Folder, npy, number, read_npy};
use serde_json::json;

const WIDTH: usize = 6;
const HEIGHT: usize = 4;
const SAMPLES: usize = 12;

fn pixel(sample: usize, row: usize, column: usize) -> f64 {
    let (row, column) = (row + 1, column + 2);
    ((sample * row * row + 3 * sample * sample * column + 5 * row * column * column) % 23) as f64
}

/// A folder with the same pictures stored by rows and by columns, and their labels.
fn pictures() -> Folder {
    let folder = Folder::new();
    let by_rows = |sample| {
        let place = |i| (i / WIDTH, i % WIDTH);
        (0..WIDTH * HEIGHT).map(place).map(move |(y, x)| pixel(sample, y, x)).collect()
    };
    let by_columns = |sample| {
        let place = |i| (i % HEIGHT, i / HEIGHT);
        (0..WIDTH * HEIGHT).map(place).map(move |(y, x)| pixel(sample, y, x)).collect()
    };
    let file = |one: &dyn Fn(usize) -> Vec<f64>| npy(&(0..SAMPLES).map(one).collect::<Vec<_>>());
    folder.write("rows.npy", file(&by_rows));
    folder.write("columns.npy", file(&by_columns));
    folder.write("labels.csv", "kind\n".to_owned() + &"a\nb\n".repeat(SAMPLES / 2));
    folder
}

const BY_COLUMNS: &str = "columns.npy --image 6x4:column-major";
const IGO: &str = "--normalize igo --layers 3 --out m.safetensors";

#[test]
fn orientations_do_not_depend_on_how_pictures_are_stored() {
    let folder = pictures();
    let error = |data: &str| number(&folder.fit(&format!("{data} {IGO}")), "error");
    let (rows, columns) = (error("rows.npy --image 6x4"), error(BY_COLUMNS));
    assert!((rows - columns).abs() < 1e-9 * rows, "{rows} and {columns}");
    let wrong = error("columns.npy --image 6x4");
    assert!((rows - wrong).abs() > 1e-3 * rows, "the order must matter: {wrong}");
    let resized = "--normalize resize=3x2,igo --layers 3";
    let [rows, columns] = ["rows.npy --image 6x4", BY_COLUMNS]
        .map(|data| number(&folder.fit(&format!("{data} {resized}")), "error"));
    assert!((rows - columns).abs() < 1e-9 * rows, "{rows} and {columns}");
}

#[test]
fn the_model_remembers_the_pictures() {
    let folder = pictures();
    let fit = folder.fit(&format!("{BY_COLUMNS} {IGO}"));
    assert_eq!(fit["features"], 2 * WIDTH * HEIGHT);
    let shape = json!({ "width": WIDTH, "height": HEIGHT, "order": "column-major" });
    assert_eq!(folder.json("info m.safetensors")["image"], shape);
    let info = folder.run("info m.safetensors");
    assert!(info.stdout.contains("--image 6x4:column-major"), "{info}");
    let mut features = Vec::new();
    for data in ["columns.npy", BY_COLUMNS] {
        let told = folder.json(&format!("transform m.safetensors {data} --out h.npy"));
        assert!(number(&told, "error") <= number(&fit, "error") * (1.0 + 1e-9));
        features.push(read_npy(&folder.read("h.npy")));
    }
    assert_eq!(features[0], features[1], "the flag need not be repeated");
}

#[test]
fn evaluate_prepares_pictures_as_the_fit_did() {
    let folder = pictures();
    folder.fit(&format!("{BY_COLUMNS} {IGO}"));
    let flags = "--labels-file labels.csv --cluster --project basis";
    let [with, without] = [BY_COLUMNS, "columns.npy"]
        .map(|data| folder.json(&format!("evaluate m.safetensors --data {data} {flags}")));
    assert_eq!(with["cells"], without["cells"]);
    folder.json("transform m.safetensors columns.npy --method basis --out h.npy");
    let flags = "--labels-file labels.csv --cluster";
    let file = folder.json(&format!("evaluate h.npy --data columns.npy {flags}"));
    assert_eq!(file["cells"][0]["clustering"], with["cells"][0]["clustering"]);
}

#[test]
fn pictures_that_are_not_those_of_the_model_are_refused() {
    let folder = pictures();
    folder.write("other.npy", npy(&[vec![1.0; 25]]));
    folder.write("h.npy", "old");
    folder.fit(&format!("{BY_COLUMNS} {IGO}"));
    let transform = |data: &str| format!("transform m.safetensors {data} --out h.npy");
    for shape in ["6x4", "4x6:column-major"] {
        let flags = format!("columns.npy --image {shape}");
        let words =
            ["columns.npy", &format!("of {shape}"), "6x4:column-major", "leave --image out"];
        folder.refuses(&transform(&flags), 1, &words);
        let evaluate = "evaluate m.safetensors --labels-file labels.csv --project basis --data";
        folder.refuses(&format!("{evaluate} {flags}"), 1, &words);
    }
    folder.refuses(&transform("other.npy"), 1, &["other.npy", "6 x 4", "25 features"]);
}

#[test]
fn sizes_that_cannot_be_are_refused() {
    let folder = pictures();
    folder.write("square.npy", npy(&[vec![1.0; 25], vec![2.0; 25]]));
    let refuses = |data: &str, code: i32, words: &[&str]| {
        folder.refuses(&format!("fit {data} --layers 2 --normalize igo"), code, words);
    };
    refuses("square.npy --image 6x4", 1, &["square.npy", "25 features", "--image 5x5"]);
    refuses("rows.npy --image 5x5", 1, &["24 features", "--image 6x4 or 4x6"]);
    refuses("rows.npy", 1, &["igo", "--image"]);
    for nonsense in ["6", "6x", "0x24", "6x4:columns", "6x4:"] {
        refuses(
            &format!("rows.npy --image {nonsense}"),
            2,
            &["--image", nonsense, "such as 32x32"],
        );
    }
    refuses(&format!("{FACES} --image 12x12"), 2, &["--image", "built-in"]);
}

#[cfg(feature = "images")]
#[test]
fn a_folder_of_pictures_knows_their_size() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("faces")).unwrap();
    for name in ["a", "b"] {
        folder.write(&format!("faces/{name}.pgm"), b"P5 2 2 255\n\x01\x02\x03\x04");
    }
    folder.refuses("fit faces --layers 1 --image 2x2", 1, &["--image", "know their size"]);
}
