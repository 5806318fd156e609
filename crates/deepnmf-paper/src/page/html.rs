//! One self-contained page that reads like the paper's section 6.

use std::fmt::Write as _;

use super::{Head, escape, tally};
use crate::rules::{Claim, Source, Verdict};
use crate::section::{Figure, Section, Table};

const STYLE: &str = include_str!("style.css");

// Writing to a string cannot fail, so results of `write!` are let go throughout.

/// The page of all sections.
pub(crate) fn html(head: &Head, sections: &[Section]) -> String {
    let mut page = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>The paper's experiments, reproduced</title>\n<style>\n{STYLE}</style>\n</head>\n\
         <body>\n<h1>The paper's experiments, reproduced</h1>\n\
         <p><em>A deep matrix factorization method for learning attribute representations</em> \
         (Trigeorgis, Bousmalis, Zafeiriou &amp; Schuller), section 6: theirs and ours side by \
         side.</p>\n"
    );
    for sentence in head.sentences(sections) {
        let _ = writeln!(page, "<p>{}</p>", escape(&sentence));
    }
    page += "<h2>Claims of the paper</h2>\n<ul>\n";
    for (what, count) in tally(sections) {
        let _ = writeln!(page, "<li>{count} {what}</li>");
    }
    page += "</ul>\n<nav><ul>\n";
    for section in sections {
        let (name, title) = (section.experiment.name(), escape(&section.title));
        let _ = writeln!(page, "<li><a href=\"#{name}\">{title}</a></li>");
    }
    page += "</ul></nav>\n";
    for section in sections {
        tell(&mut page, section);
    }
    page + "</body>\n</html>\n"
}

fn tell(page: &mut String, section: &Section) {
    let (name, title) = (section.experiment.name(), escape(&section.title));
    let _ = writeln!(page, "<section id=\"{name}\">\n<h2>{title}</h2>");
    let _ = writeln!(page, "<p class=\"place\">Paper: {}</p>", escape(&section.place));
    for paragraph in &section.protocol {
        let _ = writeln!(page, "<p>{}</p>", escape(paragraph));
    }
    let _ = writeln!(page, "<p>Data: {}.</p>", escape(&section.data.join("; ")));
    let (command, seeds) = (escape(&section.command), escape(&section.seeds));
    let _ = writeln!(page, "<pre>{command}</pre>\n<p class=\"seeds\">Seeds: {seeds}.</p>");
    if section.done < section.cells {
        let (done, cells) = (section.done, section.cells);
        let _ = writeln!(page, "<p class=\"open\">{done} of {cells} cells are finished.</p>");
    }
    page.push_str("<h3>What holds</h3>\n");
    claims(page, &section.claims);
    for figure in &section.figures {
        draw(page, figure);
        if let Some(table) = section.tables.iter().find(|table| table.name == figure.name) {
            lay_out(page, table);
        }
    }
    let drawn = |table: &&Table| section.figures.iter().any(|f| f.name == table.name);
    for table in section.tables.iter().filter(|table| !drawn(table)) {
        lay_out(page, table);
    }
    for model in &section.models {
        let file = escape(model);
        let _ = writeln!(page, "<p>A model to explore: <a href=\"{file}\">{file}</a></p>");
    }
    page.push_str("<h3>What we think explains the differences</h3>\n");
    for paragraph in &section.explanations {
        let _ = writeln!(page, "<p>{}</p>", escape(paragraph));
    }
    page.push_str("</section>\n");
}

fn claims(page: &mut String, claims: &[Claim]) {
    page.push_str(
        "<table class=\"claims\">\n<tr><th>claim</th><th>data</th><th>verdict</th></tr>\n",
    );
    for claim in claims {
        let class = match claim.verdict {
            Verdict::Holds => "holds",
            Verdict::DoesNotHold => "fails",
            Verdict::CannotBeTested => "untested",
        };
        let whose = if claim.source == Source::Ours { "<b>Ours:</b> " } else { "" };
        let _ = writeln!(
            page,
            "<tr><td>{whose}{}<br><small>Rule: {}.<br>{}</small></td><td>{}</td>\
             <td class=\"{class}\">{}</td></tr>",
            escape(&claim.claim),
            escape(&claim.rule),
            escape(&claim.evidence),
            escape(&claim.data),
            escape(&claim.told())
        );
    }
    page.push_str("</table>\n");
}

fn draw(page: &mut String, figure: &Figure) {
    let caption = escape(&figure.caption);
    let svg = &figure.svg;
    let _ = writeln!(page, "<figure>\n{svg}<figcaption>{caption}</figcaption>\n</figure>");
}

fn lay_out(page: &mut String, table: &Table) {
    let caption = escape(&table.caption);
    let open = if table.aside { "" } else { " open" };
    let _ = writeln!(page, "<details{open}><summary>{caption}</summary>\n<table>");
    let _ = writeln!(page, "<tr>{}</tr>", fields("th", &table.head));
    for row in &table.rows {
        let class = row.get(1).filter(|whose| table.head[1] == "whose" && *whose == "ours");
        let class = class.map_or("", |_| " class=\"ours\"");
        let _ = writeln!(page, "<tr{class}>{}</tr>", fields("td", row));
    }
    page.push_str("</table></details>\n");
}

/// The fields of a row.
fn fields(tag: &str, texts: &[String]) -> String {
    let fields = texts.iter().map(|text| format!("<{tag}>{}</{tag}>", escape(text)));
    fields.collect::<Vec<_>>().concat()
}
