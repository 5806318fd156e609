//! What the first line and the caller say about the columns: their names and what each one holds.

use super::is_like_a_number;
use crate::error::{Fault, shown};
use crate::load::{Header, LoadOptions};

/// What a column holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// Numbers.
    Feature,
    /// Labels: the attribute of this place.
    Labels(usize),
    /// The names of the samples.
    Names,
    /// Nothing that is wanted.
    Dropped,
}

/// The columns of a table.
pub(super) struct Columns {
    pub(super) roles: Vec<Role>,
    header: Option<Vec<String>>,
}

impl Columns {
    /// Looks at the first line. It is a header if the caller says so; if a field is not a number
    /// (other than one of a column that is known by its number to hold labels, names or nothing);
    /// or if its fields count the columns, as pandas writes them, and `more` lines follow.
    pub(super) fn of_first<'a>(
        first: impl ExactSizeIterator<Item = &'a [u8]>,
        options: &LoadOptions,
        more: bool,
    ) -> Result<Self, Fault> {
        let fields: Vec<&[u8]> = first.collect();
        let is_header = match options.table.header {
            Header::Yes => true,
            Header::No => false,
            Header::Auto => has_words(&fields, options) || (more && counts_columns(&fields)),
        };
        let names = || fields.iter().map(|f| String::from_utf8_lossy(f).into_owned()).collect();
        let header: Option<Vec<String>> = is_header.then(names);
        let mut columns = Self { roles: vec![Role::Feature; fields.len()], header };
        columns.refuse_duplicates(options.table.header)?;
        columns.assign(options)?;
        Ok(columns)
    }

    /// Numbers that occur twice may be those of a sample that was taken for a header because of its
    /// label; the message about that label helps more.
    fn refuse_duplicates(&self, header: Header) -> Result<(), Fault> {
        let is_name = |name: &String| match header {
            Header::Yes => !name.is_empty(),
            _ => !is_like_a_number(name.as_bytes()),
        };
        let mut names: Vec<&String> = self.header.iter().flatten().collect();
        names.retain(|name| is_name(name));
        match duplicates(&names) {
            twice if twice.is_empty() => Ok(()),
            names => Err(Fault::DuplicateColumns { names: names.join(", ") }),
        }
    }

    fn assign(&mut self, options: &LoadOptions) -> Result<(), Fault> {
        let table = &options.table;
        if !table.columns.is_empty() {
            self.roles.fill(Role::Dropped);
        }
        if self.is_index() {
            self.roles[0] = if table.names_key.is_some() { Role::Dropped } else { Role::Names };
        }
        for key in &table.columns {
            let column = self.find(key).ok_or_else(|| self.no(key, "--columns"))?;
            self.roles[column] = Role::Feature;
        }
        for key in &table.drop {
            let column = self.find(key).ok_or_else(|| self.no(key, "--drop"))?;
            self.roles[column] = Role::Dropped;
        }
        if let Some(key) = &table.names_key {
            let column = self.find(key).ok_or_else(|| self.no(key, "--names-key"))?;
            self.roles[column] = Role::Names;
        }
        for (place, key) in self.label_keys(options).into_iter().enumerate() {
            let column = self.find(key).ok_or_else(|| self.no(key, "--labels-key"))?;
            self.roles[column] = Role::Labels(place);
        }
        Ok(())
    }

    /// The columns of labels: one, or several with commas between them.
    fn label_keys<'o>(&self, options: &'o LoadOptions) -> Vec<&'o str> {
        match options.labels_key.as_deref() {
            None => vec![],
            Some(key) if self.find(key).is_some() => vec![key],
            Some(keys) => keys.split(',').map(str::trim).collect(),
        }
    }

    /// Whether the first column names the samples: pandas gives it no name, and reads such a column
    /// as "Unnamed: 0"; tables of this program call it "sample".
    fn is_index(&self) -> bool {
        let names = self.header.as_deref().unwrap_or_default();
        names.len() > 1 && ["", "Unnamed: 0", "sample"].contains(&names[0].as_str())
    }

    /// A column by its name, or by its number counted from 1.
    fn find(&self, key: &str) -> Option<usize> {
        let names = self.header.as_deref().unwrap_or_default();
        let named = names.iter().position(|name| name == key);
        named.or_else(|| column_number(key, self.roles.len()))
    }

    fn no(&self, key: &str, flag: &'static str) -> Fault {
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
        Fault::NoColumn { wanted: shown(key), flag, columns: self.roles.len(), names }
    }

    pub(super) fn has_header(&self) -> bool {
        self.header.is_some()
    }

    /// The number of columns of some kind.
    pub(super) fn count(&self, wanted: impl Fn(Role) -> bool) -> usize {
        self.roles.iter().filter(|&&role| wanted(role)).count()
    }

    /// The name of a column, if it has one.
    pub(super) fn name(&self, column: usize) -> Option<String> {
        self.header.as_ref()?.get(column).filter(|name| !name.is_empty()).cloned()
    }

    pub(super) fn feature_names(&self) -> Option<Vec<String>> {
        let names = self.header.as_ref()?.iter().zip(&self.roles);
        Some(names.filter(|(_, role)| **role == Role::Feature).map(|(n, _)| n.clone()).collect())
    }

    /// What the labels are called, in the order of their places.
    pub(super) fn labels_names(&self) -> Vec<String> {
        let mut found: Vec<(usize, String)> = Vec::new();
        for (column, role) in self.roles.iter().enumerate() {
            if let Role::Labels(place) = role {
                let name = self.name(column).unwrap_or_else(|| format!("column {}", column + 1));
                found.push((*place, name));
            }
        }
        found.sort();
        found.into_iter().map(|(_, name)| name).collect()
    }

    /// What to give to an option to mean this column.
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

