"""scikit-learn's own checks, none left out but those that ask for something else."""

from __future__ import annotations

from typing import Any

import pytest
from deepnmf import (
    NMF,
    AdditiveSemiNMF,
    DeepSemiNMF,
    KMeans,
    MultilayerNMF,
    NeNMF,
    SemiNMF,
)
from deepnmf._base import Factorization
from sklearn.base import clone
from sklearn.utils.estimator_checks import check_estimator

from .conftest import FACTORIZATIONS

# It asks for predictions of shape (n_samples,) if sparse samples are taken at all.
OF_ONE_COLUMN = dict.fromkeys(
    ["check_estimator_sparse_array", "check_estimator_sparse_matrix"],
    "predict names a cluster of every part, in a column for each",
)

# It leaves samples out by weights of zero, which have no features.
OF_ZERO_WEIGHTS = dict.fromkeys(
    [
        "check_sample_weight_equivalence_on_dense_data",
        "check_sample_weight_equivalence_on_sparse_data",
    ],
    "weights of samples are above 0, test_weights.py compares them with copies",
)
EXPECTED: dict[type[Any], dict[str, str]] = {
    AdditiveSemiNMF: OF_ONE_COLUMN,
    **dict.fromkeys([SemiNMF, DeepSemiNMF, NMF, NeNMF, MultilayerNMF], OF_ZERO_WEIGHTS),
}


@pytest.mark.parametrize("cls", [*FACTORIZATIONS, KMeans], ids=lambda cls: cls.__name__)
def test_every_check_of_scikit_learn_passes(cls: type[Any]) -> None:
    expected = EXPECTED.get(cls, {})
    results = check_estimator(cls(), expected_failed_checks=expected, on_skip=None, on_fail=None)
    broken = {r["check_name"]: r["exception"] for r in results if r["status"] == "failed"}
    skipped = {r["check_name"]: r["exception"] for r in results if r["status"] == "skipped"}
    assert not broken
    assert not skipped
    assert len(results) > 40


@pytest.mark.parametrize("cls", FACTORIZATIONS, ids=lambda cls: cls.__name__)
def test_every_parameter_survives_a_clone_as_it_is(cls: type[Factorization]) -> None:
    estimator = cls()
    params = estimator.get_params()
    cloned: Any = clone(estimator)
    assert cloned.get_params() == params
    for name, value in params.items():
        assert getattr(estimator, name) is value
