//! A row of tiles in a terminal.

use std::fmt::Write;

use deepnmf::Scalar;

use super::canvas::Canvas;
use super::colour::{Rgb, Scale};
use super::{PictureError, Tile};
use crate::ImageShape;

/// The widest line, in characters.
const TERMINAL_WIDTH: usize = 80;
/// The most pixels a tile is high; two share a line.
const MOST_ROWS: usize = 80;

/// Draws the first tiles side by side, as many as fit into 80 characters.
///
/// A tile is `tile_width` characters wide (1 to 80, and not more than its pixels). Each character
/// shows two pixels, one above the other, as a half block in 24-bit ANSI colours. There is a line
/// break after every line but the last.
///
/// # Errors
/// If there is no tile, a tile has not the size of `shape`, or the scale is an empty range.
///
/// ```
/// use deepnmf_data::picture::{Scale, terminal_preview};
/// use deepnmf_data::{ImageShape, PixelOrder};
/// let shape = ImageShape { width: 2, height: 2, order: PixelOrder::RowMajor };
/// let tile: &[f32] = &[0.0, 1.0, 2.0, 3.0];
/// let text = terminal_preview([tile, tile], shape, Scale::OwnRange, 16)?;
/// assert_eq!(text.matches('▀').count(), 4);
/// # Ok::<(), deepnmf_data::picture::PictureError>(())
/// ```
pub fn terminal_preview<'a, T: Scalar>(
    tiles: impl IntoIterator<Item = &'a [T]>,
    shape: ImageShape,
    scale: Scale,
    tile_width: usize,
) -> Result<String, PictureError> {
    let width = tile_width.min(shape.width).clamp(1, TERMINAL_WIDTH);
    let height = reduced_height(shape, width);
    // One space between two tiles.
    let fitting = (TERMINAL_WIDTH + 1) / (width + 1);
    let tiles = (1..)
        .zip(tiles.into_iter().take(fitting))
        .map(|(number, values)| Tile::new(number, values, shape, scale))
        .map(|tile| tile.map(|Tile(tile)| reduced(&tile, width, height)))
        .collect::<Result<Vec<_>, _>>()?;
    if tiles.is_empty() {
        return Err(PictureError::Empty);
    }
    let lines: Vec<String> = (0..height).step_by(2).map(|row| line(&tiles, row)).collect();
    Ok(lines.join("\n"))
}

/// The height that keeps the proportions, within limits.
fn reduced_height(shape: ImageShape, width: usize) -> usize {
    let across = shape.width.max(1);
    let exact = shape.height.saturating_mul(width).saturating_add(across / 2) / across;
    exact.clamp(1, MOST_ROWS).min(shape.height.max(1))
}

/// A smaller copy, each pixel the mean of those it stands for; never a larger one.
fn reduced(tile: &Canvas, width: usize, height: usize) -> Canvas {
    let mut small = Canvas::filled(width, height, Rgb::WHITE);
    for y in 0..height {
        let rows = y * tile.height() / height..(y + 1) * tile.height() / height;
        for x in 0..width {
            let columns = x * tile.width() / width..(x + 1) * tile.width() / width;
            let covered =
                rows.clone().flat_map(|row| columns.clone().map(move |column| (column, row)));
            small.set(x, y, Rgb::mean(covered.map(|(column, row)| tile.get(column, row))));
        }
    }
    small
}

/// Rows `row` and `row + 1` of all tiles, as one line.
fn line(tiles: &[Canvas], row: usize) -> String {
    let lines: Vec<String> = tiles.iter().map(|tile| tile_line(tile, row)).collect();
    lines.join(" ")
}

fn tile_line(tile: &Canvas, row: usize) -> String {
    let mut text = String::new();
    for column in 0..tile.width() {
        let Rgb([r, g, b]) = tile.get(column, row);
        // Writing to a string cannot fail.
        let _ = write!(text, "\x1b[38;2;{r};{g};{b}m");
        if row + 1 < tile.height() {
            let Rgb([r, g, b]) = tile.get(column, row + 1);
            let _ = write!(text, "\x1b[48;2;{r};{g};{b}m");
        }
        text.push('▀');
    }
    text.push_str("\x1b[0m");
    text
}
