"""Collect questions from repositories: subjects of commits and titles of tests -> asked.jsonl.gz.

    python training/asked.py --mined MINED --repositories REPOSITORIES --out asked.jsonl.gz

MINED is what mine.py wrote; REPOSITORIES/<owner>+<name> is a git repository, bare or not. A subject
asks for the one or two functions that its small commit changed and that are still there; a title
for what its test uses and few others do. A repository that is not there gives titles only.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
import subprocess
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from corpus import read_lines

MAX_COMMITS = 2_500
MAX_FILES, MAX_LINES, MAX_PLACES = 4, 120, 2
"""Of a commit; a larger one does more than its subject says."""
MAX_SUBJECT = 160
MIN_WORDS = 4
MAX_TITLES, MAX_TITLES_OF_ONE = 600, 3
"""Of a repository, and for one function."""
MAX_TESTS = 12
"""A function that more tests name is no test's subject."""
SHORTEST_TESTED = 120
"""Characters of code."""

_DRIVERS = {
    "cpp": "c h cc cpp hpp cxx",
    "csharp": "cs",
    "elixir": "ex exs",
    "golang": "go",
    "java": "java",
    "kotlin": "kt",
    "php": "php",
    "python": "py",
    "ruby": "rb",
    "rust": "rs",
    "any": "js mjs ts tsx dart swift lua scala zig R",
}
"""Patterns by which git finds heads of functions, and the extensions of files; the last is ours."""
_HEAD = (
    r"^[ \t]*((((export|public|private|protected|internal|static|async|final|override|open"
    r"|mutating|default|local|pub|inline|abstract|get|set|fileprivate|@[A-Za-z]+)[ \t]+)*"
    r"(function|func|def|fn|init)\b.*)"
    r"|(export )?(const|let|var|local)? *[A-Za-z_][A-Za-z_0-9.]* *(=|<-|:) *(async *)?"
    r"(function|\().*"
    r"|((export|public|private|protected|static|async|override|get|set|Future<.*>|void|bool|int"
    r"|String|[A-Z][A-Za-z<>?, ]*) +)*[a-z_A-Z][A-Za-z0-9_]*(<[^>]*>)?\([^;]*\)"
    r" *(:[^;]*|async *)?\{.*)$"
)
_CODE = re.compile(rf"\.({'|'.join(' '.join(_DRIVERS.values()).split())}|hs|r|mli?|sh)$")
_ASIDE = re.compile(
    r"test|[._]spec\.|(^|/)(specs?|examples?|bench(marks?)?|fixtures?|docs?|samples?|demo|vendor"
    r"|third_party|node_modules|dist)(/|$)",
    re.IGNORECASE,
)
_CHORE = re.compile(
    r"^(merge|bump|release|revert|update (dep|readme|changelog|version|copyright|translat)|version"
    r"|prepare|fix typo|changelog|wip|chore|docs?[(:]|ci[(:]|build[(:]|deps|style[(:]|lint|format"
    r"|clean ?up|minor|nit|\[?bot|v?\d|rubocop|refactor: ?format|auto|test)|typo|copyright"
    r"|changelog|cherry|clippy|rustfmt|dependabot|backport|pylint|mypy|flake8|checkstyle|reformat",
    re.IGNORECASE,
)
_LABELS = re.compile(
    r"\s*\(?#\d+\)?|^\s*\[[^\]]{1,25}\]\s*|^\w+(\([^)]*\))?!?:\s+|^(GH-?\d+|[A-Z]{2,}-\d+)[:. ]*"
    r"|\s*\(?(closes|fixes|refs?|issue|see)\s+(gh-?)?#?\d*\)?\.?\s*$",
    re.IGNORECASE,
)
_NAME = re.compile(r"[A-Za-z_][A-Za-z_0-9]*[?!]?")
_BOUNDARY = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|_")
_TESTING = {"test", "it", "should", "describe", "spec"}


class Place(NamedTuple):
    """A function by its path, its first line and its qualified name."""

    path: str
    line: int
    qualname: str


