"""Non-negative matrix factorization: NMF and NeNMF."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Literal

from numpy.typing import ArrayLike

from . import _check as check
from . import _settings as settings_of
from ._base import Factorization, Task
from ._stream import Streaming
from ._types import (
    BetaLoss,
    CustomInit,
    FilePath,
    Floats,
    Json,
    Labels,
    Missing,
    NonNegativeInit,
    RandomState,
    SamplesLike,
    Solver,
)
from ._warm import WarmStarting
from ._watch import Callback
from ._weighted import Weighable

if TYPE_CHECKING:
    from typing_extensions import Self


class NonNegative(Factorization):
    """Models that extend NMF; their settings hold those of NMF under the key "nmf"."""

    _takes_negative: ClassVar[bool] = False
    n_components: int | None

    def _settings(self, task: Task) -> Json:
        components = check.components(self.n_components, task.shape)
        return {"nmf": settings_of.nmf(self, components, task.seed)}

    @classmethod
    def _params(cls, settings: Json) -> dict[str, Any]:
        nmf = settings["nmf"]
        return {"n_components": nmf["components"], **settings_of.nmf_params(nmf)}


class NMF(WarmStarting, Streaming):
    """Factorize non-negative samples into non-negative components and features (NMF).

    It minimizes ``|X - Z H|^2`` with ``Z >= 0`` and ``H >= 0``, by default by coordinate descent
    with extrapolation, or with ``beta_loss='kullback-leibler'`` the divergence
    ``sum(x * log(x / (Z H)) - x + Z H)``, which suits counts. Zeros of sparse data cost nothing.

    Parameters
    ----------
    n_components : int, default=None
        Number of components. If None, 10, or fewer if there are fewer samples or features.
    init : {'nndsvda', 'nndsvd', 'nndsvdar', 'random', 'custom'}, default='nndsvda'
        Initialization of the factors:

        - 'nndsvda': non-negative double singular value decomposition, with zeros replaced by the
          mean of the data;
        - 'nndsvd': the same with zeros, which multiplicative updates cannot change;
        - 'nndsvdar': the same with zeros replaced by small random numbers;
        - 'random': uniform random numbers;
        - 'custom': ``W`` and ``H`` as given to `fit`.
    beta_loss : {'frobenius', 'kullback-leibler'}, default='frobenius'
        What is minimized; 2 and 1 are accepted, too. The Kullback-Leibler divergence needs
        ``solver='hals'``, and ``transform`` minimizes it too.
    alpha_W : float, default=0.0
        Weight of the penalty on the features, which scikit-learn calls W. As there, the objective
        is half the squared error, or the divergence, plus
        ``alpha_W * n_features * (l1_ratio * sum(H) + (1 - l1_ratio) / 2 * sum(H**2))``.
        ``transform`` has it too.
    alpha_H : {'same'} or float, default='same'
        Weight of the penalty on the basis, which scikit-learn calls H, times `n_samples`. If
        'same', that of `alpha_W`. With a penalty on one factor alone the other one grows instead.
    l1_ratio : float, default=0.0
        Share of l1 in both penalties, which makes entries zero (with the Kullback-Leibler
        divergence it mostly makes all of them smaller). The rest is l2, which keeps them small.
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
    warm_start : bool, default=False
        Whether a fit begins from the factors of the last one, where there are as many samples,
        features and components as then. Otherwise, and with neighbours or fixed components, it
        begins anew.
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
    SemiNMF : For data of any sign.
    GNMF : With a graph penalty.

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
        init: NonNegativeInit | CustomInit = "nndsvda",
        beta_loss: BetaLoss = "frobenius",
        alpha_W: float = 0.0,
        alpha_H: Literal["same"] | float = "same",
        l1_ratio: float = 0.0,
        solver: Solver = "hals",
        eta: float | None = None,
        inner: int | None = None,
        max_iter: int = 1000,
        tol: float = 1e-6,
        max_seconds: float | None = None,
        measure_bound: bool = True,
        missing: Missing | None = None,
        warm_start: bool = False,
        random_state: RandomState = None,
        n_jobs: int | None = None,
        verbose: int = 0,
        callback: Callback | None = None,
    ) -> None:
        self.n_components = n_components
        self.init = init
        self.beta_loss = beta_loss
        self.alpha_W = alpha_W
        self.alpha_H = alpha_H
        self.l1_ratio = l1_ratio
        self.solver = solver
        self.eta = eta
        self.inner = inner
        self.max_iter = max_iter
        self.tol = tol
        self.max_seconds = max_seconds
        self.measure_bound = measure_bound
        self.missing = missing
        self.warm_start = warm_start
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.callback = callback

    def fit(
        self,
        X: SamplesLike,
        y: Labels | None = None,
        W: ArrayLike | None = None,
        H: ArrayLike | None = None,
        *,
        sample_weight: ArrayLike | None = None,
        entry_weight: ArrayLike | None = None,
        fixed_components: ArrayLike | None = None,
        fixed_features: ArrayLike | None = None,
        checkpoint: FilePath | None = None,
        layers: str | None = None,
    ) -> Self:
        """Fit the model to samples.

        Parameters
        ----------
        X : array-like or sparse array of shape (n_samples, n_features), or AnnData
            Samples, none of which has a negative entry. Arrays of float32 or float64 in C or
            Fortran order are not copied, nor are SciPy's CSR and CSC, which stay sparse; other
            sparse formats are converted to CSR. Of an AnnData object ``X`` is taken, and the names
            of its features.
        y : None, default=None
            Ignored, as all models without labels do.
        W : array-like of shape (n_samples, n_components), default=None
            Features to begin from, with ``init='custom'``.
        H : array-like of shape (n_components, n_features), default=None
            Components to begin from, with ``init='custom'``.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the samples in the loss, numbers above 0. A sample of weight 2 counts as two
            copies of it, and ``reconstruction_err_`` is that of the weighted loss. Neighbours,
            penalties, nonlinear models and missing entries take none. If None, all samples count
            alike.
        entry_weight : array-like of shape (n_samples, n_features), default=None
            Weights of the entries in the loss, at least 0. Only their ratios decide: each entry
            counts as its weight divided by the largest one, and not at all if that is 0. Models of
            the Kullback-Leibler divergence take none, nor does `sample_weight` beside it. If None,
            all entries count alike.
        fixed_components : array-like of shape (n_fixed, n_features), default=None
            Components that stay as they are, the first ones of ``components_``.
        fixed_features : array-like of shape (n_samples, n_fixed), default=None
            Features that stay as they are, those of the last components.
        checkpoint : str or path-like, default=None
            Folder for checkpoints, which are written every 30 seconds. If the same fit was
            interrupted there before, by whatever means, it goes on and ends with the same bits.
            Remove the folder when the result is safe.
        layers : str, default=None
            Name of the layer of an AnnData object to take instead of its ``X``.

        Returns
        -------
        self
            The fitted estimator. Ctrl-C raises KeyboardInterrupt as usual; the estimator then
            holds the best factors so far.
        """
        start = self._start(W, H)
        if start is not None and (fixed_components is not None or fixed_features is not None):
            raise ValueError(
                "a fit around fixed components begins by itself: leave init='custom' out"
            )
        return self._fit(
            X,
            y,
            checkpoint=checkpoint,
            layers=layers,
            start=start,
            sample_weight=sample_weight,
            entry_weight=entry_weight,
            fixed=(fixed_components, fixed_features),
        )

    def fit_transform(
        self,
        X: SamplesLike,
        y: Labels | None = None,
        W: ArrayLike | None = None,
        H: ArrayLike | None = None,
        *,
        sample_weight: ArrayLike | None = None,
        entry_weight: ArrayLike | None = None,
        layers: str | None = None,
    ) -> Floats:
        """Fit the model to samples and compute their features, as ``fit(X).transform(X)``.

        Parameters
        ----------
        X : array-like or sparse array of shape (n_samples, n_features), or AnnData
            Samples.
        y : None, default=None
            Ignored, as for `fit`.
        W : array-like of shape (n_samples, n_components), default=None
            Features to begin from, as for `fit`.
        H : array-like of shape (n_components, n_features), default=None
            Components to begin from, as for `fit`.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the samples in the loss, as for `fit`.
        entry_weight : array-like of shape (n_samples, n_features), default=None
            Weights of the entries in the loss, as for `fit`.
        layers : str, default=None
            Name of the layer of an AnnData object to take instead of its ``X``.

        Returns
        -------
        ndarray of shape (n_samples, n_components_)
            The best features for the fitted basis. Those of the last iteration of the fit are
            ``features_[-1]``. After `set_output` a data frame.
        """
        fitted = self.fit(
            X, y, W, H, sample_weight=sample_weight, entry_weight=entry_weight, layers=layers
        )
        return fitted.transform(X, entry_weight=entry_weight, layers=layers)

    def _start(
        self, W: ArrayLike | None, H: ArrayLike | None
    ) -> tuple[ArrayLike, ArrayLike] | None:
        """Return what to begin from, if anything was given."""
        if self.init != "custom":
            for name, given in (("W", W), ("H", H)):
                if given is not None:
                    raise ValueError(f"{name} is given, but init is {self.init!r}: use 'custom'")
            return None
        if W is None or H is None:
            raise ValueError("init='custom' needs both W and H: give them to fit")
        return W, H

    def _settings(self, task: Task) -> Json:
        components = check.components(self.n_components, task.shape)
        rules = settings_of.REPEATED
        described = settings_of.nmf(self, components, task.seed, rules, custom=True)
        return {**described, **settings_of.divergence(self), **settings_of.elastic_net(self)}

    @classmethod
    def _params(cls, settings: Json) -> dict[str, Any]:
        found = {"n_components": settings["components"], **settings_of.nmf_params(settings)}
        loss = settings_of.divergence_params(settings)
        return {**found, **loss, **settings_of.elastic_net_params(settings)}


class NeNMF(Weighable, NonNegative):
    """Factorize non-negative samples by Nesterov's method as published (NeNMF).

    It minimizes the same as `NMF`, which is faster. Use it as a baseline.

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
    NMF : The same model with other update rules.

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

    def __init__(
        self,
        n_components: int | None = None,
        *,
        init: NonNegativeInit = "nndsvda",
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
        self.max_iter = max_iter
        self.tol = tol
        self.max_seconds = max_seconds
        self.measure_bound = measure_bound
        self.missing = missing
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.callback = callback

    # A model file has an update rule for every model; NeNMF ignores it.
    solver, eta, inner = "hals", None, None

    @classmethod
    def _params(cls, settings: Json) -> dict[str, Any]:
        params = super()._params(settings)
        return {name: params[name] for name in params if name not in ("solver", "eta", "inner")}
