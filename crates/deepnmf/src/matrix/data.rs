//! What an algorithm may ask of the data.

use std::borrow::Cow;
use std::ops::{ControlFlow, Range};

use rayon::prelude::*;

use super::product::{add_gram_of_rows, add_mul, mirror_lower, mul, mul_block, mul_columns};
use super::{
    Fingerprint, Incomplete, Matrix, MatrixView, Parts, SampleWeights, Scalar, Sparse, add_scaled,
    dot, sum_of_pairs,
};
use crate::error::{Error, Result};

/// Columns handed out at a time by dense data.
const BLOCK_COLUMNS: usize = 256;

/// Columns of `H` transposed at a time in `X H^T`.
const TRANSPOSED_COLUMNS: usize = 1024;

/// Up to this many entries of all parts together a dense copy on each of them is affordable.
pub(super) const COPIED: usize = 1 << 24;

/// What [`DataMatrix::blocks`] calls with the first column of a block, counted within this part, and
/// the block.
pub type Visit<'a, T> = dyn FnMut(usize, MatrixView<'_, T>) -> ControlFlow<()> + 'a;

/// What [`DataMatrix::sparse_blocks`] calls with the first sample of a block, counted within this part, and the block.
pub type VisitSparse<'a, T> = dyn FnMut(usize, &Sparse<'_, T>) -> Result<()> + 'a;

/// A `p x n` data matrix `X`, seen only through its products.
///
/// Every algorithm of this crate is written against this trait, so a new kind of data (sparse, masked,
/// memory-mapped, distributed) is one new implementation and no new algorithm.
///
/// **Samples** are columns. They may be spread over [parts](Self::parts) that work together; an
/// implementation holds those of one part. A method marked *together* reduces over the parts: all parts
/// call it, in the same order, and get the same answer. All others concern the samples of this part.
///
/// **Order of summation**: an implementation fixes it. The same data have the same bits at any number of
/// threads, and in every run with the same parts. Sums that are returned as `f64` are carried out in `f64`.
///
/// **Errors**: data that are read on the way may fail. Data in memory never do. A part that fails alone
/// need not tell the others: the fit does ([`Communicator::abort`](super::Communicator::abort)).
pub trait DataMatrix<T: Scalar>: Sync {
    /// Return the features `p` and the samples of this part. Constant time.
    fn shape(&self) -> (usize, usize);

