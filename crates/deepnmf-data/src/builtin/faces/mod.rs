//! Grey pictures of faces, drawn from identity, pose, expression and illumination.
//!
//! The pictures behave like photographs of real people where it matters for factorization: light
//! changes most pixels, a turn of the head moves them, who it is shows only in between, and an
//! expression touches few of them. All four labels are known exactly.

mod identity;
mod light;
mod options;
mod portrait;
mod scene;
mod skin;
mod solid;

use deepnmf::{Matrix, Scalar};

use self::identity::Identity;
use self::light::LIGHTS;
use self::portrait::Portrait;
use self::scene::{EXPRESSIONS, Pose, yaw_percent};
use super::BuiltinError;
use super::random::{Draw, Stream};
use crate::{Attribute, Dataset, ImageShape, PixelOrder};

/// The built-in data set `faces`: one picture for every combination of four attributes.
///
/// Pixels lie between 0 and 1 and are stored row by row. The last attribute changes fastest from
/// sample to sample, the identity slowest: asking for more identities only adds samples at the end
/// and leaves the earlier ones as they were. The same options give the same bits, on every
/// platform.
///
/// ```
/// use deepnmf_data::builtin::Faces;
/// let faces = Faces::default().identities(4).poses(3).noise(0.0).generate::<f32>()?;
/// assert_eq!(faces.x.shape(), (32 * 32, 4 * 3 * 3 * 3));
/// assert_eq!(faces.attributes[0].name, "identity");
/// assert_eq!(faces.attributes[1].classes(), ["-100", "0", "100"]);
/// # Ok::<(), deepnmf_data::builtin::BuiltinError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Faces {
    identities: u32,
    poses: u32,
    expressions: u32,
    illuminations: u32,
    noise: f64,
    seed: u64,
    size: u32,
}

impl Default for Faces {
    fn default() -> Self {
        Self {
            identities: 20,
            poses: 5,
            expressions: 3,
            illuminations: 3,
            noise: 0.02,
            seed: 0,
            size: 32,
        }
    }
}

/// What one sample shows, as indices.
#[derive(Debug, Clone, Copy)]
struct Combination {
    identity: u32,
    pose: u32,
    expression: u32,
    illumination: u32,
}

impl Faces {
    /// Draws the pictures.
    ///
    /// # Errors
    /// If an option is outside its range (see the option), or there is too little memory.
    pub fn generate<T: Scalar>(&self) -> Result<Dataset<T>, BuiltinError> {
        let samples = self.checked_samples()?;
        let side = self.size as usize;
        let x = self.draw_samples(samples, side)?;
        Ok(Dataset {
            attributes: self.attributes(),
            image_shape: Some(ImageShape {
                width: side,
                height: side,
                order: PixelOrder::RowMajor,
            }),
            ..Dataset::new(x)
        })
    }

    /// The data matrix, a picture a column.
    fn draw_samples<T: Scalar>(
        &self,
        samples: usize,
        side: usize,
    ) -> Result<Matrix<T>, BuiltinError> {
        let pixels = side * side;
        // Within the checked limits neither product overflows 64 bits.
        let bytes = samples as u64 * pixels as u64 * size_of::<T>() as u64;
        let too_large = || BuiltinError::Memory { bytes };
        let mut data: Vec<T> = Vec::new();
        let values = samples.checked_mul(pixels).ok_or_else(too_large)?;
        data.try_reserve_exact(values).map_err(|_| too_large())?;
        let lights = &LIGHTS[..self.illuminations as usize];
        let mut column = 0;
        for identity in 0..self.identities {
            let person = Identity::draw(self.seed, identity as usize);
            for pose in 0..self.poses {
                let pose = Pose::from_yaw_percent(yaw_percent(pose, self.poses));
                for expression in &EXPRESSIONS[..self.expressions as usize] {
                    for image in Portrait::new(&person, pose, expression).take(side, lights) {
                        data.extend(self.with_noise::<T>(&image, column));
                        column += 1;
                    }
                }
            }
        }
        // The loops above are the product that was checked.
        Matrix::from_vec(pixels, samples, data).map_err(|_| too_large())
    }

    /// A picture as the camera of this data set records it.
    fn with_noise<T: Scalar>(&self, image: &[f64], column: usize) -> impl Iterator<Item = T> {
        let mut draw = Draw::new(self.seed, Stream::Noise(column));
        image.iter().map(move |&pixel| {
            let error = if self.noise > 0.0 { self.noise * draw.normal() } else { 0.0 };
            T::from_f64((pixel + error).clamp(0.0, 1.0))
        })
    }

    /// The four labels of every sample.
    fn attributes(&self) -> Vec<Attribute> {
        let all: Vec<Combination> = self.combinations().collect();
        let word = |name: &str, label: fn(&Combination) -> &'static str| {
            Attribute::from_strings(name, all.iter().map(|sample| Some(label(sample))))
        };
        let number = |name: &str, label: &dyn Fn(&Combination) -> i64| {
            Attribute::from_ints(name, all.iter().map(|sample| Some(label(sample))))
        };
        vec![
            number("identity", &|sample| i64::from(sample.identity) + 1),
            number("pose", &|sample| yaw_percent(sample.pose, self.poses)),
            word("expression", |sample| EXPRESSIONS[sample.expression as usize].name),
            word("illumination", |sample| LIGHTS[sample.illumination as usize].name),
        ]
    }

    /// What the samples show, in their order.
    fn combinations(&self) -> impl Iterator<Item = Combination> {
        let Self { identities, poses, expressions, illuminations, .. } = *self;
        (0..identities).flat_map(move |identity| {
            (0..poses).flat_map(move |pose| {
                (0..expressions).flat_map(move |expression| {
                    (0..illuminations).map(move |illumination| Combination {
                        identity,
                        pose,
                        expression,
                        illumination,
                    })
                })
            })
        })
    }
}

#[cfg(test)]
mod tests;
