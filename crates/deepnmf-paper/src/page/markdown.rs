//! The same as Markdown, for the repository; figures are files beside it.

use std::fmt::Write as _;

use super::{Head, tally};
use crate::rules::{Claim, Source};
use crate::section::{Section, Table};

// Writing to a string cannot fail, so results of `write!` are let go throughout.

/// The document of all sections.
pub(crate) fn markdown(head: &Head, sections: &[Section]) -> String {
    let mut text = String::from(
        "# The paper's experiments, reproduced\n\n\
         *A deep matrix factorization method for learning attribute representations* (Trigeorgis, \
         Bousmalis, Zafeiriou & Schuller), section 6: theirs and ours side by side. This page is \
         written by the commands in it.\n\n",
    );
    for sentence in head.sentences(sections) {
        let _ = writeln!(text, "{sentence}\n");
    }
    text += "Claims of the paper:\n\n";
    for (what, count) in tally(sections) {
        let _ = writeln!(text, "* {count} {what}");
    }
    for section in sections {
        tell(&mut text, section);
    }
    text
}

fn tell(text: &mut String, section: &Section) {
    let _ = writeln!(text, "\n## {}\n\nPaper: {}.\n", section.title, section.place);
    for paragraph in &section.protocol {
        let _ = writeln!(text, "{paragraph}\n");
    }
    let _ = writeln!(text, "Data: {}.\n", section.data.join("; "));
    let _ = writeln!(text, "```sh\n{}\n```\n\nSeeds: {}.\n", section.command, section.seeds);
    if section.done < section.cells {
        let _ = writeln!(text, "{} of {} cells are finished.\n", section.done, section.cells);
    }
    text.push_str("### What holds\n\n| claim | data | verdict |\n|---|---|---|\n");
    for claim in &section.claims {
        one_claim(text, claim);
    }
    text.push('\n');
    for figure in &section.figures {
        let (caption, name) = (cell(&figure.caption), &figure.name);
        let _ = writeln!(text, "![{caption}](figures/{name}.svg)\n\n*{caption}*\n");
        if let Some(table) = section.tables.iter().find(|table| table.name == *name) {
            one_table(text, table);
        }
    }
    let drawn = |table: &&Table| section.figures.iter().any(|f| f.name == table.name);
    for table in section.tables.iter().filter(|table| !drawn(table)) {
        one_table(text, table);
    }
    if !section.models.is_empty() {
        // Not links: they hold pictures of people, which no repository should.
        let models = section.models.iter().map(|model| format!("`{model}`"));
        let models = models.collect::<Vec<_>>().join(", ");
        let _ = writeln!(text, "Models to explore, beside the other files of a run: {models}.\n");
    }
    text.push_str("### What we think explains the differences\n\n");
    for paragraph in &section.explanations {
        let _ = writeln!(text, "* {paragraph}");
    }
}

fn one_claim(text: &mut String, claim: &Claim) {
    let whose = if claim.source == Source::Ours { "**Ours:** " } else { "" };
    let _ = writeln!(
        text,
        "| {whose}{} *Rule: {}.* {} | {} | **{}** |",
        cell(&claim.claim) + ".",
        cell(&claim.rule),
        cell(&claim.evidence),
        cell(&claim.data),
        cell(&claim.told())
    );
}

fn one_table(text: &mut String, table: &Table) {
    let _ = writeln!(text, "{}\n", table.caption);
    let _ = writeln!(text, "| {} |", table.head.join(" | "));
    let _ = writeln!(text, "|{}", "---|".repeat(table.head.len()));
    for row in &table.rows {
        let cells: Vec<String> = row.iter().map(|value| cell(value)).collect();
        let _ = writeln!(text, "| {} |", cells.join(" | "));
    }
    text.push('\n');
}

/// Text within a cell of a table.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}
