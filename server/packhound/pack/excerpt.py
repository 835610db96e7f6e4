"""One file's lines as they may leave, and which of them each tier of detail of a node shows.

Lines are made visible and stripped of secrets here, before anything is counted. Their number never
changes, so a line in a pack has the number that it has in the file.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from packhound.index.entries import FileEntry
from packhound.llm.counter import TokenCounter
from packhound.pack.types import Detail
from packhound.pack.visible import visible_lines
from packhound.redact.redact import redact
from packhound.text.document import LineIndex
from packhound.types import Node

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

_KEPT = 384
"""Files that are kept between packs."""

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
        children = [entry.node(child) for child in self._children.get(position, ())]
        return _tiers(self, entry.node(position), children, words)


class Excerpts:
    """The files of one pack, read when first asked for. The last ones are kept between packs."""

    def __init__(self, source: Callable[[str], bytes | None], counter: TokenCounter) -> None:
        self._source = source
        self._counter = counter
        self._read: dict[str, Excerpt | None] = {}

    def of(self, path: str) -> Excerpt | None:
        """The excerpt of a file, None if the file is not what was indexed any more."""
        if path not in self._read:
            source = self._source(path)
            self._read[path] = None if source is None else _excerpt(path, source, self._counter)
        return self._read[path]


@lru_cache(maxsize=_KEPT)
def _excerpt(path: str, source: bytes, counter: TokenCounter) -> Excerpt:
    """Of a path too, since its language decides which nodes a text has."""
    lines = visible_lines(redact(source.decode("utf-8", "replace")).text)
    return Excerpt(lines, LineIndex(source), Costs(lines, counter))


def _tiers(
    excerpt: Excerpt, node: Node, children: Sequence[Node], words: re.Pattern[str] | None
) -> Tiers:
    last = len(excerpt.lines) - 1
    own = sorted({line for run in node.own for line in _touched(excerpt, run, last)})
    if node.kind == "file":
        return _file_tiers(own)
    span = range(node.span.start_line, min(node.span.end_line, last) + 1)
    if not span:
        return {}
    signature = _signature_lines(excerpt, node, own or list(span))
    inner = {line for child in children for line in _lines_of(child, last)}
    inner.update(own)
    doc = [n for n in span if n not in inner and excerpt.lines[n].strip()]
    tiers: Tiers = {}
    if node.kind not in ("section", "window"):
        tiers["outline"] = signature[:1]
        tiers["signature"] = _joined(signature, doc[: _DOC_LINES["signature"]])
    heads = [
        _signature_lines(excerpt, child, list(_lines_of(child, last)))[:1] for child in children
    ]
    if children:
        kept = _joined(signature, doc[: _DOC_LINES["elided"]], own[:_OWN_LINES], *heads)
    else:
        kept = _elided(excerpt, span, signature, doc, words)
    if len(kept) <= _WORTH_ELIDING * len(span):
        tiers["elided"] = kept
    if len(span) <= _FULL_LINES or not children:
        tiers["full"] = tuple(span)
    return tiers


def _file_tiers(own: list[int]) -> Tiers:
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
    documented = set(doc)
    body = [line for line in span if line not in documented and line > signature[-1]]
    ends = (body[:_HEAD_LINES], body[len(body) - _TAIL_LINES :])
    kept = _joined(signature, doc[: _DOC_LINES["elided"]], *ends)
    if len(kept) > _WORTH_ELIDING * len(span):
        return kept
    telling = [n for n in body if words and words.search(excerpt.lines[n])]
    shown = {*kept, *telling[: _ELIDED_LINES - _HEAD_LINES - _TAIL_LINES]}
    # A gap of one line costs as much to mark as to show.
    return _joined(shown, [n for n in span if n - 1 in shown and n + 1 in shown])


def _signature_lines(excerpt: Excerpt, node: Node, own: list[int]) -> tuple[int, ...]:
    """From the line that has the name to where as much text as the signature's is passed."""
    if not own:
        return ()
    named = (n for n in own if node.name and node.name in excerpt.lines[n])
    first = next(named, own[0])
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


def _touched(excerpt: Excerpt, run: tuple[int, int], last: int) -> range:
    start, end = run
    first_line = excerpt.starts.line_of(start)
    return range(first_line, min(excerpt.starts.line_of(max(start, end - 1)), last) + 1)


def _lines_of(node: Node, last: int) -> range:
    return range(node.span.start_line, min(node.span.end_line, last) + 1)


def _joined(*runs: Collection[int]) -> tuple[int, ...]:
    return tuple(sorted({line for run in runs for line in run}))
