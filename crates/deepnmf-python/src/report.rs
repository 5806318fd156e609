//! The page that explores a model, as Python asks for it.

use std::path::Path;

use deepnmf::persist::check_writable;
use deepnmf::{Model, Scalar};
use deepnmf_data::{Attribute, DatasetOf};
use deepnmf_report::{Draft, Options, Report};
use pyo3::prelude::*;

use crate::array::Held;
use crate::errors::{of_data, of_evaluation, of_model, of_report};
use crate::prepare::steps;

/// What is known of the samples, and what the page is to show.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Request {
    /// Attributes, each with a label for every sample where there is one.
    labels: Vec<(String, Vec<Option<String>>)>,
    feature_names: Option<Vec<String>>,
    sample_names: Option<Vec<String>>,
    /// The shape of pictures in words.
    image: Option<String>,
    title: Option<String>,
    samples: usize,
    clusters: Option<usize>,
    scale: String,
    seed: u64,
}

impl Request {
    /// Judges the model with samples as they were before its preprocessing; `tell` hears what is being
    /// done. What could not be written to `path` is not begun.
    pub(crate) fn explore<T: Scalar>(
        self,
        model: &Model<T>,
        x: &Held<'_, T>,
        path: &Path,
        tell: &mut dyn FnMut(&str),
    ) -> PyResult<Report> {
        check_writable(path).map_err(of_model)?;
        let image = self.image.map(|image| image.parse()).transpose();
        let mut data = DatasetOf {
            feature_names: self.feature_names,
            sample_names: self.sample_names,
            attributes: self
                .labels
                .into_iter()
                .map(|(name, labels)| Attribute::from_strings(name, labels))
                .collect(),
            image_shape: image.map_err(|error| of_data(&error))?,
            ..DatasetOf::new(x.values())
        };
        let options = Options {
            title: self.title,
            data_name: None,
            samples: self.samples,
            clusters: self.clusters,
            scale: self.scale.parse().map_err(of_evaluation)?,
            seed: self.seed,
        };
        let draft = Draft::new(&data, options);
        steps(model)?.apply(&mut data).map_err(|error| of_data(&error))?;
        draft.finish(model, &data, tell).map_err(of_report)
    }
}
