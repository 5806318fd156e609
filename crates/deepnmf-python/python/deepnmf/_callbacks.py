"""Callbacks of scikit-learn, from version 1.9 on: ``model.set_callbacks(ProgressBar())``.

Each loop of a fit is a task, and each of its iterations a task of that.
"""

from __future__ import annotations

from typing import Any


class Tasks:
    """Tells the callbacks that are set on an estimator how far its fit is."""

    def __init__(self, estimator: Any, X: Any, y: Any, metadata: dict[str, Any] | None) -> None:
        self._told = {"estimator": estimator, "X": X, "y": y, "metadata": metadata}
        self._loop: Any = None
        self._stage = ""
        self._fit = estimator._init_callback_context(max_subtasks=None)
        self._fit.call_on_fit_task_begin(**self._told)

    def hear(self, stage: str, iteration: int, max_iter: int) -> bool:
        """Tell of an iteration; returns whether a callback ends the fit."""
        if self._loop is None or stage != self._stage or iteration == 0:
            self._end_loop()
            self._stage = stage
            self._loop = self._fit.subcontext(task_name=stage, max_subtasks=max_iter)
            self._loop.call_on_fit_task_begin(**self._told)
        if iteration == 0:
            return False
        step = self._loop.subcontext(task_name="iteration")
        step.call_on_fit_task_begin(**self._told)
        return bool(step.call_on_fit_task_end(**self._told))

    def end(self) -> None:
        """Tell that the estimator is fitted."""
        self._end_loop()
        self._fit.call_on_fit_task_end(**self._told, reconstruction_attributes={})

    def _end_loop(self) -> None:
        if self._loop is not None:
            self._loop.call_on_fit_task_end(**self._told)
            self._loop = None


def tasks(estimator: Any, X: Any, y: Any, sample_weight: Any) -> Tasks | None:
    """Begin to tell callbacks; None if there are none, or scikit-learn is older."""
    if not getattr(estimator, "_skl_callbacks", None):
        return None
    metadata = None if sample_weight is None else {"sample_weight": sample_weight}
    return Tasks(estimator, X, y, metadata)
