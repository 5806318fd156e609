//! Sparse data: zeros are left out, and cost nothing.
//!
//! ```text
//! by sample     the entries of one sample after those of another (SciPy's CSR of samples x features)
//! by feature    those of one feature after those of another      (SciPy's CSC)
//! ```
//!
//! Both give both products from the memory they stand in, without a copy (`products.rs`). A *list* below is what
//! stands together: a sample or a feature. Its *places* are the features or samples of its entries; they rise, and
//! none comes twice.

mod build;
mod columns;
mod data;
mod exact;
mod gram;
mod index;
mod products;
mod statistics;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::ops::Range;

use self::index::Index;
pub use self::index::Whole;
pub(crate) use self::products::SparseKernels;
use super::{DataMatrix, Matrix, MatrixView, Scalar};
use crate::error::{Error, Result};

/// How sparse data stand in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stored {
    /// Sample after sample.
    BySample,
    /// Feature after feature.
    ByFeature,
}

/// Which form the lists came in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Places rise and none comes twice: nothing was copied.
    Canonical,
    /// Places were sorted, and entries at the same place summed up, in a copy.
    Rearranged,
}

/// A `p x n` matrix whose zeros are left out. It borrows its three lists of numbers, or owns them.
///
/// ```
/// use deepnmf::matrix::{Sparse, Stored};
/// use deepnmf::{Factorization, Nmf};
/// // Three samples of four features: (1, 0, 2, 0), (0, 0, 0, 3), (4, 5, 0, 0).
/// let values = [1.0, 2.0, 3.0, 4.0, 5.0];
/// let (features, starts) = ([0u32, 2, 3, 0, 1], [0u64, 2, 3, 5]);
/// let x = Sparse::new((4, 3), Stored::BySample, &values, features[..].into(), starts[..].into())?;
/// let model = Nmf::new(2).fit(&x)?;
/// assert_eq!(model.summary.samples, 3);
/// # Ok::<(), deepnmf::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Sparse<'a, T: Scalar> {
    shape: (usize, usize),
    stored: Stored,
    values: Cow<'a, [T]>,
    places: Whole<'a>,
    /// List `l` is `starts[l]..starts[l + 1]`.
    starts: Whole<'a>,
}

impl<'a, T: Scalar> Sparse<'a, T> {
    /// Takes over or borrows the values, the feature (or sample) of each of them, and where each sample (or feature)
    /// begins among them, with the end of the last one. One pass over the places.
    ///
    /// # Errors
    /// If the lists contradict each other: bounds that fall or end elsewhere, places out of range, unsorted or twice.
    /// [`canonical`](Self::canonical) takes the last two.
    pub fn new(
        shape: (usize, usize),
        stored: Stored,
        values: impl Into<Cow<'a, [T]>>,
        places: Whole<'a>,
        starts: Whole<'a>,
    ) -> Result<Self> {
        let x = Self { shape, stored, values: values.into(), places, starts };
        x.check_bounds()?;
        match x.first_wrong_place() {
            None => Ok(x),
            Some(Wrong { list, at, why }) => Err(x.wrong_place(list, at, why)),
        }
    }

    /// The same for lists in any order, where a place may come twice: then they are copied, sorted, and values at the
    /// same place summed up.
    ///
    /// # Errors
    /// As [`new`](Self::new), but for unsorted places and those that come twice.
    pub fn canonical(
        shape: (usize, usize),
        stored: Stored,
        values: impl Into<Cow<'a, [T]>>,
        places: Whole<'a>,
        starts: Whole<'a>,
    ) -> Result<(Self, Form)> {
        let x = Self { shape, stored, values: values.into(), places, starts };
        x.check_bounds()?;
        match x.first_wrong_place() {
            None => Ok((x, Form::Canonical)),
            Some(Wrong { list, at, why: Why::OutOfRange }) => {
                Err(x.wrong_place(list, at, Why::OutOfRange))
            }
            Some(_) => {
                // A place out of range may stand behind the first one that is not in order.
                if let Some((list, at)) = x.first_out_of_range() {
                    return Err(x.wrong_place(list, at, Why::OutOfRange));
                }
                Ok((x.rearranged(), Form::Rearranged))
            }
        }
    }

    /// Features and samples.
    pub fn shape(&self) -> (usize, usize) {
        self.shape
    }

    /// How they stand in memory.
    pub fn stored(&self) -> Stored {
        self.stored
    }

    /// The entries that are held, explicit zeros among them.
    pub fn entries(&self) -> usize {
        self.values.len()
    }

    /// All values, one list after another.
    pub fn values(&self) -> &[T] {
        &self.values
    }

    /// The same to change; borrowed ones are copied first.
    pub(in crate::matrix) fn values_mut(&mut self) -> &mut [T] {
        self.values.to_mut()
    }

