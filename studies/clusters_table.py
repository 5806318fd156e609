"""Writes the tables of a study's README.md, between its markers, from its results.jsonl.

    python studies/clusters_table.py depth|sizes|baselines
"""

import argparse
import json

from clusters import COMPONENTS, DATA_SETS, SCALINGS, STUDIES, results

BEGIN, END = "<!-- tables: begin -->", "<!-- tables: end -->"
SHOWN = [40, 70]
HEADS = {"none": "as is", "unit-samples": "unit samples", "unit-rows": "unit rows",
         "whitened": "whitened"}


def read(study):
    """Later lines count: a cell that was computed again replaces the older one."""
    cells = {}
    for text in results(study).read_text().splitlines():
        line = json.loads(text)
        cells[line["data"], line["method"], line["k"], line["scaling"]] = line
    return cells


def mean(values):
    return sum(values) / len(values)


def bold_best(rows):
    """Formats columns of numbers, the best of each in bold (ties as well); None is a dash."""
    texts = [[] for _ in rows]
    for column in zip(*rows):
        shown = [None if value is None else f"{value:.1f}" for value in column]
        best = max((float(text) for text in shown if text), default=None)
        for text, row in zip(shown, texts):
            row.append("-" if text is None else f"**{text}**" if float(text) == best else text)
    return texts


def lines_of(head, names, texts):
    yield "| " + " | ".join(head) + " |"
    yield "|---" * len(head) + "|"
    for name, row in zip(names, texts):
        yield "| " + " | ".join([name, *row]) + " |"


def data_set(cells, name, first, all_methods):
    def score(method, k, scaling, what="ac"):
        line = cells.get((name, method, k, scaling), {})
        return 100 * line[what]["mean"] if what in line else None

    here = [line for key, line in cells.items() if key[0] == name]
    methods = [method for method in all_methods if any(line["method"] == method for line in here)]
    working = [m for m in methods if any("ac" in line for line in here if line["method"] == m)]
    # A mean over different numbers of components would compare nothing: only those that all have.
    common = [k for k in sorted(COMPONENTS)
              if all(score(m, k, s) is not None for m in working for s in SCALINGS)]
    ks = [k for k in SHOWN if any(line["k"] == k for line in here)]
    head, rows = ["method"], [[] for _ in methods]
    for scaling in SCALINGS:
        head += [f"{HEADS[scaling]}, {k}" for k in ks]
        for row, method in zip(rows, methods):
            row += [score(method, k, scaling) for k in ks]
        if len(common) > 1:
            head.append(f"{HEADS[scaling]}, mean")
            for row, method in zip(rows, methods):
                values = [score(method, k, scaling) for k in common]
                row.append(mean(values) if None not in values else None)
    texts = bold_best(rows)
    head += ["NMI as is, 40", "error, 40", "seconds, 40", "iterations, 40"]
    for row, method in zip(texts, methods):
        line = cells.get((name, method, 40, "none"), {})
        fit = line.get("fit")
        row.append(f"{100 * line['nmi']['mean']:.1f}" if "nmi" in line else "-")
        row += [f"{fit['error']:.3f}", f"{fit['seconds']:.1f}", str(fit["iterations"])] if fit else ["-"] * 3
    shape = next((line["fit"] for line in here if "fit" in line), None)
    if shape is None:
        return
    classes = next(line["classes"] for line in here if "classes" in line)
    yield f"### {name}: {shape['samples']} samples, {classes} identities"
    yield ""
    done = sorted({line["k"] for line in here})
    text = f"First layer of deep models: {first}. Components so far: {', '.join(map(str, done))}."
    if len(common) > 1:
        text += f" The mean is over {', '.join(map(str, common))}."
    bounds = [line["fit"]["svd_bound"] for line in here
              if line["k"] == 40 and line.get("fit", {}).get("svd_bound")]
    if bounds:
        text += f" SVD bound of a linear model with 40: {bounds[0]:.3f}."
    deviations = [line["ac"]["deviation"] for line in here if "ac" in line and line["ac"]["deviation"] is not None]
    if deviations:
        middle = sorted(deviations)[len(deviations) // 2]
        text += (f" Deviation of the AC between seeds of k-means: {100 * middle:.1f} points in the "
                 f"middle, {100 * max(deviations):.1f} at most.")
    yield text
    yield ""
    yield from lines_of(head, methods, texts)
    yield ""
    yield from errors(cells, name, methods)
    for line in here:
        if "failure" in line and line["scaling"] == SCALINGS[0]:
            yield f"* failed: {line['method']}, {line['k']} components: {line['failure']}"


def errors(cells, name, methods):
    """The reconstruction errors by the number of components."""
    ks = [k for k in sorted(COMPONENTS) if any((name, m, k, "none") in cells for m in methods)]
    fits = [[cells.get((name, m, k, "none"), {}).get("fit") for k in ks] for m in methods]
    texts = [[f"{fit['error']:.3f}" if fit else "-" for fit in row] for row in fits]
    yield "Reconstruction error by the number of components:"
    yield ""
    yield from lines_of(["method", *map(str, ks)], methods, texts)
    yield ""


def overview(cells, k, methods):
    """The best scaling of every method, which looks at the labels: an upper end, not a result."""
    names = [name for name in DATA_SETS if any(key[0] == name and key[2] == k for key in cells)]
    rows = []
    for method in methods:
        row = []
        for name in names:
            found = [cells.get((name, method, k, s), {}) for s in SCALINGS]
            found = [100 * line["ac"]["mean"] for line in found if "ac" in line]
            row.append(max(found) if found else None)
        rows.append(row)
    yield f"### Best scaling of each method, {k} components, AC in %"
    yield ""
    yield "Which scaling is best is known from the labels here, so this is an upper end for each method."
    yield ""
    yield from lines_of(["method", *names], methods, bold_best(rows))
    yield ""


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("study", choices=STUDIES)
    study = parser.parse_args().study
    firsts, methods = STUDIES[study]
    cells, readme = read(study), results(study).with_name("README.md")
    lines = [BEGIN, "", f"{len(cells)} cells of {len(firsts) * len(methods) * len(COMPONENTS) * len(SCALINGS)}"
             f", {sum('failure' in line for line in cells.values())} of them failures.", ""]
    for k in SHOWN:
        if any(key[2] == k for key in cells):
            lines += overview(cells, k, methods)
    for name, first in firsts.items():
        lines += data_set(cells, name, first, methods)
    text = readme.read_text()
    before, after = text[: text.index(BEGIN)], text[text.index(END):]
    readme.write_text(before + "\n".join(lines).rstrip() + "\n\n" + after)


if __name__ == "__main__":
    main()
