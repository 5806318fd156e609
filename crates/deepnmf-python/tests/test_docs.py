"""Docstrings: complete, in step with the code, and the same text for the same thing."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable
from types import UnionType
from typing import Any, Literal, NamedTuple, Union, get_args, get_origin, get_type_hints

import deepnmf
import numpy as np
import pandas as pd
import pytest
from deepnmf import AdditiveSemiNMF, DeepWSF, KMeans
from deepnmf._base import Factorization
from numpy.typing import NDArray

from .conftest import FACTORIZATIONS, small
from .docstrings import Entry, entries, in_source

Matrix = NDArray[np.float64]
Labels = NDArray[np.int64]

ESTIMATORS: list[type[Any]] = [*FACTORIZATIONS, KMeans]
each = pytest.mark.parametrize("cls", ESTIMATORS, ids=lambda cls: cls.__name__)


def callables(owner: Any) -> list[Callable[..., Any]]:
    """Give the public functions of a module or class that this package defines."""
    public = getattr(owner, "__all__", dir(owner))
    functions = inspect.getmembers(owner, inspect.isfunction)
    found = [f for name, f in functions if name[0] != "_" and name in public]
    return [function for function in found if function.__module__.startswith("deepnmf.")]


CALLABLES: dict[str, Callable[..., Any]] = {
    f"{call.__module__}.{call.__qualname__}": call
    for owner in (deepnmf, deepnmf.sc, *ESTIMATORS)
    for call in callables(owner)
}


def check_parameters(documented: dict[str, Entry], call: Callable[..., Any]) -> None:
    """Compare documented parameters with a signature."""
    signature = inspect.signature(call).parameters
    stars: dict[Any, str] = {inspect.Parameter.VAR_KEYWORD: "**"}
    wanted = {stars.get(p.kind, "") + n: p.default for n, p in signature.items() if n != "self"}
    assert list(documented) == list(wanted)
    for name, default in wanted.items():
        written = documented[name].default
        if default is inspect.Parameter.empty:
            assert written is None, name
            continue
        assert written is not None, f"{name} has no default"
        value = ast.literal_eval(written)
        assert (value, type(value)) == (default, type(default)), name


def check_choices(documented: dict[str, Entry], hints: dict[str, Any]) -> None:
    """Compare documented choices with `Literal` types."""
    for name, entry in documented.items():
        literals = [kind for kind in members(hints.get(name)) if get_origin(kind) is Literal]
        choices = [repr(choice) for kind in literals for choice in get_args(kind)]
        shown = "{" + ", ".join(choices) + "}"
        assert entry.kind.startswith(shown) if choices else "{" not in entry.kind, name


def members(hint: Any) -> tuple[Any, ...]:
    """Give the members of a union, or the type itself."""
    return get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)


@each
def test_what_editors_see_is_what_help_shows(cls: type[Any]) -> None:
    assert in_source(cls) == inspect.getdoc(cls)
    first, _, rest = in_source(cls).partition("\n")
    assert first.endswith(".")
    assert rest.startswith("\n")


@each
def test_parameters_of_estimators_are_documented(cls: type[Any]) -> None:
    documented = entries(in_source(cls), "Parameters")
    check_parameters(documented, cls.__init__)
    check_choices(documented, get_type_hints(cls.__init__))


@pytest.mark.parametrize("name", CALLABLES)
def test_parameters_of_functions_are_documented(name: str) -> None:
    call = CALLABLES[name]
    docstring = inspect.getdoc(call)
    assert docstring is not None
    documented = entries(docstring, "Parameters")
    check_parameters(documented, call)
    check_choices(documented, get_type_hints(call, localns={"Self": Any, "Axes": Any}))


@each
@pytest.mark.parametrize("section", ["Parameters", "Attributes"])
def test_every_entry_has_a_type_and_sentences(cls: type[Any], section: str) -> None:
    for name, entry in entries(in_source(cls), section).items():
        assert entry.kind, name
        assert entry.text.endswith("."), name
        assert entry.text[0].isupper(), name


@each
def test_attributes_are_documented_and_exist_after_a_fit(
    cls: type[Any], X: Matrix, y: Labels
) -> None:
    frame = pd.DataFrame(X, columns=[f"pixel {i}" for i in range(X.shape[1])])
    # A part with labels has classes.
    params = {"parts": (4, None)} if cls is AdditiveSemiNMF else {}
    model = KMeans(3, random_state=0) if cls is KMeans else small(cls, **params)
    model.fit(frame, y)
    documented = entries(in_source(cls), "Attributes")
    assert set(documented) == {n for n in dir(model) if n.endswith("_") and not n.startswith("_")}
    known = {"n_samples": len(X), "n_features": X.shape[1], **model.get_params()}
    known |= {name: getattr(model, name) for name in documented}
    for name, entry in documented.items():
        check_attribute(getattr(model, name), entry, known)
    check_choices(documented, get_type_hints(cls))


def check_attribute(value: Any, entry: Entry, known: dict[str, Any]) -> None:
    """Compare an attribute with its documented type and shape."""
    kind, _, shape = entry.kind.partition(" of shape ")
    kinds: dict[str, Any] = {
        "int": int,
        "float": float,
        "None": type(None),
        "float or None": (float, type(None)),
        "str": str,
        "tuple of int": tuple,
        "list of dict": list,
        "list of str": list,
        "list of ndarray": list,
        "ndarray or list of ndarray": (np.ndarray, list),
        "dict": dict,
        "ndarray": np.ndarray,
    }
    assert kind.startswith("{") or isinstance(value, kinds[kind])
    if kind == "ndarray":
        assert value.shape == eval(shape, known)
    if kind == "list of ndarray":
        assert [part.shape for part in value] == [
            eval(first_row(shape, i), known, {"i": i}) for i in range(len(value))
        ]


def first_row(shape: str, i: int) -> str:
    """Choose the side of "below or data" that holds for layer ``i``."""
    below, separator, data = shape.partition(" or ")
    if not separator:
        return shape
    number, _, rest = data.partition(",")
    return f"({number},{rest}" if i == 0 else f"{below},{rest}"


class Difference(NamedTuple):
    """Why the texts of a name differ, and the classes that share each text."""

    reason: str
    groups: list[str]


ANY_SIGN = "SemiNMF DeepSemiNMF WSF WSFMA DeepWSF"
MAY_DIFFER = {
    "init": Difference(
        "non-negative models have other initializations, NMF takes given ones, k-means has centres",
        [ANY_SIGN, "NMF", "NeNMF GNMF MultilayerNMF CNMF DNMF", "KMeans"],
    ),
    "solver": Difference(
        "the rule updates features only, both factors, or both factors of each layer",
        [ANY_SIGN, "NMF GNMF CNMF DNMF", "MultilayerNMF"],
    ),
    "eta": Difference(
        "the exponent for data of any sign is 0.5, that for non-negative data 1",
        [ANY_SIGN, "NMF GNMF MultilayerNMF CNMF DNMF"],
    ),
    "inner": Difference(
        "NMF and its layers repeat multiplicative updates ten times",
        [f"{ANY_SIGN} GNMF CNMF DNMF", "NMF MultilayerNMF"],
    ),
    "max_iter": Difference(
        "the default of deep models depends on the loop, k-means has several initializations",
        [
            "SemiNMF WSF WSFMA NMF NeNMF GNMF MultilayerNMF CNMF DNMF",
            "DeepSemiNMF DeepWSF",
            "KMeans",
        ],
    ),
    "tol": Difference(
        "k-means measures the moves of centres, factorizations the error",
        [f"{ANY_SIGN} NMF NeNMF GNMF MultilayerNMF CNMF DNMF", "KMeans"],
    ),
    "lam": Difference(
        "there is one weight, one for each attribute, or one for each layer",
        ["WSF GNMF", "WSFMA", "DeepWSF"],
    ),
    "sigma": Difference(
        "it belongs to a graph of classes or to one of neighbours", ["WSF WSFMA DeepWSF", "GNMF"]
    ),
    "n_neighbors": Difference(
        "a graph is there or not, in one layer or in several",
        ["SemiNMF WSF WSFMA", "DeepSemiNMF DeepWSF", "GNMF"],
    ),
    "neighbor_weights": Difference("the width can be given to GNMF", [ANY_SIGN, "GNMF"]),
    "variant": Difference(
        "Algorithm 2 has more forms than its penalty", ["WSF WSFMA GNMF", "DeepWSF"]
    ),
    "ridge": Difference(
        "0 means another weight if there is a graph penalty", ["DeepSemiNMF", "DeepWSF"]
    ),
    "svd_bound_": Difference(
        "whitened PCA has none, because of the mean, nor has a divergence",
        [f"{ANY_SIGN} NeNMF GNMF CNMF DNMF", "NMF MultilayerNMF", "WhitenedPCA"],
    ),
    "reconstruction_err_": Difference(
        "NMF and MultilayerNMF may minimize a divergence",
        [f"{ANY_SIGN} NeNMF GNMF CNMF DNMF WhitenedPCA AdditiveSemiNMF", "NMF MultilayerNMF"],
    ),
    "labels_": Difference(
        "there is one cluster, or one of each part", ["KMeans", "AdditiveSemiNMF"]
    ),
    "history_": Difference(
        "the objective of parts is no squared error",
        [f"{ANY_SIGN} NMF NeNMF GNMF MultilayerNMF CNMF DNMF WhitenedPCA", "AdditiveSemiNMF"],
    ),
    "n_iter_": Difference(
        "k-means has no layers",
        [f"{ANY_SIGN} NMF NeNMF GNMF MultilayerNMF CNMF DNMF WhitenedPCA", "KMeans"],
    ),
}


def texts_by_name() -> dict[str, dict[tuple[str, str], set[str]]]:
    """Give for each name its texts, and the classes that have them."""
    found: dict[str, dict[tuple[str, str], set[str]]] = {}
    for cls in ESTIMATORS:
        for section in ("Parameters", "Attributes"):
            for name, entry in entries(in_source(cls), section).items():
                texts = found.setdefault(name, {})
                texts.setdefault((entry.kind, entry.text), set()).add(cls.__name__)
    return found


TEXTS = texts_by_name()


@pytest.mark.parametrize("name", TEXTS)
def test_the_same_name_has_the_same_text(name: str) -> None:
    groups = list(TEXTS[name].values())
    if name in MAY_DIFFER:
        wanted = [set(group.split()) for group in MAY_DIFFER[name].groups]
        # A class that is not listed has the text of one of the groups.
        assert len(groups) == len(wanted)
        assert all(any(listed <= set(group) for group in groups) for listed in wanted)
    else:
        assert len(groups) == 1, f"the texts differ between {groups}"


def test_differences_are_of_names_that_exist() -> None:
    assert set(MAY_DIFFER) <= set(TEXTS)


OF_ALGORITHM_2 = {("pretraining", "semi-nmf"), ("form", "literal")}
CHOICES = [
    pytest.param(cls, name, choice, id=f"{cls.__name__}-{name}-{choice}")
    for cls in FACTORIZATIONS
    for name, hint in get_type_hints(cls.__init__).items()
    if get_origin(hint) is Literal
    for choice in get_args(hint)
]


@pytest.mark.parametrize(("cls", "name", "choice"), CHOICES)
def test_every_choice_can_be_fitted(
    cls: type[Factorization], name: str, choice: str, X: Matrix, y: Labels
) -> None:
    # Layers of linear models are pre-trained with the printed penalty only.
    printed = {"variant": "printed"} if (name, choice) in OF_ALGORITHM_2 and cls is DeepWSF else {}
    model = small(cls, max_iter=2, tol=0, **{name: choice}, **printed).fit(X, y)
    assert np.isfinite(model.reconstruction_err_)
