//! From a model and its samples to a page: what a caller does.

use std::path::Path;

use deepnmf::persist::write_atomically;
use deepnmf::{Matrix, Model, Scalar};
use deepnmf_data::preprocess::Prepare;
use deepnmf_data::{DatasetOf, ImageShape};
use deepnmf_eval::Scaling;

use crate::attributes::cut;
use crate::choice::Choice;
use crate::content::Content;
use crate::error::{ReportError, Result};
use crate::features::dense_columns;
use crate::gather::Gathering;
use crate::page;

/// What a page is to show.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// The heading; made up from the data and the model otherwise.
    pub title: Option<String>,
    /// What the data are called, such as the name of their file.
    pub data_name: Option<String>,
    /// The most samples with a point and a picture, at most [`MOST_SAMPLES`](Self::MOST_SAMPLES).
    pub samples: usize,
    /// Clusters of every layer; otherwise as many as its best attribute has classes, or eight.
    pub clusters: Option<usize>,
    /// The scaling of features before they are clustered, classified and mapped.
    pub scale: Scaling,
    /// The seed of everything random; the same seed gives the same page.
    pub seed: u64,
}

impl Options {
    /// The most samples that a page can show: maps and neighbours look at all pairs.
    pub const MOST_SAMPLES: usize = 5000;
}

impl Default for Options {
    fn default() -> Self {
        Self {
            title: None,
            data_name: None,
            samples: 1000,
            clusters: None,
            scale: Scaling::None,
            seed: 0,
        }
    }
}

/// A page begun: its samples are chosen, and kept as they were read.
#[derive(Debug, Clone)]
pub struct Draft<T> {
    pub(crate) options: Options,
    pub(crate) choice: Choice,
    /// The shown samples as they were read.
    pub(crate) originals: Matrix<T>,
    /// The shape of those as pictures, if they are pictures.
    pub(crate) shape: Option<ImageShape>,
    /// What those are called.
    pub(crate) names: Option<Vec<String>>,
}

impl<T: Scalar> Draft<T> {
    /// Begins a page with samples as they were read.
    pub fn new<X: Prepare<Number = T>>(data: &DatasetOf<X>, options: Options) -> Self {
        let most = options.samples.clamp(1, Options::MOST_SAMPLES);
        let choice = Choice::new(data.samples(), most, options.seed);
        let shown = choice.shown_in_data();
        let names = data.sample_names.as_ref();
        Self {
            originals: dense_columns(&data.x, &shown),
            shape: data.image_shape,
            names: names.map(|names| shown.iter().map(|&sample| cut(&names[sample])).collect()),
            options,
            choice,
        }
    }

    /// Evaluates the model with the same samples, now preprocessed as in its fit, and makes the page.
    /// Calls `tell` with the name of every step.
    ///
    /// # Errors
    /// If the samples are others, or do not fit the model.
    pub fn finish<X: Prepare<Number = T>>(
        &self,
        model: &Model<T>,
        data: &DatasetOf<X>,
        tell: &mut dyn FnMut(&str),
    ) -> Result<Report, ReportError> {
        if data.samples() != self.choice.samples {
            let (begun, found) = (self.choice.samples, data.samples());
            return Err(ReportError::OtherSamples { begun, found });
        }
        Ok(Report { content: Gathering::new(self, model, data, tell)?.content(tell)? })
    }
}

/// A page.
#[derive(Debug, Clone)]
pub struct Report {
    content: Content,
}

impl Report {
    /// Everything that the page shows.
    pub fn content(&self) -> &Content {
        &self.content
    }

    /// The page as one HTML file that needs nothing else.
    pub fn html(&self) -> String {
        page::html(&self.content)
    }

    /// Writes the page, as a whole or not at all, and says how many bytes it has.
    ///
    /// # Errors
    /// If the file cannot be written; one that was there before is then unchanged.
    pub fn write(&self, path: &Path) -> Result<usize, ReportError> {
        let html = self.html();
        write_atomically(path, |file| file.write_all(html.as_bytes()))?;
        Ok(html.len())
    }
}
