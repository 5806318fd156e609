"""Words that the documentation of several estimators shares."""

from __future__ import annotations

from textwrap import indent
from typing import TypeVar

_Class = TypeVar("_Class", bound=type)

_FRAGMENTS = {
    "components": """\
n_components : int, default=None
    The number of components; 10 if None, or fewer where there are fewer samples or features.
""",
    "layers": """\
layers : sequence of int, default=None
    The number of components of each layer, the one next to the data first; 40 and 10 if None, or
    fewer where there are fewer samples or features.
""",
    "start": """\
init : {'optimal', 'svd', 'kmeans', 'random'}, default='optimal'
    Where the features begin: the best factors of this rank where they are known in closed form
    (else as 'svd'), those of a rank one lower made non-negative, memberships of a k-means
    clustering, or random numbers.
scale : {'auto', 'h', 'z', 'balanced'}, default='auto'
    Which factor carries the scale of a component: the basis in the last layer and the features
    below, always the features, always the basis, or both.
""",
    "non_negative_start": """\
init : {'nndsvda', 'nndsvd', 'nndsvdar', 'random'}, default='nndsvda'
    Where the factors begin: halves of a singular value decomposition, with the mean of the data,
    nothing or small random numbers in place of zeros; or random numbers.
""",
    "solver": """\
solver : {'hals', 'multiplicative', 'accelerated'}, default='%s'
    The rule for the features: coordinate descent, the multiplicative rule, or accelerated
    projected gradients.
eta : float, default=None
    The exponent of the multiplicative rule, above 0 and at most 1; %s if None.
inner : int, default=None
    The most sweeps ('hals', 10 if None), updates ('multiplicative', 1, and 10 for NMF and
    MultilayerNMF) or steps ('accelerated', 20) in one iteration.
""",
    "stop": """\
max_iter : int, default=1000
    The most iterations; 0 leaves the factors as they begin.
tol : float, default=1e-6
    The fit ends once an iteration lowers the error ``E`` by no more than ``tol * max(1, E)``.
max_seconds : float, default=None
    The fit ends with the best so far after so many seconds.
""",
    "deep_stop": """\
max_iter : int, default=None
    The most iterations of each loop; if None 1000, but 150 where all layers move by gradients.
tol : float, default=1e-6
    A loop ends once an iteration lowers the error ``E`` by no more than ``tol * max(1, E)``.
max_seconds : float, default=None
    The fit ends with the best so far after so many seconds.
""",
    "deep": """\
activation : {'identity', 'relu', 'softplus', 'sigmoid', 'stanh', 'square'}, default='identity'
    The nonlinearity between the layers. The linear model ('identity') collapses: its top layer is
    a Semi-NMF of the data which the layers below have only started.
loss : {'paper', 'layer', 'data'}, default='paper'
    What is minimised: the error of the data given the top layer, that of the features of each
    layer given the one above, or that of the data given each layer.
loss_weights : float or sequence of float, default=None
    The weight of each layer in the losses 'layer' and 'data'; all 1 if None.
optimizer : {'auto', 'varpro', 'apg', 'apg-blocks', 'adam'}, default='auto'
    What minimises it: Algorithm 1 of the paper or block descent for linear models and variable
    projection for the others; accelerated gradients of all layers at once or one after the
    other; or Adam.
step : float, default=None
    The step size of Adam; 1e-3 if None.
ridge, sparsity : float, default=0.0
    Weights of the squared bases and of the sum of the features, relative to a sample's mean
    squared length.
normal_form : {'none', 'features', 'basis'}, default='none'
    Which factor of a component of the last layer has length 1 in the result.
form : {'fast', 'literal'}, default='fast'
    Algorithm 1 in closed form, or step by step as printed: slow, for reference.
""",
    "graph": """\
graph : {'binary', 'rbf', 'dot'}, default='binary'
    How samples of a class are tied: all alike, near ones more, or by their dot product.
sigma : float, default=None
    The width of 'rbf'; the median distance within classes if None.
""",
    "common": """\
measure_bound : bool, default=True
    Whether to compute ``svd_bound_``, which can cost a singular value decomposition.
random_state : int, RandomState instance or None, default=None
    The seed of everything random. The same seed gives the same bits, whatever ``n_jobs`` is.
n_jobs : int, default=None
    The number of threads; None and -1 stand for one per core.
verbose : int, default=0
    Shows progress if not 0, as a bar where tqdm is installed.
callback : callable, default=None
    Called with an :class:`Iteration` after each one. If it returns True the fit ends with the
    best so far; so it does if it raises, and then the exception is raised again.
""",
    "attributes": """\
components_ : ndarray of shape (n_components_, n_features)
    The basis of the top layer in the space of the data, a component a row.
weights_ : list of ndarray
    The paper's ``Z_i``, of shape (components of the layer below or n_features, components of
    layer i); read-only.
features_ : list of ndarray
    The features ``H_i`` of the fitted samples in each layer, of shape (n_samples, components);
    read-only.
n_components_ : int
    The number of components of the top layer.
layers_ : tuple of int
    The number of components of each layer.
reconstruction_err_ : float
    The Frobenius norm of the difference between the data and their reconstruction.
svd_bound_ : float or None
    The smallest such norm that any linear model of this rank can have.
n_iter_ : int
    Iterations of the loop that decided the top layer.
history_ : ndarray of shape (n_iter_ + 1,)
    The error (or the root of twice another objective) at its start and after each iteration.
stop_reason_ : {'converged', 'max-iterations', 'time-budget', 'cancelled'}
    Why it ended.
runs_ : list of dict
    Every loop of the fit: ``stage``, ``iterations``, ``stop``, ``seconds`` and ``history``.
notices_ : list of str
    What one should know about this fit.
preprocessing_ : str
    What was done to samples before the fit of a model that the program has written, and is done
    to those given to `transform`; 'none' for models that are fitted here.
n_features_in_ : int
    The number of features of each sample.
feature_names_in_ : ndarray of shape (n_features_in_,)
    The names of the features, where all have one that is a string.
""",
}


def documented(cls: _Class) -> _Class:
    """Fill in the lines of a class's documentation that read ``<name>`` or ``<name: a, b>``."""
    lines = (cls.__doc__ or "").splitlines()
    cls.__doc__ = "\n".join(_filled(line) for line in lines)
    return cls


def _filled(line: str) -> str:
    word = line.strip()
    if not (word.startswith("<") and word.endswith(">")):
        return line
    name, _, values = word[1:-1].partition(": ")
    text = _FRAGMENTS[name].rstrip()
    if values:
        text %= tuple(values.split(", "))
    return indent(text, line[: len(line) - len(line.lstrip())])
