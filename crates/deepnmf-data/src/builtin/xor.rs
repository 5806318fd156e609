//! Two subjects in two poses, arranged so that no line tells the subjects apart.

use deepnmf::{Matrix, Scalar};

use super::BuiltinError;
use super::options::{for_each_option, number, out_of_range};
use super::random::{Draw, Stream};
use crate::{Attribute, Dataset};

/// The built-in data set `xor`: four normal distributions in the plane, at the corners of a square.
///
/// Their first coordinate shows the pose. The identity is the same at opposite corners, so that
/// only both coordinates together show it. Samples come corner by corner.
///
/// ```
/// use deepnmf_data::builtin::Xor;
/// let xor = Xor::default().generate::<f64>()?;
/// assert_eq!(xor.x.shape(), (2, 400));
/// assert_eq!(xor.attribute("pose").map(|pose| pose.counts()), Some(vec![200, 200]));
/// # Ok::<(), deepnmf_data::builtin::BuiltinError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Xor {
    samples: u32,
    sigma: f64,
    distance: f64,
    seed: u64,
}

/// Signs of the two coordinates, identity and pose of each corner.
const CORNERS: [(f64, f64, i64, i64); 4] =
    [(-1.0, -1.0, 1, 1), (1.0, 1.0, 1, 2), (-1.0, 1.0, 2, 1), (1.0, -1.0, 2, 2)];

const KEYS: [&str; 4] = ["samples", "sigma", "distance", "seed"];

impl Default for Xor {
    fn default() -> Self {
        Self { samples: 100, sigma: 1.0, distance: 8.0, seed: 0 }
    }
}

impl Xor {
    /// How many samples every corner has; 100 unless told otherwise.
    #[must_use]
    pub fn samples(mut self, count: u32) -> Self {
        self.samples = count;
        self
    }

    /// The standard deviation of each distribution; 1 unless told otherwise.
    #[must_use]
    pub fn sigma(mut self, sigma: f64) -> Self {
        self.sigma = sigma;
        self
    }

    /// How far neighbouring corners are apart; 8 unless told otherwise.
    #[must_use]
    pub fn distance(mut self, distance: f64) -> Self {
        self.distance = distance;
        self
    }

    /// The seed that samples are drawn from; 0 unless told otherwise.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Reads options as written on a command line, `samples=50,sigma=0.5`.
    ///
    /// # Errors
    /// If a piece is not `key=value`, a key is unknown or given twice, or a value is not a number
    /// or outside its range.
    pub fn parse(options: &str) -> Result<Self, BuiltinError> {
        let mut xor = Self::default();
        for_each_option(options, |key, value| xor.set(key, value))?;
        xor.check()?;
        Ok(xor)
    }

    fn set(&mut self, key: &str, value: &str) -> Result<(), BuiltinError> {
        match key {
            "samples" => self.samples = number(key, value)?,
            "sigma" => self.sigma = number(key, value)?,
            "distance" => self.distance = number(key, value)?,
            "seed" => self.seed = number(key, value)?,
            _ => {
                let accepted = KEYS.join(", ");
                return Err(BuiltinError::UnknownKey { set: "xor", key: key.into(), accepted });
            }
        }
        Ok(())
    }

    fn check(&self) -> Result<(), BuiltinError> {
        const MOST: u32 = 2_500_000;
        if !(1..=MOST).contains(&self.samples) {
            let accepted = format!("a whole number from 1 to {MOST}");
            return Err(out_of_range("samples", &self.samples, accepted));
        }
        for (key, value) in [("sigma", self.sigma), ("distance", self.distance)] {
            // Squares of larger ones would overflow a single-precision number.
            if !(0.0..=1e15).contains(&value) {
                return Err(out_of_range(key, &value, "a number from 0 to 1e15".into()));
            }
        }
        Ok(())
    }

    /// Draws the samples.
    ///
    /// # Errors
    /// If an option is outside its range (see the option).
    pub fn generate<T: Scalar>(&self) -> Result<Dataset<T>, BuiltinError> {
        self.check()?;
        let mut draw = Draw::new(self.seed, Stream::Xor);
        let each = self.samples as usize;
        let x = Matrix::from_fn(2, CORNERS.len() * each, |coordinate, sample| {
            let (first, second, ..) = CORNERS[sample / each];
            let sign = if coordinate == 0 { first } else { second };
            T::from_f64(sign * self.distance / 2.0 + self.sigma * draw.normal())
        });
        let label = |of: fn(&(f64, f64, i64, i64)) -> i64| {
            CORNERS.iter().flat_map(move |corner| std::iter::repeat_n(Some(of(corner)), each))
        };
        let attributes = vec![
            Attribute::from_ints("identity", label(|corner| corner.2)),
            Attribute::from_ints("pose", label(|corner| corner.3)),
        ];
        Ok(Dataset { attributes, ..Dataset::new(x) })
    }
}

#[cfg(test)]
#[path = "xor_tests.rs"]
mod tests;
