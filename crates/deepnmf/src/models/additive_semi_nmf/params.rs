//! Settings of Additive Semi-NMF, and the fit.

use serde::{Deserialize, Serialize};

use super::algorithm::AdditiveLoop;
use super::auto::choose_parts;
use super::coordinates::{Coordinates, Directions, most_coordinates};
use super::descent::{Found, descend};
use super::labelled::{Taught, known_before, labelled_parts};
use super::memberships::Memberships;
use super::part::PartSizes;
use super::result::Whole;
use crate::driver::FitSession;
use crate::error::{Error, Result};
use crate::init::ScaleIn;
use crate::matrix::{DataMatrix, Scalar, Watched, check_data};
use crate::models::summary::{Bound, Record};
use crate::models::{
    Abilities, FitOptions, Kind, LabelUse, Model, Notice, Outcome, SemiNmf, Task, WhitenedPca,
};
use crate::observe::Stage;
use crate::predict::Unlearnt;

/// Additive Semi-NMF: `X ~ Z_1 H_1 + Z_2 H_2 + ..`, each sample in one cluster of every part.
///
/// ```
/// use deepnmf::{AdditiveSemiNmf, Factorization, Matrix};
/// // Each sample is one of five shapes in one of three shades.
/// let shape = |i: usize, j: usize| ((i * i + 3 * (j % 5) * i) % 7) as f64;
/// let shade = |i: usize, j: usize| ((i + 2) * (j / 5 % 3)) as f64;
/// let x = Matrix::from_fn(12, 60, |i, j| shape(i, j) + shade(i, j));
/// let model = AdditiveSemiNmf::new([5, 3]).fit(&x)?;
/// assert_eq!(model.factors.h[0].shape(), (5 + 3, 60));
/// let labels = model.part_labels();
/// assert_eq!(labels[0], labels[15]); // the same shape in the same shade
/// # Ok::<(), deepnmf::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AdditiveSemiNmf {
    /// The clusters of each part, at least 2; 0 for a part with labels, which has as many as they have classes. A deep part
    /// has fewer of them in each layer. If there are no parts, the fit finds out how many there are and how large; the
    /// settings of the model then name them.
    pub parts: Vec<PartSizes>,
    /// Settings that all models share. Several parts use the seed, the stopping rule and the bound; where the
    /// factors begin, their scale and the rule for the features are those of one part.
    pub options: FitOptions,
}

impl AdditiveSemiNmf {
    /// Additive Semi-NMF with so many clusters in each part and default settings.
    pub fn new<P: Into<PartSizes>>(parts: impl IntoIterator<Item = P>) -> Self {
        let parts = parts.into_iter().map(Into::into).collect();
        Self { parts, options: FitOptions::default() }
    }

    /// The same with parts that the fit finds out: one after the other, while what is left has structure.
    pub fn auto() -> Self {
        Self { parts: vec![], options: FitOptions::default() }
    }

    /// Replaces the shared settings.
    #[must_use]
    pub fn with(self, options: FitOptions) -> Self {
        Self { options, ..self }
    }

    /// The model without other parts, if there is one part.
    fn alone(&self) -> Option<SemiNmf> {
        match self.parts.as_slice() {
            [part] => Some(SemiNmf::new(part.in_layer(1)).with(self.options.clone())),
            _ => None,
        }
    }

    /// The layers of the deepest part.
    fn depth(&self) -> usize {
        self.parts.iter().map(|part| part.layers().len()).max().unwrap_or(1).max(1)
    }

    /// The clusters of each part in a layer, counted from 1.
    fn sizes_in(&self, layer: usize) -> Vec<usize> {
        self.parts.iter().map(|part| part.in_layer(layer)).collect()
    }

    fn check_parts(&self, n: usize) -> Result<()> {
        for (i, part) in self.parts.iter().enumerate() {
            let name = || format!("the number of clusters of part {}", i + 1);
            let mut below = n.saturating_add(1);
            for &clusters in part.layers() {
                if !(2..=n).contains(&clusters) {
                    let accepted = match n {
                        0 | 1 => format!("there is {n} sample, parts need at least 2"),
                        n => format!("with {n} samples it must be between 2 and {n}"),
                    };
                    return Err(Error::parameter(name(), clusters, accepted));
                }
                if clusters >= below {
                    let accepted =
                        format!("layer by layer it must fall, and the layer below has {below}");
                    return Err(Error::parameter(name(), part, accepted));
                }
                below = clusters;
            }
            if part.layers().is_empty() {
                let accepted = "name the clusters of each of its layers, such as 60-20";
                return Err(Error::parameter(name(), "an empty list", accepted));
            }
        }
        match self.parts.as_slice() {
            [part] if part.layers().len() > 1 => {
                let accepted =
                    "a deep part stands beside others: name one more, or use deep-semi-nmf";
                Err(Error::parameter("the list of parts", part, accepted))
            }
            _ => Ok(()),
        }
    }

