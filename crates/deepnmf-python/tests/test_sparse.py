"""Sparse samples, in every format of SciPy, and AnnData."""

from __future__ import annotations

import importlib
import importlib.util
import pickle
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import deepnmf
import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp
from deepnmf import NMF, WSF, MultilayerNMF, SemiNMF, load_data, svd_bound
from deepnmf._base import Factorization
from numpy.typing import NDArray

from .conftest import FACTORIZATIONS, LABELLED, small

Matrix = NDArray[np.float64]
Labels = NDArray[np.int64]

FORMATS = ["csr", "csc", "coo", "bsr", "dia", "lil", "dok"]

each = pytest.mark.parametrize("cls", FACTORIZATIONS, ids=lambda cls: cls.__name__)


@pytest.fixture(scope="module")
def counts() -> Matrix:
    """Counts of which two thirds are zero; no sample is without any."""
    rng = np.random.default_rng(3)
    found = np.where(rng.random((60, 12)) < 0.35, rng.integers(1, 9, (60, 12)), 0.0)
    found[:, 0] += 1
    return found


def close(a: Any, b: Any) -> None:
    np.testing.assert_allclose(a, b, rtol=0, atol=1e-7 * max(1.0, float(np.abs(b).max())))


@each
def test_sparse_samples_give_what_dense_ones_give(
    cls: type[Factorization], counts: Matrix, y: Labels
) -> None:
    dense = small(cls, **few(cls)).fit(counts, y)
    for kind in (sp.csr_array, sp.csc_array, sp.csr_matrix, sp.csc_matrix):
        sparse: Any = kind(counts)
        model = small(cls, **few(cls)).fit(sparse, y)
        close(model.components_, dense.components_)
        close(model.transform(sparse), dense.transform(counts))
        close(model.score(sparse), dense.score(counts))
        assert model.n_features_in_ == 12


def few(cls: type[Factorization]) -> dict[str, Any]:
    """Few iterations: sums in another order must not have time to drift apart."""
    params = cls().get_params()
    return {name: 5 for name in ("max_iter",) if name in params}


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("kind", ["array", "matrix"])
def test_every_format_is_taken(form: str, kind: str, counts: Matrix) -> None:
    sparse = getattr(sp, f"{form}_{kind}")(counts)
    model = SemiNMF(3, random_state=0).fit(sparse)
    close(model.components_, SemiNMF(3, random_state=0).fit(counts).components_)
    close(model.transform(sparse), model.transform(counts))


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32, bool])
def test_numbers_keep_their_type_where_they_are_floating_point(dtype: Any, counts: Matrix) -> None:
    sparse: Any = sp.csr_array(counts.astype(dtype))
    features = NMF(3, random_state=0).fit_transform(sparse)
    assert features.dtype == (np.float32 if dtype is np.float32 else np.float64)


def test_unsorted_and_duplicate_indices_and_zeros_are_taken_without_changing_them() -> None:
    data = np.array([2.0, 1.0, 3.0, 0.0, 4.0])
    indices, indptr = np.array([2, 0, 2, 1, 1]), np.array([0, 3, 5])
    messy = sp.csr_array((data, indices, indptr), shape=(2, 3))
    dense = np.array([[1.0, 0.0, 5.0], [0.0, 4.0, 0.0]])
    model = SemiNMF(2, random_state=0).fit(messy)
    close(model.transform(messy), model.transform(dense))
    np.testing.assert_array_equal(messy.indices, [2, 0, 2, 1, 1])
    np.testing.assert_array_equal(messy.data, [2.0, 1.0, 3.0, 0.0, 4.0])


def test_indices_of_64_bits_and_memory_with_gaps_are_taken(counts: Matrix) -> None:
    sparse = sp.csr_array(counts)
    wide = sp.csr_array(counts)
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    gaps = sp.csr_array(counts)
    gaps.data = np.repeat(gaps.data, 2)[::2]
    model = NMF(3, random_state=0).fit(sparse)
    for other in (wide, gaps):
        np.testing.assert_array_equal(model.transform(other), model.transform(sparse))


def test_arrays_that_lie_are_refused(counts: Matrix) -> None:
    model = NMF(3, random_state=0)
    outside = sp.csr_array(counts)
    outside.indices[4] = 12
    with pytest.raises(ValueError, match="must be below 12"):
        model.fit(outside)
    falling = sp.csr_array(counts)
    falling.indptr[3] = falling.indptr[4] + 1
    with pytest.raises(ValueError, match="the bound behind sample"):
        model.fit(falling)
    missing = counts.copy()
    missing[1, 0] = np.nan
    with pytest.raises(ValueError, match=r"X\[1, 0\] is NaN"):
        model.fit(sp.csr_array(missing))
    with pytest.raises(ValueError, match="non-negative"):
        model.fit(sp.csr_array(-counts))
    foreign: Any = sp.csr_array(counts)
    with pytest.raises(TypeError, match="dense data is required"):
        deepnmf.KMeans(3).fit(foreign)


@pytest.mark.parametrize("cls", LABELLED, ids=lambda cls: cls.__name__)
def test_predictions_of_sparse_samples_are_those_of_dense(
    cls: type[Any], counts: Matrix, y: Labels
) -> None:
    model: Any = small(cls).fit(sp.csr_array(counts), y)
    if not hasattr(model, "predict"):
        return
    sparse = sp.csc_array(counts)
    np.testing.assert_array_equal(model.predict(sparse), model.predict(counts))
    assert model.score(sparse, y) == model.score(counts, y)


def test_a_report_of_sparse_samples_is_written(counts: Matrix, y: Labels, tmp_path: Path) -> None:
    model = WSF(3, random_state=0).fit(sp.csr_array(counts), y)
    page = model.report(sp.csr_array(counts), tmp_path / "r.html", labels={"kind": y}, samples=20)
    assert page.stat().st_size > 10_000
    assert "AnnData" not in page.read_text()


