"""The answer to a grep as a JSON object, the same for every client. Lines are 1-based."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from packhound.api.json_codec import Json
from packhound.grep import GrepGroup, GrepLine, GrepResults

Locate = Callable[[GrepGroup], Mapping[str, object]]
"""Fields that a client's protocol adds to a group, such as its URI."""
LocateLine = Callable[[GrepGroup, GrepLine], Mapping[str, object]]
"""Fields that it adds to a line of a notebook."""


def grep_json(
    results: GrepResults, locate: Locate | None = None, locate_line: LocateLine | None = None
) -> Json:
    """Return an answer; `counts` are there only if they were asked for."""
    return {
        "pattern": results.pattern,
        "total_lines": results.n_lines,
        "total_files": results.n_files,
        "groups": [
            {**_group_json(group, locate_line), **(locate(group) if locate else {})}
            for group in results.groups
        ],
        "counts": [{"path": path, "lines": n} for path, n in results.counts],
        "next_offset": results.next_offset,
        "generation": results.generation,
        "took_ms": round(results.took_ms, 3),
        "notes": list(results.notes),
    }


def _group_json(group: GrepGroup, locate_line: LocateLine | None) -> Json:
    """Return the lines of one definition; a file where no definition holds them."""
    node = group.node
    return {
        "path": group.path,
        "start_line": node.span.start_line + 1 if node else group.lines[0].number + 1,
        "end_line": node.span.end_line + 1 if node else group.lines[-1].number + 1,
        "kind": node.kind if node else "file",
        "name": node.name if node else "",
        "qualname": node.qualname if node else "",
        "lines": [_line_json(group, line, locate_line) for line in group.lines],
        **({} if group.score is None else {"score": group.score}),
    }


def _line_json(group: GrepGroup, line: GrepLine, locate: LocateLine | None) -> Json:
    row: Json = {"line": line.number + 1, "text": line.text, "match": line.is_match}
    if line.cell is None:
        return row
    return {**row, "cell": line.cell._asdict(), **(locate(group, line) if locate else {})}
