//! A rectangle of coloured pixels, and its PNG file.

use std::io::{self, Write};

use super::colour::Rgb;
use super::font;

/// Pixels, row by row from the top.
#[derive(Debug, Clone)]
pub(super) struct Canvas {
    width: usize,
    height: usize,
    pixels: Vec<Rgb>,
}

impl Canvas {
    pub(super) fn filled(width: usize, height: usize, colour: Rgb) -> Self {
        Self { width, height, pixels: vec![colour; width * height] }
    }

    pub(super) fn width(&self) -> usize {
        self.width
    }

    pub(super) fn height(&self) -> usize {
        self.height
    }

    /// The colour at a place inside the canvas.
    pub(super) fn get(&self, x: usize, y: usize) -> Rgb {
        self.pixels[y * self.width + x]
    }

    /// Colours one pixel; outside the canvas, nothing happens.
    pub(super) fn set(&mut self, x: usize, y: usize, colour: Rgb) {
        if x < self.width && y < self.height {
            self.pixels[y * self.width + x] = colour;
        }
    }

    /// Copies `other`, every pixel a square of side `factor`, with its corner at `(left, top)`.
    pub(super) fn paste(&mut self, other: &Self, left: usize, top: usize, factor: usize) {
        for y in 0..other.height * factor {
            for x in 0..other.width * factor {
                self.set(left + x, top + y, other.get(x / factor, y / factor));
            }
        }
    }

    /// Writes one line of text with its corner at `(left, top)`, every dot a square of side
    /// `factor`.
    pub(super) fn write(&mut self, text: &str, left: usize, top: usize, factor: usize) {
        for (index, letter) in text.chars().enumerate() {
            let corner = left + index * font::ADVANCE * factor;
            for (row, column) in font::dots(letter) {
                for y in 0..factor {
                    for x in 0..factor {
                        let (x, y) = (corner + column * factor + x, top + row * factor + y);
                        self.set(x, y, Rgb::TEXT);
                    }
                }
            }
        }
    }

    /// Encodes the canvas as PNG: in grey if it is, else in colour.
    pub(super) fn encode_png(&self, to: &mut dyn Write) -> io::Result<()> {
        let size = |length: usize| u32::try_from(length).map_err(io::Error::other);
        let grey = self.pixels.iter().all(|colour| colour.is_grey());
        let mut encoder = png::Encoder::new(to, size(self.width)?, size(self.height)?);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_color(if grey { png::ColorType::Grayscale } else { png::ColorType::Rgb });
        let bytes: Vec<u8> = if grey {
            self.pixels.iter().map(|&Rgb([level, ..])| level).collect()
        } else {
            self.pixels.iter().flat_map(|&Rgb(channels)| channels).collect()
        };
        let mut writer = encoder.write_header()?;
        writer.write_image_data(&bytes)?;
        Ok(writer.finish()?)
    }
}
