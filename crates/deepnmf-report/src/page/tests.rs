use deepnmf::{DeepSemiNmf, Factorization, Matrix};
use deepnmf_data::{Attribute, Dataset, ImageShape, PixelOrder};
use serde_json::Value;

use super::*;
use crate::{Draft, Options};

const HOSTILE: [&str; 6] = [
    "</script><script>alert(1)</script>",
    "<!-- <img src=x onerror=alert(2)>",
    "{{script}} {{content}}",
    "\u{202e}right to left\u{2028}and on\u{2029}",
    "&lt;b&gt; 😀 \"quoted\" 'too' \\",
    "\u{0} \u{7}",
];

fn hostile_data() -> Dataset<f64> {
    let x = Matrix::from_fn(12, 48, |i, j| ((i + 2) * (j % 6 + 3) * (j + 5) % 17) as f64 + 0.5);
    let long = "x".repeat(10_000);
    let label = |j: usize| if j.is_multiple_of(7) { long.as_str() } else { HOSTILE[j % 6] };
    Dataset {
        attributes: vec![Attribute::from_strings(HOSTILE[0], (0..48).map(|j| Some(label(j))))],
        sample_names: Some((0..48).map(|j| label(j).to_owned()).collect()),
        feature_names: Some((0..12).map(|i| label(i).to_owned()).collect()),
        image_shape: Some(ImageShape { width: 4, height: 3, order: PixelOrder::RowMajor }),
        ..Dataset::new(x)
    }
}

fn page(data: &Dataset<f64>) -> String {
    let model = DeepSemiNmf::new([5, 3]).fit(&data.x).unwrap();
    let options = Options { title: Some(HOSTILE[0].into()), ..Options::default() };
    Draft::new(data, options).finish(&model, data, &mut |_| ()).unwrap().html()
}

/// What stands in the page between two tags.
fn between<'p>(page: &'p str, start: &str, end: &str) -> &'p str {
    page.split_once(start).unwrap().1.split_once(end).unwrap().0
}

#[test]
fn hostile_labels_stay_labels() {
    let page = page(&hostile_data());
    assert_eq!(page.matches("</script>").count(), 2, "the content and the script, nothing else");
    assert_eq!(page.matches("<script").count(), 2);
    assert!(!page.contains("<img") && !page.contains('\u{2028}'));
    let content = between(&page, "type=\"application/json\">", "</script>");
    let content: Value = serde_json::from_str(content).unwrap();
    let classes = content["attributes"][0]["classes"].as_array().unwrap();
    for hostile in HOSTILE {
        assert!(classes.iter().any(|class| class == hostile), "{hostile} is as it was");
    }
    assert!(classes.iter().all(|class| class.as_str().unwrap().chars().count() <= 201));
    assert!(page.contains("<title>&lt;/script&gt;"));
}

#[test]
fn the_policy_names_the_script_and_the_style_that_are_there() {
    let page = page(&hostile_data());
    let style = between(&page, "<style>", "</style>");
    let script = page.rsplit_once("<script>").unwrap().1.split_once("</script>").unwrap().0;
    for content in [style, script] {
        assert!(page.contains(&fingerprint(content)), "a fingerprint is missing");
    }
    assert!(page.contains("default-src 'none'"));
}

#[test]
fn nothing_is_loaded_from_anywhere() {
    let page = page(&hostile_data());
    for address in ["http:", "https:", "src=\"", "@import", "url("] {
        // Namespaces are names, not addresses.
        let found = page.replace("http://www.w3.org/", "").matches(address).count();
        assert_eq!(found, 0, "{address}");
    }
}

#[test]
fn what_is_filled_in_is_not_looked_through() {
    let filled = fill("a {{x}} b {{y}} c", |name| format!("[{name} {{{{y}}}}]"));
    assert_eq!(filled, "a [x {{y}}] b [y {{y}}] c");
    assert_eq!(fill("open {{ only", |_| "no".into()), "open {{ only");
}

#[test]
fn the_same_seed_gives_the_same_page() {
    let data = hostile_data();
    let model = DeepSemiNmf::new([5, 3]).fit(&data.x).unwrap();
    let make = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let draft = Draft::new(&data, Options { samples: 20, ..Options::default() });
        pool.install(|| draft.finish(&model, &data, &mut |_| ()).unwrap().html())
    };
    assert!(make(1) == make(2));
}
