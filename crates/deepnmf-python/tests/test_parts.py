"""Attributes that are found apart without labels."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from deepnmf import AdditiveSemiNMF, SemiNMF, normalized_mutual_info
from numpy.typing import NDArray

Matrix = NDArray[np.float64]


def planted() -> tuple[Matrix, NDArray[np.int64]]:
    """Give samples that are sums of two centres, and which ones."""
    rng = np.random.default_rng(0)
    labels = np.column_stack([rng.integers(6, size=150), rng.integers(3, size=150)])
    centres = rng.normal(size=(6, 20)) * 2, rng.normal(size=(3, 20))
    noise = 0.2 * rng.normal(size=(150, 20))
    return centres[0][labels[:, 0]] + centres[1][labels[:, 1]] + noise, labels


def test_each_part_finds_an_attribute_and_new_samples_get_it() -> None:
    X, labels = planted()
    model = AdditiveSemiNMF((6, 3), random_state=0).fit(X[:100])
    found = model.predict(X)
    for part in (0, 1):
        assert normalized_mutual_info(labels[:, part], found[:, part]) > 0.99
    np.testing.assert_array_equal(found[:100], model.labels_)
    np.testing.assert_array_equal(model.transform(X[:100]), model.features_[0])


def test_parts_are_chosen_by_their_number() -> None:
    X, _ = planted()
    model = AdditiveSemiNMF((6, 3), random_state=0).fit(X)
    both = [model.transform(X, part=part) for part in (1, 2)]
    np.testing.assert_array_equal(np.hstack(both), model.transform(X))
    with pytest.raises(ValueError, match="part is 3: this model has parts 1 to 2"):
        model.transform(X, part=3)
    frame: Any = model.set_output(transform="pandas").transform(X, part=2)
    assert isinstance(frame, pd.DataFrame)
    assert frame.shape == (150, 3)


def test_one_part_is_semi_nmf() -> None:
    X, _ = planted()
    alone = AdditiveSemiNMF((4,), random_state=0).fit(X)
    np.testing.assert_array_equal(
        alone.features_[0], SemiNMF(4, random_state=0).fit(X).features_[0]
    )


def test_wrong_parts_are_named_at_fit() -> None:
    X, _ = planted()
    wrong: list[tuple[Any, str]] = [
        (5, "parts is 5: it must be a list"),
        ((), "the list of parts is empty"),
        ((8, 1), "each of parts is 1"),
        ((999, 3), "part 1 is 999: with 150 samples"),
    ]
    for parts, words in wrong:
        with pytest.raises(ValueError) as told:  # noqa: PT011, the words are checked
            AdditiveSemiNMF(parts).fit(X)
        assert words in str(told.value)


def test_parts_that_nobody_names_are_found() -> None:
    X, labels = planted()
    model = AdditiveSemiNMF("auto", random_state=0).fit(X)
    best = [
        max(normalized_mutual_info(truth, found) for found in model.labels_.T) for truth in labels.T
    ]
    assert min(best) > 0.9
    assert len(model.parts_) >= 2
    assert any("without structure" in notice for notice in model.notices_)
    wrong: Any = "all"
    with pytest.raises(ValueError, match="'auto'"):
        AdditiveSemiNMF(wrong).fit(X)


def test_parts_with_some_labels_stand_beside_parts_that_are_found() -> None:
    X, labels = planted()
    shade = np.array(["dark", "grey", "light"], dtype=object)[labels[:, 1]]
    some = pd.DataFrame({"shade": [s if j % 10 == 0 else None for j, s in enumerate(shade)]})
    model = AdditiveSemiNMF((6, None), random_state=0).fit(X, some)
    assert model.parts_ == (6, 3)
    assert model.classes_.tolist() == ["dark", "grey", "light"]
    for attribute in ("shade", 0):
        found, margins = model.predict(X, attribute, return_margin=True)
        assert (found == shade).mean() > 0.98
        assert (margins >= 0).all()
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    np.testing.assert_array_equal(model.classes_[model.labels_[:, 1]], model.predict(X, 0))
    assert normalized_mutual_info(labels[:, 0], model.labels_[:, 0]) > 0.99
    assert model.score(X, shade) > 0.98
    assert model.score(X) < 0
    assert set(model.prediction_errors_) == {"shade"}
    with pytest.raises(ValueError, match="y has 0 attributes, but 1 of the parts are None"):
        AdditiveSemiNMF((6, None)).fit(X)
    with pytest.raises(ValueError, match="clusters have no margins"):
        model.predict(X, return_margin=True)


@pytest.mark.parametrize("column", [-1, 1, 2])
def test_columns_that_y_does_not_have_are_refused(column: int) -> None:
    X, labels = planted()
    model = AdditiveSemiNMF((6, None), random_state=0).fit(X, labels[:, 1])
    with pytest.raises(ValueError, match=f"attribute is {column}: the columns of y are 0"):
        model.predict(X, attribute=column)


def test_labels_are_ignored_where_no_part_is_theirs() -> None:
    X, labels = planted()
    plain = AdditiveSemiNMF((6, 3), random_state=0).fit(X)
    given = AdditiveSemiNMF((6, 3), random_state=0).fit(X, labels[:, 1])
    np.testing.assert_array_equal(plain.features_[0], given.features_[0])
    assert plain.score(X) == given.score(X, labels[:, 1])


def test_deep_parts_have_fewer_clusters_in_each_layer() -> None:
    X, labels = planted()
    model = AdditiveSemiNMF(((15, 6), 3), random_state=0).fit(X)
    assert model.layers_ == (18, 9)
    assert model.parts_ == (6, 3)
    assert normalized_mutual_info(labels[:, 0], model.labels_[:, 0]) > 0.99
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    for layer in (1, 2):
        np.testing.assert_array_equal(model.transform(X, layer=layer), model.features_[layer - 1])
    shapes = [model.transform(X, layer=layer, part=1).shape for layer in (1, 2, -1)]
    assert shapes == [(150, 15), (150, 6), (150, 6)]
    # A cluster is the mean of those that were merged to it, weighted by their samples.
    np.testing.assert_allclose(model.weights_[1].sum(axis=0), 1)
    means = model.weights_[0] @ model.weights_[1]
    np.testing.assert_allclose(model.components_, means.T, atol=1e-12)
    with pytest.raises(ValueError, match="it must fall"):
        AdditiveSemiNMF(((6, 15), 3)).fit(X)
    wrong: Any = (("many", 6), 3)
    with pytest.raises(ValueError, match="each layer of a part"):
        AdditiveSemiNMF(wrong).fit(X)
