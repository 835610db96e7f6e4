"""Grep over one snapshot: matching lines, grouped by the definitions that hold them.

Totals are exact. Only the lines of the page are read again and shown.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from typing import NamedTuple, TypeAlias

from packhound.core.errors import Cancelled
from packhound.core.status import GREP_ALONE
from packhound.core.types import CellPlace, Span
from packhound.files import is_lock_file
from packhound.grep.literals import Alternatives
from packhound.grep.messages import compile_message
from packhound.grep.ngrams import NgramFilters
from packhound.grep.pattern import (
    Pattern,
    compile_pattern,
    compile_phrase,
    compile_text,
    readings,
)
from packhound.grep.request import (
    NO_FILE_NOTE,
    FileCount,
    GrepGroup,
    GrepLine,
    GrepRequest,
    GrepResults,
)
from packhound.grep.scan import Matches, SortedFiles, Source, select
from packhound.grep.structure import NotLookedAt, Place, compile_code, find_structure
from packhound.index import FileEntry, Snapshot
from packhound.parsing import LANGUAGES, CodePattern
from packhound.text import LineIndex, cell_at, cells_in, is_notebook, lines_of

Rank: TypeAlias = Callable[[str, Sequence[int]], Mapping[int, float]]
"""Returns the score of those node ids that answer a query, the best first."""
Prefilter: TypeAlias = Callable[[Alternatives], Callable[[str, Snapshot], bool] | None]
"""Returns, for the literals that a pattern requires, a test of which files are worth reading."""

_SLICE = 64
"""Files between two looks at whether the caller still waits."""
_PREPARE_FROM = 32
"""Files read for want of a filter from which making filters is worth it."""
_MAX_NAMED = 10
_CHUNK = 16
"""Matches of which the nodes are found together at first, then twice as many each time."""
MOST_FILTERED_BYTES = 2_000_000
"""Of data and large files: a filter of more tells little."""
MOST_LINES = 1_000
"""Lines of a file without nodes of them that are counted."""
_LANGUAGES = {"text", *(language.name for language in LANGUAGES)}
_WORD_S = 0.5
"""Time in which a word is looked for that no node has: that of some thousand files."""
_CODE_S = 10.0
"""Time that looking for a pattern of code may take."""


Places: TypeAlias = dict[int, list[Span]]
"""Nodes of a text; of one that stands below the first lines, all that a file has of nodes, lines
with the text."""
_TextOf: TypeAlias = Callable[[str], "bytes | None"]


class _Group(NamedTuple):
    """The matching lines of one node of a file; the node id is -1 where there is none."""

    path: str
    node_id: int
    lines: list[int]
    score: float | None = None


class Grep:
    """Grep of one folder, which remembers filters of its texts; thread-safe."""

    def __init__(self, root: str, source: Source, prefilter: Prefilter | None = None) -> None:
        self._root, self._source, self._prefilter = root, source, prefilter
        self.filters = NgramFilters()
        self.lacks_filters = False
        self._files: SortedFiles | None = None

    def search(
        self,
        snapshot: Snapshot,
        request: GrepRequest,
        rank: Rank,
        cancel: threading.Event | None = None,
    ) -> GrepResults:
        """Answer a request. Raises SettingsError for a bad pattern, Cancelled as `cancel` says."""
        start = time.perf_counter()
        if request.structural:
            matches = self._scan_code(snapshot, request, cancel)
        else:
            pattern = compile_pattern(request.pattern, regex=request.regex, case=request.case)
            matches = self._scan(snapshot, pattern, request.paths, request.exclude, cancel)
        groups, counts = tuple[GrepGroup, ...](), tuple[FileCount, ...]()
        if request.count_only:
            all_counts = [
                FileCount(path, len(offsets)) for path, offsets in matches.offsets.items()
            ]
            counts = tuple(all_counts[request.offset : request.offset + request.limit])
            n_rows = len(all_counts)
        else:
            groups = tuple(self._page(snapshot, request, matches, rank))
            n_rows = matches.n_lines
        end = request.offset + request.limit
        return GrepResults(
            pattern=request.pattern,
            groups=groups,
            counts=counts,
            n_lines=matches.n_lines,
            n_files=len(matches.offsets),
            next_offset=end if end < n_rows else -1,
            generation=snapshot.generation,
            took_ms=(time.perf_counter() - start) * 1_000,
            notes=tuple(_notes(request, matches, snapshot.files)),
        )

    def lines_by_node(self, snapshot: Snapshot, regex: str) -> dict[int, list[int]]:
        """Return the matching lines of each node id that has any, in the order of paths.

        Raises SettingsError for a bad pattern.
        """
        matches = self._scan(snapshot, compile_pattern(regex), (), (), None)
        groups = _groups(snapshot, matches.offsets.items(), self._texts(snapshot))
        return {group.node_id: group.lines for group in groups if group.node_id >= 0}

    def places_by_node(
        self,
        snapshot: Snapshot,
        pattern: CodePattern,
        paths: Sequence[str],
        exclude: Sequence[str],
        until: float,
        cancel: threading.Event | None,
    ) -> tuple[dict[int, list[Place]], Sequence[NotLookedAt]]:
        """Return the matches of a pattern of code by the node id that holds them, and a note.

        There is one if files were not read before `until` (time.monotonic).
        """
        files = self._sorted_files(snapshot)
        source = self._source
        found = find_structure(snapshot, files, source, pattern, paths, exclude, until, cancel)
        by_node: dict[int, list[Place]] = {}
        for path, places in found.by_path.items():
            entry = snapshot.files[path]
            positions = entry.innermost([place.line for place in places])
            for place, position in zip(places, positions, strict=True):
                if position >= 0:
                    by_node.setdefault(int(entry.node_ids[position]), []).append(place)
        return by_node, found.notes

    def n_lines(self, snapshot: Snapshot, path: str) -> int | None:
        """Return the number of lines of a file, None if it has changed since it was read."""
        source = self._source(path, snapshot)
        return None if source is None else source.count(b"\n") + (source[-1:] not in b"\n")

    def span_of_line(self, snapshot: Snapshot, path: str, line: int) -> Span | None:
        """Return a 0-based line of a file, None if there is none, or if it has changed."""
        source = self._source(path, snapshot) or b""
        starts = LineIndex(source).starts
        return _span_of_line(source, line, starts[line]) if line < len(starts) else None

    def nodes_with_phrase(
        self, snapshot: Snapshot, words: str, paths: Collection[str]
    ) -> frozenset[int]:
        """Return the node ids in some files that have a phrase: words next to each other.

        Letter case, and what stands between words that is no letter or digit, do not count.
        """
        phrase, node_ids = compile_phrase(words), set[int]()
        for path in paths if phrase else ():
            text = self._source(path, snapshot)
            if phrase and text is not None and (starts := phrase.starts(text)):
                entry = snapshot.files[path]
                positions = {*entry.innermost(lines_of(text, starts))} - {-1}
                node_ids.update(entry.node_ids[[*positions]].tolist())
        return frozenset(node_ids)

    def nodes_with_text(
        self,
        snapshot: Snapshot,
        text: str,
        paths: Sequence[str],
        most: int | None,
        most_read: int,
        *,
        is_cut: bool = False,
        ignore_case: bool = False,
    ) -> tuple[Places | None, Places | None]:
        """Return the innermost node ids in some files where a text begins, and is a whole line.

        The white space of the text may differ, and `is_cut` if its last word may go on. None if
        there are more than `most`, or if it is not known, since a file has changed or the first
        `most_read` do not tell. The files are read in their order, no more than it takes.
        """
        pattern = compile_text(text, is_cut=is_cut, ignore_case=ignore_case)
        has_line = " " in text.strip()
        nodes, lines = Places(), Places()
        most = sys.maxsize if most is None else most
        try:
            for number, path in enumerate(paths):
                # Filters, which may be missing, spare reading and do not change the answer.
                if number == most_read:
                    return None, None
                if not self.filters.admits(snapshot.files[path].digest, pattern.hashes):
                    continue
                source = self._source(path, snapshot)
                if source is None:
                    return None, None
                for node_id, is_line, line in _nodes_at(
                    snapshot.files[path], source, pattern.matches(source)
                ):
                    for places in (nodes, lines) if is_line else (nodes,):
                        _add_place(places, node_id, line)
                    if len(nodes) > most and (not has_line or len(lines) > most):
                        return None, None
                    if len(nodes[node_id]) == MOST_LINES:
                        break
        except OSError:  # There is no file handle left.
            return None, None
        return nodes if len(nodes) <= most else None, lines if len(lines) <= most else None

    def paths_admitting(self, snapshot: Snapshot, text: str) -> list[str]:
        """Return the files with a node that may have a text by their filters, in order.

        In place of files that a plugin reads the text is searched that it gives.
        """
        files, hashes = self._sorted_files(snapshot), compile_text(text).hashes
        paths = (files.paths[position] for position in files.filters.candidates((hashes,)).tolist())
        entries = (snapshot.files[path] for path in paths)
        return [e.path for e in entries if len(e.node_ids) and e.language in _LANGUAGES]

    def place_of_word(self, snapshot: Snapshot, word: str) -> str | None:
        """Return the path and line of the first place of a word, in any case, "" where none is.

        None if that is not known: the time is over, or a file has changed.
        """
        pattern, until = compile_text(word, ignore_case=True), time.monotonic() + _WORD_S
        files = self._sorted_files(snapshot)
        for position in files.filters.candidates((pattern.hashes,)).tolist():
            source = self._source(files.paths[position], snapshot)
            if source is None or time.monotonic() > until:
                return None
            for start, _ in pattern.matches(source):
                line = 1 + source.count(b"\n", 0, start)
                return f"{files.paths[position]}:{line}"
        return ""

    def nodes_that_print(
        self, snapshot: Snapshot, message: str, node_ids: Iterable[int]
    ) -> dict[int, tuple[int, str]]:
        """Return those of some nodes that print a message: letters and line of the literal."""
        compiled, printers = compile_message(message), dict[int, tuple[int, str]]()
        if compiled is None:
            return printers
        files: dict[str, list[int]] = {}
        for node_id in node_ids:
            files.setdefault(snapshot.paths[snapshot.file_of[node_id]], []).append(node_id)
        for path, of_file in files.items():
            source = self._source(path, snapshot)
            if source is None:
                continue
            for node_id in of_file:
                ranges = snapshot.node(node_id).own_ranges
                prints = compiled.prints(b"\n".join(source[start:end] for start, end in ranges))
                if best := max(prints, default=None):
                    printers[node_id] = best
        return printers

    def prepare(self, snapshot: Snapshot) -> Iterator[None]:
        """Make the filters that are missing, one at each step."""
        self.lacks_filters = False
        for path, entry in snapshot.files.items():
            size = entry.stamp.size if entry.stamp and entry.degraded == GREP_ALONE else 0
            if entry.digest not in self.filters and size <= MOST_FILTERED_BYTES:
                text = self._source(path, snapshot)
                if text is not None:
                    self.filters.add(entry.digest, text)
                yield

    def _scan(
        self,
        snapshot: Snapshot,
        pattern: Pattern,
        paths: Sequence[str],
        exclude: Sequence[str],
        cancel: threading.Event | None,
    ) -> Matches:
        """Return the matches in the selected files, past those that cannot match."""
        files, is_selected = self._sorted_files(snapshot), select(paths, exclude)
        can_match = self._prefilter(pattern.literals) if self._prefilter else None
        offsets, unread = dict[str, list[int]](), list[str]()
        candidates = files.filters.candidates(pattern.hashes)
        for number, position in enumerate(candidates.tolist()):
            if not number % _SLICE and cancel is not None and cancel.is_set():
                raise Cancelled("the search was cancelled")
            path = files.paths[position]
            if not is_selected(path) or (can_match and not can_match(path, snapshot)):
                continue
            text = self._source(path, snapshot)
            if text is None:
                unread.append(path)
            elif lines := _written(path, text, pattern.lines(text)):
                offsets[path] = lines
        n_unfiltered = int(files.filters.lacks_filter[candidates].sum())
        if all(pattern.hashes) and n_unfiltered > _PREPARE_FROM:
            self.lacks_filters = True
        return Matches(offsets, tuple(unread))

    def _scan_code(
        self, snapshot: Snapshot, request: GrepRequest, cancel: threading.Event | None
    ) -> Matches:
        """Return the lines where code begins that has the shape of a pattern with holes."""
        selected = request.paths, request.exclude
        pattern = compile_code(snapshot, request.pattern, *selected)
        until, files = time.monotonic() + _CODE_S, self._sorted_files(snapshot)
        found = find_structure(snapshot, files, self._source, pattern, *selected, until, cancel)
        offsets = {
            path: [*{place.line: place.start for place in reversed(places)}.values()][::-1]
            for path, places in found.by_path.items()
        }
        return Matches(offsets, (), [*map(str, found.notes)])

    def _sorted_files(self, snapshot: Snapshot) -> SortedFiles:
        files = self._files
        if files is None or not files.is_of(snapshot, self.filters):
            files = self._files = SortedFiles(snapshot, self.filters)
        return files

    def _page(
        self, snapshot: Snapshot, request: GrepRequest, matches: Matches, rank: Rank
    ) -> Iterator[GrepGroup]:
        """Yield the groups of the lines from `offset` on, as far as the limit."""
        n_skipped, n_left, text_of = request.offset, request.limit, self._texts(snapshot)
        if request.query:
            groups = _groups(snapshot, matches.offsets.items(), text_of)
            groups = _sort_by_rank(groups, request.query, rank)
        else:
            files, n_skipped = _skip_files(matches, n_skipped)
            groups = _groups(snapshot, files, text_of)
        for group in groups:
            if not n_left:
                return
            lines = group.lines[n_skipped : n_skipped + n_left]
            n_skipped = max(0, n_skipped - len(group.lines))
            n_left -= len(lines)
            text = text_of(group.path) if lines else None
            if text is not None:
                node = snapshot.ref(group.node_id, self._root) if group.node_id >= 0 else None
                rows = _show(text, lines, request.context)
                if is_notebook(group.path):
                    rows = _place(text, rows)
                yield GrepGroup(group.path, node, tuple(rows), group.score)

    def _texts(self, snapshot: Snapshot) -> _TextOf:
        """Return a reader of texts, which remembers the last: a file's groups come in a row."""

        @lru_cache(maxsize=1)
        def text_of(path: str) -> bytes | None:
            return self._source(path, snapshot)

        return text_of


