//! Pictures of samples and bases: a sheet of tiles as a PNG file, or a row of them in a terminal.

mod canvas;
mod colour;
mod font;
mod preview;
mod sheet;

pub use colour::Scale;
pub use preview::terminal_preview;
pub use sheet::Sheet;

use deepnmf::Scalar;

use self::canvas::Canvas;
use self::colour::Rgb;
use crate::{ImageShape, PixelOrder};

/// Why a picture cannot be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PictureError {
    /// A tile that is not as large as its shape says.
    #[error(
        "tile {tile} (counted from 1) has {found} pixels, but a picture of {width} x {height} \
         is asked for"
    )]
    TileSize {
        /// The tile, counted from 1.
        tile: usize,
        /// The pixels it has.
        found: usize,
        /// The width asked for.
        width: usize,
        /// The height asked for.
        height: usize,
    },
    /// A range without extent.
    #[error("the grey range from {low} to {high} is empty: a lower and a higher number are needed")]
    EmptyRange {
        /// What is drawn black.
        low: f64,
        /// What is drawn white.
        high: f64,
    },
    /// Nothing to draw.
    #[error("there is no tile to draw: add a section with at least one")]
    Empty,
    /// More pixels than a viewer opens.
    #[error("the sheet would be larger than {most} pixels: draw fewer tiles, or enlarge them less")]
    TooLarge {
        /// The most pixels a sheet may have.
        most: usize,
    },
    /// The file cannot be written.
    #[error(transparent)]
    Write(#[from] deepnmf::Error),
}

/// One sample in colour.
#[derive(Debug, Clone)]
struct Tile(Canvas);

impl Tile {
    /// Colours the tile with this `number`, counted from 1.
    fn new<T: Scalar>(
        number: usize,
        values: &[T],
        shape: ImageShape,
        scale: Scale,
    ) -> Result<Self, PictureError> {
        let ImageShape { width, height, order } = shape;
        if values.is_empty() || width.checked_mul(height) != Some(values.len()) {
            return Err(PictureError::TileSize {
                tile: number,
                found: values.len(),
                width,
                height,
            });
        }
        let colour = scale.colours_for(values)?;
        let at = |row: usize, column: usize| match order {
            PixelOrder::RowMajor => values[row * width + column],
            PixelOrder::ColumnMajor => values[column * height + row],
        };
        let mut canvas = Canvas::filled(width, height, Rgb::WHITE);
        for row in 0..height {
            for column in 0..width {
                canvas.set(column, row, colour(at(row, column).to_f64()));
            }
        }
        Ok(Self(canvas))
    }
}

#[cfg(test)]
mod tests;
