"""Checks of parameters, made when they are used.

Each error names the parameter, its value and what is accepted.
"""

from __future__ import annotations

import math
import multiprocessing
import os
import sys
import threading
from collections.abc import Iterable
from numbers import Integral, Real
from typing import Any, NamedTuple, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core
from ._sklearn import (
    check_array,
    check_random_state,
    get_active_backend,
    threadpool_info,
    validate_data,
)
from ._types import SamplesLike

LARGEST_SEED = 2**64 - 1

# Operations of a step below which a second thread costs more than it gains.
SMALL = 2_000_000


def refuse(name: str, value: object, accepted: str) -> ValueError:
    """Make the error for a wrong parameter."""
    return ValueError(f"{name} is {value!r}: {accepted}")


def whole(name: str, value: object, least: int = 1) -> int:
    """Check a whole number of at least ``least``."""
    if isinstance(value, Integral) and not isinstance(value, bool) and int(value) >= least:
        return int(value)
    raise refuse(name, value, f"it must be a whole number of at least {least}")


def number(name: str, value: object, *, positive: bool = False) -> float:
    """Check a finite number of at least 0, or above 0 if ``positive``."""
    real = float(value) if isinstance(value, Real) and not isinstance(value, bool) else math.nan
    if math.isfinite(real) and (real > 0 or (real == 0 and not positive)):
        return real
    raise refuse(name, value, f"it must be a number {'above' if positive else 'of at least'} 0")


def share(name: str, value: object) -> float:
    """Check a number between 0 and 1, both included."""
    if isinstance(value, Real) and not isinstance(value, bool) and 0 <= float(value) <= 1:
        return float(value)
    raise refuse(name, value, "it must be a number between 0 and 1")


def maybe_whole(name: str, value: object, least: int = 1) -> int | None:
    """Check a whole number that may be None."""
    return None if value is None else whole(name, value, least)


def maybe_number(name: str, value: object, *, positive: bool = False) -> float | None:
    """Check a number that may be None."""
    return None if value is None else number(name, value, positive=positive)


def choice(name: str, value: object, choices: object) -> str:
    """Check that a value is one of a ``Literal`` type of `_types`."""
    accepted = get_args(choices)
    if isinstance(value, str) and value in accepted:
        return value
    words = ", ".join(repr(word) for word in accepted)
    raise refuse(name, value, f"it must be one of {words}")


def flag(name: str, value: object) -> bool:
    """Check a truth value."""
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    raise refuse(name, value, "it must be True or False")


def members(name: str, value: object, of_what: str) -> list[Any]:
    """Check a list and return its members."""
    if isinstance(value, Iterable) and not isinstance(value, str):
        return list(value)
    raise refuse(name, value, f"it must be a list of {of_what}")


def weights(name: str, value: object, count: int, things: str) -> list[float]:
    """Check one weight for all things, or one for each."""
    if isinstance(value, Real):
        return [number(name, value)] * count
    found = [number(name, each) for each in members(name, value, "numbers")]
    if len(found) != count:
        raise refuse(name, value, f"it must be one number, or one for each of the {count} {things}")
    return found


def components(value: object, shape: tuple[int, int]) -> int:
    """Check the number of components; None depends on the shape of the data."""
    return min(10, *shape) if value is None else whole("n_components", value)


def layer_sizes(value: object, shape: tuple[int, int]) -> list[int]:
    """Check the number of components of each layer; None depends on the shape of the data."""
    if value is None:
        return [min(40, *shape), min(10, *shape)]
    return [whole("each of layers", size) for size in members("layers", value, "whole numbers")]


def part_sizes(value: object, n_samples: int) -> list[int | list[int]]:
    """Check the number of clusters of each part; None depends on the number of samples."""
    if value is None:
        return [min(8, n_samples), min(3, n_samples)]
    if isinstance(value, str):
        if value == "auto":
            return []
        raise refuse("parts", value, "it must be a list of whole numbers, or 'auto'")
    sizes = members("parts", value, "whole numbers")
    if not sizes:
        raise ValueError("the list of parts is empty: name the clusters of each, or use 'auto'")
    # The compiled core calls a part with labels 0: it has as many clusters as they have classes.
    return [0 if size is None else _part_size(size) for size in sizes]


