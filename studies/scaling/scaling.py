"""How a fit on several ranks of MPI scales: strong and weak, measured; and what that predicts for a cluster.

    python studies/scaling/scaling.py measure PROGRAM [--ranks 1,2,4]
    python studies/scaling/scaling.py predict

PROGRAM is deepnmf built with the feature `mpi`; NumPy is needed, and `mpirun`. `measure` draws data (500 features in f32,
three classes) and fits them with one thread a rank: 60,000 samples on all ranks together (strong scaling), and 30,000 on
each (weak). The seconds of an iteration are the median between two entries of the clock; `deviations` are the relative ones of all
iterations, from their median. What an iteration sends is the difference between fits of 5 and of 10 iterations, divided by five. Each
line of results.jsonl is one fit. More ranks than cores take turns.

`predict` replays those counts for 10^9 samples on 1 to 1,000 ranks, each with a million samples or with its share of them, and writes
prediction.jsonl. Every rank computes as long as one alone does here for as many samples, times one plus a deviation drawn from the measured
ones; then all wait for the last, and for the network. Its numbers are assumptions, stated in NETWORK: a message takes a latency and
its bytes over the bandwidth; an exchange of slices is m - 1 messages one after the other, a gathering of results too, and few numbers are
gathered in ceil(log2 m) messages. That is what MPI libraries do at worst; none overlaps with the computation here.
"""

import argparse
import json
import math
import os
import subprocess
import tempfile
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent
MEASURED, PREDICTED = HERE / "results.jsonl", HERE / "prediction.jsonl"
FEATURES, STRONG, WEAK, PIECE = 500, 60_000, 30_000, 15_000
MODELS = {
    "semi-nmf": ["--model", "semi-nmf", "--layers", "40"],
    "nmf": ["--model", "nmf", "--layers", "40"],
    "wsf": ["--model", "wsf", "--layers", "40", "--attributes", "group"],
    "deep-semi-nmf": ["--model", "deep-semi-nmf", "--layers", "100,40"],
}
NETWORK = {"latency": 2e-6, "bandwidth": 10e9}
FEW = 128  # up to so many numbers go to all ranks at once


def draw(folder, samples):
    random = np.random.default_rng(0)
    basis = random.random((60, FEATURES), dtype=np.float32) ** 3
    data = np.lib.format.open_memmap(folder / "x.npy", "w+", np.float32, (samples, FEATURES))
    for start in range(0, samples, PIECE):
        count = min(PIECE, samples - start)
        noise = 0.1 * random.random((count, FEATURES), dtype=np.float32)
        data[start:start + count] = random.random((count, 60), dtype=np.float32) ** 3 @ basis + noise
    data.flush()
    groups = "\n".join(map(str, random.integers(3, size=samples)))
    (folder / "labels.csv").write_text(f"group\n{groups}\n")


def fit(program, folder, model, ranks, iterations):
    flags = list(MODELS[model])
    if model == "wsf":
        flags += ["--labels-file", str(folder / "labels.csv"), "--lambda", "1e-3"]
    command = ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", str(ranks), "--bind-to", "none", program, "fit",
               str(folder / "x.npy"), *flags, "--init", "random", "--dtype", "f32", "--max-iter", str(iterations),
               "--kappa", "0", "--threads", "1", "--no-bound", "--json", "--quiet"]
    told = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return told, np.diff(told["runs"][-1]["clock"])


def measure(options):
    lines = []
    for ranks in map(int, options.ranks.split(",")):
        for kind, samples in (("strong", STRONG), ("weak", WEAK * ranks)):
            with tempfile.TemporaryDirectory() as folder:
                draw(Path(folder), samples)
                for model in MODELS:
                    few, _ = fit(options.program, Path(folder), model, ranks, 5)
                    told, steps = fit(options.program, Path(folder), model, ranks, 10)
                    median = float(np.median(steps))
                    sent = {key: (told["communication"][key] - few["communication"][key]) / 5
                            for key in ("calls", "numbers", "bytes")} if ranks > 1 else {}
                    line = {"kind": kind, "model": model, "ranks": ranks, "samples": samples,
                            "seconds_per_iteration": median, "deviations": [round(float(d), 4) for d in steps / median - 1],
                            "sent": sent, "error": told["error"]}
                    lines.append(line)
                    print(f"{kind:6} {model:14} {ranks} ranks, {samples} samples: {median:.4f} s an iteration, {sent}", flush=True)
    MEASURED.write_text("".join(json.dumps(line) + "\n" for line in lines))


def of_network(numbers, ranks):
    """Seconds of one reduction."""
    latency, bandwidth = NETWORK["latency"], NETWORK["bandwidth"]
    if ranks == 1:
        return 0.0
    if numbers <= FEW:
        return math.ceil(math.log2(ranks)) * latency + 8 * (ranks - 1) * numbers / bandwidth
    return 2 * (ranks - 1) * (latency + 8 * math.ceil(numbers / ranks) / bandwidth)


def predict(_):
    lines = [json.loads(line) for line in MEASURED.read_text().splitlines()]
    random, predicted = np.random.default_rng(0), []
    for model in MODELS:
        of_model = [line for line in lines if line["model"] == model]
        alone = next(line for line in of_model if line["ranks"] == 1 and line["kind"] == "strong")
        deviations = np.array([d for line in of_model if line["ranks"] <= 2 for d in line["deviations"]])
        counted = next(line["sent"] for line in of_model if line["ranks"] == 2)
        # The calls of an iteration with its numbers: mostly one large matrix, the others share what is left.
        per_sample = alone["seconds_per_iteration"] / alone["samples"]
        for kind, count in (("weak", None), ("strong", 10**9)):
            for ranks in (1, 10, 100, 1000):
                share = 10**6 if count is None else count // ranks
                # Each call has the mean number of numbers, which takes as long as the calls as they are: cost is linear in both.
                network = counted["calls"] * of_network(counted["numbers"] / counted["calls"], ranks)
                waits = [share * per_sample * (1 + random.choice(deviations, ranks).max()) for _ in range(200)]
                seconds = float(np.mean(waits)) + network
                line = {"kind": kind, "model": model, "ranks": ranks, "samples": share * ranks, "seconds_per_iteration": seconds,
                        "network": network, "waiting": float(np.mean(waits)) - share * per_sample,
                        "efficiency": share * per_sample / seconds}
                predicted.append(line)
                print(f"{kind:6} {model:14} {ranks:5} ranks, {line['samples']:.0e} samples: {seconds:9.3f} s an iteration, "
                      f"network {network:.5f} s, waiting {line['waiting']:.3f} s, efficiency {line['efficiency']:.3f}")
    PREDICTED.write_text("".join(json.dumps(line) + "\n" for line in predicted))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    commands = parser.add_subparsers(required=True)
    measuring = commands.add_parser("measure")
    measuring.add_argument("program")
    measuring.add_argument("--ranks", default="1,2,4")
    measuring.set_defaults(work=measure)
    commands.add_parser("predict").set_defaults(work=predict)
    options = parser.parse_args()
    os.environ.setdefault("OMPI_MCA_btl", "self,vader")
    options.work(options)


if __name__ == "__main__":
    main()
