"""How long NMF of counts takes to the error that others end with: scikit-learn and RcppML.

    python studies/counts/counts.py [--only text,cells] [--losses frobenius,kl] [--rounds 3]
    python studies/counts/counts.py --minima 10
    python studies/counts/counts.py --table

Words of documents (20,000 x 5,000, half a percent of the entries not zero, words as frequent as Zipf's law has them) and
genes of cells (50,000 x 2,000, 8%), 20 and 50 components, two threads each. Peers run with their own defaults and with a
tolerance of 1e-6; the multiplicative rule ends after 1000 iterations at most (200 by default). Ours begins anew each time,
with default settings but for the SVD bound, which is not measured. A callback notes when its error is first at or below
that of the peer, initialization included; then it goes on until it has converged. Both sides run in turns; a line of
results.jsonl is one round. RcppML is called if Rscript has it.

--minima draws other sets of the same kinds, half as many samples each, and notes in minima.jsonl where each side ends by
its own defaults and, scikit-learn, with a tolerance of 1e-6: of two local minima nobody knows beforehand which is lower.
"""

import argparse
import json
import os
import shutil
import statistics
import subprocess
import tempfile
import time
import warnings
from pathlib import Path

THREADS = 2
os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = str(THREADS)

import numpy as np
import scipy.io
import scipy.sparse as sp

HERE = Path(__file__).parent
RESULTS, MINIMA, README = HERE / "results.jsonl", HERE / "minima.jsonl", HERE / "README.md"
BEGIN, END = "<!-- tables: begin -->", "<!-- tables: end -->"
RCPPML = """
library(RcppML); library(Matrix)
A <- as(readMM("x.mtx"), "CsparseMatrix")
setRcppMLthreads(%d)
begun <- proc.time()[["elapsed"]]
m <- nmf(A, %d, tol = %g, maxit = 1000, verbose = FALSE, seed = 1)
cat(proc.time()[["elapsed"]] - begun, m$iter, "\\n")
write.table(m$w %%*%% diag(m$d), "w.txt", row.names = FALSE, col.names = FALSE)
write.table(m$h, "h.txt", row.names = FALSE, col.names = FALSE)
"""


def text(rng):
    documents, words, topics = 20_000, 5_000, 25
    frequent = 1.0 / np.arange(1, words + 1)
    topics = rng.dirichlet(2000 * frequent / frequent.sum() / 8, topics)
    mixtures = rng.dirichlet(np.full(len(topics), 0.1), documents)
    lengths = rng.poisson(40, documents)
    found = [rng.choice(words, n, p=m @ topics) for n, m in zip(lengths, mixtures)]
    places = np.repeat(np.arange(documents), lengths), np.concatenate(found)
    return sp.coo_matrix((np.ones(lengths.sum()), places), (documents, words)).tocsr()


def cells(rng):
    count, genes, programs = 50_000, 2_000, 15
    basis = rng.gamma(0.3, size=(programs, genes)) * rng.gamma(0.5, size=genes)
    usage = rng.dirichlet(np.full(programs, 0.2), count) * rng.gamma(4, 0.25, size=(count, 1))
    blocks = []
    scale = 1.0
    for start in range(0, count, 5_000):
        mean = usage[start : start + 5_000] @ basis
        if start == 0:  # so that about 8% of the entries are not zero
            low, high = 0.0, 100.0
            for _ in range(40):
                scale = (low + high) / 2
                share = (1 - np.exp(-scale * mean)).mean()
                low, high = (scale, high) if share < 0.08 else (low, scale)
        blocks.append(sp.csr_matrix(rng.poisson(scale * mean).astype(float)))
    return sp.vstack(blocks).tocsr()


SETS = {"text": text, "cells": cells}


def scikit_learn(x, loss, components, tol):
    from sklearn.decomposition import NMF

    how = {"solver": "cd"} if loss == "frobenius" else {"solver": "mu", "beta_loss": loss}
    most = 200 if tol > 1e-5 else 1000
    begun = time.perf_counter()
    model = NMF(components, init="nndsvda", tol=tol, max_iter=most, random_state=0, **how).fit(x)
    return time.perf_counter() - begun, model.reconstruction_err_, model.n_iter_


def rcppml(x, loss, components, tol):
    with tempfile.TemporaryDirectory() as folder:
        scipy.io.mmwrite(Path(folder, "x.mtx"), x.T)
        script = RCPPML % (THREADS, components, tol)
        done = subprocess.run(
            ["Rscript", "-e", script], cwd=folder, capture_output=True, text=True, check=True
        )
        seconds, iterations = done.stdout.split()[-2:]
        w, h = (np.loadtxt(Path(folder, f"{name}.txt"), ndmin=2) for name in "wh")
    # |X - WH|^2 without forming WH
    cross = (x.multiply(1.0) @ w * h.T).sum()
    error = np.sqrt(x.multiply(x).sum() - 2 * cross + ((w.T @ w) * (h @ h.T)).sum())
    return float(seconds), float(error), int(iterations)


def ours(x, loss, components, wanted):
    from deepnmf import NMF

    reached = []
    begun = time.perf_counter()

    def look(now):
        if now.error <= wanted:
            reached.append((time.perf_counter() - begun, now.iteration))

    model = NMF(
        components, beta_loss=loss, random_state=0, n_jobs=THREADS, callback=look,
        measure_bound=False,
    ).fit(x)  # fmt: skip
    end = time.perf_counter() - begun, model.reconstruction_err_
    return reached[0] if reached else (None, None), end


