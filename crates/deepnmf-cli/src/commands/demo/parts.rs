//! The parts of an additive model: what came apart without a label, as a picture and in a few lines.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::Result;
use deepnmf::{Matrix, Model};
use deepnmf_data::picture::{Scale, Sheet, terminal_preview};
use deepnmf_data::{Dataset, ImageShape};
use deepnmf_eval::metrics::nmi;
use serde::Serialize;

use super::{SHOWN, shown};
use crate::output::Output;

/// The shown samples taken apart, and what each part has found.
pub(super) struct Parts {
    shown: Vec<usize>,
    /// What each part adds to the shown samples; the first holds the mean of all.
    added: Vec<Matrix<f64>>,
    pub(super) found: Vec<FoundPart>,
}

/// How well the clusters of a part agree with the attributes, which the fit has not seen.
#[derive(Serialize)]
pub(super) struct FoundPart {
    clusters: usize,
    /// The attribute that they agree with best.
    attribute: String,
    nmi: f64,
    /// The agreement with every attribute, in their order.
    with_all: Vec<(String, f64)>,
}

impl Parts {
    pub(super) fn of(model: &Model<f64>, faces: &Dataset<f64>) -> Result<Self> {
        let (shown, h) = (shown(faces.samples()), model.factors.top_features());
        let few = Matrix::from_fn(h.rows(), shown.len(), |i, j| h[(i, shown[j])]);
        let parts = model.settings.parts();
        let labels = model.part_labels();
        let (mut added, mut found) = (vec![], vec![]);
        for (part, &clusters) in parts.iter().enumerate() {
            added.push(model.reconstruct_part(part + 1, &few)?);
            let of_part: Vec<usize> = labels.iter().map(|labels| labels[part]).collect();
            let agreement = |attribute: &deepnmf_data::Attribute| {
                Ok((attribute.name.clone(), nmi(attribute.codes(), &of_part)?))
            };
            let with_all = faces.attributes.iter().map(agreement).collect::<Result<Vec<_>>>()?;
            let best = with_all.iter().max_by(|a, b| a.1.total_cmp(&b.1));
            let (attribute, nmi) = best.cloned().unwrap_or_default();
            found.push(FoundPart { clusters, attribute, nmi, with_all });
        }
        Ok(Self { shown, added, found })
    }

    /// The shown samples with one of their parts exchanged for that of the sample to their right.
    fn exchanged(&self, faces: &Dataset<f64>, part: usize) -> Matrix<f64> {
        let (added, count) = (&self.added[part], self.shown.len());
        Matrix::from_fn(added.rows(), count, |i, j| {
            faces.x[(i, self.shown[j])] - added[(i, j)] + added[(i, (j + 1) % count)]
        })
    }

    fn left(&self, faces: &Dataset<f64>) -> Matrix<f64> {
        Matrix::from_fn(faces.features(), self.shown.len(), |i, j| {
            faces.x[(i, self.shown[j])] - self.added.iter().map(|part| part[(i, j)]).sum::<f64>()
        })
    }

    pub(super) fn draw(&self, path: &Path, faces: &Dataset<f64>, shape: ImageShape) -> Result<()> {
        let mut sheet = Sheet::new().columns(SHOWN).enlargement(2);
        let samples = self.shown.iter().map(|&j| faces.x.col(j));
        sheet.add_section("Some of the faces", samples, shape, Scale::OwnRange)?;
        for (i, (part, found)) in self.added.iter().zip(&self.found).enumerate() {
            let caption = format!(
                "{} part {}: {} clusters, which find {} ({:.0}% NMI)",
                if i == 0 { "=" } else { "+" },
                i + 1,
                found.clusters,
                found.attribute,
                100.0 * found.nmi,
            );
            let scale = if i == 0 { Scale::OwnRange } else { Scale::Signed };
            sheet.add_section(&caption, part.columns(), shape, scale)?;
        }
        sheet.add_section("+ a rest", self.left(faces).columns(), shape, Scale::Signed)?;
        for (i, found) in self.found.iter().enumerate().skip(1) {
            let caption = format!("With the {} of the face to the right", found.attribute);
            let exchanged = self.exchanged(faces, i);
            sheet.add_section(&caption, exchanged.columns(), shape, Scale::OwnRange)?;
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
            for (i, (part, found)) in self.added.iter().zip(&self.found).enumerate() {
                let sign = if i == 0 { "=" } else { "+" };
                let _ = writeln!(text, "{sign} part {}, which finds {}:", i + 1, found.attribute);
                let scale = if i == 0 { Scale::OwnRange } else { Scale::Signed };
                text += &terminal_preview(part.columns(), shape, scale, 19)?;
            }
        }
        let _ = writeln!(
            text,
            "factorized into a sum of {} parts in {:.1} s, without a single label:",
            self.found.len(),
            model.summary.seconds
        );
        for (i, found) in self.found.iter().enumerate() {
            let FoundPart { clusters, attribute, nmi, with_all } = found;
            let others = with_all.iter().filter(|(name, _)| name != attribute);
            let others: Vec<String> =
                others.map(|(name, nmi)| format!("{name} {:.0}%", 100.0 * nmi)).collect();
            let _ = writeln!(
                text,
                "  part {}, {clusters} clusters: {attribute} {:.0}% (mutual information; {})",
                i + 1,
                100.0 * nmi,
                others.join(", ")
            );
        }
        Ok(text)
    }
}
