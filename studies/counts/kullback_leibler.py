"""How long NMF takes to scikit-learn's final Kullback-Leibler divergence, on words of documents.

20,000 documents of 5,000 words, half a percent of the entries not zero, words as frequent as Zipf's law
has them, 20 components, two threads each:

    python studies/counts/kullback_leibler.py

Both begin from NNDSVDa. The time of ours is that of the iteration that is first at or below the
divergence at which scikit-learn stops, its initialization included.
"""

from __future__ import annotations

import os
import time

os.environ.setdefault("OMP_NUM_THREADS", "2")

import numpy as np
import scipy.sparse as sp
from deepnmf import NMF, Iteration
from sklearn import decomposition

DOCUMENTS, WORDS, TOPICS, COMPONENTS = 20_000, 5_000, 25, 20


def documents(seed: int = 0) -> sp.csr_matrix:
    """Draw counts of words from topics."""
    rng = np.random.default_rng(seed)
    frequent = 1.0 / np.arange(1, WORDS + 1)
    topics = rng.dirichlet(2000 * frequent / frequent.sum() / 8, TOPICS)
    mixtures = rng.dirichlet(np.full(TOPICS, 0.1), DOCUMENTS)
    lengths = rng.poisson(40, DOCUMENTS)
    words = [
        rng.choice(WORDS, n, p=m @ topics)
        for n, m in zip(lengths, mixtures, strict=True)
    ]
    places = np.repeat(np.arange(DOCUMENTS), lengths), np.concatenate(words)
    return sp.coo_matrix((np.ones(lengths.sum()), places), (DOCUMENTS, WORDS)).tocsr()


def until(X: sp.csr_matrix, wanted: float) -> tuple[NMF, list[tuple[float, int]]]:
    """Fit until an error is reached; return when that was, if it was."""
    reached: list[tuple[float, int]] = []
    begun = time.perf_counter()

    def look(iteration: Iteration) -> bool:
        if iteration.error <= wanted:
            reached.append((time.perf_counter() - begun, iteration.iteration))
        return bool(reached)

    model = NMF(
        COMPONENTS,
        beta_loss="kullback-leibler",
        tol=0,
        random_state=0,
        n_jobs=2,
        callback=look,
    )
    return model.fit(X), reached


def main() -> None:
    X = documents()
    share = X.nnz / np.prod(X.shape)
    print(
        f"{X.shape[0]} x {X.shape[1]}, {X.nnz} entries ({share:.2%}), load {os.getloadavg()[0]:.1f}"
    )
    for tol in (1e-4, 1e-6):
        begun = time.perf_counter()
        theirs = decomposition.NMF(
            COMPONENTS, solver="mu", beta_loss="kullback-leibler", init="nndsvda", tol=tol,
            max_iter=1000, random_state=0,
        ).fit(X)  # fmt: skip
        seconds = time.perf_counter() - begun
        print(f"scikit-learn, tol {tol}: {theirs.reconstruction_err_:.3f}, {seconds:.2f} s, "
              f"{theirs.n_iter_} iterations")  # fmt: skip
        ours, reached = until(X, theirs.reconstruction_err_)
        if not reached:
            print(f"deepnmf: ends at {ours.reconstruction_err_:.3f}, above")
            continue
        print(f"deepnmf: {ours.reconstruction_err_:.3f} after {reached[0][0]:.2f} s, iteration "
              f"{reached[0][1]}: {seconds / reached[0][0]:.1f} times as fast")  # fmt: skip


if __name__ == "__main__":
    main()
