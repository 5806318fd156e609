"""NMF with the Kullback-Leibler divergence, beside scikit-learn's."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import deepnmf
import numpy as np
import pytest
import scipy.sparse as sp
from deepnmf import NMF
from numpy.typing import NDArray
from sklearn import decomposition

Matrix = NDArray[np.float64]


@pytest.fixture(scope="module")
def counts() -> Matrix:
    """Counts of words from four topics."""
    rng = np.random.default_rng(5)
    topics = rng.dirichlet(np.full(40, 0.2), 4)
    mixtures = 30 * rng.dirichlet(np.full(4, 0.3), 120)
    return rng.poisson(mixtures @ topics).astype(np.float64)


# Its parameters have no types.
peer: Any = decomposition.NMF


def divergence(X: Matrix, Y: Any) -> float:
    """Compute the divergence by its definition."""
    some = X > 0
    return float((X[some] * np.log(X[some] / Y[some])).sum() - X.sum() + Y.sum())


def model(**params: Any) -> NMF:
    return NMF(4, beta_loss="kullback-leibler", random_state=0, **params)


def test_the_error_is_defined_as_in_scikit_learn(counts: Matrix) -> None:
    fitted = model().fit(counts)
    found = divergence(counts, fitted.features_[0] @ fitted.components_)
    assert fitted.reconstruction_err_ == pytest.approx(np.sqrt(2 * found), rel=1e-9)
    assert fitted.svd_bound_ is None
    assert (np.diff(fitted.history_) <= 0).all()


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array, sp.csc_array])
def test_it_ends_no_higher_than_scikit_learn(counts: Matrix, kind: Any) -> None:
    X = kind(counts)
    theirs: Any = peer(
        4,
        solver="mu",
        beta_loss="kullback-leibler",
        init="nndsvda",
        max_iter=1000,
        tol=1e-5,
        random_state=0,
    ).fit(X)
    ours = model().fit(X)
    assert ours.reconstruction_err_ <= theirs.reconstruction_err_


def test_their_basis_gets_no_better_features_from_scikit_learn(counts: Matrix) -> None:
    ours = model().fit(counts)
    theirs: Any = peer(
        4, solver="mu", beta_loss="kullback-leibler", max_iter=2000, tol=1e-10, random_state=0
    ).fit(counts)
    theirs.components_ = ours.components_
    mine, other = ours.transform(counts), theirs.transform(counts)
    least = divergence(counts, mine @ ours.components_)
    assert least <= divergence(counts, other @ ours.components_) + 1e-6
    assert least <= ours.reconstruction_err_**2 / 2 + 1e-9


def test_a_file_remembers_the_divergence(counts: Matrix, tmp_path: Path) -> None:
    fitted = model().fit(counts)
    fitted.save(tmp_path / "m.safetensors")
    loaded = deepnmf.load(tmp_path / "m.safetensors")
    assert loaded.get_params()["beta_loss"] == "kullback-leibler"
    np.testing.assert_array_equal(loaded.transform(counts), fitted.transform(counts))


def test_other_rules_methods_and_words_are_refused(counts: Matrix) -> None:
    with pytest.raises(ValueError, match="use hals"):
        model(solver="multiplicative").fit(counts)
    with pytest.raises(ValueError, match="nonnegative"):
        model().fit(counts).transform(counts, method="basis")
    with pytest.raises(ValueError, match="beta_loss"):
        NMF(4, beta_loss="itakura-saito").fit(counts)  # type: ignore[arg-type]
