# %% [markdown]
# # Gene programs of cells
#
# Counts of genes in single cells are sparse, too. NMF takes them as programs: sets of genes that
# are active together. A cell of one type can run a program that cells of other types run as well,
# such as division; clusters of cells cannot show that, programs can.

# %%
import matplotlib.pyplot as plt
import numpy as np
import scipy.sparse as sp
from deepnmf import NMF
from scipy.optimize import linear_sum_assignment

# %% [markdown]
# These cells are drawn: four types, each with a program of its own, and two programs that cells of
# any type can run. Cells differ in depth, genes in how much there is of them.

# %%
rng = np.random.default_rng(0)
N_CELLS, N_GENES = 3000, 1000
PROGRAMS = ["type A", "type B", "type C", "type D", "division", "stress"]
programs = rng.gamma(0.15, size=(6, N_GENES)) * rng.lognormal(sigma=1, size=N_GENES)
programs /= programs.sum(axis=1, keepdims=True)
types = rng.integers(4, size=N_CELLS)
usage = np.zeros((N_CELLS, 6))
usage[np.arange(N_CELLS), types] = 1
for program, share in ((4, 0.3), (5, 0.2)):
    runs = rng.random(N_CELLS) < share
    usage[runs, program] = rng.uniform(0.2, 1.0, runs.sum())
depth = rng.lognormal(np.log(100), 0.4, N_CELLS)
rates = depth[:, None] * (usage / usage.sum(axis=1, keepdims=True)) @ programs
X = sp.csr_array(rng.poisson(rates).astype(np.float64))
print(f"{X.nnz / np.prod(X.shape):.0%} of the counts are not zero")


# %% [markdown]
# ## Programs
#
# The Kullback-Leibler divergence suits counts as they are. It is compared here with the squared
# error, by the correlation of what is found with what was drawn.


# %%
def compare(model):
    """Match components with the drawn programs and return correlations of genes and usage."""
    components = model.components_ / model.components_.sum(axis=1, keepdims=True)
    features = model.transform(X) * model.components_.sum(axis=1)
    shares = features / features.sum(axis=1, keepdims=True)
    true = usage / usage.sum(axis=1, keepdims=True)
    genes = np.corrcoef(programs, components)[:6, 6:]
    rows, order = linear_sum_assignment(-genes)
    used = np.corrcoef(true.T, shares.T)[:6, 6:]
    return genes[rows, order], used[rows, order], shares[:, order]


found = {
    "Kullback-Leibler": NMF(6, beta_loss="kullback-leibler", random_state=0).fit(X),
    "squared error": NMF(6, random_state=0).fit(X),
}
print(" " * 18, *(f"{name:>9}" for name in PROGRAMS))
for name, model in found.items():
    genes, used, shares = compare(model)
    print(f"{name:18}", *(f"{value:9.2f}" for value in genes), " genes")
    print(f"{'':18}", *(f"{value:9.2f}" for value in used), " usage")

# %%
shares = compare(found["Kullback-Leibler"])[2]
order = np.lexsort((usage[:, 5], usage[:, 4], types))
figure, axes = plt.subplots(2, 1, figsize=(6, 3.4), sharex=True)
for axis, values, title in (
    (axes[0], usage / usage.sum(axis=1, keepdims=True), "drawn"),
    (axes[1], shares, "found"),
):
    axis.imshow(values[order].T, aspect="auto", cmap="magma", interpolation="nearest")
    axis.set_yticks(range(6), PROGRAMS)
    axis.set_title(title, fontsize=9)
axes[1].set_xlabel("cells, by type")
figure.tight_layout()

# %% [markdown]
# ## With AnnData and scanpy
#
# Estimators take AnnData objects as they are, sparse or not, and write results into them:
#
# ```python
# adata = anndata.read_h5ad("cells.h5ad")
# model = NMF(20, beta_loss="kullback-leibler", random_state=0).fit(adata, layers="counts")
# model.annotate(adata, layers="counts")  # obsm["X_nmf"], varm["nmf"], uns["nmf"]
# scanpy.pp.neighbors(adata, use_rep="X_nmf")
# model.report(adata, "programs.html")  # programs by their genes, and the cells that run them
# ```
#
# `deepnmf fit cells.h5ad --data-key layers/counts --model nmf --divergence kl --normalize none
# --layers 20` is the same at the terminal. Folders of 10x Genomics and Matrix Market files are
# read, too.
