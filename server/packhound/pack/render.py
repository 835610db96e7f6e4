"""Chosen lines as the text that is sent: a block a file, in an order that is always the same.

Content can not end its block: a Markdown fence is longer than any run of backticks in the pack, an
XML tag carries a name that no line of the pack contains, and JSON escapes.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from xml.sax.saxutils import quoteattr

from packhound.pack.request import Format
from packhound.redact.control_characters import visible_line

_MAX_RANGES = 8
_BACKTICKS = re.compile("`+")
_GAP = "..."


@dataclass(frozen=True, eq=False)
class Block:
    """The shown lines of one file: their numbers (0-based, ascending) and their texts."""

    path: str
    language: str
    generation: int
    numbers: tuple[int, ...]
    texts: tuple[str, ...]

    @cached_property
    def runs(self) -> list[tuple[int, int]]:
        """The first and the last number of each run of lines."""
        runs: list[tuple[int, int]] = []
        for number in self.numbers:
            if runs and runs[-1][1] == number - 1:
                runs[-1] = (runs[-1][0], number)
            else:
                runs.append((number, number))
        return runs

    @cached_property
    def content(self) -> str:
        """The lines, with a mark that says which are left out between them."""
        shown: list[str] = []
        before, at = self.numbers[0] - 1, 0
        for first, last in self.runs:
            if before < first - 1:
                shown.append(f"{_GAP} {_numbers(before + 1, first - 1)}")
            shown += self.texts[at : at + last - first + 1]
            before, at = last, at + last - first + 1
        return "\n".join(shown)

    @cached_property
    def ranges(self) -> str:
        """The runs as `10-40,80`; many are shown as one from the first to the last."""
        runs = self.runs
        if len(runs) > _MAX_RANGES:
            runs = [(runs[0][0], runs[-1][1])]
        return ",".join(_numbers(first, last) for first, last in runs)


def render(blocks: Sequence[Block], known: Sequence[str], form: Format) -> str:
    """The text of a pack; `known` names what the conversation has already. No blocks, no text."""
    if not blocks and not known:
        return ""
    if form == "json":
        return _json(blocks, known)
    if form == "xml":
        return _xml(blocks, known)
    return _markdown(blocks, known)


def _markdown(blocks: Sequence[Block], known: Sequence[str]) -> str:
    runs = [run for block in blocks for run in _BACKTICKS.findall(block.content)]
    fence = "`" * max(3, 1 + max(map(len, runs), default=0))
    parts = []
    for block in blocks:
        heading = f"### {visible_line(block.path)}:{block.ranges} (generation {block.generation})"
        parts.append(f"{heading}\n{fence}{block.language}\n{block.content}\n{fence}\n")
    if known:
        parts.append("Sent before and unchanged: " + "; ".join(map(visible_line, known)) + "\n")
    return "\n".join(parts)


def _xml(blocks: Sequence[Block], known: Sequence[str]) -> str:
    tag = _unused_tag("\n".join((*(block.content for block in blocks), *known)))
    parts = []
    for block in blocks:
        path = quoteattr(visible_line(block.path))
        head = f'<{tag} path={path} lines="{block.ranges}" generation="{block.generation}">'
        parts.append(f"{head}\n{block.content}\n</{tag}>\n")
    if known:
        listed = "\n".join(map(visible_line, known))
        parts.append(f'<{tag} note="sent before and unchanged">\n{listed}\n</{tag}>\n')
    return "".join(parts)


def _json(blocks: Sequence[Block], known: Sequence[str]) -> str:
    files = [
        {
            "path": visible_line(block.path),
            "lines": block.ranges,
            "generation": block.generation,
            "language": block.language,
            "content": block.content,
        }
        for block in blocks
    ]
    whole: dict[str, object] = {"files": files}
    if known:
        whole["sent_before"] = list(map(visible_line, known))
    return json.dumps(whole, ensure_ascii=False, separators=(",", ":"))


def _numbers(first: int, last: int) -> str:
    return f"{first + 1}-{last + 1}" if last > first else f"{first + 1}"


def _unused_tag(text: str) -> str:
    """A tag name made from the whole content, which therefore cannot foresee it."""
    encoded = text.encode("utf-8", "surrogatepass")
    attempt = 0
    while True:
        salted = hashlib.blake2b(encoded, digest_size=5, salt=attempt.to_bytes(8, "little"))
        tag = f"code-{salted.hexdigest()}"
        if tag not in text:
            return tag
        attempt += 1
