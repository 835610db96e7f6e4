"""Candidates that the prompt and the user name outright."""

from __future__ import annotations

import re
from collections.abc import Sequence

from packhound.core.types import Hit
from packhound.pack.path_resolver import PathResolver
from packhound.pack.pool import Pool
from packhound.pack.request import Lines, Origin, PackRequest
from packhound.pack.sources.search_hits import probability_at
from packhound.search import Mention, MentionKind

_MENTION_UTILITY: dict[MentionKind, float] = {
    "stack frame": 0.5,
    "line": 0.5,
    "diff": 0.6,
    "path": 0.0,
}
_FRAME_DECAY = 0.75
"""Each frame further from the innermost is worth this much less."""
_MAX_FILES = 4
_FILE_SHARE = 0.3
_FILE_HITS = 12
"""Hits that are ranked again within each file that the prompt names."""
_PIN_LINE = re.compile("[0-9]{1,9}")
_WHOLE_FILE: Lines = (0, 1 << 30)


def add_pinned(pool: Pool, pins: Sequence[tuple[str, Lines]], paths: PathResolver) -> None:
    """Add what the request pins."""
    for written, lines in pins:
        for path in paths.resolve(written):
            for candidate in pool.innermost(path, lines):
                candidate.pinned = True
                candidate.add(Origin("pin", 0.9, "pinned"))


def parse_pin(pin: str) -> tuple[str, Lines]:
    """Parse `path` or `path:10-20`; a bad range means the whole file."""
    path, _, numbers = pin.rpartition(":") if pin[-1:].isdigit() else (pin, "", "")
    first, _, last = numbers.partition("-")
    if not (path and _PIN_LINE.fullmatch(first) and _PIN_LINE.fullmatch(last or first)):
        return path or pin, _WHOLE_FILE
    return path, (int(first) - 1, int(last or first) - 1)


def add_focus(pool: Pool, request: PackRequest) -> None:
    """Add the node at the cursor and what is selected."""
    focus = request.focus
    if focus is None:
        return
    if focus.selection:
        for candidate in pool.innermost(focus.path, focus.selection):
            candidate.pinned = True
            candidate.add(Origin("selection", 0.9, "selected"))
    for candidate in pool.innermost(focus.path, (focus.line, focus.line)):
        candidate.add(Origin("cursor", 0.25, "at the cursor"))


def add_mentions(pool: Pool, mentions: Sequence[Mention], paths: PathResolver) -> None:
    """Add the nodes at the lines that the prompt mentions, innermost frames first."""
    decay = 1.0
    for mention in reversed(mentions):
        if mention.lines is None:
            continue
        for path in paths.resolve(mention.path):
            for candidate in pool.innermost(path, mention.lines):
                utility = _MENTION_UTILITY[mention.kind] * decay
                reason = f"{mention.kind} {mention.path}:{mention.lines[0] + 1}"
                candidate.add(Origin("mention", utility, reason))
        decay *= _FRAME_DECAY


def add_mentioned_files(
    pool: Pool, hits: Sequence[Hit], mentions: Sequence[Mention], paths: PathResolver
) -> None:
    """Add the contents of files that the prompt mentions: hits by rank, the rest evenly."""
    files = dict.fromkeys(path for mention in mentions for path in paths.resolve(mention.path))
    for path in list(files)[:_MAX_FILES]:
        reason = f"in {path}, which the prompt names"
        file_hits = [hit for hit in hits if hit.node.path == path]
        for rank, hit in enumerate(file_hits[:_FILE_HITS], 1):
            candidate = pool.get(int(hit.node.node_id))
            if candidate:
                candidate.add(Origin("mention", 0.6 * probability_at(rank), reason))
        pool.share_out(path, _FILE_SHARE, reason)
