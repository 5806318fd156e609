//! The page around the content: one file, nothing loaded from anywhere.
//!
//! What comes from data can do no harm for three reasons. Its JSON holds no character with which a
//! script element could end. The script puts texts into the page as texts only. And the page allows
//! no script or style but the two whose fingerprints it names, and no connection at all.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};

use crate::content::Content;

const TEMPLATE: &str = include_str!("../assets/page.html");

const STYLES: [&str; 4] = [
    include_str!("../assets/base.css"),
    include_str!("../assets/views.css"),
    include_str!("../assets/details.css"),
    include_str!("../assets/print.css"),
];

/// In the order in which they build on each other.
const SCRIPTS: [&str; 19] = [
    include_str!("../assets/dom.js"),
    include_str!("../assets/colour.js"),
    include_str!("../assets/store.js"),
    include_str!("../assets/names.js"),
    include_str!("../assets/sprites.js"),
    include_str!("../assets/tooltip.js"),
    include_str!("../assets/keyboard.js"),
    include_str!("../assets/summary.js"),
    include_str!("../assets/table.js"),
    include_str!("../assets/hierarchy.js"),
    include_str!("../assets/maps.js"),
    include_str!("../assets/swaps.js"),
    include_str!("../assets/topics.js"),
    include_str!("../assets/basis.js"),
    include_str!("../assets/confusion.js"),
    include_str!("../assets/fit.js"),
    include_str!("../assets/inspector.js"),
    include_str!("../assets/search.js"),
    include_str!("../assets/main.js"),
];

/// The whole file.
pub(crate) fn html(content: &Content) -> String {
    let style = STYLES.concat();
    let script = format!("(() => {{\n'use strict';\n{}}})();\n", SCRIPTS.join("\n"));
    let policy = format!(
        "default-src 'none'; img-src data:; style-src {}; script-src {}; base-uri 'none'; \
         form-action 'none'",
        fingerprint(&style),
        fingerprint(&script)
    );
    fill(TEMPLATE, |name| match name {
        "policy" => policy.clone(),
        "title" => text(&content.title),
        "headline" => text(&content.words.headline),
        "style" => style.clone(),
        "content" => json(content),
        "script" => script.clone(),
        _ => String::new(),
    })
}

/// Puts values in the places of `{{names}}`. What is put in is never looked through again.
fn fill(template: &str, value: impl Fn(&str) -> String) -> String {
    let mut page = String::new();
    let mut rest = template;
    while let Some((before, (name, after))) =
        rest.split_once("{{").and_then(|(before, after)| Some((before, after.split_once("}}")?)))
    {
        page.push_str(before);
        page.push_str(&value(name));
        rest = after;
    }
    page + rest
}

/// How a page names the one script or style it allows.
fn fingerprint(content: &str) -> String {
    format!("'sha256-{}'", STANDARD.encode(Sha256::digest(content.as_bytes())))
}

/// Text inside an element.
fn text(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// JSON that can stand inside a script element: these characters occur in strings alone, where an
/// escape means the same.
fn json(content: &Content) -> String {
    let plain = serde_json::to_string(content).unwrap_or_else(|error| {
        // Every key is a string and every number is finite or null.
        unreachable!("the content cannot be written as JSON: {error}")
    });
    let mut safe = String::with_capacity(plain.len());
    for letter in plain.chars() {
        match letter {
            '<' => safe.push_str("\\u003c"),
            '>' => safe.push_str("\\u003e"),
            '&' => safe.push_str("\\u0026"),
            '\u{2028}' => safe.push_str("\\u2028"),
            '\u{2029}' => safe.push_str("\\u2029"),
            letter => safe.push(letter),
        }
    }
    safe
}

#[cfg(test)]
mod tests;