def _written(path: str, text: bytes, offsets: list[int]) -> list[int]:
    """Return the offsets, without blank lines of a lock file: most of these only were not kept."""
    if not is_lock_file(path):
        return offsets
    ends = b"\n", b""
    return [o for o in offsets if text[o : o + 1] not in ends or text[o - 1 : o] not in ends]


def _add_place(places: Places, node_id: int, line: Span | None) -> None:
    """Add a node; a line below it only if the node itself, which comes first, is no place."""
    further = places.get(node_id)
    if further is None:
        places[node_id] = [line] if line else []
    elif line and further and line != further[-1]:
        further.append(line)


def _nodes_at(
    entry: FileEntry, source: bytes, matches: Iterator[tuple[int, int]]
) -> Iterator[tuple[int, bool, Span | None]]:
    """Yield the innermost node id of each match, if it is all of its line, and a line in no node.

    What is in no node, as far down in a data file, counts as in the first one. Left out are matches
    of a node that was told before, which may be a hundred thousand.
    """
    size, told, is_below = _CHUNK, set[tuple[int, bool]](), False
    while chunk := [*islice(matches, size)]:
        # A few matches show that a text is common, long before the end of a long file.
        size *= 2
        numbers = lines_of(source[: chunk[-1][0] + 1], [start for start, _ in chunk])
        positions = entry.innermost(numbers)
        for (start, end), number, position in zip(chunk, numbers, positions, strict=True):
            node, is_line = max(position, 0), _is_line(source, start, end)
            if (node, is_line) in told:
                continue
            if position < 0:
                is_below = True
            elif node or not is_below:
                told.update({(node, False), (node, is_line)})
            line = _span_of_line(source, number, start) if position < 0 else None
            yield int(entry.node_ids[node]), is_line, line


