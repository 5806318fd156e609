//! Many tiles on one sheet.

use std::path::Path;

use deepnmf::Scalar;
use deepnmf::persist::write_atomically;

use super::canvas::Canvas;
use super::colour::{Rgb, Scale};
use super::{PictureError, Tile, font};
use crate::ImageShape;

/// The most pixels a sheet may have; far more than any viewer shows at once.
const MOST_PIXELS: usize = 100_000_000;
/// Dots of the captions are squares of this side.
const TEXT_FACTOR: usize = 2;
/// Free pixels above a section that is not the first.
const SECTION_GAP: usize = 8;
/// Free pixels between a caption and its tiles.
const CAPTION_GAP: usize = 4;
/// Longer captions are cut off.
const LONGEST_CAPTION: usize = 160;

/// A sheet of tiles in one or several sections, each under its caption.
///
/// ```
/// use deepnmf_data::builtin::Faces;
/// use deepnmf_data::picture::{Scale, Sheet};
/// let faces = Faces::default().identities(2).generate::<f32>()?;
/// let Some(shape) = faces.image_shape else { return Ok(()) };
///
/// let mut sheet = Sheet::new().columns(9).enlargement(2);
/// let grey = Scale::Range { low: 0.0, high: 1.0 };
/// sheet.add_section("first person", faces.x.columns().take(45), shape, grey)?;
/// sheet.add_section("second person", faces.x.columns().skip(45), shape, grey)?;
///
/// let folder = tempfile::tempdir()?;
/// sheet.write_png(&folder.path().join("faces.png"))?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Sheet {
    columns: usize,
    enlargement: usize,
    margin: usize,
    sections: Vec<Section>,
}

#[derive(Debug, Clone)]
struct Section {
    caption: String,
    tiles: Vec<Tile>,
    tile_width: usize,
    tile_height: usize,
}

impl Default for Sheet {
    fn default() -> Self {
        Self { columns: 10, enlargement: 2, margin: 2, sections: Vec::new() }
    }
}

impl Sheet {
    /// An empty sheet: ten tiles a row, twice as large as they are, two pixels apart.
    pub fn new() -> Self {
        Self::default()
    }

    /// How many tiles a row has, at least 1.
    #[must_use]
    pub fn columns(mut self, columns: usize) -> Self {
        self.columns = columns.max(1);
        self
    }

    /// How many pixels of the sheet a pixel of a tile is wide and high, at least 1.
    #[must_use]
    pub fn enlargement(mut self, factor: usize) -> Self {
        self.enlargement = factor.max(1);
        self
    }

    /// How many pixels around every tile stay free.
    #[must_use]
    pub fn margin(mut self, pixels: usize) -> Self {
        self.margin = pixels;
        self
    }

    /// Adds tiles below those already there; an empty caption takes no room.
    ///
    /// Captions are drawn in capitals; what is not ASCII becomes a box.
    ///
    /// # Errors
    /// If there is no tile, a tile has not the size of `shape`, or the scale is an empty range.
    pub fn add_section<'a, T: Scalar>(
        &mut self,
        caption: &str,
        tiles: impl IntoIterator<Item = &'a [T]>,
        shape: ImageShape,
        scale: Scale,
    ) -> Result<(), PictureError> {
        let tiles = (1..)
            .zip(tiles)
            .map(|(number, values)| Tile::new(number, values, shape, scale))
            .collect::<Result<Vec<_>, _>>()?;
        if tiles.is_empty() {
            return Err(PictureError::Empty);
        }
        self.sections.push(Section {
            caption: caption.chars().take(LONGEST_CAPTION).collect(),
            tiles,
            tile_width: shape.width,
            tile_height: shape.height,
        });
        Ok(())
    }

    /// Writes the sheet as a PNG file, as a whole or not at all.
    ///
    /// # Errors
    /// If the sheet is empty or too large, or the file cannot be written; a file that was there
    /// before is then still there, unchanged.
    pub fn write_png(&self, path: &Path) -> Result<(), PictureError> {
        let canvas = self.draw()?;
        Ok(write_atomically(path, |file| canvas.encode_png(file))?)
    }

    fn draw(&self) -> Result<Canvas, PictureError> {
        let (width, height) = self.size()?;
        let mut canvas = Canvas::filled(width, height, Rgb::WHITE);
        let mut top = 0;
        for (index, section) in self.sections.iter().enumerate() {
            top += if index == 0 { 0 } else { SECTION_GAP };
            top = self.draw_section(&mut canvas, section, top);
        }
        Ok(canvas)
    }

    /// Draws a section; where it ends.
    fn draw_section(&self, canvas: &mut Canvas, section: &Section, top: usize) -> usize {
        let caption = section.caption_height(self.margin);
        canvas.write(&section.caption, self.margin, top + self.margin, TEXT_FACTOR);
        let (cell_width, cell_height) = self.cell(section);
        for (index, Tile(tile)) in section.tiles.iter().enumerate() {
            let left = self.margin + index % self.columns * cell_width;
            let tile_top = top + caption + self.margin + index / self.columns * cell_height;
            canvas.paste(tile, left, tile_top, self.enlargement);
        }
        let rows = section.tiles.len().div_ceil(self.columns);
        top + caption + self.margin + rows * cell_height
    }

    /// What one tile takes, with the margin to its right and below.
    fn cell(&self, section: &Section) -> (usize, usize) {
        // Absurd enlargements end at the limit for the sheet, not in an overflow.
        let length =
            |side: usize| side.saturating_mul(self.enlargement).saturating_add(self.margin);
        (length(section.tile_width), length(section.tile_height))
    }

    /// Width and height of the whole sheet, which is not too large.
    fn size(&self) -> Result<(usize, usize), PictureError> {
        let extents = self.sections.iter().map(|section| self.extent(section));
        let (width, height) = extents
            .reduce(|(width, height), (next_width, next_height)| {
                let height = height.saturating_add(SECTION_GAP).saturating_add(next_height);
                (width.max(next_width), height)
            })
            .ok_or(PictureError::Empty)?;
        if width.saturating_mul(height) > MOST_PIXELS {
            return Err(PictureError::TooLarge { most: MOST_PIXELS });
        }
        Ok((width, height))
    }

    /// Width and height of a section.
    fn extent(&self, section: &Section) -> (usize, usize) {
        let (cell_width, cell_height) = self.cell(section);
        let in_a_row = section.tiles.len().min(self.columns);
        let rows = section.tiles.len().div_ceil(self.columns);
        let tiles_width = cell_width.saturating_mul(in_a_row).saturating_add(self.margin);
        let text_width = section.caption.chars().count() * font::ADVANCE * TEXT_FACTOR;
        let width = tiles_width.max(text_width.saturating_add(self.margin));
        let height = cell_height
            .saturating_mul(rows)
            .saturating_add(self.margin)
            .saturating_add(section.caption_height(self.margin));
        (width, height)
    }
}

impl Section {
    /// The pixels above the tiles that the caption takes.
    fn caption_height(&self, margin: usize) -> usize {
        if self.caption.is_empty() {
            return 0;
        }
        // The tiles bring a margin of their own; the caption needs one above it too.
        (font::HEIGHT * TEXT_FACTOR + CAPTION_GAP).saturating_add(margin)
    }
}
