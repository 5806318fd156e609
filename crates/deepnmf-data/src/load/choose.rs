//! Which variable of a file holds the data, and which the labels.

use super::LoadOptions;
use super::variables::{Variable, Variables};
use crate::error::{Fault, shown};

/// What to read.
pub(super) struct Chosen<'v, S> {
    pub(super) data: &'v Variable<S>,
    /// Rows of `data`.
    pub(super) samples: usize,
    /// Columns of `data`.
    pub(super) features: usize,
    pub(super) labels: Option<Labels<'v, S>>,
}

/// A variable with one number or word per sample.
pub(super) struct Labels<'v, S> {
    pub(super) variable: &'v Variable<S>,
    /// Whether it was asked for by name, rather than found under a usual one.
    pub(super) asked: bool,
}

impl<S> Labels<'_, S> {
    /// Reads them; what nobody has asked for and is no labels is passed over, since the data are worth
    /// having without. Damage is not: the file has promised more than it holds.
    pub(super) fn read<L>(
        &self,
        read: impl FnOnce(&Variable<S>) -> Result<L, Fault>,
    ) -> Result<Option<L>, Fault> {
        match read(self.variable) {
            Err(fault) if self.asked || is_damage(&fault) => Err(fault),
            Err(_) => Ok(None),
            labels => labels.map(Some),
        }
    }
}

fn is_damage(fault: &Fault) -> bool {
    matches!(fault, Fault::Damaged { .. } | Fault::Read(_))
}

/// What data are usually called in a format, with the names that their labels have then.
pub(super) struct Usual {
    pub(super) pairs: &'static [(&'static str, &'static str)],
    /// The names of the data as messages list them.
    pub(super) listed: &'static str,
}

/// MATLAB's habits.
pub(super) const MATLAB: Usual = Usual { pairs: &[("fea", "gnd"), ("X", "Y")], listed: "fea or X" };

/// NumPy's habits.
pub(super) const NUMPY: Usual = Usual {
    pairs: &[
        ("X", "y"),
        ("X", "Y"),
        ("X", "labels"),
        ("data", "labels"),
        ("data", "target"),
        ("data", "y"),
    ],
    listed: "X or data",
};

impl<S> Variables<S> {
    pub(super) fn choose(
        &self,
        options: &LoadOptions,
        usual: &Usual,
    ) -> Result<Chosen<'_, S>, Fault> {
        let data = self.data(options, usual)?;
        let (samples, features) =
            data.table().ok_or_else(|| self.wrong(data, "a numeric table".into()))?;
        let labels = match &options.labels_key {
            Some(name) => Some(self.labels(name, samples)?),
            None => self.usual_labels(&data.name, samples, usual),
        };
        Ok(Chosen { data, samples, features, labels })
    }

    fn data(&self, options: &LoadOptions, usual: &Usual) -> Result<&Variable<S>, Fault> {
        if let Some(name) = &options.data_key {
            return self.find(name).ok_or_else(|| self.no(name));
        }
        match usual.pairs.iter().find_map(|(name, _)| self.find(name)) {
            Some(usual) => Ok(usual),
            None => self.only_table(options.labels_key.as_deref(), usual.listed),
        }
    }

    /// The only numeric table besides the labels. Where one has several rows and columns, vectors
    /// and single numbers do not count.
    fn only_table(&self, labels: Option<&str>, usual: &'static str) -> Result<&Variable<S>, Fault> {
        let others = self.0.iter().filter(|variable| labels != Some(variable.name.as_str()));
        let tables: Vec<_> = others.filter(|variable| variable.table().is_some()).collect();
        let is_wide = |v: &&&Variable<S>| v.table().is_some_and(|(m, n)| m > 1 && n > 1);
        let wide: Vec<_> = tables.iter().filter(is_wide).copied().collect();
        match (wide.as_slice(), tables.as_slice()) {
            (&[only], _) | ([], &[only]) => Ok(only),
            _ => {
                let count = if wide.is_empty() { tables.len() } else { wide.len() };
                Err(Fault::WhichVariable { usual, count, present: self.to_string() })
            }
        }
    }

    fn labels(&self, name: &str, samples: usize) -> Result<Labels<'_, S>, Fault> {
        let variable = self.find(name).ok_or_else(|| self.no(name))?;
        if !variable.is_vector(samples) {
            let needed = format!("a numeric {samples} x 1 array of labels, one for each sample,");
            return Err(self.wrong(variable, needed));
        }
        Ok(Labels { variable, asked: true })
    }

    /// Labels under a name that goes with the data's, if they can be labels.
    fn usual_labels(&self, data: &str, samples: usize, usual: &Usual) -> Option<Labels<'_, S>> {
        let names = usual.pairs.iter().filter(|(usual, _)| *usual == data);
        let mut found = names.filter_map(|(_, labels)| self.find(labels));
        let variable = found.find(|variable| variable.is_vector(samples))?;
        Some(Labels { variable, asked: false })
    }

    fn find(&self, name: &str) -> Option<&Variable<S>> {
        self.0.iter().find(|variable| variable.name == name)
    }

    fn no(&self, name: &str) -> Fault {
        Fault::NoVariable { wanted: shown(name), present: self.to_string() }
    }

    fn wrong(&self, variable: &Variable<S>, needed: String) -> Fault {
        let (name, found) = (shown(&variable.name), variable.kind());
        Fault::WrongVariable { name, found, needed, present: self.to_string() }
    }
}
