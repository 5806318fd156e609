"""How many components the data have."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypedDict, TypeVar

import numpy as np
from numpy.typing import NDArray

from . import _check as check
from . import _core
from ._base import Factorization, Task
from ._deep_semi_nmf import DeepSemiNMF
from ._multilayer_nmf import MultilayerNMF
from ._nmf import NMF
from ._semi_nmf import SemiNMF
from ._sklearn import BaseEstimator, TransformerMixin, check_is_fitted, clone
from ._types import FilePath, Floats, Labels, RandomState, SamplesLike

if TYPE_CHECKING:
    from typing_extensions import Self


class Curve(TypedDict):
    """What is known of the numbers of components that were tried, for one layer."""

    size: NDArray[np.int64]
    held_out: NDArray[np.float64]
    deviation: NDArray[np.float64]
    stability: NDArray[np.float64]
    stability_deviation: NDArray[np.float64]
    seconds: NDArray[np.float64]


class Choice(NamedTuple):
    """The number of components that was chosen for a layer, and whether the layer is kept."""

    layer: int
    size: int
    kept: bool


class LayerSelection(TransformerMixin, BaseEstimator):
    """Find out how many components the data have, and fit a model with as many.

    Some entries are hidden, spread over all samples and features. Models with different numbers of
    components are fitted to the others and asked for the hidden ones: too few components tell them
    badly, and so do too many, which follow noise. The recommended number is the smallest within one
    standard error of the best. 0 is an answer, too: no model tells more than the mean of each
    feature.

    Layers above the first are judged in the same way by the features of the layer below. One that
    is not worth it is left out.

    Parameters
    ----------
    estimator : SemiNMF, NMF, DeepSemiNMF or MultilayerNMF, default=None
        Model whose sizes are wanted. Its number of components does not matter; its other parameters
        hold for all fits. If None, `SemiNMF`.
    layers : {'auto'}, int, tuple or list of these, default='auto'
        What is known of the size of each layer: 'auto', the least and the most as a pair, or the
        number itself. A list has one for each layer of a deep estimator.
    held_out : float, default=0.1
        Share of the entries that are hidden, above 0 and below 1.
    n_masks : int, default=5
        Number of masks of hidden entries, and so of fits of each number of components.
    refit : bool, default=True
        Whether to fit the estimator to all entries with the sizes that were found.
    records : str or path-like, default=None
        Folder for what is found, from which a search that was interrupted goes on.
    worker : tuple of int, default=None
        Number of this process, counted from 0, and how many there are. Together they share the
        search by the folder of `records`; see `missing_`.
    random_state : int, RandomState instance or None, default=None
        Seed of the masks, and of the fits if the estimator has none. Workers need one.
    n_jobs : int, default=None
        Number of threads, as for the estimator.
    verbose : int, default=0
        Whether to print a line after every fit.

    Attributes
    ----------
    layers_ : tuple of int
        Sizes that were found, the layer next to the data first; those that are worth it. Empty if
        there is no structure beyond noise.
    n_components_ : int
        Size of the top layer, 0 if there is none.
    reasons_ : list of str
        Why, for each layer whose size was searched for.
    curves_ : list of dict
        For each of these layers arrays with an entry for every ``size`` that was tried: the loss of
        hidden entries as a share of that of the feature means (``held_out``) and its ``deviation``
        over the masks, the mean cosine of components that two fits have in common (``stability``)
        and its ``stability_deviation``, and the ``seconds`` of a fit.
    spectra_ : list of tuple of ndarray or None
        For each of these layers leading singular values of the centred data, and those of the same
        numbers without structure.
    best_estimator_ : estimator
        Estimator fitted to all entries. Only if `refit`, and if there is structure.
    missing_ : int
        Fits of other workers that are missing; when they are done, `fit` goes on. Nothing else is
        known until it is 0.
    n_features_in_ : int
        Number of features of the samples.
    feature_names_in_ : ndarray of str objects of shape (n_features_in_,)
        Names of the features. Only if the samples had such names.

    Examples
    --------
    >>> import numpy as np
    >>> from deepnmf import LayerSelection, SemiNMF
    >>> rng = np.random.default_rng(0)
    >>> X = rng.random((100, 3)) @ rng.random((3, 20)) + 0.05 * rng.random((100, 20))
    >>> search = LayerSelection(SemiNMF(), random_state=0).fit(X)
    >>> search.n_components_
    3
    >>> search.transform(X).shape
    (100, 3)
    """

    best_estimator_: Factorization

    def __init__(
        self,
        estimator: Factorization | None = None,
        layers: Any = "auto",
        *,
        held_out: float = 0.1,
        n_masks: int = 5,
        refit: bool = True,
        records: FilePath | None = None,
        worker: tuple[int, int] | None = None,
        random_state: RandomState = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.estimator = estimator
        self.layers = layers
        self.held_out = held_out
        self.n_masks = n_masks
        self.refit = refit
        self.records = records
        self.worker = worker
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: SamplesLike, y: Labels | None = None) -> Self:
        """Find the sizes, and fit a model with them.

        Parameters
        ----------
        X : array-like or sparse array of shape (n_samples, n_features), or AnnData
            Samples.
        y : array-like, default=None
            Ignored.

        Returns
        -------
        self
            The fitted search.
        """
        estimator = SemiNMF() if self.estimator is None else self.estimator
        limits, seed = self._limits(estimator), check.seed(self.random_state)
        found = check.samples(self, X, sparse=True)
        answer = json.loads(
            _core.choose_layers(
                json.dumps(_one_layer(estimator, found.shape, seed)),
                check.given(estimator, found),
                {
                    "share": check.number("held_out", self.held_out, positive=True),
                    "masks": check.whole("n_masks", self.n_masks),
                    "seed": seed,
                    "records": self.records,
                    "worker": self.worker,
                    "layers": limits,
                },
                threads=check.threads(self.n_jobs),
                callback=_tell if self.verbose else None,
            )
        )
        self.__dict__.pop("best_estimator_", None)
        self.missing_: int = answer.get("missing", 0)
        if self.missing_:
            return self
        choices = answer["choices"]
        self._choices = json.dumps(choices)
        self.layers_: tuple[int, ...] = tuple(answer["sizes"])
        self.n_components_: int = self.layers_[-1] if self.layers_ else 0
        self.reasons_: list[str] = [layer["choice"]["reason"] for layer in choices]
        self.curves_ = [_curve(layer["choice"]["curve"]) for layer in choices]
        self.spectra_ = [_spectrum(layer["choice"]["spectrum"]) for layer in choices]
        if check.flag("refit", self.refit) and self.layers_:
            model = clone(estimator)
            if isinstance(model, (SemiNMF, NMF)):
                model.set_params(n_components=self.n_components_)
            else:
                model.set_params(layers=self.layers_)
            self.best_estimator_ = model.fit(X, y)
        return self

    def _limits(self, estimator: object) -> list[tuple[int, int]]:
        """Return the least and the most components of each layer, zeros where all are allowed."""
        deep = isinstance(estimator, (DeepSemiNMF, MultilayerNMF))
        if not deep and not isinstance(estimator, (SemiNMF, NMF)):
            raise check.refuse(
                "estimator",
                type(estimator).__name__,
                "it must be a SemiNMF, NMF, DeepSemiNMF or MultilayerNMF",
            )
        if isinstance(self.layers, list):
            layers = self.layers
        else:
            layers = [self.layers, self.layers] if deep and self.layers == "auto" else [self.layers]
        if not layers or (len(layers) > 1 and not deep):
            raise check.refuse("layers", self.layers, "it must name one size for each layer")
        return [_limits_of(size) for size in layers]

    def transform(self, X: SamplesLike) -> Floats:
        """Compute the features of samples by the model with the sizes that were found.

        Parameters
        ----------
        X : array-like or sparse array of shape (n_samples, n_features), or AnnData
            Samples.

        Returns
        -------
        ndarray of shape (n_samples, n_components_)
            Features.
        """
        check_is_fitted(self, "best_estimator_")
        return self.best_estimator_.transform(X)

    def save_curves(self, path: FilePath) -> None:
        """Write the curves as a picture.

        Parameters
        ----------
        path : str or path-like
            File to write, usually named ``*.svg``. It has a row for each layer: the loss of hidden
            entries, the agreement of the fits, and the singular values beside those of noise.
        """
        check_is_fitted(self, "curves_")
        Path(path).write_text(_core.picture_of_choices(self._choices), encoding="utf-8")

    def _chosen(self) -> list[Choice]:
        """Return what was chosen for each layer whose size was searched for."""
        return [
            Choice(found["layer"], found["choice"]["chosen"], found["layer"] <= len(self.layers_))
            for found in json.loads(self._choices)
        ]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


_Model = TypeVar("_Model", SemiNMF, NMF)


def consensus(estimator: _Model, X: SamplesLike, n_fits: int = 20) -> _Model:
    """Fit a model several times and bring the components together, as consensus NMF does.

    Each fit begins from random factors. The components of all fits are matched with those of the
    best one; their medians, at unit length, are the components of the result, and its features are
    the best ones for them.

    Parameters
    ----------
    estimator : SemiNMF or NMF
        Model to fit; it is not changed. Its ``init`` does not matter.
    X : array-like or sparse array of shape (n_samples, n_features), or AnnData
        Samples.
    n_fits : int, default=20
        Number of fits, at least 2.

    Returns
    -------
    estimator
        A fitted copy. Beside the usual attributes it has ``stability_``, for each component the
        mean cosine with those of the fits that it was made of (1 where all find the same), and
        ``errors_of_fits_``.

    Examples
    --------
    >>> import numpy as np
    >>> from deepnmf import NMF, consensus
    >>> rng = np.random.default_rng(0)
    >>> X = rng.random((100, 3)) ** 3 @ rng.random((3, 20)) ** 3
    >>> model = consensus(NMF(3, random_state=0), X, n_fits=5)
    >>> model.stability_.shape
    (3,)
    """
    if not isinstance(estimator, (SemiNMF, NMF)):
        raise check.refuse("estimator", type(estimator).__name__, "it must be a SemiNMF or NMF")
    fitted = clone(estimator)
    found = check.samples(fitted, X, sparse=True)
    task = Task(found.shape, check.seed(fitted.random_state), [])
    names = getattr(fitted, "feature_names_in_", None)
    model, stability, errors = _core.consensus(
        json.dumps({"model": fitted._name, **fitted._settings(task)}),
        check.given(fitted, found),
        json.dumps({"feature_names": None if names is None else [str(name) for name in names]}),
        check.whole("n_fits", n_fits, least=2),
        threads=check.threads(fitted.n_jobs, found.size),
    )
    fitted._classes = []
    fitted._keep(model)
    # Attributes of this function's models alone.
    vars(fitted).update(stability_=np.asarray(stability), errors_of_fits_=np.asarray(errors))
    return fitted


def _one_layer(estimator: Factorization, shape: tuple[int, int], seed: int) -> dict[str, Any]:
    """Return the settings of the model by which numbers of components are compared."""
    params = estimator.get_params()
    kind = NMF if isinstance(estimator, (NMF, MultilayerNMF)) else SemiNMF
    shared = {name: params[name] for name in kind().get_params() if name in params}
    model = kind(**{**shared, "n_components": 1})
    if isinstance(model, SemiNMF):
        model.set_params(n_neighbors=None, max_seconds=None)
    if model.random_state is not None:
        seed = check.seed(model.random_state)
    return {"model": model._name, **model._settings(Task(shape, seed, []))}


def _limits_of(size: object) -> tuple[int, int]:
    """Return the limits of one layer."""
    if isinstance(size, str) and size == "auto":
        return (0, 0)
    if isinstance(size, Sequence) and not isinstance(size, str) and len(size) == 2:
        least, most = (check.whole("each limit of layers", limit) for limit in size)
        if least < most:
            return (least, most)
    elif not isinstance(size, (str, Sequence)):
        number = check.whole("each of layers", size)
        return (number, number)
    raise check.refuse(
        "each of layers", size, "it must be 'auto', a number, or a pair of the least and the most"
    )


def _curve(points: list[dict[str, Any]]) -> Curve:
    """Return the columns of a curve."""

    def column(name: str) -> NDArray[Any]:
        return np.asarray([np.nan if p[name] is None else p[name] for p in points])

    return {
        "size": column("size"),
        "held_out": column("held_out"),
        "deviation": column("deviation"),
        "stability": column("stability"),
        "stability_deviation": column("stability_deviation"),
        "seconds": column("seconds"),
    }


def _spectrum(spectrum: dict[str, list[float]] | None) -> tuple[Floats, Floats] | None:
    """Return singular values and those of noise."""
    if spectrum is None:
        return None
    return np.asarray(spectrum["values"]), np.asarray(spectrum["noise"])


def _tell(layer: int, size: int, loss: float, done: int, known: int) -> None:
    """Print how far the search is."""
    text = f"layer {layer}: {done} of {known} fits, {size} components, held-out loss {loss:.4f}"
    print(text, file=sys.stderr, flush=True)
