# %% [markdown]
# # From scikit-learn's NMF to deepnmf in five minutes
#
# Estimators have the same methods and the same names for the same things. This page shows the
# differences.

# %%
import time

import deepnmf
import matplotlib.pyplot as plt
import numpy as np
from sklearn import decomposition
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Normalizer

X = deepnmf.load_faces(identities=12).X

# %% [markdown]
# ## The same call

# %%
theirs = decomposition.NMF(16, init="nndsvda", max_iter=1000, random_state=0).fit(X)
ours = deepnmf.NMF(16, random_state=0).fit(X)
print(f"scikit-learn {theirs.reconstruction_err_:.3f} after {theirs.n_iter_} iterations")
print(f"deepnmf      {ours.reconstruction_err_:.3f} after {ours.n_iter_} iterations")
print(f"no linear model of 16 components is below {ours.svd_bound_:.3f}")

# %% [markdown]
# `components_`, `transform`, `inverse_transform`, `reconstruction_err_`, `n_iter_`, pipelines, grid
# searches and `set_output` are as usual. New are `svd_bound_`, `history_` (the error after each
# iteration), `stop_reason_` and `features_` (the features of the last iteration).
#
# `fit_transform(X)` *is* `fit(X).transform(X)`, bit for bit:

# %%
print(np.array_equal(deepnmf.NMF(16, random_state=0).fit_transform(X), ours.transform(X)))

# %% [markdown]
# ## Data of any sign: Semi-NMF
#
# NMF refuses negative numbers. Semi-NMF accepts them; only its features are non-negative. For
# non-negative data its best solution is known in closed form. This is the default initialization,
# so Semi-NMF reaches the bound at once.

# %%
semi = deepnmf.SemiNMF(16, random_state=0).fit(X)
print(f"{semi.reconstruction_err_:.3f} after {semi.n_iter_} iteration")
centred = X - X.mean(axis=0)
mixed = deepnmf.SemiNMF(16, tol=1e-4, random_state=0).fit(centred)
print(
    f"{mixed.reconstruction_err_:.3f} if the data are centred, the bound is {mixed.svd_bound_:.3f}"
)

# %% [markdown]
# ## Layers
#
# `layers` takes the place of `n_components`. With a nonlinearity between the layers the error can
# fall below that of any linear model of the same rank. It needs iterations: on these data the error
# first stays near the linear bound, where a `tol` of 1e-4 would end the fit.

# %%
relu = deepnmf.DeepSemiNMF((64, 16), activation="relu", max_iter=100, tol=0, random_state=0).fit(X)
print(f"{relu.reconstruction_err_:.3f}; the linear bound is {relu.svd_bound_:.3f}")
print(relu.transform(X[:5], layer=1).shape, relu.transform(X[:5]).shape)

figure, axis = plt.subplots(figsize=(5, 2.6))
axis.plot(ours.history_, label="NMF")
axis.plot(relu.history_, label="ReLU, layers 64-16")
axis.axhline(semi.svd_bound_, color="gray", linestyle="--", label="linear bound")
axis.set(xlabel="iteration", ylabel="error", xlim=(0, 100), ylim=(40, 60))
axis.legend()
figure.tight_layout()

# %% [markdown]
# ## Grid search, callbacks and interruption
#
# `score` is minus the mean squared error, so a grid search needs no scorer. A callback that returns
# True ends a fit. So does Ctrl-C. The estimator keeps the best factors so far.

# %%
pipeline = make_pipeline(Normalizer(), deepnmf.SemiNMF(random_state=0))
search = GridSearchCV(pipeline, {"seminmf__n_components": [4, 8, 16]}, cv=3).fit(X)
print(search.best_params_)

began = time.monotonic()
patient = deepnmf.NMF(
    16, tol=0, random_state=0, callback=lambda now: time.monotonic() - began > 0.2
).fit(X)
print(patient.stop_reason_)

# %% [markdown]
# ## Counts, sparse data and penalties
#
# SciPy's sparse arrays are read where they stand. The Kullback-Leibler divergence is minimized by
# coordinate descent, which takes far fewer iterations than the multiplicative rule. Penalties have
# the same names and meaning, so the same numbers can be kept. (Two programs may end in different
# minima.)

# %%
counts = np.random.default_rng(0).poisson(3 * X / X.max())
theirs = decomposition.NMF(
    8, solver="mu", beta_loss="kullback-leibler", init="nndsvda", max_iter=1000, random_state=0
).fit(counts)
ours = deepnmf.NMF(8, beta_loss="kullback-leibler", random_state=0).fit(counts)
print(f"scikit-learn {theirs.reconstruction_err_:.2f} after {theirs.n_iter_} iterations")
print(f"deepnmf      {ours.reconstruction_err_:.2f} after {ours.n_iter_} iterations")

penalties = {"alpha_W": 0.001, "alpha_H": 0.001, "l1_ratio": 0.5}


def objective(W, H):
    """Compute what both minimize, as the documentation of scikit-learn has it."""
    error = 0.5 * ((X - W @ H) ** 2).sum()
    l1 = X.shape[1] * W.sum() + X.shape[0] * H.sum()
    l2 = X.shape[1] * (W**2).sum() + X.shape[0] * (H**2).sum()
    return error + 0.001 * (0.5 * l1 + 0.25 * l2)


for module in (decomposition, deepnmf):
    model = module.NMF(16, init="nndsvda", max_iter=1000, random_state=0, **penalties).fit(X)
    W = model.transform(X)
    zeros = (W == 0).mean()
    print(f"{module.__name__:22} {objective(W, model.components_):.1f}, {zeros:.0%} of W zero")

# %% [markdown]
# [Every parameter of scikit-learn's NMF](nmf_parameters.md) and what it is here.
