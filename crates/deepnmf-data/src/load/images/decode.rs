//! One picture file as grey pixels.

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek};
use std::path::Path;

use image::{DynamicImage, ImageDecoder, ImageError, ImageFormat, ImageReader, Limits};

use super::super::{memory, number};
use super::tiff;
use crate::error::{Fault, shown};
use crate::preprocess::resize::resize;

/// Grey pixels, row by row, from 0 (black) to 255 (white).
pub(super) struct Picture {
    pub(super) width: usize,
    pub(super) height: usize,
    pub(super) pixels: Vec<f64>,
}

impl Picture {
    /// The same picture, smaller or larger.
    pub(super) fn resize(self, (width, height): (usize, usize)) -> Self {
        let pixels = resize(&self.pixels, (self.width, self.height), (width, height));
        Self { width, height, pixels }
    }
}

/// The format that the first bytes show, among those that are read.
pub(super) fn format(head: &[u8]) -> Option<ImageFormat> {
    use ImageFormat::{Bmp, Jpeg, Png, Pnm, Tiff};
    image::guess_format(head).ok().filter(|f| matches!(f, Bmp | Jpeg | Png | Pnm | Tiff))
}

/// Reads a file.
pub(super) fn read(path: &Path) -> Result<Picture, Fault> {
    let file = File::open(path)?;
    let length = file.metadata()?.len();
    decode(BufReader::new(file), length)
}

/// Decodes a picture of `length` bytes.
fn decode(mut file: impl BufRead + Seek, length: u64) -> Result<Picture, Fault> {
    let mut head = Vec::new();
    file.by_ref().take(16).read_to_end(&mut head)?;
    file.rewind()?;
    let Some(format) = format(&head) else {
        return Err(Fault::damaged("it is no PGM, PNG, JPEG, TIFF or BMP picture"));
    };
    if format == ImageFormat::Tiff {
        tiff::check(&mut file, length)?;
    }
    let mut reader = ImageReader::with_format(file, format);
    reader.limits(limits(length));
    let decoder = reader.into_decoder().map_err(damaged)?;
    let (width, height) = decoder.dimensions();
    // Limits count bytes, of which eight pixels in black and white share one.
    let packed = memory::check_packed(width as usize, height as usize, length);
    packed.map_err(|_| too_many_pixels())?;
    grey(DynamicImage::from_decoder(decoder).map_err(damaged)?)
}

/// No format here packs more than a few thousand bytes into one.
fn limits(length: u64) -> Limits {
    const BEST_COMPRESSION: u64 = 4096;
    const ALWAYS: u64 = 1 << 20;
    const NEVER: u64 = 512 << 20; // a photograph of 170 million pixels
    let mut limits = Limits::default();
    limits.max_alloc =
        Some(length.saturating_mul(BEST_COMPRESSION).saturating_add(ALWAYS).min(NEVER));
    limits.max_image_width = Some(1 << 16);
    limits.max_image_height = Some(1 << 16);
    limits
}

fn grey(image: DynamicImage) -> Result<Picture, Fault> {
    let (width, height) = (image.width() as usize, image.height() as usize);
    if width == 0 || height == 0 {
        return Err(Fault::damaged("the picture has no pixels"));
    }
    let pixels = if image.color().bytes_per_pixel() / image.color().channel_count() > 1 {
        image.into_luma16().iter().map(|&v| f64::from(v) / 257.0).collect()
    } else {
        image.into_luma8().iter().map(|&v| f64::from(v)).collect()
    };
    Ok(Picture { width, height, pixels })
}

fn too_many_pixels() -> Fault {
    Fault::damaged("it says it has more pixels than a file of its size can hold")
}

fn damaged(error: ImageError) -> Fault {
    match error {
        ImageError::IoError(error) => number::cut_short(&error),
        ImageError::Limits(_) => too_many_pixels(),
        ImageError::Unsupported(error) => Fault::Unsupported {
            format: "a picture of a rare kind",
            instead: match error.format_hint() {
                image::error::ImageFormatHint::Exact(ImageFormat::Tiff) => {
                    "save it as a plain 8-bit TIFF or as PNG"
                }
                _ => "save it as PNG or PGM",
            },
        },
        error => Fault::damaged(shown(&error.to_string())),
    }
}
