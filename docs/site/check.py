"""Runs the code of the documentation site and of README.md, and looks for broken links.

    python docs/site/check.py [--program PATH] [--write] [PAGE ...]

The interpreter needs deepnmf, matplotlib and scikit-learn. Each page runs in a folder of its own:
its Python blocks in one namespace, and its sh blocks that begin with ``deepnmf`` or follow the line
``<!-- run -->``. Other blocks of sh and Python need a line ``<!-- not run: REASON -->`` above them.

A text block right below a Python block is what the block prints. Its words must be the same;
numbers that differ by more than a twentieth are listed. Figures that are open after a block are the
pictures PAGE_1.png, PAGE_2.png beside the page. ``--write`` writes both anew, and cli.md.

If the site is built (target/site), links and pictures of its pages must exist, and nothing may come
from elsewhere.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import traceback
import urllib.parse
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path

SITE = Path(__file__).resolve().parent
ROOT = SITE.parents[1]
BUILT = ROOT / "target" / "site"
README = ROOT / "README.md"
FENCE = re.compile(
    r"^(?P<indent> *)```(?P<info>[^\n`]*)\n(?P<body>.*?)^(?P=indent)```[ \t]*$", re.M | re.S
)
NOTE = re.compile(r"<!--\s*(not run: (?P<reason>(?:(?!-->).)*?)|(?P<run>run))\s*-->\s*\Z", re.S)
NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e[-+]?\d+)?")

# What README.md shows and this script cannot run there, by what the block begins with.
README_REASONS = {
    "cargo run": "compiles",
    "deepnmf fit PIE_pose27.mat": "needs CMU PIE",
    "apt-get": "installs an MPI library",
    "pip install": "compiles",
}
# Lines of blocks of README.md that are left out.
README_LEFT_OUT = ("cargo ",)
# Files that README.md names.
README_FILES = """
import numpy as np
import deepnmf
faces = deepnmf.load_faces()
np.save("faces.npy", faces.X)
np.save("new.npy", faces.X[:20])
with open("labels.csv", "w") as file:
    names = list(faces.labels)
    print(*names, sep=",", file=file)
    for row in zip(*faces.labels.values()):
        print(*row, sep=",", file=file)
deepnmf.DeepWSF((20, 10), random_state=0).fit(faces.X, faces.labels["pose"]).save(
    "labelled.safetensors"
)
"""


@dataclass
class Block:
    """A fenced block of a page."""

    kind: str
    body: str
    line: int
    span: tuple[int, int]
    reason: str | None
    marked: bool
    output: re.Match[str] | None


def blocks(text: str) -> list[Block]:
    """Find the blocks of Python and sh, each with the output that stands below it."""
    found = []
    matches = list(FENCE.finditer(text))
    for number, match in enumerate(matches):
        kind = match["info"].strip().split(" ")[0]
        if kind not in ("python", "sh"):
            continue
        note = NOTE.search(text[: match.start()])
        after = matches[number + 1] if number + 1 < len(matches) else None
        output = None
        if (
            after
            and after["info"].strip() == "text"
            and not text[match.end() : after.start()].strip()
        ):
            output = after
        body = re.sub(rf"^{match['indent']}", "", match["body"], flags=re.M)
        found.append(
            Block(
                kind,
                body,
                text.count("\n", 0, match.start()) + 2,
                match.span(),
                note["reason"] if note else None,
                bool(note and note["run"]),
                output,
            )
        )
    return found


def pages(names: list[str]) -> list[Path]:
    """Return the pages to run: all of the site's own and README.md, or those that are named."""
    own = [p for p in sorted(SITE.rglob("*.md")) if p.name != "cli.md"]
    if not names:
        return [*own, README]
    return [p for p in [*own, README] if any(name in p.as_posix() for name in names)]


