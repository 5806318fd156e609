"""Laws that hold for every factorization."""

from __future__ import annotations

import tracemalloc
from inspect import signature
from typing import Any

import numpy as np
import pytest
from deepnmf import NMF, WSF, DeepSemiNMF, SemiNMF, WhitenedPCA
from deepnmf._base import Factorization
from numpy.typing import NDArray
from sklearn.decomposition import NMF as TheirNMF

from .conftest import FACTORIZATIONS, LABELLED, small

Matrix = NDArray[np.float64]
Labels = NDArray[np.int64]

each = pytest.mark.parametrize("cls", FACTORIZATIONS, ids=lambda cls: cls.__name__)
LOOPS = [cls for cls in FACTORIZATIONS if cls is not WhitenedPCA]
each_loop = pytest.mark.parametrize("cls", LOOPS, ids=lambda cls: cls.__name__)


def relative(a: NDArray[Any], b: NDArray[Any]) -> float:
    """Give the distance of two arrays, relative to the first."""
    return float(np.linalg.norm(a - b) / np.linalg.norm(a))


def random_init(cls: type[Factorization]) -> dict[str, Any]:
    """Give the parameter for an initialization that leaves something to gain, if there is one."""
    return {"init": "random"} if "init" in signature(cls).parameters else {}


def rebuilt(model: Factorization) -> NDArray[Any]:
    """Give what a model makes of the samples it was fitted to."""
    return model.inverse_transform(model.features_[-1])


@each
def test_the_error_is_the_distance_from_what_is_rebuilt(
    cls: type[Factorization], X: Matrix, y: Labels
) -> None:
    model = small(cls).fit(X, y)
    assert model.reconstruction_err_ == pytest.approx(np.linalg.norm(X - rebuilt(model)))


@each_loop
def test_no_error_is_below_the_bound(cls: type[Factorization], X: Matrix, y: Labels) -> None:
    model = small(cls).fit(X, y)
    singular = np.linalg.svd(X, compute_uv=False)
    assert model.svd_bound_ == pytest.approx(np.linalg.norm(singular[model.n_components_ :]))
    assert model.reconstruction_err_ >= (model.svd_bound_ or 0) * (1 - 1e-9)


@each_loop
def test_the_objective_never_rises(cls: type[Factorization], X: Matrix, y: Labels) -> None:
    params: dict[str, Any] = {"tol": 0, "max_iter": 40, **random_init(cls)}
    history = small(cls, **params).fit(X, y).history_
    assert len(history) > 1
    assert (np.diff(history) <= 1e-9 * history[0]).all()


@each
def test_fit_transform_is_fit_and_transform_bit_for_bit(
    cls: type[Factorization], X: Matrix, y: Labels
) -> None:
    together = small(cls).fit_transform(X, y)
    np.testing.assert_array_equal(together, small(cls).fit(X, y).transform(X))


@each
def test_features_of_the_fitted_samples_are_no_worse_than_those_of_the_fit(
    cls: type[Factorization], X: Matrix, y: Labels
) -> None:
    model = small(cls).fit(X, y)
    again = np.linalg.norm(X - model.inverse_transform(model.transform(X)))
    assert again <= model.reconstruction_err_ * (1 + 1e-9)
    assert model.score(X) == pytest.approx(-(again**2) / X.size)


@each
def test_features_of_a_sample_do_not_depend_on_the_others(
    cls: type[Factorization], X: Matrix, y: Labels
) -> None:
    model = small(cls).fit(X, y)
    one_by_one = np.vstack([model.transform(X[i : i + 1]) for i in range(len(X))])
    np.testing.assert_allclose(one_by_one, model.transform(X), atol=1e-9)


@each
def test_narrow_numbers_give_nearly_the_same(
    cls: type[Factorization], X: Matrix, y: Labels
) -> None:
    wide, narrow = small(cls).fit(X, y), small(cls).fit(X.astype(np.float32), y)
    assert narrow.components_.dtype == narrow.features_[0].dtype == np.float32
    assert narrow.transform(X).dtype == np.float32
    assert narrow.reconstruction_err_ == pytest.approx(wide.reconstruction_err_, rel=1e-3)


@each
def test_the_order_in_memory_does_not_matter(
    cls: type[Factorization], X: Matrix, y: Labels
) -> None:
    wanted = small(cls).fit(X, y)
    for turned in (np.asfortranarray(X), np.repeat(X, 2, axis=1)[:, ::2], X[::-1].copy()[::-1]):
        model = small(cls).fit(turned, y)
        assert model.reconstruction_err_ == pytest.approx(wanted.reconstruction_err_, rel=1e-6)
        np.testing.assert_allclose(wanted.transform(turned), wanted.transform(X), atol=1e-9)


