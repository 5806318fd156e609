"""The page that explores a model."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import deepnmf
import numpy as np
import pandas as pd
import pytest
from deepnmf import Dataset, DeepSemiNMF, SemiNMF, WhitenedPCA
from deepnmf._base import Factorization
from numpy.typing import NDArray
from sklearn.exceptions import NotFittedError

from .conftest import FACTORIZATIONS, small
from .test_files import run

Matrix = NDArray[np.float64]
Labels = NDArray[np.int64]


def content(page: Path) -> dict[str, Any]:
    """Give what a page shows."""
    text = page.read_text(encoding="utf-8")
    assert text.startswith("<!doctype html>")
    _, _, rest = text.partition('<script id="content" type="application/json">')
    shown: dict[str, Any] = json.loads(rest.partition("</script>")[0])
    return shown


@pytest.mark.parametrize("cls", FACTORIZATIONS, ids=lambda cls: cls.__name__)
def test_every_model_can_be_looked_at(
    cls: type[Factorization], X: Matrix, y: Labels, tmp_path: Path
) -> None:
    model = small(cls).fit(X, y)
    page = model.report(X, tmp_path / "r.html", labels={"kind": y})
    assert page == tmp_path / "r.html"
    shown = content(page)
    side_by_side = getattr(model, "parts_", model.layers_)
    assert [layer["components"] for layer in shown["layers"]] == list(side_by_side)
    assert shown["attributes"][0]["classes"] == ["0", "1", "2", "3"]
    assert shown["attributes"][0]["codes"][:4] == [-1, 1, 2, -1]


def test_a_data_set_brings_what_it_knows(faces: Dataset, tmp_path: Path) -> None:
    model = DeepSemiNMF((12, 4), random_state=0).fit(faces.X)
    shown = content(model.report(faces, tmp_path / "r.html"))
    assert {a["name"] for a in shown["attributes"]} == set(faces.labels)
    assert shown["of_the_fit"] is True
    assert shown["layers"][0]["basis"]["tiles"] is not None
    fewer = content(model.report(faces.X[::2], tmp_path / "r.html"))
    assert fewer["attributes"] == []
    assert fewer["layers"][0]["basis"]["tiles"] is None
    assert fewer["of_the_fit"] is False


def test_the_program_writes_the_same_page(faces: Dataset, tmp_path: Path, program: str) -> None:
    data, path, page = tmp_path / "faces.npy", tmp_path / "m.safetensors", tmp_path / "p.html"
    np.save(data, faces.X)
    run(program, "fit", data, "--image", "16x16", "--layers", "9,4", "--out", path)
    run(program, "report", path, "--data", data, "--out", page, "--title", "Faces")
    theirs = content(page)
    ours = content(deepnmf.load(path).report(faces.X, page, image=(16, 16), title="Faces"))
    assert theirs.pop("data_name") == "faces.npy"
    assert ours.pop("data_name") is None
    assert ours == theirs


@pytest.mark.parametrize(
    "labels",
    [
        {"pose": ["up", None, "down"] * 20, "age": np.array([3.0, np.nan, 4.0] * 20)},
        pd.DataFrame({"pose": ["up", None, "down"] * 20, "age": [3.0, np.nan, 4.0] * 20}),
    ],
    ids=["mapping", "frame"],
)
def test_labels_come_in_any_form(labels: Any, X: Matrix, tmp_path: Path) -> None:
    shown = content(SemiNMF(3).fit(X).report(X, tmp_path / "r.html", labels=labels))
    pose, age = shown["attributes"]
    assert (pose["name"], pose["classes"]) == ("pose", ["down", "up"])
    assert (age["classes"], age["codes"][:3]) == (["3", "4"], [0, -1, 1])


def test_hostile_texts_stay_texts(X: Matrix, tmp_path: Path) -> None:
    evil = "</script><script>alert(1)</script>"
    frame = pd.DataFrame(X, columns=[f"{evil}{i}" for i in range(X.shape[1])])
    names = [evil] * len(X)
    page = (
        SemiNMF(3)
        .fit(frame)
        .report(frame, tmp_path / "r.html", labels={evil: names}, title=evil, sample_names=names)
    )
    assert evil not in page.read_text(encoding="utf-8")
    shown = content(page)
    assert shown["title"] == evil
    assert shown["samples"]["names"][0] == evil


def test_progress_is_told_to_who_asks(
    X: Matrix, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = SemiNMF(3).fit(X)
    model.report(X, tmp_path / "r.html")
    assert capsys.readouterr().err == ""
    model.set_params(verbose=1).report(X, tmp_path / "r.html")
    assert "clustering layer 1 ..." in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"labels": {"kind": [1, 2]}}, "labels of 2 samples, but X has 60"),
        ({"sample_names": ["a"]}, "sample_names has 1 names, but X has 60"),
        ({"samples": 6000}, "samples is 6000: it must be at most 5000"),
        ({"clusters": 0}, "clusters is 0"),
        ({"scale": "twice"}, "none, unit-samples, unit-rows, whitened"),
        ({"image": "wide"}, "wide"),
    ],
)
def test_what_cannot_be_is_refused_and_leaves_nothing(
    options: dict[str, Any], words: str, X: Matrix, tmp_path: Path
) -> None:
    with pytest.raises(ValueError, match=words):
        WhitenedPCA(3).fit(X).report(X, tmp_path / "r.html", **options)
    assert list(tmp_path.iterdir()) == []


def test_a_page_needs_a_fit_and_a_folder(X: Matrix, tmp_path: Path) -> None:
    with pytest.raises(NotFittedError):
        SemiNMF(3).report(X, tmp_path / "r.html")
    with pytest.raises(OSError, match="nowhere"):
        SemiNMF(3).fit(X).report(X, tmp_path / "nowhere" / "r.html")
