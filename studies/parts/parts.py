"""Are attributes found apart without a label?

    DEEPNMF_DATA=DATA_FOLDER python studies/parts/parts.py [--minutes 60] [--methods "Nr-Kmeans;k-means, pixels"]
    python studies/parts/parts.py --table

DATA_FOLDER holds cmu-faces/; deepnmf (the Python package), NumPy, scikit-learn and ClustPy are needed. Samples are
scaled to unit norm. Every method is told how many clusters to find, and nothing else: AdditiveSemiNMF
one number for each part (the first part deep: three times as many clusters next to the data), Nr-Kmeans and the two orthogonal methods of ClustPy one for each of their subspaces, on the
principal components with 95% of the variance, with ten restarts; k-means one number at a time, on pixels, on whitened
principal components (40, unit samples) and on the features of DeepSemiNMF((200, 40), n_neighbors=5).

Each line of results.jsonl is one method on one set with one seed: the NMI of every attribute with every part, and
seconds. A table gives for every attribute the NMI of the part that is meant for it, by the order of the sizes, and the
largest of the others. Means and deviations are those of the seeds.

Generated sets have 600 samples of 60 features, noise of deviation 0.5, and independent attributes: two, three or four
that add up; two of which the second multiplies the first by 0.5 to 2 (no sum); and a pair that adds up only
half, with an interaction as large as each of them.
"""

import argparse
import json
import os
import statistics
import time
import warnings
from pathlib import Path

HERE = Path(__file__).parent
RESULTS, README = HERE / "results.jsonl", HERE / "README.md"
BEGIN, END = "<!-- tables: begin -->", "<!-- tables: end -->"
SEEDS = range(10)


def generated(sizes, kind="sum"):
    import numpy as np
    random = np.random.default_rng(len(sizes))
    labels = np.column_stack([random.integers(size, size=600) for size in sizes])
    centres = [random.normal(size=(size, 60)) / (1 + i / 2) for i, size in enumerate(sizes)]
    x = sum(centre[own] for centre, own in zip(centres, labels.T))
    if kind == "scaled":
        x = centres[0][labels[:, 0]] * np.linspace(0.5, 2, sizes[1])[labels[:, 1], None]
    if kind == "mixed":
        x = x + random.normal(size=(*sizes, 60))[labels[:, 0], labels[:, 1]]
    x = x + 0.5 * random.normal(size=x.shape)
    return x, {f"attribute {i + 1}": own for i, own in enumerate(labels.T)}


def photographs(size):
    import deepnmf
    pattern = f"{{identity}}_{{pose}}_{{expression}}_{{eyes}}_{size}"
    found = deepnmf.load_data(Path(os.environ["DEEPNMF_DATA"], "cmu-faces"), pattern=pattern)
    return found.X, found.labels


def drawn(preset):
    import deepnmf
    found = deepnmf.load_faces(preset)
    return found.X, found.labels


# Of each set how it is read, and for each attribute that is looked for how many clusters.
SETS = {
    "CMU faces 32x30": (lambda: photographs(4), {"identity": 20, "pose": 4}),
    "CMU faces 64x60": (lambda: photographs(2), {"identity": 20, "pose": 4}),
    "CMU faces 32x30, four parts": (lambda: photographs(4),
                                    {"identity": 20, "pose": 4, "expression": 4, "eyes": 2}),
    "drawn faces": (lambda: drawn("default"), {"identity": 20, "illumination": 3}),
    "drawn faces, three parts": (lambda: drawn("default"), {"identity": 20, "pose": 5, "illumination": 3}),
    "drawn faces, multipie": (lambda: drawn("multipie"), {"identity": 40, "pose": 5}),
    "drawn faces, pie": (lambda: drawn("pie"), {"identity": 68, "illumination": 8}),
    "sum of two": (lambda: generated((8, 4)), {"attribute 1": 8, "attribute 2": 4}),
    "sum of three": (lambda: generated((8, 4, 3)), {"attribute 1": 8, "attribute 2": 4, "attribute 3": 3}),
    "sum of four": (lambda: generated((8, 5, 4, 3)),
                    {"attribute 1": 8, "attribute 2": 5, "attribute 3": 4, "attribute 4": 3}),
    "a product": (lambda: generated((8, 4), "scaled"), {"attribute 1": 8, "attribute 2": 4}),
    "half a sum": (lambda: generated((8, 4), "mixed"), {"attribute 1": 8, "attribute 2": 4}),
}


def read(name):
    import numpy as np
    x, labels = SETS[name][0]()
    x = np.asarray(x, float)
    return x / np.linalg.norm(x, axis=1, keepdims=True), labels


def additive(x, sizes, seed):
    import deepnmf
    return deepnmf.AdditiveSemiNMF(sizes, random_state=seed, measure_bound=False).fit(x).labels_


def deep(x, sizes, seed):
    import deepnmf
    first = (3 * sizes[0], sizes[0])
    return deepnmf.AdditiveSemiNMF((first, *sizes[1:]), random_state=seed, measure_bound=False).fit(x).labels_


def by_itself(x, sizes, seed):
    import deepnmf
    return deepnmf.AdditiveSemiNMF("auto", random_state=seed, measure_bound=False).fit(x).labels_


def clustpy(name):
    def method(x, sizes, seed):
        import clustpy.alternative
        from sklearn.decomposition import PCA
        found = getattr(clustpy.alternative, name)
        settings = {"n_init": 10} if name == "NrKmeans" else {}
        return found(list(sizes), random_state=seed, **settings).fit(PCA(0.95).fit_transform(x)).labels_
    return method