    /// Return where the samples of this part stand among those of all. Constant time.
    fn parts(&self) -> Parts<'_> {
        Parts::whole(self.shape().1)
    }

    /// Set `out` (`k x n`) to `Z^T X` for the samples of this part, where `z` is `p x k`. One pass over
    /// the data, `2 p n k` operations (for sparse data those of the entries that are not zero).
    ///
    /// # Errors
    /// If the data cannot be read.
    fn tr_mul(&self, z: &Matrix<T>, out: &mut Matrix<T>) -> Result<()>;

    /// *Together*: set `out` (`p x k`) to `X H^T` over the samples of all parts, where `h` (`k x n`) holds
    /// those of this part. One pass over the data, as [`tr_mul`](Self::tr_mul), and a sum of `p k` numbers.
    ///
    /// # Errors
    /// If the data cannot be read, or another part has failed.
    fn mul_tr(&self, h: &Matrix<T>, out: &mut Matrix<T>) -> Result<()>;

    /// [`tr_mul`](Self::tr_mul) in `f64`, whatever the data are made of: what decompositions need. No copy of the
    /// data is made.
    ///
    /// # Errors
    /// If the data cannot be read.
    fn wide_tr_mul(&self, z: &Matrix<f64>, out: &mut Matrix<f64>) -> Result<()> {
        wide_blocks(self, &mut |start, block| {
            mul_columns(out, start..start + block.cols(), z.t(), block);
            ControlFlow::Continue(())
        })
    }

    /// *Together*: [`mul_tr`](Self::mul_tr) in `f64`.
    ///
    /// # Errors
    /// If the data cannot be read, or another part has failed.
    fn wide_mul_tr(&self, h: &Matrix<f64>, out: &mut Matrix<f64>) -> Result<()> {
        out.as_mut_slice().fill(0.0);
        wide_blocks(self, &mut |start, block| {
            add_mul(out, block, h.view_columns(start..start + block.cols()).t());
            ControlFlow::Continue(())
        })?;
        self.parts().sum_matrix(out)
    }

    /// *Together*: return `X X^T` (`p x p`) in `f64`. For dense data `p^2 n` operations, for sparse ones as many as a
    /// sample has pairs of entries.
    ///
    /// # Errors
    /// If the data cannot be read, or another part has failed.
    fn gram_of_features(&self) -> Result<Matrix<f64>> {
        gram_of_blocks(self)
    }

    /// Return the samples of this part without their zeros, sample after sample: borrowed where they stand so in
    /// memory, copied where the data are sparse in another way, `None` where they are not sparse, or not in memory.
    fn sparse(&self) -> Option<Sparse<'_, T>> {
        None
    }

    /// Show all samples of this part without their zeros, block after block in order; return whether the data are
    /// sparse: if not, nothing is shown. Sparse data in memory are one block.
    ///
    /// # Errors
    /// If the data cannot be read, or the first one of `visit`.
    fn sparse_blocks(&self, visit: &mut VisitSparse<'_, T>) -> Result<bool> {
        self.sparse().map_or(Ok(false), |x| visit(0, &x).map(|()| true))
    }

    /// Return how many entries are held where zeros are left out, `None` where they are not. Constant time. Such
    /// data are not to be gone through block by block.
    fn entries_held(&self) -> Option<usize> {
        None
    }

    /// Show all columns of this part, block after block in order, until `visit` breaks off. A block is
    /// dense: sparse data fill one at a time. For statistics there are the methods below, which sparse
    /// data answer from the entries they hold.
    ///
    /// # Errors
    /// If the data cannot be read.
    fn blocks(&self, visit: &mut Visit<'_, T>) -> Result<()>;

    /// *Together*: return the sum of all squared entries.
    ///
    /// # Errors
    /// If the data cannot be read, or another part has failed.
    fn norm_sq(&self) -> Result<f64> {
        norm_sq_of_blocks(self)
    }

    /// Return the squared length of each sample of this part.
    ///
    /// # Errors
    /// If the data cannot be read.
    fn sample_norms_sq(&self) -> Result<Vec<f64>> {
        sample_norms_sq_of_blocks(self)
    }

    /// *Together*: return the sum of all entries.
    ///
    /// # Errors
    /// If the data cannot be read, or another part has failed.
    fn entry_sum(&self) -> Result<f64> {
        let mut sum = 0.0;
        let is_sparse = self.sparse_blocks(&mut |_, x| {
            sum += x.sum();
            Ok(())
        })?;
        if !is_sparse {
            self.blocks(&mut |_, block| {
                for j in 0..block.cols() {
                    sum += block.col(j).map(Scalar::to_f64).sum::<f64>();
                }
                ControlFlow::Continue(())
            })?;
        }
        self.parts().sum_of(sum)
    }

    /// *Together*: return the first entry, in the order of the samples, of which `wanted` holds. Sparse
    /// data ask it once for zero and else for the entries they hold.
    ///
    /// # Errors
    /// If the data cannot be read, or another part has failed.
    fn find_entry(&self, wanted: &dyn Fn(T) -> bool) -> Result<Option<Entry>> {
        find_entry_in_blocks(self, wanted)
    }

    /// *Together*: return `|X - Phi H|^2`, where `phi` is `p x k` and `h` (`k x n`) holds the features of
    /// this part. By the definition: digits that cancel in other forms stay.
    ///
    /// # Errors
    /// If the data cannot be read, or another part has failed.
    fn residual_norm_sq(&self, phi: &Matrix<T>, h: &Matrix<T>) -> Result<f64> {
        residual_norm_sq_of_blocks(self, phi, h)
    }

    /// *Together*: return what tells these samples from others, their order included. One pass over the data.
    ///
    /// # Errors
    /// If the data cannot be read, or another part has failed.
    fn fingerprint(&self) -> Result<Fingerprint> {
        super::fingerprint::of_blocks(self)
    }

    /// Return whether every part can afford a dense copy of all samples ([`to_dense`](Self::to_dense)),
    /// which exact decompositions need. All parts say the same.
    fn may_densify(&self) -> bool {
        let parts = self.parts();
        parts.is_whole() || self.shape().0.saturating_mul(parts.total()) <= COPIED
    }

    /// Return an error if nobody wants the result any more. Work that takes long without touching the data
    /// asks now and then. Data in parts say yes until all parts agree, which loops see to.
    ///
    /// # Errors
    /// [`Error::Interrupted`].
    fn go_on(&self) -> Result<()> {
        Ok(())
    }

    /// *Together*: return the samples of all parts in dense form, `p x` [`Parts::total`]. Ask
    /// [`may_densify`](Self::may_densify) first.
    ///
    /// # Errors
    /// If the data cannot be read, or another part has failed.
    fn to_dense(&self) -> Result<Matrix<T>> {
        self.parts().gather(&self.own_dense()?)
    }

    /// Return the weights of the samples of this part, if they have any. The data are then samples times factors
    /// ([`SampleWeights::factors`]). Constant time.
    fn weights(&self) -> Option<&SampleWeights> {
        None
    }

    /// Return how many entries of all parts are missing ([`Incomplete`]). Constant time.
    fn missing(&self) -> usize {
        0
    }

    /// Return whether a fit fills entries in: some of all parts are missing, or count less than others. Constant time.
    fn is_incomplete(&self) -> bool {
        self.missing() > 0
    }

    /// Return the samples of this part with their missing entries, if any were declared. Constant time.
    fn incomplete(&self) -> Option<&Incomplete<'_, T>> {
        None
    }

    /// *Together*: fill the missing entries with those of `Phi H`, where `phi` is `p x k` and `h` (`k x n`) holds the
    /// features of this part; return `|X - Phi H|^2` over the observed entries, each with its weight. Complete data
    /// return `None` and do nothing. From here on, products are those of the filled data.
    ///
    /// # Errors
    /// If the data do not belong to a fit, or another part has failed.
    fn fill_in(&self, phi: &Matrix<T>, h: &Matrix<T>) -> Result<Option<f64>> {
        let _ = (phi, h);
        Ok(None)
    }

    /// Return the samples of this part, one after another, if that is how they stand in memory. Constant time.
    fn in_memory(&self) -> Option<&[T]> {
        None
    }

    /// Return the samples of this part in dense form.
    ///
    /// # Errors
    /// If the data cannot be read.
    fn own_dense(&self) -> Result<Matrix<T>> {
        let (p, n) = self.shape();
        let mut dense = Matrix::zeros(p, n);
        self.blocks(&mut |start, block| {
            let end = (start + block.cols()) * p;
            block.copy_into(&mut dense.as_mut_slice()[start * p..end]);
            ControlFlow::Continue(())
        })?;
        Ok(dense)
    }
}

