"""Candidates that the prompt and the user name outright."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from packhound.core.types import Hit, Query
from packhound.pack.context import PackContext
from packhound.pack.notes import NoPath, unknown_file_notes
from packhound.pack.path_resolver import PathResolver
from packhound.pack.pool import Candidate, Pool
from packhound.pack.request import Lines, Origin, PackRequest
from packhound.pack.sources.search_hits import probability_at
from packhound.redact import safe_line
from packhound.search import Mention, MentionKind, parse_query
from packhound.text import is_test

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
_MAX_NAMESAKES = 3
"""Definitions that share a name; more of them and the name alone names none."""
_OWNED_UTILITY, _TITLE_UTILITY, _NAMED_UTILITY = 0.2, 0.2, 0.06
"""Of a definition named with its owner, in the title, or in the text, as measured on bug reports:
0.25, 0.18 and 0.06."""
_PIN_LINE = re.compile("[0-9]{1,9}")
_WORD = re.compile(r"\w+")
_WHOLE_FILE: Lines = (0, 1 << 30)


def add_pinned(pool: Pool, pins: Sequence[tuple[str, Lines]], paths: PathResolver) -> None:
    """Add what the request pins: the definitions of its lines, else what the file has there."""
    for written, lines in pins:
        found = paths.resolve(written)
        candidates = [
            candidate
            for path in found
            for candidate in pool.innermost(path, lines) or pool.file(path, lines)
        ]
        for candidate in candidates:
            candidate.pinned = True
            candidate.add(Origin("pin", 0.9, "pinned"))
            if lines != _WHOLE_FILE:
                candidate.named_lines.update(_common(lines, candidate))
        if found and not candidates:
            place = "" if lines == _WHOLE_FILE else f":{lines[0] + 1}-{lines[1] + 1}"
            pool.notes.append(
                f"pinned '{safe_line(written)}{place}' has no code there, so it is ignored"
            )


def parse_pin(pin: str) -> tuple[str, Lines]:
    """Parse `path` or `path:10-20`, from either end; a bad range means the whole file."""
    path, _, numbers = pin.rpartition(":") if pin[-1:].isdigit() else (pin, "", "")
    first, _, last = numbers.partition("-")
    if not (path and _PIN_LINE.fullmatch(first) and _PIN_LINE.fullmatch(last or first)):
        return path or pin, _WHOLE_FILE
    low, high = sorted((int(first), int(last or first)))
    return path, (low - 1, high - 1)


def unknown_pins(pins: Iterable[str]) -> list[NoPath]:
    """Return the notes on pins that name no file."""
    return [*unknown_file_notes("pinned", (parse_pin(pin)[0] for pin in pins))]


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
                candidate.is_named = True
                candidate.named_lines.update(_common(mention.lines, candidate))
        decay *= _FRAME_DECAY


def _common(lines: Lines, candidate: Candidate) -> range:
    """Return which of some lines a definition has."""
    first, last = candidate.entry.lines(candidate.position)
    return range(max(lines[0], first), min(lines[1], last) + 1)


def add_named(pool: Pool, context: PackContext, prompt: str) -> None:
    """Add the definitions that the prompt names as code."""
    query, snapshot = parse_query(Query(prompt)), context.snapshot
    title_names = set(_WORD.findall(query.title))
    owners = {parts[-1]: parts[-2] for parts in query.qualified if len(parts) > 1}
    for name in query.names:
        node_ids = [i for i in snapshot.node_ids_named(name).tolist() if snapshot.live[i]]
        named = [c for c in map(pool.get, node_ids) if c and not is_test(c.path)]
        owner = owners.get(name, "")
        owned = [c for c in named if owner and owner in re.split(r"[./]", f"{c.path}/{c.name}")]
        if owner and not owned:  # Such as `np`: functions of a module, not methods.
            named = [c for c in named if c.kind == "function" and "." not in c.name]
        few = named if len(named) <= _MAX_NAMESAKES else []
        for candidate in owned or few:
            utility = _TITLE_UTILITY if name in title_names else _NAMED_UTILITY
            utility = (_OWNED_UTILITY if candidate in owned else utility) / len(owned or few)
            candidate.is_named = True
            candidate.add(Origin("mention", utility, f"names {name}"))


def add_mentioned_files(pool: Pool, hits: Sequence[Hit], files: Sequence[str]) -> None:
    """Add the contents of files that the prompt mentions: hits by rank, the rest evenly."""
    for path in files[:_MAX_FILES]:
        reason = f"in {path}, which the prompt names"
        file_hits = [hit for hit in hits if hit.node.path == path]
        for rank, hit in enumerate(file_hits[:_FILE_HITS], 1):
            candidate = pool.get(int(hit.node.node_id))
            if candidate:
                candidate.add(Origin("mention", 0.6 * probability_at(rank), reason))
        pool.share_out(path, _FILE_SHARE, reason)
