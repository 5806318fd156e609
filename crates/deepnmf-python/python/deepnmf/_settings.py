"""Translation between the parameters of estimators and the settings in a model file.

Each function has its inverse beside it, so that a loaded model has the parameters of its fit.
"""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Integral, Real
from types import MappingProxyType
from typing import Any

from . import _check as check
from ._types import (
    Activation,
    BetaLoss,
    Form,
    Init,
    Json,
    LabelGraph,
    Loss,
    NeighborSearch,
    NeighborWeights,
    NonNegativeInit,
    NormalForm,
    Optimizer,
    Scale,
    Solver,
)

# Update rules: the parameters of each, their names in a model file and their defaults.
_SOLVERS: dict[str, dict[str, tuple[str, float]]] = {
    "hals": {"inner": ("sweeps", 10)},
    "multiplicative": {"eta": ("eta", 0.5), "inner": ("repeats", 1)},
    "accelerated": {"inner": ("steps", 20)},
}
# What scikit-learn calls two of them.
_SOLVERS_OF_SCIKIT_LEARN = {"cd": "hals", "mu": "multiplicative"}
# Defaults of the multiplicative rule for non-negative data: Lee and Seung, once or repeated.
LEE_SEUNG = {"eta": 1.0}
REPEATED = {"eta": 1.0, "inner": 10}
_OPTIMIZERS: dict[str, Json] = {
    "auto": {"name": "auto"},
    "apg": {"name": "apg", "joint": True},
    "apg-blocks": {"name": "apg", "joint": False},
    "adam": {"name": "adam", "step": 1e-3},
    "varpro": {"name": "varpro"},
}
_MAX_ITER = 1000
_MAX_ITER_OF_DESCENT = 150


def solver(estimator: Any, multiplicative: Mapping[str, float] = MappingProxyType({})) -> Json:
    """Describe the update rule; ``multiplicative`` changes defaults of that rule."""
    named = estimator.solver
    if isinstance(named, str):
        named = _SOLVERS_OF_SCIKIT_LEARN.get(named, named)
    rule = check.choice("solver", named, Solver)
    own = _SOLVERS[rule]
    given = {
        "eta": check.maybe_number("eta", estimator.eta, positive=True),
        "inner": check.maybe_whole("inner", estimator.inner),
    }
    for name, value in given.items():
        if value is not None and name not in own:
            owners = " or ".join(repr(r) for r, params in _SOLVERS.items() if name in params)
            raise check.refuse(name, value, f"it belongs to solver {owners}, leave it out")
    described: Json = {"rule": rule}
    for name, (key, usual) in own.items():
        default = multiplicative.get(name, usual) if rule == "multiplicative" else usual
        described[key] = default if given[name] is None else given[name]
    return described


def solver_params(settings: Json) -> Json:
    """Undo `solver`."""
    own = _SOLVERS[settings["rule"]]
    # Old files lack the number of repeated updates.
    found = {name: settings.get(key, usual) for name, (key, usual) in own.items()}
    return {"solver": settings["rule"], "eta": None, "inner": None, **found}


def stop(estimator: Any) -> Json:
    """Describe when a loop ends."""
    max_iter = check.maybe_whole("max_iter", estimator.max_iter, least=0)
    return {
        "kappa": check.number("tol", estimator.tol),
        "max_iterations": _MAX_ITER if max_iter is None else max_iter,
        "max_seconds": check.maybe_number("max_seconds", estimator.max_seconds),
    }


def stop_params(settings: Json) -> Json:
    """Undo `stop`."""
    return {
        "tol": settings["kappa"],
        "max_iter": settings["max_iterations"],
        "max_seconds": settings["max_seconds"],
    }


def options(estimator: Any, seed: int) -> Json:
    """Describe the options of models with a basis of any sign."""
    fade = check.maybe_whole("fade", estimator.fade)
    return {
        "start": check.choice("init", estimator.init, Init),
        "scale": check.choice("scale", estimator.scale, Scale),
        **({} if fade is None else {"fade": fade}),
        "solver": solver(estimator),
        "stop": stop(estimator),
        "seed": seed,
        "measure_bound": check.flag("measure_bound", estimator.measure_bound),
    }


