//! One sample: its picture or its most unusual values, its main components and its reconstruction
//! by every layer.

use deepnmf::{Matrix, Scalar};
use serde::Serialize;

use crate::bases::lengths;
use crate::error::Result;
use crate::numbers::{largest, moments, short};
use crate::pictures::{Atlas, Levels, Picture, Tiles};

/// Components named for every sample and layer.
const PARTS: usize = 5;
/// Features named for every sample that is no picture.
const NAMED: usize = 10;
/// The most pixels of all pictures of samples together.
const PIXELS: usize = 4_000_000;

/// The shown samples.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Samples {
    /// Which sample of the data each one is, counted from 1.
    pub numbers: Vec<usize>,
    /// What they are called.
    pub names: Option<Vec<String>>,
    /// Their pictures as they were read.
    pub pictures: Option<Atlas>,
    /// Their pictures as the model sees them, where that looks different.
    pub seen: Option<Atlas>,
    /// The most unusual values of each, as `(feature, value)`, for data that are no pictures.
    pub values: Vec<Vec<(usize, f32)>>,
}

/// How a layer reconstructs the shown samples.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Likeness {
    /// The main components of each sample, as `(component, share)`.
    pub parts: Vec<Vec<(usize, f32)>>,
    /// The reconstruction error of each one, relative to its norm.
    pub missed: Vec<f32>,
    /// The pictures as the layer reconstructs them, in the range of what the model sees.
    pub rebuilt: Option<Atlas>,
    /// The unusual values as the layer reconstructs them.
    pub values: Vec<Vec<f32>>,
}

/// The shown samples before and after they were prepared, and how they are drawn.
pub(crate) struct Shown<'a, T> {
    pub(crate) originals: &'a Matrix<T>,
    pub(crate) prepared: &'a Matrix<T>,
    pub(crate) original_picture: Option<Picture>,
    pub(crate) prepared_picture: Option<Picture>,
    pub(crate) layers: usize,
}

impl<T: Scalar> Shown<'_, T> {
    /// The size at which all pictures together stay small.
    fn size(&self, picture: Picture) -> (usize, usize) {
        picture.fitting(self.prepared.cols() * (1 + self.layers), PIXELS)
    }

    /// Draws the samples, or finds the most unusual of their values in `all` judged samples.
    pub(crate) fn samples(&self, all: &Matrix<T>) -> Result<Samples> {
        let original = self.original_picture.map(|picture| {
            let mut tiles = Tiles::new(picture, self.size(picture), false);
            self.originals.columns().for_each(|sample| tiles.add(sample, Levels::Own));
            tiles
        });
        let seen = self.prepared_picture.map(|picture| {
            let signed = picture.is_signed();
            let mut tiles = Tiles::new(picture, self.size(picture), signed);
            let levels = if signed { Levels::Signed } else { Levels::Own };
            self.prepared.columns().for_each(|sample| tiles.add(sample, levels));
            tiles
        });
        let seen = seen.filter(|seen| !original.as_ref().is_some_and(|o| seen.look_like(o)));
        Ok(Samples {
            pictures: original.map(|tiles| tiles.atlas()).transpose()?,
            seen: seen.map(|tiles| tiles.atlas()).transpose()?,
            values: if self.prepared_picture.is_none() { self.unusual(all) } else { vec![] },
            ..Samples::default()
        })
    }

    fn unusual(&self, all: &Matrix<T>) -> Vec<Vec<(usize, f32)>> {
        let (mean, deviation) = moments(all);
        let of = |sample: &[T]| {
            let away = |feature: usize| {
                let away = (sample[feature].to_f64() - mean[feature]).abs();
                if deviation[feature] > 0.0 { away / deviation[feature] } else { 0.0 }
            };
            let strengths: Vec<f64> = (0..sample.len()).map(away).collect();
            let named = largest(&strengths, NAMED).into_iter();
            named.map(|feature| (feature, short(sample[feature].to_f64()))).collect()
        };
        self.prepared.columns().map(of).collect()
    }

    /// How a layer with this basis reconstructs the shown samples from their features `h`.
    pub(crate) fn likeness(
        &self,
        phi: &Matrix<T>,
        h: &Matrix<T>,
        Rebuilt { samples: rebuilt, added }: &Rebuilt<T>,
        samples: &Samples,
    ) -> Result<Likeness> {
        let pictures = self.prepared_picture.map(|picture| {
            let signed = picture.is_signed() || *added;
            let mut tiles = Tiles::new(picture, self.size(picture), signed);
            for (likeness, sample) in rebuilt.columns().zip(self.prepared.columns()) {
                tiles.add(likeness, if signed { Levels::Signed } else { Levels::of(sample) });
            }
            tiles.atlas()
        });
        let pairs = rebuilt.columns().zip(self.prepared.columns());
        let value = |(j, named): (usize, &Vec<(usize, f32)>)| {
            named.iter().map(|(feature, _)| short(rebuilt[(*feature, j)].to_f64())).collect()
        };
        Ok(Likeness {
            parts: parts(phi, h),
            missed: pairs.map(|(a, b)| short(missed(a, b))).collect(),
            rebuilt: pictures.transpose()?,
            values: samples.values.iter().enumerate().map(value).collect(),
        })
    }
}

