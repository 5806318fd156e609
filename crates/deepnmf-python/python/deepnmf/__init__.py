"""Deep matrix factorization that learns one representation per attribute of the data.

Estimators with the interface of scikit-learn, after *A deep matrix factorization method for
learning attribute representations* (Trigeorgis, Bousmalis, Zafeiriou and Schuller):

* models of the paper: `SemiNMF`, `DeepSemiNMF`; with labels of some samples `WSF`, `WSFMA`,
  `DeepWSF`;
* attributes found apart without labels: `AdditiveSemiNMF`;
* baselines: `NMF`, `NeNMF`, `GNMF`, `MultilayerNMF`, `CNMF`, `DNMF`, `WhitenedPCA`;
* how many components: `LayerSelection`; what many fits agree on: `consensus`;
* evaluation: `KMeans`, `clustering_accuracy`, `normalized_mutual_info`, `svd_bound`;
* plots, which need matplotlib: `plot_history`, `plot_components`, `plot_layers`, `plot_selection`,
  `plot_attributes`, and the numbers in two of them, `layer_scores`;
* single cells, as scanpy has it: `sc.fit`, `sc.transform`, `sc.top_genes`, `sc.plot_programs`;
* data: `load_data`, `load_faces`, `load_xor`, `igo`;
* model files: `load`, and the method `save` of every factorization.
"""

from importlib.metadata import version

from . import sc
from ._additive_semi_nmf import AdditiveSemiNMF
from ._data import Dataset, ImageShape, igo, load_data, load_faces, load_xor
from ._deep_semi_nmf import DeepSemiNMF
from ._deep_wsf import DeepWSF
from ._graph_nmf import GNMF
from ._kmeans import KMeans
from ._labelled_nmf import CNMF, DNMF
from ._metrics import clustering_accuracy, normalized_mutual_info, svd_bound
from ._multilayer_nmf import MultilayerNMF
from ._nmf import NMF, NeNMF
from ._pca import WhitenedPCA
from ._persist import load
from ._plots import plot_components, plot_history, plot_selection
from ._plots_of_attributes import layer_scores, plot_attributes, plot_layers
from ._selection import LayerSelection, consensus
from ._semi_nmf import SemiNMF
from ._watch import Iteration
from ._wsf import WSF, WSFMA

__version__ = version("deepnmf")

__all__ = [
    "CNMF",
    "DNMF",
    "GNMF",
    "NMF",
    "WSF",
    "WSFMA",
    "AdditiveSemiNMF",
    "Dataset",
    "DeepSemiNMF",
    "DeepWSF",
    "ImageShape",
    "Iteration",
    "KMeans",
    "LayerSelection",
    "MultilayerNMF",
    "NeNMF",
    "SemiNMF",
    "WhitenedPCA",
    "clustering_accuracy",
    "consensus",
    "igo",
    "layer_scores",
    "load",
    "load_data",
    "load_faces",
    "load_xor",
    "normalized_mutual_info",
    "plot_attributes",
    "plot_components",
    "plot_history",
    "plot_layers",
    "plot_selection",
    "sc",
    "svd_bound",
]
