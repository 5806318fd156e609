"""Looks for mistakes in the workflows and in the conda recipe, without a network.

    python xtask/lint_workflows.py [FOLDER]

FOLDER is the root of a repository, by default this one. What is wrong is printed as `file:line: message`, and
the exit code is 1 then. Only PyYAML is needed. Where `actionlint` is installed it has its say, too.
"""

from __future__ import annotations

import fnmatch
import itertools
import re
import shutil
import subprocess
import sys
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

EXPRESSION = re.compile(r"\$\{\{(.*?)\}\}", re.DOTALL)
# A major version, a branch of one, or a commit.
VERSION = re.compile(r"(release/)?v\d+|[0-9a-f]{40}")
# What anybody can put text into.
UNTRUSTED = re.compile(r"\bgithub\s*\.\s*(event\s*[.\[]|head_ref\b)")
PUBLISHING = ("gh-action-pypi-publish", "crates-io-auth-action", "attest-build-provenance")
PUBLISHING_COMMAND = re.compile(
    r"\bcargo publish\b|\bgh release create\b|\bmaturin (publish|upload)\b|\btwine upload\b"
)
SHELLS = {"bash", "sh"}


class Text(str):
    """A string that knows its line; in blocks the line of the indicator."""

    line: int = 0
    block: bool = False


class Table(dict):  # type: ignore[type-arg]
    """A mapping that knows its line and those of its keys."""

    line: int = 0
    lines: dict[Any, int]


class Sequence(list):  # type: ignore[type-arg]
    """A list that knows its line."""

    line: int = 0


class Loader(yaml.SafeLoader):
    """Reads YAML 1.2's `on` as text, keeps lines and refuses keys that are there twice."""


Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag != "tag:yaml.org,2002:bool"]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
Loader.add_implicit_resolver(
    "tag:yaml.org,2002:bool", re.compile(r"^(?:true|True|TRUE|false|False|FALSE)$"), list("tTfF")
)


def _table(loader: Loader, node: yaml.MappingNode) -> Table:
    table = Table()
    table.line, table.lines = node.start_mark.line + 1, {}
    for key_node, value_node in node.value:
        key = loader.construct_object(key_node, deep=True)
        if key in table:
            raise yaml.MarkedYAMLError(problem=f"the key {key!r} is there twice", problem_mark=key_node.start_mark)
        table.lines[key] = key_node.start_mark.line + 1
        table[key] = loader.construct_object(value_node, deep=True)
    return table


def _sequence(loader: Loader, node: yaml.SequenceNode) -> Sequence:
    sequence = Sequence(loader.construct_object(item, deep=True) for item in node.value)
    sequence.line = node.start_mark.line + 1
    return sequence


def _text(loader: Loader, node: yaml.ScalarNode) -> Text:
    text = Text(loader.construct_scalar(node))
    text.line, text.block = node.start_mark.line + 1, node.style in ("|", ">")
    return text


Loader.add_constructor("tag:yaml.org,2002:map", _table)
Loader.add_constructor("tag:yaml.org,2002:seq", _sequence)
Loader.add_constructor("tag:yaml.org,2002:str", _text)


