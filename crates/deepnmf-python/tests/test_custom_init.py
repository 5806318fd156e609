"""NMF from factors that somebody gives it, as scikit-learn has it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from deepnmf import GNMF, NMF
from deepnmf._types import BetaLoss
from numpy.typing import NDArray
from sklearn import decomposition

Matrix = NDArray[Any]
peer: Any = decomposition.NMF


@pytest.fixture(scope="module")
def samples() -> Matrix:
    rng = np.random.default_rng(5)
    return rng.poisson(rng.gamma(0.5, size=(60, 4)) @ rng.gamma(0.5, size=(4, 20)) * 5) * 1.0


def start(samples: Matrix) -> tuple[Matrix, Matrix]:
    rng = np.random.default_rng(6)
    return rng.random((len(samples), 4)), rng.random((4, samples.shape[1]))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_without_an_iteration_the_factors_are_the_given_ones(samples: Matrix, dtype: Any) -> None:
    W, H = start(samples)
    model = NMF(4, init="custom", max_iter=0).fit(samples.astype(dtype), W=W, H=H)
    np.testing.assert_allclose(model.features_[0], W.astype(dtype), rtol=1e-6)
    np.testing.assert_allclose(model.components_, H.astype(dtype), rtol=1e-6)
    np.testing.assert_allclose(
        model.reconstruction_err_, np.linalg.norm(samples - W @ H), rtol=1e-5
    )


@pytest.mark.parametrize("loss", ["frobenius", "kullback-leibler"])
def test_a_fit_begins_where_that_of_scikit_learn_does(samples: Matrix, loss: BetaLoss) -> None:
    W, H = start(samples)
    solver = "cd" if loss == "frobenius" else "mu"
    other = peer(4, init="custom", solver=solver, beta_loss=loss, max_iter=2000, tol=1e-8)
    other.fit_transform(samples, W=W.copy(), H=H.copy())
    for table in (samples, sp.csr_array(samples)):
        model = NMF(4, init="custom", beta_loss=loss, tol=1e-9)
        assert model.fit_transform(table, None, W, H).shape == W.shape
        assert model.reconstruction_err_ < 1.02 * other.reconstruction_err_


def test_half_a_start_is_refused(samples: Matrix) -> None:
    W, H = start(samples)
    with pytest.raises(ValueError, match="needs both W and H"):
        NMF(4, init="custom").fit(samples, W=W)
    with pytest.raises(ValueError, match="H is given, but init is 'nndsvda'"):
        NMF(4).fit(samples, H=H)
    with pytest.raises(ValueError, match="Z_1: found 20 x 3"):
        NMF(4, init="custom").fit(samples, W=W, H=H[:3])
    with pytest.raises(ValueError, match="must not be negative"):
        NMF(4, init="custom").fit(samples, W=W, H=-H)
    with pytest.raises(ValueError, match="two dimensions"):
        NMF(4, init="custom").fit(samples, W=W, H="abc")
    wrong: Any = "custom"
    with pytest.raises(ValueError, match="init"):
        GNMF(4, init=wrong).fit(samples)