/// Shows every block in `f64`; no other memory is taken.
pub(super) fn wide_blocks<T: Scalar>(
    x: &(impl DataMatrix<T> + ?Sized),
    visit: &mut Visit<'_, f64>,
) -> Result<()> {
    let mut wide = Vec::new();
    x.blocks(&mut |start, block| {
        wide.clear();
        for j in 0..block.cols() {
            wide.extend(block.col(j).map(Scalar::to_f64));
        }
        visit(start, MatrixView::contiguous(&wide, block.rows(), block.cols()))
    })
}

/// `X X^T`, block by block.
pub(super) fn gram_of_blocks<T: Scalar>(x: &(impl DataMatrix<T> + ?Sized)) -> Result<Matrix<f64>> {
    let p = x.shape().0;
    let mut gram = Matrix::zeros(p, p);
    let is_sparse = x.sparse_blocks(&mut |_, x| {
        add_scaled(&mut gram, 1.0, &x.gram_of_rows());
        Ok(())
    })?;
    if !is_sparse {
        wide_blocks(x, &mut |_, block| {
            add_gram_of_rows(&mut gram, block);
            ControlFlow::Continue(())
        })?;
        mirror_lower(&mut gram);
    }
    x.parts().sum(gram.as_mut_slice())?;
    Ok(gram)
}

/// The sum of all squared entries, block by block.
pub(super) fn norm_sq_of_blocks<T: Scalar>(x: &(impl DataMatrix<T> + ?Sized)) -> Result<f64> {
    let mut sum = 0.0;
    let is_sparse = x.sparse_blocks(&mut |_, x| {
        sum += x.squared_norm();
        Ok(())
    })?;
    if !is_sparse {
        x.blocks(&mut |_, block| {
            sum += block_norm_sq(block);
            ControlFlow::Continue(())
        })?;
    }
    x.parts().sum_of(sum)
}

