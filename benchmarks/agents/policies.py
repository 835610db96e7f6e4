"""Two fixed ways from a bug report to the code of its fix, as an agent would go, without a model.

Both ask with the title, read the three best places, take the next page, ask with the error text and
names of the report, read the three best of those, then the rest in turn; Packhound's asks `grep`
before the rest for the words that ripgrep began with. Both look at Python alone.
"""

from __future__ import annotations

import re
import subprocess
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import NamedTuple, TypeAlias

from benchmarks.agents.reports import Report, words_of
from packhound.llm import counter_for
from packhound.service import Engine
from tests.support.operations import as_text, call

_READ_FIRST = 3
_N_RARE = 3
_CONTEXT_LINES = 2
_BEFORE, _READ_LINES = 10, 100
"""Lines of a file read from this many above its best match on."""
_MAX_WINDOWS = 10
_MAX_LINE = 400
_TITLE = re.compile(r"^(?:\./)?(\S.*?):(\d+)(?:-\d+)? \w")
_NUMBERED = re.compile(r"^(\d+)\t")
_RG_LINE = re.compile(r"^(\d+)[:-]")


class Answer(NamedTuple):
    """The text of one call, and its lines of code as paths with 1-based numbers."""

    text: str
    lines: frozenset[tuple[str, int]]

    @classmethod
    def of(cls, text: str) -> Answer:
        """Parse an answer of Packhound's tools."""
        lines, path = set[tuple[str, int]](), ""
        for line in text.splitlines():
            if number := _NUMBERED.match(line):
                lines.add((path, int(number[1])))
            elif title := _TITLE.match(line):
                path = title[1]
        return cls(text, frozenset(lines))


_NOTHING = Answer("", frozenset())
Page: TypeAlias = Mapping[str, int]
"""Arguments of a search: hits of a page, lines of each, tokens."""


class Matches(NamedTuple):
    """The lines of a file that hold rare words, with context, and the number of the best."""

    path: str
    best: int
    lines: list[tuple[int, str]]


def packhound_calls(
    engine: Engine, report: Report, page: Page, rare: Sequence[str]
) -> Iterator[Answer]:
    """Yield the answers of `search`, `read_node`, and `grep`."""
    places, printed = dict[str, set[tuple[str, int]]](), set[tuple[str, int]]()

    def search(query: str, offset: int = 0) -> Answer:
        arguments = {"query": query, "offset": offset, "paths": ["**/*.py"], **page}
        row = call(engine, "search", arguments)
        answer = Answer.of(as_text("search", row, arguments))
        for hit in row["hits"]:
            span = range(hit["start_line"], hit["end_line"] + 1)
            places.setdefault(hit["ref"], {(hit["path"], line) for line in span})
        printed.update(answer.lines)
        return answer

    def read(most: int) -> Iterator[Answer]:
        for reference in [*places][:most]:
            if not places.pop(reference) <= printed:
                answer = Answer.of(
                    as_text("read_node", call(engine, "read_node", {"path": reference}))
                )
                printed.update(answer.lines)
                yield answer

    def grep() -> Answer:
        options = {"context": _CONTEXT_LINES, "query": report.title, "paths": ["**/*.py"]}
        row = call(engine, "grep", {"pattern": "|".join(rare), "case": "ignore", **options})
        return Answer.of(as_text("grep", row))

    yield search(report.title)
    yield from read(_READ_FIRST)
    yield search(report.title, offset=page["limit"])
    if report.error_and_names:
        later = dict(places)
        places.clear()
        yield search(report.error_and_names)
        yield from read(_READ_FIRST)
        places.update({ref: lines for ref, lines in later.items() if ref not in places})
    if rare:
        yield grep()
    yield from read(len(places))


