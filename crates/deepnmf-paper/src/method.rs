//! The methods that the paper compares, and the one it lacks.

use std::fmt::{self, Display};

use deepnmf::{
    Activation, DataMatrix, DeepSemiNmf, FitOptions, FitSession, Gnmf, Model, MultilayerNmf, NeNmf,
    Neighbourhood, Nmf, NonNegativeOptions, SemiNmf, Settings, WhitenedPca,
};
use serde::{Deserialize, Serialize};

/// The neighbours of each sample in a model that has them.
const NEIGHBOURS: usize = 5;

/// A method, by the name that records keep.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// NMF by Lee and Seung's multiplicative rule.
    Nmf,
    /// NMF by Nesterov's accelerated gradients.
    #[serde(rename = "nenmf")]
    NeNmf,
    /// NMF with a graph penalty on five nearest neighbours, by its published multiplicative rule.
    Gnmf,
    /// The same objective by coordinate descent, which the paper does not have.
    GnmfDescent,
    /// NMF of NMF, then all layers together.
    MultilayerNmf,
    /// Semi-NMF.
    SemiNmf,
    /// Deep Semi-NMF without a nonlinearity.
    DeepLinear,
    /// Deep Semi-NMF with the scaled hyperbolic tangent.
    DeepStanh,
    /// Deep Semi-NMF with squares.
    DeepSquare,
    /// Deep Semi-NMF with rectifiers, which the paper does not have.
    DeepRelu,
    /// Linear Deep Semi-NMF whose top layer draws samples to five neighbours in the layer below, which the paper does
    /// not have.
    DeepNeighbours,
    /// Whitened PCA, which the paper does not have.
    WhitenedPca,
    /// NMF with the same features for labelled samples of a class.
    Cnmf,
    /// NMF with Fisher's criterion.
    Dnmf,
    /// Semi-NMF with the labels of one attribute.
    Wsf,
    /// Semi-NMF with the labels of several attributes.
    WsfMa,
    /// Linear Deep Semi-NMF with the labels of an attribute for each layer.
    DeepWsf,
    /// The same with a penalty that has a minimum, which the paper does not have.
    DeepWsfScaleFree,
    /// Deep WSF with the scaled hyperbolic tangent.
    DeepWsfStanh,
    /// The same with squares.
    DeepWsfSquare,
    /// The same with rectifiers, which the paper does not have.
    DeepWsfRelu,
    /// Linear Deep Semi-NMF initialized with the bases of a Deep WSF of other samples.
    DeepPretrained,
    /// The samples themselves.
    Data,
}

impl Method {
    /// What tables and figures call it: the paper's name where it has one.
    pub fn label(self) -> &'static str {
        match self {
            Self::Nmf => "NMF (MUL)",
            Self::NeNmf => "NeNMF",
            Self::Gnmf => "GNMF",
            Self::GnmfDescent => "GNMF (coordinate descent)",
            Self::MultilayerNmf => "Multi-layer NMF",
            Self::SemiNmf => "Semi-NMF",
            Self::DeepLinear => "Deep Semi-NMF",
            Self::DeepStanh => "Deep Semi-NMF (stanh)",
            Self::DeepSquare => "Deep Semi-NMF (sq)",
            Self::DeepRelu => "Deep Semi-NMF (ReLU)",
            Self::DeepNeighbours => "Deep Semi-NMF (neighbours)",
            Self::WhitenedPca => "whitened PCA",
            Self::Cnmf => "CNMF",
            Self::Dnmf => "DNMF",
            Self::Wsf => "WSF",
            Self::WsfMa => "WSF-MA",
            Self::DeepWsf => "Deep WSF",
            Self::DeepWsfScaleFree => "Deep WSF (scale-free)",
            Self::DeepWsfStanh => "Deep WSF (stanh)",
            Self::DeepWsfSquare => "Deep WSF (sq)",
            Self::DeepWsfRelu => "Deep WSF (ReLU)",
            Self::DeepPretrained => "Deep Semi-NMF, pre-trained",
            Self::Data => "the samples themselves",
        }
    }

    /// Whether it has more than one layer.
    pub fn is_deep(self) -> bool {
        matches!(
            self,
            Self::MultilayerNmf
                | Self::DeepLinear
                | Self::DeepStanh
                | Self::DeepSquare
                | Self::DeepRelu
                | Self::DeepNeighbours
                | Self::DeepWsf
                | Self::DeepWsfScaleFree
                | Self::DeepWsfStanh
                | Self::DeepWsfSquare
                | Self::DeepWsfRelu
                | Self::DeepPretrained
        )
    }

    /// The nonlinearity between its layers.
    pub fn activation(self) -> Activation {
        match self {
            Self::DeepStanh | Self::DeepWsfStanh => Activation::Stanh,
            Self::DeepSquare | Self::DeepWsfSquare => Activation::Square,
            Self::DeepRelu | Self::DeepWsfRelu => Activation::Relu,
            _ => Activation::Identity,
        }
    }

    /// Its layers, if the first of several is `first` and the top one has `k` components.
    pub(crate) fn layers(self, first: usize, k: usize) -> Vec<usize> {
        if self.is_deep() { vec![first, k] } else { vec![k] }
    }

    /// Fits a method that needs no labels, with the settings the paper states: at most 1000
    /// iterations, `kappa` 1e-6, initialization by a singular value decomposition;
    /// the rest are defaults.
    pub(crate) fn fit(
        self,
        x: &dyn DataMatrix<f64>,
        layers: &[usize],
        seed: u64,
        session: &mut FitSession<'_>,
    ) -> deepnmf::Result<Model<f64>> {
        let k = layers.last().copied().unwrap_or_default();
        let options = FitOptions::default().seed(seed);
        let descent = Nmf::new(k).with(NonNegativeOptions::default().seed(seed));
        let lee_seung = NonNegativeOptions::default().solver(Nmf::LEE_SEUNG);
        let multiplicative = Nmf::new(k).with(lee_seung.seed(seed));
        let settings: Settings = match self {
            Self::Nmf => multiplicative.into(),
            Self::NeNmf => NeNmf::new(k).with(descent).into(),
            Self::Gnmf => Gnmf::published(k).with(multiplicative).into(),
            Self::GnmfDescent => Gnmf::published(k).with(descent).into(),
            Self::MultilayerNmf => MultilayerNmf::new(layers).with(multiplicative).into(),
            Self::SemiNmf => SemiNmf::new(k).with(options).into(),
            Self::WhitenedPca => WhitenedPca::new(k).seed(seed).into(),
            Self::DeepLinear | Self::DeepStanh | Self::DeepSquare | Self::DeepRelu => {
                DeepSemiNmf::new(layers).activation(self.activation()).with(options).into()
            }
            Self::DeepNeighbours => {
                let near = Neighbourhood::above_the_data(NEIGHBOURS, layers.len());
                DeepSemiNmf::new(layers).neighbourhood(near).with(options).into()
            }
            other => {
                return Err(deepnmf::Error::Parameter {
                    name: "the method".into(),
                    value: other.label().into(),
                    accepted: "it needs labels, or there is nothing to fit".into(),
                });
            }
        };
        settings.fit(x, &[], session)
    }
}

impl Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.label())
    }
}