def _is_line(source: bytes, start: int, end: int) -> bool:
    """Return True if a part of a text is all of its line, white space aside."""
    if (source[max(0, start - 1) : start] + source[end : end + 1]).strip():
        return False
    line_end = source.find(b"\n", end)
    rest = source[end : line_end if line_end >= 0 else None]
    return not (source[source.rfind(b"\n", 0, start) + 1 : start] + rest).strip()


def _span_of_line(source: bytes, line: int, offset: int) -> Span:
    """Return the line of a byte of a text, without its end."""
    start, end = source.rfind(b"\n", 0, offset) + 1, source.find(b"\n", offset)
    return Span(start, end if end >= 0 else len(source), line, line)


def _groups(
    snapshot: Snapshot, files: Iterable[tuple[str, list[int]]], text_of: _TextOf
) -> Iterator[_Group]:
    """Yield the groups of each file, by the first line of each."""
    for path, offsets in files:
        text = text_of(path)
        if text is None:  # It changed a moment ago.
            continue
        entry, lines = snapshot.files[path], lines_of(text, offsets)
        by_position: dict[int, list[int]] = {}
        for line, position in zip(lines, entry.innermost(lines), strict=True):
            by_position.setdefault(position, []).append(line)
        for position, group_lines in by_position.items():
            node_id = int(entry.node_ids[position]) if position >= 0 else -1
            yield _Group(path, node_id, group_lines)