@dataclass
class Lint:
    """One file, and what is wrong with it."""

    root: Path
    path: Path
    found: list[tuple[int, str]] = field(default_factory=list)

    def say(self, line: int, message: str) -> None:
        """Remembers a message."""
        self.found.append((line, message))

    def read(self) -> Any:
        """The content, or nothing."""
        try:
            return yaml.load(self.path.read_text(encoding="utf-8"), Loader)
        except yaml.MarkedYAMLError as error:
            mark = error.problem_mark or error.context_mark
            self.say(mark.line + 1 if mark else 1, f"no YAML: {error.problem}")
        except (yaml.YAMLError, OSError, UnicodeDecodeError) as error:
            self.say(1, f"cannot be read: {error}")
        return None

    def workflow(self) -> None:
        """Checks a workflow."""
        content = self.read()
        if content is None:
            return
        jobs = content.get("jobs") if isinstance(content, dict) else None
        if not isinstance(jobs, dict) or not jobs:
            self.say(1, "there are no jobs")
            return
        if "on" not in content:
            self.say(1, "nothing starts it: there is no `on`")
        uploads: list[tuple[str, Text]] = []
        downloads: list[tuple[str, str, Text]] = []
        for name, job in jobs.items():
            if not isinstance(job, dict):
                self.say(jobs.lines[name], f"the job {name} is no mapping")
                continue
            self.job(content, jobs, name, job)
            for step in steps(job):
                self.step(content, job, name, step)
                self.artifacts(job, step, name, uploads, downloads)
        self.transfers(jobs, uploads, downloads)

    def job(self, content: Table, jobs: Table, name: str, job: Table) -> None:
        """Checks what a job says of itself."""
        line = jobs.lines[name]
        if "uses" not in job and "runs-on" not in job:
            self.say(line, f"the job {name} has no runs-on")
        if "uses" not in job and not steps(job):
            self.say(line, f"the job {name} has no steps")
        if "uses" not in job and "timeout-minutes" not in job:
            self.say(line, f"the job {name} has no timeout-minutes")
        if "permissions" not in job and "permissions" not in content:
            self.say(line, f"neither the job {name} nor the workflow has permissions")
        for permissions in (job.get("permissions"), content.get("permissions")):
            if permissions == "write-all":
                self.say(line, "permissions: write-all is more than any job needs")
        if "uses" in job:
            self.used(job["uses"], job.lines["uses"])
        below = needs(job)
        for needed in below:
            if needed not in jobs:
                self.say(job.lines["needs"], f"the job {name} needs {needed}, which is no job")
        if name in closure(jobs, name):
            self.say(job.lines["needs"], f"the job {name} needs itself in the end")
        self.expressions(jobs, name, job)

    def expressions(self, jobs: Table, name: str, job: Table) -> None:
        """Checks that what a job refers to is there."""
        keys = {key for values in combinations(job) for key in values}
        direct = needs(job)
        ids = {step["id"] for step in steps(job) if "id" in step}
        for text, line in texts(job, getattr(job, "line", 1)):
            for expression in EXPRESSION.findall(text):
                for key in re.findall(r"\bmatrix\.([\w-]+)", expression):
                    if key not in keys:
                        self.say(line, f"the job {name} uses matrix.{key}, which its matrix has not")
                for other, output in re.findall(r"\bneeds\.([\w-]+)\.outputs\.([\w-]+)", expression):
                    if other not in direct:
                        self.say(line, f"needs.{other} is used, but the job {name} does not need it")
                    elif output not in (jobs.get(other, {}).get("outputs") or {}):
                        self.say(line, f"the job {other} has no output {output}")
                for step in re.findall(r"\bsteps\.([\w-]+)\.", expression):
                    if step not in ids:
                        self.say(line, f"the job {name} has no step with the id {step}")
        rows = combinations(job)
        used = {key for text, _ in texts(job, 1) for key in re.findall(r"\bmatrix\.([\w-]+)", text)}
        for row in rows:
            for key in sorted(used & keys - row.keys()):
                shown = ", ".join(str(value) for value in row.values())
                self.say(job.lines["strategy"], f"matrix.{key} has no value for {shown}")

    def used(self, text: Any, line: int) -> None:
        """Checks that an action has a version."""
        action, _, version = str(text).partition("@")
        if action.startswith("./"):
            if not (self.root / action).exists():
                self.say(line, f"there is no {action}")
        elif action.startswith("docker://"):
            pass
        elif not version:
            self.say(line, f"{action} has no version")
        elif not VERSION.fullmatch(version):
            self.say(line, f"{action}@{version}: a major version such as v4 or a commit is wanted")

    def step(self, content: Table, job: Table, name: str, step: Table) -> None:
        """Checks a step: its action or its script."""
        if ("uses" in step) == ("run" in step):
            self.say(step.line, "a step has either uses or run")
            return
        if "uses" in step:
            self.used(step["uses"], step.lines["uses"])
            publishes = any(action in str(step["uses"]) for action in PUBLISHING)
        else:
            publishes = self.script(content, job, step)
        if publishes and job.get("environment") is None:
            self.say(step.line, f"the job {name} publishes and has no environment")

    def script(self, content: Table, job: Table, step: Table) -> bool:
        """Checks a script; says whether it publishes."""
        script = step["run"]
        first = script.line + 1 if script.block else script.line

        def place(offset: int) -> int:
            return first + script.count("\n", 0, offset)

        for match in EXPRESSION.finditer(script):
            if UNTRUSTED.search(match[1]):
                self.say(place(match.start()), "what others write is put into a script: use env")
            else:
                self.say(place(match.start()), "an expression in a script: hand it over by env")
        places = (step, *(outer.get("defaults", {}).get("run", {}) for outer in (job, content)))
        shell = next((place["shell"] for place in places if "shell" in place), None)
        if shell is None and re.search(r"(?<!\|)\|(?!\|)", script):
            self.say(first, "a pipe without `shell: bash` hides failures")
        if shell is None or shell.split()[0] in SHELLS:
            self.parses(EXPRESSION.sub("x", script), first)
        return bool(PUBLISHING_COMMAND.search(script))

    def parses(self, script: str, first: int) -> None:
        """Asks bash whether it can read a script."""
        bash = shutil.which("bash")
        if bash is None:
            return
        done = subprocess.run([bash, "-n"], input=script, capture_output=True, text=True, check=False)
        for message in done.stderr.splitlines():
            line = re.search(r"line (\d+): (.*)", message)
            if line:
                self.say(first + int(line[1]) - 1, f"bash: {line[2]}")
            elif message:
                self.say(first, f"bash: {message}")

    def artifacts(
        self,
        job: Table,
        step: Table,
        name: str,
        uploads: list[tuple[str, Text]],
        downloads: list[tuple[str, str, Text]],
    ) -> None:
        """Notes what a step uploads or downloads, for all values of the matrix."""
        action = str(step.get("uses", "")).partition("@")[0]
        settings = step.get("with", {})
        if action == "actions/upload-artifact":
            for filled in fill(settings.get("name", Text("artifact")), job):
                if filled in {other for _, other in uploads}:
                    self.say(step.line, f"the artifact {filled} is uploaded twice")
                uploads.append((name, filled))
        elif action == "actions/download-artifact":
            for kind in ("name", "pattern"):
                if kind in settings:
                    for filled in fill(settings[kind], job):
                        downloads.append((name, kind, filled))

    def transfers(
        self,
        jobs: Table,
        uploads: list[tuple[str, Text]],
        downloads: list[tuple[str, str, Text]],
    ) -> None:
        """Checks that what is downloaded has been uploaded before."""
        for name, kind, wanted in downloads:
            if kind == "name":
                sources = {job for job, uploaded in uploads if uploaded == wanted}
            else:
                sources = {job for job, up in uploads if fnmatch.fnmatchcase(up, wanted)}
            if not sources:
                self.say(wanted.line, f"the job {name} downloads {wanted}, which no job uploads")
            elif not sources <= closure(jobs, name):
                late = ", ".join(sorted(sources - closure(jobs, name)))
                self.say(wanted.line, f"the job {name} downloads {wanted} and does not wait for {late}")

    def recipe(self) -> None:
        """Checks the conda recipe, beside pyproject.toml and Cargo.toml."""
        content = self.read()
        if content is None:
            return
        for section in ("package", "source", "build", "requirements", "tests", "about"):
            if section not in content:
                self.say(1, f"there is no section {section}")
                return
        context = content.get("context", {})
        for text, line in texts(content, 1):
            for name in EXPRESSION.findall(text):
                plain = re.fullmatch(r"\s*(\w+)\s*", name)
                if plain and plain[1] not in context and plain[1] != "PYTHON":
                    self.say(line, f"the context has no {plain[1]}")
        manifest = self.root / "Cargo.toml"
        if manifest.exists():
            version = tomllib.loads(manifest.read_text(encoding="utf-8"))["workspace"]["package"]["version"]
            if context.get("version") != version:
                self.say(context.lines.get("version", 1), f"the version is not that of Cargo.toml, {version}")
        project = self.root / "crates/deepnmf-python/pyproject.toml"
        if project.exists():
            table = tomllib.loads(project.read_text(encoding="utf-8"))
            wanted = [*table["project"]["dependencies"], "python" + table["project"]["requires-python"]]
            run = content["requirements"].get("run", [])
            flat = {re.sub(r"\s", "", str(item)) for item in run if isinstance(item, str)}
            minimum = str(context.get("python_min", ""))
            flat = {item.replace("${{python_min}}", minimum) for item in flat}
            for requirement in wanted:
                if requirement not in flat:
                    self.say(run.line, f"pyproject.toml has {requirement}, the recipe has not")
            host = content["requirements"].get("host", Sequence())
            for requirement in table["build-system"]["requires"]:
                if requirement not in {str(item).replace(" ", "") for item in host}:
                    self.say(host.line, f"pyproject.toml builds with {requirement}, the recipe does not")


