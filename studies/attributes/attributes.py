"""Do labels help to recognise attributes of faces that were not in the fit?

    python studies/attributes/attributes.py PROGRAM DATA_FOLDER [--splits 3] [--only 0] [--minutes 60]
    python studies/attributes/attributes.py --table

PROGRAM is the built deepnmf, DATA_FOLDER holds cmu-faces/; NumPy and scikit-learn are needed. The 624
CMU faces of 64 x 60 pixels (samples of unit norm) are split by identity into 50% to fit, 20% to choose
by and 30% to report on. Every model has 100 components a layer and 100 iterations a loop; Deep WSF has
three layers with pose, expression and identity, as the paper's, and so nothing that knows of the eyes.

All features, those of training samples too, come from projection of the samples onto the fitted bases,
by method 1 (pseudo-inverses) or method 2 (non-negative least squares): what a user has for new samples.
They are standardised and judged by a linear SVM with C = 1. The weight lambda (one for all layers), the
method and, for deep models, the layer are those that are best for the attribute at hand on the samples
to choose by; the samples to report on are looked at once, with that choice. WSF is fitted once for each
attribute, with its labels, all others once for all attributes.

The samples to choose by always have their labels. In the curve over the share of labels only those of
the samples of the fit are thinned; the SVM is trained on the same share.

Each line of results.jsonl is one choice: split, method, share, attribute. It resumes where it was.
"""

import argparse
import csv
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

RESULTS = Path(__file__).with_name("results.jsonl")
README = Path(__file__).with_name("README.md")
BEGIN, END = "<!-- tables: begin -->", "<!-- tables: end -->"
ATTRIBUTES = ["pose", "expression", "identity", "eyes"]
LAMBDAS = ["0.1", "1", "10", "100"]
SHARES = [1.0, 0.5, 0.25, 0.1, 0.05]
K, ITERATIONS = 100, 100
DEEP = ["--layers", f"{K},{K},{K}", "--attributes", "pose,expression,identity"]
METHODS = {  # name: flags, whether it learns from labels
    "Semi-NMF": (["--model", "semi-nmf", "--layers", str(K)], False),
    "whitened PCA": (["--model", "whitened-pca", "--layers", str(K)], False),
    "NMF": (["--model", "nmf", "--layers", str(K)], False),
    "Deep Semi-NMF, relu": (["--layers", f"{K},{K},{K}", "--activation", "relu"], False),
    "WSF": (["--model", "wsf", "--layers", str(K)], True),
    "WSF-MA": (["--model", "wsf-ma", "--layers", str(K), "--attributes", ",".join(ATTRIBUTES)], True),
    "Deep WSF": (["--model", "deep-wsf", *DEEP], True),
    "Deep WSF, relu": (["--model", "deep-wsf", *DEEP, "--activation", "relu"], True),
}
CURVE = ["Semi-NMF", "whitened PCA", "WSF", "WSF-MA", "Deep WSF"]


def faces(folder):
    """Pixels (a row per face) and labels, from the names of the files."""
    import numpy as np
    rows, labels = [], []
    for path in sorted(Path(folder, "cmu-faces").rglob("*_2.pgm")):
        raw = path.read_bytes()
        magic, width, height = raw.split(None, 3)[:3]
        assert magic == b"P5" and (width, height) == (b"64", b"60"), path
        count = int(width) * int(height)
        rows.append(np.frombuffer(raw[-count:], np.uint8).astype(float))
        identity, pose, expression, eyes, _ = path.stem.split("_")
        labels.append({"identity": identity, "pose": pose, "expression": expression, "eyes": eyes})
    x = np.array(rows)
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    return x, {name: np.array([label[name] for label in labels]) for name in ATTRIBUTES}


