"""Agreement of clusters with classes, and the smallest error of a factorization."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _check as check
from . import _core
from ._labels import attributes
from ._sklearn import check_array
from ._types import Average, Codes, Labels, RandomState, SamplesLike


def clustering_accuracy(y_true: Labels, y_pred: Labels) -> float:
    """Compute the share of samples in the right cluster (AC).

    Clusters are matched to classes so that the share is as large as possible. Samples with an
    unknown label (-1, NaN or None) are ignored.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Classes.
    y_pred : array-like of shape (n_samples,)
        Clusters. Their names and their number may differ from those of the classes.

    Returns
    -------
    float
        A number from 0 to 1.

    Examples
    --------
    >>> from deepnmf import clustering_accuracy
    >>> clustering_accuracy(["anna", "anna", "bob", "bob", None], [7, 7, 3, 7, 3])
    0.75
    """
    return _core.accuracy(*_both(y_true, y_pred))


def normalized_mutual_info(
    y_true: Labels, y_pred: Labels, *, average: Average = "geometric"
) -> float:
    """Compute the mutual information of classes and clusters over a mean of their entropies (NMI).

    Samples with an unknown label (-1, NaN or None) are ignored.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Classes.
    y_pred : array-like of shape (n_samples,)
        Clusters.
    average : {'geometric', 'arithmetic', 'min', 'max'}, default='geometric'
        Mean of the entropies. The paper uses 'geometric', scikit-learn by default 'arithmetic'.

    Returns
    -------
    float
        A number from 0 to 1.

    Examples
    --------
    >>> from deepnmf import normalized_mutual_info
    >>> normalized_mutual_info([1, 1, 2, 2], [5, 5, 9, 9])
    1.0
    """
    return _core.nmi(*_both(y_true, y_pred), average)


def _both(y_true: Labels, y_pred: Labels) -> tuple[Codes, Codes]:
    return _codes("y_true", y_true), _codes("y_pred", y_pred)


def _codes(name: str, labels: Any) -> Codes:
    count = len(labels) if hasattr(labels, "__len__") else len(np.asarray(labels))
    found = attributes(labels, count)
    if len(found) != 1:
        raise ValueError(f"{name} must be a list of labels, one for each sample")
    return found[0].codes


def svd_bound(
    X: SamplesLike, n_components: int, *, random_state: RandomState = 0, n_jobs: int | None = None
) -> float:
    """Compute the smallest error of any linear factorization.

    It is the error of the truncated singular value decomposition of ``X`` (Eckart and Young).

    Parameters
    ----------
    X : array-like or sparse array of shape (n_samples, n_features)
        Samples.
    n_components : int
        Number of components.
    random_state : int, RandomState instance or None, default=0
        Seed of the randomized decomposition.
    n_jobs : int, default=None
        Number of threads, at most one per core. None means one per core; one in the workers of
        joblib and other pools and for small data, and no more than ``OMP_NUM_THREADS``,
        ``RAYON_NUM_THREADS`` and threadpoolctl allow. -1 means one per core, -2 all cores but one.

    Returns
    -------
    float
        Frobenius norm of the difference between ``X`` and the decomposition.

    Examples
    --------
    >>> from deepnmf import svd_bound
    >>> round(svd_bound([[3.0, 0.0], [0.0, 4.0]], 1), 6)
    3.0
    """
    formats = ("csr", "csc")
    numbers = [np.float64, np.float32]
    found = check_array(X, accept_sparse=formats, dtype=numbers, ensure_all_finite=False)
    return _core.smallest_error(
        check.contiguous(found),
        check.whole("n_components", n_components),
        check.seed(random_state),
        check.threads(n_jobs),
    )
