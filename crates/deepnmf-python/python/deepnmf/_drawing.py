"""What all plots share: matplotlib, axes, colours and sizes of text.

matplotlib is imported when a plot is made, and its settings stay as they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ._types import Codes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Of Okabe and Ito: no two of them look alike to those who see fewer colours. Yellow is too light.
COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
UNKNOWN = "#BBBBBB"
MUTED = "#666666"
TITLE, LABEL, TICK = 10, 9, 8


def pyplot() -> Any:
    """Import matplotlib, which the package does not need for anything else."""
    try:
        import matplotlib.pyplot
    except ImportError as error:
        raise ImportError(
            "plots need matplotlib, which is not installed: pip install 'deepnmf[plots]'"
        ) from error
    return matplotlib.pyplot


def one_axes(ax: Axes | None, width: float, height: float) -> Axes:
    """Return the given axes, or those of a new figure."""
    if ax is not None:
        return ax
    made: Axes = pyplot().subplots(figsize=(width, height), layout="constrained")[1]
    return made


def many_axes(
    ax: Sequence[Axes] | NDArray[Any] | None,
    count: int,
    columns: int,
    width: float,
    height: float,
) -> NDArray[Any]:
    """Return so many axes: the first ones of those given, or a grid of them in a new figure.

    Width and height are those of one.
    """
    if ax is not None:
        given = np.asarray(ax, dtype=object).ravel()
        if len(given) < count:
            raise ValueError(f"ax has {len(given)} axes, but the plot needs {count}")
        return given[:count]
    columns = min(columns, count)
    rows = ceil(count / columns)
    size = (columns * width, rows * height)
    figure = pyplot().figure(figsize=size, layout="constrained")
    found = figure.subplots(rows, columns, squeeze=False).ravel()
    for unused in found[count:]:
        unused.remove()
    kept: NDArray[Any] = found[:count]
    return kept


def plain(ax: Axes, *, title: str = "", x: str = "", y: str = "") -> None:
    """Leave two sides of the frame, and name the axes."""
    ax.spines[["top", "right"]].set_visible(False)
    ax.tick_params(which="both", labelsize=TICK)
    label(ax, title=title, x=x, y=y)


def bare(ax: Axes) -> None:
    """Leave out ticks and frame."""
    ax.set_xticks([])
    ax.set_yticks([])
    ax.spines[:].set_visible(False)


def label(ax: Axes, *, title: str = "", x: str = "", y: str = "") -> None:
    """Write a title and the names of the axes, where there are any."""
    if title:
        ax.set_title(title, fontsize=TITLE)
    if x:
        ax.set_xlabel(x, fontsize=LABEL)
    if y:
        ax.set_ylabel(y, fontsize=LABEL)


def whole_ticks(ax: Axes) -> None:
    """Place ticks of the horizontal axis at whole numbers."""
    from matplotlib.ticker import MaxNLocator

    ax.xaxis.set_major_locator(MaxNLocator(nbins="auto", integer=True))


def logarithmic(ax: Axes) -> None:
    """Make the vertical axis logarithmic, with plain numbers at its ticks."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    ax.set_yscale("log")
    least, most = ax.get_ylim()
    few = most / least < 100  # then there is hardly a power of ten
    ax.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0) if few else (1.0,)))
    ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    ax.yaxis.set_minor_formatter(NullFormatter())


def first_ones_wide(ax: Axes) -> None:
    """Make the horizontal axis logarithmic from 1 on, with 0 beside it."""
    from matplotlib.ticker import FuncFormatter, NullLocator

    ax.set_xscale("symlog", linthresh=1)
    ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    ax.xaxis.set_minor_locator(NullLocator())
    ax.set_xlim(left=-0.1)


def class_colors(count: int) -> list[Any]:
    """Return a colour for each class: distinct ones for few, those of a scale for many."""
    if count <= len(COLORS):
        return list(COLORS[:count])
    return list(pyplot().get_cmap("viridis")(np.linspace(0, 0.95, count)))


def in_the_plane(features: NDArray[Any]) -> NDArray[np.float64]:
    """Return the first two principal components of features.

    The largest weight of each is positive, so that no map is the mirror image of another one.
    """
    centred = np.asarray(features, dtype=np.float64) - features.mean(axis=0)
    left, values, right = np.linalg.svd(centred, full_matrices=False)
    count = min(2, len(values))
    largest = np.abs(right[:count]).argmax(axis=1)
    signs = np.where(right[np.arange(count), largest] < 0, -1.0, 1.0)
    plane = np.zeros((len(centred), 2))
    plane[:, :count] = left[:, :count] * values[:count] * signs
    return plane


def draw_classes(ax: Any, points: NDArray[Any], codes: Codes, size: float) -> None:
    """Draw samples in the colours of their classes, those of unknown class in grey below them."""
    colors = class_colors(int(codes.max(initial=-1)) + 1)
    unknown = codes < 0
    style: dict[str, Any] = {"s": size, "linewidths": 0}
    if unknown.any():
        ax.scatter(*points[unknown].T, color=UNKNOWN, alpha=0.6, **style)
    # One collection, so that no class hides another one by its number.
    if not unknown.all():
        chosen = np.asarray([_rgba(color) for color in colors])[codes[~unknown]]
        ax.scatter(*points[~unknown].T, color=chosen, alpha=0.85, **style)


def legend_of_classes(ax: Any, names: Sequence[str]) -> None:
    """Name the colours of the classes, right of the axes."""
    from matplotlib.lines import Line2D

    handles = [
        Line2D([], [], linestyle="", marker="o", markersize=5, color=color, label=name)
        for color, name in zip(class_colors(len(names)), names, strict=True)
    ]
    ax.legend(
        handles=handles,
        loc="center left",
        bbox_to_anchor=(1.0, 0.5),
        frameon=False,
        fontsize=TICK,
        handletextpad=0.2,
    )


def _rgba(color: Any) -> tuple[float, float, float, float]:
    from matplotlib.colors import to_rgba

    return to_rgba(color)
