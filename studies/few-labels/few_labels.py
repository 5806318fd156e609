"""How well does `predict` find attributes when few samples have a label?

    DEEPNMF_DATA=DATA_FOLDER python studies/few-labels/few_labels.py [--parts cmu,lam,pie,shuffled]
    python studies/few-labels/few_labels.py --table

DATA_FOLDER holds PIE_pose27.mat and cmu-faces/; deepnmf (the Python package), NumPy and scikit-learn are
needed. All samples are scaled to unit norm.

Of each class, round(share * size) samples but at least one have a label, drawn for each attribute on its
own; the seeds 0 to 4 give five draws. All methods have the same draws. All samples are in the fit, with
or without a label. The accuracy is that on the samples without a label of the attribute.

    cmu        CMU faces of 32x30 pixels, four attributes, all methods
    lam        the weight of the graph penalty in DeepWSF, 10% labels
    pie        identity on PIE
    shuffled   expression on the CMU faces with its labels shuffled: is what lies below chance the design's?

Each line of results.jsonl is one method on one attribute, share and draw. What is in the file is not
computed again. A failure is a result, too.
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
SEEDS, SHARES, LAMBDAS = range(5), [0.01, 0.05, 0.10], [0.0, 0.1, 1.0, 10.0]
ATTRIBUTES = ["identity", "pose", "eyes", "expression"]
THREE = ["pose", "eyes", "identity"]
FOUR = ["pose", "eyes", "identity", "expression"]
COMPONENTS, WHITENED, SOFT, NEIGHBOURS = 100, 200, 40, 5


# Data

def read(path, **reading):
    """Samples of unit norm, and the labels of each attribute as numbers from 0."""
    import deepnmf
    import numpy as np
    found = deepnmf.load_data(Path(os.environ["DEEPNMF_DATA"], path), **reading)
    labels = {{"gnd": "identity"}.get(a, a): np.unique(np.asarray(y), return_inverse=True)[1]
              for a, y in found.labels.items()}
    return found.X / np.linalg.norm(found.X, axis=1, keepdims=True), labels


def cmu():
    return read("cmu-faces", pattern="{identity}_{pose}_{expression}_{eyes}_4")


def pie():
    return read("PIE_pose27.mat")


def draw(labels, share, seed):
    """Labels of a few samples, -1 elsewhere. An attribute's draw does not depend on the others."""
    import numpy as np
    drawn = {}
    for attribute, y in labels.items():
        random = np.random.default_rng([seed, ATTRIBUTES.index(attribute)])
        drawn[attribute] = np.full(len(y), -1)
        for label in np.unique(y):
            of_class = np.flatnonzero(y == label)
            count = max(1, round(share * len(of_class)))
            drawn[attribute][random.choice(of_class, count, replace=False)] = label
    return drawn


def softly_whitened(x):
    """200 components whose weak ones fade out: U s^2 / (s^2 + t^2) sqrt(n), t the 40th singular value."""
    import numpy as np
    u, s, _ = np.linalg.svd(x - x.mean(axis=0), full_matrices=False)
    u, s = u[:, :WHITENED], s[:WHITENED]
    return u * (s**2 / (s**2 + s[SOFT - 1] ** 2)) * np.sqrt(len(x))


# Methods: (samples, whitened samples, labels drawn) -> {attribute: (predicted, more)}

def deep(columns, **settings):
    def method(x, _, drawn):
        import deepnmf
        import numpy as np
        layers = (COMPONENTS,) * len(columns)
        model = deepnmf.DeepWSF(layers, random_state=0, **settings)
        model.fit(x, np.column_stack([drawn[a] for a in columns]))
        machines = json.loads(model._fitted.predictors)
        chosen = {columns[m["attribute"]]: {"order": place, "layer": m["layer"], "after_others": m["after_others"],
                                            "leave_one_out": m["error"]} for place, m in enumerate(machines)}
        return {a: (model.predict(x, place), chosen[a]) for place, a in enumerate(columns)}
    return method