def steps(job: Table) -> list[Table]:
    """The steps of a job that are mappings."""
    found = job.get("steps")
    return [step for step in found if isinstance(step, dict)] if isinstance(found, list) else []


def needs(job: Table) -> list[str]:
    """What a job names as needed."""
    found = job.get("needs", [])
    return [found] if isinstance(found, str) else list(found)


def closure(jobs: Table, name: str) -> set[str]:
    """All jobs that have ended before one begins."""
    known: set[str] = set()
    waiting = list(needs(jobs[name]))
    while waiting:
        other = waiting.pop()
        if other not in known and isinstance(jobs.get(other), dict):
            known.add(other)
            waiting += needs(jobs[other])
    return known


def combinations(job: Table) -> list[dict[str, Any]]:
    """The values of the matrix for each run of a job, as the service combines them."""
    matrix = (job.get("strategy") or {}).get("matrix") or {}
    if not isinstance(matrix, dict):
        return [{}]
    axes = {key: values for key, values in matrix.items() if key not in ("include", "exclude")}
    rows = [dict(zip(axes, row, strict=True)) for row in itertools.product(*axes.values())] if axes else []
    for excluded in matrix.get("exclude", []):
        rows = [row for row in rows if any(row.get(key) != value for key, value in excluded.items())]
    alone = []
    for included in matrix.get("include", []):
        fitting = [row for row in rows if all(row[key] == included[key] for key in axes if key in included)]
        for row in fitting:
            row.update(included)
        if not fitting:
            alone.append(dict(included))
    return rows + alone or [{}]


