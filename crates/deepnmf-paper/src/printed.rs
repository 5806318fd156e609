//! What the paper prints, each with its place: the settings and numbers of section 6.
//!
//! Figures have no printed values in the text, so of them only the claims can be compared. The error
//! table is the Frobenius norm of unit-norm samples, although its caption squares it: squares of
//! these sizes lie far above what any method reaches.

use crate::Method;

/// The numbers of components of the top layer (section 6.3 and the head of Table 1).
pub const COMPONENTS: [usize; 6] = [20, 30, 40, 50, 60, 70];

/// The components of the first layer of two-layer models (section 6.3).
pub const FIRST_LAYER: usize = 625;

/// How many architectures the study of layers has (section 6.3).
pub const ARCHITECTURES: usize = 200;

/// The components of their last layer (section 6.3).
pub const LAST_LAYER: usize = 40;

/// The mean of the exponential distribution that their other layers are drawn from (section 6.3).
pub const MEAN_LAYER: f64 = 400.0;

/// The weight of the graph penalty on layer 2 in supervised pre-training; that on layer 1 is 0
/// (section 6.6).
pub const PRETRAINING_LAMBDA: f64 = 0.01;

/// The components of each layer in the study of attributes (section 6.7).
pub const ATTRIBUTE_COMPONENTS: usize = 100;

/// The weight of the graph penalty on each layer in that study (section 6.7).
pub const ATTRIBUTE_LAMBDA: f64 = 1e-3;

/// How many of its samples are for training, and how many there are (section 6.7).
pub const ATTRIBUTE_SPLIT: (usize, usize) = (2025, 7905);

/// The attributes of that study, layer by layer (section 6.7).
pub const ATTRIBUTES: [&str; 3] = ["pose", "expression", "identity"];

/// A row of Table 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ErrorRow {
    /// The method.
    pub method: Method,
    /// Its reconstruction errors on CMU PIE, for 20 to 70 components.
    pub errors: [f64; 6],
}

const fn errors(method: Method, errors: [f64; 6]) -> ErrorRow {
    ErrorRow { method, errors }
}

/// Table 1 (section 6.4), in its order.
pub const RECONSTRUCTION: [ErrorRow; 6] = [
    errors(Method::DeepLinear, [9.18, 7.61, 6.50, 5.67, 4.99, 4.39]),
    errors(Method::Gnmf, [10.56, 9.35, 8.73, 8.18, 7.81, 7.48]),
    errors(Method::MultilayerNmf, [11.11, 10.16, 9.28, 8.49, 7.63, 6.98]),
    errors(Method::Nmf, [10.53, 9.36, 8.51, 7.91, 7.42, 7.00]),
    errors(Method::NeNmf, [9.83, 8.39, 7.39, 6.60, 5.94, 5.36]),
    errors(Method::SemiNmf, [9.14, 7.57, 6.43, 5.53, 4.76, 4.13]),
];

/// A row of Table 2.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AttributeRow {
    /// The method.
    pub method: Method,
    /// Its accuracies in percent on CMU Multi-PIE: pose, expression, identity.
    pub accuracies: [f64; 3],
}

const fn accuracies(method: Method, accuracies: [f64; 3]) -> AttributeRow {
    AttributeRow { method, accuracies }
}

/// Table 2 (section 6.7), in its order.
pub const ATTRIBUTE_TABLE: [AttributeRow; 8] = [
    accuracies(Method::SemiNmf, [99.73, 81.50, 36.46]),
    accuracies(Method::Nmf, [100.00, 80.68, 49.12]),
    accuracies(Method::DeepLinear, [99.86, 80.54, 61.22]),
    accuracies(Method::Cnmf, [89.21, 33.88, 28.30]),
    accuracies(Method::Dnmf, [100.00, 82.22, 55.78]),
    accuracies(Method::Wsf, [100.00, 81.50, 63.81]),
    accuracies(Method::WsfMa, [100.00, 81.50, 64.08]),
    accuracies(Method::DeepWsf, [100.00, 82.90, 65.17]),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_fall_with_the_number_of_components() {
        for row in RECONSTRUCTION {
            assert!(row.errors.windows(2).all(|pair| pair[0] > pair[1]), "{row:?}");
        }
    }

    #[test]
    fn no_row_is_printed_twice_and_the_bold_ones_are_the_best() {
        for (i, row) in RECONSTRUCTION.iter().enumerate() {
            assert!(RECONSTRUCTION[..i].iter().all(|other| other.method != row.method));
        }
        let best = ATTRIBUTE_TABLE[ATTRIBUTE_TABLE.len() - 1];
        assert_eq!(best.method, Method::DeepWsf);
        for (i, row) in ATTRIBUTE_TABLE.iter().enumerate() {
            assert!(ATTRIBUTE_TABLE[..i].iter().all(|other| other.method != row.method));
            assert!((0..3).all(|a| row.accuracies[a] <= best.accuracies[a]), "{row:?}");
        }
    }

    #[test]
    fn no_printed_error_is_below_what_rank_allows() {
        // Measured on PIE: the errors of the truncated singular value decomposition.
        let bounds = [8.2489, 6.8121, 5.7664, 4.9593, 4.2877, 3.7247];
        for row in RECONSTRUCTION {
            assert!(row.errors.iter().zip(bounds).all(|(e, b)| *e > b), "{row:?}");
        }
    }
}
