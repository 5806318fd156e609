"""What a fit of single cells has found: genes of components, and maps of the cells."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from typing import Any

import numpy as np

from . import _check as check
from ._cells import results
from ._types import AnnotatedSamples


def top_genes(
    adata: AnnotatedSamples, n: int = 10, *, key: str | None = None, layer: int = -1
) -> Any:
    """List the genes of largest weight of each component.

    Parameters
    ----------
    adata : AnnData
        Cells of a fit.
    n : int, default=10
        Number of genes.
    key : str, default=None
        Name of the results. If None, 'deepnmf'.
    layer : int, default=-1
        Layer of the components, counted from 1, or from the top if negative.

    Returns
    -------
    DataFrame of shape (n, n_components)
        Names of genes, that of the largest weight first. There is a column for each component,
        named by its number, counted from 1.

    Examples
    --------
    >>> import anndata, numpy as np
    >>> from deepnmf import sc
    >>> counts = np.random.default_rng(0).poisson(2.0, (60, 12)).astype(np.float32)
    >>> adata = anndata.AnnData(counts)
    >>> sc.fit(adata, 3)
    >>> sc.top_genes(adata, 4).shape
    (4, 3)
    """
    name = "deepnmf" if key is None else key
    place = _place(adata, name, layer)
    components = np.asarray(adata.varm[f"{name}_components{place}"])
    fitted = np.flatnonzero(~np.isnan(components[:, 0]))
    count = min(check.whole("n", n), len(fitted))
    order = np.argsort(-components[fitted], axis=0, kind="stable")[:count]
    names = np.asarray([str(gene) for gene in adata.var_names], dtype=object)[fitted]
    columns = range(1, components.shape[1] + 1)
    return _imported("pandas", "tables of genes").DataFrame(names[order], columns=columns)


def plot_programs(
    adata: AnnotatedSamples,
    basis: str = "umap",
    *,
    components: Iterable[int] | None = None,
    key: str | None = None,
    layer: int = -1,
    **options: Any,
) -> Any:
    """Draw the features of the components on a map of the cells, by scanpy.

    Parameters
    ----------
    adata : AnnData
        Cells of a fit, with a map in ``obsm["X_" + basis]``.
    basis : str, default='umap'
        Name of the map.
    components : iterable of int, default=None
        Numbers of the components, counted from 1. If None, all.
    key : str, default=None
        Name of the results. If None, 'deepnmf'.
    layer : int, default=-1
        Layer of the components, counted from 1, or from the top if negative.
    **options : object
        Options of ``scanpy.pl.embedding``, such as ``ncols=5`` or ``cmap="magma"``.

    Returns
    -------
    matplotlib Axes or list of these
        The axes, one for each component. Nothing is shown: call ``plt.show()``.
    """
    scanpy = _imported("scanpy", "maps of programs")
    pandas, anndata = import_module("pandas"), import_module("anndata")
    name = "deepnmf" if key is None else key
    features = np.asarray(adata.obsm[f"X_{name}{_place(adata, name, layer)}"])
    places = f"X_{basis}" if f"X_{basis}" in adata.obsm else basis
    if places not in adata.obsm:
        listed = ", ".join(repr(str(known)) for known in adata.obsm)
        raise check.refuse("basis", basis, f"it must name a map in obsm, which has {listed}")
    count = features.shape[1]
    chosen = [*range(1, count + 1)] if components is None else [*components]
    for number in chosen:
        if check.whole("each of components", number) > count:
            raise check.refuse("each of components", number, f"there are {count} components")
    columns = [f"Component {number}" for number in chosen]
    values = features[:, [number - 1 for number in chosen]]
    shown = anndata.AnnData(
        obs=pandas.DataFrame(values, index=list(adata.obs_names), columns=columns),
        obsm={places: np.asarray(adata.obsm[places])},
    )
    given = {"cmap": "viridis", "frameon": False, "show": False, **options}
    return scanpy.pl.embedding(shown, basis=places, color=columns, **given)


def _place(adata: AnnotatedSamples, key: str, layer: object) -> str:
    """Return what the names of the results of a layer end with."""
    depth = len(np.atleast_1d(results(adata, key)["n_components"]))
    place = check.whole("layer", layer, least=-depth)
    if place == 0 or place > depth:
        raise check.refuse("layer", layer, f"the model has layers 1 to {depth}")
    place = depth + 1 + place if place < 0 else place
    return "" if place == depth else f"_{place}"


def _imported(name: str, purpose: str) -> Any:
    try:
        return import_module(name)
    except ImportError as error:
        raise ImportError(
            f"{purpose} need {name}, which is not installed: pip install 'deepnmf[single-cell]'"
        ) from error