class Split:
    """One split of the faces, with the program's files in a folder."""

    def __init__(self, program, folder, x, labels, seed):
        import numpy as np
        from sklearn.model_selection import train_test_split
        self.program, self.folder, self.seed = program, Path(folder), seed
        indices = np.arange(len(x))
        fit, rest = train_test_split(indices, train_size=0.5, stratify=labels["identity"], random_state=seed)
        choose, report = train_test_split(rest, train_size=0.4, stratify=labels["identity"][rest], random_state=seed)
        self.parts = {"fit": fit, "choose": choose, "report": report}
        self.x, self.labels = x, labels
        for name, part in self.parts.items():
            np.save(self.folder / f"{name}.npy", x[part])

    def thin(self, share):
        """Labels of the samples of the fit, of which a share is known; others for each attribute."""
        import numpy as np
        from sklearn.model_selection import train_test_split
        known = {}
        for number, name in enumerate(ATTRIBUTES):
            y = self.labels[name][self.parts["fit"]]
            mask = np.ones(len(y), bool)
            if share < 1.0:
                count = max(round(share * len(y)), len(set(y)))
                kept, _ = train_test_split(np.arange(len(y)), train_size=count, stratify=y,
                                           random_state=100 * self.seed + number)
                mask[:] = False
                mask[kept] = True
            known[name] = mask
        with (self.folder / "labels.csv").open("w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(ATTRIBUTES)
            for row, sample in enumerate(self.parts["fit"]):
                writer.writerow([self.labels[a][sample] if known[a][row] else "" for a in ATTRIBUTES])
        return known

    def call(self, *arguments):
        done = subprocess.run([self.program, *map(str, arguments), "--json", "--quiet", "--threads", "1"],
                              capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError(done.stdout + done.stderr)
        return json.loads(done.stdout)

    def features(self, flags, uses_labels):
        """The features of all parts, for every layer and method of projection."""
        import numpy as np
        model, out = self.folder / "m.safetensors", self.folder / "h.npy"
        labels = ["--labels-file", self.folder / "labels.csv"] if uses_labels else []
        fit = self.call("fit", self.folder / "fit.npy", "--normalize", "none", "--no-bound", "--max-iter",
                        ITERATIONS, *labels, *flags, "--out", model)
        found = {}
        methods = ["basis"] if "whitened-pca" in flags else ["basis", "nonnegative"]
        for layer in range(1, len(fit["layers"]) + 1):
            for method in methods:
                parts = {}
                for part in self.parts:
                    self.call("transform", model, self.folder / f"{part}.npy", "--layer", layer,
                              "--method", method, "--out", out)
                    parts[part] = np.load(out)
                found[f"layer {layer}, {method}"] = parts
        return found

    def score(self, parts, attribute, known, on):
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import StandardScaler
        from sklearn.svm import LinearSVC
        y = {part: self.labels[attribute][samples] for part, samples in self.parts.items()}
        svm = make_pipeline(StandardScaler(), LinearSVC(C=1.0, dual=False))
        mask = known[attribute]
        return float(svm.fit(parts["fit"][mask], y["fit"][mask]).score(parts[on], y[on]))


def study(split, method, share):
    """The choice for each attribute, and what it is worth."""
    flags, weak = METHODS[method]
    known = split.thin(share)
    fits = {}
    for weight in LAMBDAS if weak else [None]:
        extra = ["--lambda", weight] if weight else []
        if method == "WSF":
            for attribute in ATTRIBUTES:
                fits[weight, attribute] = split.features([*flags, "--attributes", attribute, *extra], True)
        else:
            fits[weight, None] = split.features([*flags, *extra], weak)
    for attribute in ATTRIBUTES:
        best = None
        for (weight, only), found in fits.items():
            if only not in (None, attribute):
                continue
            for place, parts in found.items():
                score = split.score(parts, attribute, known, "choose")
                if best is None or score > best[0]:
                    best = (score, weight, place, parts)
        score, weight, place, parts = best
        yield {"attribute": attribute, "lambda": weight, "place": place, "choosing": score,
               "accuracy": split.score(parts, attribute, known, "report")}


def table():
    lines = [json.loads(line) for line in RESULTS.read_text().splitlines()]

    def mean(method, share, attribute):
        found = [100 * line["accuracy"] for line in lines
                 if (line["method"], line["share"], line["attribute"]) == (method, share, attribute)]
        if not found:
            return "-"
        spread = f" ± {statistics.stdev(found):.1f}" if len(found) > 1 else ""
        return f"{statistics.mean(found):.1f}{spread}"

    splits = len({line["split"] for line in lines if line["share"] == 1.0})
    text = ["", f"All labels, {splits} splits, accuracy on the samples to report on, in %:", "",
            "| method | " + " | ".join(ATTRIBUTES) + " |", "|---" * 5 + "|"]
    for method in METHODS:
        text.append(f"| {method} | " + " | ".join(mean(method, 1.0, a) for a in ATTRIBUTES) + " |")
    for attribute in ATTRIBUTES:
        text += ["", f"By the share of labels, {attribute}:", "",
                 "| method | " + " | ".join(f"{share:.0%}" for share in SHARES) + " |",
                 "|---" * (len(SHARES) + 1) + "|"]
        for method in CURVE:
            text.append(f"| {method} | " + " | ".join(mean(method, s, attribute) for s in SHARES) + " |")
    whole = README.read_text()
    before, after = whole[:whole.index(BEGIN) + len(BEGIN)], whole[whole.index(END):]
    README.write_text(before + "\n" + "\n".join(text) + "\n\n" + after)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program", nargs="?")
    parser.add_argument("folder", nargs="?")
    parser.add_argument("--splits", type=int, default=3)
    parser.add_argument("--only", type=int, help="only this split, to run several at once")
    parser.add_argument("--minutes", type=float, default=1e9, help="begin nothing after this time")
    parser.add_argument("--table", action="store_true", help="only write the tables of README.md")
    options = parser.parse_args()
    if options.table:
        return table()
    start, done = time.monotonic(), set()
    if RESULTS.exists():
        done = {(line["split"], line["method"], line["share"])
                for line in map(json.loads, RESULTS.read_text().splitlines())}
    x, labels = faces(options.folder)
    # Whole splits come first: a study that is cut short is still balanced.
    seeds = range(options.splits) if options.only is None else [options.only]
    plan = [(seed, share, method) for share in SHARES for seed in seeds
            for method in (METHODS if share == 1.0 else CURVE)]
    for seed, share, method in plan:
        if (seed, method, share) in done:
            continue
        if time.monotonic() - start > 60 * options.minutes:
            sys.exit("the time is up; run again to go on")
        with tempfile.TemporaryDirectory() as folder:
            split = Split(options.program, folder, x, labels, seed)
            lines = [{"split": seed, "method": method, "share": share} | line
                     for line in study(split, method, share)]
        with RESULTS.open("a") as file:
            file.write("".join(json.dumps(line) + "\n" for line in lines))
        print(seed, method, share, {line["attribute"]: round(line["accuracy"], 3) for line in lines}, flush=True)
    return table()


if __name__ == "__main__":
    main()
