"""The k-means with which features are judged."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _check as check
from . import _core
from ._check import Floats
from ._sklearn import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    ClusterMixin,
    ConvergenceWarning,
    TransformerMixin,
    check_array,
    check_is_fitted,
    euclidean_distances,
)

if TYPE_CHECKING:
    from typing_extensions import Self


class KMeans(ClassNamePrefixFeaturesOutMixin, TransformerMixin, ClusterMixin, BaseEstimator):
    """k-means: the best of several starts, improved by swaps that leave local optima.

    Parameters
    ----------
    n_clusters : int, default=8
        The number of clusters.
    init : {'k-means++'} or array-like of shape (n_clusters, n_features), default='k-means++'
        Where the centres begin. Given ones are improved as they are, without other starts and
        without swaps.
    n_init : int, default=10
        The number of starts.
    n_swaps : int, default=10
        The search for a better clustering ends after so many swaps of a centre in vain; with 0 it
        does not begin.
    max_iter : int, default=300
        The most iterations of each start.
    tol : float, default=1e-4
        A start ends once the squared moves of all centres sum up to no more than this times the
        mean variance of the features.
    random_state : int, RandomState instance or None, default=None
        The seed. The same seed gives the same bits, whatever ``n_jobs`` is.
    n_jobs : int, default=None
        The number of threads; None and -1 stand for one per core.

    Attributes
    ----------
    cluster_centers_ : ndarray of shape (n_clusters, n_features)
        The centres of the clusters.
    labels_ : ndarray of shape (n_samples,)
        The cluster of each sample.
    inertia_ : float
        The sum of the squared distances of all samples from the centres of their clusters.
    n_iter_ : int
        Iterations of the best start.
    n_features_in_ : int
        The number of features of each sample.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        The names of the features, where all have one that is a string.

    See Also
    --------
    clustering_accuracy : How well clusters agree with classes.

    Examples
    --------
    >>> from deepnmf import KMeans
    >>> model = KMeans(2, random_state=0).fit([[0.0], [0.1], [5.0], [5.1]])
    >>> sorted(float(c) for c in model.cluster_centers_.ravel().round(2))
    [0.05, 5.05]
    """

    cluster_centers_: Floats
    labels_: NDArray[np.int64]
    inertia_: float
    n_iter_: int
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        init: str | ArrayLike = "k-means++",
        n_init: int = 10,
        n_swaps: int = 10,
        max_iter: int = 300,
        tol: float = 1e-4,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.init = init
        self.n_init = n_init
        self.n_swaps = n_swaps
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: ArrayLike, y: Any = None) -> Self:
        """Cluster samples.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.
        y : object, default=None
            Ignored.

        Returns
        -------
        self
            The fitted estimator.
        """
        X = check.samples(self, X)
        labels, centres, inertia, iterations, _ = _core.kmeans(
            X,
            check.whole("n_clusters", self.n_clusters),
            self._start(X),
            restarts=check.whole("n_init", self.n_init),
            swaps=check.whole("n_swaps", self.n_swaps, least=0),
            max_iterations=check.whole("max_iter", self.max_iter),
            tolerance=check.number("tol", self.tol),
            seed=check.seed(self.random_state),
            threads=check.threads(self.n_jobs),
        )
        self.labels_ = labels
        self.cluster_centers_ = centres
        self.inertia_ = inertia
        self.n_iter_ = iterations
        found = len(np.unique(labels))
        if found < len(centres):
            warnings.warn(
                f"only {found} of {len(centres)} clusters have samples: there are fewer distinct "
                "samples than clusters",
                ConvergenceWarning,
                stacklevel=2,
            )
        return self

    def _start(self, X: Floats) -> Floats | None:
        if isinstance(self.init, str):
            check.choice("init", self.init, ("k-means++",))
            return None
        return check.contiguous(check_array(self.init, dtype=X.dtype))

    def _distances(self, X: ArrayLike) -> Floats:
        check_is_fitted(self, "cluster_centers_")
        found = check_array(
            check.samples(self, X, dtype=self.cluster_centers_.dtype, reset=False),
            dtype=self.cluster_centers_.dtype,
        )
        return euclidean_distances(found, self.cluster_centers_)

    def predict(self, X: ArrayLike) -> NDArray[np.int64]:
        """Find the nearest centre of each sample.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples,)
            The clusters.
        """
        nearest: NDArray[np.int64] = self._distances(X).argmin(axis=1).astype(np.int64)
        return nearest

    def transform(self, X: ArrayLike) -> Any:
        """Measure the distance of each sample from each centre.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples, n_clusters)
            Distances.
        """
        return self._distances(X)

    def fit_transform(self, X: ArrayLike, y: Any = None) -> Any:
        """Cluster samples and measure their distances from the centres.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.
        y : object, default=None
            Ignored.

        Returns
        -------
        ndarray of shape (n_samples, n_clusters)
            ``fit(X).transform(X)``.
        """
        return self.fit(X).transform(X)

    def score(self, X: ArrayLike, y: Any = None) -> float:
        """Say how near samples are to the centres.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.
        y : object, default=None
            Ignored.

        Returns
        -------
        float
            Minus the sum of the squared distances from the nearest centres.
        """
        nearest = self._distances(X).min(axis=1).astype(np.float64)
        return -float(nearest @ nearest)

    @property
    def _n_features_out(self) -> int:
        return len(self.cluster_centers_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