def run_page(path: Path, write: bool) -> dict[str, list[str]]:
    """Run a page in the working folder and return what is wrong, left out and worth a remark."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    text = path.read_text(encoding="utf-8")
    name = path.relative_to(ROOT).as_posix()
    report: dict[str, list[str]] = {"wrong": [], "left out": [], "remarks": []}
    namespace: dict[str, object] = {"__name__": "page"}
    pictures, ran = 0, 0
    replaced: list[tuple[int, int, str]] = []
    if path == README:
        exec(README_FILES, {})
    for block in blocks(text):
        where = f"{name}:{block.line}"
        reason = block.reason
        body = block.body
        if path == README:
            reason = reason or next(
                (why for start, why in README_REASONS.items() if body.startswith(start)), None
            )
            lines = body.splitlines(keepends=True)
            body = "".join(line for line in lines if not line.startswith(README_LEFT_OUT)).lstrip()
        if reason:
            report["left out"].append(f"{where}: {reason}")
            continue
        if block.kind == "sh" and not (block.marked or body.startswith("deepnmf ")):
            report["wrong"].append(f"{where}: a block of sh that is neither run nor explained")
            continue
        ran += 1
        if block.kind == "python":
            said = io.StringIO()
            try:
                code = compile("\n" * (block.line - 1) + body, name, "exec")
                with contextlib.redirect_stdout(said):
                    exec(code, namespace)
            except BaseException:  # Pages may do anything: report it with its line.
                report["wrong"].append(f"{where}:\n{traceback.format_exc(limit=-3)}")
                break
            printed = said.getvalue()
            for number in plt.get_fignums():
                pictures += 1
                picture = path.parent / f"{path.stem}_{pictures}.png"
                if write:
                    plt.figure(number).savefig(picture, dpi=90, metadata={"Software": ""})
                if f"]({picture.name})" not in text:
                    report["wrong"].append(f"{where}: the page does not show {picture.name}")
            plt.close("all")
        else:
            done = subprocess.run(
                ["bash", "-e", "-o", "pipefail", "-c", body], capture_output=True, text=True
            )
            if done.returncode:
                report["wrong"].append(f"{where}: exit code {done.returncode}\n{done.stderr}")
                break
            printed = done.stdout
        if block.output:
            compare(block, printed, where, report, replaced if write else None)
    if write and replaced:
        for start, end, new in reversed(replaced):
            text = text[:start] + new + text[end:]
        path.write_text(text, encoding="utf-8")
    report["ran"] = [str(ran)]
    return report


def compare(
    block: Block,
    printed: str,
    where: str,
    report: dict[str, list[str]],
    replaced: list[tuple[int, int, str]] | None,
) -> None:
    """Compare what a block prints with what the page says."""
    assert block.output
    shown = block.output["body"].rstrip()
    printed = "\n".join(line.rstrip() for line in printed.rstrip().splitlines())
    if replaced is not None:
        replaced.append((*block.output.span(), f"```text\n{printed}\n```"))
        return

    def masked(said: str) -> str:
        return re.sub(r"[#\s]+", " ", NUMBER.sub("#", said))

    if masked(shown) != masked(printed):
        kind = "wrong" if block.kind == "python" else "remarks"
        report[kind].append(f"{where}: prints\n{printed}\ninstead of\n{shown}")
        return
    for old, new in zip(NUMBER.findall(shown), NUMBER.findall(printed), strict=False):
        if block.kind == "python" and abs(float(old) - float(new)) > 0.05 * abs(float(old)) + 1e-9:
            report["remarks"].append(f"{where}: {new} instead of {old}")


def cli_page(program: str) -> str:
    """Write the page of the program from its own help."""
    # Lines are broken as where there is no terminal.
    environment = {name: value for name, value in os.environ.items() if name != "COLUMNS"}

    def said(*words: str) -> str:
        done = subprocess.run(
            [program, *words], capture_output=True, text=True, check=True, env=environment
        )
        return "\n".join(line.rstrip() for line in done.stdout.rstrip().splitlines())

    whole = said("--help")
    names = re.findall(r"^  ([a-z]+) {2,}", whole.split("Commands:")[1].split("Options:")[0], re.M)
    text = [
        "# Command line",
        "Every command with all its options, as `deepnmf help COMMAND` prints them. This page is\n"
        "written by `check.py --write`.",
        f"```text\n{whole}\n```",
    ]
    for name in [name for name in names if name != "help"]:
        text += [f"## deepnmf {name}", f"```text\n{said('help', name)}\n```"]
    return "\n\n".join(text) + "\n"


class Links(HTMLParser):
    """The links, anchors and sources of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loads: list[str] = []
        self.anchors: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note what a tag links to, loads or is named."""
        values = {key: value for key, value in attrs if value is not None}
        if "id" in values:
            self.anchors.add(values["id"])
        if tag == "a" and "name" in values:
            self.anchors.add(values["name"])
        if tag == "a" and "href" in values:
            self.links.append(values["href"])
        for key in ("src", "data", "poster", "srcset"):
            if key in values and tag in (
                "img",
                "script",
                "iframe",
                "source",
                "video",
                "embed",
                "object",
            ):
                self.loads.append(values[key])
        if tag == "link" and "href" in values:
            # The address of the page itself is no source.
            if values.get("rel") in ("canonical", "next", "prev"):
                self.links.append(values["href"])
            else:
                self.loads.append(values["href"])


def check_built() -> list[str]:
    """Check the links, pictures and sources of all built pages."""
    read: dict[Path, Links] = {}

    def parsed(path: Path) -> Links:
        if path not in read:
            read[path] = Links()
            read[path].feed(path.read_text(encoding="utf-8"))
        return read[path]

    wrong = []
    for page in sorted(BUILT.rglob("*.html")):
        found = parsed(page)
        name = page.relative_to(BUILT).as_posix()
        for target in found.links + found.loads:
            outside = re.match(r"(?i)(https?:)?//", target)
            if outside:
                if target in found.loads:
                    wrong.append(f"{name}: loads {target}")
                continue
            if re.match(r"(?i)(mailto|data|javascript):", target):
                continue
            address, _, anchor = target.partition("#")
            address = urllib.parse.unquote(address.partition("?")[0])
            if name == "404.html" and address.startswith("/"):
                there = BUILT / address.lstrip("/")
            else:
                there = (page.parent / address).resolve() if address else page
            if there.is_dir():
                there = there / "index.html"
            if not there.exists():
                wrong.append(f"{name}: no {target}")
            elif (
                anchor
                and there.suffix == ".html"
                and urllib.parse.unquote(anchor) not in parsed(there).anchors
            ):
                wrong.append(f"{name}: no anchor {target}")
    for style in BUILT.rglob("*.css"):
        for target in re.findall(
            r"url\(\s*['\"]?((?:https?:)?//[^)'\"]+)", style.read_text(encoding="utf-8")
        ):
            wrong.append(f"{style.relative_to(BUILT)}: loads {target}")
    return wrong


def main() -> None:
    """Check everything and exit with 1 if something is wrong."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--program", help="the program [default: deepnmf below target, or the one in PATH]"
    )
    parser.add_argument(
        "--write", action="store_true", help="write outputs, pictures and cli.md anew"
    )
    parser.add_argument("--one", help=argparse.SUPPRESS)
    parser.add_argument(
        "pages", nargs="*", help="parts of the names of pages to run [default: all]"
    )
    options = parser.parse_args()
    if options.one:
        print("\n" + json.dumps(run_page(Path(options.one), options.write)))
        return
    places = [ROOT / "target" / kind / "deepnmf" for kind in ("release", "debug")]
    program = options.program or next(
        (str(p) for p in places if p.exists()), shutil.which("deepnmf")
    )
    if not program:
        sys.exit("no program: build it, or name it with --program")
    began = time.monotonic()
    wrong, left_out, remarks, ran = [], [], [], 0
    with tempfile.TemporaryDirectory() as bin_folder:
        (Path(bin_folder) / "deepnmf").symlink_to(Path(program).resolve())
        path = os.pathsep.join([bin_folder, str(Path(sys.executable).parent), os.environ["PATH"]])
        # Pictures and outputs must not depend on the settings of whoever runs this.
        environment = {
            **os.environ,
            "PATH": path,
            "MPLCONFIGDIR": bin_folder,
            "PYTHONWARNINGS": "default,ignore::ResourceWarning",
        }
        for page in pages(options.pages):
            start = time.monotonic()
            with tempfile.TemporaryDirectory() as folder:
                command = [sys.executable, str(Path(__file__).resolve()), "--one", str(page)]
                done = subprocess.run(
                    command + ["--write"] * options.write,
                    cwd=folder,
                    env=environment,
                    capture_output=True,
                    text=True,
                )
            if done.returncode:
                wrong.append(f"{page.relative_to(ROOT)}: {done.stderr}")
                continue
            report = json.loads(done.stdout.splitlines()[-1])
            ran += int(report["ran"][0])
            wrong += report["wrong"]
            left_out += report["left out"]
            remarks += report["remarks"]
            for warning in re.findall(r"^.*Warning: .*$", done.stderr, re.M):
                remarks.append(f"{page.relative_to(ROOT)}: {warning}")
            verdict = "wrong" if report["wrong"] else "ok"
            took, blocks_ran = time.monotonic() - start, report["ran"][0]
            name = page.relative_to(ROOT)
            print(f"{took:6.1f} s  {verdict:5}  {name}, {blocks_ran} blocks", flush=True)
    if not options.pages:
        told, cli = cli_page(program), SITE / "cli.md"
        if options.write:
            cli.write_text(told, encoding="utf-8")
        elif not cli.exists() or cli.read_text(encoding="utf-8") != told:
            wrong.append("docs/site/cli.md: not what the program says; run check.py --write")
        if BUILT.exists():
            wrong += check_built()
        else:
            remarks.append("target/site: not built, links not checked")
    for title, lines in (("not run", left_out), ("remarks", remarks), ("WRONG", wrong)):
        if lines:
            print(f"\n{title}:")
            print("\n".join(f"  {line}" for line in lines))
    print(f"\n{ran} blocks in {time.monotonic() - began:.0f} s, {len(wrong)} wrong")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
