"""Plots of fitted models, for publications; they need matplotlib."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import ceil, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _check as check
from . import _drawing as draw
from ._base import Factorization
from ._data import Dataset, ImageShape, image_words
from ._kmeans import KMeans
from ._labels import Attribute, attributes, class_name
from ._metrics import clustering_accuracy, normalized_mutual_info
from ._selection import Choice, LayerSelection
from ._sklearn import check_is_fitted
from ._types import ClusterScore, NamedLabels, RandomState, SamplesLike

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# With more classes than this a legend says nothing.
_MOST_CLASSES = 12


def plot_history(model: Factorization, *, ax: Axes | None = None) -> Axes:
    """Plot the error of a fit by iteration, with the SVD bound as a dashed line.

    Every loop of the fit has a line. The pre-training of a layer above the first shows how well the
    layer reconstructs the features of the layer below, which are of another size than the data.

    Parameters
    ----------
    model : estimator
        A fitted factorization.
    ax : matplotlib Axes, default=None
        Where to draw. If None, in a new figure.

    Returns
    -------
    matplotlib Axes
        The axes with the plot.

    Examples
    --------
    >>> from deepnmf import SemiNMF, load_faces, plot_history
    >>> model = SemiNMF(5, init="random", random_state=0).fit(load_faces(identities=4).X)
    >>> ax = plot_history(model)
    >>> ax.get_xlabel()
    'Iteration'
    """
    check_is_fitted(model)
    cell = draw.one_axes(ax, 4.2, 3.0)
    runs = [run for run in model.runs_ if run["history"]]
    for place, run in enumerate(runs):
        errors = run["history"]
        color = draw.COLORS[place % len(draw.COLORS)]
        cell.plot(range(len(errors)), errors, color=color, linewidth=1.5, label=run["stage"])
        cell.plot(len(errors) - 1, errors[-1], "o", color=color, markersize=3.5)
    known = [error for run in runs for error in run["history"] if error > 0]
    if model.svd_bound_ is not None:
        cell.axhline(
            model.svd_bound_, color=draw.MUTED, linestyle="--", linewidth=1, label="SVD bound"
        )
        known.append(model.svd_bound_)
    if known and max(known) > 5 * min(known) > 0:
        draw.logarithmic(cell)
    draw.whole_ticks(cell)
    draw.plain(cell, x="Iteration", y="Error")
    if len(runs) > 1 or model.svd_bound_ is not None:
        cell.legend(frameon=False, fontsize=draw.TICK)
    return cell


def plot_components(
    model: Factorization,
    layer: int = -1,
    *,
    image_shape: tuple[int, int] | ImageShape | str | None = None,
    feature_names: Iterable[str] | None = None,
    top: int = 8,
    ax: Sequence[Axes] | NDArray[np.object_] | None = None,
) -> NDArray[np.object_]:
    """Plot the components of a layer: as pictures, or by bars of their top features.

    A picture of a component that has no negative entry goes from black to white. If any component
    of the layer has one, zero is white, positive entries are red and negative ones are blue. Each
    picture has its own scale.

    Parameters
    ----------
    model : estimator
        A fitted factorization.
    layer : int, default=-1
        Layer, counted from 1, or from the top if negative. Its components are shown in the space of
        the data.
    image_shape : tuple of int, ImageShape or str, default=None
        Width and height of the images, if the samples are images. If None, there are bars.
    feature_names : iterable of str, default=None
        Names of the features. If None, those of the fit, or their numbers.
    top : int, default=8
        Number of top features of each component.
    ax : sequence of matplotlib Axes, default=None
        Where to draw, one for each component. If None, in a grid in a new figure.

    Returns
    -------
    ndarray of matplotlib Axes
        The axes, one for each component.

    Examples
    --------
    >>> from deepnmf import NMF, load_faces, plot_components
    >>> faces = load_faces(identities=4, size=16)
    >>> model = NMF(6, random_state=0).fit(faces.X)
    >>> plot_components(model, image_shape=faces.image_shape).shape
    (6,)
    """
    check_is_fitted(model)
    components = model._model.components(model._place(layer))
    if image_shape is not None:
        return _pictures(_as_images(components, image_shape), ax)
    names = _names_of_features(model, feature_names, components.shape[1])
    return _bars(components, names, min(check.whole("top", top), components.shape[1]), ax)


def _as_images(components: NDArray[Any], image: tuple[int, int] | ImageShape | str) -> NDArray[Any]:
    size, _, order = str(image_words(image)).partition(":")
    sides = size.split("x")
    if len(sides) != 2 or not all(side.isdigit() for side in sides):
        raise check.refuse("image_shape", image, "it must be a width and a height, such as 32x32")
    width, height = (int(side) for side in sides)
    if width * height != components.shape[1]:
        accepted = f"the samples have {components.shape[1]} features, not as many pixels"
        raise check.refuse("image_shape", image, accepted)
    shape = ImageShape(width, height, "column-major" if order == "column-major" else "row-major")
    return Dataset(components, {}, None, None, shape).images


def _pictures(
    images: NDArray[Any], ax: Sequence[Axes] | NDArray[np.object_] | None
) -> NDArray[np.object_]:
    count, height, width = images.shape
    columns = ceil(sqrt(1.6 * count))
    found = draw.many_axes(ax, count, columns, 0.9, 0.9 * height / width + 0.16)
    signed = bool((images < 0).any())
    for place, (cell, image) in enumerate(zip(found, images, strict=True)):
        most = float(np.abs(image).max()) or 1.0
        least = -most if signed else 0.0
        colors = "RdBu_r" if signed else "gray"
        cell.imshow(image, cmap=colors, vmin=least, vmax=most, interpolation="nearest")
        draw.bare(cell)
        cell.set_title(str(place + 1), fontsize=draw.TICK, pad=2)
    return found


def _names_of_features(model: Factorization, given: Iterable[str] | None, count: int) -> list[str]:
    if given is None:
        known = getattr(model, "feature_names_in_", None)
        if known is None or len(known) != count:
            return [f"feature {place}" for place in range(count)]
        return [str(name) for name in known]
    names = [str(name) for name in given]
    if len(names) != count:
        raise ValueError(
            f"feature_names has {len(names)} names, but the components have {count} features: "
            "give one for each"
        )
    return names


def _bars(
    components: NDArray[Any],
    names: list[str],
    top: int,
    ax: Sequence[Axes] | NDArray[np.object_] | None,
) -> NDArray[np.object_]:
    count = len(components)
    found = draw.many_axes(ax, count, min(4, ceil(sqrt(count))), 2.3, 0.55 + 0.16 * top)
    for place, (cell, component) in enumerate(zip(found, components, strict=True)):
        chosen = np.argsort(-np.abs(component), kind="stable")[:top]
        values = component[chosen]
        colors = [draw.COLORS[0] if value >= 0 else draw.COLORS[1] for value in values]
        cell.barh(range(top), values, color=colors, height=0.72)
        cell.set_yticks(range(top), [names[feature] for feature in chosen])
        cell.invert_yaxis()
        draw.plain(cell, title=f"Component {place + 1}")
        cell.locator_params(axis="x", nbins=3)
        cell.tick_params(axis="y", length=0)
        if (values < 0).any():
            cell.axvline(0, color=draw.MUTED, linewidth=0.8)
    return found


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


def plot_selection(
    search: LayerSelection, *, ax: Sequence[Axes] | NDArray[np.object_] | None = None
) -> NDArray[np.object_]:
    """Plot what a search for the number of components has found.

    For each layer there is the loss of hidden entries, as a share of that of the feature means, and
    the agreement of the components of two fits, both with a band of one standard deviation over the
    masks. The chosen number is marked: by a full dot, or by an empty one where the layer is left
    out.

    Parameters
    ----------
    search : LayerSelection
        A fitted search.
    ax : sequence of matplotlib Axes, default=None
        Where to draw, two for each layer. If None, in a grid in a new figure.

    Returns
    -------
    ndarray of matplotlib Axes
        The axes, two for each layer whose size was searched for: loss and agreement.

    Examples
    --------
    >>> import numpy as np
    >>> from deepnmf import LayerSelection, plot_selection
    >>> rng = np.random.default_rng(0)
    >>> X = rng.random((100, 3)) @ rng.random((3, 20)) + 0.05 * rng.random((100, 20))
    >>> search = LayerSelection(layers=(1, 5), n_masks=2, random_state=0).fit(X)
    >>> plot_selection(search).shape
    (2,)
    """
    check_is_fitted(search, "curves_")
    found = draw.many_axes(ax, 2 * len(search.curves_), 2, 3.0, 2.4)
    for place, (curve, chosen) in enumerate(zip(search.curves_, search._chosen(), strict=True)):
        panels = (
            ("held_out", "deviation", "Held-out loss", draw.COLORS[0]),
            ("stability", "stability_deviation", "Agreement of two fits", draw.COLORS[2]),
        )
        for column, (values, spread, name, color) in enumerate(panels):
            cell = found[2 * place + column]
            known: Mapping[str, Any] = curve
            size, y, s = known["size"], known[values], known[spread]
            cell.fill_between(size, y - s, y + s, color=color, alpha=0.18, linewidth=0)
            cell.plot(size, y, "-", color=color, linewidth=1.5, marker=".", markersize=5)
            at = np.flatnonzero(size == chosen.size)
            if at.size:
                inside = color if chosen.kept else "white"
                cell.plot(chosen.size, y[at[0]], "o", mfc=inside, mec=color, mew=1.5, markersize=8)
                cell.axvline(chosen.size, color=draw.MUTED, linestyle=":", linewidth=1, zorder=0)
            draw.whole_ticks(cell)
            if column == 1:
                cell.set_ylim(min(0, cell.get_ylim()[0]), 1.05)
            layer = f"Layer {chosen.layer}: {_as_text(chosen)}" if column == 0 else ""
            draw.plain(cell, x="Components", y=name)
            if layer:
                cell.set_title(layer, fontsize=draw.LABEL, loc="left")
    return found


def _as_text(chosen: Choice) -> str:
    if chosen.size == 0:
        return "no structure"
    return f"{chosen.size} components" if chosen.kept else f"{chosen.size}, left out"


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
