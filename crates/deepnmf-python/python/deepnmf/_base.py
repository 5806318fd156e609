"""What all factorizations share as scikit-learn estimators."""

from __future__ import annotations

import json
import warnings
from contextvars import ContextVar
from os import PathLike
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _check as check
from . import _core
from ._check import Floats
from ._labels import Attribute, Codes, attributes
from ._report import Reporting
from ._sklearn import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    ConvergenceWarning,
    TransformerMixin,
    check_array,
    check_is_fitted,
)
from ._watch import Callback, Watch

if TYPE_CHECKING:
    from typing_extensions import Self

# The layer whose features are being computed, for who names their columns.
_asked_layer: ContextVar[int | None] = ContextVar("_asked_layer", default=None)


class Task(NamedTuple):
    """What the settings of a model may depend on."""

    shape: tuple[int, int]
    seed: int
    labels: list[Attribute]


class _Projecting(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """A fitted model that computes features; scikit-learn wraps `transform` here."""

    _model: _core.Model
    _method: ClassVar[str] = "nonnegative"
    n_jobs: int | None

    def transform(self, X: ArrayLike, layer: int = -1, method: str | None = None) -> Any:
        check_is_fitted(self)
        X = check.samples(self, X, dtype=self._model.dtype, reset=False)
        threads = check.threads(self.n_jobs)
        return self._model.project(X, self._place(layer), method or self._method, threads)

    def _place(self, layer: object) -> int:
        """Give the place of a layer, counted from 1; negative ones count from the top."""
        depth = len(self._model.layers)
        place = check.whole("layer", layer, least=-depth)
        return depth + 1 + place if place < 0 else place

    @property
    def _n_features_out(self) -> int:
        check_is_fitted(self)
        return self._model.layers[-1]

    def get_feature_names_out(self, input_features: ArrayLike | None = None) -> NDArray[np.object_]:
        """Name the columns that `transform` returns.

        Parameters
        ----------
        input_features : array-like of str, default=None
            Only compared with the names seen in the fit.

        Returns
        -------
        ndarray of str
            The name of the class in lower case and a number.
        """
        names = super().get_feature_names_out(input_features)
        layer = _asked_layer.get()
        if layer is None or self._place(layer) == len(self._model.layers):
            return names
        place = self._place(layer)
        prefix = f"{type(self).__name__.lower()}_layer{place}_"
        count = self._model.layers[place - 1]
        return np.asarray([f"{prefix}{i}" for i in range(count)], dtype=object)


class _AnyLayer:
    """Tells who names the columns which layer they are of."""

    def transform(self, X: ArrayLike, layer: int = -1, method: str | None = None) -> Any:
        """Compute the features of samples.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.
        layer : int, default=-1
            The layer, counted from 1, or from the top if negative.
        method : {'nonnegative', 'basis'}, default=None
            Non-negative least squares, or the pseudo-inverse of the basis, which is fast but gives
            features of any sign. The first if None (for whitened PCA the second, the only one).

        Returns
        -------
        ndarray of shape (n_samples, components of the layer)
            Features, or a frame of them as asked by `set_output`.
        """
        token = _asked_layer.set(layer)
        try:
            return super().transform(X, layer, method)  # type: ignore[misc]
        finally:
            _asked_layer.reset(token)


class Factorization(Reporting, _AnyLayer, _Projecting):
    """A factorization ``X ~ Z_1 ... Z_m H_m`` with the contract of scikit-learn."""

    _name: ClassVar[str]
    _takes_negative: ClassVar[bool] = True
    random_state: Any
    verbose: int = 0
    callback: Callback | None = None

    n_features_in_: int
    feature_names_in_: NDArray[np.object_]
    reconstruction_err_: float
    svd_bound_: float | None
    n_iter_: int
    history_: NDArray[np.float64]
    stop_reason_: str
    runs_: list[dict[str, Any]]
    notices_: list[str]
    preprocessing_: str

    def _settings(self, task: Task) -> dict[str, Any]:
        """Describe the model in the words of a model file."""
        raise NotImplementedError

    @classmethod
    def _params(cls, settings: dict[str, Any]) -> dict[str, Any]:
        """Undo `_settings`."""
        raise NotImplementedError

    def _attributes(self, task: Task, settings: dict[str, Any]) -> list[Attribute | None]:
        """Choose the labels for each place that may have some."""
        return []

    def fit(self, X: ArrayLike, y: Any = None) -> Self:
        """Factorize samples.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples. Arrays of float32 or float64 in C or Fortran order are not copied.
        y : array-like of shape (n_samples,) or (n_samples, n_attributes), default=None
            Labels for the models that learn from them, ignored by the others; -1, NaN and None
            stand for unknown ones.

        Returns
        -------
        self
            The fitted estimator. Ctrl-C raises KeyboardInterrupt as usual, after the best so far
            has been kept.
        """
        X = check.samples(self, X)
        task = Task((X.shape[0], X.shape[1]), check.seed(self.random_state), self._labels(X, y))
        settings = {"model": self._name, **self._settings(task)}
        places = self._attributes(task, settings)
        codes: list[Codes | None] = [
            None if place is None or place.is_silent else place.codes for place in places
        ]
        names = [
            None if place is None or code is None else place.name
            for place, code in zip(places, codes, strict=True)
        ]
        provenance = {
            "feature_names": [str(name) for name in self.feature_names_in_]
            if hasattr(self, "feature_names_in_")
            else None,
            "preprocessing": [],
            "attributes": names,
        }
        with Watch(self.callback, self.verbose) as watch:
            model, interruption = _core.fit(
                json.dumps(settings),
                X,
                codes,
                json.dumps(provenance),
                threads=check.threads(self.n_jobs),
                callback=watch.listener,
            )
        self._keep(model)
        if interruption is not None:
            raise interruption
        self._warn_of_loops_cut_short(settings)
        return self

    def _labels(self, X: Floats, y: Any) -> list[Attribute]:
        """Give what the model learns from besides the samples."""
        return []

    def _keep(self, model: _core.Model) -> None:
        """Take a fitted model over."""
        summary = json.loads(model.summary)
        self._model = model
        self.reconstruction_err_ = summary["error"]
        self.svd_bound_ = summary["svd_bound"]
        self.n_iter_ = summary["iterations"]
        self.history_ = np.asarray(summary["history"])
        self.stop_reason_ = summary["stop"]
        kept = ("iterations", "stop", "seconds", "history")
        self.runs_ = [
            {"stage": stage, **{key: run[key] for key in kept}}
            for stage, run in zip(model.stages, summary["runs"], strict=True)
        ]
        self.notices_ = model.notices
        self.preprocessing_ = model.preprocessing

    def _warn_of_loops_cut_short(self, settings: dict[str, Any]) -> None:
        short = [run["stage"] for run in self.runs_ if run["stop"] == "max-iterations"]
        if short and getattr(self, "tol", 0) > 0:
            warnings.warn(
                f"{type(self).__name__} has not converged: {', '.join(short)} ended after the most "
                "iterations allowed; raise max_iter, or tol if this is good enough",
                ConvergenceWarning,
                stacklevel=3,
            )

    def fit_transform(self, X: ArrayLike, y: Any = None) -> Any:
        """Factorize samples and compute their features, exactly as `fit` and `transform` do.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.
        y : array-like of shape (n_samples,) or (n_samples, n_attributes), default=None
            Labels, as for `fit`.

        Returns
        -------
        ndarray of shape (n_samples, n_components_)
            ``fit(X, y).transform(X)``. The features that the fit itself ended with are
            ``features_[-1]``; these are the best for the same basis.
        """
        return self.fit(X, y).transform(X)

    def inverse_transform(self, X: ArrayLike, layer: int = -1) -> Floats:
        """Rebuild samples from their features.

        Parameters
        ----------
        X : array-like of shape (n_samples, components of the layer)
            Features of a layer.
        layer : int, default=-1
            The layer, counted from 1, or from the top if negative.

        Returns
        -------
        ndarray of shape (n_samples, n_features)
            Samples as they were after the model's preprocessing, if it has any.
        """
        check_is_fitted(self)
        features = check.contiguous(check_array(X, dtype=self._model.dtype))
        threads = check.threads(self.n_jobs)
        return self._model.reconstruct(features, self._place(layer), threads)

    def score(self, X: ArrayLike, y: Any = None) -> float:
        """Say how well samples are rebuilt.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.
        y : object, default=None
            Ignored.

        Returns
        -------
        float
            Minus the mean of the squared errors of all entries, so that more is better.
        """
        check_is_fitted(self)
        X = check.samples(self, X, dtype=self._model.dtype, reset=False)
        top, threads = len(self._model.layers), check.threads(self.n_jobs)
        return -self._model.mean_squared_error(X, top, self._method, threads)

    def save(self, path: str | PathLike[str]) -> None:
        """Write the model to a file, whole or not at all; the program reads it too.

        Parameters
        ----------
        path : str or path-like
            The file, by custom ``something.safetensors``.
        """
        check_is_fitted(self)
        self._model.save(path)

    @property
    def _fitted(self) -> _core.Model:
        """The model, or the error that a missing attribute is."""
        if "_model" not in self.__dict__:
            raise AttributeError(f"this {type(self).__name__} is not fitted yet: call fit first")
        return self._model

    @property
    def components_(self) -> Floats:
        """The basis of the top layer in the space of the data."""
        return self._fitted.components(len(self._model.layers))

    @property
    def weights_(self) -> list[Floats]:
        """The bases of all layers."""
        return [self._fitted.weights(i + 1) for i in range(len(self._fitted.layers))]

    @property
    def features_(self) -> list[Floats]:
        """The features of the fitted samples in all layers."""
        return [self._fitted.features(i + 1) for i in range(len(self._fitted.layers))]

    @property
    def layers_(self) -> tuple[int, ...]:
        """The number of components of each layer."""
        return tuple(self._fitted.layers)

    @property
    def n_components_(self) -> int:
        """The number of components of the top layer."""
        return self._fitted.layers[-1]

    def __sklearn_is_fitted__(self) -> bool:
        return "_model" in self.__dict__

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        tags.input_tags.positive_only = not self._takes_negative
        return tags


class LabelledFactorization(Factorization):
    """A factorization that learns from labels, where there are any."""

    def _labels(self, X: Floats, y: Any) -> list[Attribute]:
        return attributes(y, len(X))

    def _attributes(self, task: Task, settings: dict[str, Any]) -> list[Attribute | None]:
        """Give the only attribute that models with room for one can have."""
        if len(task.labels) > 1:
            raise ValueError(
                f"y has {len(task.labels)} attributes, but {type(self).__name__} learns from one: "
                "give one column, or use WSFMA or DeepWSF"
            )
        return list(task.labels)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = False
        return tags
