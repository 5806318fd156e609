"""Draws the figures of paper.md from results that are in the repository.

    python paper/figures.py [FOLDER]

Only matplotlib is needed. FOLDER, by default that of this file, gets errors.png and attributes.png. The
sources are studies/depth/results.jsonl, docs/reproduction.md (what the paper of the method prints),
studies/parts/results.jsonl and studies/few-labels/results.jsonl.
"""

from __future__ import annotations

import json
import statistics
import sys
from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")
import matplotlib.pyplot as plt

HERE = Path(__file__).parent
ROOT = HERE.parent
SIZES = [20, 30, 40, 50, 60, 70]
# Colours that are told apart without seeing all of them (Okabe and Ito).
BLACK, ORANGE, SKY, GREEN, BLUE, RED, PINK = (
    "#000000",
    "#E69F00",
    "#56B4E9",
    "#009E73",
    "#0072B2",
    "#D55E00",
    "#CC79A7",
)


def results(study: str) -> list[dict]:
    """The raw results of a study."""
    lines = (ROOT / "studies" / study / "results.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines if line]


def printed(method: str) -> list[float]:
    """The errors that the paper of the method prints, by the number of components."""
    begin = f"| {method} | paper | "
    lines = (ROOT / "docs/reproduction.md").read_text(encoding="utf-8").splitlines()
    numbers = next(line for line in lines if line.startswith(begin)).removeprefix(begin)
    return [float(number) for number in numbers.strip(" |").split("|")]


def errors(folder: Path) -> None:
    """Errors relative to the SVD bound, on PIE, by the number of components."""
    fits = {
        (line["method"], line["k"]): line["fit"] for line in results("depth") if line["data"] == "pie" and "fit" in line
    }
    bounds = [fits["semi-nmf", k]["svd_bound"] for k in SIZES]

    def relative(values: list[float]) -> list[float]:
        return [value / bound for value, bound in zip(values, bounds, strict=True)]

    def ours(method: str) -> list[float]:
        return relative([fits[method, k]["error"] for k in SIZES])

    figure, (left, right) = plt.subplots(1, 2, figsize=(6.9, 2.75), layout="constrained")
    for axis in (left, right):
        axis.axhline(1, color="0.55", linewidth=0.8, zorder=1)
        axis.set_xticks(SIZES)
        axis.set_xlabel("components of the top layer")
    left.plot(SIZES, relative(printed("Deep Semi-NMF")), "s--", color=PINK, label="Deep Semi-NMF, printed", mfc="white")
    left.plot(SIZES, relative(printed("Semi-NMF")), "o--", color=ORANGE, label="Semi-NMF, printed", mfc="white")
    left.plot(SIZES, ours("deep-linear"), "s-", color=BLUE, label="Deep Semi-NMF, deepnmf", markersize=6.5)
    left.plot(SIZES, ours("semi-nmf"), "o-", color=SKY, label="Semi-NMF, deepnmf", markersize=3.2)
    left.set_ylabel("error / SVD bound")
    left.set_ylim(0.985, 1.2)
    left.set_yticks([1, 1.05, 1.1, 1.15, 1.2])
    left.legend(loc="center left", bbox_to_anchor=(0, 0.32))

    right.plot(SIZES, ours("deep-linear"), "s-", color=BLUE, label="no activation")
    for method, name, mark, color in (
        ("deep-relu", "ReLU", "^-", ORANGE),
        ("deep-stanh", "scaled tanh", "v-", GREEN),
        ("deep-square", "square", "D-", RED),
        ("deep-softplus", "softplus", "P-", PINK),
        ("deep-sigmoid", "sigmoid", "X-", BLACK),
    ):
        right.plot(SIZES, ours(method), mark, color=color, label=name)
    right.set_ylabel("error / SVD bound")
    right.set_ylim(0, 1.1)
    right.legend(ncols=2, loc="center", bbox_to_anchor=(0.5, 0.71))
    letter(left, "a")
    letter(right, "b")
    save(figure, folder / "errors.png")


def attributes(folder: Path) -> None:
    """Attributes of the CMU faces: without labels, and with few."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(6.9, 2.9), layout="constrained")
    found = [line for line in results("parts") if line["set"] == "CMU faces 32x30"]
    for method, name, mark, color in (
        ("Additive Semi-NMF", "Additive Semi-NMF", "o", BLUE),
        ("Nr-Kmeans", "Nr-Kmeans", "s", ORANGE),
        ("orthogonal clustering", "orthogonal clustering", "^", GREEN),
        ("clustering in orthogonal spaces", "orthogonal spaces", "v", PINK),
        ("k-means, pixels", "k-means, pixels", "D", RED),
        ("k-means, whitened PCA", "k-means, whitened PCA", "P", BLACK),
    ):
        # As in the study: the first part is meant for 20 identities, the second one for 4 poses; k-means, which
        # has two results that do not know of each other, is judged by the better one.
        points = [
            [max(nmi) if "k-means" in method else nmi[place] for place, nmi in enumerate(pair)]
            for pair in ((line["nmi"]["identity"], line["nmi"]["pose"]) for line in found if line["method"] == method)
        ]
        across, up = zip(*points, strict=True)
        left.plot(across, up, mark, color=color, markersize=4, alpha=0.35, markeredgewidth=0)
        mean = statistics.mean(across), statistics.mean(up)
        left.plot(*mean, mark, color=color, markersize=7, markeredgecolor="white", markeredgewidth=0.7, label=name)
    left.set_xlabel("NMI with identity")
    left.set_ylabel("NMI with pose")
    left.set_xlim(0.6, 1.0)
    left.set_xticks([0.6, 0.7, 0.8, 0.9, 1.0])
    left.set_ylim(-0.03, 0.78)
    left.legend(loc="upper left")

    labelled = [line for line in results("few-labels") if line["part"] == "cmu" and line["attribute"] == "pose"]
    shares = [0.01, 0.05, 0.1]

    def accuracies(method: str) -> list[list[float]]:
        return [
            [line["accuracy"] for line in labelled if line["method"] == method and line["share"] == share]
            for share in shares
        ]

    # The better of the two machines on pixels by its mean, for each share, as in the study.
    pixels = [
        max(pair, key=statistics.mean)
        for pair in zip(accuracies("SVM, pixels, C=1"), accuracies("SVM, pixels, C=10"), strict=True)
    ]
    for values, name, mark, color, shift in (
        (accuracies("DeepWSF"), "Deep WSF: pose, eyes, identity", "s-", GREEN, -0.15),
        (accuracies("parts 20, pose, eyes"), "parts 20, pose, eyes", "o-", BLUE, -0.05),
        (accuracies("WSF alone"), "WSF: pose alone", "v-", PINK, 0.05),
        (pixels, "linear SVM, pixels", "D-", RED, 0.15),
    ):
        right.errorbar(
            [share * 100 + shift for share in shares],
            [statistics.mean(draws) for draws in values],
            [statistics.stdev(draws) for draws in values],
            fmt=mark,
            color=color,
            label=name,
            elinewidth=0.8,
            capsize=2,
        )
    right.axhline(25, color="0.55", linewidth=0.8, linestyle=":")
    right.text(10.6, 26, "chance", color="0.35", ha="right", va="bottom", fontsize=7)
    right.set_xticks([1, 5, 10], ["1", "5", "10"])
    right.set_xlim(0.2, 10.8)
    right.set_ylim(20, 100)
    right.set_xlabel("samples with a label (%)")
    right.set_ylabel("accuracy of pose (%)")
    right.legend(loc="lower right", bbox_to_anchor=(1, 0.11))
    letter(left, "a")
    letter(right, "b")
    save(figure, folder / "attributes.png")


def letter(axis: plt.Axes, name: str) -> None:
    """Names a panel."""
    axis.set_title(name, loc="left", fontweight="bold", fontsize=9)


def save(figure: plt.Figure, path: Path) -> None:
    """Writes a figure, the same bytes each time with the same matplotlib."""
    figure.savefig(path, dpi=300, metadata={"Software": None})
    plt.close(figure)


def main() -> None:
    """Draws all figures."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else HERE
    style = {
        "font.size": 8,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.linewidth": 0.7,
        "axes.grid": True,
        "grid.color": "0.92",
        "grid.linewidth": 0.6,
        "axes.axisbelow": True,
        "legend.frameon": False,
        "legend.fontsize": 7,
        "legend.handlelength": 1.8,
        "legend.labelspacing": 0.3,
        "legend.columnspacing": 1.2,
        "lines.linewidth": 1.2,
        "lines.markersize": 4.5,
        "xtick.major.width": 0.7,
        "ytick.major.width": 0.7,
    }
    with mpl.rc_context(style):
        errors(folder)
        attributes(folder)


if __name__ == "__main__":
    main()
