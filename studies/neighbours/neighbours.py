"""Does a neighbour graph in the second layer help to cluster, and what does it cost?

    DEEPNMF_DATA=DATA_FOLDER python studies/neighbours/neighbours.py [--parts sets,weights,growth]
    python studies/neighbours/neighbours.py --table

DATA_FOLDER holds PIE_pose27.mat and cmu-faces/; deepnmf (the Python package), NumPy, SciPy and
scikit-learn are needed, and Linux for the memory of the third part. The model is
DeepSemiNMF((200, 40), n_neighbors=5): layer 1 is a Semi-NMF; layer 2 reads what it makes of the samples, softly
whitened and at unit length, draws samples to those of their five nearest ones that have them among theirs, and
factorizes the result at unit length.

All samples are scaled to unit norm. AC is that of k-means with the true number of classes on the
features as they are, the mean of the seeds 0 to 4; the fit has random_state=0. So a deviation is that of
k-means alone. Samples without a label (outliers) are in the fit and in k-means, not in the AC. The
first layer has as many components as there are features where these are fewer than 200. Spectral
clustering has no features: its seeds are those of its own k-means.

    sets      all data sets, all methods
    weights   weights of the graph and of its edges, five of the sets
    growth    seconds and memory of a fit with 10,000 and 100,000 samples, each in its own process

Each line of results.jsonl is one method on one data set and attribute, or one fit of growth. What is in
the file is not computed again. A failure is a result, too.
"""

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import time
import warnings
from pathlib import Path

HERE = Path(__file__).parent
RESULTS, README = HERE / "results.jsonl", HERE / "README.md"
BEGIN, END = "<!-- tables: begin -->", "<!-- tables: end -->"
SEEDS = range(5)
FIRST, TOP, NEIGHBOURS = 200, 40, 5
LAMBDAS = [0.5, 1.0, 2.0, 3.0, 10.0, 30.0]
WEIGHTS = ["binary", "heat", "dot"]
# A graph that is there but has no weight: what the rest of the feature does. (0 turns all of it off.)
NO_WEIGHT = 1e-6


# Data sets

def gaussians():
    """10 clusters of 60 samples in 50 dimensions, far apart."""
    import numpy as np
    random = np.random.default_rng(1)
    labels = np.repeat(np.arange(10), 60)
    return random.normal(size=(10, 50))[labels] + random.normal(scale=0.3, size=(600, 50)), labels


def curves():
    """8 closed curves of 100 noisy samples in 60 dimensions."""
    import numpy as np
    random = np.random.default_rng(2)
    labels = np.repeat(np.arange(8), 100)
    middles, plane = random.normal(size=(8, 60)), random.normal(size=(8, 4, 60))
    middles /= np.linalg.norm(middles, axis=1, keepdims=True)
    plane /= np.linalg.norm(plane, axis=2, keepdims=True)
    t = random.uniform(0, 2 * np.pi, 800)
    turns = np.column_stack([2 * np.cos(t), 2 * np.sin(t), np.cos(2 * t), np.sin(2 * t)])
    x = middles[labels] + np.einsum("ij,ijk->ik", turns, plane[labels])
    return x + random.normal(scale=0.05, size=x.shape), labels


def few():
    """40 classes of 6 samples in 300 dimensions."""
    import numpy as np
    random = np.random.default_rng(3)
    labels = np.repeat(np.arange(40), 6)
    return random.normal(size=(40, 300))[labels] + random.normal(size=(240, 300)), labels


def outliers():
    """10 clusters of 60 samples in 50 dimensions, and 60 of 600 samples replaced by far noise."""
    import numpy as np
    random = np.random.default_rng(4)
    labels = np.repeat(np.arange(10), 60)
    x = random.normal(size=(10, 50))[labels] + random.normal(scale=0.6, size=(600, 50))
    astray = random.choice(600, 60, replace=False)
    x[astray] = random.normal(scale=4.0, size=(60, 50))
    labels[astray] = -1
    return x, labels


def outliers_shifted():
    """The same with nothing negative. Added after the first look, see README.md."""
    x, labels = outliers()
    return x - x.min(), labels


