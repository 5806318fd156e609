"""Weakly-supervised factorization: WSF, WSF-MA and Deep WSF."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from . import _check as check
from . import _settings as settings_of
from ._base import LabelledFactorization, Task
from ._docs import documented
from ._labels import Attribute
from ._watch import Callback

_GRAPHS = ("binary", "rbf", "dot")


def _graph(estimator: Any) -> dict[str, Any]:
    return settings_of.graph(estimator.graph, estimator.sigma, "graph", _GRAPHS)


def _graph_params(settings: dict[str, Any]) -> dict[str, Any]:
    return {"graph": settings["weights"], "sigma": settings.get("sigma")}


@documented
class WSF(LabelledFactorization):
    """Semi-NMF whose features are similar for samples of the same class.

    Any label may be unknown. Without labels this is `SemiNMF`.

    Parameters
    ----------
    <components>
    lam : float, default=1e-3
        The weight of the labels.
    <graph>
    <start>
    <solver: hals, 0.5>
    <stop>
    <common>

    Attributes
    ----------
    <attributes>

    See Also
    --------
    WSFMA : Labels of several attributes.
    DeepWSF : An attribute for each layer.

    Examples
    --------
    >>> import numpy as np
    >>> from deepnmf import WSF, load_faces
    >>> faces = load_faces(identities=4, size=16)
    >>> pose = faces.labels["pose"].copy()
    >>> pose[::2] = -1  # half of them are unknown
    >>> WSF(6, lam=0.1).fit(faces.X, pose).features_[0].shape
    (180, 6)
    """

    _name = "wsf"

    def __init__(
        self,
        n_components: int | None = None,
        *,
        lam: float = 1e-3,
        graph: str = "binary",
        sigma: float | None = None,
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
        self.lam = lam
        self.graph = graph
        self.sigma = sigma
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
            "lambda": check.number("lam", self.lam),
            "graph": _graph(self),
            "options": settings_of.options(self, task.seed),
        }

    @classmethod
    def _params(cls, settings: dict[str, Any]) -> dict[str, Any]:
        return {
            "n_components": settings["components"],
            "lam": settings["lambda"],
            **_graph_params(settings["graph"]),
            **settings_of.options_params(settings["options"]),
        }


@documented
class WSFMA(LabelledFactorization):
    """WSF with the labels of several attributes, each with a weight of its own.

    ``y`` has a column for each attribute; any label may be unknown.

    Parameters
    ----------
    <components>
    lam : float or sequence of float, default=1e-3
        The weight of each attribute, or one for all.
    <graph>
    <start>
    <solver: hals, 0.5>
    <stop>
    <common>

    Attributes
    ----------
    <attributes>

    See Also
    --------
    WSF : Labels of one attribute.
    DeepWSF : An attribute for each layer.

    Examples
    --------
    >>> import numpy as np
    >>> from deepnmf import WSFMA, load_faces
    >>> faces = load_faces(identities=4, size=16)
    >>> y = np.column_stack([faces.labels["pose"], faces.labels["identity"]])
    >>> WSFMA(6, lam=(0.1, 0.01)).fit(faces.X, y).n_components_
    6
    """

    _name = "wsf-ma"

    def __init__(
        self,
        n_components: int | None = None,
        *,
        lam: float | Sequence[float] = 1e-3,
        graph: str = "binary",
        sigma: float | None = None,
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
        self.lam = lam
        self.graph = graph
        self.sigma = sigma
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
            "lambda": check.weights("lam", self.lam, len(task.labels), "attributes"),
            "graph": _graph(self),
            "options": settings_of.options(self, task.seed),
        }

    @classmethod
    def _params(cls, settings: dict[str, Any]) -> dict[str, Any]:
        return {
            "n_components": settings["components"],
            "lam": tuple(settings["lambda"]),
            **_graph_params(settings["graph"]),
            **settings_of.options_params(settings["options"]),
        }

    def _attributes(self, task: Task, settings: dict[str, Any]) -> list[Attribute | None]:
        return list(task.labels)


@documented
class DeepWSF(LabelledFactorization):
    """Deep Semi-NMF whose layers learn from the labels of an attribute each.

    The columns of ``y`` belong to the layers, the first one to the layer next to the data; a
    column of unknown labels leaves its layer free. A single attribute belongs to the top layer.
    Any label may be unknown. Without labels this is `DeepSemiNMF`.

    Parameters
    ----------
    <layers>
    lam : float or sequence of float, default=1e-3
        The weight of each layer's labels, or one for all.
    <graph>
    pretraining : {'wsf', 'semi-nmf'}, default='wsf'
        What begins each layer: a factorization with its labels or one without.
    variant : {'printed', 'released'}, default='printed'
        Algorithm 2 as the paper prints it, or as the authors' released code has it.
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
    DeepSemiNMF : Without labels.
    WSFMA : All attributes in one layer.

    Examples
    --------
    >>> import numpy as np
    >>> from deepnmf import DeepWSF, load_faces
    >>> faces = load_faces(identities=4, size=16)
    >>> y = np.column_stack([faces.labels["pose"], faces.labels["identity"]])
    >>> model = DeepWSF((12, 6), lam=(0.01, 0.01)).fit(faces.X, y)
    >>> [h.shape for h in model.features_]
    [(180, 12), (180, 6)]
    """

    _name = "deep-wsf"

    def __init__(
        self,
        layers: Sequence[int] | None = None,
        *,
        lam: float | Sequence[float] = 1e-3,
        graph: str = "binary",
        sigma: float | None = None,
        pretraining: str = "wsf",
        variant: str = "printed",
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
        self.lam = lam
        self.graph = graph
        self.sigma = sigma
        self.pretraining = pretraining
        self.variant = variant
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
        deep = settings_of.deep(self, task.shape, task.seed)
        pretraining = check.choice("pretraining", self.pretraining, settings_of.PRETRAININGS)
        return {
            "deep": deep,
            "lambda": check.weights("lam", self.lam, len(deep["layers"]), "layers"),
            "graph": _graph(self),
            "pretraining": pretraining,
            "variant": check.choice("variant", self.variant, settings_of.VARIANTS),
        }

    @classmethod
    def _params(cls, settings: dict[str, Any]) -> dict[str, Any]:
        return {
            "lam": tuple(settings["lambda"]),
            **_graph_params(settings["graph"]),
            "pretraining": settings["pretraining"],
            "variant": settings["variant"],
            **settings_of.deep_params(settings["deep"]),
        }

    def _attributes(self, task: Task, settings: dict[str, Any]) -> list[Attribute | None]:
        depth, found = len(settings["deep"]["layers"]), len(task.labels)
        if found == depth:
            return list(task.labels)
        if found <= 1:
            return [None] * (depth - found) + task.labels
        raise ValueError(
            f"y has {found} attributes, but there are {depth} layers: give a column for each layer "
            "(-1 everywhere for a layer without labels), or one for the top layer"
        )
