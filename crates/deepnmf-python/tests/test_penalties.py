"""The elastic-net penalties of NMF, beside scikit-learn's."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import deepnmf
import numpy as np
import pytest
import scipy.sparse as sp
from deepnmf import NMF
from deepnmf._types import BetaLoss
from numpy.typing import NDArray
from sklearn import decomposition

Matrix = NDArray[np.float64]
# Their parameters have no types.
peer: Any = decomposition.NMF
PENALTIES = [(0.01, 0.02, 0.5), (0.02, "same", 0.0), (0.005, 0.003, 1.0)]


@pytest.fixture(scope="module")
def samples() -> Matrix:
    """A product of sparse factors with noise, and one empty sample."""
    rng = np.random.default_rng(3)
    features, basis = rng.gamma(0.5, size=(90, 5)), rng.gamma(0.5, size=(5, 30))
    found = rng.poisson(4 * features @ basis).astype(np.float64)
    found[7] = 0
    return found


def objective(X: Matrix, W: Any, H: Any, loss: str, penalty: tuple[Any, Any, float]) -> float:
    """Compute the objective as the documentation of scikit-learn defines it."""
    alpha_w, alpha_h, ratio = penalty
    alpha_h = alpha_w if alpha_h == "same" else alpha_h
    Y = W @ H
    if loss == "frobenius":
        data = 0.5 * ((X - Y) ** 2).sum()
    else:
        some = X > 0
        data = (X[some] * np.log(X[some] / np.maximum(Y[some], 1e-300))).sum() - X.sum() + Y.sum()

    def elastic(factor: Any) -> float:
        return float(ratio * factor.sum() + 0.5 * (1 - ratio) * (factor**2).sum())

    n_samples, n_features = X.shape
    return float(data + alpha_w * n_features * elastic(W) + alpha_h * n_samples * elastic(H))


def ours(loss: BetaLoss, penalty: tuple[Any, Any, float], **params: Any) -> NMF:
    alpha_w, alpha_h, ratio = penalty
    return NMF(
        5,
        beta_loss=loss,
        alpha_W=alpha_w,
        alpha_H=alpha_h,
        l1_ratio=ratio,
        random_state=0,
        **params,
    )


def theirs(loss: str, penalty: tuple[Any, Any, float]) -> Any:
    alpha_w, alpha_h, ratio = penalty
    return peer(
        5,
        beta_loss=loss,
        solver="cd" if loss == "frobenius" else "mu",
        alpha_W=alpha_w,
        alpha_H=alpha_h,
        l1_ratio=ratio,
        init="nndsvda",
        max_iter=3000,
        # By 'mu' it stops by the divergence alone, which may rise while the objective falls.
        tol=1e-7 if loss == "frobenius" else 0.0,
        random_state=0,
    )


@pytest.mark.parametrize("loss", ["frobenius", "kullback-leibler"])
@pytest.mark.parametrize("penalty", PENALTIES)
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_the_same_weights_mean_the_same_as_in_scikit_learn(
    samples: Matrix, loss: BetaLoss, penalty: tuple[Any, Any, float], kind: Any
) -> None:
    X = kind(samples)
    other = theirs(loss, penalty)
    least = objective(samples, other.fit_transform(X), other.components_, loss, penalty)
    model = ours(loss, penalty, max_iter=3000, tol=1e-9)
    features = model.fit_transform(X)
    found = objective(samples, features, model.components_, loss, penalty)
    # Both may end in different minima; ours must not be a worse one by more than a little.
    assert found <= least * 1.001
    # Of features alone there is one minimum. Theirs stops near it.
    other.components_ = model.components_
    again = objective(samples, other.transform(X), model.components_, loss, penalty)
    assert found <= again * (1 + 1e-9)
    # By 'mu' their transform adds the weight of l1 once more in every iteration, as of 1.9.
    if loss == "frobenius" or penalty[2] == 0:
        assert again <= found * 1.001


@pytest.mark.parametrize("loss", ["frobenius", "kullback-leibler"])
def test_the_history_is_that_of_the_objective(samples: Matrix, loss: BetaLoss) -> None:
    model = ours(loss, PENALTIES[0]).fit(samples)
    found = objective(samples, model.features_[0], model.components_, loss, PENALTIES[0])
    assert model.history_[-1] == pytest.approx(np.sqrt(2 * found), rel=1e-9)
    without = objective(samples, model.features_[0], model.components_, loss, (0.0, 0.0, 0.0))
    assert model.reconstruction_err_ == pytest.approx(np.sqrt(2 * without), rel=1e-9)


@pytest.mark.parametrize("penalty", [*PENALTIES, (0.0, "same", 0.0)])
def test_a_file_remembers_the_penalties(
    samples: Matrix, penalty: tuple[Any, Any, float], tmp_path: Path
) -> None:
    fitted = ours("frobenius", penalty).fit(samples)
    fitted.save(tmp_path / "m.safetensors")
    loaded = deepnmf.load(tmp_path / "m.safetensors")
    names = ("alpha_W", "alpha_H", "l1_ratio")
    assert tuple(loaded.get_params()[name] for name in names) == penalty
    np.testing.assert_array_equal(loaded.transform(samples), fitted.transform(samples))


def test_names_of_scikit_learn_are_known(samples: Matrix) -> None:
    def fitted(**params: Any) -> Any:
        return NMF(3, random_state=0, **params).fit(samples).components_

    for name, own in (("cd", "hals"), ("mu", "multiplicative")):
        np.testing.assert_array_equal(fitted(solver=name), fitted(solver=own))
    for number, word in ((2, "frobenius"), (1, "kullback-leibler")):
        np.testing.assert_array_equal(fitted(beta_loss=number), fitted(beta_loss=word))


@pytest.mark.parametrize(
    ("params", "text"),
    [
        ({"alpha_W": -0.1}, "alpha_W is -0.1"),
        ({"alpha_H": "other"}, "alpha_H is 'other'"),
        ({"l1_ratio": 1.5}, "l1_ratio is 1.5"),
    ],
)
def test_wrong_penalties_are_refused(samples: Matrix, params: dict[str, Any], text: str) -> None:
    with pytest.raises(ValueError, match=text):
        NMF(3, **params).fit(samples)


def test_a_penalty_that_has_no_minimum_is_said(samples: Matrix) -> None:
    assert "the basis has no penalty" in NMF(3, alpha_W=0.1, alpha_H=0.0).fit(samples).notices_[0]


def test_the_score_is_that_of_what_is_minimized(samples: Matrix) -> None:
    model = NMF(5, beta_loss="kullback-leibler", random_state=0).fit(samples)
    Y = model.inverse_transform(model.transform(samples))
    expected = objective(samples, Y, np.eye(30), "kullback-leibler", (0.0, 0.0, 0.0))
    assert model.score(samples) == pytest.approx(-expected / samples.size, rel=1e-9)
