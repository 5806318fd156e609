"""NMF beside scikit-learn's: the same data, the same start, the same error, how long?

    python studies/baselines/nmf_vs_sklearn.py PROGRAM DATA_FOLDER [--threads 2]

PROGRAM is the built deepnmf, DATA_FOLDER holds PIE_pose27.mat; NumPy, SciPy and scikit-learn are needed.
The drawn faces are those of `deepnmf demo`.
Both sides begin from NNDSVDa of the same data in f64, scikit-learn with `cd` and with `mu`, for 200
iterations each (its stopping test off). The time that counts is the one deepnmf needs to be at or below
scikit-learn's error, start included on both sides, by the rule of the same kind and, for `mu`, by the
default rule as well; deepnmf may go on for 300 iterations. Seconds are the median of five rounds, in
which both take turns. Written to
result.json beside this script.
"""

import argparse
import json
import statistics
import subprocess
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np
from scipy.io import loadmat
from sklearn.decomposition import NMF
from sklearn.exceptions import ConvergenceWarning

RESULT = Path(__file__).with_name("result.json")
ITERATIONS = 200
COMPONENTS = (20, 40, 70)
ROUNDS = 5


def ours(program, path, k, solver, threads):
    told = json.loads(subprocess.run(
        [program, "fit", path, "--normalize", "none", "--model", "nmf", "--layers", str(k), "--solver", solver,
         "--max-iter", "300", "--kappa", "0", "--no-bound", "--threads", str(threads), "--json", "--quiet"],
        capture_output=True, text=True, check=True).stdout)
    return told["history"], told["clock"]


def theirs(x, k, solver):
    begin = time.perf_counter()
    model = NMF(k, init="nndsvda", solver=solver, max_iter=ITERATIONS, tol=0, random_state=0)
    features = model.fit_transform(x)
    seconds = time.perf_counter() - begin
    return float(np.linalg.norm(x - features @ model.components_)), seconds


def one_round(options, path, x, k):
    """Both sides once, a line for each pair of rules."""
    found = {solver: theirs(x, k, solver) for solver in ("cd", "mu")}
    fits = {rule: ours(options.program, path, k, rule, options.threads) for rule in ("hals", "multiplicative")}
    lines = []
    for solver, rule in (("cd", "hals"), ("mu", "multiplicative"), ("mu", "hals")):
        error, seconds = found[solver]
        history, clock = fits[rule]
        at = next(i for i, e in enumerate(history) if e <= error)
        lines.append({"k": k, "solver": solver, "sklearn_error": error, "sklearn_seconds": seconds, "rule": rule,
                      "deepnmf_iterations": at, "deepnmf_seconds": clock[at], "ratio": seconds / clock[at],
                      "deepnmf_error_at_200": history[min(200, len(history) - 1)]})
    return lines


def middle(lines):
    """One line of several rounds: medians of what is measured by the clock, and all ratios."""
    clocked = ("sklearn_seconds", "deepnmf_seconds", "ratio")
    return lines[0] | {name: statistics.median(line[name] for line in lines) for name in clocked} | {
        "ratios": [round(line["ratio"], 2) for line in lines]}


def main():
    warnings.simplefilter("ignore", ConvergenceWarning)
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    pie = loadmat(options.folder / "PIE_pose27.mat")["fea"].astype(float)
    lines = []
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([options.program, "demo", "--out", folder], capture_output=True, check=True)
        sets = {"PIE": pie, "drawn faces": np.load(Path(folder) / "faces.npy").astype(float)}
        for name, x in sets.items():
            x /= np.linalg.norm(x, axis=1, keepdims=True)
            path = Path(folder) / "x.npy"
            np.save(path, x)
            for k in COMPONENTS:
                rounds = [one_round(options, path, x, k) for _ in range(ROUNDS)]
                for lines_of_rule in zip(*rounds, strict=True):
                    line = middle(lines_of_rule) | {"data": name}
                    lines.append(line)
                    print(json.dumps(line), flush=True)
    RESULT.write_text(json.dumps(lines, indent=1))


if __name__ == "__main__":
    main()
