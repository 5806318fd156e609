"""Fits of single cells, written into AnnData."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import deepnmf
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from deepnmf import NMF, SemiNMF, sc
from deepnmf._base import Factorization
from numpy.typing import NDArray

from .conftest import needed

Matrix = NDArray[np.float64]

pytestmark = pytest.mark.usefixtures("old_strings")


@pytest.fixture(scope="module")
def programs() -> tuple[Matrix, Matrix]:
    """Give planted programs: how much of them is in each cell, and their genes."""
    rng = np.random.default_rng(3)
    usage = rng.gamma(0.3, size=(300, 3))
    genes = np.full((3, 24), 0.02)
    for program in range(3):
        genes[program, 8 * program : 8 * program + 8] = 1.0
    return usage, genes


@pytest.fixture
def cells(programs: tuple[Matrix, Matrix], old_strings: None) -> Any:
    usage, genes = programs
    counts = np.random.default_rng(4).poisson(4 * usage @ genes)
    found = needed("anndata").AnnData(sp.csr_matrix(counts.astype(np.float32)))
    found.var_names = [f"gene{i}" for i in range(24)]
    found.layers["log"] = found.X.log1p()
    found.layers["scaled"] = found.X.toarray() - found.X.toarray().mean(axis=0)
    return found


def model_of(cells: Any, *args: Any, **options: Any) -> Factorization:
    """Fit, and give the model."""
    sc.fit(cells, *args, **options)
    return sc.load(cells)


def test_the_values_decide_what_is_fitted(cells: Any) -> None:
    divergence = "kullback-leibler"
    for layer, sizes, kind, loss in (
        (None, 3, deepnmf.NMF, divergence),
        (None, (6, 3), deepnmf.MultilayerNMF, divergence),
        ("log", 3, deepnmf.NMF, "frobenius"),
        ("log", (6, 3), deepnmf.MultilayerNMF, "frobenius"),
        ("scaled", 3, deepnmf.SemiNMF, None),
        ("scaled", (6, 3), deepnmf.DeepSemiNMF, None),
    ):
        model = model_of(cells, sizes, layer=layer)
        assert type(model) is kind
        assert getattr(model, "beta_loss", None) == loss
        assert cells.uns["deepnmf"]["params"]["layer"] == (layer or "X")
        assert cells.uns["deepnmf"]["params"]["normalize"] == "none"


def test_planted_programs_are_found_with_their_genes(cells: Any) -> None:
    assert sc.fit(cells, 3) is None
    found = {frozenset(genes) for _, genes in sc.top_genes(cells, 8).items()}
    assert found == {frozenset(f"gene{8 * p + i}" for i in range(8)) for p in range(3)}
    table = sc.top_genes(cells, 2)
    assert list(table.columns) == [1, 2, 3]
    components = cells.varm["deepnmf_components"]
    assert list(table.iloc[0]) == [cells.var_names[i] for i in components.argmax(axis=0)]


def test_results_are_those_of_the_model(cells: Any) -> None:
    sc.fit(cells, 3, random_state=1, max_iter=30)
    model = NMF(3, beta_loss="kullback-leibler", random_state=1, max_iter=30).fit(cells)
    np.testing.assert_array_equal(cells.obsm["X_deepnmf"], model.transform(cells))
    np.testing.assert_array_equal(cells.varm["deepnmf_components"].T, model.components_)
    found = cells.uns["deepnmf"]
    assert found["reconstruction_err"] == model.reconstruction_err_
    assert found["version"] == deepnmf.__version__
    np.testing.assert_array_equal(found["history"], model.history_)
    np.testing.assert_array_equal(sc.load(cells).components_, model.components_)


def test_every_layer_of_a_deep_model_is_written(cells: Any) -> None:
    sc.fit(cells, (8, 5, 3), model="deep-semi-nmf", key_added="deep")
    shapes = {name: found.shape[1] for name, found in cells.obsm.items()}
    assert shapes == {"X_deep": 3, "X_deep_1": 8, "X_deep_2": 5, "X_deep_3": 3}
    np.testing.assert_array_equal(cells.obsm["X_deep"], cells.obsm["X_deep_3"])
    assert cells.varm["deep_components_2"].shape == (24, 5)
    assert sc.top_genes(cells, 4, key="deep", layer=1).shape == (4, 8)
    assert sc.top_genes(cells, 4, key="deep", layer=-2).shape == (4, 5)
    # A later fit of that name leaves nothing of this one.
    sc.fit(cells, 2, key_added="deep")
    assert set(cells.obsm) == {"X_deep"}
    assert set(cells.varm) == {"deep_components"}
    with pytest.raises(ValueError, match="the model has layers 1 to 1"):
        sc.top_genes(cells, key="deep", layer=2)


def test_genes_that_are_left_out_have_no_components(cells: Any) -> None:
    marked = np.arange(24) % 3 != 0
    cells.var["highly_variable"] = marked
    sc.fit(cells, 3)
    components = cells.varm["deepnmf_components"]
    assert np.isnan(components[~marked]).all()
    assert np.isfinite(components[marked]).all()
    model = sc.load(cells)
    assert list(model.feature_names_in_) == list(cells.var_names[marked])
    assert not set(sc.top_genes(cells, 24).to_numpy().ravel()) & set(cells.var_names[~marked])
    assert len(sc.top_genes(cells, 24)) == marked.sum()
    sc.fit(cells, 3, use_highly_variable=False)
    assert np.isfinite(cells.varm["deepnmf_components"]).all()


def test_a_copy_leaves_the_cells_as_they_are(cells: Any) -> None:
    copied: Any = sc.fit(cells, 3, copy=True)
    assert "X_deepnmf" in copied.obsm
    assert not cells.obsm
    assert not cells.varm
    assert "deepnmf" not in cells.uns


def test_given_models_are_fitted_as_they_are(cells: Any) -> None:
    estimator = SemiNMF(4, random_state=7, measure_bound=False)
    sc.fit(cells, model=estimator, normalize="none", max_iter=5)
    assert not hasattr(estimator, "n_iter_")
    assert estimator.max_iter == 1000
    same = SemiNMF(4, random_state=7, measure_bound=False, max_iter=5).fit(cells)
    np.testing.assert_array_equal(cells.varm["deepnmf_components"].T, same.components_)
    assert type(model_of(cells, 3, model="gnmf")) is deepnmf.GNMF


def test_totals_of_cells_are_made_equal_where_the_error_is_squared(cells: Any) -> None:
    sc.fit(cells, 3, model="nmf")
    params = cells.uns["deepnmf"]["params"]
    totals = np.asarray(cells.X.sum(axis=1)).ravel()
    assert params["normalize"] == "total"
    assert params["target"] == np.median(totals[totals > 0])
    scaled = cells.X.toarray() * (params["target"] / np.where(totals > 0, totals, 1))[:, None]
    same = NMF(3, random_state=0).fit(scaled)
    close = np.testing.assert_allclose
    close(cells.varm["deepnmf_components"].T, same.components_, rtol=1e-3, atol=1e-3)
    # The deep and the shallow cell have the same features.
    twice = cells.copy()
    twice.X = cells.X * 2
    sc.transform(twice, cells)
    close(twice.obsm["X_deepnmf"], cells.obsm["X_deepnmf"], rtol=1e-3, atol=1e-3)


def test_other_cells_get_the_features_of_the_model(cells: Any) -> None:
    sc.fit(cells, (6, 3), key_added="k")
    others = cells[:50, ::-1].copy()  # genes in another order
    del others.obsm, others.varm, others.uns
    assert sc.transform(others, cells, key="k") is None
    for name in ("X_k", "X_k_1", "X_k_2"):
        np.testing.assert_allclose(others.obsm[name], cells.obsm[name][:50], rtol=1e-4, atol=1e-5)
    with pytest.raises(ValueError, match="1 of 24 genes of the fit are not in adata, such as"):
        sc.transform(cells[:, 1:].copy(), cells, key="k")
    with pytest.raises(KeyError, match=r"run deepnmf\.sc\.fit before"):
        sc.transform(others, cells)


def test_results_survive_files(cells: Any, tmp_path: Path) -> None:
    sc.fit(cells, (6, 3))
    cells.write_h5ad(tmp_path / "cells.h5ad")
    read = needed("anndata").read_h5ad(tmp_path / "cells.h5ad")
    np.testing.assert_array_equal(read.obsm["X_deepnmf_1"], cells.obsm["X_deepnmf_1"])
    pd.testing.assert_frame_equal(sc.top_genes(read), sc.top_genes(cells))
    np.testing.assert_array_equal(sc.load(read).components_, sc.load(cells).components_)
    others = cells[:10].copy()
    sc.transform(others, read)
    np.testing.assert_array_equal(others.obsm["X_deepnmf"], cells.obsm["X_deepnmf"][:10])
    assert read.uns["deepnmf"]["version"] == deepnmf.__version__


def test_a_model_need_not_be_kept(cells: Any) -> None:
    sc.fit(cells, 3, keep_model=False)
    assert sc.top_genes(cells).shape == (10, 3)
    with pytest.raises(ValueError, match="keep_model=True"):
        sc.load(cells)


@pytest.mark.parametrize("sparse", [True, False])
def test_cells_in_a_file_are_learnt_in_batches(
    sparse: bool, programs: tuple[Matrix, Matrix], tmp_path: Path
) -> None:
    anndata = needed("anndata")
    usage, genes = programs
    order = np.argsort(usage.argmax(axis=1), kind="stable")  # sorted, as files often are
    counts = np.random.default_rng(4).poisson(4 * np.tile(usage[order], (4, 1)) @ genes)
    table = counts.astype(np.float32)
    whole = anndata.AnnData(sp.csr_matrix(table) if sparse else table)
    whole.write_h5ad(tmp_path / "cells.h5ad")
    backed = anndata.read_h5ad(tmp_path / "cells.h5ad", backed="r")
    sc.fit(backed, 3, batch_size=300)
    found = backed.uns["deepnmf"]
    assert found["model"] == "nmf"
    assert found["params"]["normalize"] == "total"
    assert len(found["batch_errors"]) == 3  # all but the first
    assert backed.obsm["X_deepnmf"].shape == (1200, 3)
    programs_found = {frozenset(names) for _, names in sc.top_genes(backed, 8).items()}
    assert programs_found == {frozenset(str(8 * p + i) for i in range(8)) for p in range(3)}
    # The error is that of all cells, and near that of a fit to all at once.
    sc.fit(whole, 3, model="nmf")
    at_once = whole.uns["deepnmf"]["reconstruction_err"]
    assert at_once * 0.999 < found["reconstruction_err"] < at_once * 1.1
    sc.transform(whole, backed)
    np.testing.assert_allclose(
        whole.obsm["X_deepnmf"], backed.obsm["X_deepnmf"], rtol=1e-3, atol=1e-3
    )
    sc.fit(backed, (6, 3))
    assert backed.uns["deepnmf"]["model"] == "deep-semi-nmf"
    for wrong in ("multilayer-nmf", NMF(3, beta_loss="kullback-leibler")):
        with pytest.raises(ValueError, match="a backed object is read in batches"):
            sc.fit(backed, 3, model=wrong)
    with pytest.raises(ValueError, match="cannot be copied"):
        sc.fit(backed, 3, copy=True)
    backed.file.close()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"layers": ()}, "the list of layers is empty"),
        ({"layers": (3, 0)}, "each of layers is 0"),
        ({"layers": (6, 3), "model": "nmf"}, "NMF has another number of layers"),
        ({"model": "pca"}, "model is 'pca': it must be an estimator or one of 'additive-semi-nmf'"),
        ({"layer": "none"}, "layer is 'none': it must name a layer of the data, which have 'log'"),
        ({"layer": "scaled", "model": "nmf"}, "NMF takes no negative values"),
        ({"use_highly_variable": True}, "no column 'highly_variable'"),
        ({"normalize": "log"}, "normalize is 'log'"),
        ({"n_jobs": 0}, "n_jobs is 0"),
    ],
)
def test_what_cannot_be_fitted_is_told(options: dict[str, Any], words: str, cells: Any) -> None:
    with pytest.raises(ValueError) as told:  # noqa: PT011, the words are checked
        sc.fit(cells, **options)
    assert words in str(told.value)
    assert not cells.obsm


def test_no_marked_gene_is_an_error(cells: Any) -> None:
    cells.var["highly_variable"] = False
    with pytest.raises(ValueError, match="no gene is marked"):
        sc.fit(cells, 3)


def test_other_objects_are_refused(programs: tuple[Matrix, Matrix]) -> None:
    for call in (sc.fit, sc.top_genes, sc.load):
        with pytest.raises(TypeError, match="must be an AnnData object"):
            call(programs[0])  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="no_such_parameter"):
        sc.fit(needed("anndata").AnnData(programs[0]), 2, no_such_parameter=1)


def test_scanpy_takes_the_features(cells: Any) -> None:
    scanpy = needed("scanpy")
    needed("matplotlib").use("Agg")
    sc.fit(cells, 3)
    scanpy.pp.neighbors(cells, use_rep="X_deepnmf", n_neighbors=8)
    assert "connectivities" in cells.obsp
    cells.obsm["X_plane"] = cells.obsm["X_deepnmf"][:, :2]
    axes = sc.plot_programs(cells, "plane")
    assert [ax.get_title() for ax in axes] == ["Component 1", "Component 2", "Component 3"]
    one = sc.plot_programs(cells, "X_plane", components=[2], cmap="magma")
    assert one.get_title() == "Component 2"
    assert one.collections[0].get_cmap().name == "magma"
    np.testing.assert_allclose(
        np.sort(one.collections[0].get_array()), np.sort(cells.obsm["X_deepnmf"][:, 1])
    )
    assert not [name for name in cells.obs if "Component" in str(name)]
    with pytest.raises(ValueError, match="it must name a map in obsm"):
        sc.plot_programs(cells, "umap")
    with pytest.raises(ValueError, match="there are 3 components"):
        sc.plot_programs(cells, "plane", components=[4])
    needed("matplotlib.pyplot").close("all")


def test_without_scanpy_an_error_says_what_to_install(
    cells: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    sc.fit(cells, 3)
    monkeypatch.setitem(sys.modules, "scanpy", None)
    with pytest.raises(ImportError, match=r"pip install 'deepnmf\[single-cell\]'"):
        sc.plot_programs(cells)


def test_neither_anndata_nor_scanpy_is_imported_before() -> None:
    code = "import sys, deepnmf.sc; print('anndata' in sys.modules, 'scanpy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False False\n"
