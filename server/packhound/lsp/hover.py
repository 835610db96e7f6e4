"""A score and its reasons as the text of a hover."""

from __future__ import annotations

import re

from packhound.core.types import Hit
from packhound.search.explain import phrase

BAR_WIDTH = 12
ROWS = 12
"""Reasons that are shown, the biggest first; the rest are one row, so that all add up."""
_EIGHTHS = " ▏▎▍▌▋▊▉█"
_SPECIAL = re.compile(r"([\\`*_{}\[\]()#+\-.!|<>~&$:])")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]")


def hover_text(query: str, hit: Hit, *, markdown: bool) -> str:
    """Why a node scored what it scored: its name, the score, and a bar for each reason."""
    name, asked = _line(hit.node.qualname or hit.node.name or hit.node.path), _line(query)
    rank = f"#{hit.rank} for" if hit.rank else "not among the results for"
    bars = "\n".join(_bars(hit))
    if not markdown:
        return f"{name} ({hit.node.kind}), {rank} {asked}, score {hit.score:.3f}\n{bars}"
    title = f"**{escape(name)}** {escape(hit.node.kind)}, {escape(rank)} *{escape(asked)}*"
    return f"{title}, score **{hit.score:.3f}**\n\n```text\n{bars}\n```"


def escape(text: str) -> str:
    """Text that Markdown shows as it is: no formatting, links, images, entities or tags."""
    return _SPECIAL.sub(r"\\\1", text)


def _bars(hit: Hit) -> list[str]:
    reasons = sorted(hit.why, key=lambda reason: -abs(reason.contribution))
    most = max((abs(reason.contribution) for reason in reasons), default=0.0)
    shown = [
        f"{reason.contribution:+8.3f}  {_bar(abs(reason.contribution), most)}  "
        f"{_fenced(phrase(reason))} ({reason.weight:.3g} × {reason.value:.3g})"
        for reason in reasons[:ROWS]
    ]
    others = sum(reason.contribution for reason in reasons[ROWS:])
    if len(reasons) > ROWS:
        shown.append(f"{others:+8.3f}  {_bar(abs(others), most)}  {len(reasons) - ROWS} others")
    return shown


def _bar(amount: float, most: float) -> str:
    eighths = round(amount / most * BAR_WIDTH * 8) if most else 0
    full, rest = divmod(min(eighths, BAR_WIDTH * 8), 8)
    return ("█" * full + (_EIGHTHS[rest] if rest else "")).ljust(BAR_WIDTH)


def _fenced(text: str) -> str:
    """Text that cannot end the block of code that it is in."""
    return _line(text).replace("`", "'")


def _line(text: str, most: int = 120) -> str:
    """One line of visible characters, so that no name or query draws outside its place."""
    shown = _CONTROL.sub("\ufffd", text)
    return shown if len(shown) <= most else shown[: most - 1] + "…"
