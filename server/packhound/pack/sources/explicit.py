"""What the prompt and the user name outright, as candidates."""

from __future__ import annotations

import re
from collections.abc import Sequence

from packhound.core.types import Hit
from packhound.pack.path_resolver import PathResolver
from packhound.pack.pool import Pool
from packhound.pack.request import Lines, PackRequest
from packhound.pack.sources.search_hits import chance_at
from packhound.search.query.mentions import Mention, MentionKind

_MENTION_UTILITY: dict[MentionKind, float] = {
    "stack frame": 0.5,
    "line": 0.5,
    "diff": 0.6,
    "path": 0.0,
}
_FRAME_DECAY = 0.75
"""Each stack frame further from the end of the trace is worth this much less."""
_NAMED_FILES = 4
_NAMED_SHARE = 0.3
_PIN_LINE = re.compile("[0-9]{1,9}")
_FILE_HITS = 12
"""Hits that rank anew within each file that the prompt names."""


def add_pinned(pool: Pool, pins: Sequence[tuple[str, Lines]], files: PathResolver) -> None:
    """What the request pins."""
    for path, lines in pins:
        for found in files.resolve(path):
            for candidate in pool.at(found, lines):
                candidate.pinned = True
                candidate.add(0.9, "pinned")


def pin_of(pin: str) -> tuple[str, Lines]:
    """`path` or `path:10-20`; a bad range means the whole file."""
    path, _, wanted = pin.rpartition(":") if pin[-1:].isdigit() else (pin, "", "")
    first, _, last = wanted.partition("-")
    if not (path and _PIN_LINE.fullmatch(first) and _PIN_LINE.fullmatch(last or first)):
        return path or pin, (0, 1 << 30)
    return path, (int(first) - 1, int(last or first) - 1)


def add_focus(pool: Pool, request: PackRequest) -> None:
    """Where the user is, and what is selected."""
    focus = request.focus
    if focus is None:
        return
    if focus.selection:
        for candidate in pool.at(focus.path, focus.selection):
            candidate.pinned = True
            candidate.add(0.9, "selected")
    for candidate in pool.at(focus.path, (focus.line, focus.line)):
        candidate.add(0.25, "at the cursor")


def add_mentions(pool: Pool, named: Sequence[Mention], files: PathResolver) -> None:
    """The lines that the prompt speaks of."""
    decay = 1.0
    for mention in reversed(named):
        if mention.lines is None:
            continue
        for path in files.resolve(mention.path):
            for candidate in pool.at(path, mention.lines):
                utility = _MENTION_UTILITY[mention.kind] * decay
                candidate.add(utility, f"{mention.kind} {mention.path}:{mention.lines[0] + 1}")
        decay *= _FRAME_DECAY


def add_named_files(
    pool: Pool, hits: Sequence[Hit], named: Sequence[Mention], files: PathResolver
) -> None:
    """What stands in files that the prompt names: their hits rank anew, the rest counts evenly."""
    paths = dict.fromkeys(path for mention in named for path in files.resolve(mention.path))
    for path in list(paths)[:_NAMED_FILES]:
        reason = f"in {path}, which the prompt names"
        own = [hit for hit in hits if hit.node.path == path]
        for rank, hit in enumerate(own[:_FILE_HITS], 1):
            candidate = pool.get(int(hit.node.node_id))
            if candidate:
                candidate.add(0.6 * chance_at(rank), reason)
        pool.share_out(path, _NAMED_SHARE, reason)