    /// The same with the parts that the data have, and why they have them.
    fn with_parts_of<T: Scalar>(
        &self,
        x: &dyn DataMatrix<T>,
        session: &mut FitSession<'_>,
    ) -> Result<(Self, Vec<Notice>)> {
        let (watch, seed) = (session.watch(&self.options.stop), self.options.seed);
        let watched = Watched::new(x, &watch);
        let (directions, t) = Directions::leading(&watched, seed)?;
        let samples = Coordinates::of(&watched, &directions, t)?;
        let reasons = choose_parts(&samples, seed, &|| watched.go_on())?;
        if reasons.is_empty() {
            let accepted = "no structure beyond noise was found in these samples: if you know of any, name the \
                            clusters of each part, such as 20 and 4";
            return Err(Error::parameter("the list of parts", "auto", accepted));
        }
        let parts = reasons.iter().map(|reason| reason.clusters.into()).collect();
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // percent, above 0
        let percent = |share: f64| (100.0 * share).round() as usize;
        let notices = reasons.iter().enumerate().map(|(i, reason)| Notice::PartFound {
            part: i + 1,
            clusters: reason.clusters,
            gain: percent(reason.ratio),
            agreement: percent(reason.agreement),
        });
        Ok((Self { parts, ..self.clone() }, notices.collect()))
    }

    /// The same with as many clusters in parts with labels as there are classes.
    fn with_classes(&self, labelled: &[Unlearnt]) -> Result<Self> {
        let mut parts = self.parts.clone();
        for Unlearnt { attribute: part, classes, .. } in labelled {
            let (sizes, classes) = (&mut parts[*part], classes.len());
            if *sizes != 0.into() && *sizes != classes.into() {
                let name = format!("the number of clusters of part {}", part + 1);
                let accepted = format!("its labels have {classes} classes, so give {classes} or 0");
                return Err(Error::parameter(name, &*sizes, accepted));
            }
            *sizes = classes.into();
        }
        if labelled.len() == parts.len() {
            let accepted = "name at least one part that is found without labels, or use deep-wsf";
            return Err(Error::parameter("the number of parts without labels", 0, accepted));
        }
        Ok(Self { parts, ..self.clone() })
    }

    fn fit_parts<T: Scalar>(
        &self,
        x: &dyn DataMatrix<T>,
        labelled: Vec<Unlearnt>,
        session: &mut FitSession<'_>,
    ) -> Result<Model<T>> {
        let watch = session.watch(&self.options.stop);
        let watched = Watched::new(x, &watch);
        let mut directions = Directions::none(x)?;
        let has_labels = |part: &usize| labelled.iter().any(|of| of.attribute == *part);
        let free: Vec<usize> = (0..self.parts.len()).filter(|part| !has_labels(part)).collect();
        let mut record = Record::default();
        let look = || {
            let looked =
                Directions::leading(&watched, self.options.seed).and_then(|(leading, t)| {
                    let coordinates = Coordinates::of(&watched, &leading, t)?;
                    directions = leading;
                    Ok(coordinates.with_low_floor())
                });
            match looked {
                Err(Error::Interrupted(_)) => Ok(Coordinates::none(x.parts().total())),
                other => other,
            }
        };
        let none = Taught::default();
        let mut search = Search { settings: self, x: &watched, session, record: &mut record };
        let (samples, found) = search.run(&free, &none, look)?;
        let mut whole = Whole {
            sizes: (1..=self.depth()).map(|layer| self.sizes_in(layer)).collect(),
            summed: free,
            samples,
            found,
            before: none,
            after: Taught::default(),
        };
        if whole.samples.dimension() == 0 && !labelled.is_empty() {
            // Samples that are alike, or that nobody has looked at, have no classes.
            whole.summed = (0..self.parts.len()).collect();
            let alike = Memberships::together(self.sizes_in(1), whole.samples.samples());
            whole.found = descend(&whole.samples, alike, 0)?;
        } else if !labelled.is_empty() {
            let before = Taught::before(&whole.samples, &whole.found.memberships, &labelled)?;
            if !before.machines.is_empty() {
                whole.summed.extend(before.parts());
                whole.summed.sort_unstable();
                (whole.samples, whole.found) =
                    search.run(&whole.summed, &before, || Ok(whole.samples))?;
                whole.before = before;
            }
            let known = whole.before.parts();
            let left: Vec<Unlearnt> =
                labelled.into_iter().filter(|of| !known.contains(&of.attribute)).collect();
            whole.after = Taught::after(&whole.samples, &whole.found, &left)?;
        }
        let (factors, machines) = whole.factors(x, &directions)?;
        record.error =
            Some(factors.reconstruction_error(x, factors.depth(), factors.top_features())?);
        record.main_run = record.runs.len() - 1;
        let components = factors.top_features().rows();
        let bound = Bound { components, seed: self.options.seed };
        let summary = record.sum_up(x, self.options.measure_bound.then_some(bound), session)?;
        let model = Model::new(self.clone(), Outcome { factors, summary });
        Ok(Model { predictors: machines, ..model })
    }
}

