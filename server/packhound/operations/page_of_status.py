"""The state of indexes as a page: what is indexed by folder, what is not, and how fresh it is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias

from packhound.core import status as limits
from packhound.operations.html import Element, listing, page, rect, section, svg, table, tag
from packhound.operations.text import Row, path_of
from packhound.redact import safe_line

Box: TypeAlias = tuple[float, float, float, float]
"""Left, top, width and height."""
_WIDTH, _HEIGHT = 960, 480
_LETTER, _LINE = 7, 16
"""Width and height of a letter."""
_LEAST_LETTERS = 6
_MAX_PATHS = 200
"""Of a reason."""


def page_of_status(answer: Row, arguments: Row) -> str:
    """Return the page of a status that counts folders and lists files that are skipped."""
    states = answer.get("roots", [answer])
    names = ", ".join(safe_line(state["root"]) for state in states)
    return page(
        f"Index of {names}",
        *(_state(state) for state in states),
        section("What is indexed", *_indexed(answer)),
        section("What is left out", *_left_out(answer)),
        *(_upkeep(state, named=len(states) > 1) for state in states),
        section("Notes", listing(map(safe_line, answer["notes"]))),
    )


def _state(state: Row) -> Element:
    """Return what a folder has and what is still to come."""
    waits = {
        "documents": state["pending"],
        "vectors": state["pending_vectors"],
        "vectors that failed": state["failed_vectors"],
    }
    pending = ", ".join(f"{n:,} {what}" for what, n in waits.items() if n)
    kinds = sorted(state["kinds"].items(), key=lambda pair: -pair[1])
    rows = [
        ("State", state["state"] + (f", {state['reading']}" if state.get("reading") else "")),
        ("Still to come", pending or "nothing: all that is known to have changed is in the index"),
        ("Generation", f"{state['generation']:,}; each change makes a new one"),
        ("Files", _counts(state["languages"].items(), state["files"])),
        ("Definitions", _counts(kinds, state["nodes"])),
        ("Meaning", f"{state['vectors']:,} vectors of the model '{safe_line(state['model'])}'"),
        ("On disk", _megabytes(state["disk_bytes"])),
    ]
    return section(safe_line(state["root"]), table(("", ""), rows))


def _counts(pairs: Sequence[tuple[str, int]], total: int) -> str:
    return f"{total:,}: " + ", ".join(f"{n:,} {name}" for name, n in pairs) if total else "none"


def _megabytes(n_bytes: int) -> str:
    return f"{n_bytes / 1e6:,.1f} MB"


def _indexed(answer: Row) -> Iterator[Element]:
    """Yield all definitions by folder, as areas and as a table."""
    folders = sorted(answer["folders"], key=lambda row: -row["nodes"])
    folders = [row for row in folders if row["nodes"]]
    if answer.get("memory_bytes"):
        memory = f"The process that answered has {_megabytes(answer['memory_bytes'])} of memory"
        yield tag("p", f"{memory}, without its parsers.")
    if not folders:
        yield tag("p", "No definitions.")
        return
    yield tag("p", "The area of a folder is the number of its definitions.", class_="dim")
    boxes = squarify([row["nodes"] for row in folders], (0, 0, _WIDTH, _HEIGHT))
    cells = [_cell(row, box) for row, box in zip(folders, boxes, strict=True)]
    yield svg("Definitions by folder; the table below has the numbers", _WIDTH, _HEIGHT, *cells)
    rows = [(path_of(row), row["files"], row["nodes"]) for row in folders]
    numbers = table(("Folder", "Files", "Definitions"), rows)
    yield tag("details", tag("summary", f"{len(rows)} folders as a table"), numbers)


def _cell(row: Row, box: Box) -> Element:
    """Return a folder as an area, with the end of its name and its size as far as they fit."""
    x, y, width, height = box
    n_letters, name = int((width - 8) / _LETTER), path_of(row).removesuffix("/**")
    title = f"{path_of(row)}: {row['nodes']:,} definitions in {row['files']:,} files"
    texts = [name if len(name) <= n_letters else f"..{name[2 - n_letters :]}", f"{row['nodes']:,}"]
    if n_letters < _LEAST_LETTERS:
        texts = []
    lines = [
        tag("text", text, x=f"{x + 4:.1f}", y=f"{y + _LINE * (n + 1) - 2:.1f}")
        for n, text in enumerate(texts)
        if height > _LINE * (n + 1) + 2
    ]
    return tag("g", rect(*box, "box", title), *lines)


def squarify(sizes: Sequence[float], box: Box) -> list[Box]:
    """Share a box out by falling sizes above zero, in rows whose boxes are nearly square."""
    x, y, width, height = box
    scale = width * height / sum(sizes) if sizes else 0.0
    areas, boxes = [size * scale for size in sizes], list[Box]()
    while areas:
        side, n = min(width, height), 1
        while n < len(areas) and _worst(areas[: n + 1], side) <= _worst(areas[:n], side):
            n += 1
        depth, along = sum(areas[:n]) / max(side, 1e-9), 0.0
        for area in areas[:n]:
            length = area / depth
            is_wide = width >= height
            boxes.append(
                (x, y + along, depth, length) if is_wide else (x + along, y, length, depth)
            )
            along += length
        if width >= height:
            x, width = x + depth, width - depth
        else:
            y, height = y + depth, height - depth
        areas = areas[n:]
    return boxes


def _worst(areas: Sequence[float], side: float) -> float:
    """Return the worst ratio of sides of areas in one row along a side (Bruls et al., 2000)."""
    total = sum(areas)
    return max(side**2 * areas[0] / total**2, total**2 / (side**2 * areas[-1]))


def _left_out(answer: Row) -> Iterator[Element]:
    """Yield the reasons with their numbers, and the files of each that are known by path."""
    rows = [
        (": ".join(filter(None, (row.get("label"), row["reason"]))), row["files"], row["folders"])
        for row in answer["left_out"]
    ]
    yield table(("Reason", "Files", "Folders, not looked into"), rows)
    paths: dict[str, list[str]] = {}
    for row in answer["skipped_files"]:
        paths.setdefault(row["reason"], []).append(path_of(row))
    for reason, named in paths.items():
        n_more = len(named) - _MAX_PATHS
        more = [f"and {n_more:,} more"] if n_more > 0 else []
        yield tag(
            "details",
            tag("summary", f"{reason}: {len(named):,} file" + "s"[: len(named) != 1]),
            listing([*named[:_MAX_PATHS], *more]),
        )


def _upkeep(state: Row, *, named: bool) -> Element:
    """Return how far an index is from a new one, and when idle time sees to that."""
    drift = state["drift"]
    rows = [
        (
            "Deleted rows",
            f"{state['dead_share']:.1%}",
            f"above {limits.MAX_DEAD_SHARE:.0%} and {limits.MIN_DEAD:,} rows they are removed",
        )
    ]
    if state["dense"] == "hnsw":
        again = "the graph is built anew"
        rows += [
            ("Recall of the graph", f"{state['recall']:.3f}", f"where it has fallen, {again}"),
            (
                "Vectors outside the graph",
                f"{drift['tail']:,}",
                f"each search scans them; above {limits.MAX_TAIL:,} they are added to it",
            ),
            (
                "Deleted in the graph",
                f"{drift['graph_dead_share']:.1%}",
                f"above {limits.MAX_GRAPH_DEAD_SHARE:.0%} {again}",
            ),
            (
                "Change of the average length",
                f"{drift['length_shift']:.1%}",
                f"above {limits.MAX_LENGTH_SHIFT:.0%} {again}",
            ),
        ]
    elif state["dense"] == "exact":
        rows.append(("Search by meaning", "exact", "all vectors are scanned; no graph to keep"))
    title = "Upkeep" + (f" of {safe_line(state['root'])}" if named else "")
    return section(title, table(("", "Now", "In idle time"), rows))
