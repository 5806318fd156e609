"""Progress of a fit, passed to a callback and to a progress bar."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from types import TracebackType
from typing import Any, NamedTuple

from ._callbacks import Tasks


class Iteration(NamedTuple):
    """The state of a fit after an iteration, as passed to a callback.

    Attributes
    ----------
    stage : str
        Part of the fit: ``"fitting"``, ``"pre-training layer 1"``, ``"fine-tuning"``, ...
    iteration : int
        Number of iterations of this part so far; 0 at its start.
    max_iter : int
        Maximum number of iterations of this part.
    error : float
        Reconstruction error, or the square root of twice another objective.
    """

    stage: str
    iteration: int
    max_iter: int
    error: float


Callback = Callable[[Iteration], object]


class Watch:
    """Passes the progress of a fit on to a callback and to a progress bar."""

    def __init__(
        self, callback: Callback | None, verbose: object, tasks: Tasks | None = None
    ) -> None:
        if callback is not None and not callable(callback):
            raise ValueError(f"callback is {callback!r}: it must be a function of one argument")
        self._callback = callback
        self._bar: _Bar | None = _bar() if verbose else None
        self._tasks = tasks

    @property
    def listener(self) -> Callable[..., bool] | None:
        """The function that the compiled core calls; None if nothing needs it."""
        nobody = self._callback is None and self._bar is None and self._tasks is None
        return None if nobody else self._hear

    def _hear(
        self, stage: str, iteration: int | None, max_iter: int | None, error: float | None
    ) -> bool:
        if iteration is None or max_iter is None or error is None:
            if self._bar is not None:
                self._bar.begin(stage)
            return False
        now = Iteration(stage, iteration, max_iter, error)
        if self._bar is not None:
            self._bar.show(now)
        ended = self._tasks is not None and self._tasks.hear(stage, iteration, max_iter)
        return (self._callback is not None and bool(self._callback(now))) or ended

    def __enter__(self) -> Watch:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._bar is not None:
            self._bar.end()


class _Bar:
    """Progress in plain lines, at most one a second."""

    def __init__(self) -> None:
        self._shown = 0.0

    def begin(self, stage: str) -> None:
        print(f"{stage} ...", file=sys.stderr)

    def show(self, now: Iteration) -> None:
        if time.monotonic() - self._shown > 1:
            self._shown = time.monotonic()
            text = f"{now.stage}: iteration {now.iteration} of at most {now.max_iter}"
            print(f"{text}, error {now.error:.6g}", file=sys.stderr)

    def end(self) -> None:
        pass


class _TqdmBar(_Bar):
    """Progress by tqdm, one bar for each part of the fit."""

    def __init__(self, tqdm: Any) -> None:
        super().__init__()
        self._tqdm = tqdm
        self._bar: Any = None

    def begin(self, stage: str) -> None:
        self.end()
        self._bar = self._tqdm(desc=stage, unit="it")

    def show(self, now: Iteration) -> None:
        self._bar.total = now.max_iter
        self._bar.set_postfix(error=f"{now.error:.6g}", refresh=False)
        self._bar.update(now.iteration - self._bar.n)

    def end(self) -> None:
        if self._bar is not None:
            self._bar.close()


def teller(verbose: object) -> Callable[[str], None] | None:
    """Return a function that prints the current step; None if it is not to be shown."""
    return _Bar().begin if verbose else None


def _bar() -> _Bar:
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return _Bar()
    return _TqdmBar(tqdm)
