//! Many small pictures in one: an atlas of tiles, as a PNG in text.
//!
//! Atlases are grey and small; the page gives signed ones their colours, which depend on whether it
//! is light or dark.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use deepnmf::Scalar;
use deepnmf_data::{ImageShape, PixelOrder};
use serde::Serialize;

use crate::error::Result;

/// No tile is made smaller than this many pixels a side, unless it is already.
const SMALLEST_SIDE: usize = 8;

/// How the features of a sample make a picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Picture {
    shape: ImageShape,
    /// Two for gradient orientations, whose cosines and sines stand side by side.
    halves: usize,
}

impl Picture {
    /// The picture that so many features make, if they do.
    pub(crate) fn of(shape: Option<ImageShape>, features: usize) -> Option<Self> {
        let shape = shape?;
        let pixels = shape.width.checked_mul(shape.height)?;
        let halves =
            [1, 2].into_iter().find(|halves| pixels.checked_mul(*halves) == Some(features));
        Some(Self { shape, halves: halves.filter(|_| pixels > 0)? })
    }

    /// Whether values have both signs by nature.
    pub(crate) fn is_signed(self) -> bool {
        self.halves == 2
    }

    /// Width and height in pixels.
    pub(crate) fn size(self) -> (usize, usize) {
        (self.shape.width * self.halves, self.shape.height)
    }

    /// The largest size at which `tiles` of these stay within so many pixels.
    pub(crate) fn fitting(self, tiles: usize, pixels: usize) -> (usize, usize) {
        let (width, height) = self.size();
        let wanted = (width * height) as f64 * tiles.max(1) as f64;
        let factor = (pixels as f64 / wanted).sqrt().min(1.0);
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // between 0 and `side`
        let shrink = |side: usize| ((side as f64 * factor) as usize).max(SMALLEST_SIDE.min(side));
        (shrink(width), shrink(height))
    }

    /// The values row by row, as the mean over the pixels that each of `size` stands for.
    fn drawn<T: Scalar>(self, values: &[T], (width, height): (usize, usize)) -> Vec<f64> {
        let (full_width, full_height) = self.size();
        let cover =
            |place: usize, of: usize, full: usize| place * full / of..(place + 1) * full / of;
        let mut pixels = Vec::with_capacity(width * height);
        for row in 0..height {
            for column in 0..width {
                let (rows, columns) =
                    (cover(row, height, full_height), cover(column, width, full_width));
                let count = (rows.len() * columns.len()) as f64;
                let all = rows.flat_map(|y| columns.clone().map(move |x| (x, y)));
                pixels.push(all.map(|(x, y)| self.at(values, x, y)).sum::<f64>() / count);
            }
        }
        pixels
    }

    fn at<T: Scalar>(self, values: &[T], x: usize, y: usize) -> f64 {
        let ImageShape { width, height, order } = self.shape;
        let (half, x) = (x / width, x % width);
        let place = match order {
            PixelOrder::RowMajor => y * width + x,
            PixelOrder::ColumnMajor => x * height + y,
        };
        values[half * width * height + place].to_f64()
    }
}

/// Which values become black and white.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Levels {
    /// The smallest and the largest of the tile.
    Own,
    /// These two; what lies outside is cut off.
    Between(f64, f64),
    /// Zero is the middle, the largest absolute value an end.
    Signed,
}

impl Levels {
    /// The range of a sample.
    pub(crate) fn of<T: Scalar>(values: &[T]) -> Self {
        let (low, high) = range(values.iter().map(|v| v.to_f64()));
        Self::Between(low, high)
    }

    fn bytes(self, pixels: &[f64]) -> Vec<u8> {
        let (low, high) = match self {
            Self::Own => range(pixels.iter().copied()),
            Self::Between(low, high) => (low, high),
            Self::Signed => {
                let most = pixels.iter().fold(0.0f64, |m, v| m.max(v.abs()));
                (-most, most)
            }
        };
        let extent = high - low;
        let middle = if matches!(self, Self::Signed) { 0.5 } else { 0.0 };
        let share = |v: &f64| if extent > 0.0 { (v - low) / extent } else { middle };
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // 0 to 255
        let level = |v: &f64| (255.0 * share(v).clamp(0.0, 1.0)).round() as u8;
        pixels.iter().map(level).collect()
    }
}

fn range(values: impl Iterator<Item = f64>) -> (f64, f64) {
    values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)))
}

/// Tiles of one size.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Tiles {
    picture: Picture,
    size: (usize, usize),
    drawn: Vec<Vec<u8>>,
    signed: bool,
}

impl Tiles {
    pub(crate) fn new(picture: Picture, size: (usize, usize), signed: bool) -> Self {
        Self { picture, size, drawn: Vec::new(), signed }
    }

    pub(crate) fn add<T: Scalar>(&mut self, values: &[T], levels: Levels) {
        self.drawn.push(levels.bytes(&self.picture.drawn(values, self.size)));
    }

