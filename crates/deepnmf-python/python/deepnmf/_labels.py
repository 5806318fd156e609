"""Conversion of labels, some of them unknown, to the numbers that the compiled core takes."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ._types import Codes

# NumPy converts numbers to text if there is text beside them.
_UNKNOWN_TEXT = ("-1", "nan")


class Attribute(NamedTuple):
    """The labels of one attribute: for every sample the index of its class, or -1 if unknown."""

    name: str
    codes: Codes
    classes: NDArray[Any]

    @property
    def is_unknown(self) -> bool:
        """Whether all labels are unknown."""
        return bool((self.codes < 0).all())


def attributes(y: Any, n_samples: int) -> list[Attribute]:
    """Split labels of shape (n_samples,) or (n_samples, n_attributes) into attributes.

    Parameters
    ----------
    y : None, array-like, Series or DataFrame
        Labels; -1, NaN and None mean unknown.
    n_samples : int
        Number of samples.

    Returns
    -------
    list of Attribute
        One for each column; empty if there are no labels.
    """
    found = []
    for name, column in _named(y, n_samples):
        _warn_of_doubtful(name, column)
        codes = encode(column)
        found.append(Attribute(name, codes, _classes(column, codes)))
    return found


def _classes(column: NDArray[Any], codes: Codes) -> NDArray[Any]:
    """Return the label of each class in the order of the codes."""
    found, places = np.unique(codes, return_index=True)
    return column[places[found >= 0]]


def classes_from_text(words: list[str]) -> NDArray[Any]:
    """Return the classes that a model file names; whole numbers as such."""
    try:
        return np.asarray([int(word) for word in words])
    except ValueError:
        return np.asarray(words, dtype=object)


def _warn_of_doubtful(name: str, column: NDArray[Any]) -> None:
    """Warn of labels that are probably not meant as they are understood."""
    if column.dtype.kind not in "iuf":
        return
    known = column[~((column == -1) | _is_nan(column))]
    distinct = np.unique(known)
    if distinct.tolist() == [1] and (column == -1).any():
        warnings.warn(
            f"{name} has the labels -1 and 1, and -1 means unknown: if it is a class, use 0 and 1",
            stacklevel=4,
        )
    elif (
        column.dtype.kind == "f"
        and len(distinct) > max(20, len(known) // 2)
        and (distinct != np.round(distinct)).any()
    ):
        warnings.warn(
            f"{name} has {len(distinct)} different numbers for {len(known)} samples: each is a "
            "class of its own, so a continuous quantity has to be cut into classes first",
            stacklevel=4,
        )


def words(y: Any, n_samples: int) -> list[tuple[str, list[str | None]]]:
    """Return the labels of every attribute as text; None if one is unknown.

    Parameters
    ----------
    y : None, array-like, Series, DataFrame or mapping
        Labels as for `attributes`, or a mapping of attribute names to labels.
    n_samples : int
        Number of samples.

    Returns
    -------
    list of tuple
        The name of each attribute and its labels.
    """
    return [
        (name, [None if _is_unknown(label) else class_name(label) for label in column.tolist()])
        for name, column in _named(y, n_samples)
    ]


def class_name(label: object) -> str:
    """Write a label. Whole numbers may be floats, because NaN for unknown ones made them so."""
    return str(int(label) if isinstance(label, float) and label.is_integer() else label)


def _named(y: Any, n_samples: int) -> list[tuple[str, NDArray[Any]]]:
    """Return the columns with their names, after a check of their length."""
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
    """Return the columns with their names; a missing name is empty."""
    if isinstance(y, Mapping):
        return [(str(name), _column(labels)) for name, labels in y.items()]
    if hasattr(y, "columns") and hasattr(y, "shape"):
        columns = (y.iloc[:, i] if hasattr(y, "iloc") else y[:, i] for i in range(y.shape[1]))
        return [(str(name), np.asarray(c)) for name, c in zip(y.columns, columns, strict=True)]
    if np.ma.isMaskedArray(y):
        y = _unmasked(y)
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
    """Make an array of objects unless there is a type: beside text, NumPy would convert -1."""
    if np.ma.isMaskedArray(labels):
        return _unmasked(labels)
    return np.asarray(labels, dtype=None if hasattr(labels, "dtype") else object)


def _unmasked(labels: Any) -> NDArray[Any]:
    """Return masked labels with None where they are masked."""
    values: NDArray[Any] = np.asarray(labels.data).astype(object)
    values[np.ma.getmaskarray(labels)] = None
    return values


def encode(labels: NDArray[Any]) -> Codes:
    """Return for each label the index of its class, or -1 if it is unknown."""
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
    if type(label).__name__ in ("NAType", "NaTType"):  # pandas' own, not even equal to themselves
        return True
    return isinstance(label, (int, float)) and (label == -1 or label != label)


def _encode_objects(values: list[Any]) -> Codes:
    try:
        distinct = dict.fromkeys(value for value in values if value is not None)
    except TypeError as error:
        raise ValueError(f"y holds something that is no label: {error}") from None
    try:
        classes = sorted(distinct)
    except TypeError:  # numbers and text have no common order
        classes = list(distinct)
    place = {label: code for code, label in enumerate(classes)}
    codes = (-1 if value is None else place[value] for value in values)
    return np.fromiter(codes, np.int64, len(values))
