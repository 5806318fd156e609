//! Means of features over classes.

use super::Labels;
use super::groups::Groups;
use crate::error::{Error, Result};
use crate::matrix::{Matrix, Parts, Scalar};

/// Which samples share a class, and so a mean.
#[derive(Debug, Clone)]
pub(crate) struct ClassMeans<'a> {
    groups: Groups,
    parts: Parts<'a>,
}

/// Means of features, over the samples of all parts.
pub(super) struct Means {
    /// Of each class, `k x c`.
    pub(super) of_classes: Matrix<f64>,
    /// Of all labelled samples.
    pub(super) of_all: Vec<f64>,
}

impl<'a> ClassMeans<'a> {
    /// The classes of the samples of these parts.
    ///
    /// # Errors
    /// If there is not one label (or `None`) for each.
    pub(crate) fn new(parts: Parts<'a>, labels: &Labels) -> Result<Self> {
        check_labels(parts.samples(), labels)?;
        Ok(Self { groups: Groups::new(labels, parts)?, parts })
    }

    /// The parts that the samples are spread over.
    pub(super) fn parts(&self) -> Parts<'a> {
        self.parts
    }

    /// The class of a sample, counted from 0.
    pub(super) fn class_of(&self, sample: usize) -> Option<usize> {
        self.groups.class_of(sample)
    }

    /// The means of features `h`.
    pub(super) fn of<T: Scalar>(&self, h: &Matrix<T>) -> Result<Means> {
        let classes = self.groups.count();
        let mut means = Matrix::zeros(h.rows(), classes);
        for c in 0..classes {
            let sum = means.col_mut(c);
            for sample in self.groups.members(c) {
                sum.iter_mut().zip(h.col(*sample)).for_each(|(m, v)| *m += v.to_f64());
            }
        }
        self.parts.sum(means.as_mut_slice())?;
        let mut total = vec![0.0; h.rows()];
        let mut labelled = 0.0;
        for c in 0..classes {
            let (sum, size) = (means.col_mut(c), self.groups.size(c));
            total.iter_mut().zip(&*sum).for_each(|(t, m)| *t += m);
            labelled += size;
            for m in sum {
                *m /= size;
            }
        }
        for t in &mut total {
            *t /= f64::max(labelled, 1.0);
        }
        Ok(Means { of_classes: means, of_all: total })
    }

    /// Replaces the columns of labelled samples by the means of their classes.
    pub(crate) fn average<T: Scalar>(&self, h: &mut Matrix<T>) -> Result<()> {
        let means = self.of(h)?.of_classes;
        for j in 0..h.cols() {
            if let Some(class) = self.class_of(j) {
                let mean = means.col(class).iter();
                h.col_mut(j).iter_mut().zip(mean).for_each(|(h, m)| *h = T::from_f64(*m));
            }
        }
        Ok(())
    }
}

/// Refuses labels that are not one (or none) for each sample.
pub(super) fn check_labels(samples: usize, labels: &Labels) -> Result<()> {
    if labels.len() == samples {
        return Ok(());
    }
    Err(Error::Shape {
        what: "the labels".into(),
        found: format!("{} of them", labels.len()),
        expected: format!("one for each of the {samples} samples (or none)"),
    })
}
