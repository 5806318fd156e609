# %% [markdown]
# # Clustering faces
#
# A photograph of a face shows who it is, where the head points, how the mouth moves and where the
# light comes from. Which of these does a factorization find? The built-in faces have labels for all
# four.

# %%
import matplotlib.pyplot as plt
from deepnmf import (
    KMeans,
    SemiNMF,
    WhitenedPCA,
    clustering_accuracy,
    igo,
    load_faces,
)

faces = load_faces(identities=12, noise=0.05)
print(faces.images.shape, {name: len(set(labels)) for name, labels in faces.labels.items()})

# %%
figure, axes = plt.subplots(2, 9, figsize=(9, 2.2))
for axis, image in zip(axes.flat, faces.images[::30], strict=False):
    axis.imshow(image, cmap="gray", vmin=0, vmax=1)
    axis.axis("off")

# %% [markdown]
# ## Pixels, or the direction of their gradients
#
# Light changes most pixels of an image, but it changes the *orientation* of the gradients less.
# `igo` computes these orientations, as the paper does. The error of Semi-NMF equals the bound: no
# linear model of this rank has a smaller one.

# %%
oriented = igo(faces.X, faces.image_shape)
for name, X in [("pixels", faces.X), ("orientations", oriented)]:
    model = SemiNMF(30, random_state=0).fit(X)
    print(f"{name:13} error {model.reconstruction_err_:8.4f}, bound {model.svd_bound_:8.4f}")

# %% [markdown]
# ## Which attribute is it?
#
# We run k-means on the features, with as many clusters as an attribute has classes, and compute the
# share of samples in the right cluster. On raw pixels the clusters follow the light. The components
# of Semi-NMF have equal scale, and there the clusters follow the identity.


# %%
def accuracy(features, attribute):
    """Cluster features; compare with an attribute."""
    labels = faces.labels[attribute]
    clusters = KMeans(len(set(labels)), random_state=0).fit_predict(features)
    return clustering_accuracy(labels, clusters)


table = {
    "pixels": faces.X,
    "whitened PCA of pixels": WhitenedPCA(30, random_state=0).fit_transform(faces.X),
    "Semi-NMF of pixels": SemiNMF(30, random_state=0).fit_transform(faces.X),
    "Semi-NMF of orientations": SemiNMF(30, random_state=0).fit_transform(oriented),
}
print(" " * 26 + "".join(f"{name:>14}" for name in faces.labels))
for name, features in table.items():
    scores = [accuracy(features, attribute) for attribute in faces.labels]
    print(f"{name:26}" + "".join(f"{score:14.2f}" for score in scores))

# %% [markdown]
# ## What the components look like

# %%
model = SemiNMF(12, random_state=0).fit(faces.X)
figure, axes = plt.subplots(1, 12, figsize=(9, 1))
for axis, component in zip(axes, model.components_, strict=True):
    limit = abs(component).max()
    axis.imshow(component.reshape(32, 32), cmap="RdBu", vmin=-limit, vmax=limit)
    axis.axis("off")