def islands():
    """6 classes of three islands of 30 samples in 50 dimensions; no edge leads off an island."""
    import numpy as np
    random = np.random.default_rng(5)
    island = np.repeat(np.arange(18), 30)
    centres = random.normal(size=(6, 50)).repeat(3, axis=0) + random.normal(scale=0.6, size=(18, 50))
    return centres[island] + random.normal(scale=0.05, size=(540, 50)), island // 3


def digits():
    from sklearn.datasets import load_digits
    return load_digits(return_X_y=True)


def photographs(path, **reading):
    import deepnmf
    return deepnmf.load_data(Path(os.environ["DEEPNMF_DATA"], path), **reading)


def drawn(preset):
    import deepnmf
    return deepnmf.load_faces(preset)


DATA_SETS = {
    "CMU faces": lambda: photographs("cmu-faces", pattern="{identity}_{pose}_{expression}_{eyes}_4"),
    "drawn faces, default": lambda: drawn("default"),
    "drawn faces, multipie": lambda: drawn("multipie"),
    "drawn faces, pie": lambda: drawn("pie"),
    "digits": digits,
    "Gaussian clusters": gaussians,
    "closed curves": curves,
    "few samples a class": few,
    "10% outliers": outliers,
    "10% outliers, non-negative": outliers_shifted,
    "islands": islands,
    "PIE": lambda: photographs("PIE_pose27.mat"),
}
# Those that the defaults were chosen by, with the attribute identity.
CHOSEN_BY = ["PIE", "CMU faces"]
WEIGHED = ["PIE", "CMU faces", "drawn faces, default", "drawn faces, multipie", "drawn faces, pie"]


def read(name):
    """Samples of unit norm, and the labels of each attribute."""
    import numpy as np
    found = DATA_SETS[name]()
    if isinstance(found, tuple):
        x, labels = found[0], {"class": found[1]}
    else:
        x, labels = found.X, {{"gnd": "identity"}.get(a, a): np.asarray(y) for a, y in found.labels.items()}
    return x / np.linalg.norm(x, axis=1, keepdims=True), labels


# Methods

def deep(x, **settings):
    import deepnmf
    layers = (min(FIRST, *x.shape), TOP)
    model = deepnmf.DeepSemiNMF(layers, random_state=0, **settings).fit(x)
    return model.features_[1], model


def semi_nmf(x):
    import deepnmf
    model = deepnmf.SemiNMF(TOP, random_state=0).fit(x)
    return model.features_[0], model


def whitened_pca(x):
    import deepnmf
    import numpy as np
    model = deepnmf.WhitenedPCA(TOP, random_state=0).fit(x)
    h = model.features_[0]
    return h / np.linalg.norm(h, axis=1, keepdims=True), model


FEATURES = {
    "pixels": lambda x: (x, None),
    "whitened PCA": whitened_pca,
    "Semi-NMF": semi_nmf,
    "deep": deep,
    "deep, graph of no weight": lambda x: deep(x, n_neighbors=NEIGHBOURS, neighbor_lam=NO_WEIGHT),
    "deep, neighbours": lambda x: deep(x, n_neighbors=NEIGHBOURS),
}
SPECTRAL = {"spectral, 5": 5, "spectral, 10": 10}
METHODS = ["pixels", "whitened PCA", "spectral, 5", "spectral, 10", "Semi-NMF", "deep",
           "deep, graph of no weight", "deep, neighbours"]


def score(labels, clusters):
    """Mean and deviation of AC in percent."""
    import deepnmf
    scores = [100 * deepnmf.clustering_accuracy(labels, found) for found in clusters]
    return {"ac": statistics.mean(scores), "deviation": statistics.stdev(scores), "acs": scores}


def classes(y):
    return len(set(y.tolist()) - {-1})