def fill(text: Text, job: Table) -> list[Text]:
    """A text for each run of a job, with the values of its matrix."""
    filled = []
    for row in combinations(job):

        def value(match: re.Match[str], row: dict[str, Any] = row) -> str:
            key = re.fullmatch(r"\s*matrix\.([\w-]+)\s*", match[1])
            return str(row.get(key[1], "?")) if key else match[0]

        new = Text(EXPRESSION.sub(value, text))
        new.line = getattr(text, "line", 1)
        if new not in filled:
            filled.append(new)
    return filled


def texts(value: Any, line: int) -> list[tuple[str, int]]:
    """All strings below a value, with their lines; conditions are expressions without braces."""
    if isinstance(value, Text):
        return [(value, value.line)]
    if isinstance(value, dict):
        inner = []
        for key, below in value.items():
            found = texts(below, line)
            inner += [(f"${{{{{text}}}}}", at) for text, at in found] if key == "if" else found
        return inner
    if isinstance(value, list):
        return [pair for below in value for pair in texts(below, line)]
    return []


def actionlint(root: Path, workflows: list[Path]) -> list[str]:
    """What actionlint says, where it is installed."""
    program = shutil.which("actionlint", path=str(Path(sys.executable).parent)) or shutil.which("actionlint")
    if program is None:
        print("note: actionlint is not installed; its checks are left out")
        return []
    names = [str(path.relative_to(root)) for path in workflows]
    command = [program, "-no-color", "-oneline", *names]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    said = [f"{line} (actionlint)" for line in done.stdout.splitlines() if line]
    if done.returncode != 0 and not said:
        said = [f"actionlint: {done.stderr.strip()}"]
    return said


def main() -> int:
    """Checks all files of a repository."""
    root = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent.parent).resolve()
    workflows = sorted((root / ".github/workflows").glob("*.y*ml"))
    messages = []
    if not workflows:
        messages.append(".github/workflows:1: there are no workflows")
    for path in [*workflows, root / "packaging/conda/recipe.yaml"]:
        lint = Lint(root, path)
        lint.workflow() if path in workflows else lint.recipe()
        name = path.relative_to(root)
        messages += [f"{name}:{line}: {message}" for line, message in sorted(set(lint.found))]
    messages += actionlint(root, workflows)
    for message in messages:
        print(message)
    print(f"{len(workflows)} workflows and a recipe: {len(messages)} mistakes")
    return 1 if messages else 0


if __name__ == "__main__":
    sys.exit(main())
