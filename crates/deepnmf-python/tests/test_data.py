"""Loaders, gradient orientations and measures."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import deepnmf
import numpy as np
import pandas as pd
import pytest
from deepnmf import Dataset, clustering_accuracy, igo, load_data, normalized_mutual_info, svd_bound
from sklearn.metrics import normalized_mutual_info_score


def test_arrays_and_tables_are_read_with_their_labels(tmp_path: Path) -> None:
    X = np.random.default_rng(0).random((5, 3))
    np.save(tmp_path / "x.npy", X)
    np.testing.assert_array_equal(load_data(tmp_path / "x.npy").X, X)
    np.savez(tmp_path / "x.npz", X=X, y=[3, 1, 3, 2, 1])
    np.testing.assert_array_equal(load_data(tmp_path / "x.npz").labels["y"], [3, 1, 3, 2, 1])
    kind: list[Any] = ["u", "v", "u", None, "v"]
    frame = pd.DataFrame(X, columns=["a", "b", "c"]).assign(kind=kind)
    frame.to_csv(tmp_path / "x.csv", index=False)
    data = load_data(str(tmp_path / "x.csv"), labels_key="kind", dtype="float32")
    assert data.feature_names == ["a", "b", "c"]
    assert data.labels["kind"].tolist() == ["u", "v", "u", None, "v"]
    assert data.X.dtype == np.float32
    frame.to_parquet(tmp_path / "x.parquet")
    np.testing.assert_array_equal(load_data(tmp_path / "x.parquet", labels_key="kind").X, X)


def test_rows_can_be_pictures(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.arange(12.0).reshape(2, 6))
    data = load_data(tmp_path / "x.npy", image=(3, 2))
    assert data.images[0].tolist() == [[0, 1, 2], [3, 4, 5]]
    turned = load_data(tmp_path / "x.npy", image="3x2:column-major")
    assert turned.image_shape == (3, 2, "column-major")
    assert turned.images[0].tolist() == [[0, 2, 4], [1, 3, 5]]
    with pytest.raises(ValueError, match="load with image="):
        _ = load_data(tmp_path / "x.npy").images


def test_what_cannot_be_read_is_told_in_the_words_of_this_package(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="there is no file"):
        load_data(tmp_path / "nowhere.npy")
    np.save(tmp_path / "x.npy", np.ones((2, 6)))
    with pytest.raises(ValueError, match="data_key") as told:
        load_data(tmp_path / "x.npy", data_key="X")
    assert "--" not in str(told.value)
    with pytest.raises(ValueError, match="such as 32x32"):
        load_data(tmp_path / "x.npy", image="6")
    with pytest.raises(ValueError, match="dtype is 'int64'"):
        load_data(tmp_path / "x.npy", dtype="int64")  # type: ignore[arg-type]


def test_built_in_data_know_their_attributes(faces: Dataset) -> None:
    assert faces.images.shape == (108, 16, 16)
    assert np.unique(faces.labels["pose"]).tolist() == [-100, 0, 100]
    assert set(faces.labels["expression"]) == {"neutral", "smile", "surprise"}
    assert deepnmf.load_faces("pie", identities=3, size=8).X.shape == (24, 64)
    with pytest.raises(ValueError, match='size is "4": 8 to 1024'):
        deepnmf.load_faces(size=4)
    with pytest.raises(ValueError, match="preset is 'yale'"):
        deepnmf.load_faces("yale")  # type: ignore[arg-type]
    xor = deepnmf.load_xor(samples=10, seed=3)
    assert xor.X.shape == (40, 2)
    assert xor.labels["identity"].tolist() == [1] * 20 + [2] * 20


def test_real_pictures_and_their_labels_are_read() -> None:
    folder = os.environ.get("DEEPNMF_DATA")
    if folder is None:
        if os.environ.get("CI") == "true":
            pytest.fail("DEEPNMF_DATA names no folder")
        pytest.skip("DEEPNMF_DATA names no folder")
    pie = load_data(Path(folder) / "PIE_pose27.mat", image="32x32:column-major")
    assert pie.images.shape == (2856, 32, 32)
    assert len(np.unique(pie.labels["gnd"])) == 68
    unit = pie.X / np.linalg.norm(pie.X, axis=1, keepdims=True)
    assert round(svd_bound(unit, 40), 4) == 5.7664
    assert round(deepnmf.SemiNMF(40, random_state=0).fit(unit).reconstruction_err_, 4) == 5.7664


def test_gradient_orientations_are_those_of_the_definition(faces: Dataset) -> None:
    dy, dx = (np.gradient(faces.images, axis=axis) for axis in (1, 2))
    angle = np.arctan2(dy, dx).reshape(len(faces.X), -1)
    wanted = np.hstack([np.cos(angle), np.sin(angle)]) / 16
    np.testing.assert_allclose(igo(faces.X, (16, 16)), wanted, atol=1e-12)
    columns = faces.images.transpose(0, 2, 1).reshape(len(faces.X), -1)
    turned = igo(columns, (16, 16), order="column-major").reshape(-1, 2, 16, 16)
    np.testing.assert_allclose(
        turned.transpose(0, 1, 3, 2).reshape(len(faces.X), -1), wanted, atol=1e-12
    )
    with pytest.raises(ValueError, match="pictures of 9 x 16 pixels, not 256 features"):
        igo(faces.X, (9, 16))


def test_measures_are_those_of_scikit_learn_but_for_unknown_labels() -> None:
    rng = np.random.default_rng(0)
    classes, clusters = rng.integers(0, 5, 200), rng.integers(0, 7, 200)
    for average in ("geometric", "arithmetic", "min", "max"):
        wanted = normalized_mutual_info_score(classes, clusters, average_method=average)
        assert normalized_mutual_info(classes, clusters, average=average) == pytest.approx(wanted)
    some: list[Any] = [None, *classes.tolist()]
    assert clustering_accuracy(some, [0, *clusters]) == clustering_accuracy(classes, clusters)
    assert clustering_accuracy(classes, 10 - classes) == 1.0
    assert clustering_accuracy(pd.Series(classes), clusters) < 0.5


def test_measures_refuse_what_they_cannot_compare() -> None:
    with pytest.raises(ValueError, match=r"has 3 entries, but .* has 2"):
        clustering_accuracy([1, 2, 3], [1, 2])
    with pytest.raises(ValueError, match="y_true must be a list of labels"):
        clustering_accuracy([[1, 2], [3, 4]], [1, 2])
    with pytest.raises(ValueError, match='average is "mean"'):
        normalized_mutual_info([1, 2], [1, 2], average="mean")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="at least 1"):
        clustering_accuracy([None, -1], [1, 2])


def test_the_bound_is_that_of_the_singular_values(faces: Dataset) -> None:
    singular = np.linalg.svd(faces.X, compute_uv=False)
    assert svd_bound(faces.X, 5) == pytest.approx(np.linalg.norm(singular[5:]), rel=1e-6)
    with pytest.raises(ValueError, match="n_components is 0"):
        svd_bound(faces.X, 0)
    with pytest.raises(ValueError, match=r"X\[0, 0\] is inf"):
        svd_bound([[np.inf]], 1)
