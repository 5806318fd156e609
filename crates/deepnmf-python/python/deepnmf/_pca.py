"""Whitened principal components."""

from __future__ import annotations

from typing import Any

from . import _check as check
from ._base import Factorization, Task
from ._types import Floats, Json, Missing, RandomState


class WhitenedPCA(Factorization):
    """Project samples onto their principal components, scaled to variance 1.

    The features are uncorrelated and may have any sign. This is the baseline that a factorization
    should beat.

    Parameters
    ----------
    n_components : int, default=None
        Number of components. If None, 10, or fewer if there are fewer samples or features.
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

    Attributes
    ----------
    mean_ : ndarray of shape (n_features,)
        Mean of the fitted samples, which is subtracted from every sample.
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
    svd_bound_ : None
        Not computed. The bound for this number of components does not apply, because the mean acts
        as one more component.
    n_iter_ : int
        Number of iterations of the loop that determines the top layer.
    history_ : ndarray of shape (n_iter_ + 1,)
        Error at the start of that loop and after each of its iterations. Where the loop minimizes
        another objective than the squared error, the square root of twice that objective.
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
    n_features_in_ : int
        Number of features of each sample.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features. Only set if ``X`` has feature names that are all strings.

    See Also
    --------
    SemiNMF : Non-negative features.

    Examples
    --------
    >>> import numpy as np
    >>> from deepnmf import WhitenedPCA
    >>> X = np.random.default_rng(0).random((50, 8))
    >>> WhitenedPCA(3).fit_transform(X).std(axis=0).round(6)
    array([1., 1., 1.])
    """

    _name = "whitened-pca"
    _method = "basis"

    def __init__(
        self,
        n_components: int | None = None,
        *,
        missing: Missing | None = None,
        random_state: RandomState = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_components = n_components
        self.missing = missing
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _settings(self, task: Task) -> Json:
        components = check.components(self.n_components, task.shape)
        return {"components": components, "seed": task.seed}

    @classmethod
    def _params(cls, settings: Json) -> dict[str, Any]:
        return {"n_components": settings["components"], "random_state": settings["seed"]}

    @property
    def mean_(self) -> Floats:
        """Mean of the fitted samples."""
        offset = self._fitted.offset
        assert offset is not None  # every such model has one
        return offset.reshape(-1)
