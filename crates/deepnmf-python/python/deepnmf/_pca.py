"""Whitened principal components."""

from __future__ import annotations

from typing import Any

from . import _check as check
from ._base import Factorization, Task
from ._check import Floats
from ._docs import documented


@documented
class WhitenedPCA(Factorization):
    """Whitened principal components: the baseline that a factorization has to beat.

    Features have variance 1, are uncorrelated and have any sign.

    Parameters
    ----------
    <components>
    random_state : int, RandomState instance or None, default=None
        The seed of the randomized decomposition.
    n_jobs : int, default=None
        The number of threads; None and -1 stand for one per core.

    Attributes
    ----------
    mean_ : ndarray of shape (n_features,)
        What is taken off every sample first.
    <attributes>

    See Also
    --------
    SemiNMF : Features without negative numbers.

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
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_components = n_components
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _settings(self, task: Task) -> dict[str, Any]:
        components = check.components(self.n_components, task.shape)
        return {"components": components, "seed": task.seed}

    @classmethod
    def _params(cls, settings: dict[str, Any]) -> dict[str, Any]:
        return {"n_components": settings["components"], "random_state": settings["seed"]}

    @property
    def mean_(self) -> Floats:
        """The mean of the fitted samples."""
        offset = self._fitted.offset
        assert offset is not None  # every such model has one
        return offset.reshape(-1)
