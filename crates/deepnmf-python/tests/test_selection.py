"""How many components the data have."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from deepnmf import GNMF, NMF, DeepSemiNMF, LayerSelection, SemiNMF, consensus
from numpy.typing import NDArray
from scipy import sparse

Matrix = NDArray[np.float64]


def planted(components: int = 4) -> Matrix:
    """Give sums of some components, with noise."""
    rng = np.random.default_rng(0)
    X = rng.random((120, components)) ** 3 @ rng.random((components, 25)) ** 2
    noisy: Matrix = X + 0.2 * X.std() * rng.random(X.shape)
    return noisy


@pytest.mark.parametrize("estimator", [None, SemiNMF(), NMF(max_iter=500)])
def test_planted_components_are_found_and_fitted(estimator: Any) -> None:
    X = planted()
    search = LayerSelection(estimator, random_state=0).fit(X)
    assert search.layers_ == (4,)
    assert "4 components" in search.reasons_[0]
    assert search.best_estimator_.n_components_ == 4
    np.testing.assert_array_equal(search.transform(X), search.best_estimator_.transform(X))
    curve = search.curves_[0]
    assert curve["size"][curve["held_out"].argmin()] == 4
    assert curve["deviation"].shape == curve["stability"].shape == curve["size"].shape
    spectrum = search.spectra_[0]
    assert spectrum is not None
    assert (spectrum[0] > spectrum[1]).sum() >= 3


def test_no_structure_is_an_answer() -> None:
    X = np.random.default_rng(1).random((80, 20))
    search = LayerSelection(random_state=0).fit(X)
    assert search.layers_ == ()
    assert search.n_components_ == 0
    assert search.reasons_[0].startswith("no structure beyond noise")
    assert not hasattr(search, "best_estimator_")


def test_sparse_samples_have_the_same_answer() -> None:
    X = planted()
    X[np.median(X) > X] = 0
    dense = LayerSelection(layers=(1, 6), random_state=0, n_masks=3).fit(X)
    held = LayerSelection(layers=(1, 6), random_state=0, n_masks=3).fit(sparse.csr_array(X))
    assert dense.layers_ == held.layers_
    np.testing.assert_allclose(dense.curves_[0]["held_out"], held.curves_[0]["held_out"], rtol=1e-5)


def test_a_layer_that_is_not_worth_it_is_left_out() -> None:
    search = LayerSelection(DeepSemiNMF(), random_state=0).fit(planted())
    assert search.layers_ == (4,)
    assert len(search.reasons_) == 2
    assert search.best_estimator_.layers_ == (4,)


def test_workers_share_the_search(tmp_path: Path) -> None:
    X = planted()
    alone = LayerSelection(layers=(2, 6), random_state=0).fit(X)

    def worker(index: int) -> LayerSelection:
        found = tmp_path / "found"
        search = LayerSelection(layers=(2, 6), random_state=0, records=found, worker=(index, 2))
        return search.fit(X)

    first = worker(0)
    assert first.missing_ > 0
    last = worker(1)
    assert last.missing_ == 0
    assert last.layers_ == alone.layers_
    np.testing.assert_array_equal(last.curves_[0]["held_out"], alone.curves_[0]["held_out"])


def test_curves_are_drawn(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    search = LayerSelection(layers=(3, 5), n_masks=2, random_state=0, verbose=1).fit(planted())
    search.save_curves(tmp_path / "curves.svg")
    assert (tmp_path / "curves.svg").read_text().startswith("<svg")
    assert "6 of 6 fits" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"estimator": GNMF()}, "SemiNMF, NMF"),
        ({"layers": "many"}, "'auto'"),
        ({"layers": (5, 2)}, "the least and the most"),
        ({"layers": [3, 4]}, "one size for each layer"),
        ({"held_out": 1.0}, "between 0 and 1"),
        ({"n_masks": 0}, "n_masks"),
        ({"worker": (0, 2)}, "folder"),
    ],
)
def test_wrong_parameters_are_named(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        LayerSelection(**wrong).fit(planted())


def test_counts_are_judged_by_their_divergence() -> None:
    rng = np.random.default_rng(0)
    expected = rng.gamma(0.3, size=(150, 4)) @ rng.gamma(0.3, size=(4, 40)) * 10
    counts = rng.poisson(expected).astype(float) + np.eye(150, 40)
    estimator = NMF(beta_loss="kullback-leibler")
    search = LayerSelection(estimator, layers=(2, 8), random_state=0).fit(counts)
    assert search.n_components_ == 4


def test_missing_entries_are_left_out_of_the_search() -> None:
    X = planted()
    hidden = np.random.default_rng(2).random(X.shape) < 0.2
    holed = np.where(hidden, np.nan, X)
    search = LayerSelection(SemiNMF(missing=np.nan), random_state=0).fit(holed)
    assert search.layers_ == (4,)
    with pytest.raises(ValueError, match=r"missing=np\.nan"):
        LayerSelection(random_state=0).fit(holed)


@pytest.mark.parametrize("estimator", [SemiNMF(4), NMF(4), NMF(4, beta_loss="kullback-leibler")])
def test_several_fits_are_brought_together(estimator: Any) -> None:
    X = planted()
    model = consensus(estimator.set_params(random_state=0), X, n_fits=4)
    assert not hasattr(estimator, "components_")
    assert model.stability_.shape == (4,)
    assert (model.stability_ <= 1 + 1e-9).all()
    assert model.errors_of_fits_.shape == (4,)
    np.testing.assert_allclose(np.linalg.norm(model.components_, axis=1), 1)
    np.testing.assert_allclose(model.transform(X), model.features_[0], rtol=1e-6, atol=1e-9)
    again = consensus(estimator, X, n_fits=4)
    np.testing.assert_array_equal(again.components_, model.components_)


def test_what_cannot_be_brought_together_is_named() -> None:
    with pytest.raises(ValueError, match="n_fits"):
        consensus(NMF(3), planted(), n_fits=1)
    with pytest.raises(ValueError, match="SemiNMF or NMF"):
        consensus(DeepSemiNMF(), planted())  # type: ignore[type-var]
