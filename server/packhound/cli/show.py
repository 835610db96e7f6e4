"""Terminal output: tables, boxes, bars and progress."""

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
from packhound.search import phrase

if TYPE_CHECKING:
    from packhound.cli.doctor import Finding
    from packhound.service import Engine

_BAR_WIDTH = 16
_NUMBERS_WIDTH = len("10   12.34")
_MIN_NAME_WIDTH = 24
_PIPE_WIDTH = 1_000
_out = Console(highlight=False)
_err = Console(stderr=True, highlight=False)


def results(
    answer: Results,
    boxes: bool = False,
    console: Console = _out,
    columns: Sequence[tuple[str, str]] | None = None,
) -> None:
    """Print the hits as a table, or as boxes, then the notes; `columns` are git's, by hit."""
    if boxes:
        for i, hit in enumerate(answer.hits):
            box(hit, console, _git_summary(columns[i]) if columns else "")
    elif answer.hits:
        for line in _table(answer.hits, console.width if console.is_terminal else None, columns):
            console.print(line, soft_wrap=True)
    summary = f"{len(answer.hits)} of {answer.candidates:,} candidates in {answer.took_ms:.1f} ms"
    console.print(summary + (", truncated" if answer.truncated else ""), style="dim")
    for note in answer.notes:
        console.print(f"note: {note}", style="yellow", markup=False)


def box(hit: Hit, console: Console = _out, extra: str = "") -> None:
    """Print a hit and every signal's contribution, largest first; `extra` follows the score."""
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
            Text("█" * max(1, round(share * _BAR_WIDTH)), style=colour),
            Text(reason.signal, style="bold"),
            Text(phrase(reason), style="dim"),
        )
    title = Text(f"{hit.rank or '-'}  {_location(hit)}  {hit.node.kind} {hit.node.qualname}")
    console.print(
        Panel(grid, title=title, title_align="left", subtitle=f"score {hit.score:.3f}{extra}")
    )


def status(state: Status) -> None:
    """Print the state of one folder as a list."""
    grid = Table.grid(padding=(0, 2))
    languages = ", ".join(f"{name} {count:,}" for name, count in state.languages.items())
    rows = {
        "folder": state.root,
        "state": state.state + (f", {state.pending:,} pending" if state.pending else ""),
        "generation": f"{state.generation:,}",
        "files": f"{state.files:,} ({languages})",
        "nodes": f"{state.nodes:,}, {state.vectors:,} with a vector",
        "model": state.model,
        "dense search": state.dense + (f", recall {state.recall:.3f}" if state.recall else ""),
        "deleted share": f"{state.dead_share:.1%}",
        "writes to disk": _writing(state),
    }
    for name, value in rows.items():
        grid.add_row(Text(name, style="bold"), Text(value))
    _out.print(grid)
    for note in state.notes:
        _out.print(f"note: {note}", style="yellow", markup=False)


def _writing(state: Status) -> str:
    if state.save_problem:
        return "no, nothing is saved (see the note)"
    return "yes" if state.writer else "no (another process does, or it is off)"


def findings(checks: Sequence[Finding]) -> None:
    """Print the doctor's findings, a line each."""
    for finding in checks:
        mark = Text("ok  ", style="green") if finding.ok else Text("bad ", style="red")
        _out.print(mark + Text(f"{finding.name}: {finding.text}"))


def progress(engine: Engine) -> None:
    """Show a bar on stderr until nothing is pending."""
    columns = (TextColumn("indexing"), BarColumn(), MofNCompleteColumn(), TextColumn("files"))
    with Progress(*columns, console=_err, transient=True) as bar:
        task = bar.add_task("indexing", total=None)
        total = 1
        while not engine.settled(0.1):
            pending = engine.status().pending
            total = max(total, pending)
            bar.update(task, total=total, completed=total - pending)
            time.sleep(0.05)


def _git_summary(columns: tuple[str, str]) -> str:
    commits, changed = columns
    return f", {changed}" + ("" if commits == "-" else f", {commits} commit{'s'[: commits != '1']}")


def _table(
    hits: Sequence[Hit], width: int | None, columns: Sequence[tuple[str, str]] | None
) -> Iterator[Text]:
    """Yield a heading and one line a hit, of `width` cells where the paths allow it.

    Names are cut short, paths never: a path that is whole can be clicked and copied.
    """
    locations = [_location(hit) for hit in hits]
    heading, cells = _align(columns, len(hits))
    kinds = max(len("kind"), *(len(hit.node.kind) for hit in hits))
    free = (
        (width or _PIPE_WIDTH)
        - _NUMBERS_WIDTH
        - kinds
        - max(map(len, locations))
        - 4
        - len(heading)
    )
    longest = max(cell_len(_name(hit)) for hit in hits)
    names = min(longest, max(_MIN_NAME_WIDTH, free))
    yield Text(f"{'':2}  {'score':>6}  {'kind':{kinds}}  {'name':{names}}  {heading}path", "bold")
    for hit, location, cell in zip(hits, locations, cells, strict=True):
        name = Text(_name(hit), style="bold")
        name.truncate(names, overflow="ellipsis", pad=True)
        kind = Text(f"{hit.node.kind:{kinds}}", style="cyan")
        number = f"{hit.rank:2}  {hit.score:6.2f}"
        yield Text("  ").join((Text(number), kind, name, Text(cell + location)))
        if hit.siblings:
            yield Text(f"{'':10}also here: {_siblings(hit)}", style="dim")


def _siblings(hit: Hit) -> str:
    return ", ".join(f"{node.name}:{node.span.start_line + 1}" for node in hit.siblings)


def _align(columns: Sequence[tuple[str, str]] | None, n: int) -> tuple[str, list[str]]:
    """Return the heading of git's columns and their cells; empty strings without columns."""
    if columns is None:
        return "", [""] * n
    changed_width = max(len(changed) for _, changed in (HEADINGS, *columns))
    commits_width = max(len(commits) for commits, _ in (HEADINGS, *columns))
    heading, *cells = (
        f"{c:>{commits_width}}  {changed:{changed_width}}  " for c, changed in (HEADINGS, *columns)
    )
    return heading, cells


def _name(hit: Hit) -> str:
    return hit.node.qualname or hit.node.name


def _location(hit: Hit) -> str:
    span = hit.node.span
    return f"{hit.node.path}:{span.start_line + 1}-{span.end_line + 1}"
