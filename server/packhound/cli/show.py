"""Terminal output: tables, boxes, bars and progress."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.console import Console, Group
from rich.panel import Panel
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.table import Table
from rich.text import Text

from packhound.cli.columns import HEADINGS
from packhound.cli.console import Terminal
from packhound.cli.source_rows import beside_code, note_line, source_counts, source_problems
from packhound.cli.terminal import echo
from packhound.core.records import iso_date
from packhound.core.status import Drift, LeftOutRow, Status
from packhound.core.titles import heading as node_heading
from packhound.core.types import Hit, Results, SignalGroup
from packhound.redact import safe_line, visible_line
from packhound.search import phrase, signals_by_group

if TYPE_CHECKING:
    from packhound.cli.doctor import Finding
    from packhound.service import Engine

_BAR_WIDTH, _WIDTH_WITHOUT_BARS = 16, 55
_NUMBERS = "   Words Meaning  You"
_INDENT = "   "
_MIN_NAME_WIDTH, _PIPE_WIDTH = 24, 80
_out, _err = Terminal(highlight=False), Terminal(stderr=True, highlight=False)


def results(
    answer: Results,
    boxes: bool = False,
    console: Console = _out,
    columns: Sequence[tuple[str, str]] | None = None,
) -> None:
    """Print how sure the answer is, the notes, then the hits as a table or as boxes.

    `columns` are git's, by hit.
    """
    if answer.hits and answer.confidence_word:
        sure = f"confidence: {answer.confidence_word} ({answer.confidence or 0.0:.2f})"
        console.print(sure, style="bold", highlight=False)
    for note in answer.notes:
        console.print(visible_line(f"note: {note}"), style="yellow", markup=False)
    if boxes:
        for i, hit in enumerate(answer.hits):
            box(hit, console, _git_summary(columns[i]) if columns else "")
    elif answer.hits:
        is_terminal = console.is_terminal
        width = console.width if is_terminal else _PIPE_WIDTH
        for line in _table(answer.hits, width, columns, cut=is_terminal):
            console.print(line, soft_wrap=True)
    summary = f"{len(answer.hits)} of {answer.candidates:,} considered in {answer.took_ms:.1f} ms"
    console.print(summary + (", truncated" if answer.truncated else ""), style="dim")


def box(hit: Hit, console: Console = _out, extra: str = "", *, all_signals: bool = False) -> None:
    """Print a hit, its groups or all their signals, and what would move it.

    `extra` follows the score, which the printed numbers add up to.
    """
    grid = Table.grid(padding=(0, 1))
    grid.add_column(justify="right")
    grid.add_column(no_wrap=True)
    grid.add_column(no_wrap=True, justify="right")
    grid.add_column(no_wrap=True)
    grid.add_column(ratio=1)
    explanation = hit.explanation()
    bar_width = min(_BAR_WIDTH, max(0, console.width - _WIDTH_WITHOUT_BARS))
    if all_signals:
        _add_signals(grid, hit, bar_width)
    else:
        _add_groups(grid, hit, explanation.groups, bar_width)
    title = Text(
        f"{hit.rank or '-'}  {visible_line(node_heading(hit.node.kind, hit.node.qualname))}"
    )
    subtitle = f"score {hit.score:.3f}{extra}"
    content = Group(Text(_location(hit)), grid)
    console.print(Panel(content, title=title, title_align="left", subtitle=subtitle))
    if explanation.counterfactual:
        console.print(Text(visible_line(f"  {explanation.counterfactual}"), style="dim"))
    for line in _snippet(hit):
        console.print(line, soft_wrap=True)


def _add_groups(grid: Table, hit: Hit, groups: Sequence[SignalGroup], bar_width: int) -> None:
    """Add a row a group, relative to the best candidates, and one of what those have too."""
    largest = max((abs(group.above_average) for group in groups), default=0.0)
    for group in sorted(groups, key=lambda group: -abs(group.above_average)):
        grid.add_row(
            f"{group.above_average:+.2f}",
            _bar(group.above_average, largest, bar_width),
            f"{group.value:.2f}",
            Text(group.name, style="bold"),
            Text(visible_line(group.text), style="dim"),
        )
    common = hit.score - sum(group.above_average for group in groups)
    grid.add_row(f"{common:+.2f}", "", "", "", Text("what good candidates have on average", "dim"))


def _add_signals(grid: Table, hit: Hit, bar_width: int) -> None:
    """Add a row a group and below it a row a signal, the largest first."""
    largest = max((abs(signal.contribution) for signal in hit.why), default=0.0)
    for name, signals in signals_by_group(hit).items():
        total = sum(signal.contribution for signal in signals)
        if signals:
            grid.add_row(f"{total:+.2f}", "", "", Text(name, style="bold"), "")
        for signal in signals:
            grid.add_row(
                f"{signal.contribution:+.2f}",
                _bar(signal.contribution, largest, bar_width),
                "",
                Text(f"  {signal.signal}"),
                Text(visible_line(phrase(signal)), style="dim"),
            )


def _bar(amount: float, largest: float, width: int) -> Text:
    share = abs(amount) / largest if largest else 0.0
    return Text("█" * round(share * width), style="green" if amount >= 0 else "red")


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
        **({"graph": _drift(state.drift)} if state.dense == "hnsw" else {}),
        "deleted share": f"{state.dead_share:.1%}",
        "writes to disk": _saves(state),
        **beside_code(state),
    }
    for name, value in rows.items():
        grid.add_row(Text(name, style="bold"), Text(visible_line(value)))
    _out.print(grid)
    for note in state.notes:
        _out.print(visible_line(f"note: {note}"), style="yellow", markup=False)


def _drift(drift: Drift) -> str:
    return (
        f"{drift.tail:,} vectors outside, {drift.graph_dead_share:.1%} dead,"
        f" average length moved {drift.length_shift:.1%}"
    )


def index_summary(state: Status, left_out: Sequence[LeftOutRow], elapsed_ms: float) -> None:
    """Print what indexing a folder did, the notes last."""
    size = f", {state.disk_bytes / 1e6:,.1f} MB on disk" if state.disk_bytes else ""
    echo(f"{state.files:,} files, {state.nodes:,} nodes in {elapsed_ms / 1e3:.1f} s{size}")
    for title, counts in (("languages", state.languages), ("kinds", state.kinds)):
        if counts:
            echo(f"{title}: {', '.join(f'{name} {n:,}' for name, n in counts.items())}")
    if state.vectors or state.n_failed:
        failed = f", {state.n_failed:,} failed" if state.n_failed else ""
        echo(f"by meaning: {state.vectors:,} nodes{failed}")
    if any(row.records for row in state.sources):
        echo(source_counts(state))
    if left_out:
        echo(f"left out: {'; '.join(map(_left_out, left_out))}")
    for note in (*state.notes, *source_problems(state)):
        echo(visible_line(f"note: {note}"))


def _left_out(row: LeftOutRow) -> str:
    nouns = ((row.files, "file"), (row.folders, "folder"))
    counts = [f"{n:,} {noun}{'s'[: n != 1]}" for n, noun in nouns if n]
    return f"{' and '.join(counts)} ({row.reason})"


def _saves(state: Status) -> str:
    if state.save_problem:
        return "no, nothing is saved (see the note)"
    return "yes" if state.writer else "no (another process does, or it is off)"


def findings(checks: Sequence[Finding]) -> None:
    """Print the doctor's findings, a line each."""
    for finding in checks:
        mark = Text("ok  ", style="green") if finding.ok else Text("bad ", style="red")
        _out.print(mark + Text(visible_line(f"{finding.name}: {finding.text}")))


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
    hits: Sequence[Hit], width: int, columns: Sequence[tuple[str, str]] | None, *, cut: bool
) -> Iterator[Text]:
    """Yield a heading and, for each hit, a line and its reasons, at most `width` cells wide.

    With `cut` long names are cut short. Paths never are, since a path that is whole can be clicked
    and copied: where one does not fit beside the names, all have lines of their own.
    """
    locations = [_location(hit) for hit in hits]
    heading, cells = _align(columns, len(hits))
    kinds = max(len("kind"), *(len(hit.node.kind) for hit in hits))
    free = width - len(_NUMBERS) - kinds - 4 - len(heading)
    longest = max(cell_len(_name(hit)) for hit in hits)
    inline = free - max(map(len, locations)) - 2
    own_lines = inline < min(longest, _MIN_NAME_WIDTH if cut else longest)
    names = min(longest, max(_MIN_NAME_WIDTH, free if own_lines else inline)) if cut else longest
    path_heading = "" if own_lines else "path"
    titles = f"{_NUMBERS}  {'kind':{kinds}}  {'name':{names}}  {heading}{path_heading}"
    yield Text(titles.rstrip(), "bold")
    for hit, location, cell in zip(hits, locations, cells, strict=True):
        name = Text(_name(hit), style="bold")
        name.truncate(names, overflow="ellipsis", pad=True)
        kind = Text(f"{hit.node.kind:{kinds}}", style="cyan")
        end = cell.rstrip() if own_lines else cell + location
        line = Text("  ").join((Text(_numbers(hit)), kind, name, Text(end)))
        line.rstrip()
        yield line
        if own_lines:
            yield Text(_INDENT + location)
        for mark in hit.notes:
            yield _clip(note_line(mark.record), width)
        if hit.siblings:
            yield _clip(f"also here: {_siblings(hit)}", width)
        if reasons := hit.explanation().reasons:
            yield _clip(" · ".join(reasons), width)
        yield from _snippet(hit)


