"""Base classes of all factorizations, with the interface of scikit-learn."""

from __future__ import annotations

import json
import warnings
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _check as check
from . import _core
from ._callbacks import tasks
from ._diagram import Pictured
from ._labels import Attribute, attributes
from ._report import Reporting
from ._sklearn import (
    BaseEstimator,
    CallbackSupportMixin,
    ClassNamePrefixFeaturesOutMixin,
    ConvergenceWarning,
    TransformerMixin,
    check_array,
    check_is_fitted,
    with_callbacks,
)
from ._types import (
    AnnotatedSamples,
    Codes,
    FilePath,
    Floats,
    Json,
    Labels,
    Method,
    RandomState,
    Run,
    SamplesLike,
    StopReason,
    ZeroSamples,
)
from ._watch import Callback, Watch

if TYPE_CHECKING:
    from typing_extensions import Self

# The layer that `transform` was called with. scikit-learn names the columns of frames by
# `get_feature_names_out`, which it calls without the layer.
_asked_layer: ContextVar[int | None] = ContextVar("_asked_layer", default=None)


class Task(NamedTuple):
    """The data that the settings of a model may depend on."""

    shape: tuple[int, int]
    seed: int
    labels: list[Attribute]


class _Projecting(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Computation of features by a fitted model; scikit-learn wraps this `transform`."""

    _model: _core.Model
    _method: ClassVar[Method] = "nonnegative"
    n_jobs: int | None

    def transform(
        self,
        X: SamplesLike,
        layer: int = -1,
        method: Method | None = None,
        zero_samples: ZeroSamples = "error",
        *,
        entry_weight: ArrayLike | None = None,
        layers: str | None = None,
    ) -> Floats:
        return self._features(X, layer, method, zero_samples, layers, entry_weight)

    def _features(
        self,
        X: SamplesLike,
        layer: int,
        method: Method | None,
        zero_samples: ZeroSamples,
        layers: str | None,
        entry_weight: ArrayLike | None = None,
    ) -> Floats:
        """Compute the features of samples as an array."""
        check_is_fitted(self)
        check.choice("zero_samples", zero_samples, ZeroSamples)
        found = self._samples(X, layers)
        place, threads = self._place(layer), check.threads(self.n_jobs)
        method = method or self._method
        n_samples = found.shape[0]
        some = check.not_zero(found) if zero_samples == "keep" else np.ones(n_samples, bool)
        if some.all():
            given = check.given(self, found, entry_weight)
            return self._model.project(given, place, method, threads)
        features = np.zeros((n_samples, self._model.layers[place - 1]), found.dtype)
        if some.any():
            kept = check.contiguous(found[some])
            if entry_weight is not None:
                entry_weight = check.entry_weights(entry_weight, found.shape)[some]
            given = check.given(self, kept, entry_weight)
            features[some] = self._model.project(given, place, method, threads)
        return features

    def _samples(self, X: SamplesLike, layers: str | None = None) -> Any:
        """Return new samples as the compiled core takes them."""
        dtype = self._model.dtype
        return check.samples(self, X, dtype=dtype, reset=False, sparse=True, layers=layers)

    def _place(self, layer: object) -> int:
        """Return the place of a layer, counted from 1; negative ones count from the top."""
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
            Names of the input features. They are only compared with those of the fit.

        Returns
        -------
        ndarray of str of shape (n_components_,)
            The name of the class in lower case, followed by a number.
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
    """Computation of features that remembers the layer for the names of the columns."""

    def transform(
        self,
        X: SamplesLike,
        layer: int = -1,
        method: Method | None = None,
        zero_samples: ZeroSamples = "error",
        *,
        entry_weight: ArrayLike | None = None,
        layers: str | None = None,
    ) -> Floats:
        """Compute the features of samples.

        Parameters
        ----------
        X : array-like or sparse array of shape (n_samples, n_features), or AnnData
            Samples.
        layer : int, default=-1
            Layer, counted from 1, or from the top if negative. The features of a lower layer are
            the best ones for its own basis; they are not those that the layer above implies,
            which ``features_`` has for the samples of the fit.
        method : {'nonnegative', 'basis'}, default=None
            How the features are computed:

            - 'nonnegative': by non-negative least squares;
            - 'basis': by the pseudo-inverse of the basis, which is fast but gives features of any
              sign. In a nonlinear model it inverts layer by layer, which can be far off; a warning
              says so where the features are worse than none.

            If None, 'nonnegative', but 'basis' for `WhitenedPCA`, which has no other method.
        zero_samples : {'error', 'keep'}, default='error'
            What happens to samples that are zero in every feature if the model scales samples to
            unit norm, as one of the program does: they are refused, or their features are zero.
        entry_weight : array-like of shape (n_samples, n_features), default=None
            Weights of the entries of these samples, as for `fit`.
        layers : str, default=None
            Name of the layer of an AnnData object to take instead of its ``X``.

        Returns
        -------
        ndarray of shape (n_samples, layers_[layer - 1])
            Features. After `set_output` a data frame of them.
        """
        token = _asked_layer.set(layer)
        try:
            features: Floats = super().transform(  # type: ignore[misc]
                X, layer, method, zero_samples, entry_weight=entry_weight, layers=layers
            )
        finally:
            _asked_layer.reset(token)
        return features


class Factorization(Reporting, _AnyLayer, Pictured, CallbackSupportMixin, _Projecting):
    """A factorization ``X ~ Z_1 ... Z_m H_m`` with the interface of scikit-learn."""

    _name: ClassVar[str]
    _takes_negative: ClassVar[bool] = True
    # Every estimator by the name of its model in files.
    _estimators: ClassVar[dict[str, type[Factorization]]] = {}
    random_state: RandomState
    verbose: int = 0
    callback: Callback | None = None

    n_features_in_: int
    feature_names_in_: NDArray[np.object_]
    reconstruction_err_: float
    svd_bound_: float | None
    n_iter_: int
    history_: NDArray[np.float64]
    stop_reason_: StopReason
    runs_: list[Run]
    notices_: list[str]
    preprocessing_: str

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """List the estimator, so that model files and tests find it."""
        super().__init_subclass__(**kwargs)
        # Subclasses of users keep the name, and a file is opened by the estimator itself.
        if "_name" in cls.__dict__:
            Factorization._estimators.setdefault(cls._name, cls)

    def _settings(self, task: Task) -> Json:
        """Translate the parameters to the settings of a model file."""
        raise NotImplementedError

    @classmethod
    def _params(cls, settings: Json) -> dict[str, Any]:
        """Undo `_settings`."""
        raise NotImplementedError

    def _last_factors(
        self, shape: tuple[int, int], settings: Json
    ) -> tuple[ArrayLike, ArrayLike] | None:
        """Return features and components to begin from, if a fit goes on from the last one."""
        return None

    def _attributes(self, task: Task, settings: Json) -> list[Attribute | None]:
        """Choose the labels of each graph; None for a graph without labels."""
        return []

    def fit(
        self,
        X: SamplesLike,
        y: Labels | None = None,
        *,
        entry_weight: ArrayLike | None = None,
        checkpoint: FilePath | None = None,
        layers: str | None = None,
    ) -> Self:
        """Fit the model to samples.

        Parameters
        ----------
        X : array-like or sparse array of shape (n_samples, n_features), or AnnData
            Samples. Arrays of float32 or float64 in C or Fortran order are not copied, nor are
            SciPy's CSR and CSC, which stay sparse; other sparse formats are converted to CSR. Of
            an AnnData object ``X`` is taken, and the names of its features.
        y : array-like of shape (n_samples,) or (n_samples, n_attributes), default=None
            Labels, for models that learn from labels; other models ignore them. -1, NaN and None
            mean that a label is unknown.
        entry_weight : array-like of shape (n_samples, n_features), default=None
            Weights of the entries in the loss, at least 0. Only their ratios decide: each entry
            counts as its weight divided by the largest one, and not at all if that is 0. Models of
            the Kullback-Leibler divergence take none. If None, all entries count alike.
        checkpoint : str or path-like, default=None
            Folder for checkpoints, which are written every 30 seconds. If the same fit was
            interrupted there before, by whatever means, it goes on and ends with the same bits.
            Remove the folder when the result is safe.
        layers : str, default=None
            Name of the layer of an AnnData object to take instead of its ``X``.

        Returns
        -------
        self
            The fitted estimator. Ctrl-C raises KeyboardInterrupt as usual; the estimator then
            holds the best factors so far.
        """
        return self._fit(X, y, checkpoint=checkpoint, layers=layers, entry_weight=entry_weight)

    @with_callbacks
    def _fit(
        self,
        X: SamplesLike,
        y: Labels | None,
        *,
        checkpoint: FilePath | None = None,
        layers: str | None = None,
        start: tuple[ArrayLike, ArrayLike] | None = None,
        batch: bool = False,
        sample_weight: ArrayLike | None = None,
        entry_weight: ArrayLike | None = None,
        fixed: tuple[ArrayLike | None, ArrayLike | None] = (None, None),
    ) -> Self:
        """Fit the model: from features and components in `start`, or to a first `batch`.

        `fixed` has components and features that stay.
        """
        found = check.samples(self, X, sparse=True, layers=layers)
        shape = (found.shape[0], found.shape[1])
        task = Task(shape, check.seed(self.random_state), self._labels(shape[0], y))
        settings = {"model": self._name, **self._settings(task)}
        last = self._last_factors(shape, settings)
        if start is None and not batch and all(part is None for part in fixed):
            start = last
        places = self._attributes(task, settings)
        codes: list[Codes | None] = [
            None if place is None or place.is_unknown else place.codes for place in places
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
            "classes": self._class_names(places),
        }
        told = None if batch else tasks(self, X, y, sample_weight)
        with Watch(self.callback, self.verbose, told) as watch:
            model, interruption = _core.fit(
                json.dumps(settings),
                check.given(self, found, entry_weight),
                codes,
                json.dumps(provenance),
                threads=check.threads(self.n_jobs, found.size * self._first_layer(settings)),
                callback=watch.listener,
                checkpoint=checkpoint,
                start=None
                if start is None
                else (
                    check.floats("W", start[0], found.dtype),
                    check.floats("H", start[1], found.dtype),
                ),
                batch=batch,
                weights=check.sample_weights(sample_weight, shape[0]),
                fixed=(
                    check.maybe_floats("fixed_components", fixed[0], found.dtype),
                    check.maybe_floats("fixed_features", fixed[1], found.dtype),
                ),
            )
        self.__dict__.pop("_progress", None)  # what partial_fit knows of other samples
        self._classes = [None if place is None else place.classes for place in places]
        self._keep(model)
        if interruption is not None:
            raise interruption
        if told is not None:
            told.end()
        self._warn_if_not_converged()
        return self

    def _class_names(self, places: list[Attribute | None]) -> list[list[str]]:
        """Return the names of the classes that the model learns to predict, for each attribute."""
        return []

    @staticmethod
    def _first_layer(settings: Json) -> int:
        """Return the components of the first layer, which most of the work goes with."""
        for part in (settings, settings.get("deep", {}), settings.get("nmf", {})):
            if part.get("layers"):
                return int(part["layers"][0])
            if part.get("parts"):
                sizes = part["parts"]  # a deep part has a list, the layer next to the data first
                return sum(int(size[0] if isinstance(size, list) else size) for size in sizes)
            if "components" in part:
                return int(part["components"])
        return 1

    def _labels(self, n_samples: int, y: Labels | None) -> list[Attribute]:
        """Return the labels that the model learns from."""
        return []

    def _keep(self, model: _core.Model) -> None:
        """Store a fitted model and set the attributes of the fit."""
        summary = json.loads(model.summary)
        self._model = model
        self.reconstruction_err_ = summary["error"]
        self.svd_bound_ = summary["svd_bound"]
        self.n_iter_ = summary["iterations"]
        self.history_ = np.asarray(summary["history"])
        self.stop_reason_ = summary["stop"]
        self.runs_ = [
            {
                "stage": stage,
                "iterations": run["iterations"],
                "stop": run["stop"],
                "seconds": run["seconds"],
                "history": run["history"],
            }
            for stage, run in zip(model.stages, summary["runs"], strict=True)
        ]
        self.notices_ = model.notices
        self.preprocessing_ = model.preprocessing

    def _warn_if_not_converged(self) -> None:
        if self.stop_reason_ in ("rose", "diverged"):
            text = "; ".join(self.notices_)
            warnings.warn(text, ConvergenceWarning, stacklevel=3)
            return
        short = [run["stage"] for run in self.runs_ if run["stop"] == "max-iterations"]
        if short and getattr(self, "tol", 0) > 0:
            warnings.warn(
                f"{type(self).__name__} has not converged: {', '.join(short)} ended after the most "
                "iterations allowed; raise max_iter, or tol if this is good enough",
                ConvergenceWarning,
                stacklevel=3,
            )

    def fit_transform(
        self,
        X: SamplesLike,
        y: Labels | None = None,
        *,
        entry_weight: ArrayLike | None = None,
        layers: str | None = None,
    ) -> Floats:
        """Fit the model to samples and compute their features, as ``fit(X, y).transform(X)``.

        Parameters
        ----------
        X : array-like or sparse array of shape (n_samples, n_features), or AnnData
            Samples.
        y : array-like of shape (n_samples,) or (n_samples, n_attributes), default=None
            Labels, as for `fit`.
        entry_weight : array-like of shape (n_samples, n_features), default=None
            Weights of the entries in the loss, as for `fit`.
        layers : str, default=None
            Name of the layer of an AnnData object to take instead of its ``X``.

        Returns
        -------
        ndarray of shape (n_samples, n_components_)
            The best features for the fitted basis. Those of the last iteration of the fit are
            ``features_[-1]``. After `set_output` a data frame.
        """
        fitted = self.fit(X, y, entry_weight=entry_weight, layers=layers)
        return fitted.transform(X, entry_weight=entry_weight, layers=layers)

    def annotate(
        self,
        adata: AnnotatedSamples,
        *,
        key: str | None = None,
        layer: int = -1,
        layers: str | None = None,
    ) -> None:
        """Write features, components and a summary of the fit into an AnnData object.

        Where its features are those of the fit, tools such as scanpy find the results beside those
        of their own: ``sc.pp.neighbors(adata, use_rep="X_nmf")``.

        Parameters
        ----------
        adata : AnnData
            Cells to annotate, of the fit or others. ``obsm["X_" + key]`` receives their features,
            ``varm[key]`` the components, one per column, and ``uns[key]`` a summary of the fit.
            What stood there before is replaced.
        key : str, default=None
            Name of the results. If None, that of the model, such as 'nmf'.
        layer : int, default=-1
            Layer of the features and components, counted from 1, or from the top if negative.
        layers : str, default=None
            Name of the layer of the AnnData object to take instead of its ``X``.
        """
        check_is_fitted(self)
        if not check.is_annotated(adata):
            raise TypeError(f"adata is a {type(adata).__name__}: it must be an AnnData object")
        name = self._name.replace("-", "_") if key is None else key
        # An array, whatever `set_output` says of transform.
        features = self._features(adata, layer, None, "error", layers)
        adata.obsm[f"X_{name}"] = features
        adata.varm[name] = self._model.components(self._place(layer)).T.copy()
        # Files of AnnData hold neither None nor tuples.
        adata.uns[name] = {
            "model": self._name,
            "n_components": np.asarray(self.layers_),
            "layer": self._place(layer),
            "reconstruction_err": self.reconstruction_err_,
            "n_iter": self.n_iter_,
            "stop_reason": self.stop_reason_,
            "history": self.history_,
            "settings": self._model.settings,
        }

    def inverse_transform(self, X: ArrayLike, layer: int = -1) -> Floats:
        """Reconstruct samples from their features.

        Parameters
        ----------
        X : array-like of shape (n_samples, layers_[layer - 1])
            Features of a layer.
        layer : int, default=-1
            Layer, counted from 1, or from the top if negative.

        Returns
        -------
        ndarray of shape (n_samples, n_features)
            Samples, as they are after the preprocessing of the model if it has one.
        """
        check_is_fitted(self)
        features = check.contiguous(check_array(X, dtype=self._model.dtype))
        threads = check.threads(self.n_jobs)
        return self._model.reconstruct(features, self._place(layer), threads)

    def impute(self, X: SamplesLike, *, layers: str | None = None) -> Floats:
        """Fill in the missing entries of samples.

        Parameters
        ----------
        X : array-like or sparse array of shape (n_samples, n_features), or AnnData
            Samples, with missing entries as `missing` says.
        layers : str, default=None
            Name of the layer of an AnnData object to take instead of its ``X``.

        Returns
        -------
        ndarray of shape (n_samples, n_features)
            The samples with their missing entries as the model reconstructs them: by the features
            of the fit for its own samples, for others by those that reconstruct their observed
            entries best. Observed entries stay as they are. A warning says so if others lie far
            outside of them: a model with too many components is free to do that.
        """
        check_is_fitted(self)
        found = self._samples(X, layers)
        filled = self._model.impute(check.given(self, found), check.threads(self.n_jobs))
        if not check.is_sparse(found):
            _warn_if_far_outside(filled, found)
        return filled

    def score(self, X: SamplesLike, y: object = None, *, layers: str | None = None) -> float:
        """Measure how well the model reconstructs samples.

        Parameters
        ----------
        X : array-like or sparse array of shape (n_samples, n_features), or AnnData
            Samples.
        y : object, default=None
            Ignored.
        layers : str, default=None
            Name of the layer of an AnnData object to take instead of its ``X``.

        Returns
        -------
        float
            Minus the mean squared error of all entries that are not missing, so that more is
            better. Models that minimize the Kullback-Leibler divergence return minus its mean over
            all entries.
        """
        check_is_fitted(self)
        found = self._samples(X, layers)
        top, threads = len(self._model.layers), check.threads(self.n_jobs)
        return -self._model.mean_loss(check.given(self, found), top, self._method, threads)

    def save(self, path: FilePath) -> None:
        """Write the model to a file that `load` and the program can read.

        If writing fails, a file that was there before stays as it was.

        Parameters
        ----------
        path : str or path-like
            File to write, usually named ``*.safetensors``.
        """
        check_is_fitted(self)
        self._model.save(path)

    @property
    def _fitted(self) -> _core.Model:
        """The fitted model; AttributeError before the fit, as for any missing attribute."""
        if "_model" not in self.__dict__:
            raise AttributeError(f"this {type(self).__name__} is not fitted yet: call fit first")
        return self._model

    @property
    def components_(self) -> Floats:
        """Basis of the top layer in the space of the data, one component per row.

        In a nonlinear model it is what the basis would be without the nonlinearity, so that
        ``H @ components_`` is not the reconstruction: use `inverse_transform`.
        """
        return self._fitted.components(len(self._model.layers))

    @property
    def weights_(self) -> list[Floats]:
        """Bases of all layers."""
        return [self._fitted.weights(i + 1) for i in range(len(self._fitted.layers))]

    @property
    def features_(self) -> list[Floats]:
        """Features of the fitted samples in all layers."""
        return [self._fitted.features(i + 1) for i in range(len(self._fitted.layers))]

    @property
    def layers_(self) -> tuple[int, ...]:
        """Number of components of each layer."""
        return tuple(self._fitted.layers)

    @property
    def n_components_(self) -> int:
        """Number of components of the top layer."""
        return self._fitted.layers[-1]

    def __sklearn_is_fitted__(self) -> bool:
        return "_model" in self.__dict__

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        tags.input_tags.positive_only = not self._takes_negative
        tags.input_tags.sparse = True
        # Wrong values are refused when the model is fitted.
        missing = getattr(self, "missing", None)
        tags.input_tags.allow_nan = isinstance(missing, float) and np.isnan(missing)
        return tags


class LabelledFactorization(Factorization):
    """A factorization that learns from labels, if there are any."""

    def _labels(self, n_samples: int, y: Labels | None) -> list[Attribute]:
        return attributes(y, n_samples)

    def _attributes(self, task: Task, settings: Json) -> list[Attribute | None]:
        """Return the only attribute of a model that learns from one."""
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


def _warn_if_far_outside(filled: Floats, observed: Floats) -> None:
    """Warn of filled-in numbers that are further away from the observed ones than these are."""
    if np.isnan(observed).all():
        return
    low, high = np.nanmin(observed), np.nanmax(observed)
    least, most = filled.min(), filled.max()
    if least < low - (high - low) or most > high + (high - low):
        warnings.warn(
            f"what was filled in reaches from {least:.4g} to {most:.4g}, observed entries from "
            f"{low:.4g} to {high:.4g}: fit fewer components, LayerSelection finds how many",
            stacklevel=3,
        )
