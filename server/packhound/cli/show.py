"""What people see in a terminal: tables, boxes, bars and progress."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.console import Console
from rich.panel import Panel
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.table import Table
from rich.text import Text

from packhound.cli.columns import HEADINGS
from packhound.core.types import Hit, Results, Status
from packhound.search.explain import phrase

if TYPE_CHECKING:
    from packhound.cli.doctor import Finding
    from packhound.service.engine import Engine

_BAR = 16
_NUMBERS = len("10   12.34")
_LEAST_NAME = 24
_PIPE_WIDTH = 1_000
_out = Console(highlight=False)
_err = Console(stderr=True, highlight=False)


def results(
    found: Results,
    boxes: bool = False,
    console: Console = _out,
    columns: Sequence[tuple[str, str]] | None = None,
) -> None:
    """The hits as one table, or as one box each, then the notes; `columns` are git's, by hit."""
    if boxes:
        for i, hit in enumerate(found.hits):
            box(hit, console, _told(columns[i]) if columns else "")
    elif found.hits:
        for line in _table(found.hits, console.width if console.is_terminal else None, columns):
            console.print(line, soft_wrap=True)
    summary = f"{len(found.hits)} of {found.candidates:,} candidates in {found.took_ms:.1f} ms"
    console.print(summary + (", truncated" if found.truncated else ""), style="dim")
    for note in found.notes:
        console.print(f"note: {note}", style="yellow", markup=False)


def box(hit: Hit, console: Console = _out, told: str = "") -> None:
    """One hit and every signal's contribution, the largest first; `told` is put by the score."""
    grid = Table.grid(padding=(0, 1))
    grid.add_column(justify="right")
    grid.add_column(no_wrap=True)
    grid.add_column(no_wrap=True)
    grid.add_column(ratio=1)
    reasons = sorted(hit.why, key=lambda reason: -abs(reason.contribution))
    largest = max((abs(reason.contribution) for reason in reasons), default=0.0)
    for reason in reasons:
        share = abs(reason.contribution) / largest if largest else 0.0
        colour = "green" if reason.contribution >= 0 else "red"
        grid.add_row(
            f"{reason.contribution:+.2f}",
            Text("█" * max(1, round(share * _BAR)), style=colour),
            Text(reason.signal, style="bold"),
            Text(phrase(reason), style="dim"),
        )
    title = Text(f"{hit.rank or '-'}  {_place(hit)}  {hit.node.kind} {hit.node.qualname}")
    console.print(
        Panel(grid, title=title, title_align="left", subtitle=f"score {hit.score:.3f}{told}")
    )


def status(found: Status) -> None:
    """The state of one folder as a list."""
    grid = Table.grid(padding=(0, 2))
    languages = ", ".join(f"{name} {count:,}" for name, count in found.languages.items())
    rows = {
        "folder": found.root,
        "state": found.state + (f", {found.pending:,} pending" if found.pending else ""),
        "generation": f"{found.generation:,}",
        "files": f"{found.files:,} ({languages})",
        "nodes": f"{found.nodes:,}, {found.vectors:,} with a vector",
        "model": found.model,
        "dense search": found.dense + (f", recall {found.recall:.3f}" if found.recall else ""),
        "dead share": f"{found.dead_share:.1%}",
        "writes to disk": "yes" if found.writer else "no (another process does, or it is off)",
    }
    for name, value in rows.items():
        grid.add_row(Text(name, style="bold"), Text(value))
    _out.print(grid)
    for note in found.notes:
        _out.print(f"note: {note}", style="yellow", markup=False)


def findings(found: Sequence[Finding]) -> None:
    """The doctor's findings, a line each."""
    for finding in found:
        mark = Text("ok  ", style="green") if finding.well else Text("bad ", style="red")
        _out.print(mark + Text(f"{finding.name}: {finding.text}"))


def progress(engine: Engine) -> None:
    """A bar on stderr until nothing is pending."""
    columns = (TextColumn("indexing"), BarColumn(), MofNCompleteColumn(), TextColumn("files"))
    with Progress(*columns, console=_err, transient=True) as bar:
        task = bar.add_task("indexing", total=None)
        most = 1
        while not engine.settled(0.1):
            pending = engine.status().pending
            most = max(most, pending)
            bar.update(task, total=most, completed=most - pending)
            time.sleep(0.05)


def _told(columns: tuple[str, str]) -> str:
    commits, changed = columns
    return f", {changed}" + ("" if commits == "-" else f", {commits} commit{'s'[: commits != '1']}")


def _table(
    hits: Sequence[Hit], width: int | None, columns: Sequence[tuple[str, str]] | None
) -> Iterator[Text]:
    """A heading and one line a hit, of `width` cells where the paths leave that much.

    Names are cut short, paths never: a path that is whole can be clicked and copied.
    """
    places = [_place(hit) for hit in hits]
    heading, cells = _aligned(columns, len(hits))
    kinds = max(len("kind"), *(len(hit.node.kind) for hit in hits))
    left = (width or _PIPE_WIDTH) - _NUMBERS - kinds - max(map(len, places)) - 4 - len(heading)
    longest = max(cell_len(_name(hit)) for hit in hits)
    names = min(longest, max(_LEAST_NAME, left))
    yield Text(f"{'':2}  {'score':>6}  {'kind':{kinds}}  {'name':{names}}  {heading}path", "bold")
    for hit, place, cell in zip(hits, places, cells, strict=True):
        name = Text(_name(hit), style="bold")
        name.truncate(names, overflow="ellipsis", pad=True)
        kind = Text(f"{hit.node.kind:{kinds}}", style="cyan")
        number = f"{hit.rank:2}  {hit.score:6.2f}"
        yield Text("  ").join((Text(number), kind, name, Text(cell + place)))


def _aligned(columns: Sequence[tuple[str, str]] | None, n: int) -> tuple[str, list[str]]:
    """The heading of git's columns and their cells; all empty where they were not asked for."""
    if columns is None:
        return "", [""] * n
    wide = max(len(changed) for _, changed in (HEADINGS, *columns))
    most = max(len(commits) for commits, _ in (HEADINGS, *columns))
    heading, *cells = (f"{c:>{most}}  {changed:{wide}}  " for c, changed in (HEADINGS, *columns))
    return heading, cells


def _name(hit: Hit) -> str:
    return hit.node.qualname or hit.node.name


def _place(hit: Hit) -> str:
    span = hit.node.span
    return f"{hit.node.path}:{span.start_line + 1}-{span.end_line + 1}"
