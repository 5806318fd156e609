"""Semi-NMF, and what it shares with WSF."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike

from . import _check as check
from . import _settings as settings_of
from ._base import Factorization, Task
from ._stream import Streaming
from ._types import (
    FilePath,
    Init,
    Json,
    Labels,
    Missing,
    NeighborSearch,
    NeighborWeights,
    RandomState,
    SamplesLike,
    Scale,
    Solver,
)
from ._warm import WarmStarting
from ._watch import Callback
from ._weighted import Weighable

if TYPE_CHECKING:
    from typing_extensions import Self


class OneLayer(Factorization):
    """The settings of models with one layer and a basis of any sign."""

    n_components: int | None

    def _settings(self, task: Task) -> Json:
        return {
            "components": check.components(self.n_components, task.shape),
            "neighbourhood": settings_of.neighborhood(self, task.shape[0]),
            "options": settings_of.options(self, task.seed),
        }

    @classmethod
    def _params(cls, settings: Json) -> dict[str, Any]:
        return {
            "n_components": settings["components"],
            **settings_of.neighborhood_params(settings),
            **settings_of.options_params(settings["options"]),
        }


class SemiNMF(WarmStarting, Weighable, Streaming, OneLayer):
    """Factorize samples into components of any sign and non-negative features (Semi-NMF).

    It minimizes ``|X - Z H|^2`` with ``H >= 0``. The data may have any sign. For non-negative data
    the default initialization is already optimal: its error is that of a truncated singular value
    decomposition.

    Parameters
    ----------
    n_components : int, default=None
        Number of components. If None, 10, or fewer if there are fewer samples or features.
    n_neighbors : int, default=None
        Number of nearest samples in the data that each sample is drawn to, by a neighbour graph.
        All other samples if there are fewer. If None, there is no such graph.
    neighbor_lam : float, default=1.0
        Weight of the penalty of the neighbour graph, at least 0. With 1, samples are drawn half of
        the way to those that the graph connects them to. With 0 it is the model without the graph.
    neighbor_weights : {'binary', 'heat', 'dot', 'cosine'}, default='heat'
        Weight of the edge between two neighbours ``a`` and ``b``:

        - 'binary': 1;
        - 'heat': ``exp(-|a - b|^2 / (2 s^2))`` with the median distance ``s`` of neighbours;
        - 'dot': the dot product of ``a`` and ``b``;
        - 'cosine': the cosine of the angle between them, 0 if that is negative.
    neighbor_search : {'auto', 'exact', 'approximate'}, default='auto'
        How the nearest neighbours are found:

        - 'auto': 'exact' for up to 20000 samples, otherwise 'approximate';
        - 'exact': by comparing all pairs of samples;
        - 'approximate': cell by cell, which misses a few neighbours.
    init : {'optimal', 'svd', 'kmeans', 'random'}, default='optimal'
        Initialization of the features:

        - 'optimal': the best factors of this rank if a closed form gives them, otherwise those of
          one rank less with a constant component;
        - 'svd': a singular value decomposition of one rank less, made non-negative by one more
          component;
        - 'kmeans': the memberships of a k-means clustering;
        - 'random': uniform random numbers.
    scale : {'auto', 'h', 'z', 'balanced', 'soft'}, default='auto'
        Factor that carries the scale of each component at the initialization:

        - 'auto': the basis in the last layer, the features in the layers below;
        - 'h': the features;
        - 'z': the basis;
        - 'balanced': both, in equal parts;
        - 'soft': the basis, but weak components fade out of the features (soft whitening).
    fade : int, default=None
        Component from which on others fade out, counted from 1, where features are softly whitened:
        those of ``scale='soft'``, and what a layer with neighbours reads. It keeps four fifths of
        its scale. If None, the number of components of the layer above, or a fifth of the layer's
        own.
    solver : {'hals', 'multiplicative', 'accelerated'}, default='hals'
        Update rule for the features:

        - 'hals': coordinate descent (hierarchical alternating least squares);
        - 'multiplicative': multiplicative updates, as in the paper;
        - 'accelerated': accelerated projected gradient.
    eta : float, default=None
        Exponent of the multiplicative rule, above 0 and at most 1. If None, 0.5. Only for
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
    DeepSemiNMF : Several layers.
    WSF : With labels of some samples.
    NMF : Non-negative components, too.

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
        n_neighbors: int | None = None,
        neighbor_lam: float = 1.0,
        neighbor_weights: NeighborWeights = "heat",
        neighbor_search: NeighborSearch = "auto",
        init: Init = "optimal",
        scale: Scale = "auto",
        fade: int | None = None,
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
        self.n_neighbors = n_neighbors
        self.neighbor_lam = neighbor_lam
        self.neighbor_weights = neighbor_weights
        self.neighbor_search = neighbor_search
        self.init = init
        self.scale = scale
        self.fade = fade
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
            Samples. Arrays of float32 or float64 in C or Fortran order are not copied, nor are
            SciPy's CSR and CSC, which stay sparse; other sparse formats are converted to CSR. Of
            an AnnData object ``X`` is taken, and the names of its features.
        y : None, default=None
            Ignored, as all models without labels do.
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
        return self._fit(
            X,
            y,
            checkpoint=checkpoint,
            layers=layers,
            sample_weight=sample_weight,
            entry_weight=entry_weight,
            fixed=(fixed_components, fixed_features),
        )
