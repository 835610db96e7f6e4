"""Text of a hover: why a hit has its rank in five lines, and the notes on it, a line each."""

from __future__ import annotations

import re
from collections.abc import Sequence

from packhound.core.records import NoteMark, byline, iso_date
from packhound.core.types import Hit, SignalGroup
from packhound.redact import redact, safe_line

BAR_WIDTH = 6
MAX_NOTES = 3
MAX_GROUPS = 3
"""With the title and what would move the hit these are five lines."""
_LEAST = 0.05
"""What rounds to zero is no reason."""
_EIGHTHS = " ▏▎▍▌▋▊▉█"
_MARKDOWN_SPECIAL = re.compile(r"([\\`*\[\]<>~&@|$]|(?<!\w)_|_(?!\w)|(?<=[wW]{3})\.|:(?=//))")
_MAX_LENGTH = 120
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]")


def hover_text(query: str, hit: Hit, *, markdown: bool) -> str:
    """Return a node's name and rank, what speaks for and against it, and what would move it."""
    name = _single_line(hit.node.qualname or hit.node.name or hit.node.path)
    query = _single_line(query)
    rank = f"#{hit.rank} for" if hit.rank else "not among the results for"
    rows = _group_rows(hit.explanation().groups)
    counterfactual = hit.explanation().counterfactual
    git = hit.git.describe() if hit.git else ""
    body = "\n".join([*rows, *filter(None, (counterfactual, git))])
    if not markdown:
        return f"{name} ({hit.node.kind}), {rank} {query}\n{body}".rstrip()
    title = f"`{_in_code_block(name)}` {hit.node.kind}, {rank} `{_in_code_block(query)}`"
    return f"{title}\n\n```text\n{body}\n```" if body else title


def notes_text(notes: Sequence[NoteMark], *, markdown: bool) -> str:
    """Return a line a note: its type and state, its name, and the beginning of what it says."""
    lines = [_note_line(mark) for mark in notes[:MAX_NOTES]]
    if len(notes) > MAX_NOTES:
        lines.append(f"and {len(notes) - MAX_NOTES} more notes")
    return "\n\n".join(map(escape, lines)) if markdown else "\n".join(lines)


def _note_line(mark: NoteMark) -> str:
    record = mark.record
    state = f" [{mark.state}]" if mark.state else ""
    author = safe_line(f"({byline(record.metadata)}, {iso_date(record.date)})")
    text = redact(f"{record.title}: {record.text}").text
    return f"{record.type}{state} {_single_line(' '.join(text.split()))} {_single_line(author)}"


def escape(text: str) -> str:
    """Escape text within a line of Markdown: no formatting, links, images, tags or entities.

    Neovim and Emacs show the backslashes, so there are no others.
    """
    return _MARKDOWN_SPECIAL.sub(r"\\\1", text)


def _group_rows(groups: Sequence[SignalGroup]) -> list[str]:
    """Return a row for each group that tells the hit from its rivals most."""
    by_size = sorted(groups, key=lambda group: -abs(group.above_average))
    # An only candidate is the average itself: what it matched is said all the same.
    alone = all(abs(group.above_average) < _LEAST for group in groups)
    maximum = abs(by_size[0].above_average) if by_size else 0.0
    return [
        f"{group.name:9}  {_bar(abs(group.above_average), maximum)}  {group.above_average:+5.1f}  "
        f"{_in_code_block(group.text)}".rstrip()
        for group in by_size[:MAX_GROUPS]
        if abs(group.above_average) >= _LEAST or (alone and group.text)
    ]


def _bar(amount: float, maximum: float) -> str:
    eighths = round(amount / maximum * BAR_WIDTH * 8) if maximum else 0
    full, rest = divmod(min(eighths, BAR_WIDTH * 8), 8)
    return ("█" * full + (_EIGHTHS[rest] if rest else "")).ljust(BAR_WIDTH)


def _in_code_block(text: str) -> str:
    """Return a line that cannot end the code span or block that it is in."""
    return _single_line(text).replace("`", "'")


def _single_line(text: str) -> str:
    """Return one line of visible characters: no name or query may draw outside its row."""
    line = _CONTROL.sub("\ufffd", text)
    return line if len(line) <= _MAX_LENGTH else line[: _MAX_LENGTH - 1] + "…"
