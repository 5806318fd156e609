//! Counts of words weighted by how rare the words are.

use deepnmf::matrix::Entry;
use deepnmf::{DataMatrix, Matrix, Scalar};
use serde::{Deserialize, Serialize};

use super::scale::each_column;
use super::step::{check_features, refuse};
use crate::DataError;

/// The inverse document frequency of every feature: `1 + ln((1 + n) / (1 + d))` for a word that `d`
/// of `n` samples hold, as if one more sample held every word.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Idf {
    /// The weight of every feature.
    pub weights: Vec<f64>,
}

impl Idf {
    /// Those of the features of `x`, over the samples of all parts.
    pub(super) fn of<T: Scalar>(x: &dyn DataMatrix<T>) -> Result<Self, DataError> {
        if let Some(Entry { sample, feature, .. }) = x.find_entry(&|v| v.to_f64() < 0.0)? {
            return Err(negative(sample, feature));
        }
        let mut documents = vec![0.0; x.shape().0];
        let mut unknown = vec![0.0; x.shape().0];
        let one_if = |held: bool| f64::from(u8::from(held));
        let is_sparse = x.sparse_blocks(&mut |_, x| {
            x.for_each(|feature, _, v| documents[feature] += one_if(v > T::ZERO));
            Ok(())
        })?;
        if !is_sparse {
            each_column(x, &mut |column| {
                for ((documents, unknown), v) in documents.iter_mut().zip(&mut unknown).zip(column)
                {
                    *documents += one_if(v > 0.0);
                    *unknown += one_if(v.is_nan());
                }
            })?;
        }
        x.parts().sum(&mut documents)?;
        let n = x.parts().total() as f64;
        x.parts().sum(&mut unknown)?;
        // Samples of which a word is missing say nothing of it.
        let known = documents.iter().zip(&unknown).map(|(d, unknown)| (d, n - unknown));
        let weights = known.map(|(d, n)| 1.0 + ((1.0 + n) / (1.0 + d)).ln()).collect();
        Ok(Self { weights })
    }

    pub(super) fn apply<T: Scalar>(&self, x: &mut Matrix<T>) -> Result<(), DataError> {
        check_features("tf-idf", self.weights.len(), x.rows())?;
        for sample in 0..x.cols() {
            for (v, weight) in x.col_mut(sample).iter_mut().zip(&self.weights) {
                *v = T::from_f64(v.to_f64() * weight);
            }
        }
        Ok(())
    }
}

fn negative(sample: usize, feature: usize) -> DataError {
    let why = format!(
        "needs counts, but feature {} of sample {} (counted from 1) is negative: leave the step out",
        feature + 1,
        sample + 1
    );
    refuse("tf-idf", why)
}
