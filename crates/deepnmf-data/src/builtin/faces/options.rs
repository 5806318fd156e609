//! The options of [`Faces`]: setting, parsing and checking them.

use super::super::options::{for_each_option, number, out_of_range};
use super::light::LIGHTS;
use super::scene::EXPRESSIONS;
use super::{BuiltinError, Faces};

/// The most samples one may ask for.
const MOST_SAMPLES: u128 = 10_000_000;
/// More poses could not be told apart by their label, the yaw in whole percent.
const MOST_POSES: usize = 101;
/// Sides of a picture, in pixels, that make sense.
const SIZES: std::ops::RangeInclusive<u32> = 8..=1024;
/// The keys that [`Faces::parse`] knows.
const KEYS: [&str; 7] =
    ["identities", "poses", "expressions", "illuminations", "noise", "seed", "size"];

impl Faces {
    /// How many people there are; 20 unless told otherwise.
    #[must_use]
    pub fn identities(mut self, count: u32) -> Self {
        self.identities = count;
        self
    }

    /// How many poses everybody takes, evenly from a turn to the left to one to the right; 5
    /// unless told otherwise, 101 at most. The label is the yaw in percent of the full turn.
    #[must_use]
    pub fn poses(mut self, count: u32) -> Self {
        self.poses = count;
        self
    }

    /// How many expressions everybody shows: the first of neutral, smile, surprise, frown, wink
    /// and laugh; 3 unless told otherwise.
    #[must_use]
    pub fn expressions(mut self, count: u32) -> Self {
        self.expressions = count;
        self
    }

    /// Under how many lamps: the first of left, front, right, above, below, upper left, upper
    /// right and half left; 3 unless told otherwise.
    #[must_use]
    pub fn illuminations(mut self, count: u32) -> Self {
        self.illuminations = count;
        self
    }

    /// The standard deviation of what the camera adds to every pixel; 0.02 unless told otherwise.
    #[must_use]
    pub fn noise(mut self, standard_deviation: f64) -> Self {
        self.noise = standard_deviation;
        self
    }

    /// The seed that people and noise are drawn from; 0 unless told otherwise.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Width and height of a picture in pixels, 8 to 1024; 32 unless told otherwise.
    #[must_use]
    pub fn size(mut self, pixels: u32) -> Self {
        self.size = pixels;
        self
    }

    /// Reads options as written on a command line, `identities=20,noise=0.05`; those not named
    /// keep their default.
    ///
    /// # Errors
    /// If a piece is not `key=value`, a key is unknown or given twice, or a value is not a number
    /// or outside its range.
    ///
    /// ```
    /// use deepnmf_data::builtin::Faces;
    /// assert_eq!(Faces::parse("poses=3,seed=7")?, Faces::default().poses(3).seed(7));
    /// let error = Faces::parse("pose=3").unwrap_err().to_string();
    /// assert!(error.contains("\"pose\"") && error.contains("identities, poses, expressions"));
    /// # Ok::<(), deepnmf_data::builtin::BuiltinError>(())
    /// ```
    pub fn parse(options: &str) -> Result<Self, BuiltinError> {
        Self::default().with(options)
    }

    /// The shape of CMU Multi-PIE: 40 people, 5 poses, 6 expressions, one lamp.
    #[must_use]
    pub fn multi_pie() -> Self {
        Self::default().identities(40).poses(5).expressions(6).illuminations(1)
    }

    /// The shape of CMU PIE's pose 27: 68 people who look ahead under 8 lamps.
    #[must_use]
    pub fn pie() -> Self {
        Self::default().identities(68).poses(1).expressions(1).illuminations(8)
    }

    /// These faces, but for the options given as for [`Faces::parse`].
    ///
    /// # Errors
    /// As for [`Faces::parse`].
    pub fn with(mut self, options: &str) -> Result<Self, BuiltinError> {
        for_each_option(options, |key, value| self.set(key, value))?;
        self.checked_samples()?;
        Ok(self)
    }

    fn set(&mut self, key: &str, value: &str) -> Result<(), BuiltinError> {
        match key {
            "identities" => self.identities = number(key, value)?,
            "poses" => self.poses = number(key, value)?,
            "expressions" => self.expressions = number(key, value)?,
            "illuminations" => self.illuminations = number(key, value)?,
            "noise" => self.noise = number(key, value)?,
            "seed" => self.seed = number(key, value)?,
            "size" => self.size = number(key, value)?,
            _ => {
                let accepted = KEYS.join(", ");
                return Err(BuiltinError::UnknownKey { set: "faces", key: key.into(), accepted });
            }
        }
        Ok(())
    }

    /// Checks every option; the number of samples they make.
    pub(super) fn checked_samples(&self) -> Result<usize, BuiltinError> {
        let counts = [
            ("identities", self.identities, usize::MAX),
            ("poses", self.poses, MOST_POSES),
            ("expressions", self.expressions, EXPRESSIONS.len()),
            ("illuminations", self.illuminations, LIGHTS.len()),
        ];
        for (key, count, most) in counts {
            if count == 0 || count as usize > most {
                let limit = match most {
                    usize::MAX => "above 0".to_owned(),
                    most => format!("from 1 to {most}"),
                };
                return Err(out_of_range(key, &count, format!("a whole number {limit}")));
            }
        }
        if !SIZES.contains(&self.size) {
            let accepted = format!("{} to {} pixels", SIZES.start(), SIZES.end());
            return Err(out_of_range("size", &self.size, accepted));
        }
        if !(self.noise.is_finite() && self.noise >= 0.0) {
            return Err(out_of_range(
                "noise",
                &self.noise,
                "a standard deviation of 0 or more".into(),
            ));
        }
        let samples: u128 = counts.iter().map(|&(_, count, _)| u128::from(count)).product();
        match usize::try_from(samples) {
            Ok(count) if samples <= MOST_SAMPLES => Ok(count),
            _ => Err(BuiltinError::TooManySamples { samples, most: MOST_SAMPLES }),
        }
    }
}
