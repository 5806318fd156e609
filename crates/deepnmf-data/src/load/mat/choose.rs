//! Which variable holds the data, and which the labels.

use super::super::LoadOptions;
use super::variable::{Variable, Variables};
use crate::error::{Fault, shown};

/// What to read.
pub(super) struct Chosen<'v, 'a> {
    pub(super) data: &'v Variable<'a>,
    /// Rows of `data`.
    pub(super) samples: usize,
    /// Columns of `data`.
    pub(super) features: usize,
    pub(super) labels: Option<Labels<'v, 'a>>,
}

/// A variable with one number per sample.
pub(super) struct Labels<'v, 'a> {
    pub(super) variable: &'v Variable<'a>,
    /// Whether it was asked for by name, rather than found under a usual one.
    pub(super) asked: bool,
}

/// What data are usually called, with the name that their labels have then.
const USUAL: [(&str, &str); 2] = [("fea", "gnd"), ("X", "Y")];

impl<'a> Variables<'a> {
    pub(super) fn choose(&self, options: &LoadOptions) -> Result<Chosen<'_, 'a>, Fault> {
        let data = self.data(options)?;
        let (samples, features) =
            data.table().ok_or_else(|| self.wrong(data, "a numeric table".into()))?;
        let labels = match &options.labels_key {
            Some(name) => Some(self.labels(name, samples)?),
            None => self.usual_labels(&data.name, samples),
        };
        Ok(Chosen { data, samples, features, labels })
    }

    fn data(&self, options: &LoadOptions) -> Result<&Variable<'a>, Fault> {
        if let Some(name) = &options.data_key {
            return self.find(name).ok_or_else(|| self.no(name));
        }
        match USUAL.iter().find_map(|(name, _)| self.find(name)) {
            Some(usual) => Ok(usual),
            None => self.only_table(options.labels_key.as_deref()),
        }
    }

    /// The only numeric table besides the labels. Where one has several rows and columns, vectors
    /// and single numbers do not count.
    fn only_table(&self, labels: Option<&str>) -> Result<&Variable<'a>, Fault> {
        let others = self.0.iter().filter(|variable| labels != Some(variable.name.as_str()));
        let tables: Vec<_> = others.filter(|variable| variable.table().is_some()).collect();
        let is_wide = |v: &&&Variable<'_>| v.table().is_some_and(|(m, n)| m > 1 && n > 1);
        let wide: Vec<_> = tables.iter().filter(is_wide).copied().collect();
        match (wide.as_slice(), tables.as_slice()) {
            (&[only], _) | ([], &[only]) => Ok(only),
            _ => {
                let count = if wide.is_empty() { tables.len() } else { wide.len() };
                Err(Fault::WhichVariable { count, present: self.to_string() })
            }
        }
    }

    fn labels(&self, name: &str, samples: usize) -> Result<Labels<'_, 'a>, Fault> {
        let variable = self.find(name).ok_or_else(|| self.no(name))?;
        if !is_vector(variable, samples) {
            let needed = format!("a numeric {samples} x 1 array of labels, one for each sample,");
            return Err(self.wrong(variable, needed));
        }
        Ok(Labels { variable, asked: true })
    }

    /// Labels under the name that goes with the data's, if they can be labels.
    fn usual_labels(&self, data: &str, samples: usize) -> Option<Labels<'_, 'a>> {
        let (_, labels) = USUAL.iter().find(|(usual, _)| *usual == data)?;
        let variable = self.find(labels).filter(|variable| is_vector(variable, samples))?;
        Some(Labels { variable, asked: false })
    }

    fn find(&self, name: &str) -> Option<&Variable<'a>> {
        self.0.iter().find(|variable| variable.name == name)
    }

    fn no(&self, name: &str) -> Fault {
        Fault::NoVariable { wanted: shown(name), present: self.to_string() }
    }

    fn wrong(&self, variable: &Variable<'_>, needed: String) -> Fault {
        let (name, found) = (shown(&variable.name), variable.kind());
        Fault::WrongVariable { name, found, needed, present: self.to_string() }
    }
}

fn is_vector(variable: &Variable<'_>, samples: usize) -> bool {
    variable.table().is_some_and(|(m, n)| (m, n) == (samples, 1) || (m, n) == (1, samples))
}
