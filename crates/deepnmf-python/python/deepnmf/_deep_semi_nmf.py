"""Deep Semi-NMF."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from . import _settings as settings_of
from ._base import Task
from ._stream import Streaming
from ._types import (
    Activation,
    Form,
    Init,
    Json,
    Loss,
    Missing,
    NeighborSearch,
    NeighborWeights,
    NormalForm,
    Optimizer,
    RandomState,
    Scale,
    Solver,
)
from ._watch import Callback
from ._weighted import Weighable


class DeepSemiNMF(Weighable, Streaming):
    """Factorize samples into several layers of non-negative features (Deep Semi-NMF).

    The model is ``X ~ Z_1 g(Z_2 ... g(Z_m H_m))`` with ``H_i >= 0``. First each layer factorizes
    the features of the layer below (pre-training), then all layers are fitted together
    (fine-tuning).

    Parameters
    ----------
    layers : sequence of int, default=None
        Number of components of each layer. The first layer is the one next to the data. If None, 40
        and 10, or fewer if there are fewer samples or features.
    n_neighbors : int or sequence of int, default=None
        Among how many nearest samples those are that a sample is drawn to in a layer: two samples
        are connected if each is among the nearest of the other. The nearest are those in what the
        layer below makes of the samples, in the data for the first layer. One number is that of all
        layers above the first; a sequence has one for each layer, 0 for a layer without a graph.
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
    activation : {'identity', 'relu', 'softplus', 'sigmoid', 'stanh', 'square'}, default='identity'
        Nonlinearity ``g`` between the layers:

        - 'identity': none. The model is linear, and its top layer is a Semi-NMF of the data that
          the layers below only initialize;
        - 'relu': ``max(x, 0)``;
        - 'softplus': ``log(1 + exp(x))``;
        - 'sigmoid': ``1 / (1 + exp(-x))``;
        - 'stanh': ``1.7159 tanh(2 x / 3)``;
        - 'square': ``x^2``.
    loss : {'paper', 'layer', 'data'}, default='paper'
        Squared error that the fine-tuning minimizes:

        - 'paper': that of the data, reconstructed from the top layer;
        - 'layer': that of the input of each layer, reconstructed from the layer, summed over
          layers;
        - 'data': that of the data, reconstructed from each layer, summed over layers.
    loss_weights : float or sequence of float, default=None
        Weight of each layer in the losses 'layer' and 'data', above 0. One number is the weight of
        all layers. If None, 1. Not allowed with the loss 'paper'.
    optimizer : {'auto', 'varpro', 'apg', 'apg-blocks', 'adam'}, default='auto'
        Method of the fine-tuning:

        - 'auto': for linear models the paper's algorithm (loss 'paper', no ridge, no sparsity) or
          block coordinate descent (other losses); otherwise 'varpro';
        - 'varpro': variable projection, with the first basis by least squares and all other factors
          by L-BFGS;
        - 'apg': accelerated projected gradient, all factors at once;
        - 'apg-blocks': accelerated projected gradient, one factor after the other;
        - 'adam': Adam on all samples at once.
    step : float, default=None
        Step size of Adam. If None, 1e-3. Only for ``optimizer='adam'``.
    ridge : float, default=0.0
        Weight of the penalty ``sum_i |Z_i|^2 / 2`` on the bases, relative to the mean squared norm
        of a sample. The loss 'layer' needs this penalty, so 0 means 1e-3 there.
    sparsity : float, default=0.0
        Weight of the penalty on the sum of the features, relative to the mean squared norm of a
        sample. It needs a ``ridge`` above 0.
    normal_form : {'none', 'features', 'basis'}, default='none'
        Factor of the last layer that is scaled to norm 1 in the result, such that the product stays
        the same:

        - 'none': neither;
        - 'features': the features of each component, over all samples;
        - 'basis': the basis vector of each component.
    form : {'fast', 'literal'}, default='fast'
        How the paper's algorithm is computed:

        - 'fast': in closed form;
        - 'literal': step by step as printed, which is slow. For reference.
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
    max_iter : int, default=None
        Maximum number of iterations of each loop. With 0 the result is the initialization. If None,
        1000 for the pre-training and for the paper's algorithm, 150 for all other fine-tuning.
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
        n_neighbors: int | Sequence[int] | None = None,
        neighbor_lam: float = 1.0,
        neighbor_weights: NeighborWeights = "heat",
        neighbor_search: NeighborSearch = "auto",
        activation: Activation = "identity",
        loss: Loss = "paper",
        loss_weights: float | Sequence[float] | None = None,
        optimizer: Optimizer = "auto",
        step: float | None = None,
        ridge: float = 0.0,
        sparsity: float = 0.0,
        normal_form: NormalForm = "none",
        form: Form = "fast",
        init: Init = "optimal",
        scale: Scale = "auto",
        fade: int | None = None,
        solver: Solver = "hals",
        eta: float | None = None,
        inner: int | None = None,
        max_iter: int | None = None,
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
        self.n_neighbors = n_neighbors
        self.neighbor_lam = neighbor_lam
        self.neighbor_weights = neighbor_weights
        self.neighbor_search = neighbor_search
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
        self.fade = fade
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
        return settings_of.deep(self, task.shape, task.seed)

    @classmethod
    def _params(cls, settings: Json) -> dict[str, Any]:
        return settings_of.deep_params(settings)