def judge(x, labels, features):
    """What the features of a method are worth, for every attribute, and what its fit said."""
    import deepnmf
    import numpy as np
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        start = time.perf_counter()
        h, model = features(x)
        seconds = time.perf_counter() - start
    said = {"seconds": round(seconds, 3), "warnings": sorted({str(w.message) for w in heard})}
    if model is not None:
        said |= {"layers": list(model.layers_), "stop": model.stop_reason_, "notices": model.notices_,
                 "runs": [[run["stage"], run["iterations"], run["stop"]] for run in model.runs_]}
    below = {}
    if getattr(model, "n_neighbors", None):
        u, s, _ = np.linalg.svd(x, full_matrices=False)
        first, t = model.layers_[0], s[min(TOP, len(s)) - 1] / 2
        f = (u * (s**2 / (s**2 + t**2)))[:, :first]
        f -= f.mean(axis=0)
        below = purity(f / np.linalg.norm(f, axis=1, keepdims=True), labels)
    for attribute, y in labels.items():
        found = [deepnmf.KMeans(classes(y), random_state=seed).fit_predict(h) for seed in SEEDS]
        more = {"purity_of_graph": below[attribute]} if below else {}
        yield {"attribute": attribute, "classes": classes(y)} | score(y, found) | more | said


def judge_spectral(x, labels, neighbours):
    from sklearn.cluster import SpectralClustering
    for attribute, y in labels.items():
        with warnings.catch_warnings(record=True) as heard:
            warnings.simplefilter("always")
            start = time.perf_counter()
            found = [SpectralClustering(classes(y), affinity="nearest_neighbors", n_neighbors=neighbours,
                                        random_state=seed).fit_predict(x) for seed in SEEDS]
            seconds = (time.perf_counter() - start) / len(SEEDS)
        yield ({"attribute": attribute, "classes": classes(y)} | score(y, found)
               | {"seconds": round(seconds, 3), "warnings": sorted({str(w.message) for w in heard})})


def pieces(x):
    """Of how many pieces the graph of five neighbours in the data is."""
    from scipy.sparse.csgraph import connected_components
    from sklearn.neighbors import kneighbors_graph
    return int(connected_components(kneighbors_graph(x, NEIGHBOURS), directed=False)[0])


def purity(x, labels):
    """The share of the five nearest neighbours that are of the sample's class, in percent."""
    from sklearn.neighbors import NearestNeighbors
    near = NearestNeighbors(n_neighbors=NEIGHBOURS).fit(x).kneighbors(return_distance=False)
    return {a: float(100 * (y[near] == y[:, None])[y != -1].mean()) for a, y in labels.items()}


# Growth

GROWTH = [(samples, layers, neighbours, "auto") for samples in (10_000, 100_000)
          for layers in ((64, 20), (200, 40)) for neighbours in (NEIGHBOURS, None)]
# Added after the first look: is the approximate search faster, as 'auto' has it for more than 20,000?
GROWTH += [(30_000, (200, 40), NEIGHBOURS, "auto"), (30_000, (200, 40), NEIGHBOURS, "exact"),
           (100_000, (64, 20), NEIGHBOURS, "exact"), (100_000, (200, 40), NEIGHBOURS, "exact")]


SEARCHES = {("auto", False): "exact", ("auto", True): "approximate", ("exact", True): "exact, asked for"}


def peak():
    """The most bytes this process had resident so far; ru_maxrss would count its parent's."""
    status = Path("/proc/self/status").read_text()
    return 1024 * int(status.split("VmHWM:")[1].split()[0])