@each
def test_threads_do_not_change_a_bit(cls: type[Factorization], X: Matrix, y: Labels) -> None:
    models = [small(cls, n_jobs=jobs).fit(X, y) for jobs in (1, 2, 3, -1)]
    for model in models[1:]:
        np.testing.assert_array_equal(model.components_, models[0].components_)
        np.testing.assert_array_equal(model.transform(X), models[0].transform(X))


@each_loop
def test_the_seed_decides(cls: type[Factorization], X: Matrix, y: Labels) -> None:
    def fitted(random_state: Any) -> NDArray[Any]:
        params: dict[str, Any] = {"max_iter": 3, "tol": 0, **random_init(cls)}
        return small(cls, random_state=random_state, **params).fit(X, y).features_[-1]

    np.testing.assert_array_equal(fitted(7), fitted(7))
    state = np.random.RandomState
    np.testing.assert_array_equal(fitted(state(7)), fitted(state(7)))
    if random_init(cls):  # clusters of parts may be found from any seed
        assert not np.array_equal(fitted(7), fitted(8))


@each
def test_features_and_components_have_the_promised_signs(
    cls: type[Factorization], X: Matrix, y: Labels
) -> None:
    model = small(cls).fit(X, y)
    if cls is not WhitenedPCA:
        assert all((h >= 0).all() for h in model.features_)
        assert (model.transform(X - 0.5) >= 0).all()
    if not cls._takes_negative:
        assert (model.components_ >= 0).all()


@pytest.mark.parametrize("cls", LABELLED, ids=lambda cls: cls.__name__)
def test_labels_that_are_all_unknown_are_no_labels(cls: type[Factorization], X: Matrix) -> None:
    unknown = small(cls).fit(X, np.full(len(X), -1)).features_[-1]
    np.testing.assert_array_equal(unknown, small(cls).fit(X).features_[-1])


def test_labels_draw_classes_together(X: Matrix, y: Labels) -> None:
    def scatter(H: NDArray[Any]) -> float:
        H = H / np.linalg.norm(H)
        parts = [H[y == c] - H[y == c].mean(axis=0) for c in range(4)]
        return float(sum(np.square(part).sum() for part in parts))

    free, penalized = (small(WSF, lam=lam).fit(X, y).features_[0] for lam in (0.0, 1.0))
    assert scatter(penalized) < 0.9 * scatter(free)
    np.testing.assert_array_equal(free, small(SemiNMF).fit(X).features_[0])


def test_nmf_is_as_good_as_that_of_scikit_learn(faces: Any) -> None:
    ours = NMF(8, random_state=0).fit(faces.X)
    params: dict[str, Any] = {"n_components": 8, "init": "nndsvda", "random_state": 0}
    theirs = TheirNMF(max_iter=500, tol=1e-6, **params).fit(faces.X)
    assert ours.reconstruction_err_ < 1.002 * theirs.reconstruction_err_


def test_a_nonlinear_model_can_be_below_the_linear_bound(faces: Any) -> None:
    model = DeepSemiNMF((30, 6), activation="relu", random_state=0, max_iter=60, tol=0)
    model.fit(faces.X)
    assert model.svd_bound_ is not None
    assert model.reconstruction_err_ < model.svd_bound_
    again = np.linalg.norm(faces.X - model.inverse_transform(model.transform(faces.X)))
    assert again <= model.reconstruction_err_ * (1 + 1e-6)
    assert model.transform(faces.X, layer=1).shape == (len(faces.X), 30)


def test_nothing_is_copied_on_the_way_in_or_out() -> None:
    X = np.random.default_rng(0).random((20000, 50))
    for turned in (X, np.asfortranarray(X)):
        model = SemiNMF(1, init="random", max_iter=1, tol=0, measure_bound=False)
        tracemalloc.start()
        model.fit(turned)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < X.nbytes / 4
        first, second = model.features_[0], model.features_[0]
        assert np.shares_memory(first, second)
        assert not first.flags.writeable
        assert first.flags.c_contiguous
    with pytest.raises(ValueError, match="read-only"):
        first[0, 0] = 1.0
    del model
    assert np.isfinite(first).all()  # the array keeps the memory it shows
