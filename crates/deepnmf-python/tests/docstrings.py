"""Reads numpydoc docstrings."""

from __future__ import annotations

import ast
import inspect
import re
from pathlib import Path
from typing import NamedTuple


class Entry(NamedTuple):
    """An entry of a section: ``name : kind, default=default`` and the text below."""

    kind: str
    default: str | None
    text: str


def in_source(cls: type) -> str:
    """Give the docstring of a class as editors see it: from the source, nothing is run."""
    file = inspect.getsourcefile(cls)
    assert file is not None
    tree = ast.parse(Path(file).read_text(encoding="utf-8"))
    (node,) = (n for n in tree.body if isinstance(n, ast.ClassDef) and n.name == cls.__name__)
    text = ast.get_docstring(node)
    assert text is not None
    return text


def entries(docstring: str, section: str) -> dict[str, Entry]:
    """Give the entries of a section by name, in the order of the text."""
    lines = section_lines(docstring, section)
    starts = [i for i, line in enumerate(lines) if line and not line.startswith(" ")]
    found: dict[str, Entry] = {}
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        name, _, rest = lines[start].partition(" : ")
        kind, _, default = rest.partition(", default=")
        assert name not in found, f"{name} is documented twice"
        text = inspect.cleandoc("\n".join(lines[start + 1 : end]))
        found[name] = Entry(kind, default or None, text)
    return found


def section_lines(docstring: str, section: str) -> list[str]:
    """Give the lines of a section; none if there is no such section."""
    lines = docstring.splitlines()
    headings = [i for i in range(len(lines) - 1) if re.fullmatch("-{3,}", lines[i + 1])]
    for heading, end in zip(headings, [*headings[1:], len(lines)], strict=True):
        if lines[heading] == section:
            return lines[heading + 2 : end]
    return []
