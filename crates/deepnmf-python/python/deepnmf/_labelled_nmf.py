"""NMF that learns from labels: CNMF and DNMF."""

from __future__ import annotations

from typing import Any

from . import _check as check
from ._base import LabelledFactorization, Task
from ._nmf import NonNegative
from ._types import Json, Missing, NonNegativeInit, RandomState, Solver
from ._watch import Callback


class CNMF(NonNegative, LabelledFactorization):
    """Factorize non-negative samples with equal features within each class (CNMF).

    Constrained NMF gives all samples of a class the same features. Samples of unknown class have
    features of their own. Without labels this is `NMF`. Use it as a baseline.

    Parameters
    ----------
    n_components : int, default=None
        Number of components. If None, 10, or fewer if there are fewer samples or features.
    init : {'nndsvda', 'nndsvd', 'nndsvdar', 'random'}, default='nndsvda'
        Initialization of the factors:

        - 'nndsvda': non-negative double singular value decomposition, with zeros replaced by the
          mean of the data;
        - 'nndsvd': the same with zeros, which multiplicative updates cannot change;
        - 'nndsvdar': the same with zeros replaced by small random numbers;
        - 'random': uniform random numbers.
    solver : {'hals', 'multiplicative', 'accelerated'}, default='multiplicative'
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
    DNMF : With a penalty in place of the constraint.

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

    def __init__(
        self,
        n_components: int | None = None,
        *,
        init: NonNegativeInit = "nndsvda",
        solver: Solver = "multiplicative",
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


class DNMF(NonNegative, LabelledFactorization):
    """Factorize non-negative samples with a penalty that separates classes (DNMF).

    Discriminant NMF minimizes ``|X - Z H|^2 / 2 + gamma Tr(S_w) / 2 - delta Tr(S_b) / 2`` with
    ``Z >= 0`` and ``H >= 0``, where ``S_w`` is the scatter of the features within classes and
    ``S_b`` the scatter between classes (Fisher's criterion). Any label may be unknown. Without
    labels this is `NMF`. Use it as a baseline.

    Parameters
    ----------
    n_components : int, default=None
        Number of components. If None, 10, or fewer if there are fewer samples or features.
    gamma : float, default=0.1
        Weight of the penalty ``Tr(S_w)`` on the scatter within classes, at least 0.
    delta : float, default=0.0
        Weight of the reward ``Tr(S_b)`` for the scatter between classes, at least 0. If above 0,
        each component is scaled to the sum 1, and the fit ends with the first iteration that does
        not lower the objective.
    init : {'nndsvda', 'nndsvd', 'nndsvdar', 'random'}, default='nndsvda'
        Initialization of the factors:

        - 'nndsvda': non-negative double singular value decomposition, with zeros replaced by the
          mean of the data;
        - 'nndsvd': the same with zeros, which multiplicative updates cannot change;
        - 'nndsvdar': the same with zeros replaced by small random numbers;
        - 'random': uniform random numbers.
    solver : {'hals', 'multiplicative', 'accelerated'}, default='multiplicative'
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
    CNMF : With equal features within each class.

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

    def __init__(
        self,
        n_components: int | None = None,
        *,
        gamma: float = 0.1,
        delta: float = 0.0,
        init: NonNegativeInit = "nndsvda",
        solver: Solver = "multiplicative",
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
        self.missing = missing
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.callback = callback

    def _settings(self, task: Task) -> Json:
        return {
            **super()._settings(task),
            "gamma": check.number("gamma", self.gamma),
            "delta": check.number("delta", self.delta),
        }

    @classmethod
    def _params(cls, settings: Json) -> dict[str, Any]:
        own = {"gamma": settings["gamma"], "delta": settings["delta"]}
        return {**super()._params(settings), **own}