/// The shown samples as a layer reconstructs them.
pub(crate) struct Rebuilt<T> {
    pub(crate) samples: Matrix<T>,
    /// Whether that is something to add, and of any sign: a part beside the first.
    pub(crate) added: bool,
}

/// `|a - b| / |b|`.
fn missed<T: Scalar>(a: &[T], b: &[T]) -> f64 {
    let squares = |values: &mut dyn Iterator<Item = f64>| values.map(|v| v * v).sum::<f64>();
    let off = squares(&mut a.iter().zip(b).map(|(a, b)| a.to_f64() - b.to_f64()));
    let norm = squares(&mut b.iter().map(|b| b.to_f64()));
    if norm > 0.0 { (off / norm).sqrt() } else { 0.0 }
}

/// The components that add most to each sample, with their share of what all add.
fn parts<T: Scalar>(phi: &Matrix<T>, h: &Matrix<T>) -> Vec<Vec<(usize, f32)>> {
    let lengths = lengths(phi);
    let of = |sample: &[T]| {
        let added: Vec<f64> =
            sample.iter().zip(&lengths).map(|(v, length)| v.to_f64().abs() * length).collect();
        let sum: f64 = added.iter().sum();
        let named = largest(&added, PARTS).into_iter().filter(|&component| added[component] > 0.0);
        named.map(|component| (component, short(added[component] / sum))).collect()
    };
    h.columns().map(of).collect()
}

#[cfg(test)]
mod tests {
    use deepnmf::{Factorization, SemiNmf};
    use deepnmf_data::{ImageShape, PixelOrder};

    use super::*;

    fn data() -> Matrix<f64> {
        Matrix::from_fn(6, 20, |i, j| ((i + 1) * (j + 3) % 7) as f64 + 0.5)
    }

    #[test]
    fn parts_are_shares_and_the_largest_is_first() {
        let x = data();
        let model = SemiNmf::new(4).fit(&x).unwrap();
        for sample in parts(&model.factors.basis(1).unwrap(), &model.factors.h[0]) {
            assert!(sample.windows(2).all(|pair| pair[0].1 >= pair[1].1));
            assert!(sample.iter().map(|(_, share)| share).sum::<f32>() <= 1.001);
        }
    }

    #[test]
    fn a_scaled_picture_is_not_drawn_twice_and_another_one_is() {
        let x = data();
        let shape = ImageShape { width: 3, height: 2, order: PixelOrder::RowMajor };
        let picture = Picture::of(Some(shape), 6);
        let draw = |prepared: &Matrix<f64>| {
            let shown = Shown {
                originals: &x,
                prepared,
                original_picture: picture,
                prepared_picture: picture,
                layers: 1,
            };
            shown.samples(&x).unwrap()
        };
        assert!(draw(&x.map(|v| 0.01 * v)).seen.is_none());
        assert!(draw(&x.map(|v| 1.0 / v)).seen.is_some());
    }

    #[test]
    fn samples_that_are_no_pictures_name_their_unusual_values() {
        let mut x = data();
        x.col_mut(3)[4] = 99.0;
        let model = SemiNmf::new(6).fit(&x).unwrap();
        let shown = Shown {
            originals: &x,
            prepared: &x,
            original_picture: None,
            prepared_picture: None,
            layers: 1,
        };
        let samples = shown.samples(&x).unwrap();
        assert_eq!(samples.values[3][0], (4, 99.0));
        let (factors, h) = (&model.factors, &model.factors.h[0]);
        let rebuilt = Rebuilt { samples: factors.reconstruct(1, h).unwrap(), added: false };
        let likeness = shown.likeness(&factors.z[0], h, &rebuilt, &samples).unwrap();
        assert!((likeness.values[3][0] - 99.0).abs() < 1.0, "six components rebuild six features");
        assert!(likeness.missed.iter().all(|missed| *missed < 0.01));
    }
}
