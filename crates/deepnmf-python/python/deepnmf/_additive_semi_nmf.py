"""Additive Semi-NMF."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _check as check
from . import _settings as settings_of
from ._base import Factorization, Task
from ._labels import Attribute, attributes
from ._predict import PredictingFactorization
from ._sklearn import check_is_fitted
from ._types import Floats, Json, Labels, Method, Missing, RandomState, SamplesLike, ZeroSamples
from ._watch import Callback

# Of one part, which is Semi-NMF; several parts have no use for them.
_UNUSED: Json = {
    "start": "optimal",
    "scale": "auto",
    "solver": {"rule": "hals", "sweeps": 10},
}


class _OfParts:
    """Computation of the features of one part."""

    def transform(
        self,
        X: SamplesLike,
        layer: int = -1,
        method: Method | None = None,
        zero_samples: ZeroSamples = "error",
        *,
        part: int | None = None,
        entry_weight: ArrayLike | None = None,
        layers: str | None = None,
    ) -> Floats:
        """Compute the memberships of samples: a one for one cluster of every part.

        Parameters
        ----------
        X : array-like or sparse array of shape (n_samples, n_features), or AnnData
            Samples.
        layer : int, default=-1
            Layer. This model has one if no part is deep.
        method : {'nonnegative', 'basis'}, default=None
            How features are computed. It has no effect if there are several parts.
        zero_samples : {'error', 'keep'}, default='error'
            What happens to samples that are zero in every feature if the model scales samples to
            unit norm, as one of the program does: they are refused, or their features are zero.
        part : int, default=None
            Part, counted from 1. If None, all parts.
        entry_weight : array-like of shape (n_samples, n_features), default=None
            Weights of the entries of these samples, as for `fit`.
        layers : str, default=None
            Name of the layer of an AnnData object to take instead of its ``X``.

        Returns
        -------
        ndarray of shape (n_samples, n_components_)
            Memberships, those of the clusters of one part if ``part`` is given. After `set_output`
            a data frame of them.
        """
        features: Floats = super().transform(  # type: ignore[misc]
            X, layer, method, zero_samples, entry_weight=entry_weight, layers=layers
        )
        if part is None:
            return features
        rows, frame = self._rows(part, layer), getattr(features, "iloc", features)
        chosen: Floats = frame[:, rows]
        return chosen

    def _rows(self, part: object, layer: int = -1) -> slice:
        """Return the components of a part, counted from 1, in a layer."""
        raise NotImplementedError


class AdditiveSemiNMF(_OfParts, PredictingFactorization):
    """Find several attributes of samples apart, without labels (Additive Semi-NMF).

    A sample is the sum of one cluster centre of every part: ``X ~ Z_1 H_1 + Z_2 H_2 + ...``, where
    each column of ``H_i`` has a single one. Each part divides the samples by another attribute, for
    example by who is on a picture and by the pose. The mean of the samples is in the first part.
    With one part the model is `SemiNMF`.

    A part may be deep: many clusters next to the data, and fewer in layer 2, each of which is some
    of the many. So a cluster can be something that changes, such as a person who turns.

    Parts may also be attributes of which some labels are known, beside others that are found. Their
    clusters are the classes, and linear machines say which one a sample belongs to: learnt before
    the other parts are found if the attribute makes up more of the samples than they do, otherwise
    from what those leave over.

    Parameters
    ----------
    parts : {'auto'} or sequence of int, sequence of int or None, default=None
        Number of clusters of each part, at least 2; None for a part with labels: the columns of
        ``y`` belong to these parts in their order. ``y`` is ignored if there are none. A part with
        several numbers is deep: ``((60, 20), 4)`` has a part of 60 clusters next to the data that
        are merged to 20 in layer 2. With 'auto',
        the fit finds out how many parts there are and how large: one after the other, while what is
        left has more structure than samples without any; ``parts_`` has them, ``notices_`` the
        reasons. If None, ``(8, 3)``, or fewer if there are fewer samples.
    max_iter : int, default=1000
        Maximum number of iterations of each loop. With 0 the result is the initialization.
    tol : float, default=1e-6
        Tolerance of the stopping rule. A loop stops when an iteration lowers the error ``E`` by at
        most ``tol * max(1, E)``. The paper and the program call it kappa.
    max_seconds : float, default=None
        Time limit of the fit in seconds. When it is reached, the fit stops and keeps the best
        factors so far. If None, there is no limit.
    measure_bound : bool, default=True
        Whether to compute ``svd_bound_``, which can cost a singular value decomposition.
    missing : {'zeros'} or float, default=None
        What stands for missing entries, which fits, ``transform`` and ``score`` leave out:
        ``np.nan``, or 'zeros' (of sparse data all entries that are not stored). If None, nothing
        may be missing.
    random_state : int, RandomState instance or None, default=None
        Seed of all random numbers. The same int gives the same result bit for bit, for any
        ``n_jobs``.
    n_jobs : int, default=None
        Number of threads, at most one per core. None means one per core; one in the workers of
        joblib and other pools and for small data, and no more than ``OMP_NUM_THREADS``,
        ``RAYON_NUM_THREADS`` and threadpoolctl allow. -1 means one per core, -2 all cores but one.
    verbose : int, default=0
        Whether to show progress. If not 0, it is a bar where tqdm is installed and lines elsewhere.
    callback : callable, default=None
        Function that is called with an :class:`Iteration` after each iteration. If it returns True,
        the fit stops and keeps the best factors so far. If it raises an exception, the fit stops in
        the same way and the exception is raised again.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples, len(parts_))
        Cluster of each fitted sample in every part, counted from 0. The largest cluster of a part
        is the first; those of a part with labels are its classes in their order.
    parts_ : tuple of int
        Number of clusters of each part in the top layer.
    components_ : ndarray of shape (n_components_, n_features)
        Basis of the top layer in the space of the data, one component per row. In a nonlinear
        model ``H @ components_`` is not the reconstruction: use `inverse_transform`.
    weights_ : list of ndarray of shape (layers_[i - 1] or n_features, layers_[i])
        Bases ``Z_i`` of all layers, one component per column. The first layer, next to the data,
        has one row per feature of the data. Read-only.
    features_ : list of ndarray of shape (n_samples, layers_[i])
        Features ``H_i`` of the fitted samples in all layers, one sample per row. Read-only.
    n_components_ : int
        Number of components of the top layer.
    layers_ : tuple of int
        Number of components of each layer.
    reconstruction_err_ : float
        Frobenius norm of the difference between the data and their reconstruction.
    svd_bound_ : float or None
        Smallest ``reconstruction_err_`` of any linear model with ``n_components_`` components. None
        if ``measure_bound`` is False.
    n_iter_ : int
        Number of iterations of the loop that determines the top layer.
    history_ : ndarray of shape (n_iter_ + 1,)
        Objective at the start of that loop and after each of its iterations: the geometric mean of
        the singular values of what all parts leave over.
    stop_reason_ : {'converged', 'max-iterations', 'time-budget', 'cancelled', 'rose', 'diverged'}
        Why that loop ended.
    runs_ : list of dict
        All loops of the fit, each with the keys 'stage', 'iterations', 'stop', 'seconds' and
        'history'.
    notices_ : list of str
        Remarks on the fit, for example on a layer that is larger than the one below it.
    preprocessing_ : str
        Preprocessing that `transform` applies to samples: that of the program if the program wrote
        the model, otherwise 'none'.
    classes_ : ndarray or list of ndarray
        Classes of the attribute, or a list with those of each attribute learnt from.
    prediction_errors_ : dict
        Share of labelled samples that are predicted wrong when left out, by attribute.
    n_features_in_ : int
        Number of features of each sample.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features. Only set if ``X`` has feature names that are all strings.

    See Also
    --------
    SemiNMF : One part.
    DeepWSF : With labels of some samples.

    Examples
    --------
    >>> import numpy as np
    >>> from deepnmf import AdditiveSemiNMF
    >>> rng = np.random.default_rng(0)
    >>> shape, shade = rng.integers(5, size=100), rng.integers(3, size=100)
    >>> X = rng.normal(size=(5, 8))[shape] + rng.normal(size=(3, 8))[shade]
    >>> model = AdditiveSemiNMF((5, 3), random_state=0).fit(X)
    >>> model.labels_.shape, model.transform(X, part=2).shape
    ((100, 2), (100, 3))
    >>> bool((model.predict(X) == model.labels_).all())
    True

    The shades of a tenth of the samples are known:

    >>> some = np.where(np.arange(100) % 10 == 0, shade, -1)
    >>> model = AdditiveSemiNMF((5, None), random_state=0).fit(X, some)
    >>> bool((model.predict(X, attribute=0) == shade).all())
    True
    """

    _name = "additive-semi-nmf"

    def __init__(
        self,
        parts: Sequence[int | Sequence[int] | None] | Literal["auto"] | None = None,
        *,
        max_iter: int = 1000,
        tol: float = 1e-6,
        max_seconds: float | None = None,
        measure_bound: bool = True,
        missing: Missing | None = None,
        random_state: RandomState = None,
        n_jobs: int | None = None,
        verbose: int = 0,
        callback: Callback | None = None,
    ) -> None:
        self.parts = parts
        self.max_iter = max_iter
        self.tol = tol
        self.max_seconds = max_seconds
        self.measure_bound = measure_bound
        self.missing = missing
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.callback = callback

    def _settings(self, task: Task) -> Json:
        return {
            "parts": check.part_sizes(self.parts, task.shape[0]),
            "options": {
                **_UNUSED,
                "stop": settings_of.stop(self),
                "seed": task.seed,
                "measure_bound": check.flag("measure_bound", self.measure_bound),
            },
        }

    @classmethod
    def _params(cls, settings: Json) -> dict[str, Any]:
        options = settings["options"]
        return {
            "parts": tuple(
                tuple(part) if isinstance(part, list) else part for part in settings["parts"]
            ),
            **settings_of.stop_params(options["stop"]),
            "random_state": options["seed"],
            "measure_bound": options["measure_bound"],
        }

    def _labels(self, n_samples: int, y: Labels | None) -> list[Attribute]:
        return attributes(y, n_samples) if self._known() else []

    def _attributes(self, task: Task, settings: Json) -> list[Attribute | None]:
        known, found = self._known(), len(task.labels)
        if len(known) != found:
            raise ValueError(
                f"y has {found} attributes, but {len(known)} of the parts are None: give a column "
                "for each of them"
            )
        places: list[Attribute | None] = [None] * (len(settings["parts"]) if known else 0)
        for part, attribute in zip(known, task.labels, strict=True):
            places[part] = attribute
        return places

    def _known(self) -> list[int]:
        """Return the parts that have labels, counted from 0."""
        given = self.parts
        if isinstance(given, str) or not isinstance(given, Iterable):
            return []
        return [place for place, size in enumerate(given) if size is None]

    def predict(
        self,
        X: SamplesLike,
        attribute: int | str | None = None,
        *,
        return_margin: bool = False,
        layers: str | None = None,
    ) -> Any:
        """Find the cluster of samples in every part, or predict an attribute.

        Parameters
        ----------
        X : array-like or sparse array of shape (n_samples, n_features), or AnnData
            Samples.
        attribute : int or str, default=None
            Attribute: the number of its column in ``y``, from 0, or its name if ``y`` had names. If
            None, the clusters of all parts.
        return_margin : bool, default=False
            Whether to return margins, too. Only with ``attribute``.
        layers : str, default=None
            Name of the layer of an AnnData object to take instead of its ``X``.

        Returns
        -------
        ndarray of shape (n_samples, len(parts_)) or (n_samples,)
            Clusters, counted from 0; samples of the fit get those of the fit. With ``attribute``
            the class of each sample, with ``return_margin`` a tuple of that and of the margins by
            which it is ahead of the next one: 1 is certain, 0 undecided.
        """
        if attribute is not None:
            part = self._part_of(attribute)
            return super().predict(X, part, return_margin=return_margin, layers=layers)
        if check.flag("return_margin", return_margin):
            raise ValueError("return_margin needs an attribute: clusters have no margins")
        return self._labels_of(np.asarray(self.transform(X, layers=layers)))

    def _part_of(self, attribute: int | str) -> int | str:
        """Return the part of a column of ``y``; names stay."""
        places = self._places()
        if isinstance(attribute, str) or not places:
            return attribute
        if not 0 <= attribute < len(places):
            # As the number of a part it would be another attribute.
            listed = "0" if len(places) == 1 else f"0 to {len(places) - 1}"
            raise check.refuse("attribute", attribute, f"the columns of y are {listed}")
        return places[attribute]

    def score(self, X: SamplesLike, y: Any = None, *, layers: str | None = None) -> float:
        """Measure how well the model predicts the labels of samples, or reconstructs them.

        Parameters
        ----------
        X : array-like or sparse array of shape (n_samples, n_features), or AnnData
            Samples.
        y : array-like of shape (n_samples,) or (n_samples, n_attributes), default=None
            Labels, as for ``fit``; samples without a label are left out. If None, or if no part has
            labels, the model is measured by its reconstruction.
        layers : str, default=None
            Name of the layer of an AnnData object to take instead of its ``X``.

        Returns
        -------
        float
            Share of the labels that ``predict`` gets right, mean over the parts with labels.
            Otherwise minus the mean squared error of all entries.
        """
        check_is_fitted(self)
        places = self._places()
        given = attributes(y, self._samples(X, layers).shape[0]) if places else []
        shares = []
        for place, of in zip(places, given, strict=False):
            if not of.is_unknown:
                known = of.codes >= 0
                right = super().predict(X, place, layers=layers) == of.classes[of.codes]
                shares.append(float(np.mean(right[known])))
        return float(np.mean(shares)) if shares else Factorization.score(self, X, layers=layers)

    @property
    def labels_(self) -> NDArray[np.intp]:
        """Cluster of each fitted sample in every part."""
        return self._labels_of(self.features_[-1])

    @property
    def parts_(self) -> tuple[int, ...]:
        """Number of clusters of each part in the top layer."""
        return self._sizes(-1)

    def _labels_of(self, features: Floats) -> NDArray[np.intp]:
        """Return the largest feature of each part."""
        rows = [self._rows(part + 1) for part in range(len(self.parts_))]
        return np.column_stack([features[:, own].argmax(axis=1) for own in rows])

    def _sizes(self, layer: int) -> tuple[int, ...]:
        """Return the clusters of each part in a layer: shallow parts have the same in all."""
        given = json.loads(self._fitted.settings)["parts"]
        parts = [part if isinstance(part, list) else [part] for part in given]
        place = self._place(layer) - 1
        return tuple(part[min(place, len(part) - 1)] for part in parts)

    def _rows(self, part: object, layer: int = -1) -> slice:
        """Return the components of a part, counted from 1, in a layer."""
        place, sizes = check.whole("part", part), self._sizes(layer)
        if place > len(sizes):
            raise check.refuse("part", part, f"this model has parts 1 to {len(sizes)}")
        end = list(accumulate(sizes))[place - 1]
        return slice(end - sizes[place - 1], end)
