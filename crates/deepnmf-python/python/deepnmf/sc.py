"""Fits of single cells, in the manner of scanpy: results are written into an AnnData object.

``deepnmf.sc.fit(adata)`` writes features and components, ``deepnmf.sc.top_genes(adata)`` lists the
genes of the components, ``deepnmf.sc.plot_programs(adata)`` draws them on a map of the cells, and
``deepnmf.sc.transform(others, adata)`` computes the features of other cells. Nothing but the last
but one needs scanpy.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from importlib.metadata import version
from typing import Any

import numpy as np

from . import _check as check
from . import _core
from ._base import Factorization
from ._cells import Cells, described, results
from ._deep_semi_nmf import DeepSemiNMF
from ._multilayer_nmf import MultilayerNMF
from ._nmf import NMF
from ._persist import estimator_of
from ._programs import plot_programs, top_genes
from ._semi_nmf import SemiNMF
from ._sklearn import clone
from ._stream import Streaming
from ._types import AnnotatedSamples, Json, Normalization, RandomState

__all__ = ["fit", "load", "plot_programs", "top_genes", "transform"]


def fit(
    adata: AnnotatedSamples,
    layers: Sequence[int] | int = (20,),
    *,
    layer: str | None = None,
    model: Factorization | str | None = None,
    key_added: str | None = None,
    use_highly_variable: bool | None = None,
    normalize: Normalization = "auto",
    keep_model: bool = True,
    batch_size: int = 2000,
    random_state: RandomState = 0,
    copy: bool = False,
    **params: Any,
) -> AnnotatedSamples | None:
    """Fit a model to cells, and write features and components into the AnnData object.

    Unless `model` says what to fit, the values do:

    - counts, which are whole numbers of at least 0: `NMF` with ``beta_loss='kullback-leibler'``,
      which is the likelihood of counts; for several layers `MultilayerNMF` with the same;
    - other numbers of at least 0, such as logarithms of counts: `NMF` or `MultilayerNMF` by the
      squared error, so that components add up;
    - numbers of any sign, such as scaled genes: `SemiNMF` or `DeepSemiNMF`.

    A backed object is read in batches, for models with `partial_fit`. The divergence has none, so
    counts are fitted by the squared error there, and several layers by `DeepSemiNMF`.

    Parameters
    ----------
    adata : AnnData
        Cells. ``X`` may be an array or sparse, and in a file if the object is backed.
    layers : int or sequence of int, default=(20,)
        Number of components, or that of each layer, the one next to the data first. An estimator
        that is given has its own.
    layer : str, default=None
        Name of the layer of the AnnData object to take instead of its ``X``.
    model : estimator or str, default=None
        What to fit: an estimator of this package, which is not changed, or the name of a model such
        as 'nmf', 'semi-nmf', 'multilayer-nmf' or 'deep-semi-nmf', with its default parameters. If
        None, the values decide.
    key_added : str, default=None
        Name of the results. If None, 'deepnmf'.
    use_highly_variable : bool, default=None
        Whether to fit only the genes that ``var["highly_variable"]`` marks. If None, so it is where
        there is such a column.
    normalize : {'auto', 'none', 'total'}, default='auto'
        What is done to the cells before:

        - 'auto': 'total' for counts that are fitted by the squared error, otherwise 'none';
        - 'none': nothing;
        - 'total': each cell is scaled to the median total of all cells, over all genes.
    keep_model : bool, default=True
        Whether to store the model itself, which `load` and `transform` need. It takes about as much
        space as the features.
    batch_size : int, default=2000
        Number of cells in a batch of a backed object.
    random_state : int, RandomState instance or None, default=0
        Seed of all random numbers. An estimator that is given has its own.
    copy : bool, default=False
        Whether to leave `adata` as it is and return a copy with the results.
    **params : object
        Other parameters of the model, such as ``max_iter=200``.

    Returns
    -------
    AnnData or None
        The copy if `copy`, otherwise None. These are set, where ``deepnmf`` is the name of the
        results:

        - ``obsm["X_deepnmf"]``: the features of the cells, one component per column;
        - ``varm["deepnmf_components"]``: the components, one per column; NaN for genes that are
          left out;
        - ``obsm["X_deepnmf_1"]``, ``varm["deepnmf_components_1"]`` and so on: the same of each
          layer of a deep model;
        - ``uns["deepnmf"]``: the model, its parameters, error, history, and the version of this
          package.

    Examples
    --------
    >>> import anndata, numpy as np
    >>> from deepnmf import sc
    >>> counts = np.random.default_rng(0).poisson(2.0, (60, 12)).astype(np.float32)
    >>> adata = anndata.AnnData(counts)
    >>> sc.fit(adata, 3)
    >>> adata.obsm["X_deepnmf"].shape, adata.varm["deepnmf_components"].shape
    ((60, 3), (12, 3))
    >>> adata.uns["deepnmf"]["model"]
    'nmf'
    """
    cells: Any = described(adata)
    if check.flag("copy", copy):
        if getattr(cells, "isbacked", False):
            raise ValueError("a backed object cannot be copied here: copy it to another file first")
        cells = cells.copy()
    key = "deepnmf" if key_added is None else key_added
    table = Cells(cells, layer, _genes(cells, use_highly_variable))
    values = table.look(check.whole("batch_size", batch_size))
    estimator = _estimator(model, layers, values.kind, table.backed, random_state, params)
    word = check.choice("normalize", normalize, Normalization)
    if word == "auto":
        word = "total" if values.kind == "counts" and not _is_divergence(estimator) else "none"
    if word == "total":
        table.target = values.median_total
    if table.backed:
        _learn(estimator, table, batch_size, random_state)
    else:
        estimator.fit(table.whole())
    used = {
        "layer": layer or "X",
        "use_highly_variable": table.genes is not None,
        "normalize": word,
        "target": table.target or 0.0,
    }
    _forget(cells, key)
    error = _write_features(cells, key, estimator, table, batch_size)
    _write_components(cells, key, estimator, table)
    found = _of_batches(estimator, error) if table.backed else _of_the_fit(estimator)
    kept = _content(estimator) if check.flag("keep_model", keep_model) else {}
    cells.uns[key] = {**_summary(estimator, used), **found, **kept}
    return cells if copy else None


def transform(
    adata: AnnotatedSamples,
    reference: AnnotatedSamples,
    *,
    layer: str | None = None,
    key: str | None = None,
    batch_size: int = 2000,
    copy: bool = False,
) -> AnnotatedSamples | None:
    """Compute the features of cells by a model that was fitted to others.

    Parameters
    ----------
    adata : AnnData
        Cells with all genes of the fit, in any order. ``obsm["X_deepnmf"]`` receives their
        features, and ``obsm["X_deepnmf_1"]`` and so on those of each layer of a deep model.
    reference : AnnData
        Cells of the fit.
    layer : str, default=None
        Name of the layer of `adata` to take instead of its ``X``.
    key : str, default=None
        Name of the results. If None, 'deepnmf'.
    batch_size : int, default=2000
        Number of cells in a batch of a backed object.
    copy : bool, default=False
        Whether to leave `adata` as it is and return a copy with the results.

    Returns
    -------
    AnnData or None
        The copy if `copy`, otherwise None.

    Examples
    --------
    >>> import anndata, numpy as np
    >>> from deepnmf import sc
    >>> counts = np.random.default_rng(0).poisson(2.0, (60, 12)).astype(np.float32)
    >>> adata, others = anndata.AnnData(counts[:40]), anndata.AnnData(counts[40:])
    >>> sc.fit(adata, 3)
    >>> sc.transform(others, adata)
    >>> others.obsm["X_deepnmf"].shape
    (20, 3)
    """
    cells: Any = described(adata)
    if check.flag("copy", copy):
        cells = cells.copy()
    name = "deepnmf" if key is None else key
    estimator = load(reference, key=key)
    used = results(reference, name)["params"]
    wanted = [str(gene) for gene in estimator.feature_names_in_]
    genes = cells.var_names.get_indexer(wanted)
    missing = [gene for gene, place in zip(wanted, genes, strict=True) if place < 0]
    if missing:
        raise ValueError(
            f"{len(missing)} of {len(wanted)} genes of the fit are not in adata, such as "
            f"{missing[0]!r}: bring them in, or fit the genes that both have"
        )
    table = Cells(cells, layer, genes)
    table.target = float(used["target"]) or None
    _write_features(cells, name, estimator, table, check.whole("batch_size", batch_size))
    return cells if copy else None


def load(adata: AnnotatedSamples, *, key: str | None = None) -> Factorization:
    """Return the model that was fitted to cells.

    Parameters
    ----------
    adata : AnnData
        Cells of a fit, with ``keep_model=True``.
    key : str, default=None
        Name of the results. If None, 'deepnmf'.

    Returns
    -------
    estimator
        A fitted estimator of the class of the model, for its reports, plots and files.

    Examples
    --------
    >>> import anndata, numpy as np
    >>> from deepnmf import sc
    >>> counts = np.random.default_rng(0).poisson(2.0, (60, 12)).astype(np.float32)
    >>> adata = anndata.AnnData(counts)
    >>> sc.fit(adata, 3)
    >>> sc.load(adata).layers_
    (3,)
    """
    content = results(adata, "deepnmf" if key is None else key).get("content")
    if content is None:
        raise ValueError("the model itself was not kept: fit with keep_model=True")
    return estimator_of(_core.Model(np.asarray(content, dtype=np.uint8).tobytes()))


def _genes(cells: Any, use_highly_variable: bool | None) -> Any:
    """Return the places of the genes to fit; None for all."""
    if use_highly_variable is not None:
        check.flag("use_highly_variable", use_highly_variable)
    known = "highly_variable" in getattr(cells, "var", ())
    if use_highly_variable and not known:
        raise ValueError(
            "var has no column 'highly_variable': run scanpy.pp.highly_variable_genes before"
        )
    if use_highly_variable is False or not known:
        return None
    marked = np.flatnonzero(np.asarray(cells.var["highly_variable"], dtype=bool))
    if not marked.size:
        raise ValueError("no gene is marked in var['highly_variable']: mark some, or leave it out")
    return marked


def _estimator(
    model: Factorization | str | None,
    layers: Sequence[int] | int,
    kind: str,
    backed: bool,
    random_state: RandomState,
    params: Json,
) -> Factorization:
    """Return a new estimator: a copy of the given one, that of the name, or what the values ask."""
    if isinstance(model, Factorization):
        estimator = clone(model).set_params(**params)
        return _checked(estimator, kind, backed)
    found = [layers] if isinstance(layers, (int, np.integer)) else [*layers]
    sizes = [check.whole("each of layers", size) for size in found]
    if not sizes:
        raise ValueError("the list of layers is empty: name the components of each")
    if model is None:
        cls, usual = _chosen(len(sizes) > 1, kind, backed)
    elif isinstance(model, str) and model in Factorization._estimators:
        cls, usual = Factorization._estimators[model], {}
    else:
        listed = ", ".join(repr(name) for name in sorted(Factorization._estimators))
        raise check.refuse("model", model, f"it must be an estimator or one of {listed}")
    known = cls().get_params()
    if "layers" in known:
        size: Json = {"layers": tuple(sizes)}
    elif "n_components" in known and len(sizes) == 1:
        size = {"n_components": sizes[0]}
    else:
        accepted = f"{cls.__name__} has another number of layers: give an estimator as model"
        raise check.refuse("layers", layers, accepted)
    return _checked(cls(**{"random_state": random_state, **size, **usual, **params}), kind, backed)


def _chosen(deep: bool, kind: str, backed: bool) -> tuple[type[Factorization], Json]:
    """Choose the model by the values, as `fit` says."""
    divergence = {"beta_loss": "kullback-leibler"} if kind == "counts" and not backed else {}
    if deep:
        signed = kind == "signed" or backed
        return (DeepSemiNMF, {}) if signed else (MultilayerNMF, divergence)
    return (SemiNMF, {}) if kind == "signed" else (NMF, divergence)


def _checked(estimator: Factorization, kind: str, backed: bool) -> Factorization:
    """Refuse a model that cannot be fitted to such cells."""
    name = type(estimator).__name__
    if kind == "signed" and not estimator._takes_negative:
        raise ValueError(f"{name} takes no negative values: use SemiNMF or DeepSemiNMF")
    if backed and not (isinstance(estimator, Streaming) and not _is_divergence(estimator)):
        raise ValueError(
            "a backed object is read in batches, which NMF by the squared error, SemiNMF and "
            f"DeepSemiNMF learn from: use one of these instead of this {name}, or adata.to_memory()"
        )
    return estimator


def _is_divergence(estimator: Factorization) -> bool:
    return getattr(estimator, "beta_loss", None) in ("kullback-leibler", 1)


def _learn(estimator: Any, table: Cells, batch_size: int, random_state: RandomState) -> None:
    """Fit a model to batches of cells; a warning about one of them would mislead."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", category=UserWarning)
        for batch in table.batches(batch_size, check.seed(random_state)):
            estimator.partial_fit(batch)


