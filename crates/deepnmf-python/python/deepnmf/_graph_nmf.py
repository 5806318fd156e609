"""Graph-regularized NMF: GNMF."""

from __future__ import annotations

from typing import Any

from . import _check as check
from . import _settings as settings_of
from ._base import Task
from ._nmf import NonNegative
from ._types import (
    Json,
    Missing,
    NeighborSearch,
    NeighborWeights,
    NonNegativeInit,
    RandomState,
    ShallowVariant,
    Solver,
)
from ._watch import Callback


class GNMF(NonNegative):
    """Factorize non-negative samples with a nearest-neighbour graph penalty (GNMF).

    Graph-regularized NMF minimizes ``|X - Z H|^2 / 2 + lam Tr(Z H L H^T Z^T) / 2`` with ``Z >= 0``
    and ``H >= 0``, where ``L`` is the Laplacian of a graph that connects each sample to its nearest
    neighbours. So near samples get similar features.

    Parameters
    ----------
    n_components : int, default=None
        Number of components. If None, 10, or fewer if there are fewer samples or features.
    lam : float, default=1.0
        Weight of the graph penalty, at least 0. With 1, samples are drawn half of the way to those
        that the graph connects them to. Rust and the program call it ``lambda``, which is a
        keyword in Python.
    variant : {'scale-free', 'printed'}, default='scale-free'
        Graph penalty:

        - 'scale-free': ``Tr(Z H L H^T Z^T)`` with a normalized graph: its effect does not depend on
          the scale of features or data, nor on the number of samples;
        - 'printed': ``Tr(H L H^T)`` as published, whose effect fades as features shrink.
    n_neighbors : int, default=5
        Number of nearest neighbours that each sample has an edge to. All other samples if there are
        fewer.
    neighbor_weights : {'binary', 'heat', 'dot', 'cosine'}, default='binary'
        Weight of the edge between two neighbours ``a`` and ``b``:

        - 'binary': 1;
        - 'heat': ``exp(-|a - b|^2 / (2 sigma^2))``;
        - 'dot': the dot product of ``a`` and ``b``;
        - 'cosine': the cosine of the angle between them, 0 if that is negative.
    sigma : float, default=None
        Width of the weights 'heat', above 0. If None, the median distance between neighbours. Not
        allowed with other weights.
    neighbor_search : {'auto', 'exact', 'approximate'}, default='auto'
        How the nearest neighbours are found:

        - 'auto': 'exact' for up to 20000 samples, otherwise 'approximate';
        - 'exact': by comparing all pairs of samples;
        - 'approximate': cell by cell, which misses a few neighbours.
    init : {'nndsvda', 'nndsvd', 'nndsvdar', 'random'}, default='nndsvda'
        Initialization of the factors:

        - 'nndsvda': non-negative double singular value decomposition, with zeros replaced by the
          mean of the data;
        - 'nndsvd': the same with zeros, which multiplicative updates cannot change;
        - 'nndsvdar': the same with zeros replaced by small random numbers;
        - 'random': uniform random numbers.
    solver : {'hals', 'multiplicative', 'accelerated'}, default='hals'
        Update rule for both factors:

        - 'hals': coordinate descent (hierarchical alternating least squares);
        - 'multiplicative': multiplicative updates, as published by Lee and Seung;
        - 'accelerated': accelerated projected gradient.
    eta : float, default=None
        Exponent of the multiplicative rule, above 0 and at most 1. If None, 1. Only for
        ``solver='multiplicative'``.
    inner : int, default=None
        Maximum number of steps of the solver in one iteration: sweeps of 'hals' (10 if None),
        updates of 'multiplicative' (1 if None) or gradient steps of 'accelerated' (20 if None).
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
    NMF : Without a graph.

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

    def __init__(
        self,
        n_components: int | None = None,
        *,
        lam: float = 1.0,
        variant: ShallowVariant = "scale-free",
        n_neighbors: int = 5,
        neighbor_weights: NeighborWeights = "binary",
        sigma: float | None = None,
        neighbor_search: NeighborSearch = "auto",
        init: NonNegativeInit = "nndsvda",
        solver: Solver = "hals",
        eta: float | None = None,
        inner: int | None = None,
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
        self.n_components = n_components
        self.lam = lam
        self.variant = variant
        self.n_neighbors = n_neighbors
        self.neighbor_weights = neighbor_weights
        self.sigma = sigma
        self.neighbor_search = neighbor_search
        self.init = init
        self.solver = solver
        self.eta = eta
        self.inner = inner
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
        others = task.shape[0] - 1
        if others == 0:
            raise ValueError("GNMF needs a graph between samples, but there is only 1 sample")
        return {
            **super()._settings(task),
            "lambda": check.number("lam", self.lam),
            "neighbours": min(check.whole("n_neighbors", self.n_neighbors), others),
            "weights": settings_of.neighbor_graph(self),
            "search": check.choice("neighbor_search", self.neighbor_search, NeighborSearch),
            "variant": check.choice("variant", self.variant, ShallowVariant),
        }

    @classmethod
    def _params(cls, settings: Json) -> dict[str, Any]:
        return {
            **super()._params(settings),
            "lam": settings["lambda"],
            "n_neighbors": settings["neighbours"],
            **settings_of.neighbor_graph_params(settings["weights"]),
            "neighbor_search": settings.get("search", "auto"),  # old files lack it
            "variant": settings.get("variant", "printed"),
        }
