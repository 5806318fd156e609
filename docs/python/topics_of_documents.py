# %% [markdown]
# # Topics of documents
#
# A collection of documents is a table of counts: a row for each document, a column for each word,
# nearly all of it zeros. NMF with the Kullback-Leibler divergence finds topics in it, and works on
# the entries that are not zero.

# %%
import matplotlib.pyplot as plt
import numpy as np
from deepnmf import NMF, MultilayerNMF, normalized_mutual_info
from sklearn.feature_extraction.text import CountVectorizer

THEMES = {
    "space": "orbit rocket moon telescope planet launch astronaut comet gravity satellite",
    "cooking": "oven butter garlic recipe simmer flour onion pepper taste sauce",
    "football": "goal striker match league referee penalty keeper stadium coach corner",
    "tennis": "serve racket volley court umpire baseline match set tournament coach",
    "law": "court judge appeal verdict statute witness contract clause jury counsel",
    "music": "melody chord violin concert rhythm orchestra tempo choir score string",
}
FILLERS = [
    "the",
    "and",
    "with",
    "from",
    "about",
    "their",
    "after",
    "first",
    "people",
    "year",
    "time",
    "many",
]

# %% [markdown]
# No documents come with this package, so these are drawn: each has a main theme, words of other
# themes now and then, and words that are everywhere. Some words belong to two themes.

# %%
rng = np.random.default_rng(0)


def draw(theme):
    """Write a document."""
    words = []
    for _ in range(rng.poisson(15) + 5):
        kind = rng.choice(["own", "other", "filler"], p=[0.35, 0.2, 0.45])
        others = list(THEMES)
        source = theme if kind == "own" else others[rng.integers(len(others))]
        listed = FILLERS if kind == "filler" else THEMES[source].split()
        words.append(listed[min(rng.geometric(0.25) - 1, len(listed) - 1)])
    return " ".join(words)


themes = [list(THEMES)[rng.integers(6)] for _ in range(1500)]
documents = [draw(theme) for theme in themes]
vectorizer = CountVectorizer()
X = vectorizer.fit_transform(documents).astype(np.float64)
words = vectorizer.get_feature_names_out()
share = X.nnz / np.prod(X.shape)
print(f"{X.shape[0]} documents, {X.shape[1]} words, {share:.0%} of the counts not zero")
print(documents[0][:70])

# %% [markdown]
# ## Topics
#
# Counts stay as they are: the divergence knows that a frequent word varies more. The matrix of
# scikit-learn's vectorizer is read where it stands, without a copy.

# %%
model = NMF(6, beta_loss="kullback-leibler", random_state=0).fit(X)


def describe(components, count=7):
    """Print the words of largest weight of each component."""
    for number, component in enumerate(components, 1):
        print(number, ", ".join(words[i] for i in component.argsort()[::-1][:count]))


describe(model.components_)

# %% [markdown]
# A document belongs to the topic that adds most to it: its feature times the sum of the component.


# %%
def main_topic(fitted, samples):
    """Return the topic that adds most to each sample."""
    return (fitted.transform(samples) * fitted.components_.sum(axis=1)).argmax(axis=1)


labels = np.unique(themes, return_inverse=True)[1]
for name, fitted in {
    "Kullback-Leibler": model,
    "squared error": NMF(6, random_state=0).fit(X),
}.items():
    print(
        f"{name:18} NMI with the themes {normalized_mutual_info(labels, main_topic(fitted, X)):.3f}"
    )

# %% [markdown]
# New documents get topics without a new fit.

# %%
new = vectorizer.transform(["the judge and the jury with a witness", "the striker and the keeper"])
shares = model.transform(new.astype(np.float64)) * model.components_.sum(axis=1)
print((shares / shares.sum(axis=1, keepdims=True)).round(2))

# %% [markdown]
# ## Topics made of topics
#
# Multi-layer NMF has several layers: here twelve topics, of which six larger ones are made.
# `weights_[1]` says how. Each column below is a topic of the second layer, each row one of the
# first.

# %%
deep = MultilayerNMF((12, 6), beta_loss="kullback-leibler", init="random", random_state=0).fit(X)
parts = deep.weights_[1] * deep.weights_[0].sum(axis=0)[:, None]
parts = parts / parts.sum(axis=0)
describe(deep.components_, 5)

figure, axis = plt.subplots(figsize=(4.2, 3.6))
axis.imshow(parts, aspect="auto", cmap="Blues")
axis.set(xlabel="topic of layer 2", ylabel="topic of layer 1")
axis.set_xticks(range(6), range(1, 7))
axis.set_yticks(range(12), range(1, 13))
figure.tight_layout()

# %% [markdown]
# ## See them
#
# `model.report(X, "report.html")` writes a page that shows every topic with its words, its
# documents, what it is made of, its coherence (how often its words come together) and how distinct
# topics are. With a data frame, or `feature_names=` at the terminal, it names the words:
#
# ```sh
# deepnmf fit counts.npz --model nmf --divergence kl --normalize none --layers 6 \
#   --feature-names words.txt --out m.safetensors
# deepnmf report m.safetensors --data counts.npz --feature-names words.txt
# deepnmf cluster m.safetensors --out topics.csv
# ```
