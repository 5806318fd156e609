"""The cells of an AnnData object, in memory or in a file, as samples of a fit."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any, Literal, NamedTuple

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from . import _check as check
from ._types import AnnotatedSamples

# Neighbouring cells of a file that come into the same batch, because they are read at once.
_RUN = 100


class Values(NamedTuple):
    """What the values of the cells are, and the median of their totals over all genes."""

    kind: Literal["counts", "nonnegative", "signed"]
    median_total: float


class Cells:
    """The chosen genes of all cells, from a table of an AnnData object."""

    def __init__(self, adata: Any, layer: str | None, genes: NDArray[np.int64] | None) -> None:
        self._adata = adata
        if layer is None:
            table = adata.X
        elif isinstance(layer, str) and layer in adata.layers:
            table = adata.layers[layer]
        else:
            listed = ", ".join(repr(str(name)) for name in adata.layers) or "none"
            accepted = f"it must name a layer of the data, which have {listed}"
            raise check.refuse("layer", layer, accepted)
        if table is None:
            raise ValueError("the AnnData object has no X: name a layer with layer=")
        self._table: Any = table
        # Only X stays in the file.
        self.backed = bool(getattr(adata, "isbacked", False)) and layer is None
        self.genes = genes
        # Every cell is scaled to this total.
        self.target: float | None = None
        self._count = len(adata.obs_names)
        names = np.asarray([str(name) for name in adata.var_names], dtype=object)
        self._names = names if genes is None else names[genes]

    def look(self, size: int) -> Values:
        """Read all values once, and say what they are."""
        whole = positive = True
        totals = []
        for rows in self._in_order(size):
            table = self._read(rows)
            data = table.data if scipy.sparse.issparse(table) else table
            positive = positive and not (data < 0).any()
            # NaN is no count, nor is infinity.
            whole = whole and bool(np.all(np.isfinite(data)) and np.all(data == np.rint(data)))
            totals.append(_totals(table))
        all_totals = np.concatenate(totals)
        some = all_totals[all_totals > 0]
        median = float(np.median(some)) if some.size else 1.0
        return Values("signed" if not positive else "counts" if whole else "nonnegative", median)

    def whole(self) -> Any:
        """Return all cells as samples of a fit."""
        return self._samples(slice(0, self._count))

    def in_order(self, size: int) -> Iterator[Any]:
        """Give the cells as samples: all at once, or so many at a time from a file."""
        for rows in self._in_order(size):
            yield self._samples(rows)

    def batches(self, size: int, seed: int) -> Iterator[Any]:
        """Give the cells in batches for a model that learns: each from all over the file."""
        starts = np.random.default_rng(seed).permutation(np.arange(0, self._count, _RUN))
        in_a_batch = max(1, size // _RUN)
        # The last batch may be small; one that is too small belongs to the one before.
        count = max(1, len(starts) // in_a_batch)
        for some in np.array_split(starts, count):
            runs = [slice(at, min(at + _RUN, self._count)) for at in np.sort(some)]
            yield self._samples(*runs)

    def _in_order(self, size: int) -> Iterator[slice]:
        step = size if self.backed else max(1, self._count)
        for start in range(0, max(1, self._count), step):
            yield slice(start, min(start + step, self._count))

    def _read(self, rows: slice) -> Any:
        """Read cells with all genes."""
        table = self._table
        if not self.backed:
            everything = rows.start == 0 and rows.stop == self._count
            found = table if everything else table[rows]
        elif getattr(table, "format", None) == "csr" and hasattr(table, "group"):
            # AnnData reads slices by private parts of SciPy, which differ between versions.
            found = _rows_of(table.group, rows, table.shape[1])
        else:
            found = table[rows]
        return found if scipy.sparse.issparse(found) else np.asarray(found)

    def _samples(self, *runs: slice) -> Any:
        """Return cells as samples with the names of the genes."""
        found = [self._chosen(self._read(rows)) for rows in runs]
        table: Any
        if len(found) == 1:
            table = found[0]
        elif scipy.sparse.issparse(found[0]):
            table = scipy.sparse.vstack(found, format="csr")
        else:
            table = np.concatenate(found)
        count = sum(rows.stop - rows.start for rows in runs)
        return SimpleNamespace(X=table, layers={}, obs_names=range(count), var_names=self._names)

    def _chosen(self, table: Any) -> Any:
        """Return scaled cells with the chosen genes."""
        kept = table if self.genes is None else table[:, self.genes]
        if self.target is None:
            return kept
        totals = _totals(table)
        scale = self.target / np.where(totals > 0, totals, self.target)
        if scipy.sparse.issparse(kept):
            return scipy.sparse.csr_array(kept).multiply(scale[:, np.newaxis]).tocsr()
        return kept * scale[:, np.newaxis]


def _rows_of(group: Any, rows: slice, width: int) -> Any:
    """Read rows of a table that a file holds as CSR."""
    ends = np.asarray(group["indptr"][rows.start : rows.stop + 1])
    stored = slice(int(ends[0]), int(ends[-1]))
    parts = (group["data"][stored], group["indices"][stored], ends - ends[0])
    return scipy.sparse.csr_array(parts, shape=(rows.stop - rows.start, width))


def described(adata: Any) -> Any:
    """Check that something is an AnnData object."""
    if not check.is_annotated(adata):
        raise TypeError(f"adata is a {type(adata).__name__}: it must be an AnnData object")
    return adata


def results(adata: AnnotatedSamples, key: str) -> Any:
    """Return what a fit has written."""
    cells: Any = described(adata)
    if key not in cells.uns:
        raise KeyError(f"uns has no {key!r}: run deepnmf.sc.fit before")
    return cells.uns[key]


def _totals(table: Any) -> NDArray[np.float64]:
    """Return the sum of each cell."""
    return np.asarray(table.sum(axis=1), dtype=np.float64).ravel()
