"""Times our k-means and scikit-learn's on the same data, in turns, and prints ratios.

    cargo build --release -p deepnmf-eval --example time_kmeans
    python crates/deepnmf-eval/benches/kmeans_vs_sklearn.py \
        target/release/examples/time_kmeans DATA_FOLDER [ROUNDS]

DATA_FOLDER holds PIE_pose27.mat. Both sides run 10 restarts from their own k-means++ starts with
the same tolerance; of the times the best of ROUNDS rounds counts, of the inertias the mean. Ours
runs without bounds and swaps (plain), with bounds, and with both, which is the default and what is
compared: a ratio above 1 means that ours is faster; an inertia below 1 that ours is better.
"""

import json
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np
from scipy.io import loadmat
from sklearn.cluster import KMeans

RESTARTS = 10


def whitened(x, k):
    centred = x - x.mean(axis=0)
    u, _, _ = np.linalg.svd(centred, full_matrices=False)
    features = u[:, :k]
    return features / np.linalg.norm(features, axis=1, keepdims=True)


def data_sets(folder):
    faces = loadmat(Path(folder) / "PIE_pose27.mat")["fea"].astype(float)
    faces /= np.linalg.norm(faces, axis=1, keepdims=True)
    rng = np.random.default_rng(0)
    centres = rng.normal(size=(100, 50))
    blobs = centres[rng.integers(100, size=50_000)] + rng.normal(size=(50_000, 50))
    yield "PIE whitened 40", whitened(faces, 40), 68
    yield "PIE whitened 100", whitened(faces, 100), 68
    yield "PIE pixels 1024", faces, 68
    yield "normal 10000 x 20", rng.normal(size=(10_000, 20)), 20
    yield "blobs 50000 x 50", blobs, 100


def theirs(x, k, seed):
    start = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fit = KMeans(k, n_init=RESTARTS, random_state=seed).fit(x)
    return time.perf_counter() - start, fit.inertia_


def ours(program, path, dtype, k, seed, bounds="bounds", swaps=10):
    command = [program, path, dtype, str(k), str(RESTARTS), str(seed), bounds, str(swaps)]
    result = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    return result["seconds"], result["inertia"]


def main():
    program, folder = sys.argv[1:3]
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 3
    print(f"{'data':20} {'type':4} {'sklearn s':>10} {'plain s':>9} {'bounds s':>9} {'default s':>9} "
          f"{'times faster':>12} {'inertia':>8}")
    with tempfile.TemporaryDirectory() as temporary:
        path = str(Path(temporary) / "x.npy")
        for name, x, k in data_sets(folder):
            for dtype in ("f64", "f32"):
                x = np.ascontiguousarray(x, dtype={"f64": np.float64, "f32": np.float32}[dtype])
                np.save(path, x)
                sides = {
                    "theirs": lambda seed: theirs(x, k, seed),
                    "plain": lambda seed: ours(program, path, dtype, k, seed, "plain", 0),
                    "bounds": lambda seed: ours(program, path, dtype, k, seed, "bounds", 0),
                    "default": lambda seed: ours(program, path, dtype, k, seed),
                }
                found = {side: [] for side in sides}
                for seed in range(rounds):
                    for side, run in sides.items():
                        found[side].append(run(seed))
                seconds = {side: min(run[0] for run in runs) for side, runs in found.items()}
                inertia = {side: np.mean([run[1] for run in runs]) for side, runs in found.items()}
                print(f"{name:20} {dtype:4} {seconds['theirs']:10.3f} {seconds['plain']:9.3f} "
                      f"{seconds['bounds']:9.3f} {seconds['default']:9.3f} "
                      f"{seconds['theirs'] / seconds['default']:12.2f} "
                      f"{inertia['default'] / inertia['theirs']:8.4f}", flush=True)


if __name__ == "__main__":
    main()
