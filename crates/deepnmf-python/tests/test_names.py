"""Names of parameters: those of the program's flags, unless there is a reason."""

from __future__ import annotations

import inspect
import re
import subprocess
from collections.abc import Callable
from typing import Any

import pytest
from deepnmf import KMeans, SemiNMF, load_data

from .conftest import FACTORIZATIONS

SCIKIT_LEARN = "the name that scikit-learn has"
# Flags whose parameter has another name: that name, and why.
RENAMED = {
    "lambda": ("lam", "lambda is a keyword in Python"),
    "kappa": ("tol", SCIKIT_LEARN),
    "divergence": ("beta_loss", SCIKIT_LEARN),
    "alpha-features": ("alpha_W", SCIKIT_LEARN),
    "alpha-basis": ("alpha_H", SCIKIT_LEARN),
    "seed": ("random_state", SCIKIT_LEARN),
    "threads": ("n_jobs", SCIKIT_LEARN),
    "restarts": ("n_init", SCIKIT_LEARN),
    "swaps": ("n_swaps", "a number, as n_init"),
    "neighbours": ("n_neighbors", SCIKIT_LEARN),
    "neighbour-lambda": ("neighbor_lam", "spelled as n_neighbors and lam"),
    "neighbour-weights": ("neighbor_weights", "spelled as n_neighbors"),
    "neighbour-search": ("neighbor_search", "spelled as n_neighbors"),
    "weights": ("loss_weights", "weights_ are the bases"),
    "no-bound": ("measure_bound", "a flag can only be set, a parameter is True or False"),
    "out": ("path", "the program has several files, a method has one"),
    "labels-file": ("labels", "labels are an array, unless load_data reads them"),
}
GLOBAL = {"help", "json", "quiet"}
READING = {"data-key", "labels-key", "labels-by", "pattern", "resize"}
# Columns of tables are chosen in a data frame.
TABLES = {"header", "columns", "drop", "names-key", "feature-names"}
FIT_ONLY_HERE = {
    "n_components": "--layers with one number, " + SCIKIT_LEARN,
    "callback": "a function",
    "warm_start": "the program has --init-from, " + SCIKIT_LEARN,
    "verbose": "the program shows progress unless --quiet",
    "path": "an argument without a flag",
}
FIT_ONLY_THERE = {
    "model": "a class for each",
    "out": "the method save",
    "normalize": "a step of a pipeline",
    "init-from": "needs a model file",
    "bases-from": "needs a model file",
    "auxiliary": "needs a data file",
    "attributes": "the columns of y",
    "label-fraction": "labels of -1",
    "zero-samples": "samples are fitted as they are",
    "plan": "nothing is estimated",
    "held-out": "LayerSelection",
    "masks": "LayerSelection",
    "curves": "LayerSelection.save_curves",
    "records": "LayerSelection",
    "worker-index": "LayerSelection",
    "total-workers": "LayerSelection",
    "consensus": "the function consensus",
    "weights-file": "a parameter of fit",
    "entry-weights-file": "a parameter of fit",
    "fixed-bases": "fixed_components, a parameter of fit",
    "fixed-features": "a parameter of fit",
    "memory": "arrays are where they are, NumPy maps files",
    "batch": "the method partial_fit",
    "checkpoint": "a parameter of fit",
    "every": "checkpoints are written every 30 seconds",
    "resume": "a fit with checkpoints always resumes",
}


def flags(program: str, command: str) -> set[str]:
    """Give the flags of a command without the dashes."""
    done = subprocess.run([program, command, "--help"], capture_output=True, text=True, check=True)
    found = set(re.findall(r"^ +(?:-\w, )?--([a-z0-9-]+)", done.stdout, re.M))
    return found - GLOBAL - TABLES


def parameters(*calls: Callable[..., Any]) -> set[str]:
    """Give the names of all parameters."""
    return {name for call in calls for name in inspect.signature(call).parameters} - {"self"}


def here(names: set[str]) -> set[str]:
    """Give the names that flags should have here."""
    return {RENAMED[n][0] if n in RENAMED else n.replace("-", "_") for n in names}


def test_parameters_of_fits_are_named_as_flags(program: str) -> None:
    found = parameters(load_data, *(cls.__init__ for cls in FACTORIZATIONS))
    read_here = {"labels_file"}
    expected = here(flags(program, "fit") - set(FIT_ONLY_THERE) - {"labels-file"}) | read_here
    assert found - set(FIT_ONLY_HERE) == expected


def test_parameters_of_reports_are_named_as_flags(program: str) -> None:
    there = flags(program, "report") - READING - {"data", "threads", "missing"}
    assert parameters(SemiNMF.report) - {"X", "sample_names", "layers"} == here(there)


def test_parameters_of_transforms_are_named_as_flags(program: str) -> None:
    elsewhere = {"image", "labels-file", "threads", "out", "missing"}
    there = flags(program, "transform") - READING - elsewhere
    assert parameters(SemiNMF.transform) - {"X", "layers", "entry_weight"} == here(there)


@pytest.mark.parametrize("flag", ["restarts", "swaps", "seed", "threads"])
def test_parameters_of_kmeans_are_named_as_flags(flag: str, program: str) -> None:
    assert flag in flags(program, "evaluate")
    assert RENAMED[flag][0] in parameters(KMeans.__init__)


def test_the_reader_has_the_flags_that_say_how_to_read(program: str) -> None:
    assert flags(program, "transform") >= READING | {"image", "labels-file"}
    assert parameters(load_data) >= {name.replace("-", "_") for name in READING}