def _write_features(
    cells: Any, key: str, estimator: Factorization, table: Cells, batch_size: int
) -> float:
    """Write the features of all layers; returns the error of cells that were read in batches."""
    depth, squares = len(estimator.layers_), 0.0
    parts: list[list[Any]] = [[] for _ in range(depth)]
    for part in table.in_order(batch_size):
        for place in range(depth):
            parts[place].append(estimator._features(part, place + 1, None, "error", None))
        if table.backed:
            squares -= estimator.score(part) * part.X.shape[0] * part.X.shape[1]
    features = [np.concatenate(part) for part in parts]
    cells.obsm[f"X_{key}"] = features[-1]
    if depth > 1:
        for place, found in enumerate(features):
            cells.obsm[f"X_{key}_{place + 1}"] = found
    return float(np.sqrt(squares))


def _write_components(cells: Any, key: str, estimator: Factorization, table: Cells) -> None:
    depth = len(estimator.layers_)
    for place in range(depth):
        components = estimator._model.components(place + 1).T
        found = np.full((len(cells.var_names), components.shape[1]), np.nan, components.dtype)
        found[slice(None) if table.genes is None else table.genes] = components
        if place == depth - 1:
            cells.varm[f"{key}_components"] = found
        if depth > 1:
            cells.varm[f"{key}_components_{place + 1}"] = found


