"""Plots of fitted models, for publications; they need matplotlib."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import ceil, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from . import _check as check
from . import _drawing as draw
from ._base import Factorization
from ._data import Dataset, ImageShape, image_words
from ._selection import Choice, LayerSelection
from ._sklearn import check_is_fitted

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# With more iterations than this the first ones, which do most, would be a vertical line.
_MANY_ITERATIONS = 100


def plot_history(model: Factorization, *, ax: Axes | None = None) -> Axes:
    """Plot the error of a fit by iteration, with the SVD bound as a dashed line.

    Every loop of the fit has a line. The pre-training of a layer above the first shows how well the
    layer reconstructs the features of the layer below, which are of another size than the data.
    Where errors or numbers of iterations differ much, the axes are logarithmic.

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
    if max((len(run["history"]) for run in runs), default=0) > _MANY_ITERATIONS:
        draw.first_ones_wide(cell)
    else:
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
