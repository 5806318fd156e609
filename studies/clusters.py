"""Clusters faces by identity, on the features of one model after the other.

    python studies/clusters.py depth|sizes|baselines PROGRAM DATA_FOLDER [--quick] [--minutes 60]
        [--data-sets pie,cmu] [--methods semi-nmf,deep-relu] [--components 40,70]
    python studies/clusters_table.py depth|sizes|baselines

The study of depth asks whether it helps, that of the baselines how good they are. PROGRAM is the built
deepnmf, DATA_FOLDER holds PIE_pose27.mat and cmu-faces/. Each result is a line of results.jsonl in the
folder of the study, one for each data set, method, number of components and scaling of the features. What is in the file already is not computed again, so the study can be stopped at
any time and goes on where it was. Failures are results, too; --retry computes those again.

Every fit uses default settings but for what the method's name says. The default start is
deterministic: the ten repeats behind a deviation differ by the seed of k-means and by nothing else.
Components run 40, 70, 20, 30, 50, 60, and each has all data sets and methods before the next
begins: a study that is cut short is still balanced.
"""

import argparse
import hashlib
import json
import resource
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).parent
COMPONENTS = [40, 70, 20, 30, 50, 60]
SCALINGS = ["none", "unit-samples", "unit-rows", "whitened"]
REPEATS = 10

# The small sets come first: they take seconds, PIE takes minutes.
DATA_SETS = {
    "cmu": ("cmu-faces", "identity",
            ["--pattern", "{identity}_{pose}_{expression}_{eyes}_2", "--resize", "32x30"]),
    "drawn-pie": ("builtin:faces-pie", "identity", []),
    "drawn-multipie": ("builtin:faces-multipie", "identity", []),
    "pie": ("PIE_pose27.mat", "gnd", []),
}

# Of each study the size of a first layer, which has to be smaller than the number of samples, for each
# data set it has; then of each method whether it has such a layer, and its options.
STUDIES = {
    "depth": ({"cmu": 200, "drawn-pie": 200, "drawn-multipie": 200, "pie": 400}, {
        "whitened-pca": (False, ["--model", "whitened-pca"]),
        "semi-nmf": (False, ["--model", "semi-nmf"]),
        "deep-linear": (True, []),
        "deep-relu": (True, ["--activation", "relu"]),
        "deep-stanh": (True, ["--activation", "stanh"]),
        "deep-square": (True, ["--activation", "square"]),
        "deep-sigmoid": (True, ["--activation", "sigmoid"]),
        "deep-softplus": (True, ["--activation", "softplus"]),
        "loss-layer": (True, ["--loss", "layer"]),
        "loss-data": (True, ["--loss", "data"]),
        "loss-layer-relu": (True, ["--loss", "layer", "--activation", "relu"]),
        "loss-data-relu": (True, ["--loss", "data", "--activation", "relu"]),
        "deep-neighbours": (True, ["--neighbours", "5"]),
    }),
    # Do neighbours help at other sizes than the one that their defaults were chosen by (40)?
    "sizes": ({"cmu": 200, "drawn-pie": 200, "drawn-multipie": 200, "pie": 400}, {
        "whitened-pca": (False, ["--model", "whitened-pca"]),
        "semi-nmf": (False, ["--model", "semi-nmf"]),
        "deep-linear": (True, []),
        "deep-neighbours": (True, ["--neighbours", "5"]),
    }),
    # The paper's first layer on PIE. CNMF and DNMF learn from the labels that clusters are judged by.
    "baselines": ({"cmu": 200, "pie": 625}, {
        "whitened-pca": (False, ["--model", "whitened-pca"]),
        "semi-nmf": (False, ["--model", "semi-nmf"]),
        "nmf": (False, ["--model", "nmf"]),
        "nmf-multiplicative": (False, ["--model", "nmf", "--solver", "multiplicative"]),
        "nenmf": (False, ["--model", "nenmf"]),
        "gnmf": (False, ["--model", "gnmf"]),
        "multilayer-nmf": (True, ["--model", "multilayer-nmf"]),
    }),
}


def results(study):
    return HERE / study / "results.jsonl"


class Failed(Exception):
    pass


def call(arguments, seconds):
    """The JSON that deepnmf prints. Whatever goes wrong is a Failed with the reason."""
    arguments = [*map(str, arguments), "--json", "--quiet"]
    try:
        done = subprocess.run(arguments, capture_output=True, text=True, timeout=seconds)
    except subprocess.TimeoutExpired:
        raise Failed(f"no result after {seconds} s") from None
    try:
        result = json.loads(done.stdout)
    except json.JSONDecodeError:
        raise Failed(f"exit code {done.returncode}: {done.stderr.strip()[-500:]}") from None
    if done.returncode != 0:
        raise Failed(f"exit code {done.returncode}: {result.get('failure', result)}")
    return result


