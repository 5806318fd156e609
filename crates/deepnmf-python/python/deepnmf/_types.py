"""Types of parameters and results; the accepted values of every choice are listed here alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any, Literal, Protocol, TypedDict

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.floating[Any]]
Codes = NDArray[np.int64]
FilePath = str | PathLike[str]
RandomState = int | np.random.RandomState | None
# An unknown label may be None, which ArrayLike does not allow.
Labels = ArrayLike | Sequence[object]
NamedLabels = Labels | Mapping[str, Labels]
# Settings in the form of a model file.
Json = dict[str, Any]


class AnnotatedSamples(Protocol):
    """What AnnData has: a table, others of the same shape, and names."""

    @property
    def X(self) -> Any: ...  # noqa: N802
    @property
    def layers(self) -> Any: ...
    @property
    def obs_names(self) -> Any: ...
    @property
    def var_names(self) -> Any: ...
    @property
    def obsm(self) -> Any: ...
    @property
    def varm(self) -> Any: ...
    @property
    def uns(self) -> Any: ...


class SparseSamples(Protocol):
    """Samples whose zeros are left out: every sparse format of SciPy."""

    def tocsr(self, copy: bool = False) -> Any:
        """Return them sample after sample."""


# What samples may be given as.
SamplesLike = ArrayLike | AnnotatedSamples | SparseSamples

Init = Literal["optimal", "svd", "kmeans", "random"]
NonNegativeInit = Literal["nndsvda", "nndsvd", "nndsvdar", "random"]
CustomInit = Literal["custom"]
# Samples seen, and the sums of h h^T and of h x^T.
Progress = tuple[float, NDArray[np.float64], NDArray[np.float64]]
KMeansInit = Literal["k-means++"]
KMeansCount = Literal["auto"]
Scale = Literal["auto", "h", "z", "balanced", "soft"]
BetaLoss = Literal["frobenius", "kullback-leibler"]
Solver = Literal["hals", "multiplicative", "accelerated"]

Activation = Literal["identity", "relu", "softplus", "sigmoid", "stanh", "square"]
Loss = Literal["paper", "layer", "data"]
Optimizer = Literal["auto", "varpro", "apg", "apg-blocks", "adam"]
NormalForm = Literal["none", "features", "basis"]
Form = Literal["fast", "literal"]

LabelGraph = Literal["binary", "rbf", "dot"]
NeighborWeights = Literal["binary", "heat", "dot", "cosine"]
NeighborSearch = Literal["auto", "exact", "approximate"]
Pretraining = Literal["wsf", "semi-nmf"]
ShallowVariant = Literal["scale-free", "printed"]
Variant = Literal["scale-free", "printed", "released"]

# What stands for a missing entry: NaN (a number to the types) or the word for zeros.
Missing = float | Literal["zeros"]
Method = Literal["nonnegative", "basis"]
ZeroSamples = Literal["error", "keep"]
StopReason = Literal["converged", "max-iterations", "time-budget", "cancelled", "rose", "diverged"]

Average = Literal["geometric", "arithmetic", "min", "max"]
ClusterScore = Literal["accuracy", "nmi"]
FacePreset = Literal["default", "multipie", "pie"]
FeatureScaling = Literal["none", "unit-samples", "unit-rows", "whitened"]
FloatType = Literal["float64", "float32"]
Normalization = Literal["auto", "none", "total"]
PixelOrder = Literal["row-major", "column-major"]


class Run(TypedDict):
    """One loop of a fit, an entry of ``runs_``."""

    stage: str
    iterations: int
    stop: StopReason
    seconds: float
    history: list[float]