/// The first entry of which `wanted` holds, block by block.
pub(super) fn find_entry_in_blocks<T: Scalar>(
    x: &(impl DataMatrix<T> + ?Sized),
    wanted: &dyn Fn(T) -> bool,
) -> Result<Option<Entry>> {
    let mut found = None;
    // Zeros are nearly everywhere: the first dense block will do.
    let is_sparse = !wanted(T::ZERO)
        && x.sparse_blocks(&mut |start, x| {
            found = found.or_else(|| {
                let Entry { sample, feature, value } = x.find_held(wanted)?;
                Some(Entry { sample: start + sample, feature, value })
            });
            Ok(())
        })?;
    if is_sparse {
        return first_of_all_parts(found, x.parts());
    }
    x.blocks(&mut |start, block| {
        for j in 0..block.cols() {
            if let Some((feature, value)) = block.col(j).enumerate().find(|(_, v)| wanted(*v)) {
                found = Some(Entry { sample: start + j, feature, value: value.to_f64() });
                return ControlFlow::Break(());
            }
        }
        ControlFlow::Continue(())
    })?;
    first_of_all_parts(found, x.parts())
}

/// The squared length of each sample, block by block.
pub(super) fn sample_norms_sq_of_blocks<T: Scalar>(
    x: &(impl DataMatrix<T> + ?Sized),
) -> Result<Vec<f64>> {
    let (p, n) = x.shape();
    let mut norms = Vec::with_capacity(n);
    let is_sparse = x.sparse_blocks(&mut |_, x| {
        norms.extend(x.squared_lengths());
        Ok(())
    })?;
    if is_sparse {
        return Ok(norms);
    }
    let mut column = vec![T::ZERO; p];
    x.blocks(&mut |_, block| {
        for j in 0..block.cols() {
            block.columns(j, 1).copy_into(&mut column);
            norms.push(dot(&column, &column));
        }
        ControlFlow::Continue(())
    })?;
    Ok(norms)
}

/// `|X - Phi H|^2`, block by block.
pub(super) fn residual_norm_sq_of_blocks<T: Scalar>(
    x: &(impl DataMatrix<T> + ?Sized),
    phi: &Matrix<T>,
    h: &Matrix<T>,
) -> Result<f64> {
    let mut sum = 0.0;
    let is_sparse = x.sparse_blocks(&mut |start, x| {
        sum += x.residual(phi, &columns_of(h, start..start + x.shape().1))?;
        Ok(())
    })?;
    if !is_sparse {
        x.blocks(&mut |start, block| {
            sum += block_residual_norm_sq(block, phi, h.view_columns(start..start + block.cols()));
            ControlFlow::Continue(())
        })?;
    }
    x.parts().sum_of(sum)
}

/// Some columns, copied unless they are all.
pub(crate) fn columns_of<T: Scalar>(h: &Matrix<T>, columns: Range<usize>) -> Cow<'_, Matrix<T>> {
    if columns == (0..h.cols()) {
        Cow::Borrowed(h)
    } else {
        Cow::Owned(h.view_columns(columns).to_matrix())
    }
}

/// The sum of all squared entries of a block.
fn block_norm_sq<T: Scalar>(block: MatrixView<'_, T>) -> f64 {
    let mut column = vec![T::ZERO; block.rows()];
    let norm_sq = |j| {
        block.columns(j, 1).copy_into(&mut column);
        dot(&column, &column)
    };
    (0..block.cols()).map(norm_sq).sum()
}

/// `|X - Phi H|^2` for one block of columns, on the calling thread alone.
fn block_residual_norm_sq<T: Scalar>(
    block: MatrixView<'_, T>,
    phi: &Matrix<T>,
    h: MatrixView<'_, T>,
) -> f64 {
    let (p, count) = block.shape();
    let (mut model, mut column) = (vec![T::ZERO; p * count], vec![T::ZERO; p]);
    mul_block(&mut model, phi.view(), h);
    let of_column = |(j, fitted): (usize, &[T])| {
        block.columns(j, 1).copy_into(&mut column);
        sum_of_pairs(&column, fitted, |x, f| (x - f) * (x - f))
    };
    model.chunks_exact(p.max(1)).enumerate().map(of_column).sum()
}

/// One number of the data; everything counts from 0.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Entry {
    /// The sample, among those of all parts.
    pub sample: usize,
    /// The feature.
    pub feature: usize,
    /// What stands there.
    pub value: f64,
}

