"""What a fit makes of its surroundings: threads, signals, interruptions, doubtful labels."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import joblib  # type: ignore[import-untyped]
import numpy as np
import pytest
from deepnmf import NMF, WSF, DeepSemiNMF, SemiNMF, _check, _core, load
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

Matrix = NDArray[np.float64]

LARGE = 10**9


def in_a_process(code: str, **environment: str) -> str:
    """Run a script and return what it prints."""
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env={**os.environ, **environment},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_there_are_never_more_threads_than_cores() -> None:
    cores = _core.available_cores()
    assert _check.threads(16 * cores, LARGE) == cores
    assert _check.threads(-1, LARGE) == cores
    assert _check.threads(1, LARGE) == 1
    assert _check.threads(-2, LARGE) == max(1, cores - 1)


def test_small_data_take_one_thread() -> None:
    assert _check.threads(None, 1000) == 1


@pytest.mark.parametrize("name", ["OMP_NUM_THREADS", "RAYON_NUM_THREADS"])
def test_the_environment_limits_threads(name: str) -> None:
    code = "from deepnmf import _check; print(_check.threads(None, 10**9), _check.threads(-1))"
    around, asked = in_a_process(code, **{name: "1"}).split()
    assert (around, int(asked)) == ("1", _core.available_cores())


def test_threadpoolctl_limits_threads() -> None:
    with threadpool_limits(limits=1):
        assert _check.threads(None, LARGE) == 1


def test_workers_of_joblib_take_one_thread() -> None:
    def threads() -> int:
        return _check.threads(None, LARGE)

    work = (joblib.delayed(threads)() for _ in range(3))
    assert joblib.Parallel(n_jobs=2, backend="threading")(work) == [1, 1, 1]


def test_an_interrupted_fit_goes_on_from_its_checkpoint(X: Matrix, tmp_path: Path) -> None:
    def model(**parameters: Any) -> SemiNMF:
        return SemiNMF(4, init="random", tol=0, max_iter=60, random_state=3, **parameters)

    whole = model().fit(X)
    stopped = model(callback=lambda state: state.iteration == 20)
    stopped.fit(X, checkpoint=tmp_path)
    assert stopped.n_iter_ == 20
    resumed = model().fit(X, checkpoint=tmp_path)
    assert resumed.n_iter_ == whole.n_iter_
    np.testing.assert_array_equal(resumed.features_[0], whole.features_[0])
    np.testing.assert_array_equal(resumed.components_, whole.components_)
    with pytest.raises(ValueError, match="the fingerprint of the data"):
        model().fit(2 * X, checkpoint=tmp_path)


SIGNALLED = """
import os, signal, sys, threading, time
import numpy as np
from deepnmf import DeepSemiNMF, KMeans
X = np.random.default_rng(0).random((20000, 60))
deep = DeepSemiNMF((30, 8), activation="relu", max_iter=2).fit(X[:2000])
threading.Timer(1.0, os.kill, (os.getpid(), signal.SIGINT)).start()
began = time.monotonic()
try:
    {work}
except KeyboardInterrupt:
    assert time.monotonic() - began < 5, time.monotonic() - began
    print({kept})
    sys.exit(0)
print("not interrupted")
"""


@pytest.mark.parametrize(
    ("work", "kept"),
    [
        ("model = KMeans(300, n_init=200); model.fit(X)", "model.labels_.shape == (20000,)"),
        ("deep.transform(np.tile(X, (20, 1)))", "True"),
    ],
)
def test_ctrl_c_reaches_into_clusterings_and_projections(work: str, kept: str) -> None:
    assert in_a_process(SIGNALLED.format(work=work, kept=kept)) == "True"


def test_masked_labels_are_unknown(X: Matrix) -> None:
    labels = np.arange(len(X)) % 3
    masked = np.ma.masked_array(labels, mask=labels == 2)
    as_text = [None if label == 2 else str(label) for label in labels]
    model = WSF(3, random_state=0)
    np.testing.assert_array_equal(
        model.fit(X, masked).components_, model.fit(X, as_text).components_
    )


def test_doubtful_labels_are_warned_of(X: Matrix) -> None:
    with pytest.warns(UserWarning, match="-1 means unknown"):
        WSF(3, random_state=0).fit(X, np.where(np.arange(len(X)) % 2, 1, -1))
    with pytest.warns(UserWarning, match="cut into classes"):
        WSF(3, random_state=0).fit(X, np.linspace(0.1, 0.9, len(X)))


def test_pixels_that_are_not_as_many_as_features_are_refused(X: Matrix, tmp_path: Path) -> None:
    model = SemiNMF(3, random_state=0).fit(X)
    with pytest.raises(ValueError, match="not as many pixels"):
        model.report(X, tmp_path / "page.html", image=(7, 9))


def test_features_that_are_worse_than_none_are_warned_of() -> None:
    rng = np.random.default_rng(1)
    X = np.abs(rng.normal(size=(200, 20))) ** 3
    model = DeepSemiNMF((12, 8), activation="square", random_state=0, max_iter=5).fit(X)
    error = X - model.inverse_transform(model.transform(X, method="nonnegative"))
    assert np.linalg.norm(error) <= np.linalg.norm(X)
    features = model._model.project(X, 2, "basis", 1)
    if np.linalg.norm(X - model.inverse_transform(features)) > np.linalg.norm(X):
        with pytest.warns(UserWarning, match="use the method nonnegative"):
            model.transform(X, method="basis")


@pytest.mark.parametrize("scale", [1e-30, 1e-5, 1e6])
def test_the_unit_of_the_data_changes_no_relative_error(X: Matrix, scale: float) -> None:
    errors = [
        NMF(4, random_state=0).fit(x).reconstruction_err_ / np.linalg.norm(x)
        for x in (X, X * scale)
    ]
    np.testing.assert_allclose(errors[0], errors[1], rtol=1e-3)


def test_zero_samples_are_refused_or_have_zero_features(program: str, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    X = rng.random((12, 5))
    np.save(tmp_path / "x.npy", X)
    command = [program, "fit", "x.npy", "--layers", "3", "--out", "m.safetensors", "--quiet"]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    model = load(tmp_path / "m.safetensors")
    new = X.copy()
    new[4] = 0
    with pytest.raises(ValueError, match=r"X\[4\].*zero_samples"):
        model.transform(new)
    kept = model.transform(new, zero_samples="keep")
    np.testing.assert_array_equal(kept[4], 0)
    np.testing.assert_array_equal(np.delete(kept, 4, 0), model.transform(np.delete(new, 4, 0)))
    assert not model.transform(np.zeros((2, 5)), zero_samples="keep").any()
