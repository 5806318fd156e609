"""Makes the pages that are opened: with the program, from data made here."""

import json
import random
import struct
import subprocess
from pathlib import Path

HOSTILE = [
    "</script><script>window.harmed = 1</script>",
    "<img src=x onerror='window.harmed = 2'>",
    "x" * 10_000,
    "\u202eright to left \u05e9\u05dc\u05d5\u05dd \u0645\u0631\u062d\u0628\u0627",
    "\U0001f600\U0001f468\u200d\U0001f469\u200d\U0001f467 emoji {{script}}",
    "&lt;b&gt;' onmouseover='window.harmed = 3",
]


class Maker:
    """Runs the program in a folder."""

    def __init__(self, program: Path, folder: Path):
        self.program, self.folder = program, folder

    def run(self, *arguments: str) -> dict:
        done = subprocess.run(
            [self.program, *arguments, "--json"], cwd=self.folder, capture_output=True, text=True
        )
        if done.returncode != 0:
            raise SystemExit(f"deepnmf {' '.join(arguments)}: {done.stderr}")
        return json.loads(done.stdout)

    def page(self, data: str, layers: str, read=(), fit=(), report=()) -> Path:
        """Fits a model to data and writes its page; the rest are flags."""
        name = Path(data).stem
        model, page = f"{name}.safetensors", f"{name}.html"
        self.run("fit", data, "--layers", layers, "--out", model, *read, *fit)
        self.run("report", model, "--data", data, "--out", page, *read, *report)
        return self.folder / page

    def faces(self) -> Path:
        """What a newcomer sees first, only smaller."""
        small = "identities=8,poses=3,expressions=2,illuminations=3,size=20"
        self.run("demo", "--faces", small, "--layers", "40,16", "--out", "demo")
        return self.folder / "demo/report.html"

    def table(self) -> Path:
        """Named columns and a label, no pictures."""
        chance = random.Random(1)
        rows = ["length,width,height,weight,age,kind"]
        for sample in range(150):
            kind = sample % 3
            values = [5 + (kind == i % 3) * 4 + chance.random() for i in range(5)]
            rows.append(",".join(f"{v:.3f}" for v in values) + f",{'abc'[kind]}")
        (self.folder / "table.csv").write_text("\n".join(rows) + "\n")
        return self.page("table.csv", "4,3", read=["--labels-key", "kind"])

    def unlabelled(self) -> Path:
        """Nothing but numbers."""
        chance = random.Random(2)
        write_npy(self.folder / "plain.npy", 60, 12, chance.random)
        return self.page("plain.npy", "5")

    def hostile(self) -> Path:
        """Labels, names of columns and a heading that mean harm."""
        chance = random.Random(3)

        def quoted(text: str) -> str:
            return '"' + text.replace('"', '""') + '"'

        names = [f"{HOSTILE[i % 6]} {i}" for i in range(6)]
        rows = [",".join([quoted(name) for name in names] + ["kind"])]
        for sample in range(90):
            kind = sample % 6
            values = [f"{1 + 3 * (i == kind) + chance.random():.3f}" for i in range(6)]
            rows.append(",".join([*values, quoted(HOSTILE[kind])]))
        (self.folder / "hostile.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
        read, report = ["--labels-key", "kind"], ["--title", HOSTILE[0]]
        return self.page("hostile.csv", "5,3", read=read, report=report)

    def documents(self) -> Path:
        """Counts of words, two layers of topics; the words are markup."""
        chance = random.Random(5)
        words = [f"<b>{'xyz'[word % 3]}{word}</b>" for word in range(30)]
        rows = ["sample," + ",".join(words)]
        for sample in range(120):
            theme = sample % 4
            counts = [
                chance.choice([0, 1, 2, 4]) if word % 5 == theme or word > 27 else 0
                for word in range(30)
            ]
            counts[28] += 1
            rows.append(",".join([f"<i>document {sample}</i>", *map(str, counts)]))
        (self.folder / "documents.csv").write_text("\n".join(rows) + "\n")
        fit = ["--model", "multilayer-nmf", "--divergence", "kl", "--normalize", "none"]
        return self.page("documents.csv", "6,3", fit=fit)

    def many(self) -> Path:
        """A hundred thousand samples."""
        chance = random.Random(4)
        write_npy(self.folder / "many.npy", 100_000, 20, chance.random)
        return self.page("many.npy", "8,4", fit=["--max-iter", "20", "--no-bound"])


def write_npy(path: Path, rows: int, columns: int, value) -> None:
    """A NumPy file of 32-bit numbers."""
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({rows}, {columns}), }}\n"
    with path.open("wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
        for _ in range(rows):
            file.write(struct.pack(f"<{columns}f", *(value() for _ in range(columns))))
