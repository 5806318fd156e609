//! Sparse data made from others: sorted, turned around, some of the samples, other numbers.

use std::borrow::Cow;
use std::ops::ControlFlow;

use super::{Sparse, Stored, Whole};
use crate::error::{Error, Result};
use crate::matrix::{DataMatrix, Matrix, Scalar};

impl<'a, T: Scalar> Sparse<'a, T> {
    /// Takes entries `(feature, sample, value)` in any order; the values of one place count together, in the order
    /// in which they come.
    ///
    /// # Errors
    /// If a place is outside of the shape.
    pub fn from_entries(
        shape: (usize, usize),
        entries: &[(usize, usize, T)],
    ) -> Result<Sparse<'static, T>> {
        Self::from_triplets(shape, entries.len(), |at| entries[at])
    }

    /// The same for features, samples and values in lists of their own (SciPy's COO).
    ///
    /// # Errors
    /// As [`from_entries`](Self::from_entries), and if the lists differ in length.
    pub fn from_coordinates(
        shape: (usize, usize),
        features: &Whole<'_>,
        samples: &Whole<'_>,
        values: &[T],
    ) -> Result<Sparse<'static, T>> {
        let lengths = [features.len(), samples.len(), values.len()];
        if lengths != [values.len(); 3] {
            return Err(Error::Shape {
                what: "the features, samples and values of sparse data".into(),
                found: format!("{lengths:?}"),
                expected: "as many of each".into(),
            });
        }
        let entry = |at| (features.get(at), samples.get(at), values[at]);
        Self::from_triplets(shape, values.len(), entry)
    }

    fn from_triplets(
        shape: (usize, usize),
        held: usize,
        entry: impl Fn(usize) -> (usize, usize, T),
    ) -> Result<Sparse<'static, T>> {
        let (p, n) = shape;
        let mut starts = vec![0usize; n + 1];
        for at in 0..held {
            let (feature, sample, _) = entry(at);
            for (what, place, limit) in [("feature", feature, p), ("sample", sample, n)] {
                if place >= limit {
                    let name = format!("the {what} of entry {} of sparse data", at + 1);
                    let accepted = format!("counted from 0, it must be below {limit}");
                    return Err(Error::parameter(name, place, accepted));
                }
            }
            starts[sample + 1] += 1;
        }
        (0..n).for_each(|j| starts[j + 1] += starts[j]);
        let mut next = starts.clone();
        let (mut values, mut places) = (vec![T::ZERO; held], Whole::zeros(p, held));
        for (feature, sample, value) in (0..held).map(entry) {
            values[next[sample]] = value;
            places.set(next[sample], feature);
            next[sample] += 1;
        }
        let unsorted = Sparse {
            shape,
            stored: Stored::BySample,
            values: Cow::Owned(values),
            places,
            starts: Whole::collected(held, starts.into_iter()),
        };
        Ok(if unsorted.first_wrong_place().is_some() { unsorted.rearranged() } else { unsorted })
    }

    /// The samples of several data one after the other, by sample.
    ///
    /// # Errors
    /// If there are none, or they differ in the number of features.
    pub fn beside(all: &[&Sparse<'_, T>]) -> Result<Sparse<'static, T>> {
        let p = all.first().map_or(0, |x| x.shape.0);
        let (mut values, mut places, mut starts) = (vec![], Whole::zeros(p, 0), vec![0]);
        for x in all {
            if x.shape.0 != p {
                return Err(Error::Shape {
                    what: "the number of features of each sample".into(),
                    found: x.shape.0.to_string(),
                    expected: p.to_string(),
                });
            }
            let x = x.by_sample();
            starts.extend((1..=x.shape.1).map(|j| values.len() + x.starts.get(j)));
            values.extend_from_slice(&x.values);
            (0..x.entries()).for_each(|at| places.push(x.places.get(at)));
        }
        Ok(Sparse {
            shape: (p, starts.len() - 1),
            stored: Stored::BySample,
            places,
            starts: Whole::collected(values.len(), starts.into_iter()),
            values: Cow::Owned(values),
        })
    }

    /// The entries of a dense matrix that are not zero, by sample.
    pub fn from_dense(x: &Matrix<T>) -> Sparse<'static, T> {
        let (mut values, mut places, mut starts) = (vec![], Whole::zeros(x.rows(), 0), vec![0]);
        for column in x.columns() {
            for (i, v) in column.iter().enumerate().filter(|(_, v)| **v != T::ZERO) {
                values.push(*v);
                places.push(i);
            }
            starts.push(values.len());
        }
        Sparse {
            shape: x.shape(),
            stored: Stored::BySample,
            places,
            starts: Whole::collected(values.len(), starts.into_iter()),
            values: Cow::Owned(values),
        }
    }

    /// The samples of this part of any data, by sample: those that sparse data hold, else made block by block.
    ///
    /// # Errors
    /// If the data cannot be read.
    pub(crate) fn of(x: &'a dyn DataMatrix<T>) -> Result<Self> {
        if let Some(sparse) = x.sparse() {
            return Ok(sparse);
        }
        let mut all: Vec<Sparse<'static, T>> = vec![];
        let is_sparse = x.sparse_blocks(&mut |_, x| {
            all.push(x.view().into_owned());
            Ok(())
        })?;
        if is_sparse && !all.is_empty() {
            return Self::beside(&all.iter().collect::<Vec<_>>());
        }
        let (p, (mut values, mut places, mut starts)) = (x.shape().0, (vec![], vec![], vec![0]));
        x.blocks(&mut |_, block| {
            for j in 0..block.cols() {
                for (i, v) in block.col(j).enumerate().filter(|(_, v)| *v != T::ZERO) {
                    values.push(v);
                    places.push(i);
                }
                starts.push(values.len());
            }
            ControlFlow::Continue(())
        })?;
        Ok(Sparse {
            shape: x.shape(),
            stored: Stored::BySample,
            places: Whole::collected(p, places.into_iter()),
            starts: Whole::collected(values.len(), starts.into_iter()),
            values: Cow::Owned(values),
        })
    }

    /// The same with places that rise: those of each list are sorted, and values at the same place summed up in the
    /// order in which they stood.
    pub(super) fn rearranged(self) -> Self {
        let held = self.entries();
        let (mut values, mut places) = (Vec::with_capacity(held), Whole::zeros(self.limit(), 0));
        let mut starts = vec![0];
        let mut list: Vec<(usize, T)> = vec![];
        for l in 0..self.lists() {
            list.clear();
            list.extend(self.range(l).map(|at| (self.places.get(at), self.values[at])));
            list.sort_by_key(|(place, _)| *place); // stable
            for same in list.chunk_by(|a, b| a.0 == b.0) {
                places.push(same[0].0);
                let sum: f64 = same.iter().map(|(_, v)| v.to_f64()).sum();
                // A single value keeps its sign, even that of a zero.
                values.push(if same.len() == 1 { same[0].1 } else { T::from_f64(sum) });
            }
            starts.push(values.len());
        }
        Self {
            values: Cow::Owned(values),
            places,
            starts: Whole::collected(held, starts.into_iter()),
            ..self
        }
    }

    /// All numbers, zeros among them.
    pub(in crate::matrix) fn to_dense_matrix(&self) -> Matrix<T> {
        let mut dense = Matrix::zeros(self.shape.0, self.shape.1);
        self.for_each(|feature, sample, v| dense[(feature, sample)] = v);
        dense
    }

    /// The same data, borrowed from here.
    pub fn view(&self) -> Sparse<'_, T> {
        Sparse {
            shape: self.shape,
            stored: self.stored,
            values: Cow::Borrowed(&self.values),
            places: self.places.borrowed(),
            starts: self.starts.borrowed(),
        }
    }

    /// The same data in memory of their own.
    pub fn into_owned(self) -> Sparse<'static, T> {
        Sparse {
            shape: self.shape,
            stored: self.stored,
            values: Cow::Owned(self.values.into_owned()),
            places: self.places.owned(),
            starts: self.starts.owned(),
        }
    }

    /// The same data by sample: borrowed from here if they stand so, else turned around into a copy.
    pub fn by_sample(&self) -> Sparse<'_, T> {
        if self.stored == Stored::BySample { self.view() } else { self.turned_around() }
    }

    /// A copy that is stored the other way. Two passes over the entries.
    pub fn turned_around(&self) -> Sparse<'static, T> {
        let (lists, held) = (self.limit(), self.entries());
        let mut starts = vec![0usize; lists + 1];
        (0..held).for_each(|at| starts[self.places.get(at) + 1] += 1);
        (0..lists).for_each(|l| starts[l + 1] += starts[l]);
        let mut next = starts.clone();
        let (mut values, mut places) = (vec![T::ZERO; held], Whole::zeros(self.lists(), held));
        for list in 0..self.lists() {
            for at in self.range(list) {
                let to = &mut next[self.places.get(at)];
                values[*to] = self.values[at];
                places.set(*to, list);
                *to += 1;
            }
        }
        let stored = match self.stored {
            Stored::BySample => Stored::ByFeature,
            Stored::ByFeature => Stored::BySample,
        };
        Sparse {
            shape: self.shape,
            stored,
            values: Cow::Owned(values),
            places,
            starts: Whole::collected(held, starts.into_iter()),
        }
    }

    /// Some samples in any order, by sample; one may be chosen more than once.
    ///
    /// # Panics
    /// If there is no such sample.
    pub fn select(&self, samples: &[usize]) -> Sparse<'static, T> {
        let x = self.by_sample();
        let (mut values, mut places, mut starts) = (vec![], Whole::zeros(x.shape.0, 0), vec![0]);
        for sample in samples {
            let range = x.range(*sample);
            values.extend_from_slice(&x.values[range.clone()]);
            range.for_each(|at| places.push(x.places.get(at)));
            starts.push(values.len());
        }
        Sparse {
            shape: (x.shape.0, samples.len()),
            stored: Stored::BySample,
            places,
            starts: Whole::collected(values.len(), starts.into_iter()),
            values: Cow::Owned(values),
        }
    }

    /// The same places with other values: `value(feature, sample, value)`. Places that are not held stay zero.
    #[must_use]
    pub fn map<U: Scalar>(self, mut value: impl FnMut(usize, usize, T) -> U) -> Sparse<'a, U> {
        let mut values = Vec::with_capacity(self.entries());
        self.for_each(|feature, sample, v| values.push(value(feature, sample, v)));
        let Sparse { shape, stored, places, starts, .. } = self;
        Sparse { shape, stored, values: Cow::Owned(values), places, starts }
    }

    /// Every value in another number type.
    #[must_use]
    pub fn cast<U: Scalar>(self) -> Sparse<'a, U> {
        let values = self.values.iter().map(|v| U::from_f64(v.to_f64())).collect();
        let Sparse { shape, stored, places, starts, .. } = self;
        Sparse { shape, stored, values: Cow::Owned(values), places, starts }
    }
}