def parts(x, _, drawn):
    """One part without labels, of 20 clusters, beside those of pose and eyes; no label of identity is seen."""
    import deepnmf
    import numpy as np
    columns = ["pose", "eyes"]
    model = deepnmf.AdditiveSemiNMF((20, None, None), random_state=0)
    model.fit(x, np.column_stack([drawn[a] for a in columns]))
    return {a: (model.predict(x, place), {}) for place, a in enumerate(columns)}


def alone(x, _, drawn):
    import deepnmf
    found = {}
    for a, y in drawn.items():
        model = deepnmf.WSF(COMPONENTS, random_state=0).fit(x, y)
        found[a] = model.predict(x), {"leave_one_out": next(iter(model.prediction_errors_.values()))}
    return found


def judge(make, whitened=True):
    """A scikit-learn classifier that sees the labelled samples only."""
    def method(x, w, drawn):
        h = w if whitened else x
        return {a: (make().fit(h[y != -1], y[y != -1]).predict(h), {}) for a, y in drawn.items()}
    return method


def without_identity(_, w, drawn):
    """The SVM on what is left when the mean of each sample's identity, given or predicted, is removed."""
    import numpy as np
    y, found = drawn["identity"], {}
    identity = np.where(y != -1, y, svc(1.0).fit(w[y != -1], y[y != -1]).predict(w))
    rest = w.copy()
    for label in np.unique(identity):
        rest[identity == label] -= w[identity == label].mean(axis=0)
    for a in drawn.keys() - {"identity"}:
        known = drawn[a] != -1
        found[a] = svc(1.0).fit(rest[known], drawn[a][known]).predict(rest), {}
    return found


def svc(c):
    from sklearn.svm import LinearSVC
    return LinearSVC(C=c, random_state=0, max_iter=5000)


def spreading(_, w, drawn):
    import numpy as np
    from sklearn.semi_supervised import LabelSpreading
    h = w / np.linalg.norm(w, axis=1, keepdims=True)
    return {a: (LabelSpreading(kernel="knn", n_neighbors=NEIGHBOURS).fit(h, y).transduction_, {})
            for a, y in drawn.items()}


def self_training(_, w, drawn):
    from sklearn.semi_supervised import SelfTrainingClassifier
    from sklearn.svm import SVC
    found = {}
    for a, y in drawn.items():
        try:
            model = SelfTrainingClassifier(SVC(kernel="linear", probability=True, random_state=0)).fit(w, y)
            found[a] = model.predict(w), {"rounds": int(model.n_iter_),
                                          "labelled_itself": int((model.labeled_iter_ > 0).sum())}
        except Exception as error:  # noqa: BLE001
            found[a] = None, {"failure": f"{type(error).__name__}: {error}"}
    return found


CMU = {
    "DeepWSF": deep(THREE),
    "DeepWSF, with expression": deep(FOUR),
    "parts 20, pose, eyes": parts,
    "WSF alone": alone,
    "SVM, pixels, C=1": judge(lambda: svc(1.0), whitened=False),
    "SVM, pixels, C=10": judge(lambda: svc(10.0), whitened=False),
    "SVM, whitened": judge(lambda: svc(1.0)),
    "SVM, identity removed": without_identity,  # added after the first look, see README.md
    "label spreading": spreading,
    "self-training": self_training,
}
LAM = {f"lam {lam:g}": deep(THREE, lam=lam) for lam in LAMBDAS}
PIE = {name: CMU[name] for name in ["WSF alone", "SVM, pixels, C=1", "SVM, pixels, C=10", "SVM, whitened"]}
PARTS = {"cmu": (cmu, CMU, SHARES), "lam": (cmu, LAM, [0.10]), "pie": (pie, PIE, SHARES)}


# All of it

def lines():
    return [json.loads(line) for line in RESULTS.read_text().splitlines()] if RESULTS.exists() else []


def keep(found):
    with RESULTS.open("a") as file:
        file.write("".join(json.dumps(line) + "\n" for line in found))
    for line in found:
        print(*line.values(), flush=True)