class Ripgrep:
    """ripgrep in pages of so many tokens, with reading of files around their best match."""

    def __init__(self, root: Path, page_tokens: int) -> None:
        self._root, self._page_tokens = root, page_tokens
        self._count = counter_for().count

    def calls(self, report: Report) -> Iterator[Answer]:
        """Yield the answers of `rg` and of reading lines of a file."""
        first = self._matches(words_of(report.title))
        pages = self._pages(first)
        yield next(pages, _NOTHING)
        yield from self._read(first[:_READ_FIRST])
        yield from islice(pages, 1)
        second = list[Matches]()
        if words := words_of(report.error_and_names):
            second = self._matches(words)
            yield next(self._pages(second), _NOTHING)
            yield from self._read(second[:_READ_FIRST])
        yield from self._read(first[_READ_FIRST:] + second[_READ_FIRST:])
        for n_windows in range(1, _MAX_WINDOWS):
            yield from self._read(first + second, n_windows * _READ_LINES)

    def rare(self, words: Mapping[str, bool]) -> list[str]:
        """Return three of some words: names of code first, then those on the fewest lines."""
        counts = {word: self._n_lines(word) for word in words}
        present = (word for word in words if counts[word])
        return sorted(present, key=lambda word: (not words[word], counts[word]))[:_N_RARE]

    def _matches(self, words: Mapping[str, bool]) -> list[Matches]:
        """Return the files with the rare ones of some words, those with most of them first."""
        rare = self.rare(words)
        if not rare:
            return []
        patterns = [part for word in rare for part in ("-e", word)]
        out = self._rg("-n", "--heading", f"-C{_CONTEXT_LINES}", "--sort=path", *patterns)
        files = []
        for block in re.split(r"\n\n", out.strip("\n")):
            path, *lines = block.split("\n")
            numbered = [
                (int(m[1]), line[:_MAX_LINE]) for line in lines if (m := _RG_LINE.match(line))
            ]
            each = Counter({n: sum(word in line.lower() for word in rare) for n, line in numbered})
            n_words = sum(any(word in line.lower() for _, line in numbered) for word in rare)
            best = min(each, key=lambda n: (-each[n], n))
            files.append((-n_words, -sum(each.values()), (path, best, numbered)))
        return [Matches(*file) for *_, file in sorted(files)]

    def _pages(self, files: Sequence[Matches]) -> Iterator[Answer]:
        """Yield the matches in pages."""
        text, lines, spent = list[str](), set[tuple[str, int]](), 0
        for path, _, numbered in files:
            for i, (number, line) in enumerate(numbered):
                piece = f"\n{path}\n{line}" if i == 0 or not text else line
                cost = self._count(piece + "\n")
                if text and spent + cost > self._page_tokens:
                    yield Answer("\n".join(text), frozenset(lines))
                    piece, text, lines, spent = f"{path}\n{line}", [], set(), 0
                text.append(piece)
                lines.add((path, number))
                spent += cost
        if text:
            yield Answer("\n".join(text), frozenset(lines))

    def _read(self, files: Sequence[Matches], skip: int = 0) -> Iterator[Answer]:
        """Yield lines of each file, from a little above its best match on, less those skipped."""
        for path, best, _ in files:
            first = max(1, best - _BEFORE) + skip
            source = (self._root / path).read_text("utf-8", "replace").split("\n")
            if first <= len(source):
                numbers = range(first, min(first + _READ_LINES, len(source) + 1))
                text = "\n".join(f"{n}\t{source[n - 1]}" for n in numbers)
                yield Answer(text, frozenset((path, n) for n in numbers))

    def _n_lines(self, word: str) -> int:
        out = self._rg("--count", "--no-filename", "-e", word)
        return sum(int(line) for line in out.split())

    def _rg(self, *arguments: str) -> str:
        command = ["rg", "--no-config", "-i", "-F", "-tpy", "--color=never", *arguments]
        done = subprocess.run(command, cwd=self._root, capture_output=True, check=False)
        if done.returncode > 1:
            raise RuntimeError(done.stderr.decode())
        return done.stdout.decode("utf-8", "replace")
