"""What the tests share."""

from __future__ import annotations

import importlib
import os
import warnings
from collections.abc import Iterator
from contextlib import ExitStack
from inspect import signature
from pathlib import Path
from typing import Any

# One of scikit-learn's checks runs only with this, which SciPy reads when it is imported.
os.environ.setdefault("SCIPY_ARRAY_API", "1")

import deepnmf
import numpy as np
import pandas as pd
import pytest
from deepnmf import Dataset
from deepnmf._base import Factorization
from numpy.typing import NDArray

FACTORIZATIONS: list[type[Factorization]] = list(Factorization._estimators.values())
LABELLED = [deepnmf.WSF, deepnmf.WSFMA, deepnmf.DeepWSF, deepnmf.CNMF, deepnmf.DNMF]
DEEP = [cls for cls in FACTORIZATIONS if "layers" in signature(cls).parameters]


def small(cls: type[Factorization], **params: Any) -> Factorization:
    """Make an estimator with few components and a seed."""
    size: dict[str, Any] = {"layers": (6, 3)} if cls in DEEP else {"n_components": 3}
    if cls is deepnmf.AdditiveSemiNMF:
        size = {"parts": (4, 2)}
    return cls(**{"random_state": 0, **size, **params})


# Versions so old that not everything that tests like to have can stand beside them.
OLDEST = int(np.__version__.split(".")[0]) < 2


def needed(name: str) -> Any:
    """Import what not everybody has: without it a test is skipped, or fails with `CI=true`."""
    try:
        return importlib.import_module(name)
    except ImportError:
        if os.environ.get("CI") == "true" and not OLDEST:
            pytest.fail(f"{name} is not installed")
        pytest.skip(f"{name} is not installed")


@pytest.fixture
def old_strings() -> Iterator[None]:
    """Have pandas hold names as it did before version 3: AnnData writes no others to files."""
    with warnings.catch_warnings(), ExitStack() as stack:
        warnings.simplefilter("ignore", category=FutureWarning)
        warnings.simplefilter("ignore", category=DeprecationWarning)
        if int(pd.__version__.split(".")[0]) >= 3:
            stack.enter_context(pd.option_context("future.infer_string", False))
        yield


@pytest.fixture(scope="session")
def X() -> NDArray[np.float64]:
    """Non-negative samples."""
    return np.random.default_rng(0).random((60, 12))


@pytest.fixture(scope="session")
def y() -> NDArray[np.int64]:
    """Labels of two thirds of them."""
    return np.where(np.arange(60) % 3 == 0, -1, np.arange(60) % 4).astype(np.int64)


@pytest.fixture(scope="session")
def faces() -> Dataset:
    """Few small faces."""
    return deepnmf.load_faces(identities=4, poses=3, size=16)


@pytest.fixture(scope="session")
def program() -> str:
    """The program `deepnmf`."""
    path = os.environ.get("DEEPNMF_PROGRAM")
    if path is None or not Path(path).is_file():
        if os.environ.get("CI") == "true":
            pytest.fail("DEEPNMF_PROGRAM names no program")
        pytest.skip("DEEPNMF_PROGRAM names no program: `cargo xtask test` does")
    return path