def run(part):
    data, methods, shares = PARTS[part]
    done = {(line["method"], line["share"], line["draw"]) for line in lines() if line["part"] == part}
    todo = [(m, share, seed) for m in methods for share in shares for seed in SEEDS if (m, share, seed) not in done]
    if not todo:
        return
    x, labels = data()
    w = softly_whitened(x)
    for name, share, seed in todo:
        drawn = draw(labels, share, seed)
        head = {"part": part, "method": name, "share": share, "draw": seed}
        with warnings.catch_warnings(record=True) as heard:
            warnings.simplefilter("always")
            start = time.perf_counter()
            try:
                found = methods[name](x, w, drawn)
            except Exception as error:  # noqa: BLE001
                keep([head | {"failure": f"{type(error).__name__}: {error}"}])
                continue
            seconds = time.perf_counter() - start
        said = {"seconds": round(seconds, 3), "warnings": sorted({str(h.message)[:200] for h in heard})}
        out = []
        for a, (predicted, more) in found.items():
            hidden = drawn[a] == -1
            here = {"attribute": a, "labels": int((~hidden).sum())}
            if predicted is not None:
                here["accuracy"] = float(100 * (predicted[hidden] == labels[a][hidden]).mean())
            out.append(head | here | more | said)
        keep(out)


def run_shuffled():
    """The SVM on whitened features, 10% labels, 20 shuffles of expression."""
    import numpy as np
    if any(line["part"] == "shuffled" for line in lines()):
        return
    x, labels = cmu()
    w = softly_whitened(x)
    y = labels["expression"]
    same = (labels["identity"] * 4 + labels["pose"]) * 2 + labels["eyes"]
    for groups, name in [(same, "among those of the same identity, pose and eyes"), (0 * same, "among all")]:
        for seed in range(20):
            random, shuffled = np.random.default_rng(seed), y.copy()
            for group in np.unique(groups):
                inside = np.flatnonzero(groups == group)
                shuffled[inside] = random.permutation(y[inside])
            drawn = draw({"expression": shuffled}, 0.10, seed)
            predicted, hidden = CMU["SVM, whitened"](x, w, drawn)["expression"][0], drawn["expression"] == -1
            keep([{"part": "shuffled", "method": name, "share": 0.10, "draw": seed, "attribute": "expression",
                   "accuracy": float(100 * (predicted[hidden] == shuffled[hidden]).mean())}])


# Tables

def row(*cells):
    return "| " + " | ".join(map(str, cells)) + " |"