def options_params(settings: Json) -> Json:
    """Undo `options`."""
    found = {"scale": settings["scale"], "fade": settings.get("fade")}
    return {**found, **_common_params(settings)}


def nmf(
    estimator: Any,
    components: int,
    seed: int,
    multiplicative: Mapping[str, float] = LEE_SEUNG,
    *,
    custom: bool = False,
) -> Json:
    """Describe a non-negative factorization; ``custom`` says that factors may be given to it."""
    given = custom and estimator.init == "custom"
    return {
        "components": components,
        # Whoever begins from given factors has no use for the initialization that a file names.
        "start": "nndsvda" if given else check.choice("init", estimator.init, NonNegativeInit),
        "solver": solver(estimator, multiplicative),
        "stop": stop(estimator),
        "seed": seed,
        "measure_bound": check.flag("measure_bound", estimator.measure_bound),
    }


def nmf_params(settings: Json) -> Json:
    """Undo `nmf`, except for the number of components."""
    return _common_params(settings)


def divergence(estimator: Any) -> Json:
    """Describe what NMF minimizes; the usual divergence is left out, as in files."""
    named = estimator.beta_loss
    if isinstance(named, Real):  # which scikit-learn takes, too
        named = {2.0: "frobenius", 1.0: "kullback-leibler"}.get(float(named), named)
    beta_loss = check.choice("beta_loss", named, BetaLoss)
    return {} if beta_loss == "frobenius" else {"divergence": beta_loss}


def divergence_params(settings: Json) -> Json:
    """Undo `divergence`."""
    return {"beta_loss": settings.get("divergence", "frobenius")}


def elastic_net(estimator: Any) -> Json:
    """Describe the penalties of NMF; none are left out, as in files."""
    features = check.number("alpha_W", estimator.alpha_W)
    same = isinstance(estimator.alpha_H, str) and estimator.alpha_H == "same"
    basis = features if same else check.number("alpha_H", estimator.alpha_H)
    l1_ratio = check.share("l1_ratio", estimator.l1_ratio)
    if features == basis == 0.0:
        return {}
    return {"penalty": {"features": features, "basis": basis, "l1_ratio": l1_ratio}}


def elastic_net_params(settings: Json) -> Json:
    """Undo `elastic_net`."""
    found = settings.get("penalty", {"features": 0.0, "basis": 0.0, "l1_ratio": 0.0})
    same = found["features"] == found["basis"]
    return {
        "alpha_W": found["features"],
        "alpha_H": "same" if same else found["basis"],
        "l1_ratio": found["l1_ratio"],
    }


def _common_params(settings: Json) -> Json:
    return {
        "init": settings["start"],
        **solver_params(settings["solver"]),
        **stop_params(settings["stop"]),
        "random_state": settings["seed"],
        "measure_bound": settings["measure_bound"],
    }


def deep(estimator: Any, shape: tuple[int, int], seed: int) -> Json:
    """Describe a model of several layers."""
    layers = check.layer_sizes(estimator.layers, shape)
    max_iter = check.maybe_whole("max_iter", estimator.max_iter, least=0)
    optimizer = dict(_OPTIMIZERS[check.choice("optimizer", estimator.optimizer, Optimizer)])
    if estimator.step is not None:
        if optimizer["name"] != "adam":
            raise check.refuse("step", estimator.step, "it belongs to optimizer 'adam'")
        optimizer["step"] = check.number("step", estimator.step, positive=True)
    weights = estimator.loss_weights
    return {
        "layers": layers,
        "form": check.choice("form", estimator.form, Form),
        "activation": check.choice("activation", estimator.activation, Activation),
        "loss": check.choice("loss", estimator.loss, Loss),
        "weights": []
        if weights is None
        else check.weights("loss_weights", weights, len(layers), "layers"),
        "descent": {
            "optimizer": optimizer,
            "max_iterations": _MAX_ITER_OF_DESCENT if max_iter is None else max_iter,
        },
        "penalties": {
            "ridge": check.number("ridge", estimator.ridge),
            "sparsity": check.number("sparsity", estimator.sparsity),
            "normal_form": check.choice("normal_form", estimator.normal_form, NormalForm),
        },
        "neighbourhood": neighborhood(estimator, shape[0], len(layers)),
        "options": options(estimator, seed),
    }


