"""Labels of any kind, some of them unknown, as the numbers that the core takes."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Codes = NDArray[np.int64]

# NumPy makes text of numbers that stand beside words.
_UNKNOWN_TEXT = ("-1", "nan")


class Attribute(NamedTuple):
    """What one attribute says of every sample: the place of its class, or -1."""

    name: str
    codes: Codes

    @property
    def is_silent(self) -> bool:
        """Whether no sample has a label."""
        return bool((self.codes < 0).all())


def attributes(y: Any, n_samples: int) -> list[Attribute]:
    """Take labels of shape (n,) or (n, attributes) apart.

    Parameters
    ----------
    y : None, array-like, Series or DataFrame
        Labels; -1, NaN and None stand for unknown ones.
    n_samples : int
        The number of samples they belong to.

    Returns
    -------
    list of Attribute
        One for each column; none if there are no labels.
    """
    if y is None:
        return []
    named = _columns(y)
    if len(named) == 1:
        named = [(name or "y", column) for name, column in named]
    found = [
        Attribute(name or f"y{place}", encode(column))
        for place, (name, column) in enumerate(named, start=1)
    ]
    for attribute in found:
        count = len(attribute.codes)
        if count != n_samples:
            raise ValueError(
                f"y has labels of {count} samples, but X has {n_samples} samples: "
                "give one label for each, -1 where it is unknown"
            )
    return found


def _columns(y: Any) -> list[tuple[str, NDArray[Any]]]:
    """Give the columns with their names, which are empty where there are none."""
    if hasattr(y, "columns") and hasattr(y, "shape"):
        columns = (y.iloc[:, i] if hasattr(y, "iloc") else y[:, i] for i in range(y.shape[1]))
        return [(str(name), np.asarray(c)) for name, c in zip(y.columns, columns, strict=True)]
    if not isinstance(y, np.ndarray):
        name = getattr(y, "name", None)
        # Not yet a type: words beside -1 would make text of it.
        y = np.asarray(y, dtype=None if hasattr(y, "dtype") else object)
        if y.ndim == 1:
            return [(name if isinstance(name, str) else "", y)]
    if y.ndim == 1:
        return [("", y)]
    if y.ndim == 2:
        return [("", y[:, i]) for i in range(y.shape[1])]
    raise ValueError(
        f"y has {y.ndim} dimensions: it must be (n_samples,) or (n_samples, attributes)"
    )


def encode(labels: NDArray[Any]) -> Codes:
    """Give for each label the place of its class, or -1 where it is unknown."""
    kind = labels.dtype.kind
    if kind in "biuf":
        known = np.ones(len(labels), bool) if kind == "b" else ~((labels == -1) | _is_nan(labels))
        codes = np.full(len(labels), -1, np.int64)
        codes[known] = np.unique(labels[known], return_inverse=True)[1].reshape(-1)
        return codes
    values = [None if _is_unknown(label) else label for label in labels.tolist()]
    return _encode_objects(values)


def _is_nan(labels: NDArray[Any]) -> NDArray[np.bool_]:
    return np.isnan(labels) if labels.dtype.kind == "f" else np.zeros(len(labels), bool)


def _is_unknown(label: object) -> bool:
    if label is None or (isinstance(label, str) and label in _UNKNOWN_TEXT):
        return True
    if type(label).__name__ in ("NAType", "NaTType"):  # pandas' own, which equals nothing
        return True
    return isinstance(label, (int, float)) and (label == -1 or label != label)


def _encode_objects(values: list[Any]) -> Codes:
    try:
        distinct = dict.fromkeys(value for value in values if value is not None)
    except TypeError as error:
        raise ValueError(f"y holds something that is no label: {error}") from None
    try:
        classes = sorted(distinct)
    except TypeError:  # numbers beside words have no order
        classes = list(distinct)
    place = {label: code for code, label in enumerate(classes)}
    codes = (-1 if value is None else place[value] for value in values)
    return np.fromiter(codes, np.int64, len(values))