def grow(samples, layers, neighbours, search):
    """One fit; runs in a process of its own."""
    import deepnmf
    import numpy as np
    bare = peak()
    random = np.random.default_rng(6)
    x = np.empty((samples, 256), np.float32)
    centres = random.random((20, 256), dtype=np.float32)
    for start in range(0, samples, 5000):
        part = x[start:start + 5000]
        part[:] = centres[random.integers(0, 20, len(part))]
        part += 0.3 * random.standard_normal(part.shape, dtype=np.float32)
        np.maximum(part, 0, out=part)
        part /= np.linalg.norm(part, axis=1, keepdims=True)
    before, cpu = peak(), resource.getrusage(resource.RUSAGE_SELF)
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        start = time.perf_counter()
        model = deepnmf.DeepSemiNMF(layers, n_neighbors=neighbours, neighbor_search=search,
                                    measure_bound=False, random_state=0).fit(x)
        seconds = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_SELF)
    return {"data_bytes": x.nbytes, "bare_bytes": bare, "before_fit_bytes": before, "peak_bytes": peak(),
            "peak_over_data": peak() / x.nbytes, "seconds": round(seconds, 2),
            "cpu_seconds": round(after.ru_utime + after.ru_stime - cpu.ru_utime - cpu.ru_stime, 2),
            "cores": len(os.sched_getaffinity(0)), "stop": model.stop_reason_, "notices": model.notices_,
            "warnings": sorted({str(w.message) for w in heard}),
            "runs": [[run["stage"], run["iterations"], run["stop"], round(run["seconds"], 2)]
                     for run in model.runs_]}


# All of it

def lines():
    return [json.loads(line) for line in RESULTS.read_text().splitlines()] if RESULTS.exists() else []


def keep(found):
    with RESULTS.open("a") as file:
        file.write("".join(json.dumps(line) + "\n" for line in found))
    for line in found:
        print({key: line[key] for key in line if key not in ("acs", "runs", "warnings", "notices")}, flush=True)


def attempt(head, study):
    try:
        keep([head | line for line in study()])
    except Exception as error:  # noqa: BLE001
        keep([head | {"failure": f"{type(error).__name__}: {error}"}])


def run_sets():
    done = {(line["set"], line["method"]) for line in lines() if line["part"] == "sets"}
    for name in DATA_SETS:
        todo = [method for method in ["data", *METHODS] if (name, method) not in done]
        if not todo:
            continue
        x, labels = read(name)
        for method in todo:
            head = {"part": "sets", "set": name, "method": method}
            if method == "data":
                near = purity(x, labels)
                keep([head | {"attribute": a, "samples": len(x), "features": x.shape[1], "pieces": pieces(x),
                              "purity": near[a]} for a in labels])
            elif method in SPECTRAL:
                attempt(head, lambda m=method: list(judge_spectral(x, labels, SPECTRAL[m])))
            else:
                attempt(head, lambda m=method: list(judge(x, labels, FEATURES[m])))


def run_weights():
    done = {(line["set"], line["lambda"], line["weights"]) for line in lines() if line["part"] == "weights"}
    for name in WEIGHED:
        x, labels = read(name)
        labels = {"identity": labels["identity"]}
        for weights in WEIGHTS:
            for weight in LAMBDAS:
                if (name, weight, weights) in done:
                    continue
                settings = {"n_neighbors": NEIGHBOURS, "neighbor_lam": weight, "neighbor_weights": weights}
                attempt({"part": "weights", "set": name, "lambda": weight, "weights": weights},
                        lambda s=settings: list(judge(x, labels, lambda x: deep(x, **s))))


def run_growth():
    done = {(line["samples"], tuple(line["layers"]), line["neighbours"], line["search"])
            for line in lines() if line["part"] == "growth"}
    for number, case in enumerate(GROWTH):
        if case in done:
            continue
        head = dict(zip(["samples", "layers", "neighbours", "search"], case)) | {"part": "growth"}
        child = subprocess.run([sys.executable, __file__, "--grow", str(number)], capture_output=True, text=True)
        keep([head | (json.loads(child.stdout) if child.returncode == 0 else
                      {"failure": f"exit code {child.returncode}: {child.stderr.strip()[-500:]}"})])


def row(*cells):
    return "| " + " | ".join(map(str, cells)) + " |"


