"""One file's lines as they leave, and the lines that each tier of detail of a node has.

Hidden characters are shown and secrets removed before anything is counted. The number of lines
never changes, so a line in a pack has the number that it has in the file.
"""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain, pairwise

from packhound.core.trace import traced
from packhound.core.types import Node
from packhound.index import FileEntry
from packhound.llm import TokenCounter
from packhound.pack.elision import lines_to_keep, share_kept
from packhound.pack.prompt_words import PromptWords
from packhound.pack.request import CONTAINERS, Detail
from packhound.redact import CleanTexts, RedactionTimeout
from packhound.text import LineIndex

_DOC_LINES = {"signature": 3, "elided": 6}
_SIGNATURE_LINES = 8
_MAX_ELIDED_SHARE = 0.7
"""An elided body must save at least the rest."""
_MIN_ELIDED_LINES = 12
"""A shorter body is shown whole or not at all."""
_CONTAINER_LINES = 40
_FULL_LINES = 600
"""A longer container is never included in full."""

_Child = tuple[str, range]
"""The name and the lines of a node within another."""


class Tiers(dict[Detail, tuple[int, ...]]):
    """The lines of each tier that a node has, 0-based and ascending."""

    elided_share: float = 0.5
    """Worth of the lines of the elided tier, as a share of all."""
    elide: Callable[[Tiers], None] | None = None
    """Add the elided tier of a body, which takes as long as all others together."""

    def lines(self, detail: Detail) -> tuple[int, ...]:
        """Return the lines of a tier, () if the node has no such tier."""
        if detail == "elided" and self.elide:
            self.elide(self)
            self.elide = None
        return self.get(detail, ())


class LineCosts(dict[int, int]):
    """Tokens of the lines of a file, each with its line end, counted on first use."""

    # Not a `BoundedMemo`: a call more for each line made counting those of a package take 10 %
    # longer (19.8 ms instead of 17.8), and there are no more entries than lines.

    def __init__(self, lines: Sequence[str], counter: TokenCounter) -> None:
        self._lines, self._counter = lines, counter

    def __missing__(self, line: int) -> int:
        n = self[line] = self._counter.count(self._lines[line] + "\n")
        return n


@dataclass(slots=True, eq=False)
class Excerpt:
    """The lines of one file, and their cost when it is asked for."""

    lines: list[str]
    line_index: LineIndex
    costs: LineCosts
    _children: dict[int, list[int]] = field(default_factory=lambda: defaultdict(list))
    _heads: dict[int, tuple[int, ...]] = field(default_factory=dict)

    def cost(self, lines: Iterable[int]) -> int:
        """Return the tokens of some lines, each with its line end."""
        return sum(map(self.costs.__getitem__, lines))

    def name_and_doc(self, entry: FileEntry, position: int) -> tuple[int, Collection[int]]:
        """Return the line that names a node, and its lines that are comments alone."""
        node, last = entry.node(position), len(self.lines) - 1
        span = _line_range(node.span.start_line, node.span.end_line, last)
        own_lines = _own_lines(self, node, last)
        code = set(own_lines)
        # Nodes are in the order of their starts, so that those within this one follow it.
        for inner in map(entry.node, range(position + 1, len(entry.node_ids))):
            if inner.span.start >= node.span.end:
                break
            code.update(_own_lines(self, inner, last))
        return _first_line_with(self, node.name, own_lines or span), set(span) - code

    def heads(self, entry: FileEntry, position: int) -> tuple[int, ...]:
        """Return the lines that name the definitions around a node, outermost first."""
        if position not in self._heads:
            parent = entry.parents()[position]
            node = entry.node(parent) if parent >= 0 else None
            if node is None or node.kind == "file":
                return ()
            own_lines = _own_lines(self, node, len(self.lines) - 1)
            line = (_first_line_with(self, node.name, own_lines),) if own_lines else ()
            self._heads[position] = (*self.heads(entry, parent), *line)
        return self._heads[position]

    def tiers(
        self,
        entry: FileEntry,
        position: int,
        words: PromptWords | None,
        named: Collection[int] = (),
    ) -> Tiers:
        """Return the tiers of a node; an elided body keeps lines that are `named` or weighed."""
        if not self._children:
            for child, parent in enumerate(entry.parents()):
                self._children[parent].append(child)
        last = len(self.lines) - 1
        children = [
            (entry.name_as_written(child), _line_range(*entry.lines(child), last))
            for child in self._children.get(position, ())
        ]
        return _tiers(self, entry.node(position), children, words, named)


