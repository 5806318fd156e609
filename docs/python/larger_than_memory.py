# %% [markdown]
# # Data larger than memory, and streams
#
# `partial_fit` learns from one batch of samples after another, so nobody needs all of them at a
# time. The program does the same with a file: `deepnmf fit X.npy --memory 1GB`, and with `--batch
# 5000` in few passes.

# %%
import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from deepnmf import NMF

# %% [markdown]
# A file of samples, none of which are in memory: NumPy maps it. Chunks of `AnnData` in backed mode
# are batches as well, and so are blocks of a Dask array:
#
# ```python
# cells = anndata.read_h5ad("cells.h5ad", backed="r")
# for chunk, _, _ in cells.chunked_X(5000):
#     model.partial_fit(chunk)
#
# for block in dask_array.blocks:  # a block of rows at a time
#     model.partial_fit(block.compute())
# ```

# %%
rng = np.random.default_rng(0)
N_SAMPLES, N_FEATURES, BATCH = 50_000, 200, 1000
basis = rng.gamma(0.4, size=(8, N_FEATURES))
path = Path(tempfile.mkdtemp()) / "X.npy"
X = np.lib.format.open_memmap(path, mode="w+", dtype=np.float32, shape=(N_SAMPLES, N_FEATURES))
for start in range(0, N_SAMPLES, BATCH):
    usage = rng.gamma(0.3, size=(BATCH, 8))
    X[start : start + BATCH] = usage @ basis + 0.2 * rng.random((BATCH, N_FEATURES))
X = np.load(path, mmap_mode="r")

# %% [markdown]
# One pass. Before it learns from a batch, the model tells what error its components have for it:
# an error of samples that it has never seen.

# %%
model = NMF(8, random_state=0)
for start in range(0, N_SAMPLES, BATCH):
    model.partial_fit(X[start : start + BATCH])
norm = np.linalg.norm(X[:BATCH])
plt.figure(figsize=(6, 3))
plt.plot(np.arange(1, N_SAMPLES // BATCH), np.array(model.batch_errors_) / norm)
plt.xlabel("batch")
plt.ylabel("error before learning,\nrelative to the norm")
plt.tight_layout()

# %% [markdown]
# Beside a fit to all samples at once:

# %%
whole = NMF(8, random_state=0).fit(X)
print(f"one pass in batches: mean squared error {-model.score(X):.6f}")
print(f"fit to all samples:  mean squared error {-whole.score(X):.6f}")