def _sort_by_rank(groups: Iterable[_Group], query: str, rank: Rank) -> Iterator[_Group]:
    """Yield groups, those that answer a query first, the best of all."""
    groups = [*groups]
    scores = rank(query, [group.node_id for group in groups if group.node_id >= 0])
    ranks = {node_id: i for i, node_id in enumerate(scores)}
    groups.sort(key=lambda group: ranks.get(group.node_id, len(ranks)))
    return (group._replace(score=scores.get(group.node_id)) for group in groups)


def _show(source: bytes, matching: Collection[int], n_context: int) -> Iterator[GrepLine]:
    """Yield some lines of a text with the lines around them."""
    starts = LineIndex(source).starts
    shown_lines = {n for line in matching for n in range(line - n_context, line + n_context + 1)}
    for number in sorted(shown_lines):
        if 0 <= number < len(starts) and starts[number] < len(source):
            yield GrepLine(number, _line_at(source, starts, number), number in matching)


def _place(notebook: bytes, lines: Iterable[GrepLine]) -> Iterator[GrepLine]:
    """Yield lines of a notebook's text with their places in its cells."""
    cells = cells_in(notebook)
    for line in lines:
        cell = cell_at(cells, line.number)
        cell_line = CellPlace.of(cell.number, line.number - cell.line) if cell else None
        yield line._replace(cell=cell_line)


