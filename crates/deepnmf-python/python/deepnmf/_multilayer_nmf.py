"""Multi-layer NMF."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from . import _check as check
from . import _settings as settings_of
from ._base import Task
from ._types import BetaLoss, Json, Missing, NonNegativeInit, RandomState, Solver
from ._watch import Callback
from ._weighted import Weighable


class MultilayerNMF(Weighable):
    """Factorize non-negative samples into several non-negative layers (multi-layer NMF).

    The model is ``X ~ Z_1 Z_2 ... Z_m H_m`` with non-negative factors. First each layer factorizes
    the features of the layer below, then all layers are fitted together. With
    ``beta_loss='kullback-leibler'`` it suits counts: topics in several layers.

    Parameters
    ----------
    layers : sequence of int, default=None
        Number of components of each layer. The first layer is the one next to the data. If None, 40
        and 10, or fewer if there are fewer samples or features.
    init : {'nndsvda', 'nndsvd', 'nndsvdar', 'random'}, default='nndsvda'
        Initialization of the factors:

        - 'nndsvda': non-negative double singular value decomposition, with zeros replaced by the
          mean of the data;
        - 'nndsvd': the same with zeros, which multiplicative updates cannot change;
        - 'nndsvdar': the same with zeros replaced by small random numbers;
        - 'random': uniform random numbers.
    beta_loss : {'frobenius', 'kullback-leibler'}, default='frobenius'
        What is minimized; 2 and 1 are accepted, too. The Kullback-Leibler divergence needs
        ``solver='hals'``, and ``transform`` minimizes it too.
    solver : {'hals', 'multiplicative', 'accelerated'}, default='hals'
        Update rule for the greedy factorization of each layer. All layers together are then updated
        by multiplicative rules, or in the Kullback-Leibler divergence by coordinate descent and
        bases between others by multiplicative rules:

        - 'hals': coordinate descent (hierarchical alternating least squares);
        - 'multiplicative': multiplicative updates, as published by Lee and Seung;
        - 'accelerated': accelerated projected gradient.
    eta : float, default=None
        Exponent of the multiplicative rule, above 0 and at most 1. If None, 1. Only for
        ``solver='multiplicative'``.
    inner : int, default=None
        Maximum number of steps of the solver in one iteration: sweeps of 'hals' (10 if None),
        updates of 'multiplicative' (10 if None) or gradient steps of 'accelerated' (20 if None).
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
        Frobenius norm of the difference between the data and their reconstruction, or the square
        root of twice the Kullback-Leibler divergence, as scikit-learn defines it.
    svd_bound_ : float or None
        Smallest ``reconstruction_err_`` of any linear model with ``n_components_`` components. None
        if ``measure_bound`` is False, and for the Kullback-Leibler divergence.
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
        init: NonNegativeInit = "nndsvda",
        beta_loss: BetaLoss = "frobenius",
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
        self.layers = layers
        self.init = init
        self.beta_loss = beta_loss
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
        # The number of components of the inner NMF is ignored: each layer has its own.
        return {
            "layers": check.layer_sizes(self.layers, task.shape),
            "nmf": {
                **settings_of.nmf(self, 1, task.seed, settings_of.REPEATED),
                **settings_of.divergence(self),
            },
        }

    @classmethod
    def _params(cls, settings: Json) -> dict[str, Any]:
        return {
            "layers": tuple(settings["layers"]),
            **settings_of.nmf_params(settings["nmf"]),
            **settings_of.divergence_params(settings["nmf"]),
        }
