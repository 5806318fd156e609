//! What the first line says about the columns: their number, their names, which holds labels.

use super::is_like_a_number;
use crate::error::{Fault, shown};

/// The columns of a table.
pub(super) struct Columns {
    pub(super) width: usize,
    /// The column that holds labels, counted from 0.
    pub(super) labels: Option<usize>,
    header: Option<Vec<String>>,
}

impl Columns {
    /// Looks at the first line, which is a header if a field is not a number. A column known by its
    /// number to hold labels is left out of that: labels are no numbers either.
    pub(super) fn of_first<'a>(
        first: impl ExactSizeIterator<Item = &'a [u8]>,
        labels_key: Option<&str>,
    ) -> Result<Self, Fault> {
        let fields: Vec<&[u8]> = first.collect();
        let width = fields.len();
        let number = labels_key.and_then(|key| column_number(key, width));
        let is_header =
            fields.iter().enumerate().any(|(i, f)| Some(i) != number && !is_like_a_number(f));
        let header = is_header.then(|| {
            fields.iter().map(|field| String::from_utf8_lossy(field).into_owned()).collect()
        });
        let mut columns = Self { width, labels: None, header };
        if let Some(key) = labels_key {
            columns.labels = Some(columns.find(key).or(number).ok_or_else(|| columns.no(key))?);
        }
        Ok(columns)
    }

    fn find(&self, name: &str) -> Option<usize> {
        self.header.as_ref()?.iter().position(|n| n == name)
    }

    fn no(&self, key: &str) -> Fault {
        const LISTED: usize = 20;
        let names = match &self.header {
            None => "; the file has no header with names".into(),
            Some(names) => {
                let quoted = names.iter().take(LISTED).map(|name| format!("{:?}", shown(name)));
                let list = quoted.collect::<Vec<_>>().join(", ");
                let more = if names.len() > LISTED { ", ..." } else { "" };
                format!(" or one of the names {list}{more}")
            }
        };
        Fault::NoColumn { wanted: shown(key), columns: self.width, names }
    }

    pub(super) fn has_header(&self) -> bool {
        self.header.is_some()
    }

    /// The number of columns that hold numbers.
    pub(super) fn features(&self) -> usize {
        self.width - usize::from(self.labels.is_some())
    }

    /// The name of a column, if it has one.
    pub(super) fn name(&self, column: usize) -> Option<String> {
        self.header.as_ref()?.get(column).filter(|name| !name.is_empty()).cloned()
    }

    pub(super) fn feature_names(&self) -> Option<Vec<String>> {
        let names = self.header.as_ref()?.iter().enumerate();
        Some(names.filter(|(i, _)| Some(*i) != self.labels).map(|(_, n)| n.clone()).collect())
    }

    /// What the labels are called, if there are any.
    pub(super) fn labels_name(&self) -> Option<String> {
        let column = self.labels?;
        Some(self.name(column).unwrap_or_else(|| format!("column {}", column + 1)))
    }

    /// What to give as `labels_key` to mean this column.
    ///
    /// A "header" with numbers in it may be a sample whose label is text; only the column's number
    /// then helps in both cases.
    pub(super) fn key(&self, column: usize) -> String {
        let plain = |name: &str| {
            !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || "_-.".contains(c))
        };
        let words = self.header.iter().flatten().all(|name| !is_like_a_number(name.as_bytes()));
        match self.name(column) {
            Some(name) if words && plain(&name) => name,
            Some(name) if words => format!("{:?}", shown(&name)),
            _ => (column + 1).to_string(),
        }
    }
}

/// A column counted from 0, from its number counted from 1.
fn column_number(key: &str, width: usize) -> Option<usize> {
    let number: usize = key.parse().ok()?;
    number.checked_sub(1).filter(|&column| column < width)
}