/// The first of the entries that some parts have found, each the first of its own samples.
pub(super) fn first_of_all_parts(own: Option<Entry>, parts: Parts<'_>) -> Result<Option<Entry>> {
    let place = own.map_or(f64::INFINITY, |entry| (parts.range().start + entry.sample) as f64);
    let mut first = [place];
    parts.min(&mut first)?;
    if first[0].is_infinite() {
        return Ok(None);
    }
    #[allow(clippy::float_cmp)] // whole numbers
    let mine = own.filter(|_| place == first[0]);
    // One part has found it, the others add nothing. NaN and infinity cross as bits.
    let mut numbers = mine.map_or([0.0; 3], |entry| {
        let bits = entry.value.to_bits();
        [entry.feature as f64, f64::from(low_half(bits >> 32)), f64::from(low_half(bits))]
    });
    parts.sum(&mut numbers)?;
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // whole numbers
    let [feature, high, low] = numbers.map(|v| v as u64);
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    Ok(Some(Entry {
        sample: first[0] as usize,
        feature: feature as usize,
        value: f64::from_bits(high << 32 | low),
    }))
}

#[allow(clippy::cast_possible_truncation)] // the lower half is meant
fn low_half(bits: u64) -> u32 {
    bits as u32
}

impl<T: Scalar> DataMatrix<T> for MatrixView<'_, T> {
    fn shape(&self) -> (usize, usize) {
        (self.rows(), self.cols())
    }

    fn tr_mul(&self, z: &Matrix<T>, out: &mut Matrix<T>) -> Result<()> {
        mul(out, z.t(), *self);
        Ok(())
    }

    /// `H` is turned around first, some columns at a time, because the product kernel reads it
    /// faster that way. It is still the slower of the two products with the data
    /// (`benches/iteration.rs`).
    fn mul_tr(&self, h: &Matrix<T>, out: &mut Matrix<T>) -> Result<()> {
        let (k, n) = h.shape();
        let mut turned = Matrix::zeros(TRANSPOSED_COLUMNS.min(n), k);
        out.as_mut_slice().fill(T::ZERO);
        for start in (0..n).step_by(TRANSPOSED_COLUMNS) {
            let count = TRANSPOSED_COLUMNS.min(n - start);
            let part = &mut turned.as_mut_slice()[..count * k];
            h.view_columns(start..start + count).t().copy_into(part);
            add_mul(out, self.columns(start, count), MatrixView::contiguous(part, count, k));
        }
        Ok(())
    }

    fn in_memory(&self) -> Option<&[T]> {
        self.as_contiguous()
    }

    /// Blocks on all threads, summed up in their order.
    fn residual_norm_sq(&self, phi: &Matrix<T>, h: &Matrix<T>) -> Result<f64> {
        let n = self.cols();
        let of_block = |block: usize| {
            let (start, count) =
                (block * BLOCK_COLUMNS, BLOCK_COLUMNS.min(n - block * BLOCK_COLUMNS));
            let h = h.view_columns(start..start + count);
            block_residual_norm_sq(self.columns(start, count), phi, h)
        };
        let sums: Vec<f64> = (0..n.div_ceil(BLOCK_COLUMNS)).into_par_iter().map(of_block).collect();
        Ok(sums.iter().sum())
    }

    fn blocks(&self, visit: &mut Visit<'_, T>) -> Result<()> {
        for start in (0..self.cols()).step_by(BLOCK_COLUMNS) {
            let count = BLOCK_COLUMNS.min(self.cols() - start);
            if visit(start, self.columns(start, count)).is_break() {
                break;
            }
        }
        Ok(())
    }
}

impl<T: Scalar> DataMatrix<T> for Matrix<T> {
    fn shape(&self) -> (usize, usize) {
        self.shape()
    }

    fn tr_mul(&self, z: &Matrix<T>, out: &mut Matrix<T>) -> Result<()> {
        self.view().tr_mul(z, out)
    }

    fn mul_tr(&self, h: &Matrix<T>, out: &mut Matrix<T>) -> Result<()> {
        self.view().mul_tr(h, out)
    }

    fn blocks(&self, visit: &mut Visit<'_, T>) -> Result<()> {
        self.view().blocks(visit)
    }

    fn in_memory(&self) -> Option<&[T]> {
        Some(self.as_slice())
    }