/// The names that occur more than once, as messages show them.
pub(in crate::load) fn duplicates(names: &[&String]) -> Vec<String> {
    const LISTED: usize = 5;
    let mut sorted = names.to_vec();
    sorted.sort();
    let mut twice: Vec<_> = sorted.windows(2).filter(|w| w[0] == w[1]).map(|w| w[0]).collect();
    twice.dedup();
    twice.into_iter().take(LISTED).map(|name| format!("{:?}", shown(name))).collect()
}

/// Whether a field is not a number, in a column that is not known to hold words.
fn has_words(fields: &[&[u8]], options: &LoadOptions) -> bool {
    let table = &options.table;
    let labels = options.labels_key.iter().flat_map(|keys| keys.split(','));
    let keys = labels.chain(table.drop.iter().chain(&table.names_key).map(String::as_str));
    let mut known: Vec<usize> =
        keys.filter_map(|key| column_number(key.trim(), fields.len())).collect();
    let features = table.columns.iter().map(|key| column_number(key, fields.len()));
    if let Some(features) = features.collect::<Option<Vec<_>>>().filter(|f| !f.is_empty()) {
        known.extend((0..fields.len()).filter(|column| !features.contains(column)));
    }
    let mut others = fields.iter().enumerate().filter(|(column, _)| !known.contains(column));
    others.any(|(_, field)| !is_like_a_number(field))
}

/// Whether the fields are 0, 1, 2, ... or 1, 2, 3, ..., perhaps after one that is empty.
fn counts_columns(fields: &[&[u8]]) -> bool {
    let fields = match fields {
        [first, others @ ..] if first.is_empty() && !others.is_empty() => others,
        [_, _, ..] => fields,
        // One number alone is as likely a sample.
        _ => return false,
    };
    let counts_from = |first: usize| {
        (first..).zip(fields).all(|(number, field)| *field == number.to_string().as_bytes())
    };
    counts_from(0) || counts_from(1)
}

/// A column counted from 0, from its number counted from 1.
fn column_number(key: &str, width: usize) -> Option<usize> {
    let number: usize = key.parse().ok()?;
    number.checked_sub(1).filter(|&column| column < width)
}
