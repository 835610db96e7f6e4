"""Text of a hover: a hit's score and its reasons, as Markdown or plain text."""

from __future__ import annotations

import re

from packhound.core.types import Hit
from packhound.search import phrase

BAR_WIDTH = 12
MAX_ROWS = 12
"""Rows of reasons, the largest contributions first; one more row sums up the rest."""
_EIGHTHS = " ▏▎▍▌▋▊▉█"
_MARKDOWN_SPECIAL = re.compile(r"([\\`*_{}\[\]()#+\-.!|<>~&$:])")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]")


def hover_text(query: str, hit: Hit, *, markdown: bool) -> str:
    """Return a node's name, rank and score, and a bar for each reason of the score."""
    name = _single_line(hit.node.qualname or hit.node.name or hit.node.path)
    query = _single_line(query)
    rank = f"#{hit.rank} for" if hit.rank else "not among the results for"
    bars = "\n".join(_reason_rows(hit))
    if not markdown:
        return f"{name} ({hit.node.kind}), {rank} {query}, score {hit.score:.3f}\n{bars}"
    title = f"**{escape(name)}** {escape(hit.node.kind)}, {escape(rank)} *{escape(query)}*"
    return f"{title}, score **{hit.score:.3f}**\n\n```text\n{bars}\n```"


def escape(text: str) -> str:
    """Escape text for Markdown: no formatting, links, images, entities or tags are left."""
    return _MARKDOWN_SPECIAL.sub(r"\\\1", text)


def _reason_rows(hit: Hit) -> list[str]:
    reasons = sorted(hit.why, key=lambda reason: -abs(reason.contribution))
    maximum = max((abs(reason.contribution) for reason in reasons), default=0.0)
    rows = [
        f"{reason.contribution:+8.3f}  {_bar(abs(reason.contribution), maximum)}  "
        f"{_in_code_block(phrase(reason))} ({reason.weight:.3g} × {reason.value:.3g})"
        for reason in reasons[:MAX_ROWS]
    ]
    rest = sum(reason.contribution for reason in reasons[MAX_ROWS:])
    if len(reasons) > MAX_ROWS:
        bar = _bar(abs(rest), maximum)
        rows.append(f"{rest:+8.3f}  {bar}  {len(reasons) - MAX_ROWS} others")
    return rows


def _bar(amount: float, maximum: float) -> str:
    eighths = round(amount / maximum * BAR_WIDTH * 8) if maximum else 0
    full, rest = divmod(min(eighths, BAR_WIDTH * 8), 8)
    return ("█" * full + (_EIGHTHS[rest] if rest else "")).ljust(BAR_WIDTH)


def _in_code_block(text: str) -> str:
    """Return text that cannot end the fenced code block that it is in."""
    return _single_line(text).replace("`", "'")


def _single_line(text: str, max_length: int = 120) -> str:
    """Return one line of visible characters: no name or query may draw outside its row."""
    line = _CONTROL.sub("\ufffd", text)
    return line if len(line) <= max_length else line[: max_length - 1] + "…"
