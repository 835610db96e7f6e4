"""Content of the file node: the doc, and all text outside definitions, without the licence."""

from __future__ import annotations

import re

from packhound.parsing.extract.definition import without
from packhound.parsing.extract.doc_comments import is_licence_or_pragma
from packhound.parsing.extract.outline import Outline
from packhound.parsing.grammar import Captures
from packhound.parsing.source import ByteRange, Source

_WORD = re.compile(rb"\w+")
_PREAMBLE = re.compile(
    rb"(?:\s|\xef\xbb\xbf|<\?php|[\"']use strict[\"'];?|#[^\n]*\n|package [\w.]+;?|\{-#.*?#-\})*",
    re.DOTALL,
)
"""What may stand between the comments at the top of a file."""


def file_node_content(
    source: Source, outline: Outline, captures: Captures
) -> tuple[list[ByteRange], list[ByteRange]]:
    """Return the own ranges and docs of the file node, both empty if it has no words.

    Licences and comments for tools are in neither, because every file has them.
    """
    comments, licences = _leading_comments(source, outline, captures)
    docs = [*comments, *outline.docs]
    runs = without((0, len(source.octets)), outline.holes + licences + docs)
    return [run for run in source.trim(runs) if _WORD.search(source.octets, *run)], docs


def _leading_comments(
    source: Source, outline: Outline, captures: Captures
) -> tuple[list[ByteRange], list[ByteRange]]:
    """Return the comments above everything else: those on the file, and licences."""
    first = min(outline.holes, default=(len(source.octets), 0))[0]
    on_file: list[ByteRange] = []
    licences: list[ByteRange] = []
    comments = sorted(run for run in captures.runs["comment"] if run[0] < first)
    for block in _blocks(source.octets, comments):
        text = "\n".join(source.text(run) for run in block)
        (licences if is_licence_or_pragma(text) else on_file).extend(block)
    return on_file, licences


def _blocks(octets: bytes, comments: list[ByteRange]) -> list[list[ByteRange]]:
    """Group the comments at the top of the file into blocks divided by blank lines."""
    blocks: list[list[ByteRange]] = []
    previous_end = 0
    for start, end in comments:
        between = octets[previous_end:start]
        if not _PREAMBLE.fullmatch(between):
            break
        previous_end = end
        if start == 0 and octets.startswith(b"#!"):
            continue
        if not blocks or between.count(b"\n") > 1 or between.strip():
            blocks.append([])
        blocks[-1].append((start, end))
    return blocks
