//! The layers of a deep model: a picture and a few lines.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::Result;
use deepnmf::{Matrix, Model, reconstruction_error};
use deepnmf_data::picture::{Scale, Sheet, terminal_preview};
use deepnmf_data::{Dataset, ImageShape};

use super::{SHOWN, shown};
use crate::output::{Output, summary_text};

/// The basis, reconstruction and error of each layer.
pub(super) struct Layers {
    bases: Vec<Matrix<f64>>,
    /// The shown samples as each layer rebuilds them.
    rebuilt: Vec<Matrix<f64>>,
    pub(super) errors: Vec<f64>,
    shown: Vec<usize>,
}

impl Layers {
    pub(super) fn of(model: &Model<f64>, x: &Matrix<f64>) -> Result<Self> {
        let shown = shown(x.cols());
        let mut layers = Self { bases: vec![], rebuilt: vec![], errors: vec![], shown };
        for (i, h) in model.factors.h.iter().enumerate() {
            let basis = model.factors.basis(i + 1)?;
            layers.errors.push(reconstruction_error(x, &basis, h)?);
            layers.rebuilt.push(rebuild(&basis, h, &layers.shown));
            layers.bases.push(basis);
        }
        Ok(layers)
    }

    pub(super) fn draw(&self, path: &Path, faces: &Dataset<f64>, shape: ImageShape) -> Result<()> {
        let mut sheet = Sheet::new().columns(SHOWN).enlargement(2);
        let samples = self.shown.iter().map(|&j| faces.x.col(j));
        sheet.add_section("Some of the faces", samples, shape, Scale::OwnRange)?;
        for (i, rebuilt) in self.rebuilt.iter().enumerate() {
            let caption = format!("Rebuilt from layer {}", i + 1);
            sheet.add_section(&caption, rebuilt.columns(), shape, Scale::OwnRange)?;
        }
        for (i, basis) in self.bases.iter().enumerate() {
            let count = basis.cols().min(SHOWN);
            let caption = format!(
                "Basis of layer {}: {count} of {} components, blue negative, red positive",
                i + 1,
                basis.cols()
            );
            sheet.add_section(&caption, basis.columns().take(count), shape, Scale::Signed)?;
        }
        Ok(sheet.write_png(path)?)
    }

    pub(super) fn text(
        &self,
        model: &Model<f64>,
        faces: &Dataset<f64>,
        shape: ImageShape,
        output: Output,
    ) -> Result<String> {
        let mut text = String::new();
        if output.shows_pictures() {
            let samples = self.shown.iter().map(|&j| faces.x.col(j));
            text += &terminal_preview(samples, shape, Scale::OwnRange, 19)?;
            text += "the same, rebuilt from the top layer:\n";
            if let Some(top) = self.rebuilt.last() {
                text += &terminal_preview(top.columns(), shape, Scale::OwnRange, 19)?;
            }
        }
        text += &summary_text(&model.settings, &model.summary);
        for (i, error) in self.errors.iter().enumerate() {
            let (z, share) = (&self.bases[i], 100.0 * error / faces.x.norm_sq().sqrt());
            let _ = writeln!(
                text,
                "  layer {:<6}{} components, reconstruction error {share:.2}% of the norm",
                i + 1,
                z.cols()
            );
        }
        Ok(text)
    }
}

/// Some columns of `basis h`.
fn rebuild(basis: &Matrix<f64>, h: &Matrix<f64>, columns: &[usize]) -> Matrix<f64> {
    let mut rebuilt = Matrix::zeros(basis.rows(), columns.len());
    for (j, &column) in columns.iter().enumerate() {
        for (component, weight) in basis.columns().zip(h.col(column)) {
            for (pixel, value) in rebuilt.col_mut(j).iter_mut().zip(component) {
                *pixel += weight * value;
            }
        }
    }
    rebuilt
}
