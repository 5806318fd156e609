"""Plots: what they show, and that they look as they did.

`DEEPNMF_WRITE=1` writes the pictures that the others are compared with. Look at them.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import deepnmf
import numpy as np
import pandas as pd
import pytest
from deepnmf import (
    NMF,
    Dataset,
    DeepSemiNMF,
    LayerSelection,
    SemiNMF,
    layer_scores,
    plot_attributes,
    plot_components,
    plot_history,
    plot_layers,
    plot_selection,
)
from deepnmf._base import Factorization
from numpy.typing import NDArray
from sklearn.exceptions import NotFittedError

from .conftest import FACTORIZATIONS, needed, small

Matrix = NDArray[np.float64]

BASELINES = Path(__file__).parent / "baselines"
# Other versions of FreeType draw text in another way. Without its dashed line the history differs
# by 7 of 255 shades, with a line of another colour by 13.
MOST_DIFFERENT = 5.0


@pytest.fixture(autouse=True)
def plt() -> Iterator[Any]:
    """Give matplotlib with its usual settings, and no figures afterwards."""
    matplotlib = needed("matplotlib")
    matplotlib.use("Agg")
    pyplot = needed("matplotlib.pyplot")
    with pyplot.style.context("default"):
        yield pyplot
    pyplot.close("all")


@pytest.fixture(scope="module")
def deep(faces: Dataset) -> DeepSemiNMF:
    return DeepSemiNMF((16, 5), random_state=0).fit(faces.X)


@pytest.fixture(scope="module")
def counts() -> pd.DataFrame:
    rng = np.random.default_rng(5)
    table = rng.poisson(rng.gamma(0.5, size=(60, 4)) @ rng.gamma(0.5, size=(4, 20)) * 5)
    return pd.DataFrame(table, columns=[f"gene{i}" for i in range(20)])


@pytest.fixture(scope="module")
def search() -> LayerSelection:
    rng = np.random.default_rng(0)
    X = rng.random((120, 4)) ** 3 @ rng.random((4, 25)) ** 2
    X += 0.2 * X.std() * rng.random(X.shape)
    return LayerSelection(DeepSemiNMF(), [(1, 8), (1, 3)], random_state=0).fit(X)


def pixels(axes: Any) -> NDArray[np.uint8]:
    """Draw the figure of some axes."""
    figure = np.asarray(axes, dtype=object).ravel()[0].figure
    figure.set_dpi(60)
    figure.canvas.draw()
    drawn: NDArray[np.uint8] = np.asarray(figure.canvas.buffer_rgba())[:, :, :3].copy()
    return drawn


def compare(name: str, axes: Any, plt: Any) -> None:
    """Compare a figure with the picture of that name."""
    path = BASELINES / f"{name}.png"
    drawn = pixels(axes)
    if os.environ.get("DEEPNMF_WRITE"):
        BASELINES.mkdir(exist_ok=True)
        plt.imsave(path, drawn)
        return
    if tuple(int(part) for part in needed("matplotlib").__version__.split(".")[:2]) < (3, 10):
        pytest.skip("the pictures are of a newer matplotlib, which places text in another way")
    wanted = np.round(255 * plt.imread(path)[:, :, :3])
    assert drawn.shape == wanted.shape
    assert np.sqrt(np.square(drawn - wanted).mean()) < MOST_DIFFERENT


def test_plots_look_as_they_did(
    deep: DeepSemiNMF, faces: Dataset, counts: pd.DataFrame, search: LayerSelection, plt: Any
) -> None:
    shape = faces.image_shape
    labels = {name: faces.labels[name] for name in ("identity", "illumination")}
    scores = {"pose": [0.2, 0.75], "identity": [1.0, 0.5], "lamp": [0.0, 0.31]}
    shown: dict[str, Callable[[], Any]] = {
        "history": lambda: plot_history(NMF(6, random_state=0).fit(faces.X)),
        "loops": lambda: plot_history(
            deepnmf.MultilayerNMF((16, 5), random_state=0, max_iter=400).fit(faces.X)
        ),
        "signed-pictures": lambda: plot_components(deep, image_shape=shape),
        "pictures": lambda: plot_components(NMF(6, random_state=0).fit(faces.X), image_shape=shape),
        "bars": lambda: plot_components(NMF(4, random_state=0).fit(counts), top=5),
        "layers": lambda: plot_layers(deep, faces.X, labels),
        "selection": lambda: plot_selection(search),
        "attributes": lambda: plot_attributes(scores),
    }
    for name, plot in shown.items():
        compare(name, plot(), plt)


def test_lines_are_the_histories_of_the_loops(deep: DeepSemiNMF, plt: Any) -> None:
    ax: Any = plot_history(deep)
    lines = {line.get_label(): line for line in ax.lines if line.get_label()[0] != "_"}
    assert list(lines) == [*(run["stage"] for run in deep.runs_), "SVD bound"]
    for run in deep.runs_:
        np.testing.assert_array_equal(lines[run["stage"]].get_ydata(), run["history"])
    np.testing.assert_array_equal(lines["fine-tuning"].get_ydata(), deep.history_)
    assert set(lines["SVD bound"].get_ydata()) == {deep.svd_bound_}


@pytest.mark.parametrize("cls", FACTORIZATIONS, ids=lambda cls: cls.__name__)
def test_every_model_can_be_plotted(cls: type[Factorization], X: Matrix, y: Matrix) -> None:
    model = small(cls).fit(X, y)
    assert plot_history(model).get_ylabel() == "Error"
    assert len(plot_components(model)) == model.n_components_
    assert len(plot_components(model, image_shape="4x3")) == model.n_components_
    assert len(plot_layers(model, X, y)) == len(model.layers_)


def test_axes_are_logarithmic_where_numbers_differ_much(faces: Dataset) -> None:
    short = plot_history(SemiNMF(3, init="random", max_iter=5).fit(faces.X))
    assert (short.get_xscale(), short.get_yscale()) == ("linear", "linear")
    long = plot_history(deepnmf.MultilayerNMF((16, 4), max_iter=150, tol=0).fit(faces.X))
    assert (long.get_xscale(), long.get_yscale()) == ("symlog", "log")


def test_a_model_without_a_bound_has_no_line_for_it(X: Matrix) -> None:
    ax: Any = plot_history(SemiNMF(3, measure_bound=False).fit(X))
    assert len(ax.lines) == 2
    assert ax.get_legend() is None


def test_bars_are_the_top_features_of_a_component(counts: pd.DataFrame) -> None:
    model = SemiNMF(3, random_state=0).fit(counts - counts.mean())
    for ax, component in zip(plot_components(model, top=4), model.components_, strict=True):
        chosen = np.argsort(-np.abs(component))[:4]
        np.testing.assert_array_equal([bar.get_width() for bar in ax.patches], component[chosen])
        names = [tick.get_text() for tick in ax.get_yticklabels()]
        assert names == [f"gene{i}" for i in chosen]
        blue = {bar.get_facecolor() for bar in ax.patches if bar.get_width() > 0}
        orange = {bar.get_facecolor() for bar in ax.patches if bar.get_width() < 0}
        assert not blue & orange
    given = plot_components(model, feature_names=[f"no {i}" for i in range(20)])
    assert given[0].get_yticklabels()[0].get_text().startswith("no ")
    with pytest.raises(ValueError, match="feature_names has 1 names, but the components have 20"):
        plot_components(model, feature_names=["a"])


def test_pictures_are_the_components_of_any_layer(deep: DeepSemiNMF, faces: Dataset) -> None:
    for layer, count in ((1, 16), (2, 5), (-1, 5)):
        assert len(plot_components(deep, layer, image_shape=faces.image_shape)) == count
    first = plot_components(deep, 1, image_shape=(16, 16))[0].images[0]
    np.testing.assert_array_equal(first.get_array(), deep.weights_[0][:, 0].reshape(16, 16))
    low, high = first.get_clim()
    assert low == -high
    turned = plot_components(deep, 1, image_shape="16x16:column-major")[0].images[0]
    np.testing.assert_array_equal(turned.get_array(), first.get_array().T)


@pytest.mark.parametrize(
    ("shape", "words"),
    [((7, 9), "not as many pixels"), ("wide", "such as 32x32"), ((16,), "such as 32x32")],
)
def test_images_of_another_size_are_refused(shape: Any, words: str, deep: DeepSemiNMF) -> None:
    with pytest.raises(ValueError, match=words):
        plot_components(deep, image_shape=shape)


def test_maps_have_a_row_for_each_attribute(deep: DeepSemiNMF, faces: Dataset) -> None:
    assert plot_layers(deep, faces).shape == (2 * len(faces.labels),)
    without = plot_layers(deep, faces.X)
    assert [ax.get_title() for ax in without] == ["Layer 1: 16 components", "Layer 2: 5 components"]
    unknown = np.where(np.arange(len(faces.X)) % 2, faces.labels["pose"], -1)
    ax = plot_layers(deep, faces.X, unknown)[0]
    grey, known = (collection.get_offsets() for collection in ax.collections)
    assert len(grey) == (unknown == -1).sum()
    assert len(grey) + len(known) == len(faces.X)


def test_scores_are_those_of_k_means(deep: DeepSemiNMF, faces: Dataset) -> None:
    scores = layer_scores(deep, faces, score="nmi")
    assert set(scores) == set(faces.labels)
    pose = faces.labels["pose"]
    clusters = deepnmf.KMeans(3, random_state=0).fit(deep.transform(faces.X, layer=1)).labels_
    assert scores["pose"][0] == deepnmf.normalized_mutual_info(pose, clusters)
    title = plot_layers(deep, faces.X, pose)[0].get_title()
    accuracy = deepnmf.clustering_accuracy(pose, clusters)
    assert title == f"Layer 1: 16 components\naccuracy {accuracy:.2f}"
    # Whatever transform returns.
    framed = DeepSemiNMF((16, 5), random_state=0).set_output(transform="pandas").fit(faces.X)
    np.testing.assert_array_equal(layer_scores(framed, faces, score="nmi")["pose"], scores["pose"])


def test_the_table_has_the_scores_in_it(deep: DeepSemiNMF, faces: Dataset) -> None:
    ax: Any = plot_attributes(deep, faces, score="nmi")
    scores = np.column_stack(list(layer_scores(deep, faces, score="nmi").values()))
    np.testing.assert_array_equal(ax.images[0].get_array(), scores)
    assert [text.get_text() for text in ax.texts] == [f"{value:.2f}" for value in scores.ravel()]
    bold = [text.get_position() for text in ax.texts if text.get_fontweight() == "bold"]
    assert sorted(bold) == list(enumerate(scores.argmax(axis=0)))


def test_scores_without_sense_are_refused(deep: DeepSemiNMF, faces: Dataset) -> None:
    with pytest.raises(ValueError, match="give X and labels"):
        plot_attributes(deep)
    with pytest.raises(ValueError, match="there are no labels"):
        plot_attributes(deep, faces.X)
    with pytest.raises(ValueError, match="different numbers of layers"):
        plot_attributes({"a": [0.1, 0.2], "b": [0.1]})
    with pytest.raises(ValueError, match="score is 'best'"):
        layer_scores(deep, faces, score="best")  # type: ignore[arg-type]


def test_curves_of_a_search_are_marked_where_it_ended(search: LayerSelection) -> None:
    axes = plot_selection(search)
    assert axes.shape == (2 * len(search.curves_),)
    for place, (values, size) in enumerate(zip(("held_out", "stability"), (4, 4), strict=True)):
        curve: Any = search.curves_[0]
        line, dot = axes[place].lines[:2]
        np.testing.assert_array_equal(line.get_xdata(), curve["size"])
        np.testing.assert_array_equal(line.get_ydata(), curve[values])
        assert dot.get_xdata() == [size]
        assert dot.get_markerfacecolor() != "white"
    assert search.layers_ == (4,)  # the second layer is left out
    assert axes[2].lines[1].get_markerfacecolor() == "white"
    nothing = LayerSelection(layers=(1, 3), n_masks=2, random_state=0)
    nothing.fit(np.random.default_rng(1).random((80, 20)))
    assert "no structure" in plot_selection(nothing)[0].get_title(loc="left")


def test_plots_go_where_they_are_told(deep: DeepSemiNMF, faces: Dataset, plt: Any) -> None:
    figure, axes = plt.subplots(3, 2)
    assert plot_history(deep, ax=axes[0, 0]) is axes[0, 0]
    assert plot_attributes({"pose": [1.0]}, ax=axes[0, 1]) is axes[0, 1]
    assert list(plot_layers(deep, faces.X, ax=axes[1])) == list(axes[1])
    with pytest.raises(ValueError, match="ax has 2 axes, but the plot needs 5"):
        plot_components(deep, ax=axes[2])
    assert plt.get_fignums() == [figure.number]


def test_no_setting_of_matplotlib_changes(deep: DeepSemiNMF, faces: Dataset, plt: Any) -> None:
    before = dict(plt.rcParams)
    plot_history(deep)
    plot_components(deep)
    plot_layers(deep, faces)
    assert dict(plt.rcParams) == before


def test_what_is_not_fitted_cannot_be_plotted() -> None:
    for plot in (plot_history, plot_components):
        with pytest.raises(NotFittedError):
            plot(SemiNMF(3))
    with pytest.raises(NotFittedError):
        plot_selection(LayerSelection())


def test_matplotlib_is_imported_by_plots_alone() -> None:
    code = "import sys, deepnmf; print('matplotlib' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def test_without_matplotlib_an_error_says_what_to_install(
    deep: DeepSemiNMF, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(ImportError, match=r"pip install 'deepnmf\[plots\]'"):
        plot_history(deep)
