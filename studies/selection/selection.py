"""How often the number of components that was planted is found, beside stability as cNMF measures it.

    python studies/selection/selection.py PROGRAM [--draws 20] [--divergence 5] [--stability 2] [--only "KIND;KIND"]

PROGRAM is the built deepnmf; NumPy and scikit-learn are needed. Every set has 300 samples of 100 features, sums of 3, 8 or
20 components with non-negative usages: dense with normal noise of 0.2, 0.5 or 1 standard deviation of the clean data, or
counts drawn about the sums, with a mean of 2 and of 0.5 an entry (the latter three quarters zeros and more). None was looked at when
defaults were chosen. `deepnmf fit --layers 1..30 --normalize none` answers with Semi-NMF, and with NMF where there are no
negative numbers, there also with the Kullback-Leibler divergence (`nmf kl`), whose held-out loss knows how counts scatter.

Stability is what cNMF (Kotliar et al. 2019) plots: ten NMFs from random starts for each number from 2 to 30, their components at
unit length clustered by k-means into as many groups, and the silhouette of that clustering. cNMF leaves the choice to the eye; here it is
the number with the largest silhouette. It is computed for NMF only, for the first draws (`--stability`), because it takes far longer.

`minimum` says whether the mean loss of held-out entries is least at the planted number: where it is not, no rule that looks at the loss can be
right. Each line of results.jsonl is one set.
"""

import argparse
import json
import subprocess
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np
from sklearn.cluster import KMeans
from sklearn.decomposition import NMF
from sklearn.metrics import silhouette_score

RESULTS = Path(__file__).with_name("results.jsonl")
SAMPLES, FEATURES, MOST = 300, 100, 30
NOISES = {"noise 0.2": 0.2, "noise 0.5": 0.5, "noise 1": 1.0}
COUNTS = {"counts, mean 2": 2.0, "counts, mean 0.5": 0.5}


def draw(components, kind, seed):
    random = np.random.default_rng(seed)
    basis = random.random((components, FEATURES)) ** 3
    clean = random.random((SAMPLES, components)) ** 3 @ basis
    if kind in NOISES:
        return clean + NOISES[kind] * clean.std() * random.standard_normal(clean.shape)
    return random.poisson(clean * COUNTS[kind] / clean.mean()).astype(float)


def ours(program, path, model):
    begun, (name, *divergence) = time.perf_counter(), model.split()
    run = subprocess.run(
        [program, "fit", path, "--layers", f"1..{MOST}", "--model", name, *(["--divergence", "kl"] if divergence else []),
         "--normalize", "none", "--zero-samples", "keep",
         "--no-bound", "--json", "--quiet"], check=True, capture_output=True, text=True)
    choice = json.loads(run.stdout)["choice"][0]["choice"]
    means = {0: 1.0, **{point["size"]: point["held_out"] for point in choice["curve"]}}
    return {"chosen": choice["chosen"], "best": choice["best"], "least_at": min(means, key=means.get),
            "seconds": time.perf_counter() - begun}


def stability(X):
    begun, found = time.perf_counter(), {}
    for k in range(2, MOST + 1):
        spectra = []
        for seed in range(10):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                H = NMF(k, init="random", random_state=seed, max_iter=200).fit(X).components_
            lengths = np.linalg.norm(H, axis=1)
            spectra.append(H[lengths > 0] / lengths[lengths > 0, None])
        spectra = np.vstack(spectra)
        groups = KMeans(k, n_init=10, random_state=1).fit_predict(spectra)
        found[k] = silhouette_score(spectra, groups)
    return {"chosen": max(found, key=found.get), "seconds": time.perf_counter() - begun}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program")
    parser.add_argument("--draws", type=int, default=20)
    parser.add_argument("--divergence", type=int, default=5, help="sets of each kind of counts for `nmf kl`")
    parser.add_argument("--stability", type=int, default=2, help="sets of each kind of counts that stability is computed for")
    parser.add_argument("--only", default=";".join([*NOISES, *COUNTS]), help="kinds of sets, with ; between them")
    options = parser.parse_args()
    lines, written = [], 0
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.npy"
        for kind in options.only.split(";"):
            for components in (3, 8, 20):
                for seed in range(options.draws):
                    X = draw(components, kind, 1000 * components + seed)
                    np.save(path, X)
                    counts = ["nmf"] + ["nmf kl"] * (seed < options.divergence) if kind in COUNTS else []
                    for model in ["semi-nmf", *counts]:
                        lines.append({"kind": kind, "planted": components, "seed": seed, "model": model,
                                      **ours(options.program, path, model)})
                    if kind in COUNTS and seed < options.stability:
                        lines.append({"kind": kind, "planted": components, "seed": seed, "model": "stability", **stability(X)})
                for model in ("semi-nmf", "nmf", "nmf kl", "stability"):
                    some = [line for line in lines if (line["kind"], line["planted"], line["model"]) == (kind, components, model)]
                    if some:
                        right = [line["chosen"] == components for line in some]
                        there = [r for line, r in zip(some, right) if line.get("least_at", components) == components]
                        print(f"{kind:17} {components:3} {model:10} right in {sum(right)} of {len(right)}; where the least loss is there: "
                              f"{sum(there)} of {len(there)}; chosen {sorted(line['chosen'] for line in some)}; "
                              f"{np.mean([line['seconds'] for line in some]):.1f} s", flush=True)
                with RESULTS.open("a") as results:
                    results.writelines(json.dumps(line) + "\n" for line in lines[written:])
                written = len(lines)


if __name__ == "__main__":
    main()
