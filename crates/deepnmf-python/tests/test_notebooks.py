"""What notebooks show of a model, and callbacks of scikit-learn."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from typing import Any

import numpy as np
import pytest
import sklearn
from deepnmf import NMF, DeepSemiNMF, SemiNMF
from deepnmf._base import Factorization
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler
from sklearn.utils import estimator_html_repr

from .conftest import FACTORIZATIONS, needed, small

Matrix = NDArray[np.float64]


def picture(model: Any) -> str:
    """Give the picture of the layers; empty if there is none."""
    html = model._repr_html_()
    found = html.partition('<svg class="deepnmf-layers"')
    assert model._repr_mimebundle_()["text/html"].count('class="deepnmf-layers"') == bool(found[1])
    return f"{found[1]}{found[2].partition('</svg>')[0]}</svg>" if found[1] else ""


@pytest.mark.parametrize("cls", FACTORIZATIONS, ids=lambda cls: cls.__name__)
def test_a_fitted_model_shows_its_layers(cls: type[Factorization], X: Matrix, y: Matrix) -> None:
    model: Any = small(cls)
    assert picture(model) == ""
    svg = ET.fromstring(picture(model.fit(X, y)))
    texts = [element.text or "" for element in svg.iter() if element.tag.endswith("text")]
    assert texts[:-1:2] == [str(size) for size in (12, *model.layers_)]
    assert texts[1] == "features"
    assert texts[-1].startswith(f"error {model.reconstruction_err_:.4g}")
    assert ("SVD bound" in texts[-1]) == (model.svd_bound_ is not None)
    # Scikit-learn's own diagram is there, too, and alone where it is asked for.
    assert estimator_html_repr(model).count("deepnmf-layers") == 0
    assert "sk-top-container" in model._repr_html_()


def test_errors_are_set_beside_the_bound(X: Matrix) -> None:
    assert "gap 0.0%" in picture(SemiNMF(3).fit(X))
    model = NMF(3).fit(X)
    assert model.svd_bound_ is not None
    gap = model.reconstruction_err_ / model.svd_bound_ - 1
    assert f"gap {gap:.1%}" in picture(model)
    assert "bound" not in picture(SemiNMF(3, measure_bound=False).fit(X))


def test_a_pipeline_shows_what_it_always_does(X: Matrix) -> None:
    pipeline: Any = make_pipeline(MinMaxScaler(), NMF(3)).fit(X)
    assert "NMF" in pipeline._repr_html_()
    assert "deepnmf-layers" not in pipeline._repr_html_()


def test_text_is_shown_where_no_diagram_is_wanted(X: Matrix) -> None:
    model = NMF(3).fit(X)
    with sklearn.config_context(display="text"):
        assert not hasattr(model, "_repr_html_")
        assert list(model._repr_mimebundle_()) == ["text/plain"]


class Recorder:
    """A callback of scikit-learn that remembers what it is told."""

    def __init__(self, last: int | None = None) -> None:
        self.begun: list[tuple[str, int | None]] = []
        self.ended: list[str] = []
        self.around: list[str] = []
        self.last = last
        self.fitted: Any = None

    def setup(self, estimator: Any, context: Any) -> None:
        self.around.append("setup")

    def teardown(self, estimator: Any, context: Any) -> None:
        self.around.append("teardown")

    def on_fit_task_begin(self, estimator: Any, context: Any) -> None:
        self.begun.append((context.task_name, context.max_subtasks))

    def on_fit_task_end(
        self, estimator: Any, context: Any, *, X: Any = None, fitted_estimator: Any = None
    ) -> bool:
        assert X is not None
        self.ended.append(context.task_name)
        self.fitted = fitted_estimator
        return self.ended.count("iteration") == self.last


@pytest.fixture
def callbacks() -> Any:
    """Give the callbacks of scikit-learn, which versions before 1.9 lack."""
    if tuple(int(part) for part in sklearn.__version__.split(".")[:2]) < (1, 9):
        pytest.skip("callbacks came with scikit-learn 1.9")
    return needed("sklearn.callback")


@pytest.mark.usefixtures("callbacks")
def test_callbacks_are_told_of_every_loop_and_iteration(X: Matrix) -> None:
    recorder = Recorder()
    model: Any = DeepSemiNMF((6, 3), max_iter=7, random_state=0)
    model.set_callbacks(recorder).fit(X)
    loops = [run["stage"] for run in model.runs_]
    assert [name for name, _ in recorder.begun if name not in ("fit", "iteration")] == loops
    assert recorder.begun[0] == ("fit", None)
    assert recorder.ended.count("iteration") == sum(run["iterations"] for run in model.runs_)
    assert sorted(recorder.ended) == sorted(name for name, _ in recorder.begun)
    assert recorder.ended[-1] == "fit"
    assert recorder.around == ["setup", "teardown"]
    np.testing.assert_array_equal(recorder.fitted.components_, model.components_)
    plain = DeepSemiNMF((6, 3), max_iter=7, random_state=0).fit(X)
    np.testing.assert_array_equal(plain.components_, model.components_)


@pytest.mark.usefixtures("callbacks")
def test_a_callback_of_scikit_learn_ends_a_fit(X: Matrix) -> None:
    model: Any = SemiNMF(3, init="random", tol=0, random_state=0)
    recorder = Recorder(last=5)
    model.set_callbacks(recorder).fit(X)
    assert model.n_iter_ == 5
    assert model.stop_reason_ == "cancelled"
    # A fit that fails takes the callback down as well, and a copy has it, too.
    with pytest.raises(ValueError, match="NaN"):
        model.fit(np.where(X > 0.5, np.nan, X))
    assert recorder.around == ["setup", "teardown"] * 2
    again: Any = clone(model)
    again.fit(X)
    assert recorder.around == ["setup", "teardown"] * 3


def test_the_progress_bar_of_scikit_learn_works(
    callbacks: Any, X: Matrix, capsys: pytest.CaptureFixture[str]
) -> None:
    needed("rich")
    model: Any = DeepSemiNMF((6, 3), random_state=0)
    model.set_callbacks(callbacks.ProgressBar()).fit(X)
    shown = capsys.readouterr()
    assert "DeepSemiNMF - fine-tuning" in shown.out + shown.err


def test_older_versions_have_no_callbacks() -> None:
    is_new = tuple(int(part) for part in sklearn.__version__.split(".")[:2]) >= (1, 9)
    assert hasattr(NMF, "set_callbacks") == is_new