def _snippet(hit: Hit) -> Iterator[Text]:
    """Yield the lines of code of a hit, where they were asked for."""
    return (Text(f"{number + 1:>7} {safe_line(code)}") for number, code in hit.snippet)


def _numbers(hit: Hit) -> str:
    """Return the rank, and how far the hit answers by words, by meaning and by what you do."""
    values = {group.name: group.value for group in hit.explanation().groups}
    words, meaning, you = (values.get(name, 0.0) for name in ("Words", "Meaning", "You"))
    in_use = f"{you:.2f}" if you else ""
    return f"{hit.rank:2} {words:5.2f} {meaning:7.2f} {in_use:>4}"


def _clip(text: str, width: int) -> Text:
    line = Text(_INDENT + visible_line(text), style="dim")
    line.truncate(width, overflow="ellipsis")
    return line


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
    return visible_line(hit.node.qualname or hit.node.name)


def _location(hit: Hit) -> str:
    """Return path and lines, or the day of a record that stands in no file."""
    span = hit.node.span
    if hit.record is not None:
        return visible_line(hit.record.reference) if hit.record.path else iso_date(hit.record.date)
    cell = f" cell {hit.cell.number}:{hit.cell.line}" if hit.cell else ""
    return visible_line(f"{hit.node.path}:{span.start_line + 1}-{span.end_line + 1}{cell}")
