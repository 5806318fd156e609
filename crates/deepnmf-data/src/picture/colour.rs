//! From numbers to colours.

use deepnmf::Scalar;

use super::PictureError;

/// Red, green and blue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Rgb(pub(super) [u8; 3]);

impl Rgb {
    pub(super) const WHITE: Self = Self([255; 3]);
    pub(super) const TEXT: Self = Self([40; 3]);
    /// Stands for a value that is not a number; no scale contains it.
    pub(super) const NOT_A_NUMBER: Self = Self([255, 210, 0]);

    pub(super) fn is_grey(self) -> bool {
        let Self([red, green, blue]) = self;
        red == green && green == blue
    }

    /// The mean of some colours.
    pub(super) fn mean(colours: impl Iterator<Item = Self>) -> Self {
        let mut sums = [0u64; 3];
        let mut count = 0;
        for Self(channels) in colours {
            count += 1;
            for (sum, channel) in sums.iter_mut().zip(channels) {
                *sum += u64::from(channel);
            }
        }
        // A mean of bytes is a byte.
        Self(sums.map(|sum| u8::try_from(sum / count.max(1)).unwrap_or(u8::MAX)))
    }
}

/// How the numbers of a tile become grey levels or colours.
///
/// Values beyond the ends of a scale get the colour of the end, and values that are not numbers a
/// yellow that no scale contains.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Scale {
    /// Grey from `low` (black) to `high` (white), the same for all tiles.
    Range {
        /// What is drawn black.
        low: f64,
        /// What is drawn white.
        high: f64,
    },
    /// Grey from the tile's own smallest to its largest number.
    OwnRange,
    /// Blue below zero, white at zero, red above; the tile's largest magnitude decides the scale.
    ///
    /// Readers with any kind of colour blindness can tell the two ends apart.
    Signed,
}

/// The negative half of [`Scale::Signed`], from zero on.
const BLUES: [[f64; 3]; 3] = [[248.0, 248.0, 248.0], [144.0, 188.0, 226.0], [26.0, 84.0, 166.0]];
/// The positive half of [`Scale::Signed`], from zero on.
const REDS: [[f64; 3]; 3] = [[248.0, 248.0, 248.0], [242.0, 168.0, 128.0], [180.0, 34.0, 38.0]];

impl Scale {
    /// The colour of every number of a tile with these `values`.
    pub(super) fn colours_for<T: Scalar>(
        self,
        values: &[T],
    ) -> Result<impl Fn(f64) -> Rgb, PictureError> {
        let finite = || values.iter().map(|value| value.to_f64()).filter(|value| value.is_finite());
        let (low, high) = match self {
            Self::Range { low, high } if low < high && (high - low).is_finite() => (low, high),
            Self::Range { low, high } => return Err(PictureError::EmptyRange { low, high }),
            Self::OwnRange => {
                (finite().fold(f64::INFINITY, f64::min), finite().fold(f64::NEG_INFINITY, f64::max))
            }
            Self::Signed => (0.0, finite().map(f64::abs).fold(0.0, f64::max)),
        };
        Ok(move |value: f64| {
            if value.is_nan() {
                return Rgb::NOT_A_NUMBER;
            }
            // Halved first: the extent of two finite numbers may be infinite.
            let extent = 0.5 * high - 0.5 * low;
            let share = if extent > 0.0 { (0.5 * value - 0.5 * low) / extent } else { 0.0 };
            match self {
                Self::Signed if share < 0.0 => along(BLUES, -share),
                Self::Signed => along(REDS, share),
                Self::Range { .. } | Self::OwnRange => {
                    along([[0.0; 3], [127.5; 3], [255.0; 3]], share)
                }
            }
        })
    }
}

/// The colour `share` (0 to 1) of the way along three stops.
fn along([start, middle, end]: [[f64; 3]; 3], share: f64) -> Rgb {
    let share = share.clamp(0.0, 1.0);
    let (from, to, part) =
        if share < 0.5 { (start, middle, 2.0 * share) } else { (middle, end, 2.0 * share - 1.0) };
    let channel = |index: usize| byte(from[index] + (to[index] - from[index]) * part);
    Rgb([channel(0), channel(1), channel(2)])
}

/// Rounds to a byte.
// Between 0 and 255 the conversion neither cuts off nor loses a sign.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
fn byte(level: f64) -> u8 {
    level.round().clamp(0.0, 255.0) as u8
}
