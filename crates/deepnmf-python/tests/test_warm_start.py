"""Fits that begin where the last one has ended."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from deepnmf import NMF, SemiNMF
from numpy.typing import NDArray

Matrix = NDArray[np.float64]

each = pytest.mark.parametrize("cls", [NMF, SemiNMF], ids=lambda cls: cls.__name__)
SHORT: dict[str, Any] = {"init": "random", "max_iter": 4, "tol": 0, "random_state": 0}


@each
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_a_second_fit_goes_on_from_the_first(cls: Any, form: Any, X: Matrix) -> None:
    model = cls(3, warm_start=True, **SHORT).fit(form(X))
    end = model.reconstruction_err_
    model.fit(form(X))
    np.testing.assert_allclose(model.history_[0], end, rtol=1e-9)
    assert model.reconstruction_err_ < end
    cold = cls(3, **SHORT).fit(form(X))
    np.testing.assert_array_equal(cold.history_, cold.fit(form(X)).history_)


@each
def test_components_come_along_to_other_samples_of_the_same_number(cls: Any, X: Matrix) -> None:
    model = cls(3, warm_start=True, **SHORT).fit(X)
    known = model.features_[0] @ model.components_
    noisy = X + 0.01
    model.fit(noisy)
    # Semi-NMF begins with the best basis for the features, NMF with the given one.
    error = np.linalg.norm(noisy - known)
    assert model.history_[0] <= error * (1 + 1e-9)
    if cls is NMF:
        np.testing.assert_allclose(model.history_[0], error, rtol=1e-9)


@each
def test_other_shapes_begin_anew(cls: Any, X: Matrix) -> None:
    for other, size in ((X[:50], 3), (X[:, :9], 3), (X, 4)):
        model = cls(3, warm_start=True, **SHORT).fit(X)
        model.set_params(n_components=size).fit(other)
        np.testing.assert_array_equal(model.components_, cls(size, **SHORT).fit(other).components_)


@each
def test_missing_entries_and_weights_do_not_matter(cls: Any, X: Matrix) -> None:
    holes = np.where(np.random.default_rng(0).random(X.shape) < 0.1, np.nan, X)
    model = cls(3, warm_start=True, missing=np.nan, **SHORT).fit(holes)
    end = model.reconstruction_err_
    assert model.fit(holes).reconstruction_err_ < end
    weights = np.linspace(1, 2, len(X))
    model = cls(3, warm_start=True, **SHORT).fit(X, sample_weight=weights)
    end = model.reconstruction_err_
    model.fit(X, sample_weight=weights)
    np.testing.assert_allclose(model.history_[0], end, rtol=1e-9)


@each
def test_copies_and_fits_around_fixed_components(cls: Any, X: Matrix) -> None:
    model = cls(3, warm_start=True, **SHORT).fit(X)
    again = pickle.loads(pickle.dumps(model)).fit(X)
    np.testing.assert_array_equal(again.components_, model.fit(X).components_)
    known = X[:1]
    fixed = cls(3, **SHORT).fit(X, fixed_components=known)
    np.testing.assert_array_equal(
        model.fit(X, fixed_components=known).components_, fixed.components_
    )
    with pytest.raises(ValueError, match="warm_start is 1: it must be True or False"):
        cls(3, warm_start=1).fit(X)


def test_given_factors_go_before_those_of_the_last_fit(X: Matrix) -> None:
    rng = np.random.default_rng(1)
    W, H = rng.random((60, 3)), rng.random((3, 12))
    model = NMF(3, warm_start=True, **SHORT).fit(X)
    model.set_params(init="custom").fit(X, W=W, H=H)
    np.testing.assert_allclose(model.history_[0], np.linalg.norm(X - W @ H), rtol=1e-6)


def test_neighbours_begin_anew(X: Matrix) -> None:
    model = SemiNMF(3, n_neighbors=4, warm_start=True, **SHORT).fit(X)
    first = model.history_
    np.testing.assert_array_equal(model.fit(X).history_, first)


def test_the_divergence_goes_on_too(X: Matrix) -> None:
    model = NMF(3, beta_loss="kullback-leibler", warm_start=True, **SHORT).fit(X)
    end = model.reconstruction_err_
    model.fit(X)
    # The scale of given factors is set right before the first iteration.
    np.testing.assert_allclose(model.history_[0], end, rtol=1e-4)
    assert model.reconstruction_err_ < end
