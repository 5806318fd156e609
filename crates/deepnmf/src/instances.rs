//! What the models do, compiled once for each number type.
//!
//! Models are generic over [`Scalar`](crate::Scalar), and generic code is compiled anew in every crate that
//! uses it. A fit is a great deal of code; the methods here are not generic, so that it is compiled in this
//! crate alone.

use crate::driver::FitSession;
use crate::error::Result;
use crate::matrix::{DataMatrix, Matrix, Svd, SvdMethod};
use crate::models::{Model, Settings, Task};
use crate::project::Projection;

/// What is compiled for one number type.
pub trait Instances: Sized {
    /// [`Settings::fit`], and from given factors.
    fn fit(
        settings: &Settings,
        task: Task<'_, Self>,
        session: &mut FitSession<'_>,
    ) -> Result<Model<Self>>;

    /// [`Model::project`].
    fn project(
        model: &Model<Self>,
        x: &dyn DataMatrix<Self>,
        layer: usize,
        method: Projection,
    ) -> Result<Matrix<Self>>;

    /// [`truncated_svd`](crate::matrix::truncated_svd).
    fn truncated_svd(
        x: &dyn DataMatrix<Self>,
        k: usize,
        method: SvdMethod,
        seed: u64,
    ) -> Result<Svd<Self>>;
}

macro_rules! instances {
    ($type:ty, $svd:path) => {
        impl Instances for $type {
            fn fit(
                settings: &Settings,
                task: Task<'_, Self>,
                session: &mut FitSession<'_>,
            ) -> Result<Model<Self>> {
                settings.run(task, session)
            }

            fn project(
                model: &Model<Self>,
                x: &dyn DataMatrix<Self>,
                layer: usize,
                method: Projection,
            ) -> Result<Matrix<Self>> {
                crate::project::project(model, x, layer, method)
            }

            fn truncated_svd(
                x: &dyn DataMatrix<Self>,
                k: usize,
                method: SvdMethod,
                seed: u64,
            ) -> Result<Svd<Self>> {
                $svd(x, k, method, seed)
            }
        }
    };
}

instances!(f32, crate::matrix::widened_svd);
instances!(f64, crate::matrix::compute_truncated_svd);
