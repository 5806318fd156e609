//! What the metadata of a model file say.

use serde::{Deserialize, Serialize};

use crate::matrix::Dtype;
use crate::models::{Provenance, Settings, Summary, most_coordinates};
use crate::predict::PredictorInfo;

/// The version of the format that this program writes and reads.
pub(super) const FORMAT_VERSION: u32 = 1;

/// The entry of `__metadata__` that is ours.
pub(super) const KEY: &str = "deepnmf";

/// The part that must be understood before anything else can be.
#[derive(Debug, Deserialize)]
pub(super) struct Version {
    pub(super) format_version: u32,
}

/// The metadata of a model file.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Header {
    pub(super) format_version: u32,
    /// The version of the program that wrote the file.
    pub(super) written_by: String,
    pub(super) dtype: Dtype,
    pub(super) settings: Settings,
    pub(super) summary: Summary,
    pub(super) provenance: Provenance,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) predictors: Vec<PredictorInfo>,
}

/// What stands before and behind the checksum at the end of the metadata.
const CHECKSUM: [&str; 2] = [",\"checksum\":\"", "\"}"];

/// The metadata with a checksum as their last entry.
pub(super) fn with_checksum(metadata: &str, checksum: u32) -> String {
    let open = metadata.strip_suffix('}').unwrap_or(metadata);
    format!("{open}{}{checksum:08x}{}", CHECKSUM[0], CHECKSUM[1])
}

/// The metadata without their checksum, and the checksum. Earlier versions wrote none.
pub(super) fn without_checksum(metadata: &str) -> Option<(String, u32)> {
    let (open, checksum) = metadata.strip_suffix(CHECKSUM[1])?.rsplit_once(CHECKSUM[0])?;
    let value = u32::from_str_radix(checksum, 16).ok()?;
    // In the letters it was written with: no other text is the same file.
    (checksum == format!("{value:08x}")).then(|| (format!("{open}}}"), value))
}

/// The name and the shape (as stored, transposed) of each tensor, in the order of the file.
pub(super) fn expected_tensors(
    settings: &Settings,
    summary: &Summary,
    predictors: &[PredictorInfo],
) -> Vec<(String, [usize; 2])> {
    let (p, n, layers) = (summary.features, summary.samples, settings.layers());
    let below = std::iter::once(p).chain(layers.iter().copied());
    let z = layers.iter().zip(below).enumerate();
    let z = z.map(|(i, (&k, below))| (format!("z{}", i + 1), [k, below]));
    let h = layers.iter().enumerate().map(|(i, &k)| (format!("h{}", i + 1), [n, k]));
    let offset = settings.abilities().centred.then(|| ("offset".to_owned(), [1, p]));
    let reads = |layer: usize| settings.neighbours().is_some_and(|of| of.reads_features(layer));
    let readings = (2..=layers.len()).filter(|layer| reads(*layer));
    let v = readings.map(|layer| (format!("v{layer}"), [layers[layer - 1], layers[layer - 2] + 1]));
    let machines = predictors.iter().enumerate().flat_map(|(i, machine)| {
        let coordinates = most_coordinates(&settings.parts(), p, n);
        let k = coordinates.unwrap_or(layers.first().copied().unwrap_or(0));
        let classes = machine.classes.len();
        let cells = machine.cells.len();
        let cells = (cells > 0).then(|| (format!("c{}", i + 1), [cells, k]));
        [(format!("w{}", i + 1), [k + 1, classes]), (format!("m{}", i + 1), [classes, k])]
            .into_iter()
            .chain(cells)
    });
    let seen = settings.compares_data().then(|| ("y1".to_owned(), [n, layers[0]]));
    let coordinates = most_coordinates(&settings.parts(), p, n);
    let metric = coordinates.map(|d| ("a1".to_owned(), [d, p]));
    z.chain(h).chain(offset).chain(v).chain(seen).chain(metric).chain(machines).collect()
}
