"""How well entries that are missing are told, beside the imputers of scikit-learn.

    DEEPNMF_DATA=FOLDER python studies/missing/missing.py PROGRAM

PROGRAM is the built deepnmf; NumPy, SciPy and scikit-learn are needed, and the file PIE_pose27.mat in DEEPNMF_DATA. Two sets: PIE (2,856
faces of 1,024 pixels, as they are), and ratings drawn here: 2,000 users of 300 films, six tastes, opinions of users and films, noise of 0.5, rounded
to 1 to 5. Of each set 10, 50 and 90% of the entries are hidden at random, three draws.

Ours is `deepnmf fit --missing nan --layers auto --normalize none` and `deepnmf impute`, with NMF and with Semi-NMF; the time is that of both, the
search included. Beside it: the mean of each feature, KNNImputer (5 neighbours), and IterativeImputer with its BayesianRidge on the 50 nearest
features and ten rounds (all 1,024 of them would take hours). One draw only of what takes longer than ten minutes.

`rmse` is over the hidden entries, `share` that of the means' rmse. Each line of results.jsonl is one method on one draw.
"""

import argparse
import json
import os
import subprocess
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np
import scipy.io
from sklearn.experimental import enable_iterative_imputer  # noqa: F401
from sklearn.impute import IterativeImputer, KNNImputer, SimpleImputer

RESULTS = Path(__file__).with_name("results.jsonl")


def pie():
    return scipy.io.loadmat(Path(os.environ["DEEPNMF_DATA"]) / "PIE_pose27.mat")["fea"].astype(float)


def ratings():
    random = np.random.default_rng(0)
    tastes = random.gamma(1.0, 1.0, (2000, 6)) @ random.gamma(0.5, 1.0, (6, 300))
    X = 3 + (tastes - tastes.mean()) / tastes.std() + 0.4 * random.standard_normal((2000, 1))
    X += 0.6 * random.standard_normal((1, 300)) + 0.5 * random.standard_normal(X.shape)
    return np.clip(np.round(X), 1, 5)


def ours(model):
    def impute(program, holed, folder):
        np.save(folder / "x.npy", holed)
        data, file, out = (str(folder / name) for name in ("x.npy", "m.safetensors", "filled.npy"))
        fit = subprocess.run(
            [program, "fit", data, "--missing", "nan", "--layers", "auto", "--model", model, "--normalize", "none", "--out", file,
             "--json", "--quiet"], check=True, capture_output=True, text=True)
        subprocess.run([program, "impute", file, data, "--missing", "nan", "--out", out, "--quiet"], check=True, capture_output=True)
        return np.load(out), {"components": json.loads(fit.stdout)["layers"]}
    return impute


def theirs(make):
    def impute(_, holed, __):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return make().fit_transform(holed), {}
    return impute


METHODS = {
    "mean": theirs(SimpleImputer),
    "deepnmf nmf": ours("nmf"),
    "deepnmf semi-nmf": ours("semi-nmf"),
    "KNN": theirs(KNNImputer),
    "iterative": theirs(lambda: IterativeImputer(n_nearest_features=50, max_iter=10, random_state=0)),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program")
    parser.add_argument("--draws", type=int, default=3)
    parser.add_argument("--sets", default="ratings,pie")
    parser.add_argument("--methods", default=",".join(METHODS))
    options = parser.parse_args()
    lines = []
    for name in options.sets.split(","):
        X = {"pie": pie, "ratings": ratings}[name]()
        for share in (0.1, 0.5, 0.9):
            slow = set()
            for seed in range(options.draws):
                hidden = np.random.default_rng(seed).random(X.shape) < share
                holed = np.where(hidden, np.nan, X)
                for method in options.methods.split(","):
                    if method in slow:
                        continue
                    with tempfile.TemporaryDirectory() as folder:
                        begun = time.perf_counter()
                        filled, more = METHODS[method](options.program, holed, Path(folder))
                        seconds = time.perf_counter() - begun
                    if seconds > 600:
                        slow.add(method)
                    rmse = float(np.sqrt(np.mean((filled[hidden] - X[hidden]) ** 2)))
                    if method == "mean":
                        of_means = rmse
                    lines.append({"set": name, "missing": share, "seed": seed, "method": method, "rmse": rmse,
                                  "share": rmse / of_means, "seconds": round(seconds, 2), **more})
                    print(f"{name:8} {share:.0%} missing, draw {seed}: {method:17} rmse {rmse:8.4f} ({rmse / of_means:.3f} of means) "
                          f"{seconds:7.1f} s {more or ''}", flush=True)
                    with RESULTS.open("a") as results:
                        results.write(json.dumps(lines[-1]) + "\n")


if __name__ == "__main__":
    main()