    fn residual_norm_sq(&self, phi: &Matrix<T>, h: &Matrix<T>) -> Result<f64> {
        self.view().residual_norm_sq(phi, h)
    }
}

/// Dense columns of one part: the features of a layer are the data of the layer above, and belong to the
/// same parts as the data do.
#[derive(Debug, Clone, Copy)]
pub struct PartColumns<'a, T> {
    columns: MatrixView<'a, T>,
    parts: Parts<'a>,
    weights: Option<&'a SampleWeights>,
}

impl<'a, T: Scalar> PartColumns<'a, T> {
    /// These columns, one for each sample of this part.
    ///
    /// # Panics
    /// If their number is another one.
    pub fn new(columns: MatrixView<'a, T>, parts: Parts<'a>) -> Self {
        assert_eq!(columns.cols(), parts.samples(), "one column for each sample of the part");
        Self { columns, parts, weights: None }
    }

    /// The same where they belong to samples with these weights, and were multiplied by their factors.
    #[must_use]
    pub fn weighted(self, weights: Option<&'a SampleWeights>) -> Self {
        Self { weights, ..self }
    }
}

impl<T: Scalar> DataMatrix<T> for PartColumns<'_, T> {
    fn shape(&self) -> (usize, usize) {
        self.columns.shape()
    }

    fn parts(&self) -> Parts<'_> {
        self.parts
    }

    fn weights(&self) -> Option<&SampleWeights> {
        self.weights
    }

    fn tr_mul(&self, z: &Matrix<T>, out: &mut Matrix<T>) -> Result<()> {
        self.columns.tr_mul(z, out)
    }

    fn mul_tr(&self, h: &Matrix<T>, out: &mut Matrix<T>) -> Result<()> {
        self.columns.mul_tr(h, out)?;
        self.parts.sum_matrix(out)
    }

    fn blocks(&self, visit: &mut Visit<'_, T>) -> Result<()> {
        self.columns.blocks(visit)
    }

    fn in_memory(&self) -> Option<&[T]> {
        self.columns.as_contiguous()
    }

    fn residual_norm_sq(&self, phi: &Matrix<T>, h: &Matrix<T>) -> Result<f64> {
        self.parts.sum_of(self.columns.residual_norm_sq(phi, h)?)
    }
}

/// *Together*: refuses data without rows or columns, and data with an entry that is no finite number.
///
/// # Errors
/// Names the shape, or the sample and the feature of the first such entry.
pub fn check_data<T: Scalar>(x: &dyn DataMatrix<T>) -> Result<()> {
    let (features, samples) = (x.shape().0, x.parts().total());
    if features == 0 || samples == 0 {
        return Err(Error::Empty { features, samples });
    }
    match x.find_entry(&|v| !v.finite())? {
        None => Ok(()),
        Some(Entry { sample, feature, value }) => {
            Err(Error::NotFinite { sample: sample + 1, feature: feature + 1, value })
        }
    }
}

/// Refuses a dense copy of samples that would take far more memory than they do: that of sparse samples about an
/// offset, such as standardized ones, which have no zeros, and that of samples which stay in a file.
pub(crate) fn check_copy<T: Scalar>(x: &dyn DataMatrix<T>) -> Result<()> {
    let dense_in_parts = x.entries_held().is_none() && !x.parts().is_whole();
    if dense_in_parts || x.may_densify() {
        return Ok(());
    }
    let (p, n) = x.shape();
    Err(Error::Shape {
        what: "a copy of all samples with all their zeros, which this graph compares,".into(),
        found: format!("{p} x {n} numbers"),
        expected: format!(
            "at most {COPIED}: fewer samples, samples that are not standardized, or more memory,"
        ),
    })
}

/// A dense copy of the samples of this part, unless [`check_copy`] refuses it.
pub(crate) fn affordable_copy<T: Scalar>(x: &dyn DataMatrix<T>) -> Result<Matrix<T>> {
    check_copy(x)?;
    x.own_dense()
}

/// *Together*: refuses data with a negative entry.
///
/// # Errors
/// Names the sample and the feature of the first one.
pub fn check_non_negative<T: Scalar>(x: &dyn DataMatrix<T>) -> Result<()> {
    match x.find_entry(&|v| v < T::ZERO)? {
        None => Ok(()),
        Some(Entry { sample, feature, value }) => {
            Err(Error::Negative { sample: sample + 1, feature: feature + 1, value })
        }
    }
}
