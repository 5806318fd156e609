"""Models that learn from one batch of samples after another."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import deepnmf
import numpy as np
import pytest
import scipy.sparse as sp
from deepnmf import NMF, DeepSemiNMF, KMeans, SemiNMF
from numpy.typing import NDArray
from sklearn.base import clone

Matrix = NDArray[Any]
MODELS: list[Any] = [SemiNMF(5), NMF(5), DeepSemiNMF((8, 5))]


def fresh(model: Any) -> Any:
    """Return a copy that has not been fitted."""
    return clone(model)


@pytest.fixture(scope="module")
def samples() -> Matrix:
    rng = np.random.default_rng(1)
    product = rng.gamma(0.4, size=(4000, 5)) @ rng.gamma(0.5, size=(5, 40))
    return product + 0.05 * rng.random((4000, 40))


@pytest.mark.parametrize("model", MODELS, ids=lambda m: type(m).__name__)
def test_a_stream_comes_near_a_fit_to_all_of_it(model: Any, samples: Matrix) -> None:
    whole = fresh(model).fit(samples)
    for dtype in (np.float64, np.float32):
        stream = fresh(model)
        for batch in np.array_split(samples.astype(dtype), 40):
            assert stream.partial_fit(batch) is stream
        assert stream.n_samples_seen_ == 4000
        assert len(stream.batch_errors_) == 39
        assert stream.features_[0].shape[0] == 100
        assert stream.components_.dtype == dtype
        assert -stream.score(samples.astype(dtype)) < 1.1 * -whole.score(samples)


@pytest.mark.parametrize("model", MODELS, ids=lambda m: type(m).__name__)
def test_sparse_batches_are_dense_ones(model: Any, samples: Matrix) -> None:
    few = np.where(samples > np.median(samples), samples, 0)[:600]
    dense, sparse = fresh(model), fresh(model)
    for batch in np.array_split(few, 3):
        dense.partial_fit(batch)
        sparse.partial_fit(sp.csr_array(batch))
    np.testing.assert_allclose(dense.score(few), sparse.score(few), rtol=1e-6)


def test_what_was_put_away_goes_on_with_the_same_bits(samples: Matrix) -> None:
    first, second, third = np.array_split(samples[:600], 3)
    model = NMF(5, random_state=0).partial_fit(first).partial_fit(second)
    other = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(
        model.partial_fit(third).components_, other.partial_fit(third).components_
    )
    assert other.n_samples_seen_ == 600


def test_a_fit_or_a_file_is_a_beginning(samples: Matrix, tmp_path: Path) -> None:
    path = tmp_path / "m.safetensors"
    SemiNMF(5).fit(samples[:1000]).save(path)
    model = deepnmf.load(path)
    assert isinstance(model, SemiNMF)
    model.partial_fit(samples[1000:1200])
    assert model.n_samples_seen_ == 1200
    # What was learnt before has its say.
    assert model.batch_errors_[0] < 1.1 * model.reconstruction_err_
    model.fit(samples[:500])
    assert model.partial_fit(samples[500:600]).n_samples_seen_ == 600


def test_what_does_not_fit_is_refused_and_changes_nothing(samples: Matrix) -> None:
    model = NMF(5).partial_fit(samples[:100])
    before = model.components_.copy()
    with pytest.raises(ValueError, match="features"):
        model.partial_fit(samples[:100, :10])
    with pytest.raises(ValueError, match="non-negative"):
        model.partial_fit(-samples[:100])
    np.testing.assert_array_equal(model.components_, before)
    with pytest.raises(ValueError, match="Kullback-Leibler"):
        NMF(5, beta_loss="kullback-leibler").partial_fit(samples[:100])
    with pytest.raises(ValueError, match="nonlinear"):
        DeepSemiNMF((8, 5), activation="relu").partial_fit(samples[:100])
    with pytest.raises(ValueError, match="give them to fit"):
        NMF(5, init="custom").partial_fit(samples[:100])


def test_centres_are_means_of_all_samples_that_came_to_them() -> None:
    rng = np.random.default_rng(2)
    middles = np.array([[0.0, 0.0], [9.0, 0.0], [0.0, 9.0]])
    truth = rng.integers(3, size=900)
    X = middles[truth] + rng.normal(size=(900, 2))
    model = KMeans(3, random_state=0)
    for batch in np.array_split(X, 9):
        model.partial_fit(batch)
    clusters = model.predict(X)
    for cluster in range(3):
        np.testing.assert_allclose(model.cluster_centers_[cluster], X[clusters == cluster].mean(0))
    assert model.labels_.shape == (100,)
