//! All samples of one class connected with weight 1 (the binary weights of the paper's weak
//! supervision).
//!
//! With the `n x c` indicators `S` of the classes, whose row is zero for an unlabelled sample,
//!
//! ```text
//! W = S S^T        H W = (H S) S^T        d_j = size of the class of sample j
//! ```
//!
//! so that a product costs `O(n k)`: one sum per class, handed back to its members.

use rayon::prelude::*;

use super::groups::Groups;
use super::{Graph, Labels};
use crate::error::Result;
use crate::matrix::{Matrix, Parts, Scalar};

/// Columns that one thread sums up or changes at a time.
const PIECE: usize = 1024;

/// The graph that connects every two samples of one class with weight 1.
///
/// ```
/// use deepnmf::Matrix;
/// use deepnmf::graph::{Graph, SameLabel};
/// use deepnmf::matrix::Parts;
/// let graph = SameLabel::<f64>::new(&[Some(3), None, Some(3)], Parts::whole(3))?;
/// assert_eq!(graph.degrees(), &[2.0, 0.0, 2.0]);
/// let h = Matrix::from_vec(1, 3, vec![1.0, 7.0, 4.0])?;
/// assert_eq!(graph.penalty(&h)?, 9.0); // (1 - 4)^2
/// # Ok::<(), deepnmf::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct SameLabel<'a, T> {
    groups: Groups,
    degrees: Vec<T>,
    parts: Parts<'a>,
}

impl<'a, T: Scalar> SameLabel<'a, T> {
    /// The graph of these labels, one (or `None`) for each sample of this part.
    ///
    /// # Errors
    /// If another part has failed.
    pub fn new(labels: &Labels, parts: Parts<'a>) -> Result<Self> {
        let groups = Groups::new(labels, parts)?;
        let of_class = |c| vec![groups.size(c); groups.members(c).len()];
        let degrees = groups.spread((0..groups.count()).flat_map(of_class));
        Ok(Self { groups, degrees, parts })
    }

    /// `H S` over all parts, `k x c`, in `f64`.
    fn class_sums(&self, h: &Matrix<T>) -> Result<Matrix<f64>> {
        let mut sums = Matrix::zeros(h.rows(), self.groups.count());
        let columns = sums.as_mut_slice().par_chunks_mut(h.rows().max(1));
        columns.enumerate().for_each(|(c, sum)| add_columns(sum, h, self.groups.members(c)));
        self.parts.sum(sums.as_mut_slice())?;
        Ok(sums)
    }
}

impl<T: Scalar> Graph<T> for SameLabel<'_, T> {
    fn parts(&self) -> Parts<'_> {
        self.parts
    }

    fn degrees(&self) -> &[T] {
        &self.degrees
    }

    fn add_product(&self, factor: f64, h: &Matrix<T>, out: &mut Matrix<T>) -> Result<()> {
        let sums = self.class_sums(h)?;
        let k = out.rows().max(1);
        out.as_mut_slice().par_chunks_mut(k).with_min_len(PIECE).enumerate().for_each(
            |(j, out)| {
                let Some(class) = self.groups.class_of(j) else { return };
                out.iter_mut()
                    .zip(sums.col(class))
                    .for_each(|(out, sum)| *out += T::from_f64(factor * sum));
            },
        );
        Ok(())
    }

    /// `S S^T` is a square.
    fn is_positive(&self) -> bool {
        true
    }
}

/// Adds the columns of `samples` to `sum`, piece by piece: pieces do not depend on the number of
/// threads, nor does the order in which their sums are added.
fn add_columns<T: Scalar>(sum: &mut [f64], h: &Matrix<T>, samples: &[usize]) {
    if samples.len() > PIECE {
        let sum_of = |piece: &[usize]| {
            let mut sum = vec![0.0; h.rows()];
            add_columns(&mut sum, h, piece);
            sum
        };
        let pieces: Vec<Vec<f64>> = samples.par_chunks(PIECE).map(sum_of).collect();
        for piece in pieces {
            sum.iter_mut().zip(piece).for_each(|(s, v)| *s += v);
        }
    } else {
        for sample in samples {
            sum.iter_mut().zip(h.col(*sample)).for_each(|(s, v)| *s += v.to_f64());
        }
    }
}
