"""How time and memory of a Deep WSF fit grow with the number of samples.

    python studies/scale/scale.py PROGRAM [--samples 10000,100000,1000000] [--threads 2]

PROGRAM is the built deepnmf; NumPy is needed, and about 1.1 GB of disk for a temporary file. The data
are drawn: 256 features in f32, mixed non-negative factors of which some belong to the classes of two
attributes, and noise; 10% of the samples have labels. Layers 64-32, an attribute on each, five
iterations of fine-tuning. The seconds of an iteration are those between two entries of the clock of
the last loop, memory is the most that the process had in its hands (resident set), the data file read
included. Each line of results.jsonl is one run.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

RESULTS = Path(__file__).with_name("results.jsonl")
FEATURES, LAYERS, LABELLED, PIECE = 256, "64,32", 0.1, 50_000


def draw(folder, samples):
    """Writes the data piece by piece, so that this script stays small."""
    random = np.random.default_rng(0)
    mixing = random.normal(size=(40, FEATURES)).astype(np.float32)
    centres = random.random((2, 10, 20)).astype(np.float32)
    data = np.lib.format.open_memmap(folder / "x.npy", "w+", np.float32, (samples, FEATURES))
    with (folder / "labels.csv").open("w") as labels:
        labels.write("pose,identity\n")
        for start in range(0, samples, PIECE):
            count = min(PIECE, samples - start)
            codes = random.integers(0, 10, size=(2, count))
            factors = np.hstack([centres[a][codes[a]] for a in range(2)])
            factors += random.random(factors.shape, dtype=np.float32)
            data[start:start + count] = factors @ mixing + random.normal(
                scale=0.3, size=(count, FEATURES)).astype(np.float32)
            known = random.random(count) < LABELLED
            labels.writelines(f"{codes[0, j]},{codes[1, j]}\n" if known[j] else ",\n" for j in range(count))
    data.flush()


def run(program, folder, samples, threads):
    arguments = [program, "fit", folder / "x.npy", "--labels-file", folder / "labels.csv", "--dtype", "f32",
                 "--model", "deep-wsf", "--layers", LAYERS, "--attributes", "pose,identity",
                 "--lambda", "1e-3", "--max-iter", "5", "--kappa", "0", "--no-bound",
                 "--threads", threads, "--json", "--quiet"]
    child = subprocess.Popen(list(map(str, arguments)), stdout=subprocess.PIPE, text=True)
    told = json.loads(child.stdout.read())
    _, status, usage = os.wait4(child.pid, 0)
    assert status == 0, told
    loop = next(run for run in told["runs"] if run["part"] == "fine-tuning")
    data = samples * FEATURES * 4
    steps = np.diff(loop["clock"])
    return {"samples": samples, "threads": threads, "data_bytes": data,
            "peak_bytes": usage.ru_maxrss * 1024, "peak_over_data": usage.ru_maxrss * 1024 / data,
            "seconds_per_iteration": float(np.median(steps)), "seconds": told["seconds"],
            "runs": [{key: run.get(key) for key in ("part", "layer", "iterations", "seconds")}
                     for run in told["runs"]]}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program")
    parser.add_argument("--draw", nargs=2, help=argparse.SUPPRESS)
    parser.add_argument("--samples", default="10000,100000,1000000")
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    if options.draw:
        return draw(Path(options.draw[0]), int(options.draw[1]))
    lines = []
    for samples in map(int, options.samples.split(",")):
        with tempfile.TemporaryDirectory() as folder:
            # In a process of its own: a child inherits the peak of the one that starts it.
            subprocess.run([sys.executable, __file__, options.program, "--draw", folder, str(samples)], check=True)
            lines.append(run(options.program, Path(folder), samples, options.threads))
        line = lines[-1]
        print(f"{samples:9} samples  {line['data_bytes'] / 1e6:8.1f} MB of data  peak {line['peak_bytes'] / 1e6:8.1f} MB"
              f" ({line['peak_over_data']:.2f}x)  {line['seconds_per_iteration']:.4f} s an iteration"
              f"  {line['seconds']:.1f} s in all", flush=True)
    return RESULTS.write_text("".join(json.dumps(line) + "\n" for line in lines))


if __name__ == "__main__":
    main()