def one_at_a_time(features):
    def method(x, sizes, seed):
        import deepnmf
        import numpy as np
        h = np.ascontiguousarray(features(x))
        return np.column_stack([deepnmf.KMeans(size, random_state=seed).fit_predict(h) for size in sizes])
    return method


def whitened(x):
    import deepnmf
    import numpy as np
    h = deepnmf.WhitenedPCA(min(40, *x.shape), random_state=0).fit(x).features_[0]
    return h / np.linalg.norm(h, axis=1, keepdims=True)


def neighbours(x):
    import deepnmf
    return deepnmf.DeepSemiNMF((min(200, *x.shape), 40), n_neighbors=5, random_state=0).fit(x).features_[1]


METHODS = {
    "Additive Semi-NMF": additive,
    "Additive Semi-NMF, first part deep": deep,
    "Additive Semi-NMF, parts auto": by_itself,
    "Nr-Kmeans": clustpy("NrKmeans"),
    "orthogonal clustering": clustpy("OrthogonalClustering"),
    "clustering in orthogonal spaces": clustpy("ClusteringInOrthogonalSpaces"),
    "k-means, pixels": one_at_a_time(lambda x: x),
    "k-means, whitened PCA": one_at_a_time(whitened),
    "k-means, deep with neighbours": one_at_a_time(neighbours),
}


def lines():
    return [json.loads(line) for line in RESULTS.read_text().splitlines()] if RESULTS.exists() else []


def run(minutes, methods):
    from sklearn.metrics import normalized_mutual_info_score as nmi
    warnings.simplefilter("ignore")
    done = {(line["set"], line["method"], line["seed"]) for line in lines()}
    end = time.monotonic() + 60 * minutes
    for seed in SEEDS:
        for name, (_, wanted) in SETS.items():
            x, labels = read(name)
            for method, find in METHODS.items():
                wished = not methods or method in methods
                if (name, method, seed) in done or not wished or time.monotonic() > end:
                    continue
                line = {"set": name, "method": method, "seed": seed}
                begun = time.perf_counter()
                try:
                    found = find(x, tuple(wanted.values()), seed)
                    line["seconds"] = round(time.perf_counter() - begun, 3)
                    line["sizes"] = [len(set(part)) for part in found.T.tolist()]
                    line["nmi"] = {a: [float(nmi(list(y), part)) for part in found.T] for a, y in labels.items()}
                except Exception as error:  # noqa: BLE001
                    line["failure"] = f"{type(error).__name__}: {error}"
                with RESULTS.open("a") as file:
                    file.write(json.dumps(line) + "\n")
                print(name, method, seed, line.get("seconds"), line.get("failure", ""), flush=True)


def row(*cells):
    return "| " + " | ".join(map(str, cells)) + " |"


def shown(values):
    spread = f" ± {statistics.stdev(values):.2f}" if len(values) > 1 else ""
    return f"{statistics.mean(values):.2f}{spread}"


def table():
    found, text = lines(), [""]
    for name, (_, wanted) in SETS.items():
        text += [f"### {name}, {', '.join(f'{a} {k}' for a, k in wanted.items())}", "",
                 row("method", "seeds", *wanted, "largest cross term", "sizes", "seconds"),
                 row(*["---"] * (len(wanted) + 5))]
        for method in METHODS:
            here = [line for line in found if (line["set"], line["method"]) == (name, method)]
            fine = [line for line in here if "nmi" in line]
            if not fine:
                reason = here[0]["failure"][:60] if here else "not run"
                text.append(row(method, 0, reason, *[""] * (len(wanted) + 2)))
                continue
            own, cross = {a: [] for a in wanted}, []
            for line in fine:
                places = {a: i for i, a in enumerate(wanted)}
                if method.endswith("auto") or "k-means" in method:  # no order: the best part of each
                    places = {a: max(range(len(line["nmi"][a])), key=line["nmi"][a].__getitem__) for a in wanted}
                for a in wanted:
                    own[a].append(line["nmi"][a][places[a]])
                others = [line["nmi"][a][i] for a in wanted for i in set(places.values()) if i != places[a]]
                cross.append(max(others, default=0.0))
            sizes = " / ".join(sorted({"-".join(map(str, line["sizes"])) for line in fine})[:3])
            text.append(row(method, len(fine), *(shown(own[a]) for a in wanted), shown(cross), sizes,
                            f"{statistics.mean(line['seconds'] for line in fine):.2f}"))
        rest = [a for a in ("pose", "expression", "eyes") if a not in wanted]
        fine = [line for line in found if (line["set"], line["method"]) == (name, "Additive Semi-NMF") and "nmi" in line]
        if fine and any(a in fine[0]["nmi"] for a in rest):
            told = [f"{a} {statistics.mean(max(line['nmi'][a]) for line in fine):.2f}" for a in rest if a in fine[0]["nmi"]]
            text += ["", f"Not looked for, best part of Additive Semi-NMF: {', '.join(told)}."]
        text.append("")
    whole = README.read_text()
    before, after = whole[:whole.index(BEGIN) + len(BEGIN)], whole[whole.index(END):]
    README.write_text(before + "\n" + "\n".join(text) + "\n" + after)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--methods", type=lambda text: text.split(";"), default=[],
                        help="some of the methods, with semicolons between them")
    parser.add_argument("--table", action="store_true", help="only write the tables of README.md")
    options = parser.parse_args()
    if not options.table:
        run(options.minutes, options.methods)
    table()


if __name__ == "__main__":
    main()