def _part_size(value: object) -> int | list[int]:
    """Check the clusters of one part: a number, or one for each of its layers."""
    if isinstance(value, str) or not isinstance(value, Iterable):
        return whole("each of parts", value, least=2)
    layers = members("each of parts", value, "whole numbers")
    if not layers:
        raise refuse("each of parts", value, "name the clusters of each of its layers")
    return [whole("each layer of a part", size, least=2) for size in layers]


def threads(n_jobs: object, work: int | None = None) -> int:
    """Return the number of threads, never more than cores; `work` counts operations of a step."""
    cores = _core.available_cores()
    if n_jobs is None:
        small = work is not None and work < SMALL
        return 1 if small else min(cores, _threads_around())
    if isinstance(n_jobs, Integral) and not isinstance(n_jobs, bool) and int(n_jobs) != 0:
        jobs = int(n_jobs)
        return min(jobs, cores) if jobs > 0 else max(1, cores + 1 + jobs)
    raise refuse("n_jobs", n_jobs, "it must be None, a whole number above 0, or -1 for all cores")


def _threads_around() -> int:
    """Return how many threads the surroundings leave: environment, limits, other pools."""
    limits = [os.environ.get(name, "") for name in ("RAYON_NUM_THREADS", "OMP_NUM_THREADS")]
    allowed = [int(limit) for limit in limits if limit.isdigit() and int(limit) > 0]
    # Limits set by threadpoolctl show in the libraries that it knows.
    known = threadpool_info()
    allowed += [library["num_threads"] for library in known if library["user_api"] == "blas"]
    in_a_pool = (
        threading.current_thread() is not threading.main_thread()
        or multiprocessing.current_process().daemon
        or (get_active_backend()[0].nesting_level or 0) > 0
    )
    return 1 if in_a_pool else min([*allowed, sys.maxsize])


def seed(random_state: object) -> int:
    """Return the seed: the number itself, or one drawn from a generator."""
    if isinstance(random_state, Integral) and not isinstance(random_state, bool):
        if 0 <= int(random_state) <= LARGEST_SEED:
            return int(random_state)
        raise refuse("random_state", random_state, f"a seed must be 0 to {LARGEST_SEED}")
    return int(check_random_state(random_state).randint(np.iinfo(np.int32).max))


class Incomplete(NamedTuple):
    """Samples and what stands for their missing entries, as the compiled core takes them."""

    values: Any
    missing: str
    weights: NDArray[np.float64] | None


def missing(value: object) -> str | None:
    """Check what stands for missing entries, and return its name."""
    if value is None or (isinstance(value, str) and value == "zeros"):
        return value
    if isinstance(value, Real) and not isinstance(value, bool) and math.isnan(float(value)):
        return "nan"
    raise refuse("missing", value, "it must be None, np.nan or 'zeros'")


def given(estimator: Any, found: Any, entry_weight: ArrayLike | None = None) -> Any:
    """Return checked samples with what is said of their missing entries and of weights."""
    name = missing(getattr(estimator, "missing", None))
    if name is None and entry_weight is None:
        return found
    weights = None if entry_weight is None else entry_weights(entry_weight, found.shape)
    return Incomplete(found, name or "none", weights)


def _unmasked(estimator: Any, X: Any) -> Any:
    """Return a masked array with NaN where it is masked."""
    if not np.ma.isMaskedArray(X) or not np.ma.is_masked(X):
        return X
    if missing(getattr(estimator, "missing", None)) != "nan":
        raise ValueError("X has masked entries: use missing=np.nan, or fill them in")
    dtype = X.dtype if np.issubdtype(X.dtype, np.floating) else np.float64
    return np.ma.filled(X.astype(dtype), np.nan)


def samples(
    estimator: Any,
    X: SamplesLike,
    *,
    dtype: Any = None,
    reset: bool = True,
    sparse: bool = False,
    layers: str | None = None,
) -> Any:
    """Check samples for an estimator.

    Arrays of 32- or 64-bit numbers in C or Fortran order are not copied, nor are SciPy's CSR and
    CSC where `sparse` is true; other sparse formats are converted. The compiled core checks whether
    all numbers are finite, because its error says where they are not.
    """
    how: dict[str, Any] = {
        "dtype": [np.float64, np.float32] if dtype is None else dtype,
        "ensure_all_finite": False,
        "accept_sparse": ("csr", "csc") if sparse else False,
    }
    table, names = _table(_unmasked(estimator, X), layers)
    if names is None:
        found = validate_data(estimator, table, reset=reset, **how)
    else:
        found = check_array(table, estimator=estimator, **how)
        _keep_or_compare(estimator, found.shape[1], names, reset=reset)
    return contiguous(found)


