"""Semi-NMF and Deep Semi-NMF."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from . import _check as check
from . import _settings as settings_of
from ._base import Factorization, Task
from ._docs import documented
from ._watch import Callback


@documented
class SemiNMF(Factorization):
    """Semi-NMF: samples as non-negative combinations of components of any sign.

    ``X ~ Z H`` with ``H >= 0``; data may be negative. For data without negative numbers the
    default start is already the best there is, as good as a truncated SVD.

    Parameters
    ----------
    <components>
    <start>
    <solver: hals, 0.5>
    <stop>
    <common>

    Attributes
    ----------
    <attributes>

    See Also
    --------
    DeepSemiNMF : Several layers.
    WSF : With labels of some samples.
    NMF : Components without negative numbers too.

    References
    ----------
    C. Ding, T. Li and M. Jordan, Convex and semi-nonnegative matrix factorizations, 2010.
    N. Gillis and A. Kumar, Exact and heuristic algorithms for semi-nonnegative matrix
    factorization, 2014.

    Examples
    --------
    >>> import numpy as np
    >>> from deepnmf import SemiNMF
    >>> X = np.random.default_rng(0).random((50, 8))
    >>> model = SemiNMF(3).fit(X)
    >>> model.components_.shape, model.features_[0].shape
    ((3, 8), (50, 3))
    >>> bool(model.reconstruction_err_ < 1.000001 * model.svd_bound_)
    True
    """

    _name = "semi-nmf"

    def __init__(
        self,
        n_components: int | None = None,
        *,
        init: str = "optimal",
        scale: str = "auto",
        solver: str = "hals",
        eta: float | None = None,
        inner: int | None = None,
        max_iter: int = 1000,
        tol: float = 1e-6,
        max_seconds: float | None = None,
        measure_bound: bool = True,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
        callback: Callback | None = None,
    ) -> None:
        self.n_components = n_components
        self.init = init
        self.scale = scale
        self.solver = solver
        self.eta = eta
        self.inner = inner
        self.max_iter = max_iter
        self.tol = tol
        self.max_seconds = max_seconds
        self.measure_bound = measure_bound
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.callback = callback

    def _settings(self, task: Task) -> dict[str, Any]:
        return {
            "components": check.components(self.n_components, task.shape),
            "options": settings_of.options(self, task.seed),
        }

    @classmethod
    def _params(cls, settings: dict[str, Any]) -> dict[str, Any]:
        return {
            "n_components": settings["components"],
            **settings_of.options_params(settings["options"]),
        }


@documented
class DeepSemiNMF(Factorization):
    """Deep Semi-NMF: layers of non-negative features, one representation above the other.

    ``X ~ Z_1 g(Z_2 ... g(Z_m H_m))`` with ``H_i >= 0``. Layers are factorized greedily, each on
    the features of the one below, and then tuned together.

    Parameters
    ----------
    <layers>
    <deep>
    <start>
    <solver: hals, 0.5>
    <deep_stop>
    <common>

    Attributes
    ----------
    <attributes>

    See Also
    --------
    SemiNMF : One layer.
    DeepWSF : With labels of some samples.

    References
    ----------
    G. Trigeorgis, K. Bousmalis, S. Zafeiriou and B. Schuller, A deep matrix factorization method
    for learning attribute representations, 2017.

    Examples
    --------
    >>> from deepnmf import DeepSemiNMF, load_faces
    >>> faces = load_faces(identities=4, size=16)
    >>> model = DeepSemiNMF((20, 4), activation="relu", max_iter=30, tol=0).fit(faces.X)
    >>> [h.shape for h in model.features_]
    [(180, 20), (180, 4)]
    >>> model.transform(faces.X[:3], layer=1).shape
    (3, 20)
    """

    _name = "deep-semi-nmf"

    def __init__(
        self,
        layers: Sequence[int] | None = None,
        *,
        activation: str = "identity",
        loss: str = "paper",
        loss_weights: float | Sequence[float] | None = None,
        optimizer: str = "auto",
        step: float | None = None,
        ridge: float = 0.0,
        sparsity: float = 0.0,
        normal_form: str = "none",
        form: str = "fast",
        init: str = "optimal",
        scale: str = "auto",
        solver: str = "hals",
        eta: float | None = None,
        inner: int | None = None,
        max_iter: int | None = None,
        tol: float = 1e-6,
        max_seconds: float | None = None,
        measure_bound: bool = True,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
        callback: Callback | None = None,
    ) -> None:
        self.layers = layers
        self.activation = activation
        self.loss = loss
        self.loss_weights = loss_weights
        self.optimizer = optimizer
        self.step = step
        self.ridge = ridge
        self.sparsity = sparsity
        self.normal_form = normal_form
        self.form = form
        self.init = init
        self.scale = scale
        self.solver = solver
        self.eta = eta
        self.inner = inner
        self.max_iter = max_iter
        self.tol = tol
        self.max_seconds = max_seconds
        self.measure_bound = measure_bound
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.callback = callback

    def _settings(self, task: Task) -> dict[str, Any]:
        return settings_of.deep(self, task.shape, task.seed)

    @classmethod
    def _params(cls, settings: dict[str, Any]) -> dict[str, Any]:
        return settings_of.deep_params(settings)