def run(options):
    warnings.simplefilter("ignore")
    peers = [("scikit-learn", scikit_learn, loss) for loss in options.losses]
    has_r = shutil.which("Rscript") and not subprocess.run(
        ["Rscript", "-e", "library(RcppML)"], capture_output=True
    ).returncode
    if has_r and "frobenius" in options.losses:
        peers.append(("RcppML", rcppml, "frobenius"))
    for name in options.only:
        x = SETS[name](np.random.default_rng(0))
        for components in options.components:
            for peer, fit, loss in peers:
                for tol in options.tols:
                    for turn in range(options.rounds if loss == "frobenius" else 1):
                        theirs, error, iterations = fit(x, loss, components, tol)
                        (mine, at), (own, least) = ours(x, loss, components, error)
                        line = {
                            "set": name, "shape": x.shape, "entries": int(x.nnz), "loss": loss,
                            "components": components, "peer": peer, "tol": tol, "round": turn,
                            "error": error, "peer_seconds": theirs, "peer_iterations": iterations,
                            "seconds": mine, "iterations": at, "own_seconds": own,
                            "own_error": least, "load": os.getloadavg()[0],
                        }  # fmt: skip
                        print(json.dumps(line), flush=True)
                        with RESULTS.open("a") as file:
                            file.write(json.dumps(line) + "\n")


def minima(draws, options):
    warnings.simplefilter("ignore")
    for draw in range(1, draws + 1):
        for name in options.only:
            x = SETS[name](np.random.default_rng(draw))[::2]
            for components in options.components:
                for tol in options.tols:
                    theirs, error, _ = scikit_learn(x, "frobenius", components, tol)
                    _, (own, least) = ours(x, "frobenius", components, 0.0)
                    line = {
                        "set": name, "draw": draw, "components": components, "tol": tol,
                        "error": error, "own_error": least, "peer_seconds": theirs, "own_seconds": own,
                    }  # fmt: skip
                    print(json.dumps(line), flush=True)
                    with MINIMA.open("a") as file:
                        file.write(json.dumps(line) + "\n")


def table_of_minima():
    cases = {}
    for line in map(json.loads, MINIMA.read_text().splitlines()):
        key = tuple(line[name] for name in ("set", "components", "tol"))
        cases.setdefault(key, []).append(line)
    yield "| set | components | tolerance of scikit-learn | draws | ours ends lower | by (median, range) | times as fast |"
    yield "| --- | --- | --- | --- | --- | --- | --- |"
    for (name, components, tol), draws in sorted(cases.items()):
        gaps = [1e4 * (1 - line["own_error"] / line["error"]) for line in draws]
        ratios = [line["peer_seconds"] / line["own_seconds"] for line in draws]
        yield (
            f"| {name} | {components} | {tol:g} | {len(draws)} | {sum(gap > 0 for gap in gaps)} "
            f"| {statistics.median(gaps):.2f} ({min(gaps):.2f} to {max(gaps):.2f}) ten-thousandths "
            f"| {statistics.median(ratios):.1f} ({min(ratios):.1f} to {max(ratios):.1f}) |"
        )


def table():
    lines = [json.loads(line) for line in RESULTS.read_text().splitlines()]
    cases = {}
    for line in lines:
        key = tuple(line[name] for name in ("set", "loss", "components", "peer", "tol"))
        cases.setdefault(key, []).append(line)
    rows = [
        "| set | loss | components | peer, tolerance | its error | its time | ours to that error "
        "| times as fast | ours until converged | its error |",
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for (name, loss, components, peer, tol), rounds in cases.items():
        theirs = statistics.median(line["peer_seconds"] for line in rounds)
        start = (
            f"| {name} | {loss} | {components} | {peer}, {tol:g} | {rounds[0]['error']:.1f} "
            f"| {theirs:.2f} s, {rounds[0]['peer_iterations']} it. "
        )
        own = statistics.median(line["own_seconds"] for line in rounds)
        end = f"| {own:.2f} s, {theirs / own:.1f} times as fast | {rounds[0]['own_error']:.1f} |"
        if any(line["seconds"] is None for line in rounds):
            rows.append(f"{start}| not reached | {end}")
            continue
        mine = statistics.median(line["seconds"] for line in rounds)
        ratios = [line["peer_seconds"] / line["seconds"] for line in rounds]
        spread = f" ({min(ratios):.1f} to {max(ratios):.1f})" if len(ratios) > 1 else ""
        ratio = f"{statistics.median(ratios):.1f}{spread}"
        rows.append(f"{start}| {mine:.2f} s, {rounds[0]['iterations']} it. | {ratio} {end}")
    if MINIMA.exists():
        rows += ["", *table_of_minima()]
    page = README.read_text()
    before, rest = page.split(BEGIN)
    README.write_text(f"{before}{BEGIN}\n\n" + "\n".join(rows) + f"\n\n{END}{rest.split(END)[1]}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--table", action="store_true")
    parser.add_argument("--minima", type=int, default=0, metavar="DRAWS")
    parser.add_argument("--rounds", type=int, default=3)
    words = lambda text: text.split(",")
    parser.add_argument("--only", type=words, default=list(SETS))
    parser.add_argument("--losses", type=words, default=["frobenius", "kullback-leibler"])
    parser.add_argument("--tols", type=lambda t: [float(v) for v in t.split(",")], default=[1e-4, 1e-6])
    parser.add_argument(
        "--components", type=lambda t: [int(v) for v in t.split(",")], default=[20, 50]
    )
    options = parser.parse_args()
    if options.table:
        table()
    elif options.minima:
        minima(options.minima, options)
    else:
        run(options)


if __name__ == "__main__":
    main()
