"""Hooks of mkdocs: the pages of the repository as a site, at the places that links lead to.

    python3 dev.py docs

Pages link to each other and to other files as they lie in the repository, so the site is built from
a copy that has the same folders: README.md, all that it leads to, and what these lead to, and so
for the pages of the code.
"""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
GENERATED = ROOT / "docs" / "generated" / "README.md"
"""First of the pages that `packhound docs` makes of the code, where it has."""
_HERE = re.compile(
    r"https://(?:github|raw\.githubusercontent)\.com/packhound/packhound/(?:blob/)?HEAD/(?=[^)\s]*\))"
)
_LINK = re.compile(r"\]\((?![a-z]+:|#)([^)#\s]+)")
FENCE = re.compile(r"^(```|~~~).*?^\1[ \t]*$", re.MULTILINE | re.DOTALL)
_CODE = re.compile(r"(`+)[^`].*?\1")


def as_here(page: Path) -> str:
    """Return a page whose links to files of its own repository are relative, as all others are."""
    up = "../" * (len(page.relative_to(ROOT).parts) - 1)
    return _HERE.sub(up, page.read_text("utf-8"))


def without_code(text: str) -> str:
    """Return a page without its code, in which nothing is a link."""
    return _CODE.sub("", FENCE.sub("", text))


def linked_files(start: Path) -> Iterator[Path]:
    """Yield a page and all files of the repository to which it leads, over other pages too."""
    seen, waiting = set[Path](), [start]
    while waiting:
        page = waiting.pop()
        if page in seen or not page.is_file():
            continue
        seen.add(page)
        yield page
        if page.suffix == ".md":
            waiting += [
                (page.parent / link).resolve()
                for link in _LINK.findall(without_code(as_here(page)))
            ]


def on_config(config: Any) -> Any:  # noqa: ANN401 - of mkdocs, which nothing else needs
    """Have mkdocs read a copy of the pages."""
    copy = Path(tempfile.mkdtemp(prefix="packhound-docs-"))
    files = dict.fromkeys(linked_files(ROOT / "README.md"))
    if GENERATED.is_file():
        files |= dict.fromkeys(linked_files(GENERATED))
        config["nav"].append({"Code": GENERATED.relative_to(ROOT).as_posix()})
    for file in files:
        target = copy / file.relative_to(ROOT)
        target.parent.mkdir(parents=True, exist_ok=True)
        if file.suffix == ".md":
            target.write_text(as_here(file), "utf-8")
        else:
            shutil.copyfile(file, target)
    config["docs_dir"] = str(copy)
    return config


def on_post_build(config: Any) -> None:  # noqa: ANN401
    """Delete the copy."""
    shutil.rmtree(config["docs_dir"])
