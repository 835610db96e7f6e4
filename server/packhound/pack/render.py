"""Chosen lines as the text that is sent: a block a file, in a stable order.

Content can not end its block: a Markdown fence is longer than any run of backticks in the pack, an
XML tag carries a name that no line of the pack contains, and JSON escapes.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple
from xml.sax.saxutils import quoteattr

from packhound.core.trace import traced
from packhound.pack.request import Format
from packhound.redact import safe_line

_MAX_RANGES = 8
_BACKTICKS = re.compile("`+")
_GAP = "..."
_FENCED = re.compile(r"^### (.*)\n(`{3,})(.*)\n((?:.*\n)*?)\2$", re.MULTILINE)


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
        path, n_lines = safe_line(self.path), len(self.numbers)
        if len(self.runs) <= _MAX_RANGES:
            return f"{path}:{self.ranges}"
        return f"{path}: {n_lines} of lines {_line_numbers(self.numbers[0], self.numbers[-1])}"

    def part(self) -> Part:
        """Return the block as Markdown and XML have it."""
        reason = f" ({safe_line(self.reason)})" if self.reason else ""
        path = quoteattr(safe_line(self.path))
        attributes = f'path={path} lines="{self.ranges}" generation="{self.generation}"'
        return Part(self.heading + reason, attributes, self.content, self.language)

    def row(self) -> dict[str, object]:
        """Return the block as JSON has it."""
        return {
            "path": safe_line(self.path),
            "lines": self.ranges,
            "generation": self.generation,
            "language": self.language,
            "content": self.content,
        }


class Part(NamedTuple):
    """A content of a pack, with its heading in Markdown and its attributes in XML."""

    heading: str
    attributes: str
    content: str
    language: str = ""


@traced("render")
def render(blocks: Sequence[Block], already_sent: Sequence[str], form: Format) -> str:
    """Return the text of a pack; `already_sent` names nodes that the conversation has."""
    names = [*map(safe_line, already_sent)]
    if not blocks and not names:
        return ""
    if form == "json":
        rows: dict[str, object] = {"files": [block.row() for block in blocks]}
        return to_json(rows | {"sent_before": names} if names else rows)
    parts = [block.part() for block in blocks]
    if form == "xml":
        tag = unused_tag("\n".join((*(part.content for part in parts), *already_sent)))
        if names:
            parts.append(Part("", 'note="sent before and unchanged"', "\n".join(names)))
        return "".join(xml_parts(parts, tag))
    sent = ["Sent before and unchanged: " + "; ".join(names) + "\n"] if names else []
    return "\n".join([*markdown_parts(parts), *sent])


def markdown_parts(parts: Sequence[Part]) -> list[str]:
    """Return parts as Markdown, in a fence that none of them can close."""
    runs = [len(run) for part in parts for run in _BACKTICKS.findall(part.content)]
    fence = "`" * max(3, 1 + max(runs, default=0))
    return [f"### {p.heading}\n{fence}{p.language}\n{p.content}\n{fence}\n" for p in parts]


def read_markdown(text: str) -> Iterator[Part | str]:
    """Yield the parts of a pack in Markdown, and the lines between them, in their order."""
    end = 0
    for match in _FENCED.finditer(text):
        yield from filter(None, text[end : match.start()].splitlines())
        heading, _, language, content = match.groups()
        yield Part(heading, "", content.removesuffix("\n"), language)
        end = match.end()
    yield from filter(None, text[end:].splitlines())


def xml_parts(parts: Sequence[Part], tag: str) -> list[str]:
    """Return parts as XML in a tag that none of them contains."""
    return [f"<{tag} {part.attributes}>\n{part.content}\n</{tag}>\n" for part in parts]


def to_json(pack: Mapping[str, object]) -> str:
    """Return a pack as JSON."""
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