def deep_params(settings: Json) -> Json:
    """Undo `deep`."""
    descent = settings["descent"]
    optimizer = dict(descent["optimizer"])
    step = optimizer.pop("step", None)
    plain = [
        name
        for name, known in _OPTIMIZERS.items()
        if optimizer == {key: value for key, value in known.items() if key != "step"}
    ]
    params = options_params(settings["options"])
    if params["max_iter"] != descent["max_iterations"]:
        params["max_iter"] = None  # the default has two numbers
    return {
        "layers": tuple(settings["layers"]),
        "form": settings["form"],
        "activation": settings["activation"],
        "loss": settings["loss"],
        "loss_weights": tuple(settings["weights"]) or None,
        "optimizer": plain[0],
        "step": step,
        **settings["penalties"],
        **neighborhood_params(settings, len(settings["layers"])),
        **params,
    }


def label_graph(estimator: Any) -> Json:
    """Describe the graph between samples of the same class."""
    kind = check.choice("graph", estimator.graph, LabelGraph)
    return _graph(kind, estimator.sigma, "graph", "rbf")


def label_graph_params(settings: Json) -> Json:
    """Undo `label_graph`."""
    return {"graph": settings["weights"], "sigma": settings.get("sigma")}


def neighbor_graph(estimator: Any) -> Json:
    """Describe the edge weights between nearest neighbours."""
    kind = check.choice("neighbor_weights", estimator.neighbor_weights, NeighborWeights)
    return _graph(kind, estimator.sigma, "neighbor_weights", "heat")


def neighbor_graph_params(settings: Json) -> Json:
    """Undo `neighbor_graph`."""
    return {"neighbor_weights": settings["weights"], "sigma": settings.get("sigma")}


def neighborhood(estimator: Any, n_samples: int, layers: int | None = None) -> Json:
    """Describe the neighbour graphs of a model; without a number of layers it has one."""
    kind = check.choice("neighbor_weights", estimator.neighbor_weights, NeighborWeights)
    counts: list[int] = []
    given = estimator.n_neighbors
    if isinstance(given, Integral):
        one = check.whole("n_neighbors", given)
        counts = [one] if layers is None else [0] * min(1, layers - 1) + [one] * max(1, layers - 1)
    elif given is not None and layers is None:
        raise check.refuse("n_neighbors", given, "it must be None or a whole number above 0")
    elif given is not None:
        found = check.members("n_neighbors", given, "whole numbers")
        counts = [check.whole("each of n_neighbors", count, least=0) for count in found]
        if len(counts) != layers:
            raise check.refuse("n_neighbors", given, f"it must be one for each of {layers} layers")
    if any(counts) and n_samples < 2:
        raise ValueError("a neighbour graph needs at least 2 samples, but there is only 1 sample")
    return {
        "neighbours": [min(count, n_samples - 1) for count in counts],
        "lambda": check.number("neighbor_lam", estimator.neighbor_lam),
        "weights": _graph(kind, None, "neighbor_weights", "heat"),
        "search": check.choice("neighbor_search", estimator.neighbor_search, NeighborSearch),
    }


def neighborhood_params(settings: Json, layers: int | None = None) -> Json:
    """Undo `neighborhood`; old files lack it."""
    found = settings.get("neighbourhood", {})
    counts = found.get("neighbours", [])
    one = counts[0] if counts and layers is None else tuple(counts)
    return {
        "n_neighbors": one or None,
        "neighbor_lam": found.get("lambda", 1.0),
        "neighbor_weights": found.get("weights", {"weights": "heat"})["weights"],
        "neighbor_search": found.get("search", "auto"),
    }


def _graph(kind: str, sigma: object, name: str, by_distance: str) -> Json:
    """Describe edge weights; only those by distance have a width."""
    if kind == by_distance:
        width = check.maybe_number("sigma", sigma, positive=True)
        return {"weights": kind, "sigma": width}
    if sigma is not None:
        raise check.refuse("sigma", sigma, f"it belongs to {name} {by_distance!r}, leave it out")
    return {"weights": kind}
