"""k-means, to evaluate features."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _check as check
from . import _core
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
from ._types import Codes, Floats, KMeansCount, KMeansInit, RandomState

if TYPE_CHECKING:
    from typing_extensions import Self


class KMeans(ClassNamePrefixFeaturesOutMixin, TransformerMixin, ClusterMixin, BaseEstimator):
    """Cluster samples by k-means, with swaps of centres that leave local optima.

    Lloyd's algorithm runs from several initializations. The best result is then improved: a swap
    dissolves one cluster and splits another.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters.
    init : {'k-means++'} or array-like of shape (n_clusters, n_features), default='k-means++'
        Initialization of the centres. From given centres Lloyd's algorithm runs once, without
        swaps.
    n_init : {'auto'} or int, default=10
        Number of initializations. With 'auto' there is one, as scikit-learn has it; the swaps make
        up for most of the others.
    n_swaps : int, default=10
        Number of swaps in a row without improvement after which the search ends. With 0 there are
        no swaps.
    max_iter : int, default=300
        Maximum number of iterations from each initialization.
    tol : float, default=1e-4
        Tolerance of the stopping rule. Lloyd's algorithm stops when the sum of the squared moves of
        all centres is at most ``tol`` times the mean variance of the features.
    random_state : int, RandomState instance or None, default=None
        Seed of all random numbers. The same int gives the same result bit for bit, for any
        ``n_jobs``.
    n_jobs : int, default=None
        Number of threads, at most one per core. None means one per core; one in the workers of
        joblib and other pools and for small data, and no more than ``OMP_NUM_THREADS``,
        ``RAYON_NUM_THREADS`` and threadpoolctl allow. -1 means one per core, -2 all cores but one.

    Attributes
    ----------
    cluster_centers_ : ndarray of shape (n_clusters, n_features_in_)
        Centres of the clusters.
    labels_ : ndarray of shape (n_samples,)
        Cluster of each sample.
    inertia_ : float
        Sum of the squared distances of all samples to the centres of their clusters.
    n_iter_ : int
        Number of iterations from the best initialization, or after the last swap.
    n_features_in_ : int
        Number of features of each sample.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features. Only set if ``X`` has feature names that are all strings.

    See Also
    --------
    clustering_accuracy : Agreement of clusters with classes.

    Examples
    --------
    >>> from deepnmf import KMeans
    >>> model = KMeans(2, random_state=0).fit([[0.0], [0.1], [5.0], [5.1]])
    >>> sorted(float(c) for c in model.cluster_centers_.ravel().round(2))
    [0.05, 5.05]
    """

    cluster_centers_: Floats
    _counts: NDArray[np.int64]
    labels_: Codes
    inertia_: float
    n_iter_: int
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        init: KMeansInit | ArrayLike = "k-means++",
        n_init: KMeansCount | int = 10,
        n_swaps: int = 10,
        max_iter: int = 300,
        tol: float = 1e-4,
        random_state: RandomState = None,
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

    def fit(self, X: ArrayLike, y: object = None) -> Self:
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
            The fitted estimator. Ctrl-C raises KeyboardInterrupt as usual; the estimator then
            holds the best clusters so far.
        """
        samples: Floats = check.samples(self, X)
        labels, centres, inertia, iterations, _, interruption = _core.kmeans(
            samples,
            check.whole("n_clusters", self.n_clusters),
            self._given_centres(samples),
            restarts=self._initializations(),
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
        self._counts = np.bincount(labels, minlength=len(centres))
        if interruption is not None:
            raise interruption
        found = len(np.unique(labels))
        if found < len(centres):
            warnings.warn(
                f"only {found} of {len(centres)} clusters have samples: there are fewer distinct "
                "samples than clusters",
                ConvergenceWarning,
                stacklevel=2,
            )
        return self

    def partial_fit(self, X: ArrayLike, y: object = None) -> Self:
        """Move the centres by a batch of samples, after those of earlier calls.

        The first batch is clustered as by `fit`. A later sample moves the nearest centre to the
        mean of all samples that were ever assigned to it (Sculley, 2010).

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Batch of samples, the first one with at least as many as there are clusters.
        y : object, default=None
            Ignored.

        Returns
        -------
        self
            The estimator. ``labels_`` and ``inertia_`` are those of this batch.
        """
        if not hasattr(self, "cluster_centers_"):
            return self.fit(X)
        centres = self.cluster_centers_
        samples: Floats = check.samples(self, X, dtype=centres.dtype, reset=False)
        distances = self._distances(samples)
        self.labels_ = distances.argmin(axis=1).astype(np.int64)
        nearest = distances.min(axis=1).astype(np.float64)
        self.inertia_ = float(nearest @ nearest)
        sums = np.zeros(centres.shape)
        np.add.at(sums, self.labels_, samples)
        new = np.bincount(self.labels_, minlength=len(centres))
        self._counts = self._counts + new
        moved = (sums - new[:, None] * centres) / np.maximum(self._counts, 1)[:, None]
        self.cluster_centers_ = (centres + moved).astype(centres.dtype)
        return self

    def _initializations(self) -> int:
        if isinstance(self.n_init, str):
            check.choice("n_init", self.n_init, KMeansCount)
            return 1
        return check.whole("n_init", self.n_init)

    def _given_centres(self, X: Floats) -> Floats | None:
        if isinstance(self.init, str):
            check.choice("init", self.init, KMeansInit)
            return None
        centres: Floats = check.contiguous(check_array(self.init, dtype=X.dtype))
        return centres

    def _distances(self, X: ArrayLike) -> Floats:
        check_is_fitted(self, "cluster_centers_")
        found = check_array(
            check.samples(self, X, dtype=self.cluster_centers_.dtype, reset=False),
            dtype=self.cluster_centers_.dtype,
        )
        return euclidean_distances(found, self.cluster_centers_)

    def predict(self, X: ArrayLike) -> Codes:
        """Assign each sample to the cluster with the nearest centre.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples,)
            Cluster of each sample.
        """
        nearest: Codes = self._distances(X).argmin(axis=1).astype(np.int64)
        return nearest

    def transform(self, X: ArrayLike) -> Floats:
        """Compute the distance of each sample to each centre.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples, n_clusters)
            Distances. After `set_output` a data frame of them.
        """
        return self._distances(X)

    def fit_transform(self, X: ArrayLike, y: object = None) -> Floats:
        """Cluster samples and compute their distances to the centres.

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

    def score(self, X: ArrayLike, y: object = None) -> float:
        """Measure how near samples are to the centres.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.
        y : object, default=None
            Ignored.

        Returns
        -------
        float
            Minus the sum of the squared distances to the nearest centres, so that more is better.
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
