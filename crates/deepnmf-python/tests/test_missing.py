"""Entries that are missing."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from deepnmf import GNMF, NMF, DeepSemiNMF, SemiNMF, WhitenedPCA

RNG = np.random.default_rng(3)
WHOLE = RNG.random((60, 3)) @ RNG.random((3, 8))
HOLES = RNG.random(WHOLE.shape) < 0.2
HOLES[np.arange(60), np.arange(60) % 8] = False
X = np.where(HOLES, np.nan, WHOLE)


def error(model: Any, X: Any) -> float:
    found = model.inverse_transform(model.features_[-1])
    return float(np.sqrt(np.nansum((X - found) ** 2)))


@pytest.mark.parametrize("make", [SemiNMF, NMF, GNMF, WhitenedPCA])
def test_fits_leave_missing_entries_out(make: Any) -> None:
    model = make(3, missing=np.nan).fit(X)
    assert model.svd_bound_ is None
    np.testing.assert_allclose(model.reconstruction_err_, error(model, X), rtol=1e-6, atol=1e-9)
    assert np.isfinite(model.transform(X)).all()
    assert np.isfinite(model.score(X))


def test_a_low_rank_is_recovered() -> None:
    model = NMF(3, missing=np.nan, tol=0, max_iter=1000).fit(X)
    filled = model.impute(X)
    np.testing.assert_array_equal(filled[~HOLES], WHOLE[~HOLES])
    assert np.abs(filled - WHOLE)[HOLES].max() < 0.05


def test_masks_and_zeros_say_the_same() -> None:
    options: dict[str, Any] = {"tol": 0, "max_iter": 20, "random_state": 0}
    wanted = NMF(3, missing=np.nan, **options).fit(X).reconstruction_err_
    masked = np.ma.masked_array(WHOLE, HOLES)
    zeros = np.where(HOLES, 0.0, WHOLE)
    found = [
        NMF(3, missing=np.nan, **options).fit(masked),
        NMF(3, missing="zeros", **options).fit(zeros),
        NMF(3, missing="zeros", **options).fit(sp.csr_array(zeros)),
        NMF(3, missing="zeros", **options).fit(sp.csc_array(zeros)),
    ]
    for model in found:
        np.testing.assert_allclose(model.reconstruction_err_, wanted, rtol=1e-6)


def test_missing_entries_that_were_not_declared_are_refused() -> None:
    with pytest.raises(ValueError, match=r"missing=np\.nan"):
        SemiNMF(3).fit(X)
    with pytest.raises(ValueError, match="masked"):
        SemiNMF(3).fit(np.ma.masked_array(WHOLE, HOLES))
    with pytest.raises(ValueError, match="missing is 0"):
        SemiNMF(3, missing=0).fit(X)
    empty = X.copy()
    empty[1] = np.nan
    with pytest.raises(ValueError, match="sample 2 has no observed entry"):
        SemiNMF(3, missing=np.nan).fit(empty)


def test_tags_say_whether_nan_is_taken() -> None:
    assert SemiNMF(3, missing=np.nan).__sklearn_tags__().input_tags.allow_nan
    assert not SemiNMF(3).__sklearn_tags__().input_tags.allow_nan
    assert not SemiNMF(3, missing="zeros").__sklearn_tags__().input_tags.allow_nan


def test_deep_models_leave_missing_entries_out() -> None:
    for activation in ("identity", "relu"):
        model = DeepSemiNMF([4, 2], activation=activation, missing=np.nan).fit(X)
        np.testing.assert_allclose(model.reconstruction_err_, error(model, X), rtol=1e-6)


def test_numbers_far_outside_of_the_observed_ones_are_warned_of() -> None:
    X = np.tile([0.001, 1.0], (40, 1))
    X[-1] = 0.1, np.nan
    model = NMF(1, missing=np.nan, max_iter=2000, tol=0.0, random_state=0).fit(X)
    with pytest.warns(UserWarning, match="fit fewer components"):
        model.impute(X)
