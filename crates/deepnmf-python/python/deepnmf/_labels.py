"""Labels of any kind, some of them unknown, as the numbers that the core takes."""

from __future__ import annotations

from collections.abc import Mapping
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
    return [Attribute(name, encode(column)) for name, column in _named(y, n_samples)]


def words(y: Any, n_samples: int) -> list[tuple[str, list[str | None]]]:
    """Give the labels of every attribute as they are written; None where one is unknown.

    Parameters
    ----------
    y : None, array-like, Series, DataFrame or mapping
        Labels as for `attributes`, or by the name of the attribute.
    n_samples : int
        The number of samples they belong to.

    Returns
    -------
    list of tuple
        The name of each attribute, and its labels.
    """
    return [
        (name, [None if _is_unknown(label) else _word(label) for label in column.tolist()])
        for name, column in _named(y, n_samples)
    ]


def _word(label: object) -> str:
    """Write a label; whole numbers as such, though missing ones beside them made them floats."""
    return str(int(label) if isinstance(label, float) and label.is_integer() else label)


def _named(y: Any, n_samples: int) -> list[tuple[str, NDArray[Any]]]:
    """Give the columns, each with a name and a label for every sample."""
    if y is None:
        return []
    columns = _columns(y)
    names = ["y"] if len(columns) == 1 else [f"y{place + 1}" for place in range(len(columns))]
    for _, column in columns:
        if len(column) != n_samples:
            raise ValueError(
                f"y has labels of {len(column)} samples, but X has {n_samples} samples: "
                "give one label for each, -1 where it is unknown"
            )
    return [(name or usual, column) for (name, column), usual in zip(columns, names, strict=True)]


def _columns(y: Any) -> list[tuple[str, NDArray[Any]]]:
    """Give the columns with their names, which are empty where there are none."""
    if isinstance(y, Mapping):
        return [(str(name), _column(labels)) for name, labels in y.items()]
    if hasattr(y, "columns") and hasattr(y, "shape"):
        columns = (y.iloc[:, i] if hasattr(y, "iloc") else y[:, i] for i in range(y.shape[1]))
        return [(str(name), np.asarray(c)) for name, c in zip(y.columns, columns, strict=True)]
    if not isinstance(y, np.ndarray):
        name = getattr(y, "name", None)
        y = _column(y)
        if y.ndim == 1:
            return [(name if isinstance(name, str) else "", y)]
    if y.ndim == 1:
        return [("", y)]
    if y.ndim == 2:
        return [("", y[:, i]) for i in range(y.shape[1])]
    raise ValueError(
        f"y has {y.ndim} dimensions: it must be (n_samples,) or (n_samples, attributes)"
    )


def _column(labels: Any) -> NDArray[Any]:
    """Make an array, of no type yet where there is none: words beside -1 would make text of it."""
    return np.asarray(labels, dtype=None if hasattr(labels, "dtype") else object)


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
