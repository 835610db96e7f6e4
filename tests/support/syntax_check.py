"""Invariants of every parsed file, and a file's nodes as text."""

from __future__ import annotations

import re
from bisect import bisect_right
from itertools import pairwise
from pathlib import Path

from packhound.core.types import Document, Node, ParsedFile
from packhound.parsing.parse import parse

SAMPLES = sorted((Path(__file__).parents[2] / "fixtures" / "languages").glob("*/sample.*"))
SOURCES = {f"src/{path.name}": path.read_bytes() for path in SAMPLES}
"""A sample of every language by a path for it."""


def parsed(path: str, source: str | bytes) -> ParsedFile:
    """Parse, and check what holds for every file."""
    octets = source.encode("utf-8", "surrogatepass") if isinstance(source, str) else source
    result = parse(Document(path, octets))
    check_nodes(octets, result)
    return result


def check_nodes(source: bytes, result: ParsedFile) -> None:
    """Nodes are in order, their own runs inside them and disjoint, their lines true."""
    order = [(node.span.start, -node.span.end) for node in result.nodes]
    assert order == sorted(order)
    runs, ends = [], [found.end() for found in re.finditer(rb"\r\n|\r|\n", source)]
    for i, node in enumerate(result.nodes):
        assert node.name.strip(), node
        assert node.parent is None or 0 <= node.parent < i
        assert 0 <= node.span.start <= node.span.end <= len(source)
        assert node.span.start_line == bisect_right(ends, node.span.start)
        assert node.span.end_line == bisect_right(ends, max(node.span.start, node.span.end - 1))
        assert all(node.span.start <= low < high <= node.span.end for low, high in node.own_ranges)
        runs.extend(node.own_ranges)
    runs.sort()
    assert all(before[1] <= after[0] for before, after in pairwise(runs))


def outline_text(result: ParsedFile) -> str:
    """One line for each node: kind, qualified name, lines, signature | doc | references."""
    lines = [f"language {result.language}", f"imports {', '.join(result.imports)}", ""]
    depths: list[int] = []
    for node in result.nodes:
        depths.append(0 if node.parent is None else depths[node.parent] + 1)
        lines.append("  " * depths[-1] + _line(node))
    return "\n".join(lines).rstrip() + "\n"


def _line(node: Node) -> str:
    where = f"{node.span.start_line + 1}-{node.span.end_line + 1}"
    name = node.qualname if node.qualname.endswith(node.name) else f"{node.qualname} [{node.name}]"
    doc = node.doc.partition("\n")[0][:60]
    return f"{node.kind} {name} {where} {node.signature[:80]} | {doc} | {len(node.references)}"
