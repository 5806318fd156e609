"""What scikit-learn's users rely on beyond its checks."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from deepnmf import NMF, WSF, WSFMA, DeepSemiNMF, DeepWSF, KMeans, SemiNMF, WhitenedPCA
from deepnmf._base import Factorization
from numpy.typing import NDArray
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Normalizer

from .conftest import DEEP, FACTORIZATIONS, LABELLED, small

Matrix = NDArray[np.float64]
Labels = NDArray[np.int64]

each = pytest.mark.parametrize("cls", FACTORIZATIONS, ids=lambda cls: cls.__name__)
each_labelled = pytest.mark.parametrize("cls", LABELLED, ids=lambda cls: cls.__name__)


@each
def test_results_have_the_documented_shapes(cls: type[Factorization], X: Matrix, y: Labels) -> None:
    model = small(cls).fit(X, y)
    layers = model.layers_
    below = (X.shape[1], *layers)
    assert model.components_.shape == (model.n_components_, X.shape[1])
    assert [z.shape for z in model.weights_] == list(zip(below, layers, strict=False))
    assert [h.shape for h in model.features_] == [(len(X), k) for k in layers]
    assert model.history_.shape == (model.n_iter_ + 1,)
    assert model.stop_reason_ in ("converged", "max-iterations")
    assert model.preprocessing_ == "none"
    assert model.n_features_in_ == X.shape[1]
    product = model.weights_[0]
    for z in model.weights_[1:]:
        product = product @ z
    np.testing.assert_allclose(product.T, model.components_, atol=1e-12)


@each
def test_pickles_and_copies_are_the_model_itself(
    cls: type[Factorization], X: Matrix, y: Labels
) -> None:
    model = small(cls).fit(X, y)
    again = pickle.loads(pickle.dumps(model))
    assert again.get_params() == model.get_params()
    for a, b in zip(
        again.features_ + again.weights_, model.features_ + model.weights_, strict=True
    ):
        np.testing.assert_array_equal(a, b)
    np.testing.assert_array_equal(again.transform(X), model.transform(X))
    assert again.reconstruction_err_ == model.reconstruction_err_


@pytest.mark.parametrize("cls", [DeepSemiNMF, DeepWSF], ids=lambda cls: cls.__name__)
def test_frames_name_the_columns_of_any_layer(cls: type[Factorization], X: Matrix) -> None:
    frame = pd.DataFrame(X, columns=[f"pixel {i}" for i in range(X.shape[1])])
    model = small(cls).set_output(transform="pandas").fit(frame)
    name = cls.__name__.lower()
    top: Any = model.transform(frame)
    first: Any = model.transform(frame, layer=1)
    assert list(top.columns) == [f"{name}{i}" for i in range(3)]
    assert list(first.columns) == [f"{name}_layer1_{i}" for i in range(6)]
    assert list(model.get_feature_names_out()) == [f"{name}{i}" for i in range(3)]
    assert list(model.feature_names_in_) == list(frame.columns)
    with pytest.raises(ValueError, match="feature names should match"):
        model.transform(frame[frame.columns[::-1]])


def test_polars_frames_go_in_and_come_out(X: Matrix) -> None:
    frame = pl.DataFrame(X, schema=[f"pixel {i}" for i in range(X.shape[1])])
    model = small(SemiNMF).set_output(transform="polars")
    features = model.fit_transform(frame)
    assert isinstance(features, pl.DataFrame)
    assert features.columns == ["seminmf0", "seminmf1", "seminmf2"]
    np.testing.assert_array_equal(features.to_numpy(), small(SemiNMF).fit_transform(X))


def test_layers_count_from_one_and_from_the_top(X: Matrix) -> None:
    model = small(DeepSemiNMF).fit(X)
    np.testing.assert_array_equal(model.transform(X, layer=1), model.transform(X, layer=-2))
    np.testing.assert_array_equal(model.transform(X, layer=2), model.transform(X))
    for layer, words in [
        (0, "layers 1 to 2"),
        (3, "layers 1 to 2"),
        (-3, "whole number"),
        (1.5, ""),
    ]:
        with pytest.raises(ValueError, match="layer") as told:
            model.transform(X, layer=layer)  # type: ignore[arg-type]
        assert words in str(told.value)


def test_the_method_is_one_of_two(X: Matrix) -> None:
    model = small(SemiNMF).fit(X)
    assert (model.transform(X) >= 0).all()
    by_basis = model.transform(X, method="basis")
    np.testing.assert_allclose(by_basis, X @ np.linalg.pinv(model.components_), atol=1e-9)
    with pytest.raises(ValueError, match='method is "best"'):
        model.transform(X, method="best")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="any sign, use basis"):
        small(WhitenedPCA).fit(X).transform(X, method="nonnegative")


def test_a_grid_search_finds_the_number_of_components(X: Matrix) -> None:
    search = GridSearchCV(SemiNMF(random_state=0), {"n_components": [1, 4]}, cv=3, n_jobs=2)
    search.fit(X)
    assert search.best_params_ == {"n_components": 4}
    error = np.square(X - search.best_estimator_.inverse_transform(search.transform(X))).mean()
    assert search.score(X) == pytest.approx(-error)


def test_a_pipeline_classifies_features(faces: Any) -> None:
    pipeline = make_pipeline(Normalizer(), SemiNMF(20, random_state=0), LogisticRegression(C=1e4))
    pose = faces.labels["pose"]
    assert pipeline.fit(faces.X, pose).score(faces.X, pose) > 0.9


@each
def test_what_is_not_fitted_says_so(cls: type[Factorization], X: Matrix) -> None:
    model = small(cls)
    for call in (model.transform, model.score, model.inverse_transform):
        with pytest.raises(NotFittedError):
            call(X)
    with pytest.raises(NotFittedError):
        model.save("m.safetensors")
    for name in ("components_", "features_", "weights_", "layers_", "n_components_", "n_iter_"):
        assert not hasattr(model, name)


@each_labelled
def test_labels_of_any_kind_mean_the_same(cls: type[Factorization], X: Matrix, y: Labels) -> None:
    wanted = small(cls).fit(X, y).features_[-1]
    words = np.array(["anna", "bob", "carl", "dora"])[y]
    forms: list[Any] = [
        y.tolist(),
        np.where(y < 0, np.nan, y),
        [None if label < 0 else int(label) for label in y],
        [None if label < 0 else word for label, word in zip(y, words, strict=True)],
        [-1 if label < 0 else word for label, word in zip(y, words, strict=True)],
        pd.Series([pd.NA if label < 0 else label for label in y], dtype="Int64"),
        pd.Series(
            [None if label < 0 else w for label, w in zip(y, words, strict=True)], name="who"
        ),
        pd.Series(words, dtype="category").where(pd.Series(y >= 0)),
        pl.Series([None if label < 0 else int(label) for label in y]),
        np.where(y < 0, -1, 10 * y)[:, np.newaxis],
        pd.DataFrame({"who": y}),
        pl.DataFrame({"who": y}),
    ]
    for form in forms:
        np.testing.assert_array_equal(small(cls).fit(X, form).features_[-1], wanted)


@each_labelled
def test_labels_of_another_length_are_refused(cls: type[Factorization], X: Matrix) -> None:
    with pytest.raises(ValueError, match="labels of 59 samples, but X has 60"):
        small(cls).fit(X, np.zeros(59))


def test_several_attributes_go_where_there_is_room(X: Matrix, y: Labels) -> None:
    two = np.column_stack([y, np.arange(60) % 2])
    with pytest.raises(ValueError, match="2 attributes, but WSF learns from one"):
        small(WSF).fit(X, two)
    with pytest.raises(ValueError, match="3 attributes, but there are 2 layers"):
        small(DeepWSF).fit(X, np.column_stack([two, y]))
    with pytest.raises(ValueError, match="one for each of the 2 attributes"):
        small(WSFMA, lam=(0.1, 0.1, 0.1)).fit(X, two)
    deep = small(DeepWSF, lam=0.1)
    top = deep.fit(X, y).features_[-1]
    unknown = np.full(60, -1)
    np.testing.assert_array_equal(deep.fit(X, np.column_stack([unknown, y])).features_[-1], top)
    assert not np.array_equal(deep.fit(X, np.column_stack([y, unknown])).features_[-1], top)


BAD: list[tuple[str, Any, str]] = [
    ("n_components", 0, "n_components is 0"),
    ("n_components", 2.5, "n_components is 2.5"),
    ("n_components", 61, "the number of components is 61: with 60 samples"),
    ("init", "best", "init is 'best': it must be one of 'optimal', 'svd'"),
    ("solver", None, "solver is None"),
    ("eta", 0.5, "eta is 0.5: it belongs to solver 'multiplicative'"),
    ("max_iter", -1, "max_iter is -1"),
    ("tol", -1e-3, "tol is -0.001: it must be a number of at least 0"),
    ("tol", float("nan"), "tol is nan"),
    ("max_seconds", "1", "max_seconds is '1'"),
    ("random_state", -1, "random_state is -1"),
    ("random_state", "x", "cannot be used to seed"),
    ("n_jobs", 0, "n_jobs is 0"),
    ("callback", 3, "callback is 3"),
    ("measure_bound", 1, "measure_bound is 1"),
]


@pytest.mark.parametrize(("name", "value", "words"), BAD)
def test_wrong_parameters_are_named_at_fit(name: str, value: Any, words: str, X: Matrix) -> None:
    model = SemiNMF(**{name: value})
    with pytest.raises(ValueError) as told:  # noqa: PT011, the words are checked
        model.fit(X)
    assert words in str(told.value)


@pytest.mark.parametrize("cls", DEEP, ids=lambda cls: cls.__name__)
def test_wrong_layers_are_named_at_fit(cls: type[Factorization], X: Matrix) -> None:
    wrong: list[tuple[Any, str]] = [
        (5, "layers is 5: it must be a list"),
        ((), "the list of layers is empty"),
        ((8, 0), "each of layers is 0"),
        ((99, 3), "layer 1 is 99: with 60 samples"),
    ]
    for layers, words in wrong:
        with pytest.raises(ValueError) as told:  # noqa: PT011, the words are checked
            small(cls, layers=layers).fit(X)
        assert words in str(told.value)


def test_what_is_wrong_with_data_is_told_with_its_place(X: Matrix) -> None:
    broken = X.copy()
    broken[4, 2] = np.nan
    with pytest.raises(ValueError, match=r"X\[4, 2\] is NaN"):
        SemiNMF(2).fit(broken)
    with pytest.raises(ValueError, match=r"X\[4, 2\] is NaN"):
        small(SemiNMF).fit(X).transform(broken)
    with pytest.raises(ValueError, match=r"Negative values in data: X\[0, 0\] is -"):
        small(NMF).fit(-X)
    with pytest.raises(ValueError, match="found 4 x 60, but 3 x 60 is needed"):
        small(SemiNMF).fit(X).inverse_transform(np.ones((60, 4)))


def test_kmeans_begins_where_it_is_told(X: Matrix) -> None:
    model = KMeans(3, init=X[:3]).fit(X)
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    assert model.score(X) == pytest.approx(-model.inertia_)
    with pytest.raises(ValueError, match="61 clusters were asked of 60 samples"):
        KMeans(61).fit(X)


def test_kmeans_takes_the_number_of_initializations_that_scikit_learn_has(X: Matrix) -> None:
    auto = KMeans(3, n_init="auto", random_state=0).fit(X)
    one = KMeans(3, n_init=1, random_state=0).fit(X)
    np.testing.assert_array_equal(auto.cluster_centers_, one.cluster_centers_)
    with pytest.raises(ValueError, match="n_init is 'all': it must be one of 'auto'"):
        KMeans(3, n_init="all").fit(X)  # type: ignore[arg-type]
