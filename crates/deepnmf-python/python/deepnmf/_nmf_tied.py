"""NMF whose features are held: by near samples (GNMF) or by classes (CNMF, DNMF)."""

from __future__ import annotations

from typing import Any

from . import _check as check
from . import _settings as settings_of
from ._base import Factorization, LabelledFactorization, Task
from ._docs import documented
from ._watch import Callback

_WEIGHTS = ("binary", "heat", "dot")
_SEARCHES = ("auto", "exact", "approximate")


@documented
class GNMF(Factorization):
    """GNMF: NMF whose features keep near samples near.

    Every sample is tied to its nearest ones.

    Parameters
    ----------
    <components>
    lam : float, default=100.0
        The weight of the ties.
    n_neighbors : int, default=5
        How many nearest samples each one is tied to; all others where there are fewer.
    weights : {'binary', 'heat', 'dot'}, default='binary'
        How much they count: all alike, near ones more, or by their dot product.
    sigma : float, default=None
        The width of 'heat'; the median distance of neighbours if None.
    search : {'auto', 'exact', 'approximate'}, default='auto'
        How they are found: by comparing all samples, which suits up to 20000 of them, or by a
        search that misses a few.
    <non_negative_start>
    <solver: multiplicative, 1>
    <stop>
    <common>

    Attributes
    ----------
    <attributes>

    See Also
    --------
    NMF : Without ties.

    References
    ----------
    D. Cai, X. He, J. Han and T. Huang, Graph regularized nonnegative matrix factorization for
    data representation, 2011.

    Examples
    --------
    >>> import numpy as np
    >>> from deepnmf import GNMF
    >>> X = np.random.default_rng(0).random((50, 8))
    >>> GNMF(3, lam=1.0, n_neighbors=3).fit_transform(X).shape
    (50, 3)
    """

    _name = "gnmf"
    _takes_negative = False

    def __init__(
        self,
        n_components: int | None = None,
        *,
        lam: float = 100.0,
        n_neighbors: int = 5,
        weights: str = "binary",
        sigma: float | None = None,
        search: str = "auto",
        init: str = "nndsvda",
        solver: str = "multiplicative",
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
        self.lam = lam
        self.n_neighbors = n_neighbors
        self.weights = weights
        self.sigma = sigma
        self.search = search
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
        others = task.shape[0] - 1
        if others == 0:
            raise ValueError("GNMF ties samples to each other, but there is only 1 sample")
        components = check.components(self.n_components, task.shape)
        return {
            "nmf": settings_of.nmf(self, components, task.seed),
            "lambda": check.number("lam", self.lam),
            "neighbours": min(check.whole("n_neighbors", self.n_neighbors), others),
            "weights": settings_of.graph(self.weights, self.sigma, "weights", _WEIGHTS),
            "search": check.choice("search", self.search, _SEARCHES),
        }

    @classmethod
    def _params(cls, settings: dict[str, Any]) -> dict[str, Any]:
        return {
            "n_components": settings["nmf"]["components"],
            "lam": settings["lambda"],
            "n_neighbors": settings["neighbours"],
            "weights": settings["weights"]["weights"],
            "sigma": settings["weights"].get("sigma"),
            "search": settings.get("search", "auto"),
            **settings_of.nmf_params(settings["nmf"]),
        }


@documented
class CNMF(LabelledFactorization):
    """CNMF: NMF in which samples of the same class have the same features.

    Samples of unknown class have features of their own. Without labels this is `NMF`.

    Parameters
    ----------
    <components>
    <non_negative_start>
    <solver: multiplicative, 1>
    <stop>
    <common>

    Attributes
    ----------
    <attributes>

    See Also
    --------
    DNMF : Classes are only drawn together.

    References
    ----------
    H. Liu, Z. Wu, X. Li, D. Cai and T. Huang, Constrained nonnegative matrix factorization for
    image representation, 2012.

    Examples
    --------
    >>> import numpy as np
    >>> from deepnmf import CNMF
    >>> X = np.random.default_rng(0).random((50, 8))
    >>> y = np.where(np.arange(50) < 20, np.arange(50) % 2, -1)
    >>> H = CNMF(3).fit(X, y).features_[0]
    >>> bool((H[0] == H[2]).all())
    True
    """

    _name = "cnmf"
    _takes_negative = False

    def __init__(
        self,
        n_components: int | None = None,
        *,
        init: str = "nndsvda",
        solver: str = "multiplicative",
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
        return {"nmf": settings_of.nmf(self, components, task.seed)}

    @classmethod
    def _params(cls, settings: dict[str, Any]) -> dict[str, Any]:
        nmf = settings["nmf"]
        return {"n_components": nmf["components"], **settings_of.nmf_params(nmf)}


@documented
class DNMF(LabelledFactorization):
    """DNMF: NMF with Fisher's criterion on the features, so that classes are tight and apart.

    Any label may be unknown. Without labels this is `NMF`.

    Parameters
    ----------
    <components>
    gamma : float, default=0.1
        The weight of the scatter within classes.
    delta : float, default=0.0
        The weight of the scatter between classes.
    <non_negative_start>
    <solver: multiplicative, 1>
    <stop>
    <common>

    Attributes
    ----------
    <attributes>

    See Also
    --------
    CNMF : Samples of a class have the same features.

    References
    ----------
    S. Zafeiriou, A. Tefas, I. Buciu and I. Pitas, Exploiting discriminant information in
    nonnegative matrix factorization with application to frontal face verification, 2006.

    Examples
    --------
    >>> import numpy as np
    >>> from deepnmf import DNMF
    >>> X = np.random.default_rng(0).random((50, 8))
    >>> DNMF(3, gamma=0.5).fit(X, np.arange(50) % 2).features_[0].shape
    (50, 3)
    """

    _name = "dnmf"
    _takes_negative = False

    def __init__(
        self,
        n_components: int | None = None,
        *,
        gamma: float = 0.1,
        delta: float = 0.0,
        init: str = "nndsvda",
        solver: str = "multiplicative",
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
        self.gamma = gamma
        self.delta = delta
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
        return {
            "nmf": settings_of.nmf(self, components, task.seed),
            "gamma": check.number("gamma", self.gamma),
            "delta": check.number("delta", self.delta),
        }

    @classmethod
    def _params(cls, settings: dict[str, Any]) -> dict[str, Any]:
        nmf = settings["nmf"]
        own = {"gamma": settings["gamma"], "delta": settings["delta"]}
        return {"n_components": nmf["components"], **own, **settings_of.nmf_params(nmf)}
