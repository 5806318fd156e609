//! How a sample is a picture.

use std::fmt::{self, Display};
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::DataError;

/// The picture that a sample is.
///
/// It is written as `WIDTHxHEIGHT`, with `:column-major` behind it where that is so:
///
/// ```
/// use deepnmf_data::{ImageShape, PixelOrder};
/// let shape: ImageShape = "64x60:column-major".parse()?;
/// assert_eq!(shape, ImageShape { width: 64, height: 60, order: PixelOrder::ColumnMajor });
/// assert_eq!("64x60".parse::<ImageShape>()?.order, PixelOrder::RowMajor);
/// # Ok::<(), deepnmf_data::DataError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImageShape {
    /// Pixels from left to right.
    pub width: usize,
    /// Pixels from top to bottom.
    pub height: usize,
    /// Which pixel is feature 2.
    pub order: PixelOrder,
}

/// What a model file records to show samples and features by.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DisplayHints {
    /// The pictures that samples are.
    #[serde(default)]
    pub image: Option<ImageShape>,
}

/// The order in which the pixels of a picture become features.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PixelOrder {
    /// From left to right, then down: NumPy, PNG.
    RowMajor,
    /// From top to bottom, then right: MATLAB.
    ColumnMajor,
}

impl ImageShape {
    /// The number of pixels, if it can be counted.
    pub(crate) fn pixels(self) -> Option<usize> {
        self.width.checked_mul(self.height)
    }
}

impl Display for ImageShape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let order = match self.order {
            PixelOrder::RowMajor => "",
            PixelOrder::ColumnMajor => ":column-major",
        };
        write!(f, "{}x{}{order}", self.width, self.height)
    }
}

impl FromStr for ImageShape {
    type Err = DataError;

    fn from_str(text: &str) -> Result<Self, DataError> {
        let (size, order) = match text.split_once(':') {
            None => (text, Some(PixelOrder::RowMajor)),
            Some((size, "row-major")) => (size, Some(PixelOrder::RowMajor)),
            Some((size, "column-major")) => (size, Some(PixelOrder::ColumnMajor)),
            Some((size, _)) => (size, None),
        };
        match (parse_size(size), order) {
            (Some((width, height)), Some(order)) => Ok(Self { width, height, order }),
            _ => Err(DataError::ImageShape { text: text.into() }),
        }
    }
}

/// Width and height from `32x30`.
pub(crate) fn parse_size(text: &str) -> Option<(usize, usize)> {
    let (width, height) = text.split_once('x')?;
    let side = |side: &str| side.parse().ok().filter(|&side| (1..=1 << 16).contains(&side));
    Some((side(width)?, side(height)?))
}

/// Which sizes have so many pixels, as advice.
pub(crate) fn sizes_of(pixels: usize) -> String {
    match closest_to_a_square(pixels) {
        (1, _) => "only a single line of pixels would fit: leave --image out".into(),
        (side, other) if side == other => {
            format!("if they are square, use --image {side}x{side}")
        }
        (short, long) => format!(
            "no square fits, but --image {long}x{short} or {short}x{long} would, for example"
        ),
    }
}

/// The two factors of a number that differ least, the smaller one first.
fn closest_to_a_square(number: usize) -> (usize, usize) {
    let short = (1..=number.isqrt()).rev().find(|side| number.is_multiple_of(*side)).unwrap_or(1);
    (short, number / short)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shape_is_read_as_it_is_written() {
        for text in ["32x32", "64x60:column-major", "1x65536"] {
            assert_eq!(text.parse::<ImageShape>().unwrap().to_string(), text);
        }
        assert_eq!("3x2:row-major".parse::<ImageShape>().unwrap().to_string(), "3x2");
        for text in ["", "32", "32x", "0x4", "-1x4", "4x4:", "4x4:rows", "x", "4x4x4", "70000x1"] {
            let message = text.parse::<ImageShape>().unwrap_err().to_string();
            assert!(message.contains("such as 32x32"), "{message}");
        }
    }

    #[test]
    fn advice_names_the_square_or_what_comes_close() {
        assert!(sizes_of(1024).contains("--image 32x32"));
        assert!(sizes_of(3840).contains("--image 64x60 or 60x64"));
        for line in [1, 2, 7, 1009] {
            assert!(sizes_of(line).contains("leave --image out"), "{line}");
        }
    }
}
