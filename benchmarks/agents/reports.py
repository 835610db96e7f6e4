"""Bug reports of the trial: which ones, the lines of each fix, and the words of each report."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from packhound.search import STOPS

REPOSITORIES = frozenset({"flask", "pylint", "pytest", "requests", "seaborn"})
_WORD = re.compile(r"[A-Za-z_]\w{2,}")
_NAME = re.compile(r"\b(?:[A-Za-z_]\w*\.)*(?:\w+_\w+|[a-z]+[A-Z]\w*|[A-Z]\w*[a-z]\w*[A-Z]\w*)\b")
_ERROR = re.compile(r"^\s*(?:\w+\.)*[A-Z]\w*(?:Error|Exception|Warning): .+$", re.M)
_COMMENT = re.compile(r"<!--.*?-->", re.S)
_MAX_NAMES = 6
_BUG_WORDS = frozenset(
    {"bug", "call", "called", "calling", "cannot", "caused", "causes", "correct", "correctly"}
    | {"crash", "crashes", "does", "doesn", "due", "error", "errors", "expected", "fail"}
    | {"failing", "fails", "incorrect", "instead", "issue", "problem", "should", "unexpected"}
    | {"using", "when", "work", "working", "works", "wrong", "wrongly"}
)
"""Words that say that something is wrong and not what: nobody would grep for them."""


class Fix(NamedTuple):
    """Code that a fix changed: 1-based lines, or a qualified name where lines are unknown."""

    path: str
    lines: range | None
    name: str = ""


class Report(NamedTuple):
    """A bug report with its fix."""

    id: str
    title: str
    body: str
    fixes: tuple[Fix, ...]

    @property
    def error_and_names(self) -> str:
        """Return the last error message of the report, and its most frequent names of code."""
        body = _COMMENT.sub("", self.body)
        errors = _ERROR.findall(body)
        names = Counter(name for name in _NAME.findall(body) if name.strip("_"))
        most = [name for name, _ in names.most_common(_MAX_NAMES)]
        return " ".join([*(error.strip() for error in errors[-1:]), *most])


def words_of(text: str) -> dict[str, bool]:
    """Return the words of a text in lower case, without common ones, with whether each is a name.

    A name is spelled as only code spells a word: `to_string`, `maxLines`, `EncodedFile`.
    """
    words = {word.lower(): bool(_NAME.fullmatch(word)) for word in _WORD.findall(text)}
    return {
        word: name
        for word, name in words.items()
        if word.strip("_") and word not in STOPS | _BUG_WORDS
    }


def choose(files: Sequence[Path], most: int) -> list[Report]:
    """Return the reports of `REPOSITORIES`, those with known lines first, each by id."""
    rows = [json.loads(line) for file in files for line in file.read_text().splitlines()]
    reports = [_report(row) for row in rows if row["repo"].split("/")[1] in REPOSITORIES]
    usable = [report for report in reports if report.fixes]
    return sorted(usable, key=lambda r: (any(f.lines is None for f in r.fixes), r.id))[:most]


def _report(row: dict) -> Report:
    title, _, body = row["problem_statement"].partition("\n")
    fixes = list[Fix]()
    for gold in row["gold"]:
        if "lines" in gold:
            fixes += [Fix(gold["file"], range(a, b + 1)) for a, b in gold["lines"]]
        else:
            entities = gold["changes"].get("edited_entities", [])
            fixes += [Fix(gold["file"], None, entity.partition(":")[2]) for entity in entities]
    return Report(row["instance_id"], title.strip(), body, tuple(fixes))
