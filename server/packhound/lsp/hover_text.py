"""Text of a hover: what speaks for a hit and against it, and the notes on it, a line each."""

from __future__ import annotations

import re
from collections.abc import Sequence

from packhound.core.records import NoteMark, byline, iso_date
from packhound.core.types import Hit
from packhound.redact import redact, safe_line

MAX_NOTES = 3
_MARKDOWN_SPECIAL = re.compile(r"([\\`*\[\]<>~&@|$]|(?<!\w)_|_(?!\w)|(?<=[wW]{3})\.|:(?=//))")
_MAX_LENGTH = 160
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]")


def hover_text(query: str, hit: Hit, *, markdown: bool) -> str:
    """Return a node's name and rank, what speaks for and against it, and the best other hit."""
    name = _single_line(hit.node.qualname or hit.node.name or hit.node.path)
    query = _single_line(query)
    rank = f"#{hit.rank} for" if hit.rank else "not among the results for"
    explanation = hit.explanation()
    rows = {
        "for": " · ".join(explanation.reasons),
        "against": " · ".join(explanation.against),
        "beside": explanation.beside.removeprefix("beside "),
        "lines": hit.git.describe() if hit.git else "",
    }
    body = "\n".join(f"{title:9}{_in_code_block(text)}" for title, text in rows.items() if text)
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


def _in_code_block(text: str) -> str:
    """Return a line that cannot end the code span or block that it is in."""
    return _single_line(text).replace("`", "'")


def _single_line(text: str) -> str:
    """Return one line of visible characters: no name or query may draw outside its row."""
    line = _CONTROL.sub("\ufffd", text)
    return line if len(line) <= _MAX_LENGTH else line[: _MAX_LENGTH - 1] + "…"