/// Missing entries are filled in by so many components that each of their numbers has as many observed entries.
const ENTRIES_PER_NUMBER: usize = 10;

/// The search for the parts of a sum.
struct Search<'a, 'b, T> {
    settings: &'a AdditiveSemiNmf,
    x: &'a Watched<'a, T>,
    session: &'a mut FitSession<'b>,
    record: &'a mut Record,
}

impl<T: Scalar> Search<'_, '_, T> {
    /// The sum of some parts, ascending, of which those before it are known.
    fn run(
        &mut self,
        summed: &[usize],
        before: &Taught,
        samples: impl FnOnce() -> Result<Coordinates>,
    ) -> Result<(Coordinates, Found)> {
        let (parts, options) = (self.settings.sizes_in(1), &self.settings.options);
        let (x, stage) = (self.x, Stage::Fitting);
        let sizes: Vec<usize> = summed.iter().map(|part| parts[*part]).collect();
        let (fitted, run) = self.session.run(stage, &options.stop, x.parts(), || {
            let known = known_before(&parts, summed, before, x.parts().total());
            AdditiveLoop::new(samples()?, &sizes, &known, options.seed, &|| x.go_on())
        })?;
        self.record.runs.push(run);
        let stage = stage.to_string();
        let cut_short = fitted.cut_short.then_some(Notice::InitializationCutShort { stage });
        self.record.notices.extend(cut_short);
        fitted.into_found()
    }
}

impl Kind for AdditiveSemiNmf {
    const ABILITIES: Abilities = Abilities { labels: LabelUse::EachPart, ..Abilities::SHALLOW };

    fn layers(&self) -> Vec<usize> {
        // A file may say anything.
        let all = |layer: usize| {
            self.sizes_in(layer)
                .iter()
                .fold(0, |sum: usize, clusters| sum.saturating_add(*clusters))
        };
        (1..=self.depth()).map(all).collect()
    }

    fn unit_in(&self) -> ScaleIn {
        if self.parts.len() > 1 { ScaleIn::Z } else { self.options.scale }
    }

    fn part_sizes(&self) -> &[PartSizes] {
        &self.parts
    }

    fn run<T: Scalar>(&self, task: Task<'_, T>, session: &mut FitSession<'_>) -> Result<Model<T>> {
        self.options.check()?;
        check_data(task.x)?;
        if self.parts.is_empty() {
            self.fill_in(task.x, session)?;
            let (found, reasons) = self.with_parts_of(task.x, session)?;
            let mut model = found.fit_to_filled(task, session)?;
            model.summary.notices.splice(0..0, reasons);
            return Ok(model);
        }
        if self.alone().is_none() {
            self.fill_in(task.x, session)?;
        }
        self.fit_to_filled(task, session)
    }
}

impl AdditiveSemiNmf {
    /// Fills missing entries in by principal components. `J` is no sum over entries, so that there is none over the observed
    /// ones; but all that it sees of the samples are such components.
    fn fill_in<T: Scalar>(
        &self,
        x: &dyn DataMatrix<T>,
        session: &mut FitSession<'_>,
    ) -> Result<()> {
        if !x.is_incomplete() {
            return Ok(());
        }
        let (p, n) = (x.shape().0, x.parts().total());
        let known = (p * n - x.missing()) / (ENTRIES_PER_NUMBER * (p + n));
        let components = known.clamp(1, most_coordinates(&[2, 2], p, n).unwrap_or(1));
        let watch = session.watch(&self.options.stop);
        WhitenedPca::new(components).seed(self.options.seed).complete(x, &watch, session)
    }

    /// The fit once all entries are there.
    fn fit_to_filled<T: Scalar>(
        &self,
        task: Task<'_, T>,
        session: &mut FitSession<'_>,
    ) -> Result<Model<T>> {
        let labelled = labelled_parts(task.attributes, task.x.parts())?;
        let settings = self.with_classes(&labelled)?;
        settings.check_parts(task.x.parts().total())?;
        match settings.alone() {
            Some(alone) => Ok(Model { settings: settings.into(), ..alone.run(task, session)? }),
            None => settings.fit_parts(task.x, labelled, session),
        }
    }
}