def table():
    found = lines()

    def those(part, method, share, attribute):
        return [line for line in found if (line["part"], line["method"], line["share"], line.get("attribute"))
                == (part, method, share, attribute)]

    def stats(part, method, share, attribute):
        if method == "SVM, pixels":
            both = [stats(part, f"SVM, pixels, C={c}", share, attribute) for c in (1, 10)]
            return max((s for s in both if s), default=None)
        if method == "DeepWSF" and attribute == "expression":
            method = "DeepWSF, with expression"
        scores = [line["accuracy"] for line in those(part, method, share, attribute) if "accuracy" in line]
        return (statistics.mean(scores), statistics.stdev(scores)) if len(scores) == len(SEEDS) else None

    def cells(part, methods, share, attribute):
        there = [stats(part, m, share, attribute) for m in methods]
        best = max(round(s[0], 1) for s in there if s) if attribute != "expression" else None
        texts = ["-" if s is None else f"{s[0]:.1f} ± {s[1]:.1f}" for s in there]
        return [f"**{t}**" if s and round(s[0], 1) == best else t for s, t in zip(there, texts)]

    methods = ["DeepWSF", "parts 20, pose, eyes", "WSF alone", "SVM, pixels", "SVM, whitened", "SVM, identity removed", "label spreading",
               "self-training"]
    text = ["", "CMU faces. Accuracy in percent on the samples without a label, mean and deviation of five draws. "
            "Bold is the best of a row, except for expression, where all is chance. DeepWSF has the columns pose, "
            "eyes and identity; in the rows of expression it has expression as a fourth.", "",
            row("attribute", "labels", "of them", *methods), row(*["---"] * (3 + len(methods)))]
    for a in ATTRIBUTES:
        for share in SHARES:
            some = those("cmu", "WSF alone", share, a)
            if some:
                text.append(row(a, f"{share:.0%}", some[0]["labels"], *cells("cmu", methods, share, a)))

    text += ["", "What DeepWSF (three attributes) chose, by leave-one-out on the given labels: in how many of the "
             "five draws the earlier attributes were removed, which layers, and the leave-one-out error against "
             "the error on the samples without a label. With expression as a fourth attribute the accuracy of "
             "the others is in the last column.", "",
             row("attribute", "labels", "earlier removed", "place in the order", "layers", "leave-one-out error",
                 "error", "accuracy, four attributes"), row(*["---"] * 8)]
    for a in ATTRIBUTES[:3]:
        for share in SHARES:
            some = those("cmu", "DeepWSF", share, a)
            if not some:
                continue
            s = stats("cmu", "DeepWSF, with expression", share, a)
            text.append(row(a, f"{share:.0%}", f"{sum(m['after_others'] for m in some)} of {len(some)}",
                            ", ".join(str(m["order"] + 1) for m in some), ", ".join(str(m["layer"]) for m in some),
                            f"{100 * statistics.mean(m['leave_one_out'] for m in some):.1f}",
                            f"{100 - statistics.mean(m['accuracy'] for m in some):.1f}",
                            f"{s[0]:.1f} ± {s[1]:.1f}" if s else "failed"))

    removal = ["DeepWSF", "SVM, identity removed", "SVM, whitened"]
    text += ["", "The same draws, by whether DeepWSF removed earlier attributes. The SVM always removes identity "
             "in the second column, never in the third. Means over the draws of a row.", "",
             row("attribute", "labels", "DeepWSF removed", "draws", *removal), row(*["---"] * 7)]
    for a in ["pose", "eyes"]:
        for share in SHARES:
            for removed in [False, True]:
                draws = [m["draw"] for m in those("cmu", "DeepWSF", share, a) if m["after_others"] == removed]
                if draws:
                    means = [statistics.mean(m["accuracy"] for m in those("cmu", name, share, a) if m["draw"] in draws)
                             for name in removal]
                    text.append(row(a, f"{share:.0%}", "yes" if removed else "no", len(draws),
                                    *(f"{mean:.1f}" for mean in means)))

    text += ["", "DeepWSF with three attributes, 10% labels, by the weight `lam` of the graph penalty (default 1):", "",
             row("attribute", *(f"{lam:g}" for lam in LAMBDAS)), row(*["---"] * 5)]
    for a in ATTRIBUTES[:3]:
        text.append(row(a, *cells("lam", list(LAM), 0.10, a)))

    if any(line["part"] == "pie" for line in found):
        methods = ["WSF alone", "SVM, pixels", "SVM, whitened"]
        text += ["", "PIE, identity, 68 classes of 42 samples:", "",
                 row("labels", "of them", *methods), row(*["---"] * 5)]
        for share in SHARES:
            some = those("pie", "WSF alone", share, "identity")
            if some:
                text.append(row(f"{share:.0%}", some[0]["labels"], *cells("pie", methods, share, "identity")))
    shuffled = {}
    for line in found:
        if line["part"] == "shuffled":
            shuffled.setdefault(line["method"], []).append(line["accuracy"])
    if shuffled:
        text += ["", "CMU faces, expression with shuffled labels, SVM on whitened features, 10% labels, 20 shuffles:",
                 "", row("shuffled", "accuracy"), row("---", "---")]
        text += [row(name, f"{statistics.mean(s):.1f} ± {statistics.stdev(s):.1f}") for name, s in shuffled.items()]
    whole = README.read_text()
    before, after = whole[:whole.index(BEGIN) + len(BEGIN)], whole[whole.index(END):]
    README.write_text(before + "\n" + "\n".join(text) + "\n\n" + after)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--parts", default="cmu,lam,pie,shuffled")
    parser.add_argument("--table", action="store_true", help="only write the tables of README.md")
    options = parser.parse_args()
    if not options.table:
        for part in options.parts.split(","):
            run_shuffled() if part == "shuffled" else run(part)
    table()


if __name__ == "__main__":
    main()
