use super::*;
use crate::Experiment;
use crate::record::DataFacts;
use crate::section::{Figure, Table};

fn section() -> Section {
    let facts = DataFacts {
        name: "drawn <faces>".into(),
        fingerprint: String::new(),
        stand_in_for: Some("XM2VTS".into()),
        samples: 3,
        features: 2,
    };
    let mut table = Table::new("numbers", "Numbers, \"quoted\"", ["method", "whose", "20"]);
    table.row(["NMF | MUL", "ours", "1,5"]);
    Section {
        experiment: Experiment::Clustering,
        title: "Clustering".into(),
        place: "section 6.5".into(),
        protocol: vec!["As it is.".into()],
        data: vec![facts.title()],
        command: "deepnmf reproduce clustering".into(),
        seeds: "seed 0".into(),
        claims: vec![Claim::paper("It is best", "holds if", (Verdict::Holds, "90".into()), &facts)],
        tables: vec![table],
        figures: vec![Figure {
            name: "picture".into(),
            caption: "A picture".into(),
            svg: "<svg></svg>\n".into(),
        }],
        models: vec!["models/deep.html".into()],
        explanations: vec!["Because.".into()],
        done: 1,
        cells: 2,
        seconds: 7.0,
    }
}

fn head(quick: bool) -> Head {
    Head { quick, machine: Machine::this(), workers: 2 }
}

#[test]
fn every_page_has_command_seed_rule_and_the_name_of_the_stand_in() {
    let sections = [section()];
    for page in [html(&head(false), &sections), markdown(&head(false), &sections)] {
        for word in [
            "deepnmf reproduce clustering",
            "Seeds: seed 0",
            "Rule: holds if",
            "XM2VTS",
            "on the stand-in it holds",
            "1 of 2 cells",
            "models/deep.html",
        ] {
            assert!(page.contains(word), "{word:?} is missing in {page}");
        }
        assert!(!page.contains("quick run"));
    }
    assert!(markdown(&head(true), &sections).contains("says nothing about the paper"));
}

#[test]
fn text_is_escaped_where_it_must_be() {
    let sections = [section()];
    assert!(html(&head(false), &sections).contains("drawn &lt;faces&gt;"));
    assert!(markdown(&head(false), &sections).contains("NMF \\| MUL"));
    assert_eq!(table(&sections[0].tables[0]), "method,whose,20\nNMF | MUL,ours,\"1,5\"\n");
}

#[test]
fn claims_are_counted_by_what_they_were_tested_on() {
    let count = |what: &str, sections: &[Section]| {
        tally(sections).into_iter().find(|(name, _)| name == what).map(|(_, count)| count)
    };
    let mut sections = [section()];
    assert_eq!(count("hold", &sections), Some(0));
    assert_eq!(count("cannot be tested here; hold on a stand-in", &sections), Some(1));
    sections[0].claims[0].stand_in_for = None;
    assert_eq!(count("hold", &sections), Some(1));
}

#[test]
fn durations_have_the_unit_that_fits() {
    assert_eq!([5.0, 600.0, 7200.0].map(duration), ["5 s", "10 min", "2.0 h"]);
}
