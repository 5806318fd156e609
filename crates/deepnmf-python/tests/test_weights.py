"""A sample of weight 2 counts as two copies of it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import sklearn
from deepnmf import NMF, WSF, DeepSemiNMF, MultilayerNMF, NeNMF, SemiNMF
from deepnmf._base import Factorization
from deepnmf._weighted import Weighable
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

from .conftest import FACTORIZATIONS

WEIGHABLE = [SemiNMF, DeepSemiNMF, NMF, NeNMF, MultilayerNMF]


def model(cls: type[Any]) -> Any:
    """Return an estimator with few components and iterations."""
    deep = cls in (DeepSemiNMF, MultilayerNMF)
    size: dict[str, Any] = {"layers": (5, 3)} if deep else {"n_components": 3}
    return cls(**size, max_iter=10, tol=0.0, random_state=0)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("cls", WEIGHABLE, ids=lambda cls: cls.__name__)
def test_a_weight_is_a_number_of_copies(cls: type[Any]) -> None:
    rng = np.random.default_rng(0)
    X, counts = rng.random((80, 7)), rng.integers(1, 4, 80)
    weighted = model(cls).fit(X, sample_weight=counts)
    copied = model(cls).fit(np.repeat(X, counts, axis=0))
    np.testing.assert_allclose(weighted.components_, copied.components_, rtol=1e-8, atol=1e-10)
    assert weighted.reconstruction_err_ == pytest.approx(copied.reconstruction_err_, rel=1e-9)
    features = weighted.fit_transform(X, sample_weight=counts)
    np.testing.assert_allclose(features, weighted.transform(X))


@pytest.mark.parametrize("cls", FACTORIZATIONS, ids=lambda cls: cls.__name__)
def test_who_takes_weights_says_so(cls: type[Factorization]) -> None:
    assert (cls in WEIGHABLE) == (issubclass(cls, Weighable) or cls is NMF)
    estimator: Any = cls()
    takes = "sample_weight" in estimator.get_metadata_routing().fit.requests
    assert takes == (cls in WEIGHABLE)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_a_pipeline_hands_weights_over() -> None:
    rng = np.random.default_rng(1)
    X, weights = rng.random((60, 6)), rng.random(60) + 0.1
    with sklearn.config_context(enable_metadata_routing=True):
        steps = make_pipeline(MinMaxScaler(), model(NMF).set_fit_request(sample_weight=True))
        found: Any = steps.fit(X, sample_weight=weights)[-1]
    alone = model(NMF).fit(MinMaxScaler().fit_transform(X), sample_weight=weights)
    np.testing.assert_array_equal(found.components_, alone.components_)


def test_weights_that_make_no_sense_are_refused() -> None:
    X = np.random.default_rng(2).random((10, 4))
    for weights in (np.ones(9), np.ones((10, 2)), "heavy"):
        with pytest.raises(ValueError, match="one number for each of the 10 samples"):
            SemiNMF(2).fit(X, sample_weight=weights)
    for weight in (0.0, -1.0, np.nan):
        with pytest.raises(ValueError, match="weight of sample 3"):
            SemiNMF(2).fit(X, sample_weight=np.where(np.arange(10) == 2, weight, 1.0))
    with pytest.raises(ValueError, match="elastic-net"):
        NMF(2, alpha_W=0.1).fit(X, sample_weight=np.ones(10))
    with pytest.raises(TypeError):
        WSF(2).fit(X, sample_weight=np.ones(10))  # type: ignore[call-arg]
