"""Weights of entries, and components that stay as they are."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from deepnmf import (
    NMF,
    WSF,
    AdditiveSemiNMF,
    DeepSemiNMF,
    SemiNMF,
    WhitenedPCA,
    clustering_accuracy,
)
from scipy.sparse import csr_array

RNG = np.random.default_rng(0)
X = RNG.random((60, 7)) @ RNG.random((7, 7)) + 0.1
WEIGHTS = RNG.random((60, 7)) + 0.05
WEIGHTS[3, 2] = WEIGHTS[40, 6] = 0.0


def loss(X: Any, weights: Any, Y: Any) -> float:
    """The root of the weighted squares by their definition."""
    return float(np.sqrt((weights / weights.max() * (X - Y) ** 2).sum()))


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("cls", [SemiNMF, NMF, WSF, WhitenedPCA], ids=lambda cls: cls.__name__)
def test_the_error_is_that_of_the_weighted_loss(cls: type[Any]) -> None:
    labels = (np.arange(60) % 3,) if cls is WSF else ()
    model = cls(2, random_state=0).fit(X, *labels, entry_weight=WEIGHTS)
    Y = model.inverse_transform(model.features_[-1])
    assert model.reconstruction_err_ == pytest.approx(loss(X, WEIGHTS, Y), rel=1e-8)
    if cls is NMF:
        other = NMF(2, random_state=0).fit(X)
        Y = other.inverse_transform(other.features_[-1])
        assert model.reconstruction_err_ < loss(X, WEIGHTS, Y)


def test_projections_minimize_the_weighted_loss() -> None:
    from scipy.optimize import nnls

    model = NMF(3, random_state=0).fit(X)
    features = model.transform(X, entry_weight=WEIGHTS)
    for x, w, h in zip(X, WEIGHTS, features, strict=True):
        root = np.sqrt(w)
        expected, _ = nnls(root[:, None] * model.components_.T, root * x)
        np.testing.assert_allclose(h, expected, atol=1e-7)
    fitted = SemiNMF(3, random_state=0)
    again = fitted.fit_transform(X, entry_weight=WEIGHTS)
    np.testing.assert_array_equal(again, fitted.transform(X, entry_weight=WEIGHTS))


def test_a_weight_of_zero_is_a_missing_entry() -> None:
    holes = np.where(RNG.random((60, 7)) < 0.1, np.nan, X)
    by_weights = NMF(2, random_state=0).fit(X, entry_weight=np.where(np.isnan(holes), 0, 3))
    missing = NMF(2, random_state=0, missing=np.nan).fit(holes)
    np.testing.assert_array_equal(by_weights.components_, missing.components_)
    both = SemiNMF(2, random_state=0, missing=np.nan).fit(holes, entry_weight=WEIGHTS)
    Y = both.inverse_transform(both.features_[-1])
    seen = ~np.isnan(holes)
    expected = loss(X[seen], WEIGHTS[seen], Y[seen]) ** 2
    expected *= WEIGHTS[seen].max() / WEIGHTS.max()
    assert both.reconstruction_err_**2 == pytest.approx(expected, rel=1e-8)


def test_sparse_samples_may_have_weights() -> None:
    sparse = csr_array(np.where(np.median(X) > X, 0.0, X))
    a = NMF(2, random_state=0).fit(sparse, entry_weight=WEIGHTS)
    b = NMF(2, random_state=0).fit(sparse.toarray(), entry_weight=WEIGHTS)
    np.testing.assert_array_equal(a.components_, b.components_)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("cls", [SemiNMF, NMF], ids=lambda cls: cls.__name__)
def test_given_components_stay(cls: type[Any], dtype: Any) -> None:
    known = RNG.random((2, 7)).astype(dtype)
    rows = RNG.random((60, 1)).astype(dtype)
    samples = X.astype(dtype)
    model = cls(4, random_state=0).fit(samples, fixed_components=known)
    np.testing.assert_array_equal(model.components_[:2], known)
    fewer = cls(2, random_state=0).fit(samples)
    assert model.reconstruction_err_ < fewer.reconstruction_err_
    model = cls(4, random_state=0).fit(
        samples,
        fixed_components=known.tolist(),
        fixed_features=rows,
        sample_weight=np.arange(1, 61),
    )
    np.testing.assert_array_equal(model.components_[:2], known)
    np.testing.assert_array_equal(model.features_[0][:, 3:], rows)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.transform(samples), model.transform(samples))


def test_parts_are_found_where_entries_are_missing() -> None:
    rng = np.random.default_rng(5)
    first, second = rng.integers(0, 4, 200), rng.integers(0, 3, 200)
    samples = 2 * rng.normal(size=(4, 30))[first] + rng.normal(size=(3, 30))[second]
    samples += 0.3 * rng.normal(size=samples.shape)
    samples[rng.random(samples.shape) < 0.2] = np.nan
    model = AdditiveSemiNMF((4, 3), missing=np.nan, random_state=0).fit(samples)
    for part, truth in ((1, first), (2, second)):
        found = model.transform(samples, part=part).argmax(axis=1)
        assert clustering_accuracy(truth, found) > 0.95
    assert np.isfinite(model.impute(samples)).all()


def test_counts_have_fixed_components_too() -> None:
    known = RNG.random((1, 7))
    model = NMF(3, beta_loss="kullback-leibler", random_state=0).fit(X, fixed_components=known)
    np.testing.assert_array_equal(model.components_[:1], known)


def test_what_makes_no_sense_is_refused() -> None:
    for bad in (WEIGHTS[:5], np.ones(60), "heavy"):
        with pytest.raises(ValueError, match="entry_weight"):
            SemiNMF(2).fit(X, entry_weight=bad)
    minus = WEIGHTS.copy()
    minus[4, 1] = -1.0
    with pytest.raises(ValueError, match="weight of feature 2 of sample 5"):
        SemiNMF(2).fit(X, entry_weight=minus)
    with pytest.raises(ValueError, match="NaN"):
        SemiNMF(2).fit(np.where(WEIGHTS < 0.3, np.nan, X), entry_weight=WEIGHTS)
    with pytest.raises(ValueError, match="Kullback-Leibler"):
        NMF(2, beta_loss="kullback-leibler").fit(X, entry_weight=WEIGHTS)
    with pytest.raises(ValueError, match="entries that all count the same"):
        SemiNMF(2).fit(X, entry_weight=WEIGHTS, sample_weight=np.ones(60))
    with pytest.raises(ValueError, match="7, as the data have"):
        NMF(3).fit(X, fixed_components=np.ones((1, 6)))
    with pytest.raises(ValueError, match="2 components in all"):
        NMF(2).fit(X, fixed_components=np.ones((3, 7)))
    with pytest.raises(ValueError, match="init='custom'"):
        NMF(2, init="custom").fit(X, W=np.ones((60, 2)), H=np.ones((2, 7)), fixed_components=X[:1])
    with pytest.raises(TypeError):
        DeepSemiNMF((3, 2)).fit(X, fixed_components=np.ones((1, 7)))  # type: ignore[call-arg]
