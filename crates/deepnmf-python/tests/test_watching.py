"""Callbacks, progress, interruption and warnings."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from deepnmf import DeepSemiNMF, Iteration, SemiNMF
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

Matrix = NDArray[np.float64]

LONG: dict[str, Any] = {"init": "random", "tol": 0, "random_state": 0}


def slow_fit(seconds: float) -> SemiNMF:
    """Fit for so many seconds."""
    X = np.random.default_rng(0).random((400, 60))
    rule: dict[str, Any] = {"solver": "multiplicative", "max_iter": 10**9, "max_seconds": seconds}
    model = SemiNMF(20, measure_bound=False, **rule, **LONG).fit(X)
    assert model.stop_reason_ == "time-budget"
    return model


def test_a_callback_is_told_of_every_iteration(X: Matrix) -> None:
    told: list[Iteration] = []
    model = SemiNMF(3, callback=told.append, max_iter=20, **LONG).fit(X)
    assert [now.iteration for now in told] == list(range(21))
    np.testing.assert_array_equal([now.error for now in told], model.history_)
    assert {now.stage for now in told} == {"fitting"}
    assert {now.max_iter for now in told} == {20}


def test_every_loop_of_a_deep_model_tells_its_name(X: Matrix) -> None:
    told: list[Iteration] = []
    model = DeepSemiNMF((6, 3), callback=told.append, random_state=0).fit(X)
    stages = list(dict.fromkeys(now.stage for now in told))
    assert stages[:3] == ["pre-training layer 1", "pre-training layer 2", "fine-tuning"]
    assert stages == [run["stage"] for run in model.runs_]


def test_a_callback_does_not_change_a_bit(X: Matrix) -> None:
    watched = SemiNMF(3, callback=lambda now: None, max_iter=9, **LONG).fit(X)
    np.testing.assert_array_equal(
        watched.components_, SemiNMF(3, max_iter=9, **LONG).fit(X).components_
    )


def test_a_callback_that_returns_true_ends_the_fit(X: Matrix) -> None:
    model = SemiNMF(3, callback=lambda now: now.iteration == 5, **LONG).fit(X)
    assert model.n_iter_ == 5
    assert model.stop_reason_ == "cancelled"


def test_what_a_callback_raises_is_raised_after_the_best_so_far_is_kept(X: Matrix) -> None:
    def fail(now: Iteration) -> None:
        if now.iteration == 4:
            raise LookupError("enough")

    model = SemiNMF(3, callback=fail, **LONG)
    with pytest.raises(LookupError, match="enough"):
        model.fit(X)
    assert model.n_iter_ == 4
    assert model.transform(X).shape == (60, 3)


INTERRUPTED = """
import os, signal, sys, threading, time
import numpy as np
from deepnmf import SemiNMF

X = np.random.default_rng(0).random((3000, 300))
model = SemiNMF(40, init="random", solver="multiplicative", tol=0, max_iter=10**9, random_state=0)
pid = os.getpid()
threading.Timer(1.0, lambda: os.kill(pid, signal.SIGINT)).start()
began = time.monotonic()
try:
    model.fit(X)
except KeyboardInterrupt:
    assert time.monotonic() - began < 10
    assert model.stop_reason_ == "cancelled", model.stop_reason_
    assert model.n_iter_ > 3 and model.transform(X).shape == (3000, 40)
    print("kept")
    sys.exit(0)
print("not interrupted")
"""


def test_ctrl_c_stops_the_fit_and_keeps_the_best_so_far() -> None:
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.stdout == "kept\n", done.stderr


def test_other_threads_run_while_a_fit_does() -> None:
    done = threading.Event()
    counted = 0

    def count() -> None:
        nonlocal counted
        while not done.wait(0.001):
            counted += 1

    thread = threading.Thread(target=count, daemon=True)
    thread.start()
    slow_fit(0.5)
    done.set()
    thread.join()
    assert counted > 20


def test_loops_that_end_too_early_are_named_in_a_warning(X: Matrix) -> None:
    short: dict[str, Any] = {"init": "random", "solver": "multiplicative", "random_state": 0}
    with pytest.warns(ConvergenceWarning, match="SemiNMF has not converged: fitting ended"):
        SemiNMF(3, max_iter=2, **short).fit(X)
    with pytest.warns(ConvergenceWarning, match="pre-training layer 1, pre-training layer 2"):
        DeepSemiNMF((6, 3), max_iter=2, **short).fit(X)


def silent(fit: Callable[[], object]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fit()


def test_nothing_is_said_of_loops_that_end_as_asked(X: Matrix) -> None:
    silent(lambda: SemiNMF(3, max_iter=2, **LONG).fit(X))
    silent(lambda: SemiNMF(3).fit(X))
    silent(lambda: slow_fit(0.05))


def test_progress_is_a_bar_where_there_is_tqdm(
    X: Matrix, capfd: pytest.CaptureFixture[str]
) -> None:
    if os.environ.get("CI") != "true":  # there it is a failure
        pytest.importorskip("tqdm")
    import tqdm  # noqa: F401

    DeepSemiNMF((6, 3), verbose=1, random_state=0).fit(X)
    shown = capfd.readouterr().err
    assert "fine-tuning" in shown
    assert "error=" in shown


def test_progress_is_lines_where_there_is_none(
    X: Matrix, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    SemiNMF(3, verbose=1, random_state=0).fit(X)
    assert "fitting ...\nfitting: iteration 0 of at most 1000, error" in capfd.readouterr().err