def table():
    found = lines()
    sets = {(line["set"], line.get("attribute"), line["method"]): line for line in found if line["part"] == "sets"}
    places = [(name, a) for name in DATA_SETS for (s, a, m) in sets if s == name and m == "data"]

    def ac(line, spread=False):
        if line is None or "failure" in line:
            return "failed"
        return f"{line['ac']:.1f}" + (f" ± {line['deviation']:.1f}" if spread else "")

    text = ["", "AC in percent, mean and deviation of five seeds of k-means. A star marks what the defaults were "
            "chosen by. Bold is the best of a row.", "",
            row("set", "attribute", "classes", *METHODS), row(*["---"] * (3 + len(METHODS)))]
    for name, attribute in places:
        there = [sets.get((name, attribute, method)) for method in METHODS]
        best = max(float(ac(line)) for line in there if ac(line) != "failed")
        cells = [f"**{ac(line, True)}**" if ac(line) == f"{best:.1f}" else ac(line, True) for line in there]
        star = "*" if name in CHOSEN_BY and attribute == "identity" else ""
        text.append(row(name + star, attribute, sets[name, attribute, "pixels"]["classes"], *cells))
    text += ["", "The neighbours of these sets: what share of the five nearest samples is of a sample's own class, "
             "in the data and in the features of layer 1 that the graph is made of; of how many pieces the graph "
             "of the data is; components of layer 1; seconds of the fit with neighbours.", "",
             row("set", "attribute", "samples", "features", "own class, data", "own class, layer 1", "pieces",
                 "layer 1", "fit"), row(*["---"] * 9)]
    for name, attribute in places:
        data, fit = sets[name, attribute, "data"], sets.get((name, attribute, "deep, neighbours"))
        fitted = [f"{fit['purity_of_graph']:.1f}%", data["pieces"], fit["layers"][0],
                  f"{fit['seconds']:.2f} s"] if fit else ["failed"] * 4
        text.append(row(name, attribute, data["samples"], data["features"], f"{data['purity']:.1f}%", *fitted))

    weights = {(line["set"], line["lambda"], line["weights"]): line for line in found if line["part"] == "weights"}
    text += ["", "AC of identity in percent by the weight of the graph (`neighbor_lam`) and of its edges "
             "(`neighbor_weights`):", "",
             row("edges", "weight", *(name + ("*" if name in CHOSEN_BY else "") for name in WEIGHED)),
             row(*["---"] * (2 + len(WEIGHED)))]
    for edges in WEIGHTS:
        for weight in LAMBDAS:
            usual = " (default)" if (edges, weight) == ("heat", 1.0) else ""
            text.append(row(edges, f"{weight:g}{usual}",
                            *(ac(weights.get((name, weight, edges))) for name in WEIGHED)))

    text += ["", "Growth, 256 features in `f32`:", "",
             row("samples", "layers", "neighbours", "search", "data", "bare process", "before the fit", "peak",
                 "peak over data", "fit", "CPU"), row(*["---"] * 11)]
    for line in sorted((line for line in found if line["part"] == "growth"), key=lambda line: line["samples"]):
        start = [f"{line['samples']:,}", "-".join(map(str, line["layers"])), line["neighbours"] or "none",
                 SEARCHES[line["search"], line["samples"] > 20_000] if line["neighbours"] else "-"]
        if "failure" in line:
            text.append(row(*start, *["failed"] * 7))
            continue
        sizes = [f"{line[key] / 1e6:.0f} MB"
                 for key in ("data_bytes", "bare_bytes", "before_fit_bytes", "peak_bytes")]
        text.append(row(*start, *sizes, f"{line['peak_over_data']:.2f}", f"{line['seconds']:.1f} s",
                        f"{line['cpu_seconds']:.1f} s"))
    whole = README.read_text()
    before, after = whole[:whole.index(BEGIN) + len(BEGIN)], whole[whole.index(END):]
    README.write_text(before + "\n" + "\n".join(text) + "\n\n" + after)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--parts", default="sets,weights,growth")
    parser.add_argument("--grow", type=int, help="one fit of the part growth; the script calls itself so")
    parser.add_argument("--table", action="store_true", help="only write the tables of README.md")
    options = parser.parse_args()
    if options.grow is not None:
        return print(json.dumps(grow(*GROWTH[options.grow])))
    if not options.table:
        for part in options.parts.split(","):
            {"sets": run_sets, "weights": run_weights, "growth": run_growth}[part]()
    return table()


if __name__ == "__main__":
    main()
