//! Places and words of a text file, as messages show them.

use std::fmt::{self, Display};

/// A field of a text file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cell {
    /// The line of the file, counted from 1.
    pub line: u64,
    /// The column, counted from 1.
    pub column: usize,
    /// The column's name, if there is a header.
    pub name: Option<String>,
}

impl Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = quoted_name(self.name.as_deref());
        write!(f, "line {}, column {}{name}", self.line, self.column)
    }
}

/// A name in brackets, to be put behind a number.
pub(super) fn quoted_name(name: Option<&str>) -> String {
    name.map_or_else(String::new, |name| format!(" ({:?})", shown(name)))
}

/// Text from a file, short enough for a message. Quoting it with `{:?}` makes it harmless too.
pub(crate) fn shown(text: &str) -> String {
    const LONGEST: usize = 40;
    let mut short: String = text.chars().take(LONGEST).collect();
    if short.len() < text.len() {
        short.push_str("...");
    }
    short
}
