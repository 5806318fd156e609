"""Deep matrix factorization that learns one representation per attribute of the data.

Estimators with the contract of scikit-learn, after *A deep matrix factorization method for
learning attribute representations* (Trigeorgis, Bousmalis, Zafeiriou and Schuller):

* `SemiNMF`, `DeepSemiNMF`; with labels of some samples `WSF`, `WSFMA`, `DeepWSF`;
* to compare with `NMF`, `NeNMF`, `GNMF`, `MultilayerNMF`, `CNMF`, `DNMF`, `WhitenedPCA`;
* `KMeans`, `clustering_accuracy`, `normalized_mutual_info` and `svd_bound` to judge them;
* `load_data`, `load_faces`, `load_xor` and `igo` for data; `load` for models.
"""

from importlib.metadata import version

from ._data import Dataset, ImageShape, igo, load_data, load_faces, load_xor
from ._kmeans import KMeans
from ._metrics import clustering_accuracy, normalized_mutual_info, svd_bound
from ._nmf import NMF, MultilayerNMF, NeNMF
from ._nmf_tied import CNMF, DNMF, GNMF
from ._pca import WhitenedPCA
from ._persist import load
from ._semi_nmf import DeepSemiNMF, SemiNMF
from ._watch import Iteration
from ._wsf import WSF, WSFMA, DeepWSF

__version__ = version("deepnmf")

__all__ = [
    "CNMF",
    "DNMF",
    "GNMF",
    "NMF",
    "WSF",
    "WSFMA",
    "Dataset",
    "DeepSemiNMF",
    "DeepWSF",
    "ImageShape",
    "Iteration",
    "KMeans",
    "MultilayerNMF",
    "NeNMF",
    "SemiNMF",
    "WhitenedPCA",
    "clustering_accuracy",
    "igo",
    "load",
    "load_data",
    "load_faces",
    "load_xor",
    "normalized_mutual_info",
    "svd_bound",
]
