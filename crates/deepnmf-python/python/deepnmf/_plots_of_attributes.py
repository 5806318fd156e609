"""Plots of what the layers of a model know of attributes; they need matplotlib."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _check as check
from . import _drawing as draw
from ._base import Factorization
from ._data import Dataset
from ._kmeans import KMeans
from ._labels import Attribute, attributes, class_name
from ._metrics import clustering_accuracy, normalized_mutual_info
from ._sklearn import check_is_fitted
from ._types import ClusterScore, NamedLabels, RandomState, SamplesLike

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# With more classes than this a legend says nothing.
_MOST_CLASSES = 12


def layer_scores(
    model: Factorization,
    X: SamplesLike | Dataset,
    labels: NamedLabels | None = None,
    *,
    score: ClusterScore = "accuracy",
    random_state: RandomState = 0,
) -> dict[str, NDArray[np.float64]]:
    """Measure how well clusters of every layer agree with the classes of each attribute.

    The features of a layer are clustered by `KMeans`, with as many clusters as the attribute has
    classes.

    Parameters
    ----------
    model : estimator
        A fitted factorization.
    X : array-like or sparse array of shape (n_samples, n_features), Dataset or AnnData
        Samples. A `Dataset` also provides ``labels``, unless they are given.
    labels : mapping, DataFrame or array-like, default=None
        Labels of the samples: a mapping of attributes to labels, such as ``{"pose": [...]}``,
        or one column for each attribute. -1, NaN and None mean unknown.
    score : {'accuracy', 'nmi'}, default='accuracy'
        What is measured:

        - 'accuracy': the share of samples in the right cluster, as `clustering_accuracy`;
        - 'nmi': the mutual information, as `normalized_mutual_info`.
    random_state : int, RandomState instance or None, default=0
        Seed of all random numbers.

    Returns
    -------
    dict of str to ndarray of shape (n_layers,)
        The scores of the layers for each attribute, the first layer first.

    Examples
    --------
    >>> from deepnmf import DeepSemiNMF, layer_scores, load_faces
    >>> faces = load_faces(identities=4, size=16)
    >>> model = DeepSemiNMF((20, 4), random_state=0).fit(faces.X)
    >>> scores = layer_scores(model, faces)
    >>> sorted(scores), scores["pose"].shape
    (['expression', 'identity', 'illumination', 'pose'], (2,))
    """
    check_is_fitted(model)
    check.choice("score", score, ClusterScore)
    table, known = _samples_and_labels(X, labels)
    layers = _features_of_layers(model, table)
    return _scores(layers, attributes(known, len(layers[0])), score, check.seed(random_state))


def _samples_and_labels(
    X: SamplesLike | Dataset, labels: NamedLabels | None
) -> tuple[SamplesLike, NamedLabels | None]:
    if isinstance(X, Dataset):
        return X.X, X.labels if labels is None else labels
    return X, labels


def _features_of_layers(model: Factorization, X: SamplesLike) -> list[NDArray[Any]]:
    return [
        # Arrays, whatever `set_output` says of transform.
        model._features(X, layer + 1, None, "error", None)
        for layer in range(len(model.layers_))
    ]


def _scores(
    layers: list[NDArray[Any]], known: list[Attribute], score: str, seed: int
) -> dict[str, NDArray[np.float64]]:
    measure = normalized_mutual_info if score == "nmi" else clustering_accuracy
    found = {}
    for attribute in known:
        clusters = (
            KMeans(max(1, len(attribute.classes)), random_state=seed).fit(features).labels_
            for features in layers
        )
        values = [measure(attribute.codes, labels) for labels in clusters]
        found[attribute.name] = np.asarray(values, dtype=np.float64)
    return found


def plot_layers(
    model: Factorization,
    X: SamplesLike | Dataset,
    labels: NamedLabels | None = None,
    *,
    random_state: RandomState = 0,
    ax: Sequence[Axes] | NDArray[np.object_] | None = None,
) -> NDArray[np.object_]:
    """Plot maps of the samples, one for each layer, in the colours of their classes.

    A map shows the first two principal components of the features of a layer. With labels there is
    a row of maps for each attribute, and the titles say how many samples k-means puts in the right
    cluster.

    Parameters
    ----------
    model : estimator
        A fitted factorization.
    X : array-like or sparse array of shape (n_samples, n_features), Dataset or AnnData
        Samples. A `Dataset` also provides ``labels``, unless they are given.
    labels : mapping, DataFrame or array-like, default=None
        Labels of the samples: a mapping of attributes to labels, such as ``{"pose": [...]}``,
        or one column for each attribute. -1, NaN and None mean unknown.
    random_state : int, RandomState instance or None, default=0
        Seed of k-means.
    ax : sequence of matplotlib Axes, default=None
        Where to draw, one for each layer, attribute after attribute. If None, in a grid in a new
        figure.

    Returns
    -------
    ndarray of matplotlib Axes
        The axes, one for each layer, attribute after attribute.

    Examples
    --------
    >>> from deepnmf import DeepSemiNMF, load_faces, plot_layers
    >>> faces = load_faces(identities=4, size=16)
    >>> model = DeepSemiNMF((20, 4), random_state=0).fit(faces.X)
    >>> plot_layers(model, faces.X, faces.labels["pose"]).shape
    (2,)
    """
    check_is_fitted(model)
    table, names = _samples_and_labels(X, labels)
    layers = _features_of_layers(model, table)
    known = attributes(names, len(layers[0]))
    scores = _scores(layers, known, "accuracy", check.seed(random_state))
    maps = [draw.in_the_plane(features) for features in layers]
    rows: list[Attribute | None] = [*known] if known else [None]
    found = draw.many_axes(ax, len(rows) * len(maps), len(maps), 2.4, 2.4)
    size = float(np.clip(4000 / len(maps[0]), 3, 22))
    for place, cell in enumerate(found):
        attribute, layer = rows[place // len(maps)], place % len(maps)
        lines = [f"Layer {layer + 1}: {layers[layer].shape[1]} components"]
        if attribute is None:
            cell.scatter(*maps[layer].T, color=draw.COLORS[0], alpha=0.7, s=size, linewidths=0)
        else:
            draw.draw_classes(cell, maps[layer], attribute.codes, size)
            lines = [*lines[place >= len(maps) :], f"accuracy {scores[attribute.name][layer]:.2f}"]
            if layer == 0 and len(rows) > 1:
                draw.label(cell, y=attribute.name)
            if layer == len(maps) - 1 and len(attribute.classes) <= _MOST_CLASSES:
                draw.legend_of_classes(cell, [class_name(name) for name in attribute.classes])
        cell.set_xticks([])
        cell.set_yticks([])
        draw.plain(cell)
        cell.set_title("\n".join(lines), fontsize=draw.LABEL)
    return found


def plot_attributes(
    model: Factorization | Mapping[str, ArrayLike],
    X: SamplesLike | Dataset | None = None,
    labels: NamedLabels | None = None,
    *,
    score: ClusterScore = "accuracy",
    random_state: RandomState = 0,
    ax: Axes | None = None,
) -> Axes:
    """Plot how well each layer agrees with each attribute, as a table in colours.

    The score of the best layer of each attribute is bold.

    Parameters
    ----------
    model : estimator or mapping of str to array-like
        A fitted factorization, or scores that `layer_scores` has computed.
    X : array-like, sparse array, Dataset or AnnData, default=None
        Samples of shape (n_samples, n_features), unless `model` has scores. A `Dataset` also
        provides ``labels``, unless they are given.
    labels : mapping, DataFrame or array-like, default=None
        Labels of the samples: a mapping of attributes to labels, such as ``{"pose": [...]}``,
        or one column for each attribute. -1, NaN and None mean unknown.
    score : {'accuracy', 'nmi'}, default='accuracy'
        What is measured, as by `layer_scores`; of given scores what the colours are named.
    random_state : int, RandomState instance or None, default=0
        Seed of all random numbers.
    ax : matplotlib Axes, default=None
        Where to draw. If None, in a new figure.

    Returns
    -------
    matplotlib Axes
        The axes with the plot.

    Examples
    --------
    >>> from deepnmf import plot_attributes
    >>> ax = plot_attributes({"pose": [0.9, 0.4], "identity": [0.3, 0.8]})
    >>> [tick.get_text() for tick in ax.get_xticklabels()]
    ['pose', 'identity']
    """
    check.choice("score", score, ClusterScore)
    if isinstance(model, Mapping):
        found = {str(name): np.asarray(values, float) for name, values in model.items()}
    elif X is None:
        raise ValueError("a model needs samples and labels: give X and labels, or scores alone")
    else:
        found = layer_scores(model, X, labels, score=score, random_state=random_state)
    if not found:
        raise ValueError("there are no labels: give those of one attribute or more")
    if len({len(values) for values in found.values()}) > 1:
        raise ValueError("the attributes have scores of different numbers of layers")
    return _heat_map(found, "NMI" if score == "nmi" else "Accuracy", ax)


def _heat_map(scores: dict[str, NDArray[np.float64]], name: str, ax: Axes | None) -> Axes:
    table = np.column_stack(list(scores.values()))
    layers, columns = table.shape
    cell = draw.one_axes(ax, 1.5 + 0.85 * columns, 0.9 + 0.5 * layers)
    picture = cell.imshow(table, cmap="Blues", vmin=0, vmax=1, aspect="auto")
    best = table.argmax(axis=0)
    for (layer, column), value in np.ndenumerate(table):
        color = "white" if value > 0.55 else "black"
        weight = "bold" if best[column] == layer else "normal"
        cell.text(
            column,
            layer,
            f"{value:.2f}",
            ha="center",
            va="center",
            color=color,
            fontsize=draw.LABEL,
            fontweight=weight,
        )
    cell.set_xticks(range(columns), list(scores))
    cell.set_yticks(range(layers), [f"Layer {layer + 1}" for layer in range(layers)])
    cell.tick_params(length=0, labelsize=draw.LABEL)
    cell.spines[:].set_visible(False)
    bar = cell.figure.colorbar(picture, ax=cell, ticks=[0, 0.5, 1], pad=0.03)
    bar.outline.set_visible(False)
    bar.ax.tick_params(labelsize=draw.TICK, length=0)
    bar.set_label(name, fontsize=draw.LABEL)
    return cell
