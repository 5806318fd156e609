# %% [markdown]
# # Attributes with partial labels
#
# How can the labels of *some* samples improve the features of all? WSF is graph-regularized
# Semi-NMF: its graph connects the samples of a class, and a penalty makes their reconstructions
# similar. A label that is unknown is -1, NaN or None, for each attribute separately.

# %%
import matplotlib.pyplot as plt
import numpy as np
from deepnmf import WSF, DeepWSF, SemiNMF, load_faces
from sklearn.neighbors import KNeighborsClassifier

faces = load_faces(identities=12, noise=0.05)
X = faces.X / np.linalg.norm(faces.X, axis=1, keepdims=True)
pose = faces.labels["pose"]

rng = np.random.default_rng(0)
test = rng.random(len(X)) < 0.3  # these samples are not in the fit
train = ~test
known = train & (rng.random(len(X)) < 0.3)  # only these have a label
print(f"{train.sum()} samples to fit, {known.sum()} of them with a label, {test.sum()} to test")

# %% [markdown]
# ## One attribute
#
# How well does the nearest labelled neighbour predict the pose of samples that were not in the fit?
# `lam` is the weight of the graph penalty: 1 draws a labelled sample half of the way to the mean of
# its class. It also says how much less those directions count in which samples of a class differ,
# which is what samples outside of the fit gain by.


# %%
def score(model):
    """Classify the test samples by the nearest sample with a label."""
    model.fit(X[train], np.where(known, pose, -1)[train])
    features = model.transform(X)
    judge = KNeighborsClassifier(1).fit(features[known], pose[known])
    return judge.score(features[test], pose[test])


weights = [0.0, 0.1, 1.0, 10.0, 100.0]
scores = [score(WSF(20, lam=lam, random_state=0)) for lam in weights]
for lam, found in zip(weights, scores, strict=True):
    print(f"lam {lam:<7g} {found:.3f}")
print(f"Semi-NMF    {score(SemiNMF(20, random_state=0)):.3f}")

# %%
figure, axis = plt.subplots(figsize=(5, 2.6))
axis.semilogx(weights[1:], scores[1:], "o-", label="WSF")
axis.axhline(scores[0], color="gray", linestyle="--", label="without labels")
axis.set(xlabel="weight of the labels", ylabel="accuracy, pose")
axis.legend()
figure.tight_layout()

# %% [markdown]
# ## An attribute for each layer
#
# The columns of `y` belong to the layers, the first one to the layer next to the data. Labels may
# be strings, and each column may lack those of other samples.
#
# `predict` gives the attributes of samples without labels, by a linear machine for each. It makes
# its choices by leave-one-out errors on the given labels. Attributes are learnt one after the
# other: once identity is known, its mean is taken off, and pose shows more clearly.

# %%
who = faces.labels["identity"]
y = np.column_stack([pose, who]).astype(object)
y[rng.random(y.shape) > 0.1] = None  # one label in ten is known
model = DeepWSF((60, 40), random_state=0).fit(X, y)
print([h.shape for h in model.features_], model.stop_reason_)
found, margins = model.predict(X, return_margin=True)
for column, truth in enumerate([pose, who]):
    unknown = y[:, column] == None  # noqa: E711
    right = found[unknown, column] == truth[unknown]
    sure = margins[unknown, column] > np.median(margins[unknown, column])
    print(f"right: {right.mean():.3f}, of the half with larger margins: {right[sure].mean():.3f}")
print("wrong among the known ones when left out:", model.prediction_errors_)
