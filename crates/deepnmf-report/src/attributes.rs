//! What is known of the judged samples, in a form that a page can carry.

use deepnmf_data::Attribute;
use serde::Serialize;

use crate::choice::Choice;

/// Longer texts are cut, which bounds the size of the page.
const LONGEST_TEXT: usize = 200;
/// Attributes with more classes than this are named, but not clustered by.
const MOST_CLASSES: usize = 200;
/// The most attributes that layers are judged by.
const MOST_ATTRIBUTES: usize = 12;

/// One attribute of the judged samples.
#[derive(Debug, Clone)]
pub(crate) struct Known {
    pub(crate) name: String,
    /// The classes that judged samples have.
    pub(crate) classes: Vec<String>,
    /// For every judged sample the place of its class.
    pub(crate) codes: Vec<Option<u32>>,
    /// Whether layers can be judged by it.
    pub(crate) usable: bool,
}

/// The attributes of the judged samples; of those that can be used for judging, the first few.
pub(crate) fn known(attributes: &[Attribute], choice: &Choice) -> Vec<Known> {
    let mut used = 0;
    let one = |attribute| {
        let mut known = Known::of(attribute, &choice.judged);
        used += usize::from(known.usable);
        known.usable &= used <= MOST_ATTRIBUTES;
        known
    };
    attributes.iter().map(one).collect()
}

impl Known {
    fn of(attribute: &Attribute, judged: &[usize]) -> Self {
        let codes: Vec<Option<u32>> =
            judged.iter().map(|&sample| attribute.codes()[sample]).collect();
        let (classes, codes) = only_present(attribute.classes(), &codes);
        let labelled = codes.iter().flatten().count();
        let usable = (2..=MOST_CLASSES.min(labelled / 2)).contains(&classes.len());
        Self { name: cut(&attribute.name), classes, codes, usable }
    }

    /// The same of some samples, with the classes that they have.
    pub(crate) fn of_shown(&self, shown: &[usize]) -> Labels {
        let codes: Vec<Option<u32>> = shown.iter().map(|&place| self.codes[place]).collect();
        let missing = self.codes.iter().filter(|code| code.is_none()).count();
        // Classes of a usable attribute are counted elsewhere, so they keep their places.
        let (classes, codes) = if self.usable {
            (self.classes.clone(), codes)
        } else {
            only_present(&self.classes, &codes)
        };
        Labels {
            name: self.name.clone(),
            all_classes: self.classes.len(),
            classes,
            codes: codes.iter().map(|code| code.map_or(-1, i64::from)).collect(),
            missing,
            usable: self.usable,
        }
    }
}

/// The labels of the shown samples.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Labels {
    /// The name of the attribute.
    pub name: String,
    /// How many classes the judged samples have.
    pub all_classes: usize,
    /// The names of the classes.
    pub classes: Vec<String>,
    /// For every shown sample its class, or -1 where it is unknown.
    pub codes: Vec<i64>,
    /// How many judged samples have no label.
    pub missing: usize,
    /// Whether the layers are judged by it.
    pub usable: bool,
}

/// Leaves out the classes that no sample has.
fn only_present(classes: &[String], codes: &[Option<u32>]) -> (Vec<String>, Vec<Option<u32>>) {
    let mut new_place: Vec<Option<u32>> = vec![None; classes.len()];
    codes.iter().flatten().for_each(|&code| new_place[code as usize] = Some(0));
    let mut kept = Vec::new();
    for (class, place) in classes.iter().zip(&mut new_place).filter(|(_, place)| place.is_some()) {
        *place = u32::try_from(kept.len()).ok();
        kept.push(cut(class));
    }
    (kept, codes.iter().map(|code| code.and_then(|code| new_place[code as usize])).collect())
}

/// A text of bounded length.
pub(crate) fn cut(text: &str) -> String {
    match text.char_indices().nth(LONGEST_TEXT) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn letters(text: &str) -> Attribute {
        let label = |c: char| (c != '.').then(|| c.to_string());
        Attribute::from_strings("letter", text.chars().map(label))
    }

    #[test]
    fn classes_without_a_judged_sample_are_left_out() {
        let choice = Choice { samples: 8, judged: vec![1, 2, 4, 5, 6], shown: vec![0, 1, 4] };
        let known = &known(&[letters("abb.ddbc")], &choice)[0];
        assert_eq!(known.classes, ["b", "d"]);
        assert_eq!(known.codes, [Some(0), Some(0), Some(1), Some(1), Some(0)]);
        assert!(known.usable);
        let labels = known.of_shown(&choice.shown);
        assert_eq!((labels.codes, labels.missing), (vec![0, 0, 0], 0));
        assert_eq!(labels.classes.len(), 2, "a usable attribute keeps its classes");
    }

    #[test]
    fn a_label_of_its_own_for_every_sample_is_named_but_not_judged() {
        let choice = Choice { samples: 4, judged: vec![0, 1, 2, 3], shown: vec![1, 3] };
        let known = &known(&[letters("abcd")], &choice)[0];
        assert!(!known.usable);
        let labels = known.of_shown(&choice.shown);
        assert_eq!((labels.classes.len(), labels.all_classes), (2, 4));
        assert_eq!(labels.codes, [0, 1]);
    }

    #[test]
    fn long_texts_are_cut_between_letters() {
        assert_eq!(cut("ä").len(), 2);
        assert_eq!(cut(&"😀".repeat(10_000)).chars().count(), LONGEST_TEXT + 1);
    }
}
