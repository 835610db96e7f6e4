"""Chosen lines as the text that is sent: a block a file, in a stable order.

Content can not end its block: a Markdown fence is longer than any run of backticks in the pack, an
XML tag carries a name that no line of the pack contains, and JSON escapes.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from xml.sax.saxutils import quoteattr

from packhound.pack.request import Format
from packhound.redact import visible_line

_MAX_RANGES = 8
_BACKTICKS = re.compile("`+")
_GAP = "..."


@dataclass(frozen=True, eq=False)
class Block:
    """Chosen lines of one file: their numbers (0-based, ascending) and their texts."""

    path: str
    language: str
    generation: int
    numbers: tuple[int, ...]
    texts: tuple[str, ...]
    reason: str = ""
    """Why the file is in the pack."""

    @cached_property
    def runs(self) -> list[tuple[int, int]]:
        """First and last number of each run of lines."""
        runs: list[tuple[int, int]] = []
        for number in self.numbers:
            if runs and runs[-1][1] == number - 1:
                runs[-1] = (runs[-1][0], number)
            else:
                runs.append((number, number))
        return runs

    @cached_property
    def content(self) -> str:
        """The lines, with a mark for each gap between them."""
        lines: list[str] = []
        before, position = self.numbers[0] - 1, 0
        for first, last in self.runs:
            if before < first - 1:
                lines.append(f"{_GAP} {_line_numbers(before + 1, first - 1)}")
            end = position + last - first + 1
            lines += self.texts[position:end]
            before, position = last, end
        return "\n".join(lines)

    @property
    def ranges(self) -> str:
        """The runs as `10-40,80`."""
        return ",".join(_line_numbers(first, last) for first, last in self.runs)

    @property
    def heading(self) -> str:
        """Path and runs; of too many the number of lines, and those that they are among."""
        path, n_lines = visible_line(self.path), len(self.numbers)
        if len(self.runs) <= _MAX_RANGES:
            return f"{path}:{self.ranges}"
        return f"{path}: {n_lines} of lines {_line_numbers(self.numbers[0], self.numbers[-1])}"


def render(blocks: Sequence[Block], already_sent: Sequence[str], form: Format) -> str:
    """Return the text of a pack; `already_sent` names nodes that the conversation has."""
    if not blocks and not already_sent:
        return ""
    if form == "json":
        return _json(blocks, already_sent)
    if form == "xml":
        return _xml(blocks, already_sent)
    return _markdown(blocks, already_sent)


def _markdown(blocks: Sequence[Block], already_sent: Sequence[str]) -> str:
    fence = choose_fence(block.content for block in blocks)
    parts = []
    for block in blocks:
        reason = f" ({visible_line(block.reason)})" if block.reason else ""
        heading = f"### {block.heading}{reason}"
        parts.append(f"{heading}\n{fence}{block.language}\n{block.content}\n{fence}\n")
    if already_sent:
        parts.append(
            "Sent before and unchanged: " + "; ".join(map(visible_line, already_sent)) + "\n"
        )
    return "\n".join(parts)


def choose_fence(contents: Iterable[str]) -> str:
    """Return a Markdown fence that none of `contents` can close."""
    runs = [len(run) for content in contents for run in _BACKTICKS.findall(content)]
    return "`" * max(3, 1 + max(runs, default=0))


def _xml(blocks: Sequence[Block], already_sent: Sequence[str]) -> str:
    tag = unused_tag("\n".join((*(block.content for block in blocks), *already_sent)))
    parts = []
    for block in blocks:
        path = quoteattr(visible_line(block.path))
        head = f'<{tag} path={path} lines="{block.ranges}" generation="{block.generation}">'
        parts.append(f"{head}\n{block.content}\n</{tag}>\n")
    if already_sent:
        names = "\n".join(map(visible_line, already_sent))
        parts.append(f'<{tag} note="sent before and unchanged">\n{names}\n</{tag}>\n')
    return "".join(parts)


def _json(blocks: Sequence[Block], already_sent: Sequence[str]) -> str:
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
    pack: dict[str, object] = {"files": files}
    if already_sent:
        pack["sent_before"] = list(map(visible_line, already_sent))
    return json.dumps(pack, ensure_ascii=False, separators=(",", ":"))


def _line_numbers(first: int, last: int) -> str:
    return f"{first + 1}-{last + 1}" if last > first else f"{first + 1}"


def unused_tag(text: str) -> str:
    """Return a tag name made from the whole content, which therefore cannot contain it."""
    encoded = text.encode("utf-8", "surrogatepass")
    attempt = 0
    while True:
        salted = hashlib.blake2b(encoded, digest_size=5, salt=attempt.to_bytes(8, "little"))
        tag = f"code-{salted.hexdigest()}"
        if tag not in text:
            return tag
        attempt += 1
