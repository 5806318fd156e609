"""Prediction of attributes from few labels."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import deepnmf
import numpy as np
import pytest
from deepnmf import WSF, WSFMA, DeepWSF, SemiNMF
from numpy.typing import NDArray


def some(labels: Any, every: int, start: int = 0) -> NDArray[Any]:
    """Keep every n-th label; the others are unknown."""
    kept = np.asarray(labels, dtype=object).copy()
    kept[np.arange(len(kept)) % every != start] = None
    return kept


def as_words(y: NDArray[Any], names: NDArray[Any]) -> NDArray[Any]:
    """Replace numbers by names; None where they are unknown."""
    return np.array([None if code < 0 else names[code] for code in y], dtype=object)


@pytest.fixture(scope="module")
def drawn() -> deepnmf.Dataset:
    """Faces with several attributes."""
    return deepnmf.load_faces(identities=6, poses=3, size=16)


def test_few_labels_predict_the_others(drawn: deepnmf.Dataset) -> None:
    who, light = (np.asarray(drawn.labels[name]) for name in ("identity", "illumination"))
    y = np.column_stack([some(light, 7, 1), some(who, 5)])
    model = DeepWSF((30, 20), random_state=0).fit(drawn.X, y)
    both = model.predict(drawn.X)
    assert both.shape == (len(who), 2)
    assert (both[:, 1] == who).mean() > 0.9
    assert (both[:, 0] == light).mean() > 0.9
    one, margin = model.predict(drawn.X, attribute=1, return_margin=True)
    np.testing.assert_array_equal(one, both[:, 1])
    assert (margin >= 0).all()
    assert margin[one == who].mean() > margin[one != who].mean() if (one != who).any() else True
    assert set(model.prediction_errors_) == {"y1", "y2"}
    assert [list(c) for c in model.classes_] == [sorted(set(light)), sorted(set(who))]


def test_classes_are_those_of_the_labels(X: NDArray[Any], y: NDArray[Any]) -> None:
    model = WSF(4, random_state=0).fit(X, y)
    np.testing.assert_array_equal(model.classes_, [0, 1, 2, 3])
    assert set(model.predict(X)) <= {0, 1, 2, 3}
    names = np.array(["north", "east", "south", "west"], dtype=object)
    words = as_words(y, names)
    named = WSF(4, random_state=0).fit(X, words)
    assert set(named.classes_) == set(names)
    np.testing.assert_array_equal(named.predict(X), names[model.predict(X)])


def test_a_file_keeps_what_was_learnt(X: NDArray[Any], y: NDArray[Any], tmp_path: Path) -> None:
    words = as_words(y, np.array(["b", "a", "d", "c"], dtype=object))
    for labels in (y, words):
        model = WSFMA(4, random_state=0).fit(X, np.column_stack([labels, labels]))
        model.save(tmp_path / "m.safetensors")
        loaded = deepnmf.load(tmp_path / "m.safetensors")
        np.testing.assert_array_equal(loaded.predict(X), model.predict(X))  # type: ignore[attr-defined]


def test_what_was_not_learnt_is_refused_in_words(X: NDArray[Any], y: NDArray[Any]) -> None:
    with pytest.raises(ValueError, match="learnt no attribute"):
        WSF(4).fit(X).predict(X)
    model = DeepWSF((6, 3), random_state=0).fit(X, y)
    np.testing.assert_array_equal(model.predict(X, 0), model.predict(X))
    with pytest.raises(ValueError, match="attribute is 'pose'"):
        model.predict(X, "pose")
    assert not hasattr(WSF(4).fit(X), "classes_")
    assert not hasattr(SemiNMF(3), "predict")


def test_a_search_chooses_layers_and_weights_by_the_given_labels(drawn: deepnmf.Dataset) -> None:
    from sklearn.model_selection import GridSearchCV, KFold

    y = np.asarray(drawn.labels["identity"], dtype=object).copy()
    known = np.arange(len(y)) % 3 != 1
    y[~known] = None
    folds = KFold(3, shuffle=True, random_state=0)  # the faces stand in the order of their people
    search = GridSearchCV(WSF(), {"n_components": [2, 12], "lam": [0.1, 1.0]}, cv=folds)
    search.fit(drawn.X, y)
    assert search.best_params_["n_components"] == 12
    right = search.best_estimator_.predict(drawn.X)[known] == y[known]
    assert search.score(drawn.X, y) == pytest.approx(np.mean(right))
    assert WSF(4).fit(drawn.X, y).score(drawn.X) < 0  # without labels: the reconstruction
