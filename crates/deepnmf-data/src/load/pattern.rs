//! Patterns for file names: `{identity}_{pose}_2` finds two attributes in `anna_left_2`.

use crate::error::Fault;

/// A piece of a pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Piece {
    /// Text that must stand there.
    Literal(String),
    /// One or more characters that are the value of this attribute.
    Attribute(String),
}

/// How the names of files hold the labels.
///
/// An attribute ends at the first occurrence of the text that follows it, and the last one does not
/// hold the text before it: `{a}_{b}` does not fit `x_y_z`, whose third part would be lost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Pattern(Vec<Piece>);

impl Pattern {
    /// Reads a pattern.
    pub(super) fn parse(pattern: &str) -> Result<Self, Fault> {
        let wrong = |why| Fault::Pattern { pattern: pattern.into(), why };
        let mut pieces = Vec::new();
        let mut rest = pattern;
        while !rest.is_empty() {
            let (literal, after) = rest.split_once('{').unwrap_or((rest, ""));
            if literal.contains('}') {
                return Err(wrong("a closing brace without an opening one"));
            }
            if !literal.is_empty() {
                pieces.push(Piece::Literal(literal.into()));
            }
            if literal.len() == rest.len() {
                break;
            }
            let (name, after) =
                after.split_once('}').ok_or_else(|| wrong("an opening brace is not closed"))?;
            if name.is_empty() || name.contains('{') {
                return Err(wrong("braces must hold the name of an attribute"));
            }
            if matches!(pieces.last(), Some(Piece::Attribute(_))) {
                return Err(wrong("two attributes touch"));
            }
            let attribute = Piece::Attribute(name.into());
            if pieces.contains(&attribute) {
                return Err(wrong("an attribute is named twice"));
            }
            pieces.push(attribute);
            rest = after;
        }
        let pattern = Self(pieces);
        if pattern.attributes().next().is_none() {
            Err(wrong("it names no attribute"))
        } else {
            Ok(pattern)
        }
    }

    /// The names of the attributes, in their order.
    pub(super) fn attributes(&self) -> impl Iterator<Item = &str> {
        self.0.iter().filter_map(|piece| match piece {
            Piece::Attribute(name) => Some(name.as_str()),
            Piece::Literal(_) => None,
        })
    }

    /// Whether it speaks of the folder too.
    pub(super) fn has_folder(&self) -> bool {
        self.0.iter().any(|piece| matches!(piece, Piece::Literal(text) if text.contains('/')))
    }

    /// The values of the attributes in `name`, if it fits.
    pub(super) fn values<'n>(&self, name: &'n str) -> Option<Vec<&'n str>> {
        let mut values = Vec::new();
        let mut rest = name;
        for (i, piece) in self.0.iter().enumerate() {
            let value = match (piece, self.0.get(i + 1)) {
                (Piece::Literal(text), _) => {
                    rest = rest.strip_prefix(text.as_str())?;
                    continue;
                }
                (Piece::Attribute(_), Some(Piece::Literal(next))) => {
                    let (value, _) = rest.split_once(next.as_str())?;
                    value
                }
                (Piece::Attribute(_), _) => rest,
            };
            let before = i.checked_sub(1).and_then(|before| self.0.get(before));
            let holds =
                matches!(before, Some(Piece::Literal(text)) if value.contains(text.as_str()));
            if value.is_empty() || holds {
                return None;
            }
            values.push(value);
            rest = &rest[value.len()..];
        }
        rest.is_empty().then_some(values)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_names_give_their_attributes() {
        let pattern = Pattern::parse("{identity}_{pose}_{expression}_{eyes}_2").unwrap();
        let names: Vec<_> = pattern.attributes().collect();
        assert_eq!(names, ["identity", "pose", "expression", "eyes"]);
        let values = pattern.values("an2i_left_angry_open_2").unwrap();
        assert_eq!(values, ["an2i", "left", "angry", "open"]);
        for other in ["an2i_left_angry_open_4", "an2i_left_angry_open", "README", "", "___a_2"] {
            assert_eq!(pattern.values(other), None, "{other}");
        }
    }

    #[test]
    fn a_part_too_many_does_not_fit() {
        let pattern = Pattern::parse("{a}_{b}").unwrap();
        assert_eq!(pattern.values("x_y").unwrap(), ["x", "y"]);
        assert_eq!(pattern.values("x_y_z"), None);
        assert_eq!(Pattern::parse("s{a}").unwrap().values("s12").unwrap(), ["12"]);
        assert!(Pattern::parse("{a}/{b}").unwrap().has_folder());
    }

    #[test]
    fn patterns_that_are_none_are_refused() {
        for bad in ["", "abc", "{a}{b}", "{", "{a", "a}", "{}", "{a}_{a}", "{a{b}"] {
            let message = Pattern::parse(bad).unwrap_err().to_string();
            assert!(message.contains("is no pattern for file names"), "{bad}: {message}");
        }
    }
}
