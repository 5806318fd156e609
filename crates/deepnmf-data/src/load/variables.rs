//! The named arrays of a file (`.mat`, `.npz`, HDF5), and how messages speak of them.

use std::fmt::{self, Display};

use crate::error::shown;

/// What a variable is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    /// Real numbers, in the file format's word for their type.
    Numeric(&'static str),
    /// Real numbers without the zeros.
    Sparse,
    /// Words, of use as labels only.
    Text,
    /// Anything else, in words.
    Other(&'static str),
}

/// A variable that can be read later.
pub(super) struct Variable<S> {
    pub(super) name: String,
    pub(super) class: Class,
    pub(super) shape: Vec<usize>,
    /// Where its contents are.
    pub(super) source: S,
}

impl<S> Variable<S> {
    /// Rows and columns, if this is a numeric table.
    pub(super) fn table(&self) -> Option<(usize, usize)> {
        match (self.class, self.shape.as_slice()) {
            (Class::Numeric(_) | Class::Sparse, &[rows, columns]) => Some((rows, columns)),
            _ => None,
        }
    }

    /// Whether it holds one number or word per sample.
    pub(super) fn is_vector(&self, samples: usize) -> bool {
        let fits = match self.shape.as_slice() {
            [length] => *length == samples,
            [rows, columns] => [(samples, 1), (1, samples)].contains(&(*rows, *columns)),
            _ => false,
        };
        fits && matches!(self.class, Class::Numeric(_) | Class::Text)
    }

    /// What it is, without its name: `2856 x 1024 double`.
    pub(super) fn kind(&self) -> String {
        const LISTED: usize = 4;
        let class = match self.class {
            Class::Numeric(class) | Class::Other(class) => class,
            Class::Sparse => "sparse",
            Class::Text => "text",
        };
        let mut lengths: Vec<_> = self.shape.iter().take(LISTED).map(ToString::to_string).collect();
        if self.shape.len() > LISTED {
            lengths.push("...".into());
        }
        let separator = if lengths.is_empty() { "" } else { " " };
        format!("{}{separator}{class}", lengths.join(" x "))
    }
}

/// All variables of a file.
pub(super) struct Variables<S>(pub(super) Vec<Variable<S>>);

impl<S> Display for Variables<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const LISTED: usize = 20;
        if self.0.is_empty() {
            return f.write_str("no variables");
        }
        for (i, variable) in self.0.iter().take(LISTED).enumerate() {
            let separator = if i == 0 { "" } else { ", " };
            // Escaped, since a name comes from the file and may hold anything.
            let name = shown(&variable.name);
            write!(f, "{separator}{} ({})", name.escape_debug(), variable.kind())?;
        }
        match self.0.len().saturating_sub(LISTED) {
            0 => Ok(()),
            more => write!(f, " and {more} more"),
        }
    }
}
