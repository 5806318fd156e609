"""Adds the repository's own documents to the site at build time, with their pictures.

Nothing is copied into docs/site: links of those documents are rewritten to pages of the site where
there is one, and become the path of the file otherwise.
"""

from __future__ import annotations

import posixpath
import re
from pathlib import Path

from mkdocs.structure.files import File

ROOT = Path(__file__).resolve().parents[2]

# Documents by their place in the repository, and where they stand on the site.
PAGES = {
    "docs/python/README.md": "guide/python.md",
    "docs/python/from_scikit_learn.md": "migrate/from_scikit_learn.md",
    "docs/python/nmf_parameters.md": "migrate/nmf_parameters.md",
    "docs/python/topics_of_documents.md": "gallery/topics_of_documents.md",
    "docs/python/programs_of_cells.md": "gallery/programs_of_cells.md",
    "docs/python/clustering_faces.md": "gallery/clustering_faces.md",
    "docs/python/partial_labels.md": "gallery/partial_labels.md",
    "docs/python/larger_than_memory.md": "gallery/larger_than_memory.md",
    "docs/reproduction.md": "project/reproduction.md",
    "docs/scaling.md": "project/scaling.md",
    "docs/reliability.md": "project/reliability.md",
    "ARCHITECTURE.md": "project/architecture.md",
    "CONTRIBUTING.md": "project/contributing.md",
    "CHANGELOG.md": "project/changelog.md",
}
PICTURES = {
    "docs/demo.png": "pictures/demo.png",
    "docs/report.png": "pictures/report.png",
}
LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^()\s]+)\)")
FENCE = re.compile(r"^( *```.*?^ *```\s*$)", re.M | re.S)


def places() -> dict[str, str]:
    """Return where each file of the repository stands on the site."""
    found = {**PAGES, **PICTURES}
    for readme in sorted(ROOT.glob("studies/*/README.md")):
        name = readme.parent.name
        found[f"studies/{name}/README.md"] = f"project/studies/{name}.md"
    for page in sorted(ROOT.glob("docs/python/*.md")):
        found.setdefault(f"docs/python/{page.name}", f"gallery/{page.name}")
    for picture in sorted(ROOT.glob("docs/python/*.png")):
        page = found.get(f"docs/python/{picture.stem.rsplit('_', 1)[0]}.md", "gallery/")
        found[picture.relative_to(ROOT).as_posix()] = posixpath.dirname(page) + "/" + picture.name
    for folder in ("docs/figures", "docs/figures/run"):
        for picture in sorted((ROOT / folder).glob("*.*")):
            name = picture.relative_to(ROOT / "docs").as_posix()
            found[f"docs/{name}"] = f"project/{name}"
    return found


def rewrite(text: str, source: str, page: str, known: dict[str, str]) -> str:
    """Rewrite the links of a document for its place on the site."""

    def link(match: re.Match[str]) -> str:
        picture, label, target = match.groups()
        if re.match(r"[a-z]+:|#", target):
            return match.group()
        path, hash_, anchor = target.partition("#")
        path = posixpath.normpath(posixpath.join(posixpath.dirname(source), path))
        if path in known:
            there = posixpath.relpath(known[path], posixpath.dirname(page))
            return f"{picture}[{label}]({there}{hash_}{anchor})"
        if path.strip("`") in label:
            return label
        return f"{label} (`{path}`)"

    pieces = FENCE.split(text)
    return "".join(
        piece if number % 2 else LINK.sub(link, piece) for number, piece in enumerate(pieces)
    )


def on_files(files, config):
    """Add documents and pictures."""
    known = places()
    for source, place in known.items():
        path = ROOT / source
        if place.endswith(".md"):
            text = rewrite(path.read_text(encoding="utf-8"), source, place, known)
            files.append(File.generated(config, place, content=text))
        else:
            files.append(File.generated(config, place, abs_src_path=str(path)))
    return files


def on_page_content(html, page, config, files):
    """Mend what docstrings say in the language of Sphinx."""
    return re.sub(r":(?:class|meth|func|attr):(?=<code>)", "", html)


def on_post_build(config):
    """Write the search index as a script, too: pages that are opened from disk can read that."""
    folder = Path(config.site_dir) / "search"
    index = (folder / "search_index.json").read_text(encoding="utf-8")
    (folder / "search_index.js").write_text(f"var __index = {index};\n", encoding="utf-8")
