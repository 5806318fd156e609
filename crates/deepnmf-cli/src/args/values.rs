//! Values of flags and their ranges, each with what would be accepted.

use std::str::FromStr;

use deepnmf::PartSizes;
use deepnmf_data::preprocess::Pipeline;
use deepnmf_data::{DataError, ImageShape};
use deepnmf_select::LayerSize;

/// More threads than the largest machines have cores.
const MOST_THREADS: usize = 1024;

/// What a page can show.
const MOST_SHOWN: usize = deepnmf_report::Options::MOST_SAMPLES;

/// Thirty years.
const MOST_SECONDS: f64 = 1e9;

pub(super) fn at_least_one(text: &str) -> Result<usize, String> {
    match text.trim().parse() {
        Ok(0) => Err("it must be at least 1".into()),
        Ok(number) => Ok(number),
        Err(_) => Err("it must be a whole number of at least 1".into()),
    }
}

pub(super) fn two_or_more(text: &str) -> Result<usize, String> {
    let number = text.trim().parse().ok().filter(|number| *number >= 2);
    number.ok_or_else(|| "it must be a whole number of at least 2".into())
}

/// A number of components, `auto`, or the limits of an automatic choice, such as `20..200`.
pub(super) fn layer_size(text: &str) -> Result<LayerSize, String> {
    let text = text.trim();
    if text == "auto" {
        return Ok(LayerSize::Auto(None));
    }
    let Some((least, most)) = text.split_once("..") else {
        return at_least_one(text)
            .map(LayerSize::Exactly)
            .map_err(|why| why + ", auto, or a range such as 5..50");
    };
    match (at_least_one(least), at_least_one(most)) {
        (Ok(least), Ok(most)) if least < most => Ok(LayerSize::Auto(Some((least, most)))),
        _ => Err("a range goes from a smaller number to a larger one, such as 5..50".into()),
    }
}

/// What is said of a part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum PartName {
    /// The fit finds out.
    Auto,
    /// So many clusters, in each of its layers.
    Clusters(PartSizes),
    /// The classes of an attribute that has labels.
    Attribute(String),
}

impl PartName {
    /// The attribute whose classes it has.
    pub(crate) fn attribute(&self) -> Option<&str> {
        match self {
            Self::Attribute(name) => Some(name),
            Self::Auto | Self::Clusters(_) => None,
        }
    }
}

/// A number of clusters, several with hyphens between them for a deep part, `auto`, or the name of an attribute.
pub(super) fn part_name(text: &str) -> Result<PartName, String> {
    let text = text.trim();
    if text == "auto" {
        return Ok(PartName::Auto);
    }
    let is_number =
        text.is_empty() || text.starts_with(|c: char| c.is_ascii_digit() || "+-.".contains(c));
    if !is_number {
        return Ok(PartName::Attribute(text.to_owned()));
    }
    let accepted = ", auto, or the name of an attribute with labels";
    let layers: Result<Vec<usize>, String> = text.split('-').map(two_or_more).collect();
    let sizes = layers.map(|layers| PartName::Clusters(layers.into()));
    sizes.map_err(|why| why + accepted)
}

pub(super) fn whole<N: FromStr>(text: &str) -> Result<N, String> {
    text.trim().parse().map_err(|_| "it must be a whole number of at least 0".into())
}

pub(super) fn thread_count(text: &str) -> Result<usize, String> {
    // Starting far more threads than any machine has cores takes minutes.
    match at_least_one(text)? {
        count if count <= MOST_THREADS => Ok(count),
        _ => Err(format!("it must be at most {MOST_THREADS}")),
    }
}

pub(super) fn shown(text: &str) -> Result<usize, String> {
    match at_least_one(text)? {
        count if count <= MOST_SHOWN => Ok(count),
        _ => Err(format!("it must be at most {MOST_SHOWN}, or the page would be slow")),
    }
}

pub(super) fn seconds(text: &str) -> Result<f64, String> {
    match not_negative(text)? {
        seconds if seconds <= MOST_SECONDS => Ok(seconds),
        _ => Err(format!("it must be at most {MOST_SECONDS:e}; leave it out for no limit")),
    }
}

/// Seconds, or a number with the unit s, m or h.
pub(super) fn span(text: &str) -> Result<f64, String> {
    let units = [('s', 1.0), ('m', 60.0), ('h', 3600.0)];
    let unit =
        units.into_iter().find_map(|(letter, unit)| Some((text.strip_suffix(letter)?, unit)));
    let (number, unit) = unit.unwrap_or((text, 1.0));
    Ok(unit * seconds(number)?)
}

/// Bytes: a number with a unit. Powers of a thousand, as disks have them, or of 1024.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // a positive number of bytes
pub(super) fn memory(text: &str) -> Result<u64, String> {
    let text = text.trim().to_ascii_lowercase();
    let at = text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len());
    let (number, unit) = text.split_at(at);
    let factor = match unit {
        "b" => 1.0,
        "k" | "kb" => 1e3,
        "m" | "mb" => 1e6,
        "g" | "gb" => 1e9,
        "t" | "tb" => 1e12,
        "kib" => 1024.0,
        "mib" => 1024.0 * 1024.0,
        "gib" => 1024.0 * 1024.0 * 1024.0,
        _ => return Err("it must be a number with a unit, such as 1GB, 800MB or 2GiB".into()),
    };
    let bytes = factor * positive(number.trim())?;
    if bytes < 1e18 { Ok(bytes as u64) } else { Err("no computer has so much".into()) }
}

pub(super) fn positive(text: &str) -> Result<f64, String> {
    match not_negative(text)? {
        number if number > 0.0 => Ok(number),
        _ => Err("it must be above 0".into()),
    }
}

pub(super) fn share(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(number) if number > 0.0 && number < 1.0 => Ok(number),
        _ => Err("it must be between 0 and 1, such as 0.3".into()),
    }
}

pub(super) fn share_or_all(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(number) if number > 0.0 && number <= 1.0 => Ok(number),
        _ => Err("it must be above 0 and at most 1, such as 0.1".into()),
    }
}

pub(super) fn share_between(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(number) if number > 0.0 && number < 1.0 => Ok(number),
        _ => Err("it must be above 0 and below 1, such as 0.1".into()),
    }
}

pub(super) fn share_or_none(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(number) if (0.0..=1.0).contains(&number) => Ok(number),
        _ => Err("it must be between 0 and 1, such as 0.5".into()),
    }
}

pub(super) fn size(text: &str) -> Result<(usize, usize), String> {
    let parsed =
        text.split_once('x').map(|(width, height)| (at_least_one(width), at_least_one(height)));
    match parsed {
        Some((Ok(width), Ok(height))) => Ok((width, height)),
        _ => Err("it must be a width and a height in pixels, such as 32x32".into()),
    }
}

pub(super) fn image_shape(text: &str) -> Result<ImageShape, String> {
    text.parse().map_err(|error: DataError| error.to_string())
}

pub(super) fn chain(text: &str) -> Result<Pipeline, String> {
    if text.trim().is_empty() {
        return Err("it is empty: name a step, such as unit, or none".into());
    }
    text.parse().map_err(|error: DataError| error.to_string())
}

pub(super) fn not_negative(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(number) if number >= 0.0 && number.is_finite() => Ok(number),
        _ => Err("it must be a number of at least 0".into()),
    }
}

pub(super) fn eta(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(number) if number > 0.0 && number <= 1.0 => Ok(number),
        _ => Err("it must be above 0 and at most 1".into()),
    }
}