def test_the_bound_of_sparse_samples_is_that_of_dense(counts: Matrix) -> None:
    assert svd_bound(sp.csr_array(counts), 3) == pytest.approx(svd_bound(counts, 3), rel=1e-9)


def test_samples_that_are_zero_may_be_kept(counts: Matrix) -> None:
    model = NMF(3, random_state=0).fit(sp.csr_array(counts))
    some = counts.copy()
    some[5] = 0.0
    features = model.transform(sp.csr_array(some), zero_samples="keep")
    close(features, model.transform(some, zero_samples="keep"))
    assert not features[5].any()
    np.testing.assert_array_equal(
        pickle.loads(pickle.dumps(model)).transform(sp.csr_array(some)),
        model.transform(sp.csr_array(some)),
    )


def annotated(X: Any, names: list[str] | None = None, **layers: Any) -> Any:
    """AnnData where it is installed (beside the oldest versions), else what it has of use here."""
    names = names or [f"g{i}" for i in range(X.shape[1])]
    cells = [f"c{i}" for i in range(X.shape[0])]
    if importlib.util.find_spec("anndata"):
        anndata = importlib.import_module("anndata")
        found = anndata.AnnData(X, layers=layers)
        found.obs_names, found.var_names = cells, names
        return found
    return SimpleNamespace(
        X=X, layers=layers, obs_names=cells, var_names=names, obsm={}, varm={}, uns={}
    )


@pytest.mark.usefixtures("old_strings")
@pytest.mark.parametrize("layer", [1, -1])
def test_results_are_written_into_annotated_data(
    counts: Matrix, tmp_path: Path, layer: int
) -> None:
    data = annotated(sp.csr_matrix(counts))
    model = MultilayerNMF((4, 3), random_state=0).fit(data)
    model.annotate(data, layer=layer)
    model.annotate(data, key="programs")
    features = model.transform(data, layer=layer)
    np.testing.assert_array_equal(data.obsm["X_multilayer_nmf"], features)
    close(data.varm["multilayer_nmf"].shape, (12, features.shape[1]))
    np.testing.assert_array_equal(data.varm["programs"].T, model.components_)
    assert data.uns["programs"]["reconstruction_err"] == model.reconstruction_err_
    # Frames are for transform alone.
    model.set_output(transform="pandas").annotate(data)
    assert isinstance(data.obsm["X_multilayer_nmf"], np.ndarray)
    if hasattr(data, "write_h5ad"):
        data.write_h5ad(tmp_path / "annotated.h5ad")
        read = importlib.import_module("anndata").read_h5ad(tmp_path / "annotated.h5ad")
        np.testing.assert_array_equal(read.obsm["X_programs"], data.obsm["X_programs"])
        found = load_data(tmp_path / "annotated.h5ad")
        np.testing.assert_array_equal(found.X.toarray(), counts)
    with pytest.raises(TypeError, match="must be an AnnData object"):
        model.annotate(counts)  # type: ignore[arg-type]


def test_annotated_data_give_their_table_and_names(counts: Matrix, tmp_path: Path) -> None:
    data = annotated(sp.csr_matrix(counts), raw_counts=sp.csr_matrix(2 * counts))
    model = NMF(3, random_state=0).fit(data)
    assert list(model.feature_names_in_) == [f"g{i}" for i in range(12)]
    close(model.transform(data), model.transform(annotated(counts)))
    doubled = model.transform(data, layers="raw_counts")
    close(doubled, 2 * model.transform(data))
    close(NMF(3, random_state=0).fit_transform(data, layers="raw_counts").sum() > 0, True)
    assert model.score(data) == pytest.approx(model.score(annotated(counts)))
    page = model.report(data, tmp_path / "r.html", samples=10)
    assert "c3" in page.read_text()


def test_annotated_data_that_do_not_fit_are_refused(counts: Matrix) -> None:
    data = annotated(counts, spliced=counts)
    model = NMF(3, random_state=0).fit(data)
    other = [f"g{i}" for i in range(11)] + ["other"]
    with pytest.raises(ValueError, match="feature 11 is 'other'"):
        model.transform(annotated(counts, other))
    with pytest.raises(ValueError, match="X has 11 features"):
        model.transform(annotated(counts[:, :11]))
    with pytest.raises(ValueError, match=r"layers is 'no': .* have 'spliced'"):
        model.transform(data, layers="no")
    with pytest.raises(ValueError, match="only AnnData has layers"):
        model.transform(counts, layers="spliced")
    nothing: Any = SimpleNamespace(X=None, layers={}, obs_names=[], var_names=[])
    with pytest.raises(ValueError, match="has no X"):
        model.transform(nothing)


@pytest.mark.parametrize("kind", [sp.csr_array, sp.csc_array])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_sparse_files_are_read_as_sparse_arrays(
    counts: Matrix, tmp_path: Path, kind: Any, dtype: Any
) -> None:
    sp.save_npz(tmp_path / "x.npz", kind(counts))
    found = load_data(tmp_path / "x.npz", dtype=dtype).X
    assert sp.issparse(found)
    assert found.format == kind(counts).format
    assert found.dtype == dtype
    assert found.indices.dtype == np.int32
    np.testing.assert_array_equal(found.toarray(), counts)
    scipy.io.mmwrite(tmp_path / "x.mtx", sp.coo_matrix(counts))
    assert sp.issparse(load_data(tmp_path / "x.mtx").X)
    page = (
        NMF(3, random_state=0)
        .fit(found)
        .report(load_data(tmp_path / "x.npz", dtype=dtype), tmp_path / "r.html")
    )
    assert "Topics" in page.read_text()