class Excerpts:
    """The files of one pack, read on first use; their clean texts are cached between packs.

    `source(path)` must be the text that `files[path]` was made from, or None.
    """

    def __init__(
        self,
        files: Mapping[str, FileEntry],
        source: Callable[[str], bytes | None],
        counter: TokenCounter,
        clean_texts: CleanTexts | None = None,
        cancel: threading.Event | None = None,
    ) -> None:
        self._files, self._source, self._counter = files, source, counter
        self._clean_texts = clean_texts or CleanTexts()
        self._cancel = cancel
        self._excerpts: dict[str, Excerpt | None] = {}
        self.unchecked: set[str] = set()
        """Files that secrets could not be removed from in time."""

    def of(self, path: str) -> Excerpt | None:
        """Return the excerpt of a file, None if it has changed since or cannot be cleaned."""
        if path not in self._excerpts:
            self._excerpts[path] = self._read(path)
        return self._excerpts[path]

    @traced("read and redact")
    def _read(self, path: str) -> Excerpt | None:
        entry, source = self._files.get(path), self._source(path)
        if entry is None or source is None:
            return None
        try:
            clean = self._clean_texts.of(entry.digest, source, self._cancel)
        except RedactionTimeout:
            self.unchecked.add(path)
            return None
        lines = clean.decode("utf-8", "replace").split("\n")
        return Excerpt(lines, LineIndex(source), LineCosts(lines, self._counter))


def _tiers(
    excerpt: Excerpt,
    node: Node,
    children: Sequence[_Child],
    words: PromptWords | None,
    named: Collection[int],
) -> Tiers:
    last = len(excerpt.lines) - 1
    own_lines = _own_lines(excerpt, node, last)
    if node.kind == "file":
        return _file_tiers(own_lines)
    span = _line_range(node.span.start_line, node.span.end_line, last)
    if not span:
        return Tiers()
    signature = _signature_lines(excerpt, node, own_lines or span)
    code = {*own_lines, *chain.from_iterable(lines for _, lines in children)}
    doc = [line for line in span if line not in code and excerpt.lines[line].strip()]
    tiers = Tiers()
    if node.kind not in ("section", "window"):
        tiers["outline"] = signature[:1]
        tiers["signature"] = _union(signature, doc[: _DOC_LINES["signature"]])
    if children and node.kind in CONTAINERS:
        heads = [_first_line_with(excerpt, name, lines) for name, lines in children if lines]
        elided = _union(signature, doc[: _DOC_LINES["elided"]], own_lines[:_CONTAINER_LINES], heads)
        if len(elided) <= _MAX_ELIDED_SHARE * len(span):
            tiers["elided"] = elided
    else:
        tiers.elide = partial(_add_elided, excerpt, span, signature, doc, words, named)
    if len(span) <= _FULL_LINES or not children:
        tiers["full"] = tuple(span)
    return tiers


def _file_tiers(own_lines: Sequence[int]) -> Tiers:
    """Return the tiers of a file's own node: imports and loose statements."""
    tiers = Tiers({"full": tuple(own_lines)} if own_lines else {})
    if len(own_lines) > _CONTAINER_LINES:
        tiers["elided"] = tuple(own_lines[:_CONTAINER_LINES])
    return tiers


def _add_elided(
    excerpt: Excerpt,
    span: range,
    signature: tuple[int, ...],
    doc: list[int],
    words: PromptWords | None,
    named: Collection[int],
    tiers: Tiers,
) -> None:
    """Add the elided tier of a body that is long enough for one."""
    documented = set(doc)
    body = [line for line in range(signature[-1] + 1, span.stop) if line not in documented]
    if len(body) < _MIN_ELIDED_LINES:
        return
    texts = [excerpt.lines[line] for line in body]
    weights = words.weigh(texts) if words else [0.0] * len(texts)
    positions = lines_to_keep(texts, weights, [i for i, n in enumerate(body) if n in named])
    lines = _union(
        signature, doc[: _DOC_LINES["elided"]], [body[position] for position in positions]
    )
    # A gap of one line costs as much to mark as to include.
    lines = _union(lines, [line + 1 for line, after in pairwise(lines) if after == line + 2])
    if len(lines) <= _MAX_ELIDED_SHARE * len(span):
        tiers["elided"] = lines
        tiers.elided_share = share_kept(texts, weights, positions)


def _signature_lines(excerpt: Excerpt, node: Node, own_lines: Sequence[int]) -> tuple[int, ...]:
    """Return the lines from the node's name to where as much text as its signature is passed."""
    first = _first_line_with(excerpt, node.name, own_lines)
    remaining = len("".join(node.signature.split()))
    lines = []
    for line in range(
        first, min(first + _SIGNATURE_LINES, node.span.end_line + 1, len(excerpt.lines))
    ):
        lines.append(line)
        remaining -= len("".join(excerpt.lines[line].split()))
        if remaining <= 1:
            break
    return tuple(lines)


def _first_line_with(excerpt: Excerpt, name: str, lines: Sequence[int]) -> int:
    """Return the first of some lines that has a name, the first of all where none has."""
    with_name = (line for line in lines if name in excerpt.lines[line]) if name else iter(())
    return next(with_name, lines[0])


def _own_lines(excerpt: Excerpt, node: Node, last: int) -> Sequence[int]:
    """Return the lines that have some of the node's own text."""
    spans = (excerpt.line_index.span(start, end) for start, end in node.own_ranges)
    runs = [_line_range(span.start_line, span.end_line, last) for span in spans]
    return runs[0] if len(runs) == 1 else _union(*runs)


def _line_range(first: int, end: int, last: int) -> range:
    """Return the lines from one to another, at most `last`."""
    return range(first, min(end, last) + 1)


def _union(*runs: Collection[int]) -> tuple[int, ...]:
    return tuple(sorted({line for run in runs for line in run}))
