"""Runs the scripts of this folder and writes each as a page: text, code, output and pictures.

A script is a series of cells that begin with ``# %%``; those with ``[markdown]`` are text.
``render.py FOLDER`` writes elsewhere, for a test.
"""

from __future__ import annotations

import contextlib
import io
import re
import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt

HERE = Path(__file__).parent
SCRIPTS = (
    "from_scikit_learn",
    "topics_of_documents",
    "programs_of_cells",
    "clustering_faces",
    "partial_labels",
    "larger_than_memory",
)


def render(script: Path, folder: Path) -> Path:
    """Run a script and write its page."""
    page: list[str] = []
    names: dict[str, object] = {}
    pictures = 0
    for kind, cell in re.findall(r"^# %%(.*)\n((?:(?!# %%).*\n?)*)", script.read_text(), re.M):
        cell = cell.strip("\n")
        if "[markdown]" in kind:
            page.append(re.sub(r"^# ?", "", cell, flags=re.M))
            continue
        page.append(f"```python\n{cell}\n```")
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            exec(compile(cell, script.name, "exec"), names)
        if said.getvalue():
            page.append(f"```text\n{said.getvalue().rstrip()}\n```")
        for number in plt.get_fignums():
            pictures += 1
            name = f"{script.stem}_{pictures}.png"
            plt.figure(number).savefig(folder / name, dpi=80, metadata={"Software": ""})
            page.append(f"![Picture {pictures} of {script.stem}]({name})")
        plt.close("all")
    note = f"<!-- Written by render.py from {script.name}. -->"
    path = folder / f"{script.stem}.md"
    path.write_text("\n\n".join([note, *page]) + "\n")
    return path


def main() -> None:
    """Write all pages."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else HERE
    for name in SCRIPTS:
        print(render(HERE / f"{name}.py", folder))


if __name__ == "__main__":
    main()
