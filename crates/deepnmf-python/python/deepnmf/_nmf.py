"""Factorizations into two or more matrices without negative numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from . import _check as check
from . import _settings as settings_of
from ._base import Factorization, Task
from ._docs import documented
from ._watch import Callback


@documented
class NMF(Factorization):
    """NMF: non-negative samples as non-negative combinations of non-negative components.

    ``X ~ Z H`` with nothing negative, by coordinate descent with extrapolation.

    Parameters
    ----------
    <components>
    <non_negative_start>
    <solver: hals, 1>
    <stop>
    <common>

    Attributes
    ----------
    <attributes>

    See Also
    --------
    SemiNMF : For data of any sign.
    GNMF : Features that keep near samples near.

    References
    ----------
    D. Lee and S. Seung, Algorithms for non-negative matrix factorization, 2001.
    A. Ang and N. Gillis, Accelerating nonnegative matrix factorization algorithms using
    extrapolation, 2019.

    Examples
    --------
    >>> import numpy as np
    >>> from deepnmf import NMF
    >>> X = np.random.default_rng(0).random((50, 8))
    >>> model = NMF(3).fit(X)
    >>> bool((model.components_ >= 0).all())
    True
    """

    _name = "nmf"
    _takes_negative = False

    def __init__(
        self,
        n_components: int | None = None,
        *,
        init: str = "nndsvda",
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
        components = check.components(self.n_components, task.shape)
        return settings_of.nmf(self, components, task.seed, settings_of.REPEATED)

    @classmethod
    def _params(cls, settings: dict[str, Any]) -> dict[str, Any]:
        return {"n_components": settings["components"], **settings_of.nmf_params(settings)}


@documented
class NeNMF(Factorization):
    """NeNMF: NMF by Nesterov's method as published, to compare with.

    It has a rule of its own for both factors; `NMF` is faster.

    Parameters
    ----------
    <components>
    <non_negative_start>
    <stop>
    <common>

    Attributes
    ----------
    <attributes>

    See Also
    --------
    NMF : The same by other rules.

    References
    ----------
    N. Guan, D. Tao, Z. Luo and B. Yuan, NeNMF: an optimal gradient method for nonnegative matrix
    factorization, 2012.

    Examples
    --------
    >>> import numpy as np
    >>> from deepnmf import NeNMF
    >>> X = np.random.default_rng(0).random((50, 8))
    >>> NeNMF(3).fit_transform(X).shape
    (50, 3)
    """

    _name = "nenmf"
    _takes_negative = False

    def __init__(
        self,
        n_components: int | None = None,
        *,
        init: str = "nndsvda",
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
        self.max_iter = max_iter
        self.tol = tol
        self.max_seconds = max_seconds
        self.measure_bound = measure_bound
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.callback = callback

    # What a model file says of a rule that is of no account.
    solver, eta, inner = "hals", None, None

    def _settings(self, task: Task) -> dict[str, Any]:
        components = check.components(self.n_components, task.shape)
        return {"nmf": settings_of.nmf(self, components, task.seed)}

    @classmethod
    def _params(cls, settings: dict[str, Any]) -> dict[str, Any]:
        params = settings_of.nmf_params(settings["nmf"])
        own = {name: params[name] for name in params if name not in ("solver", "eta", "inner")}
        return {"n_components": settings["nmf"]["components"], **own}


@documented
class MultilayerNMF(Factorization):
    """Multi-layer NMF: layers of NMF, tuned together by multiplicative rules.

    ``X ~ Z_1 Z_2 ... Z_m H_m`` with nothing negative.

    Parameters
    ----------
    <layers>
    <non_negative_start>
    <solver: hals, 1>
    <stop>
    <common>

    Attributes
    ----------
    <attributes>

    See Also
    --------
    DeepSemiNMF : For data of any sign.

    References
    ----------
    H. Song and S. Lee, Hierarchical data representation model: multi-layer NMF, 2013.

    Examples
    --------
    >>> import numpy as np
    >>> from deepnmf import MultilayerNMF
    >>> X = np.random.default_rng(0).random((50, 8))
    >>> MultilayerNMF((6, 3)).fit(X).layers_
    (6, 3)
    """

    _name = "multilayer-nmf"
    _takes_negative = False

    def __init__(
        self,
        layers: Sequence[int] | None = None,
        *,
        init: str = "nndsvda",
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
        self.layers = layers
        self.init = init
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
        # The components of the factorization are of no account: each layer has its own.
        return {
            "layers": check.layer_sizes(self.layers, task.shape),
            "nmf": settings_of.nmf(self, 1, task.seed, settings_of.REPEATED),
        }

    @classmethod
    def _params(cls, settings: dict[str, Any]) -> dict[str, Any]:
        return {
            "layers": tuple(settings["layers"]),
            **settings_of.nmf_params(settings["nmf"]),
        }
