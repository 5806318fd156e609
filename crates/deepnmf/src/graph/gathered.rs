//! Graphs that compare samples, where these are spread over parts.
//!
//! Every part builds the graph of all samples from a copy of them, and a product gathers the features of
//! all parts. That is as much memory and work on each part as in one place: right, and no more than that.

use super::{Graph, Labels, Neighbours, Search};
use crate::error::{Error, Result};
use crate::matrix::{DataMatrix, Matrix, Parts, Scalar};

/// The graph of all samples, of which this part has some.
struct Gathered<'a, T, G> {
    all: G,
    degrees: Vec<T>,
    parts: Parts<'a>,
}

impl<'a, T: Scalar, G: Graph<T>> Gathered<'a, T, G> {
    fn new(all: G, parts: Parts<'a>) -> Self {
        let degrees = all.degrees()[parts.range()].to_vec();
        Self { all, degrees, parts }
    }
}

impl<T: Scalar, G: Graph<T>> Graph<T> for Gathered<'_, T, G> {
    fn parts(&self) -> Parts<'_> {
        self.parts
    }

    fn degrees(&self) -> &[T] {
        &self.degrees
    }

    fn add_product(&self, factor: f64, h: &Matrix<T>, out: &mut Matrix<T>) -> Result<()> {
        let h = self.parts.gather(h)?;
        let mut products = Matrix::zeros(h.rows(), h.cols());
        self.all.add_product(factor, &h, &mut products)?;
        let own = self.parts.own_columns(products);
        out.as_mut_slice().iter_mut().zip(own.as_slice()).for_each(|(out, own)| *out += *own);
        Ok(())
    }

    fn is_positive(&self) -> bool {
        self.all.is_positive()
    }

    fn share_found(&self) -> f64 {
        self.all.share_found()
    }
}

/// A graph of samples and labels, built from those of all parts.
pub(super) fn label_graph<'a, T: Scalar, G: Graph<T> + 'a>(
    x: &'a dyn DataMatrix<T>,
    labels: &Labels,
    build: impl FnOnce(&dyn DataMatrix<T>, &Labels) -> Result<G>,
) -> Result<Box<dyn Graph<T> + 'a>> {
    let parts = x.parts();
    if parts.is_whole() {
        return Ok(Box::new(build(x, labels)?));
    }
    let labels = parts.gather_labels(labels)?;
    Ok(Box::new(Gathered::new(build(&all_samples(x)?, &labels)?, parts)))
}

/// The graph of nearest neighbours among the samples of all parts.
pub(super) fn neighbours<'a, T: Scalar>(
    x: &dyn DataMatrix<T>,
    parts: Parts<'a>,
    search: Search,
) -> Result<Box<dyn Graph<T> + 'a>> {
    if parts.is_whole() {
        return Ok(Box::new(Neighbours::found_by(search, x)?));
    }
    Ok(Box::new(Gathered::new(Neighbours::found_by(search, &all_samples(x)?)?, parts)))
}

fn all_samples<T: Scalar>(x: &dyn DataMatrix<T>) -> Result<Matrix<T>> {
    if x.may_densify() {
        return x.to_dense();
    }
    let (p, n) = (x.shape().0, x.parts().total());
    Err(Error::Shape {
        what: "the samples of all parts, which this graph compares,".into(),
        found: format!("{p} x {n}"),
        expected: "a size that fits on each part: use a binary graph of labels, or fewer samples,"
            .into(),
    })
}
