//! The compiled part of the Python package `deepnmf`.
//!
//! It is thin: arrays, settings and errors cross here, everything else is in the crates below or in
//! Python (`python/deepnmf`). Samples are rows in Python and columns here, which in memory is the
//! same thing.

#![allow(clippy::needless_pass_by_value)] // arguments from Python arrive as values

mod array;
mod data;
mod errors;
mod evaluate;
mod fit;
mod model;
mod prepare;
mod report;
mod select;
mod threads;

/// What `deepnmf._core` offers to the modules beside it; `_core.pyi` has the types.
#[pyo3::pymodule(name = "_core")]
mod core {
    #[pymodule_export]
    use crate::data::{builtin, gradient_orientations, load};
    #[pymodule_export]
    use crate::evaluate::{accuracy, kmeans, nmi, smallest_error};
    #[pymodule_export]
    use crate::fit::fit;
    #[pymodule_export]
    use crate::model::Model;
    #[pymodule_export]
    use crate::select::{choose_layers, consensus, picture_of_choices};
    #[pymodule_export]
    use crate::threads::available_cores;
}