def _summary(estimator: Factorization, used: Json) -> Json:
    """Describe a model; files of AnnData hold neither None nor tuples."""
    return {
        "model": estimator._name,
        "n_components": np.asarray(estimator.layers_),
        "params": used,
        "settings": estimator._model.settings,
        "version": version("deepnmf"),
    }


def _of_the_fit(estimator: Factorization) -> Json:
    bound = {} if estimator.svd_bound_ is None else {"svd_bound": estimator.svd_bound_}
    return {
        "reconstruction_err": estimator.reconstruction_err_,
        "n_iter": estimator.n_iter_,
        "stop_reason": estimator.stop_reason_,
        "history": estimator.history_,
        **bound,
    }


def _of_batches(estimator: Any, error: float) -> Json:
    """Describe what was learnt from batches: the error is that of all cells."""
    return {"reconstruction_err": error, "batch_errors": np.asarray(estimator.batch_errors_)}


def _content(estimator: Factorization) -> Json:
    (content,) = estimator._model.__getnewargs__()
    return {"content": np.frombuffer(content, dtype=np.uint8).copy()}


def _forget(cells: Any, key: str) -> None:
    """Remove the layers of an earlier fit of that name, which may have had more."""
    for place in range(len(np.atleast_1d(cells.uns.get(key, {}).get("n_components", [])))):
        for held, name in ((cells.obsm, f"X_{key}_"), (cells.varm, f"{key}_components_")):
            if f"{name}{place + 1}" in held:
                del held[f"{name}{place + 1}"]
