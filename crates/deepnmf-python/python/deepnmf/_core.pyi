from collections.abc import Callable, Sequence
from os import PathLike
from typing import Any, TypedDict, final

import numpy as np
from numpy.typing import NDArray

_Floats = NDArray[np.floating[Any]]
# Also SciPy's CSR and CSC.
_Samples = _Floats | Any
_Codes = NDArray[np.int64]
_Progress = tuple[float, NDArray[np.float64], NDArray[np.float64]]
_Data = tuple[
    _Floats,
    list[tuple[str, list[str], _Codes]],
    list[str] | None,
    list[str] | None,
    str | None,
]

class _Request(TypedDict):
    labels: list[tuple[str, list[str | None]]]
    feature_names: list[str] | None
    sample_names: list[str] | None
    image: str | None
    title: str | None
    samples: int
    clusters: int | None
    scale: str
    seed: int

class _Comparison(TypedDict):
    share: float
    masks: int
    seed: int
    records: str | PathLike[str] | None
    worker: tuple[int, int] | None
    layers: list[tuple[int, int]]

@final
class Model:
    def __new__(cls, content: bytes) -> Model: ...
    def __getnewargs__(self) -> tuple[bytes]: ...
    @staticmethod
    def load(path: str | PathLike[str]) -> Model: ...
    def save(self, path: str | PathLike[str]) -> None: ...
    @property
    def dtype(self) -> str: ...
    @property
    def settings(self) -> str: ...
    @property
    def summary(self) -> str: ...
    @property
    def provenance(self) -> str: ...
    @property
    def stages(self) -> list[str]: ...
    @property
    def notices(self) -> list[str]: ...
    @property
    def preprocessing(self) -> str: ...
    @property
    def layers(self) -> list[int]: ...
    @property
    def features_before(self) -> int: ...
    @property
    def offset(self) -> _Floats | None: ...
    def weights(self, layer: int) -> _Floats: ...
    def features(self, layer: int) -> _Floats: ...
    def components(self, layer: int) -> _Floats: ...
    def project(self, x: _Samples, layer: int, method: str, threads: int) -> _Floats: ...
    @property
    def predictors(self) -> str: ...
    def predict(self, x: _Samples, attribute: int, threads: int) -> tuple[_Codes, _Floats]: ...
    def mean_loss(self, x: _Samples, layer: int, method: str, threads: int) -> float: ...
    def learn(
        self, x: _Samples, progress: _Progress | None, threads: int
    ) -> tuple[Model, _Progress, float]: ...
    def impute(self, x: _Samples, threads: int) -> _Floats: ...
    def reconstruct(self, features: _Floats, layer: int, threads: int) -> _Floats: ...
    def report(
        self,
        x: _Samples,
        path: str | PathLike[str],
        request: _Request,
        threads: int,
        tell: Callable[[str], object] | None,
    ) -> None: ...

def fit(
    settings: str,
    x: _Samples,
    attributes: Sequence[_Codes | None],
    provenance: str,
    *,
    threads: int,
    callback: Callable[[str, int | None, int | None, float | None], object] | None,
    checkpoint: str | PathLike[str] | None = None,
    start: tuple[_Floats, _Floats] | None = None,
    batch: bool = False,
    weights: NDArray[np.float64] | None = None,
    fixed: tuple[_Floats | None, _Floats | None] = (None, None),
) -> tuple[Model, BaseException | None]: ...
def available_cores() -> int: ...
def kmeans(
    x: _Floats,
    clusters: int,
    centres: _Floats | None,
    *,
    restarts: int,
    swaps: int,
    max_iterations: int,
    tolerance: float,
    seed: int,
    threads: int,
) -> tuple[_Codes, _Floats, float, int, bool, BaseException | None]: ...
def accuracy(classes: _Codes, clusters: _Codes) -> float: ...
def nmi(classes: _Codes, clusters: _Codes, average: str) -> float: ...
def smallest_error(x: _Samples, components: int, seed: int, threads: int) -> float: ...
def load(
    path: str | PathLike[str],
    *,
    narrow: bool,
    data_key: str | None,
    labels_key: str | None,
    labels_file: str | PathLike[str] | None,
    labels_by: str | None,
    image: str | None,
    pattern: str | None,
    resize: tuple[int, int] | None,
) -> _Data: ...
def builtin(spec: str, narrow: bool) -> _Data: ...
def gradient_orientations(x: _Floats, image: str) -> _Floats: ...
def choose_layers(
    model: str,
    x: _Samples,
    comparison: _Comparison,
    *,
    threads: int,
    callback: Callable[[int, int, float, int, int], object] | None = None,
) -> str: ...
def consensus(
    settings: str, x: _Samples, provenance: str, fits: int, *, threads: int
) -> tuple[Model, list[float], list[float]]: ...
def picture_of_choices(choices: str) -> str: ...
