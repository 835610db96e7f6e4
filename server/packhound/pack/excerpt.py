"""One file's lines as they may leave, and which of them each tier of detail of a node shows.

Lines are made visible and stripped of secrets here, before anything is counted. Their number never
changes, so a line in a pack has the number that it has in the file.
"""

from __future__ import annotations

import re
import sys
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice, pairwise

from packhound.core.caching import ByteLru
from packhound.core.types import Node
from packhound.index.file_entry import FileEntry
from packhound.llm.counter import TokenCounter
from packhound.pack.request import Detail
from packhound.redact.control_characters import visible_text
from packhound.redact.redact import redact
from packhound.text.line_index import LineIndex

_DOC_LINES = {"signature": 3, "elided": 6}
_SIGNATURE_LINES = 8
_HEAD_LINES, _TAIL_LINES = 6, 3
"""Lines of an elided body that are shown at its two ends."""
_ELIDED_LINES = 48
_WORTH_ELIDING = 0.7
"""An elided body must save at least the rest."""
_OWN_LINES = 40
_FULL_LINES = 600
"""A longer container is never shown whole."""

_MOST_BYTES = 8_000_000
"""Of the texts that are kept between packs: those of some 400 files."""

_Child = tuple[str, range]
"""The name and the lines of a node within another."""
Tiers = dict[Detail, tuple[int, ...]]
"""The lines of each tier that a node has, 0-based and ascending."""


class Costs(dict[int, int]):
    """Tokens of the lines of a file, each with its line end, counted at the first look."""

    def __init__(self, lines: Sequence[str], counter: TokenCounter) -> None:
        self._lines, self._counter = lines, counter

    def __missing__(self, line: int) -> int:
        n = self[line] = self._counter.count(self._lines[line] + "\n")
        return n


@dataclass(slots=True, eq=False)
class Excerpt:
    """The lines of one file, and their cost when it is asked for."""

    lines: list[str]
    starts: LineIndex
    costs: Costs
    _children: dict[int, list[int]] = field(default_factory=lambda: defaultdict(list))

    def cost(self, lines: Iterable[int]) -> int:
        """Tokens of some lines, each with its line end."""
        return sum(map(self.costs.__getitem__, lines))

    def tiers(self, entry: FileEntry, position: int, words: re.Pattern[str] | None) -> Tiers:
        """What each tier of a node shows; an elided body keeps lines that `words` matches."""
        if not self._children:
            for child, parent in enumerate(entry.parents()):
                self._children[parent].append(child)
        last = len(self.lines) - 1
        children = [
            (entry.name_as_written(child), _within(*entry.lines(child), last))
            for child in self._children.get(position, ())
        ]
        return _tiers(self, entry.node(position), children, words)


class Excerpts:
    """The files of one pack, read when first asked for; their clean texts are kept between packs.

    `source(path)` must be the text that `files[path]` was made from, or None.
    """

    def __init__(
        self,
        files: Mapping[str, FileEntry],
        source: Callable[[str], bytes | None],
        counter: TokenCounter,
    ) -> None:
        self._files = files
        self._source = source
        self._counter = counter
        self._read: dict[str, Excerpt | None] = {}

    def of(self, path: str) -> Excerpt | None:
        """The excerpt of a file, None if the file is not what was indexed any more."""
        if path not in self._read:
            self._read[path] = self._made(path)
        return self._read[path]

    def _made(self, path: str) -> Excerpt | None:
        entry, source = self._files.get(path), self._source(path)
        if entry is None or source is None:
            return None
        clean = _CLEAN.get(entry.digest)
        if clean is None:
            clean = visible_text(redact(source.decode("utf-8", "replace")).text)
        _CLEAN.put({entry.digest: clean})
        lines = clean.split("\n")
        return Excerpt(lines, LineIndex(source), Costs(lines, self._counter))


_CLEAN = ByteLru[bytes, str](_MOST_BYTES, sys.getsizeof)
"""By the digest of the source."""