def _skip_files(matches: Matches, n_lines: int) -> tuple[Iterable[tuple[str, list[int]]], int]:
    """Return the files from the one that has the line `n_lines`, and that line's number there."""
    n_files = 0
    for offsets in matches.offsets.values():
        if n_lines < len(offsets):
            break
        n_lines -= len(offsets)
        n_files += 1
    return islice(matches.offsets.items(), n_files, None), n_lines


def _line_at(text: bytes, starts: Sequence[int], number: int) -> str:
    end = starts[number + 1] if number + 1 < len(starts) else len(text)
    return text[starts[number] : end].rstrip(b"\r\n").decode("utf-8", "replace")


def _notes(request: GrepRequest, matches: Matches, paths: Iterable[str]) -> Iterator[str]:
    """Yield what may surprise in an answer."""
    yield from matches.notes
    if matches.unread:
        yield f"changed since they were indexed, and not searched: {_named(matches.unread)}"
    is_selected = select(request.paths, request.exclude)
    locks = sorted(path for path in paths if is_lock_file(path) and is_selected(path))
    if locks and not request.structural:
        yield f"only lines with a name or version are searched, and counted, of {_named(locks)}"
    if request.regex and not request.structural:
        yield from readings(request.pattern)
        if not matches.offsets and "\\n" in request.pattern:
            yield "a pattern matches within one line, so '\\n' matches nothing"
    if not matches.offsets and not any(map(is_selected, paths)):
        yield NO_FILE_NOTE


def _named(paths: Sequence[str]) -> str:
    """Return paths, the first few of many."""
    more = ", ..." if len(paths) > _MAX_NAMED else ""
    return f"{', '.join(paths[:_MAX_NAMED])}{more}"
