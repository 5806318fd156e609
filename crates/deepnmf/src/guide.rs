//! A guide: from a matrix to features, and on to watching, saving and data of one's own. There is nothing in this module but
//! these pages; every example is run by the tests.
//!
//! # A first fit
//!
//! Data are a matrix `X` with a column for each sample, `p` features by `n` samples, of `f32` or `f64`. A model is a struct with its
//! settings; [`fit`](crate::Factorization::fit) gives a [`Model`](crate::Model) with the factors and a summary.
//!
//! ```
//! use deepnmf::{Factorization, Matrix, SemiNmf};
//! let x = Matrix::from_fn(30, 200, |i, j| ((i * j) % 13) as f64);
//! let model = SemiNmf::new(5).fit(&x)?;
//! let (z, h) = (&model.factors.z[0], &model.factors.h[0]);
//! assert_eq!((z.shape(), h.shape()), ((30, 5), (5, 200)));
//! println!("{} iterations, error {}", model.summary.iterations, model.summary.error);
//! # Ok::<(), deepnmf::Error>(())
//! ```
//!
//! Numbers that stand in memory already are borrowed: [`MatrixView::strided`](crate::MatrixView::strided) reads any strides, so a
//! slice of rows with a sample each is a matrix, too. With the features `ndarray` and `nalgebra` matrices of these crates are
//! borrowed as they are (`MatrixView::from_ndarray`, `MatrixView::from_nalgebra`).
//!
//! ```
//! use deepnmf::MatrixView;
//! let rows = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]; // two samples of three features
//! let x = MatrixView::strided(rows.as_flattened(), 3, 2, 1, 3)?;
//! assert_eq!(x.get(2, 1), 6.0);
//! # Ok::<(), deepnmf::Error>(())
//! ```
//!
//! # New samples
//!
//! [`project`](crate::Model::project) computes the features of samples that were not in the fit, of any layer.
//!
//! ```
//! use deepnmf::{DeepSemiNmf, Factorization, Matrix, Projection};
//! let value = |i: usize, j: usize| ((i + 1) * (j + 3) % 11) as f64;
//! let model = DeepSemiNmf::new([8, 3]).fit(&Matrix::from_fn(20, 50, value))?;
//! let new = Matrix::from_fn(20, 4, |i, j| value(i, j + 50));
//! assert_eq!(model.project(&new, 2, Projection::NonNegative)?.shape(), (3, 4));
//! # Ok::<(), deepnmf::Error>(())
//! ```
//!
//! # Watching and stopping
//!
//! A fit runs in a [`FitSession`](crate::FitSession): an [`Observer`](crate::Observer) hears of every iteration, a
//! [`CancelToken`](crate::CancelToken) stops it from any thread, and [`Checkpoints`](crate::Checkpoints) let it survive a kill. What
//! was found until then is the result.
//!
//! ```
//! use deepnmf::{CancelToken, Event, Factorization, FitSession, Matrix, Nmf};
//! let x = Matrix::from_fn(30, 200, |i, j| ((i * j) % 13) as f64);
//! let stop = CancelToken::new();
//! let mut hear = |event: &Event| {
//!     if let Event::Iteration { iteration: 3, .. } = event {
//!         stop.cancel();
//!     }
//! };
//! let mut session = FitSession::new().observed_by(&mut hear).stopped_by(stop.clone());
//! let model = Nmf::new(5).fit_in(&x, &[], &mut session)?;
//! assert_eq!(model.summary.iterations, 3);
//! # Ok::<(), deepnmf::Error>(())
//! ```
//!
//! # Labels, missing entries, weights
//!
//! Labels of some samples shape a [`Wsf`](crate::Wsf) or [`DeepWsf`](crate::DeepWsf); unknown ones are `None`. Data with missing
//! entries, or with weights for them, are [`matrix::Incomplete`](crate::matrix::Incomplete), and every model takes those.
//!
//! ```
//! use deepnmf::matrix::Incomplete;
//! use deepnmf::{Factorization, FitSession, Matrix, SemiNmf, Wsf};
//! let x = Matrix::from_fn(30, 60, |i, j| ((i * j) % 13) as f64);
//! let labels: Vec<Option<u32>> = (0..60).map(|j| (j < 20).then_some(j % 3)).collect();
//! Wsf::new(5, 1.0).fit_in(&x, &[Some(&labels)], &mut FitSession::new())?;
//!
//! let mut holes = x.clone();
//! holes[(3, 7)] = f64::NAN;
//! let data = Incomplete::from_nan(holes)?;
//! let model = SemiNmf::new(5).fit(&data)?;
//! assert_eq!(model.impute(&data)?[(4, 7)], x[(4, 7)]);
//! # Ok::<(), deepnmf::Error>(())
//! ```
//!
//! # Data of your own
//!
//! Algorithms see data through the products `Z^T X` and `X H^T`. Whatever can answer them is data: implement
//! [`DataMatrix`](crate::DataMatrix), whose documentation says what each method costs and may assume. Most methods have an answer of
//! their own, made from these two and from blocks of columns.
//!
//! ```
//! use std::ops::ControlFlow;
//! use deepnmf::matrix::{Parts, Visit};
//! use deepnmf::{DataMatrix, Factorization, Matrix, Result, SemiNmf};
//!
//! /// Another matrix with every number doubled, without a copy.
//! struct Doubled(Matrix<f64>);
//!
//! impl DataMatrix<f64> for Doubled {
//!     fn shape(&self) -> (usize, usize) {
//!         self.0.shape()
//!     }
//!     fn parts(&self) -> Parts<'_> {
//!         Parts::whole(self.0.cols())
//!     }
//!     fn tr_mul(&self, z: &Matrix<f64>, out: &mut Matrix<f64>) -> Result<()> {
//!         self.0.tr_mul(&z.map(|v| 2.0 * v), out)
//!     }
//!     fn mul_tr(&self, h: &Matrix<f64>, out: &mut Matrix<f64>) -> Result<()> {
//!         self.0.mul_tr(&h.map(|v| 2.0 * v), out)
//!     }
//!     fn wide_tr_mul(&self, z: &Matrix<f64>, out: &mut Matrix<f64>) -> Result<()> {
//!         self.tr_mul(z, out)
//!     }
//!     fn wide_mul_tr(&self, h: &Matrix<f64>, out: &mut Matrix<f64>) -> Result<()> {
//!         self.mul_tr(h, out)
//!     }
//!     fn blocks(&self, visit: &mut Visit<'_, f64>) -> Result<()> {
//!         for j in 0..self.0.cols() {
//!             let column = self.0.view_columns(j..j + 1).to_matrix().map(|v| 2.0 * v);
//!             if visit(j, column.view()) == ControlFlow::Break(()) {
//!                 break;
//!             }
//!         }
//!         Ok(())
//!     }
//! }
//!
//! let x = Matrix::from_fn(30, 60, |i, j| ((i * j) % 13) as f64);
//! let doubled = SemiNmf::new(5).fit(&Doubled(x.clone()))?;
//! let plain = SemiNmf::new(5).fit(&x)?;
//! assert!((doubled.summary.error / plain.summary.error - 2.0).abs() < 1e-6);
//! # Ok::<(), deepnmf::Error>(())
//! ```
