//! Means of features over classes.

use super::Labels;
use super::groups::Groups;
use crate::error::{Error, Result};
use crate::matrix::{Matrix, Scalar};

/// Which samples share a class, and so a mean.
#[derive(Debug, Clone)]
pub(crate) struct ClassMeans {
    groups: Groups,
}

impl ClassMeans {
    /// The classes of `samples` samples.
    ///
    /// # Errors
    /// If there is not one label (or `None`) for each.
    pub(crate) fn new(samples: usize, labels: &Labels) -> Result<Self> {
        check_labels(samples, labels)?;
        Ok(Self { groups: Groups::new(labels) })
    }

    /// The class of a sample, counted from 0.
    pub(super) fn class_of(&self, sample: usize) -> Option<usize> {
        self.groups.class_of(sample)
    }

    /// The mean of each class, `k x c`, and that of all labelled samples.
    pub(super) fn of<T: Scalar>(&self, h: &Matrix<T>) -> (Matrix<f64>, Vec<f64>) {
        let mut means = Matrix::zeros(h.rows(), self.groups.count());
        let mut total = vec![0.0; h.rows()];
        for c in 0..self.groups.count() {
            let members = self.groups.members(c);
            let mean = means.col_mut(c);
            for sample in members {
                mean.iter_mut().zip(h.col(*sample)).for_each(|(m, v)| *m += v.to_f64());
            }
            total.iter_mut().zip(&*mean).for_each(|(t, m)| *t += m);
            for m in mean {
                *m /= members.len() as f64;
            }
        }
        let labelled = self.groups.labelled().max(1) as f64;
        for t in &mut total {
            *t /= labelled;
        }
        (means, total)
    }

    /// Replaces the columns of labelled samples by the means of their classes.
    pub(crate) fn average<T: Scalar>(&self, h: &mut Matrix<T>) {
        let (means, _) = self.of(h);
        for j in 0..h.cols() {
            if let Some(class) = self.class_of(j) {
                let mean = means.col(class).iter();
                h.col_mut(j).iter_mut().zip(mean).for_each(|(h, m)| *h = T::from_f64(*m));
            }
        }
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