    /// Whether these look the same as others.
    pub(crate) fn look_like(&self, others: &Self) -> bool {
        const UNSEEN: u8 = 3;
        let alike = |(a, b): (&u8, &u8)| a.abs_diff(*b) <= UNSEEN;
        (self.size, self.signed, self.drawn.len())
            == (others.size, others.signed, others.drawn.len())
            && self.drawn.iter().flatten().zip(others.drawn.iter().flatten()).all(alike)
    }

    /// All tiles in one picture, about as wide as high.
    pub(crate) fn atlas(&self) -> Result<Atlas> {
        let (width, height) = self.size;
        let count = self.drawn.len().max(1);
        let columns = (1..count).find(|c| c * width * c >= count * height).unwrap_or(count);
        let rows = count.div_ceil(columns);
        let mut pixels = vec![0; columns * width * rows * height];
        for (number, tile) in self.drawn.iter().enumerate() {
            let (left, top) = ((number % columns) * width, (number / columns) * height);
            for (y, row) in tile.chunks(width).enumerate() {
                let start = (top + y) * columns * width + left;
                pixels[start..start + width].copy_from_slice(row);
            }
        }
        let png = encode(columns * width, rows * height, &pixels)?;
        Ok(Atlas { width, height, columns, count: self.drawn.len(), signed: self.signed, png })
    }
}

/// Tiles in one grey picture.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Atlas {
    /// Pixels of a tile from left to right.
    pub width: usize,
    /// Pixels of a tile from top to bottom.
    pub height: usize,
    /// Tiles side by side.
    pub columns: usize,
    /// Tiles in all.
    pub count: usize,
    /// Whether the middle grey stands for zero.
    pub signed: bool,
    /// The picture, a PNG in base 64.
    pub png: String,
}

fn encode(width: usize, height: usize, pixels: &[u8]) -> Result<String> {
    let side = |side: usize| u32::try_from(side).unwrap_or(u32::MAX);
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, side(width), side(height));
    encoder.set_color(png::ColorType::Grayscale);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_compression(png::Compression::High);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(pixels)?;
    writer.finish()?;
    Ok(STANDARD.encode(file))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHAPE: ImageShape = ImageShape { width: 3, height: 2, order: PixelOrder::ColumnMajor };

    fn decoded(atlas: &Atlas) -> (usize, Vec<u8>) {
        let file = STANDARD.decode(&atlas.png).unwrap();
        let mut reader = png::Decoder::new(std::io::Cursor::new(file)).read_info().unwrap();
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut pixels).unwrap();
        (info.width as usize, pixels)
    }

    #[test]
    fn tiles_stand_where_the_page_looks_for_them() {
        let picture = Picture::of(Some(SHAPE), 6).unwrap();
        let mut tiles = Tiles::new(picture, picture.size(), false);
        for number in 0..7 {
            let values: Vec<f64> = (0..6).map(|i| f64::from(number * 6 + i)).collect();
            tiles.add(&values, Levels::Between(0.0, 255.0));
        }
        let atlas = tiles.atlas().unwrap();
        let (width, pixels) = decoded(&atlas);
        assert_eq!(width, atlas.columns * 3);
        for number in 0..7usize {
            let (left, top) = (number % atlas.columns * 3, number / atlas.columns * 2);
            // Column by column: the pixel right of the corner is the third feature.
            assert_eq!(usize::from(pixels[top * width + left]), number * 6);
            assert_eq!(usize::from(pixels[top * width + left + 1]), number * 6 + 2);
            assert_eq!(usize::from(pixels[(top + 1) * width + left]), number * 6 + 1);
        }
    }

    #[test]
    fn only_features_that_fill_a_picture_are_one() {
        assert!(Picture::of(None, 6).is_none());
        assert!(Picture::of(Some(SHAPE), 7).is_none());
        let orientations = Picture::of(Some(SHAPE), 12).unwrap();
        assert!(orientations.is_signed());
        assert_eq!(orientations.size(), (6, 2));
    }

    #[test]
    fn many_large_tiles_shrink_and_keep_their_mean() {
        let shape = ImageShape { width: 100, height: 50, order: PixelOrder::RowMajor };
        let picture = Picture::of(Some(shape), 5000).unwrap();
        let (width, height) = picture.fitting(100, 50_000);
        assert!(width * height * 100 <= 50_000 && width > height, "{width} x {height}");
        let values: Vec<f64> = (0..5000).map(|i| f64::from(i % 2)).collect();
        let drawn = picture.drawn(&values, (10, 10));
        assert!(drawn.iter().all(|v| (v - 0.5).abs() < 1e-12));
        assert_eq!(picture.fitting(1_000_000, 1000), (8, 8));
    }

    #[test]
    fn levels_are_cut_off_and_zero_is_in_the_middle() {
        assert_eq!(Levels::Between(0.0, 1.0).bytes(&[-3.0, 0.0, 1.0, 9.0]), [0, 0, 255, 255]);
        assert_eq!(Levels::Signed.bytes(&[-2.0, 0.0, 1.0]), [0, 128, 191]);
        assert_eq!(Levels::Signed.bytes(&[0.0, 0.0]), [128, 128]);
        assert_eq!(Levels::Own.bytes(&[4.0, 4.0]), [0, 0]);
    }
}
