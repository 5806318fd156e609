"""Model files: the program's and ours are the same."""

from __future__ import annotations

import json
import struct
import subprocess
from pathlib import Path
from typing import Any

import deepnmf
import numpy as np
import pandas as pd
import pytest
from deepnmf import Dataset, DeepSemiNMF, SemiNMF
from deepnmf._base import Factorization
from numpy.typing import NDArray

from .conftest import DEEP, FACTORIZATIONS, LABELLED, small

Matrix = NDArray[np.float64]
Labels = NDArray[np.int64]

each = pytest.mark.parametrize("cls", FACTORIZATIONS, ids=lambda cls: cls.__name__)


def run(program: str, *arguments: object) -> dict[str, Any]:
    """Run the program; give what it says."""
    words = [program, "--json", "--quiet", *(str(argument) for argument in arguments)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    said: dict[str, Any] = json.loads(done.stdout)
    return said


def parts(path: Path) -> tuple[dict[str, Any], bytes]:
    """Take a model file apart: the header without times, and the factors."""
    content = path.read_bytes()
    (length,) = struct.unpack("<Q", content[:8])
    header = json.loads(json.loads(content[8 : 8 + length])["__metadata__"]["deepnmf"])
    for run in [header["summary"], *header["summary"]["runs"]]:
        run.pop("seconds")
        run.pop("clock")
    return header, content[8 + length :]


def mean_square(steps: str, X: NDArray[Any]) -> float:
    """Give the mean square of samples after some steps: 1 by feature, or 1 by sample."""
    features = int(X.shape[1])
    sizes = {"standardize": 1, "igo": 2 * features, "resize=8x8,unit": 64}
    return 1 / sizes[steps] if steps in sizes else 1 / features


@each
def test_a_model_comes_back_bit_for_bit(
    cls: type[Factorization], X: Matrix, y: Labels, tmp_path: Path
) -> None:
    model = small(cls).fit(X.astype(np.float32), y)
    path, again = tmp_path / "m.safetensors", tmp_path / "again.safetensors"
    model.save(path)
    loaded = deepnmf.load(path)
    assert type(loaded) is cls
    np.testing.assert_array_equal(loaded.transform(X), model.transform(X))
    assert loaded.n_features_in_ == X.shape[1]
    loaded.save(str(again))
    assert path.read_bytes() == again.read_bytes()


@each
def test_a_model_that_is_loaded_fits_as_it_was_fitted(
    cls: type[Factorization], X: Matrix, y: Labels, tmp_path: Path
) -> None:
    model = small(cls).fit(X, y)
    model.save(tmp_path / "m.safetensors")
    loaded = deepnmf.load(tmp_path / "m.safetensors")
    kept, given = loaded.get_params(), model.get_params()
    changed = {name for name in given if kept[name] != given[name]}
    # What None stands for is known by then.
    assert changed <= {"eta", "inner", "lam"}
    np.testing.assert_array_equal(loaded.fit(X, y).components_, model.components_)


def test_parameters_of_all_kinds_come_back(X: Matrix, y: Labels, tmp_path: Path) -> None:
    path = tmp_path / "m.safetensors"
    given: dict[str, Any] = {
        "layers": (6, 3),
        "lam": (0.5, 0.25),
        "graph": "rbf",
        "sigma": 2.0,
        "pretraining": "semi-nmf",
        "variant": "released",
        "n_neighbors": (0, 0),
        "neighbor_lam": 0.5,
        "neighbor_weights": "dot",
        "neighbor_search": "exact",
        "activation": "softplus",
        "loss": "data",
        "loss_weights": (1.0, 2.0),
        "optimizer": "adam",
        "step": 0.01,
        "ridge": 0.2,
        "sparsity": 0.1,
        "normal_form": "basis",
        "form": "literal",
        "init": "svd",
        "scale": "balanced",
        "fade": 4,
        "solver": "multiplicative",
        "eta": 0.4,
        "inner": 2,
        "max_iter": 5,
        "tol": 0.0,
        "max_seconds": 60.0,
        "measure_bound": False,
        "missing": None,
        "random_state": 2**63,
        "n_jobs": None,
        "verbose": 0,
        "callback": None,
    }
    model = deepnmf.DeepWSF(**given)
    assert set(model.get_params()) == set(given)
    model.fit(X, np.column_stack([y, y])).save(path)
    assert deepnmf.load(path).get_params() == given


def test_names_of_features_and_attributes_are_kept(
    X: Matrix, y: Labels, program: str, tmp_path: Path
) -> None:
    path = tmp_path / "m.safetensors"
    frame = pd.DataFrame(X, columns=[f"pixel {i}" for i in range(X.shape[1])])
    small(deepnmf.WSF).fit(frame, pd.Series(y, name="pose")).save(path)
    said = run(program, "info", path)
    assert said["feature_names"] == list(frame.columns)
    assert list(deepnmf.load(path).feature_names_in_) == list(frame.columns)
    assert parts(path)[0]["provenance"]["attributes"] == ["pose"]


def program_flags(cls: type[Factorization]) -> list[object]:
    if cls is deepnmf.AdditiveSemiNMF:
        return ["--model", cls._name, "--parts", "4,2"]
    flags: list[object] = ["--model", cls._name, "--layers", "6,3" if cls in DEEP else "3"]
    if cls in LABELLED:
        attributes = "none,y" if cls is deepnmf.DeepWSF else "y"
        flags += ["--attributes", attributes]
    return flags


@each
def test_results_equal_those_of_the_program_bit_for_bit(
    cls: type[Factorization], X: Matrix, y: Labels, program: str, tmp_path: Path
) -> None:
    known = np.abs(y)  # the program takes -1 for a class
    np.save(tmp_path / "x.npy", X)
    (tmp_path / "y.csv").write_text("y\n" + "\n".join(str(label) for label in known))
    theirs, ours = tmp_path / "theirs.safetensors", tmp_path / "ours.safetensors"
    flags = [*program_flags(cls), "--normalize", "none", "--dtype", "f64", "--seed", 7]
    if cls in LABELLED:
        flags += ["--labels-file", tmp_path / "y.csv"]
    run(program, "fit", tmp_path / "x.npy", *flags, "--out", theirs)
    small(cls, random_state=7).fit(X, known if cls in LABELLED else None).save(ours)
    assert parts(ours) == parts(theirs)


def test_the_program_opens_what_is_saved_here(X: Matrix, program: str, tmp_path: Path) -> None:
    path, out = tmp_path / "m.safetensors", tmp_path / "h.npy"
    model = small(DeepSemiNMF).fit(X)
    model.save(path)
    np.save(tmp_path / "x.npy", X)
    run(program, "transform", path, tmp_path / "x.npy", "--layer", 1, "--out", out)
    np.testing.assert_array_equal(np.load(out), model.transform(X, layer=1))
    assert run(program, "info", path)["error"] == model.reconstruction_err_


@pytest.mark.parametrize("steps", ["unit", "log1p,unit", "standardize", "igo", "resize=8x8,unit"])
def test_preprocessing_of_the_program_is_done_to_new_samples(
    steps: str, faces: Dataset, program: str, tmp_path: Path
) -> None:
    path, out = tmp_path / "m.safetensors", tmp_path / "h.npy"
    np.save(tmp_path / "x.npy", faces.X)
    flags: list[object] = ["--image", "16x16", "--normalize", steps, "--dtype", "f64"]
    run(program, "fit", tmp_path / "x.npy", "--layers", 5, *flags, "--out", path)
    run(program, "transform", path, tmp_path / "x.npy", "--out", out)
    model = deepnmf.load(path)
    assert isinstance(model, SemiNMF)
    assert model.preprocessing_ == steps
    assert model.n_features_in_ == 256
    np.testing.assert_array_equal(model.transform(faces.X), np.load(out))
    assert -model.score(faces.X) < 0.5 * mean_square(steps, faces.X)
    with pytest.raises(ValueError, match="expecting 256 features"):
        model.transform(faces.X[:, 1:])


def test_files_that_are_no_models_are_refused_in_words(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="there is no such file"):
        deepnmf.load(tmp_path / "nowhere.safetensors")
    (tmp_path / "m.safetensors").write_bytes(b"nothing of the kind")
    with pytest.raises(ValueError, match="not a model file of deepnmf"):
        deepnmf.load(tmp_path / "m.safetensors")
    with pytest.raises(OSError, match="cannot write"):
        small(SemiNMF).fit(np.eye(5)).save(tmp_path / "no folder" / "m.safetensors")