    /// The feature, or the sample, of each value.
    pub fn places(&self) -> &Whole<'a> {
        &self.places
    }

    /// Where each list begins among the values, and where the last one ends.
    pub fn starts(&self) -> &Whole<'a> {
        &self.starts
    }

    /// Whether all memory is somebody else's.
    pub fn is_borrowed(&self) -> bool {
        matches!(self.values, Cow::Borrowed(_))
            && self.places.is_borrowed()
            && self.starts.is_borrowed()
    }

    /// Calls `see(feature, sample, value)` for every entry that is held, list after list.
    pub fn for_each(&self, mut see: impl FnMut(usize, usize, T)) {
        for list in 0..self.lists() {
            for at in self.range(list) {
                let (feature, sample) = self.position(list, self.places.get(at));
                see(feature, sample, self.values[at]);
            }
        }
    }

    /// The number of lists.
    fn lists(&self) -> usize {
        match self.stored {
            Stored::BySample => self.shape.1,
            Stored::ByFeature => self.shape.0,
        }
    }

    /// The places of a list are below this.
    fn limit(&self) -> usize {
        match self.stored {
            Stored::BySample => self.shape.0,
            Stored::ByFeature => self.shape.1,
        }
    }

    /// The entries of a list.
    #[inline(always)]
    fn range(&self, list: usize) -> Range<usize> {
        self.starts.get(list)..self.starts.get(list + 1)
    }

    /// The feature and the sample of a place in a list.
    #[inline(always)]
    fn position(&self, list: usize, place: usize) -> (usize, usize) {
        match self.stored {
            Stored::BySample => (place, list),
            Stored::ByFeature => (list, place),
        }
    }

    /// What a list and a place are called.
    fn words(&self) -> (&'static str, &'static str) {
        match self.stored {
            Stored::BySample => ("sample", "feature"),
            Stored::ByFeature => ("feature", "sample"),
        }
    }

    /// Refuses lists of other lengths, and bounds that do not follow each other.
    fn check_bounds(&self) -> Result<()> {
        let (held, lists) = (self.values.len(), self.lists());
        let (list, place) = self.words();
        let shape = |what: String, found: usize, expected: String| {
            Err(Error::Shape { what, found: found.to_string(), expected })
        };
        if self.places.len() != held {
            let what = format!("the {place}s of the entries of sparse data");
            return shape(what, self.places.len(), format!("one for each of {held} values"));
        }
        if lists.checked_add(1) != Some(self.starts.len()) {
            let what = format!("the bounds of the {list}s of sparse data");
            return shape(what, self.starts.len(), format!("one more than {lists} {list}s"));
        }
        if self.starts.get(0) != 0 {
            let what = format!("the first bound of the {list}s of sparse data");
            return shape(what, self.starts.get(0), "0".into());
        }
        for l in 0..lists {
            let Range { start, end } = self.range(l);
            if end < start || end > held {
                let what = format!("the bound behind {list} {} of sparse data", l + 1);
                return shape(what, end, format!("a number from {start} to {held}"));
            }
        }
        if self.starts.get(lists) != held {
            let what = format!("the last bound of the {list}s of sparse data");
            return shape(what, self.starts.get(lists), format!("{held}, the number of values,"));
        }
        Ok(())
    }

    fn wrong_place(&self, list: usize, at: usize, why: Why) -> Error {
        let (of, place) = self.words();
        let number = at - self.starts.get(list) + 1;
        let name = format!("the {place} of entry {number} of {of} {} of sparse data", list + 1);
        let accepted = match why {
            Why::OutOfRange => {
                format!("counted from 0, it must be below {}, the number of {place}s", self.limit())
            }
            Why::NotRising => {
                format!(
                    "each must be above the one before it: sort them, and sum up {place}s that come twice"
                )
            }
        };
        Error::parameter(name, self.places.get(at), accepted)
    }

    fn first_wrong_place(&self) -> Option<Wrong> {
        match &self.places {
            Whole::Narrow(places) => self.first_wrong_of(places),
            Whole::Wide(places) => self.first_wrong_of(places),
        }
    }

    fn first_wrong_of<I: Index>(&self, places: &[I]) -> Option<Wrong> {
        let limit = self.limit();
        self.first_list_with(|list| {
            let range = self.range(list);
            let mut least = 0;
            for (at, place) in range.clone().zip(&places[range]) {
                let place = place.place();
                if place >= limit {
                    return Some(Wrong { list, at, why: Why::OutOfRange });
                }
                if place < least {
                    return Some(Wrong { list, at, why: Why::NotRising });
                }
                least = place + 1; // it is below the limit, so this is a number
            }
            None
        })
    }

    fn first_out_of_range(&self) -> Option<(usize, usize)> {
        let limit = self.limit();
        self.first_list_with(|list| {
            self.range(list).find(|at| self.places.get(*at) >= limit).map(|at| (list, at))
        })
    }

    /// What is found in the first list in which something is.
    fn first_list_with<F: Send>(
        &self,
        find: impl Fn(usize) -> Option<F> + Sync + Send,
    ) -> Option<F> {
        use rayon::prelude::*;
        (0..self.lists()).into_par_iter().with_min_len(1024).find_map_first(find)
    }
}

/// A place that is not where it should be.
struct Wrong {
    list: usize,
    at: usize,
    why: Why,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Why {
    OutOfRange,
    NotRising,
}
