"""Exact matches of a path: the file that it names, or the innermost node of its line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import takewhile
from typing import TYPE_CHECKING

from packhound.core.status import GREP_ALONE
from packhound.core.types import Note
from packhound.index import FileEntry, Snapshot
from packhound.search.answer_notes import edit_distance
from packhound.search.query.mentions import mentions_of
from packhound.search.query.parse import ExactMatch
from packhound.search.remarks import NoFile
from packhound.text import file_stem

if TYPE_CHECKING:
    from packhound.grep import Grep

PATH, FOLDER, FILE_NAME, PAST_END = 4.0, 1.7, 1.3, 0.95
"""Levels: a path is above all else, a folder below the names; of a path the name of the file alone
is below a text, and the file of a line that it has not is no more than what is named nearly so."""

_MOST_FILES, _MOST_IN_FOLDER = 20, 5
_PLACE = re.compile(
    r"(?P<path>(?:[A-Za-z]:[\\/])?[^\s:()#]*[^\s:()#.])"
    r"(?::(?P<line>\d{1,7})(?::\d{1,7})?|#L(?P<anchor>\d{1,7})(?:-L?\d+)?|\((?P<call>\d{1,7})[,\d]*\))?:?"
)
_ABSOLUTE = re.compile(r"[A-Za-z]:[\\/]|[/~]")
_LEAST_TAIL = 2
"""Names at the end of a path of another machine that a file must have too: a folder and its own."""
_LETTERS_PER_EDIT = 4
_LAST_LINES = 40
"""Lines above a line without a node that are looked at for one."""


def nodes_of_path(
    snapshot: Snapshot, text: str, texts: Grep | None, notes: list[Note]
) -> Iterator[tuple[int, ExactMatch]]:
    """Yield the node of each line or file that a query names, or those of a folder.

    That a file has no such line, or that there is no such file, is added to `notes`.
    """
    for path, line in _places(snapshot, text):
        paths = _files_of(snapshot, path)
        for entry in paths:
            reason = "its path" if len(paths) == 1 else f"one of {len(paths)} files of this name"
            level = PATH - len(entry.path) / 100_000
            n_lines = texts.n_lines(snapshot, entry.path) if texts and line is not None else None
            if line is None and "/" in path and _is_name_alone(path, entry.path):
                yield int(entry.node_ids[0]), ExactMatch(FILE_NAME, f"named {entry.path}")
            elif line is None:
                yield int(entry.node_ids[0]), ExactMatch(level, reason)
            elif n_lines is not None and line >= n_lines:
                notes.append(f"{entry.path} has {n_lines:,} {'line' if n_lines == 1 else 'lines'}")
                last_node = int(entry.node_ids[_node_at(entry, n_lines - 1)])
                yield last_node, ExactMatch(PAST_END, "its path, which ends before that line")
            else:
                position = _node_at(entry, line)
                first, last = entry.lines(position)
                is_in_node = first <= line <= last
                further = None
                if texts and not is_in_node and entry.degraded == GREP_ALONE:
                    further = texts.span_of_line(snapshot, entry.path, line)
                where = "line" if is_in_node or further else "nearest to line"
                match = ExactMatch(level, f"{where} {line + 1:,} of its path", further)
                yield int(entry.node_ids[position]), match
        folder = _files_in(snapshot, path) if not paths and line is None else []
        for entry in folder:
            yield int(entry.node_ids[0]), ExactMatch(FOLDER, f"in the folder {path.strip('/')}")
        if not (paths or folder) and _PLACE.fullmatch(text):
            notes += _no_file_notes(snapshot, path, line)


def _no_file_notes(snapshot: Snapshot, path: str, line: int | None) -> Iterator[NoFile]:
    """Yield that no file has a path, with the nearest one, unless it may be something else."""
    path = path.replace("\\", "/").removeprefix("./")
    name = path.rpartition("/")[2]
    stem, dot, suffix = name.rpartition(".")
    # Most words end here, before all files are looked at.
    if not stem or not dot or ("/" not in path and line is None):
        return
    if any(f"/{each}".endswith(f"/{path}") for each in snapshot.paths_named(name)):
        return
    most_edits, end, by_stem = len(stem) // _LETTERS_PER_EDIT, f".{suffix}", dict[str, list[str]]()
    for candidate in snapshot.files:
        if candidate.endswith(end):
            each = candidate.rpartition("/")[2].removesuffix(end)
            by_stem.setdefault(each, []).append(candidate)
    if not by_stem:
        return
    edits = {
        each: edit_distance(stem, each, most_edits)
        for each in by_stem
        if each and abs(len(each) - len(stem)) <= most_edits
    }
    fewest = min(edits.values(), default=most_edits + 1)
    near = [each for other, n in edits.items() if n == fewest for each in by_stem[other]]
    nearest = min(near, key=lambda other: (-_n_equal_at_end(other, path), other), default="")
    yield NoFile(path, (f"; the nearest is {nearest}",) if fewest <= most_edits else ())


def _places(snapshot: Snapshot, text: str) -> list[tuple[str, int | None]]:
    """Return the paths that a query names, with a 0-based line: it is one, or has one of a line."""
    if text in snapshot.files:
        return [(text, None)]
    if place := _PLACE.fullmatch(text):
        line = place["line"] or place["anchor"] or place["call"]
        return [(place["path"], max(0, int(line) - 1) if line else None)]
    mentions = [
        mention for mention in mentions_of(text) if mention.lines and mention.kind != "diff"
    ]
    return [(mention.path, mention.lines[0] if mention.lines else None) for mention in mentions]


def _files_of(snapshot: Snapshot, path: str) -> list[FileEntry]:
    """Return the files that a path means: itself, or those that end with it, or it with them."""
    wanted = re.sub(r"^(?:[A-Za-z]:|~|(?:\.{1,2}(?=/)))*/*", "", path.replace("\\", "/")).strip("/")
    if not wanted:
        return []
    if entry := snapshot.files.get(wanted):
        return [entry] if len(entry.node_ids) else []
    end, whole, name = f"/{wanted}", f"/{wanted}".lower(), wanted.rpartition("/")[2]
    ids = snapshot.path_table.stems.of(file_stem(name)).tolist()
    alike = [entry for file_id in ids if (entry := snapshot.entry(file_id))]
    entries = [entry for entry in alike if entry.path.endswith(end)]
    if not entries and "/" in wanted:
        within = [entry for entry in alike if whole.endswith(f"/{entry.path.lower()}")]
        longest = max((len(entry.path) for entry in within), default=0)
        entries = [entry for entry in within if len(entry.path) == longest]
    if not entries and _ABSOLUTE.match(path):
        # Where a package is installed, the folder of its sources is not in its path.
        tails = {entry.path: _n_equal_at_end(entry.path.lower(), whole) for entry in alike}
        longest = max(tails.values(), default=0)
        entries = [entry for entry in alike if tails[entry.path] == longest >= _LEAST_TAIL]
    if not entries and "." in wanted:
        entries = [entry for entry in alike if f"/{entry.path.lower()}".endswith(whole)]
    if not entries and "-" in wanted:
        stems = ((entry, entry.path.rpartition("/")[2]) for entry in alike)
        entries = [entry for entry, file in stems if file.startswith(f"{wanted}.")]
    entries = [entry for entry in entries if len(entry.node_ids)]
    return sorted(entries, key=lambda entry: (len(entry.path), entry.path))[:_MOST_FILES]


def _is_name_alone(path: str, file: str) -> bool:
    """Return True if a file at the root has the name of a path alone, as of `v1.2/go.mod`."""
    is_whole = path.replace("\\", "/").removeprefix("./") == file
    return not (is_whole or "/" in file or _ABSOLUTE.match(path))


def _n_equal_at_end(path: str, other: str) -> int:
    """Return how many names two paths have in common at their ends."""
    pairs = zip(reversed(path.split("/")), reversed(other.split("/")), strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _files_in(snapshot: Snapshot, path: str) -> list[FileEntry]:
    """Return the first files of the folder that a path with a slash names."""
    folder = path.replace("\\", "/").removeprefix("./").strip("/")
    if "/" not in path or not folder:
        return []
    inside = [
        entry
        for name, entry in snapshot.files.items()
        if f"/{folder}/" in f"/{name}" and len(entry.node_ids)
    ]
    return sorted(inside, key=lambda entry: (entry.path.count("/"), entry.path))[:_MOST_IN_FOLDER]


def _node_at(entry: FileEntry, line: int) -> int:
    """Return the position of the innermost node of a line, of the nearest above, or of the file."""
    lines = range(max(0, line - _LAST_LINES), line + 1)
    nodes = [position for position in entry.innermost(lines) if position >= 0]
    return nodes[-1] if nodes else 0
