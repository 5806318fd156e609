"""Parameters of estimators in the words of a model file, and back.

Each function has its inverse beside it, so that a model that is loaded has the parameters it was
fitted with.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from . import _check as check

Json = dict[str, Any]

STARTS = ("optimal", "svd", "kmeans", "random")
NON_NEGATIVE_STARTS = ("nndsvda", "nndsvd", "nndsvdar", "random")
SCALES = ("auto", "h", "z", "balanced")
ACTIVATIONS = ("identity", "relu", "softplus", "sigmoid", "stanh", "square")
LOSSES = ("paper", "layer", "data")
FORMS = ("fast", "literal")
NORMAL_FORMS = ("none", "features", "basis")
PRETRAININGS = ("wsf", "semi-nmf")
VARIANTS = ("printed", "released")

# Rules for the features: the parameters that belong to each, their names in a file, their defaults.
_SOLVERS: dict[str, dict[str, tuple[str, float]]] = {
    "hals": {"inner": ("sweeps", 10)},
    "multiplicative": {"eta": ("eta", 0.5), "inner": ("repeats", 1)},
    "accelerated": {"inner": ("steps", 20)},
}
# What the multiplicative rule has for NMF, where nothing is negative: as it is, and repeated.
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
    """Describe the rule that updates the features, which may have other defaults."""
    rule = check.choice("solver", estimator.solver, _SOLVERS)
    given = {
        "eta": check.maybe(check.number, "eta", estimator.eta, positive=True),
        "inner": check.maybe(check.whole, "inner", estimator.inner),
    }
    for name, value in given.items():
        if value is not None and name not in _SOLVERS[rule]:
            owners = " or ".join(repr(r) for r, own in _SOLVERS.items() if name in own)
            raise check.refuse(name, value, f"it belongs to solver {owners}, leave it out")
    described: Json = {"rule": rule}
    for name, (key, usual) in _SOLVERS[rule].items():
        default = multiplicative.get(name, usual) if rule == "multiplicative" else usual
        described[key] = default if given[name] is None else given[name]
    return described


def solver_params(settings: Json) -> Json:
    """Undo `solver`."""
    own = _SOLVERS[settings["rule"]]
    # Files of before updates were repeated do not say how often.
    found = {name: settings.get(key, usual) for name, (key, usual) in own.items()}
    return {"solver": settings["rule"], "eta": None, "inner": None, **found}


def stop(estimator: Any) -> Json:
    """Describe when a loop ends."""
    max_iter = check.maybe(check.whole, "max_iter", estimator.max_iter, least=0)
    return {
        "kappa": check.number("tol", estimator.tol),
        "max_iterations": _MAX_ITER if max_iter is None else max_iter,
        "max_seconds": check.maybe(check.number, "max_seconds", estimator.max_seconds),
    }


def stop_params(settings: Json) -> Json:
    """Undo `stop`."""
    return {
        "tol": settings["kappa"],
        "max_iter": settings["max_iterations"],
        "max_seconds": settings["max_seconds"],
    }


def options(estimator: Any, seed: int) -> Json:
    """Describe what models with a basis of any sign share."""
    return {
        "start": check.choice("init", estimator.init, STARTS),
        "scale": check.choice("scale", estimator.scale, SCALES),
        "solver": solver(estimator),
        "stop": stop(estimator),
        "seed": seed,
        "measure_bound": check.flag("measure_bound", estimator.measure_bound),
    }


def options_params(settings: Json) -> Json:
    """Undo `options`."""
    return {
        "init": settings["start"],
        "scale": settings["scale"],
        **solver_params(settings["solver"]),
        **stop_params(settings["stop"]),
        "random_state": settings["seed"],
        "measure_bound": settings["measure_bound"],
    }


def nmf(
    estimator: Any, components: int, seed: int, multiplicative: Mapping[str, float] = LEE_SEUNG
) -> Json:
    """Describe a factorization without negative numbers."""
    return {
        "components": components,
        "start": check.choice("init", estimator.init, NON_NEGATIVE_STARTS),
        "solver": solver(estimator, multiplicative),
        "stop": stop(estimator),
        "seed": seed,
        "measure_bound": check.flag("measure_bound", estimator.measure_bound),
    }


def nmf_params(settings: Json) -> Json:
    """Undo `nmf`, but for the number of components."""
    return {
        "init": settings["start"],
        **solver_params(settings["solver"]),
        **stop_params(settings["stop"]),
        "random_state": settings["seed"],
        "measure_bound": settings["measure_bound"],
    }


def deep(estimator: Any, shape: tuple[int, int], seed: int) -> Json:
    """Describe layers above each other."""
    layers = check.layer_sizes(estimator.layers, shape)
    max_iter = check.maybe(check.whole, "max_iter", estimator.max_iter, least=0)
    optimizer = dict(_OPTIMIZERS[check.choice("optimizer", estimator.optimizer, _OPTIMIZERS)])
    if estimator.step is not None:
        if optimizer["name"] != "adam":
            raise check.refuse("step", estimator.step, "it belongs to optimizer 'adam'")
        optimizer["step"] = check.number("step", estimator.step, positive=True)
    weights = estimator.loss_weights
    return {
        "layers": layers,
        "form": check.choice("form", estimator.form, FORMS),
        "activation": check.choice("activation", estimator.activation, ACTIVATIONS),
        "loss": check.choice("loss", estimator.loss, LOSSES),
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
            "normal_form": check.choice("normal_form", estimator.normal_form, NORMAL_FORMS),
        },
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
        **params,
    }


def graph(kind: object, sigma: object, name: str, kinds: tuple[str, str, str]) -> Json:
    """Describe how samples are tied: all alike, by distance (which has a width), or by product."""
    weights = check.choice(name, kind, kinds)
    if weights == kinds[1]:
        return {
            "weights": weights,
            "sigma": check.maybe(check.number, "sigma", sigma, positive=True),
        }
    if sigma is not None:
        raise check.refuse("sigma", sigma, f"it belongs to {name} {kinds[1]!r}, leave it out")
    return {"weights": weights}