def _tiers(
    excerpt: Excerpt, node: Node, children: Sequence[_Child], words: re.Pattern[str] | None
) -> Tiers:
    last = len(excerpt.lines) - 1
    own = _own_lines(excerpt, node, last)
    if node.kind == "file":
        return _file_tiers(own)
    span = _within(node.span.start_line, node.span.end_line, last)
    if not span:
        return {}
    signature = _signature_lines(excerpt, node, own or span)
    inner = {*own, *chain.from_iterable(lines for _, lines in children)}
    doc = [n for n in span if n not in inner and excerpt.lines[n].strip()]
    tiers: Tiers = {}
    if node.kind not in ("section", "window"):
        tiers["outline"] = signature[:1]
        tiers["signature"] = _joined(signature, doc[: _DOC_LINES["signature"]])
    if children:
        heads = [_first_with(excerpt, name, lines) for name, lines in children if lines]
        kept = _joined(signature, doc[: _DOC_LINES["elided"]], own[:_OWN_LINES], heads)
    else:
        kept = _elided(excerpt, span, signature, doc, words)
    if len(kept) <= _WORTH_ELIDING * len(span):
        tiers["elided"] = kept
    if len(span) <= _FULL_LINES or not children:
        tiers["full"] = tuple(span)
    return tiers


def _file_tiers(own: Sequence[int]) -> Tiers:
    """A file's own node is what stands between its definitions: imports and loose statements."""
    tiers: Tiers = {"full": tuple(own)} if own else {}
    if len(own) > _OWN_LINES:
        tiers["elided"] = tuple(own[:_OWN_LINES])
    return tiers


def _elided(
    excerpt: Excerpt,
    span: range,
    signature: tuple[int, ...],
    doc: list[int],
    words: re.Pattern[str] | None,
) -> tuple[int, ...]:
    below = signature[-1] + 1
    documented = set(doc)
    body = [line for line in range(below, span.stop) if line not in documented]
    ends = (body[:_HEAD_LINES], body[len(body) - _TAIL_LINES :])
    kept = _joined(signature, doc[: _DOC_LINES["elided"]], *ends)
    if len(kept) > _WORTH_ELIDING * len(span):
        return kept
    telling = islice(_telling(excerpt, body, words), _ELIDED_LINES - _HEAD_LINES - _TAIL_LINES)
    shown = sorted({*kept, *telling})
    # A gap of one line costs as much to mark as to show.
    return _joined(shown, [n + 1 for n, after in pairwise(shown) if after == n + 2])


def _telling(excerpt: Excerpt, body: Sequence[int], words: re.Pattern[str] | None) -> Iterator[int]:
    """The lines that have one of the words, which do not reach across lines."""
    text = "\n".join([excerpt.lines[line] for line in body]) if words else ""
    number = at = 0
    while words and (found := words.search(text, at)):
        number += text.count("\n", at, found.start())
        yield body[number]
        at = text.find("\n", found.end()) + 1
        number += 1
        if not at:
            return


def _signature_lines(excerpt: Excerpt, node: Node, own: Sequence[int]) -> tuple[int, ...]:
    """From the line that has the name to where as much text as the signature's is passed."""
    first = _first_with(excerpt, node.name, own)
    wanted = len("".join(node.signature.split()))
    shown = []
    for line in range(
        first, min(first + _SIGNATURE_LINES, node.span.end_line + 1, len(excerpt.lines))
    ):
        shown.append(line)
        wanted -= len("".join(excerpt.lines[line].split()))
        if wanted <= 1:
            break
    return tuple(shown)


def _first_with(excerpt: Excerpt, name: str, lines: Sequence[int]) -> int:
    """The first of some lines that has a name, the first of all where none has."""
    named = (n for n in lines if name in excerpt.lines[n]) if name else iter(())
    return next(named, lines[0])


def _own_lines(excerpt: Excerpt, node: Node, last: int) -> Sequence[int]:
    """The lines that have some of the node's own text."""
    runs = [_touched(excerpt, run, last) for run in node.own]
    return runs[0] if len(runs) == 1 else _joined(*runs)


def _touched(excerpt: Excerpt, run: tuple[int, int], last: int) -> range:
    start, end = run
    first_line = excerpt.starts.line_of(start)
    return _within(first_line, excerpt.starts.line_of(max(start, end - 1)), last)


def _within(first: int, end: int, last: int) -> range:
    """The lines from one to another, at most `last`."""
    return range(first, min(end, last) + 1)


def _joined(*runs: Collection[int]) -> tuple[int, ...]:
    return tuple(sorted({line for run in runs for line in run}))
