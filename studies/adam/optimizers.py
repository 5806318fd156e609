"""When does each optimiser of nonlinear models reach a given error?

    python studies/adam/optimizers.py PROGRAM DATA_FOLDER [--seconds 60]

Prints the table of README.md and writes it there. The objective of varpro holds a small ridge that the
others lack, so that its errors are a little too high here.
"""

import argparse
import json
import subprocess
from pathlib import Path

README = Path(__file__).with_name("README.md")
BEGIN, END = "<!-- optimizers: begin -->", "<!-- optimizers: end -->"
OPTIMIZERS = ["varpro", "apg", "apg-blocks", "adam"]
SHARES = [1.0, 0.95, 0.9, 0.85, 0.8]  # of the SVD bound of a linear model


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seconds", type=int, default=60)
    options = parser.parse_args()
    rows, heads = [], None
    for optimizer in OPTIMIZERS:
        told = json.loads(subprocess.run(
            [options.program, "fit", options.folder / "cmu-faces", "--resize", "32x30", "--pattern",
             "{identity}_{pose}_{expression}_{eyes}_2", "--layers", "200,40", "--activation", "relu",
             "--optimizer", optimizer, "--max-iter", "100000", "--max-seconds", str(options.seconds),
             "--kappa", "0", "--threads", "1", "--json", "--quiet"],
            capture_output=True, text=True, check=True).stdout)
        bound, cells = told["svd_bound"], []
        heads = [f"{share * bound:.2f}" for share in SHARES]
        for share in SHARES:
            reached = (i for i, error in enumerate(told["history"]) if error <= share * bound)
            at = next(reached, None)
            cells.append("-" if at is None else f"{told['clock'][at]:.1f} s, {at}")
        rows.append(f"| {optimizer} | {' | '.join(cells)} | {told['error']:.3f}, {told['iterations']} |")
        print(rows[-1], flush=True)
    table = ["", f"Seconds and iterations to an error of (the SVD bound of a linear model is {heads[0]}):", "",
             f"| | {' | '.join(heads)} | error and iterations at the end |", "|---" * (len(SHARES) + 2) + "|", *rows, ""]
    text = README.read_text()
    before, after = text[:text.index(BEGIN) + len(BEGIN)], text[text.index(END):]
    README.write_text(before + "\n" + "\n".join(table) + "\n" + after)


if __name__ == "__main__":
    main()