def is_annotated(X: object) -> bool:
    """Return whether samples are an AnnData object."""
    return all(hasattr(X, name) for name in ("X", "layers", "obs_names", "var_names"))


def _table(X: Any, layers: object) -> tuple[Any, NDArray[np.object_] | None]:
    """Return the table of AnnData, or one of its layers, and the names of its features."""
    if not is_annotated(X):
        if layers is not None:
            raise refuse("layers", layers, "only AnnData has layers, leave it out")
        return X, None
    if layers is None:
        table = X.X
    elif isinstance(layers, str) and layers in X.layers:
        table = X.layers[layers]
    else:
        listed = ", ".join(repr(str(name)) for name in X.layers) or "none"
        raise refuse("layers", layers, f"it must name a layer of the data, which have {listed}")
    if table is None:
        raise ValueError("the AnnData object has no X: name a layer with layers=")
    return table, np.asarray([str(name) for name in X.var_names], dtype=object)


def _keep_or_compare(
    estimator: Any, features: int, names: NDArray[np.object_], *, reset: bool
) -> None:
    """Keep the number of features and their names, or compare them with those of the fit."""
    if reset:
        estimator.n_features_in_ = features
        estimator.feature_names_in_ = names
        return
    if features != estimator.n_features_in_:
        raise ValueError(
            f"X has {features} features, but {type(estimator).__name__} is expecting "
            f"{estimator.n_features_in_} features as input"
        )
    known = getattr(estimator, "feature_names_in_", None)
    if known is not None and list(known) != list(names):
        at = next(i for i, (a, b) in enumerate(zip(known, names, strict=True)) if a != b)
        raise ValueError(
            f"feature {at} is {names[at]!r}, but the model was fitted with {known[at]!r} there: "
            "bring the features into the order of the fit"
        )


def is_sparse(X: object) -> bool:
    """Return whether checked samples are SciPy's CSR or CSC."""
    return not isinstance(X, np.ndarray)


def not_zero(X: Any) -> NDArray[np.bool_]:
    """Return which samples are not zero in every feature."""
    found = (X != 0).sum(axis=1) if is_sparse(X) else X.any(axis=1)
    return np.asarray(found).ravel() > 0


def floats(name: str, value: object, dtype: Any) -> NDArray[Any]:
    """Check a table of numbers; the compiled core checks its size and its entries."""
    try:
        table: NDArray[Any] = np.ascontiguousarray(value, dtype=dtype)
    except (TypeError, ValueError):
        table = np.empty(0)
    if table.ndim != 2:
        raise refuse(name, value, "it must be an array of numbers with two dimensions")
    return table


def maybe_floats(name: str, value: object, dtype: Any) -> NDArray[Any] | None:
    """Check a table of numbers that may be None."""
    return None if value is None else floats(name, value, dtype)


def sample_weights(value: object, n_samples: int) -> NDArray[np.float64] | None:
    """Check the weights of samples; the compiled core checks that they are above 0."""
    if value is None:
        return None
    try:
        weights = np.ascontiguousarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        weights = np.empty((0, 0))
    if weights.shape != (n_samples,):
        accepted = f"it must be an array of one number for each of the {n_samples} samples"
        raise refuse("sample_weight", value, accepted)
    return weights


def entry_weights(value: ArrayLike, shape: tuple[int, int]) -> NDArray[np.float64]:
    """Check the weights of entries; the compiled core checks that none is below 0."""
    weights = floats("entry_weight", value, np.float64)
    if weights.shape != shape:
        accepted = f"it must be an array of the shape of X, {shape}"
        raise refuse("entry_weight", value, accepted)
    return weights


def contiguous(X: Any) -> Any:
    """Return an array in C or Fortran order, or a sparse one without gaps; others are copied."""
    if is_sparse(X):
        parts = (X.data, X.indices, X.indptr)
        no_gaps = all(part.flags.c_contiguous and part.flags.aligned for part in parts)
        return X if no_gaps else X.copy()
    whole_piece = (X.flags.c_contiguous or X.flags.f_contiguous) and X.flags.aligned
    return X if whole_piece else np.array(X, order="C", copy=True)
