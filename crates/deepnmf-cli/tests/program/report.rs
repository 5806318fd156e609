//! `deepnmf report`: one page that explores a model.

use crate::common::{FACES, Folder, table};
use deepnmf_testing::real_data;
use serde_json::Value;

fn fitted() -> Folder {
    let folder = Folder::new();
    folder.fit(&format!("{FACES} --layers 8,4 --out m.safetensors"));
    folder
}

/// What the page was made of.
fn content(folder: &Folder, page: &str) -> Value {
    let page = String::from_utf8(folder.read(page)).unwrap();
    let json = page.split_once("type=\"application/json\">").unwrap().1;
    serde_json::from_str(json.split_once("</script>").unwrap().0).unwrap()
}

#[test]
fn the_page_has_every_layer_attribute_and_sample() {
    let folder = fitted();
    let told = folder.json(&format!("report m.safetensors --data {FACES}"));
    assert_eq!((&told["samples"], &told["shown"]), (&24.into(), &24.into()));
    assert_eq!(told["of_the_fit"], true);
    assert_eq!(told["cells"].as_array().unwrap().len(), 2 * 4);
    let page = content(&folder, "report.html");
    assert_eq!(page["layers"].as_array().unwrap().len(), 2);
    assert_eq!(page["attributes"].as_array().unwrap().len(), 4);
    assert_eq!(page["samples"]["pictures"]["count"], 24);
    assert_eq!(page["layers"][1]["likeness"]["rebuilt"]["count"], 24);
    assert_eq!(page["layers"][1]["basis"]["tiles"]["count"], 4);
    assert_eq!(
        folder.read("report.html").len(),
        usize::try_from(told["bytes"].as_u64().unwrap()).unwrap()
    );
}

#[test]
fn the_answer_is_told_at_the_terminal_too() {
    let folder = fitted();
    let run = folder.run(&format!("report m.safetensors --data {FACES} --out page.html"));
    assert_eq!(run.code, Some(0), "{run}");
    for word in ["Layer 1", "Layer 2", "identity", "wrote page.html", "kB"] {
        assert!(run.stdout.contains(word), "{word} is missing in: {run}");
    }
}

#[test]
fn scores_are_those_of_evaluate() {
    let folder = fitted();
    let page = folder.json(&format!("report m.safetensors --data {FACES}"));
    let table = folder.json(&format!("evaluate m.safetensors --data {FACES} --repeats 1"));
    let cells = page["cells"].as_array().unwrap().iter();
    for (ours, theirs) in cells.zip(table["cells"].as_array().unwrap()) {
        for (ours, theirs) in [
            (&ours["ac"]["value"], &theirs["clustering"]["ac"]["mean"]),
            (&ours["svm"]["value"], &theirs["classification"]["accuracy"]["mean"]),
        ] {
            let (ours, theirs) = (ours.as_f64().unwrap(), theirs.as_f64().unwrap());
            assert!((ours - theirs).abs() < 1e-3, "{ours} and {theirs}");
        }
    }
}

#[test]
fn other_samples_are_projected_and_labels_may_be_missing() {
    let folder = Folder::new();
    folder.write("table.csv", table("a,b,c,d"));
    folder.fit("table.csv --layers 2 --normalize unit --out m.safetensors");
    folder.write("others.csv", "a,b,c,d\n1,2,3,4\n4,3,2,1\n2,2,1,5\n");
    let told = folder.json("report m.safetensors --data others.csv --clusters 2 --title Others");
    assert_eq!((&told["of_the_fit"], &told["samples"]), (&false.into(), &3.into()));
    assert!(told["headline"].as_str().unwrap().starts_with("No labels are known"));
    let page = content(&folder, "report.html");
    assert_eq!(page["title"], "Others");
    assert_eq!(page["clusterings"][0]["clusters"].as_array().unwrap().len(), 2);
    assert_eq!(page["feature_names"][0][1], "a");
    assert!(page["samples"]["pictures"].is_null());
}

#[test]
fn fewer_samples_are_shown_where_that_is_asked_for() {
    let folder = fitted();
    let told = folder.json(&format!("report m.safetensors --data {FACES} --samples 7 --seed 3"));
    assert_eq!((&told["shown"], &told["judged"]), (&7.into(), &24.into()));
    let again = folder.read("report.html");
    folder.json(&format!("report m.safetensors --data {FACES} --samples 7 --seed 3 --threads 1"));
    assert!(again == folder.read("report.html"), "a seed gives the same page on any threads");
}

#[test]
fn what_cannot_be_shown_is_refused_and_nothing_is_replaced() {
    let folder = fitted();
    let other = "builtin:faces:identities=2,poses=2,expressions=2,illuminations=2,size=10";
    folder.refuses(&format!("report m.safetensors --data {other}"), 1, &["10x10", "12x12"]);
    folder.write("t.csv", table("a,b,c,d"));
    folder.refuses("report m.safetensors --data t.csv", 1, &["t.csv", "4", "144"]);
    folder.refuses("report m.safetensors --data t.csv --out t.csv", 2, &["replace", "t.csv"]);
    let with = |flags: &str| format!("report m.safetensors --data {FACES} {flags}");
    folder.refuses(&with("--out m.safetensors"), 2, &["replace", "m.safetensors"]);
    folder.refuses(&with("--out no/where.html"), 1, &["no/where.html", "folder"]);
    folder.refuses(&with("--samples 9999"), 2, &["--samples", "5000"]);
    folder.refuses(&with("--clusters 0"), 2, &["--clusters", "at least 1"]);
    folder.refuses("report m.safetensors", 2, &["--data"]);
    folder.refuses(&format!("report nothing --data {FACES}"), 1, &["nothing", "no such file"]);
}

#[test]
fn gradient_orientations_are_drawn_beside_the_pictures() {
    let folder = Folder::new();
    folder.fit(&format!("{FACES} --normalize igo --layers 4 --out m.safetensors"));
    folder.json(&format!("report m.safetensors --data {FACES}"));
    let page = content(&folder, "report.html");
    let seen = &page["samples"]["seen"];
    assert_eq!(
        (&seen["signed"], &seen["width"], &seen["height"]),
        (&true.into(), &24.into(), &12.into())
    );
    assert_eq!(page["layers"][0]["basis"]["tiles"]["width"], 24);
}

#[test]
fn the_faces_of_pie_make_a_page_of_a_few_megabytes() {
    let Some(path) = real_data("PIE_pose27.mat") else { return };
    let folder = Folder::new();
    let data = format!("{} --image 32x32:column-major", path.display());
    folder.fit(&format!("{data} --layers 40 --max-iter 5 --out m.safetensors"));
    let told = folder.json(&format!("report m.safetensors --data {data}"));
    assert!((1_000_000..4_000_000).contains(&told["bytes"].as_u64().unwrap()), "{told}");
    assert_eq!(told["shown"], 1000);
}
