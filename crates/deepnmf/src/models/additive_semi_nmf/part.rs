//! How many clusters a part has, in one layer or in several.

use std::fmt::{Display, Formatter};

use serde::{Deserialize, Serialize};

/// The clusters of one part: of a shallow one a number, of a deep one a number for each layer, the one next to the data first.
///
/// ```
/// use deepnmf::{AdditiveSemiNmf, PartSizes};
/// let shallow = AdditiveSemiNmf::new([20, 4]);
/// let deep = AdditiveSemiNmf::new([PartSizes::from([60, 20]), PartSizes::from(4)]);
/// assert_eq!(deep.parts[0].to_string(), "60-20");
/// assert_eq!(deep.parts[1], shallow.parts[1]);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Written", into = "Written")]
pub struct PartSizes(Vec<usize>);

/// As a model file has it: a number, or a list where there are several layers.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Written {
    Shallow(usize),
    Deep(Vec<usize>),
}

impl From<Written> for PartSizes {
    fn from(written: Written) -> Self {
        match written {
            Written::Shallow(clusters) => Self(vec![clusters]),
            Written::Deep(layers) => Self(layers),
        }
    }
}

impl From<PartSizes> for Written {
    fn from(PartSizes(layers): PartSizes) -> Self {
        match layers.as_slice() {
            &[clusters] => Self::Shallow(clusters),
            _ => Self::Deep(layers),
        }
    }
}

impl From<usize> for PartSizes {
    fn from(clusters: usize) -> Self {
        Self(vec![clusters])
    }
}

impl From<&usize> for PartSizes {
    fn from(clusters: &usize) -> Self {
        Self(vec![*clusters])
    }
}

impl From<Vec<usize>> for PartSizes {
    fn from(layers: Vec<usize>) -> Self {
        Self(layers)
    }
}

impl<const N: usize> From<[usize; N]> for PartSizes {
    fn from(layers: [usize; N]) -> Self {
        Self(layers.to_vec())
    }
}

impl PartSizes {
    /// The clusters in each layer, the one next to the data first.
    pub fn layers(&self) -> &[usize] {
        &self.0
    }

    /// The clusters in a layer of the model, counted from 1: those of its last layer above that.
    pub fn in_layer(&self, layer: usize) -> usize {
        let place = layer.clamp(1, self.0.len().max(1)) - 1;
        self.0.get(place).copied().unwrap_or(0)
    }
}

impl Display for PartSizes {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        let layers: Vec<String> = self.0.iter().map(usize::to_string).collect();
        f.write_str(&layers.join("-"))
    }
}