def fit(options, name, method, k, model):
    path, _, reading = DATA_SETS[name]
    firsts, methods = STUDIES[options.study]
    deep, settings = methods[method]
    source = path if path.startswith("builtin:") else options.folder / path
    layers = f"{firsts[name]},{k}" if deep else str(k)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    found = call([options.program, "fit", source, *reading, "--layers", layers, *settings,
                  "--threads", options.threads, "--out", model], options.fit_seconds)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    # Reading the data included; unlike seconds by the clock it does not feel what runs beside it.
    cpu_seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    # What is kept of a fit: enough to see one that got stuck or stopped at its limit.
    kept = {key: found.get(key) for key in
            ("layers", "samples", "features", "error", "relative_error", "svd_bound",
             "iterations", "stop", "seconds", "notices")}
    history = found.get("history") or [None]
    return {**kept, "cpu_seconds": round(cpu_seconds, 2),
            "first_error": history[0], "last_error": history[-1]}


def evaluate(options, name, k, scaling, model):
    path, attribute, reading = DATA_SETS[name]
    source = path if path.startswith("builtin:") else options.folder / path
    found = call([options.program, "evaluate", model, "--data", source, *reading, "--cluster",
                  "--attribute", attribute, "--scale", scaling, "--repeats", options.repeats,
                  "--threads", options.threads], options.fit_seconds)
    cell = found["cells"][-1]  # the top layer
    if cell["components"] != k:
        raise Failed(f"the top layer has {cell['components']} components")
    scores = cell["clustering"]
    return {score: {key: scores[score][key] for key in ("mean", "deviation")}
            for score in ("ac", "nmi", "ari")} | {"classes": cell["classes"]}


def finished(file, retry, program):
    if not file.exists():
        return set()
    lines = [json.loads(line) for line in file.read_text().splitlines() if line.strip()]
    if any(line["program"] != program for line in lines):
        sys.exit(f"{file} holds figures of another build: move it away, or use that build")
    return {(line["data"], line["method"], line["k"], line["scaling"]) for line in lines
            if not (retry and "failure" in line)}


def keep(file, line):
    # A whole line in one write: a study that is stopped here leaves no half line behind.
    with file.open("a") as out:
        out.write(json.dumps(line) + "\n")


def listed(choices):
    def parse(text):
        names = text.split(",")
        for name in names:
            if name not in map(str, choices):
                raise argparse.ArgumentTypeError(f"{name} is none of {', '.join(map(str, choices))}")
        return names
    return parse


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("study", choices=STUDIES)
    parser.add_argument("program")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--data-sets", type=listed(DATA_SETS))
    parser.add_argument("--methods", type=lambda text: text.split(","))
    parser.add_argument("--components", type=listed(COMPONENTS), default=list(map(str, COMPONENTS)))
    parser.add_argument("--quick", action="store_true",
                        help="only 40 components, without PIE: some minutes")
    parser.add_argument("--minutes", type=float, help="begin no fit after this time")
    parser.add_argument("--fit-seconds", type=float, default=900, help="longer calls count as failed")
    parser.add_argument("--repeats", type=int, default=REPEATS)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--retry", action="store_true", help="compute failed cells again")
    options = parser.parse_args()
    firsts, methods = STUDIES[options.study]
    wanted = options.methods or list(methods)
    if not set(wanted) <= set(methods):
        parser.error(f"methods of this study: {', '.join(methods)}")
    data_sets = [name for name in options.data_sets or firsts if name in firsts]
    if options.quick:
        options.components = ["40"]
        data_sets = [name for name in data_sets if name != "pie"]

    # So that TERM ends the study like Ctrl-C does: the child is ended with it.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(130))
    program = hashlib.sha256(Path(options.program).read_bytes()).hexdigest()[:12]
    file = results(options.study)
    start, done = time.monotonic(), finished(file, options.retry, program)
    plan = [(name, method, k) for k in COMPONENTS if str(k) in options.components
            for name in DATA_SETS if name in data_sets for method in methods if method in wanted]
    for name, method, k in plan:
        open_scalings = [s for s in SCALINGS if (name, method, k, s) not in done]
        if not open_scalings:
            continue
        if options.minutes and time.monotonic() - start > 60 * options.minutes:
            print("the time is up; run again to go on")
            break
        with tempfile.TemporaryDirectory() as temporary:
            model, fitted = Path(temporary) / "model.safetensors", {}
            for scaling in open_scalings:
                line = {"data": name, "method": method, "k": k, "scaling": scaling}
                try:
                    fitted = fitted or fit(options, name, method, k, model)
                    line |= evaluate(options, name, k, scaling, model) | {"fit": fitted}
                except Failed as failure:
                    line |= {"failure": str(failure)}
                keep(file, line | {"repeats": options.repeats, "program": program})
                what = line.get("failure") or f"AC {line['ac']['mean']:.3f} NMI {line['nmi']['mean']:.3f}"
                if scaling == open_scalings[0] and fitted:
                    what += f"   error {fitted['error']:.4f}, {fitted['seconds']:.1f} s"
                print(f"{name:15} {method:18} {k:3} {scaling:13} {what}", flush=True)
                if "failure" in line and not fitted:
                    # The fit failed, and would fail for every scaling.
                    for other in open_scalings[1:]:
                        keep(file, line | {"scaling": other, "repeats": options.repeats, "program": program})
                    break


if __name__ == "__main__":
    main()