Functions = Mapping[str, Mapping[str, Sequence[Place]]]
"""By path and name."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mined", type=Path, required=True)
    parser.add_argument("--repositories", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    with gzip.open(options.out, "wt", encoding="utf-8") as file:
        for path in sorted(options.mined.glob("*.jsonl.gz")):
            head, *records = read_lines(path)
            found = {
                "commit": [
                    *of_commits(options.repositories / path.name[: -len(".jsonl.gz")], records)
                ],
                "test": [*of_tests(records)],
            }
            for kind, questions in found.items():
                for place, question in questions:
                    row = {"repo": head["repo"], **place._asdict(), "kind": kind}
                    file.write(json.dumps(row | {"question": question}) + "\n")
            print(head["repo"], {kind: len(rows) for kind, rows in found.items()}, flush=True)


@dataclass
class Change:
    """What has been read of a commit."""

    subject: str
    n_files: int = 0
    n_lines: int = 0
    path: str | None = None
    places: set[Place] = field(default_factory=set)

    def read(self, line: str, functions: Functions) -> None:
        """Take in one line of the patch."""
        if line.startswith("+++ "):
            path = line[6:].rstrip("\n")
            self.path = path if _CODE.search(path) and not _ASIDE.search(path) else None
            self.n_files += self.path is not None
        elif self.path and line.startswith("@@"):
            by_name = functions.get(self.path, {})
            for name in reversed(_NAME.findall(line.split("@@", 2)[-1])):
                if len(by_name.get(name, ())) == 1:
                    self.places.update(by_name[name])
                    return
        elif self.path and line[0] in "+-":
            self.n_lines += 1

    @property
    def small(self) -> bool:
        """Whether the subject can stand for each function that was changed."""
        return (
            1 <= self.n_files <= MAX_FILES
            and self.n_lines <= MAX_LINES
            and 1 <= len(self.places) <= MAX_PLACES
        )


def of_commits(
    repository: Path, records: Iterable[Mapping[str, Any]]
) -> Iterator[tuple[Place, str]]:
    """Yield the functions that commits changed, and their subjects; nothing without repository."""
    if not repository.is_dir():
        return
    functions: dict[str, dict[str, list[Place]]] = defaultdict(lambda: defaultdict(list))
    for record in records:
        if record["kind"] in {"function", "method"}:
            functions[record["path"]][record["name"]].append(place_of(record))
    change = None
    for line in log(repository):
        if line[0] == "\0":
            if change and change.small:
                yield from ((place, change.subject) for place in sorted(change.places))
            subject = subject_of(line[1:])
            change = Change(subject) if subject else None
        elif change:
            change.read(line, functions)
    if change and change.small:
        yield from ((place, change.subject) for place in sorted(change.places))


def log(repository: Path) -> Iterator[str]:
    """Yield the lines of the newest commits; a subject begins with a zero."""
    with tempfile.NamedTemporaryFile("w", suffix=".attributes") as attributes:
        for driver, extensions in _DRIVERS.items():
            attributes.writelines(f"*.{name} diff={driver}\n" for name in extensions.split())
        attributes.flush()
        command = [
            *("git", "-C", str(repository), "-c", f"core.attributesFile={attributes.name}"),
            *("-c", f"diff.any.xfuncname={_HEAD}", "log", "--no-merges", f"-n{MAX_COMMITS}"),
            *("--format=%x00%s", "-p", "-U0", "--no-ext-diff", "--no-textconv", "--no-color"),
            *("--no-renames", "HEAD"),
        ]
        with subprocess.Popen(
            command, stdout=subprocess.PIPE, encoding="utf-8", errors="replace"
        ) as process:
            assert process.stdout
            yield from process.stdout


def subject_of(line: str) -> str | None:
    """Return the subject without labels and numbers of issues, None if it asks for no change."""
    subject = line.strip()
    for _ in range(2):
        subject = _LABELS.sub("", subject).strip(" .`")
    asks = len(subject.split()) >= MIN_WORDS and len(subject) < MAX_SUBJECT and subject.isascii()
    return subject if asks and not _CHORE.search(subject) else None


def of_tests(records: Sequence[Mapping[str, Any]]) -> Iterator[tuple[Place, str]]:
    """Yield functions and the titles of tests whose rarest name they have."""
    functions: dict[str, list[Place]] = defaultdict(list)
    for record in records:
        tested = record["kind"] in {"function", "method"} and not _ASIDE.search(record["path"])
        if tested and len(record["code"]) > SHORTEST_TESTED:
            functions[record["name"]].append(place_of(record))
    tests = [(record["name"], names_of(record)) for record in records if record["kind"] == "test"]
    n_tests = Counter(name for _, names in tests for name in names)
    n_titles: Counter[Place] = Counter()
    for title, names in tests:
        known = [name for name in names if len(functions.get(name, ())) == 1]
        rarest = min(known, key=lambda name: (n_tests[name], name), default=None)
        question = question_of(title)
        if rarest is None or question is None or n_tests[rarest] > MAX_TESTS:
            continue
        [place] = functions[rarest]
        if n_titles[place] < MAX_TITLES_OF_ONE and n_titles.total() < MAX_TITLES:
            n_titles[place] += 1
            yield place, question


def question_of(title: str) -> str | None:
    """Return the words of the name of a test, None if they are few."""
    words = [word.lower() for word in _BOUNDARY.sub(" ", title).split()]
    words = words[1:] if words and words[0] in _TESTING else words
    question = " ".join(words)[:MAX_SUBJECT]
    return question if len(words) >= MIN_WORDS and question.isascii() else None


def names_of(record: Mapping[str, Any]) -> set[str]:
    """Return the names of four letters or more in the code."""
    return {name for name in _NAME.findall(record["code"]) if len(name) >= MIN_WORDS}


def place_of(record: Mapping[str, Any]) -> Place:
    return Place(record["path"], record["lines"][0], record["qualname"])


if __name__ == "__main__":
    main()
