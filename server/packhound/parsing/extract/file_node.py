"""What lies outside all definitions of a file: its doc, its licence, and the rest of its text."""

from __future__ import annotations

import re

from packhound.parsing.extract.definition import without
from packhound.parsing.extract.doc_comments import is_boilerplate
from packhound.parsing.extract.outline import Outline
from packhound.parsing.grammar import Captures
from packhound.parsing.lines import Run
from packhound.parsing.source import Source

_WORD = re.compile(rb"\w+")
_PREAMBLE = re.compile(
    rb"(?:\s|\xef\xbb\xbf|<\?php|[\"']use strict[\"'];?|#[^\n]*\n|package [\w.]+;?|\{-#.*?#-\})*",
    re.DOTALL,
)
"""What may stand between the comments at the top of a file."""


def remains(source: Source, outline: Outline, captures: Captures) -> tuple[list[Run], list[Run]]:
    """Own runs and docs of the file node; neither if no word stands outside the definitions.

    Comments on the licence, or for tools, are in neither, because everybody has them.
    """
    comments, licences = _leading_comments(source, outline, captures)
    docs = [*comments, *outline.docs]
    runs = without((0, len(source.octets)), outline.holes + licences + docs)
    return [run for run in source.trimmed(runs) if _WORD.search(source.octets, *run)], docs


def _leading_comments(
    source: Source, outline: Outline, captures: Captures
) -> tuple[list[Run], list[Run]]:
    """Comments above everything else: those on the file, and those on its licence."""
    first = min(outline.holes, default=(len(source.octets), 0))[0]
    on_file: list[Run] = []
    licences: list[Run] = []
    for block in _blocks(source.octets, sorted(run for run in captures.comments if run[0] < first)):
        text = "\n".join(source.text(run) for run in block)
        (licences if is_boilerplate(text) else on_file).extend(block)
    return on_file, licences


def _blocks(octets: bytes, comments: list[Run]) -> list[list[Run]]:
    """The comments at the top of the file, parted where a blank line parts them."""
    blocks: list[list[Run]] = []
    at = 0
    for start, end in comments:
        between = octets[at:start]
        if not _PREAMBLE.fullmatch(between):
            break
        at = end
        if start == 0 and octets.startswith(b"#!"):
            continue
        if not blocks or between.count(b"\n") > 1 or between.strip():
            blocks.append([])
        blocks[-1].append((start, end))
    return blocks
