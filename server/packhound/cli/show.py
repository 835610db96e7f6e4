"""Terminal output: tables, boxes, bars and progress."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import count, takewhile
from typing import TYPE_CHECKING, Any, TypeAlias

from rich.cells import cell_len
from rich.console import Console, Group
from rich.panel import Panel
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.table import Table
from rich.text import Text

from packhound import service
from packhound.cli.console import Terminal
from packhound.cli.terminal import echo, echo_line
from packhound.core.records import CODE, byline
from packhound.core.status import LeftOutRow, Status
from packhound.core.titles import heading as node_heading
from packhound.operations import accounts, facet_lines, plus
from packhound.redact import safe_line, visible_line

if TYPE_CHECKING:
    from packhound.cli.doctor import Finding

Row: TypeAlias = Mapping[str, Any]
"""An object of an answer."""

_BAR_WIDTH, _WIDTH_WITHOUT_BARS = 16, 55
_NUMBERS = "   Words Meaning  You"
_NO_NUMBERS = "  "
_INDENT = "   "
_MATCHES = 3
"""Lines of a hit that match a pattern."""
_MIN_NAME_WIDTH = 24
_out, _err = Terminal(highlight=False), Terminal(stderr=True, highlight=False)


def results(answer: Row, boxes: bool = False, console: Console = _out) -> None:
    """Print how sure the answer is, the notes, then the hits as a table or as boxes."""
    hits = answer["hits"]
    if hits and answer["confidence_word"]:
        console.print(f"confidence: {answer['confidence_word']}", style="bold", highlight=False)
    is_terminal = console.is_terminal
    for note in answer["notes"]:
        text = visible_line(f"note: {note}")
        console.print(text, style="yellow", markup=False, soft_wrap=not is_terminal)
    for facet in facet_lines(answer):
        console.print(facet, markup=False, highlight=False)
    if boxes:
        for hit in hits:
            box(hit, console)
    elif hits:
        for line in _table(hits, console.width, cut=is_terminal):
            console.print(line, soft_wrap=True)
    summary = f"{len(hits)} of {answer['candidates']:,} considered in {answer['took_ms']:.1f} ms"
    console.print(summary + (", truncated" if answer["truncated"] else ""), style="dim")


def box(hit: Row, console: Console = _out, *, all_signals: bool = False) -> None:
    """Print a hit, its groups or all their signals, and what speaks for it and against it.

    The printed numbers add up to the score.
    """
    grid = Table.grid(padding=(0, 1))
    grid.add_column(justify="right")
    grid.add_column(no_wrap=True)
    grid.add_column(no_wrap=True, justify="right")
    grid.add_column(no_wrap=True)
    grid.add_column(ratio=1)
    bar_width = min(_BAR_WIDTH, max(0, console.width - _WIDTH_WITHOUT_BARS))
    if all_signals:
        _add_signals(grid, hit["groups"], bar_width)
    else:
        _add_groups(grid, hit, bar_width)
    title = Text(
        visible_line(f"{hit['rank'] or '-'}  {node_heading(hit['kind'], hit['qualname'])}")
    )
    subtitle = f"score {hit['score']:.3f}{_git_summary(hit)}"
    content = Group(Text(_location(hit)), grid)
    console.print(Panel(content, title=title, title_align="left", subtitle=subtitle))
    for account in accounts(hit):
        console.print(Text(f"  {account}", style="dim"))
    for line in _snippet(hit):
        console.print(line, soft_wrap=True)


def _add_groups(grid: Table, hit: Row, bar_width: int) -> None:
    """Add a row a group, the largest first."""
    groups = hit["groups"]
    largest = max((abs(group["contribution"]) for group in groups), default=0.0)
    for group in sorted(groups, key=lambda group: -abs(group["contribution"])):
        grid.add_row(
            f"{group['contribution']:+.2f}",
            _bar(group["contribution"], largest, bar_width),
            f"{group['value']:.2f}",
            Text(group["group"], style="bold"),
            Text(visible_line(group["text"]), style="dim"),
        )


def _add_signals(grid: Table, groups: Sequence[Row], bar_width: int) -> None:
    """Add a row a group and below it a row a signal, the largest first."""
    signals = [signal for group in groups for signal in group["signals"]]
    largest = max((abs(signal["contribution"]) for signal in signals), default=0.0)
    for group in groups:
        total = sum(signal["contribution"] for signal in group["signals"])
        if group["signals"]:
            grid.add_row(f"{total:+.2f}", "", "", Text(group["group"], style="bold"), "")
        for signal in group["signals"]:
            grid.add_row(
                f"{signal['contribution']:+.2f}",
                _bar(signal["contribution"], largest, bar_width),
                "",
                Text(f"  {signal['signal']}"),
                Text(visible_line(signal["text"]), style="dim"),
            )


def _bar(amount: float, largest: float, width: int) -> Text:
    share = abs(amount) / largest if largest else 0.0
    return Text("█" * round(share * width), style="green" if amount >= 0 else "red")


def status(state: Row) -> None:
    """Print the state of one folder as a list."""
    grid = Table.grid(padding=(0, 2))
    languages = ", ".join(f"{name} {count:,}" for name, count in state["languages"].items())
    pending, recall = state["pending"], state["recall"]
    rows = {
        "folder": state["root"],
        "state": state["state"] + (f", {pending:,} pending" if pending else ""),
        "generation": f"{state['generation']:,}",
        "files": f"{state['files']:,} ({languages})",
        "nodes": f"{state['nodes']:,}, {state['vectors']:,} with a vector",
        "model": state["model"],
        "encoder": _encoder(state),
        "dense search": state["dense"] + (f", recall {recall:.3f}" if recall else ""),
        **_graph(state),
        "deleted share": f"{state['dead_share']:.1%}",
        "writes to disk": _saves(state),
        **_beside_code(state),
    }
    for name, value in rows.items():
        grid.add_row(Text(name, style="bold"), Text(visible_line(value)))
    _out.print(grid)
    for note in state["notes"]:
        _out.print(visible_line(f"note: {note}"), style="yellow", markup=False)


def _encoder(state: Row) -> str:
    counts = (("pending", state["pending_vectors"]), ("failed", state["failed_vectors"]))
    figures = "".join(f", {n:,} {what}" for what, n in counts if n)
    problem = f": {state['encoder_problem']}" if state["encoder_problem"] else ""
    return f"{state['encoder']}{figures}{problem}"


def _graph(state: Row) -> dict[str, str]:
    """Return how far the graph is from a new one, where there is one."""
    drift = state["drift"]
    outside = f"{drift['tail']:,} vectors outside, {drift['graph_dead_share']:.1%} dead"
    moved = f"average length moved {drift['length_shift']:.1%}"
    return {"graph": f"{outside}, {moved}"} if state["dense"] == "hnsw" else {}


def _beside_code(state: Row) -> dict[str, str]:
    """Return what the deep model has read in advance, if it does, and each source."""
    rows = {}
    for row in state["sources"]:
        newest = f", newest of {row['changed']}" if row["changed"] else ""
        rows[row["name"]] = "; ".join((f"{row['records']:,} records{newest}", *row["problems"]))
    if state["deep_vectors"] is None:
        return rows
    n_read, n_nodes = state["deep_vectors"]
    return {"deep vectors": f"{n_read:,} of {n_nodes:,}", **rows}


def index_summary(state: Status, left_out: Sequence[LeftOutRow], elapsed_ms: float) -> None:
    """Print what indexing a folder did, the notes last."""
    size = f", {state.disk_bytes / 1e6:,.1f} MB on disk" if state.disk_bytes else ""
    echo(f"{state.files:,} files, {state.nodes:,} nodes in {elapsed_ms / 1e3:.1f} s{size}")
    for title, counts in (("languages", state.languages), ("kinds", state.kinds)):
        if counts:
            echo(f"{title}: {', '.join(f'{name} {n:,}' for name, n in counts.items())}")
    if state.vectors or state.failed_vectors:
        failed = f", {state.failed_vectors:,} failed" if state.failed_vectors else ""
        echo(f"by meaning: {state.vectors:,} nodes{failed}")
    if any(row.records for row in state.sources):
        counts = {"Code": state.nodes, **{r.name.capitalize(): r.records for r in state.sources}}
        parts = [f"{name} {n:,}" for name, n in counts.items() if n]
        echo(f"{', '.join(parts)}, total {sum(counts.values()):,}")
    if left_out:
        echo(f"left out: {'; '.join(map(_left_out, left_out))}")
    problems = (f"{row.name}: {problem}" for row in state.sources for problem in row.problems)
    for note in (*state.notes, *problems):
        echo_line(f"note: {note}")


def _left_out(row: LeftOutRow) -> str:
    nouns = ((row.files, "file"), (row.folders, "folder"))
    counts = [f"{n:,} {noun}{'s'[: n != 1]}" for n, noun in nouns if n]
    return f"{' and '.join(counts)} ({row.reason})"


def _saves(state: Row) -> str:
    if state["save_problem"]:
        return "no, nothing is saved (see the note)"
    return "yes" if state["writer"] else "no (another process does, or it is off)"


def findings(checks: Sequence[Finding]) -> None:
    """Print the doctor's findings, a line each."""
    for finding in checks:
        mark = Text("ok  ", style="green") if finding.ok else Text("bad ", style="red")
        _out.print(mark + Text(visible_line(f"{finding.name}: {finding.text}")))


def progress(engine: service.Engine) -> None:
    """Show a bar on stderr until nothing is pending."""
    _progress("indexing", "files", (engine.index.queue.pending for _ in count()))


def encoding_progress(engine: service.Engine) -> None:
    """Show a bar on stderr until all nodes have a vector."""
    _progress("encoding", "definitions", (engine.index.n_unencoded for _ in count()))


@contextmanager
def progress_elsewhere(engines: Sequence[service.Engine]) -> Iterator[None]:
    """Show a bar on stderr while another commit or a dependency is read."""
    done = threading.Event()

    def show() -> None:
        while not done.wait(0.4):
            counts = (sum(engine.others.pending for engine in engines) for _ in count())
            _progress("indexing", "files", counts)

    thread = threading.Thread(target=show, name="packhound-progress", daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def _progress(verb: str, noun: str, n_left_each_time: Iterator[int]) -> None:
    columns = (TextColumn(verb), BarColumn(), MofNCompleteColumn(), TextColumn(noun))
    total = next(n_left_each_time)
    if not total:
        return
    with Progress(*columns, console=_err, transient=True) as bar:
        task = bar.add_task(verb, total=total)
        for n_left in takewhile(bool, n_left_each_time):
            total = max(total, n_left)
            bar.update(task, total=total, completed=total - n_left)
            time.sleep(0.05)


def _git_summary(hit: Row) -> str:
    """Return the last change of a hit's lines and their commits, where they were asked for."""
    if "git" not in hit:
        return ""
    n = hit["git"]["commits"]
    return f", {hit['git']['age']}" + (f", {n:,} commit{'s'[: n != 1]}" if n else "")


def _table(hits: Sequence[Row], width: int, *, cut: bool) -> Iterator[Text]:
    """Yield a heading and, for each hit, a line and its reasons.

    With `cut` what is wider than `width` cells is cut short. Paths never are, since a path that is
    whole can be clicked and copied: where one does not fit beside the names, all have lines of
    their own.
    """
    clip = partial(_clip, width=width if cut else None)
    locations = [_location(hit) for hit in hits]
    heading, cells = _align(hits)
    kinds = max(len("kind"), *(len(hit["kind"]) for hit in hits))
    has_values = any(any(_values(hit)) for hit in hits)
    numbers = _NUMBERS if has_values else _NO_NUMBERS
    free = width - len(numbers) - kinds - 4 - len(heading)
    longest = max(cell_len(_name(hit)) for hit in hits)
    inline = free - max(map(len, locations)) - 2
    own_lines = inline < min(longest, _MIN_NAME_WIDTH if cut else longest)
    names = min(longest, max(_MIN_NAME_WIDTH, free if own_lines else inline)) if cut else longest
    path_heading = "" if own_lines else "path"
    titles = f"{numbers}  {'kind':{kinds}}  {'name':{names}}  {heading}{path_heading}"
    yield Text(titles.rstrip(), "bold")
    for hit, location, cell in zip(hits, locations, cells, strict=True):
        name = Text(_name(hit), style="bold")
        name.truncate(names, overflow="ellipsis", pad=True)
        kind = Text(f"{hit['kind']:{kinds}}", style="cyan")
        end = cell.rstrip() if own_lines else cell + location
        line = Text("  ").join((Text(_numbers(hit, with_values=has_values)), kind, name, Text(end)))
        line.rstrip()
        yield line
        if own_lines:
            yield Text(_INDENT + location)
        for note in hit.get("notes", ()):
            yield clip(_note_line(note))
        if hit["siblings"]:
            siblings = (f"{row['name']}:{row['start_line']}" for row in hit["siblings"])
            yield clip(f"also here: {', '.join(siblings)}")
        if hit["copies"]:
            places = (f"{row['path']}:{row['start_line']}" for row in hit["copies"])
            yield clip(f"same text: {', '.join(places)}")
        if hit["reasons"]:
            yield clip(" · ".join(hit["reasons"]))
        for match in hit.get("matches", ())[:_MATCHES]:
            yield clip(f"{match['line']:>4}: {match['text']}")
        yield from _snippet(hit)


def _note_line(note: Row) -> str:
    """Return a note on code in one line, with whose it is unless it is the user's own."""
    is_of_others = note["metadata"].get("shared") or note["metadata"].get("owner")
    by = f" ({byline(note['metadata'])})" if is_of_others else ""
    return safe_line(" ".join(f"{note['type']} {note['title']}{by}: {note['text']}".split()))


def _snippet(hit: Row) -> Iterator[Text]:
    """Yield the lines of code of a hit, where they were asked for."""
    lines = hit.get("snippet", ())
    return (Text(f"{line['line']:>7} {safe_line(line['text'])}") for line in lines)


def _values(hit: Row) -> list[float]:
    """Return how far a hit answers by words, by meaning and by what you do."""
    values = {group["group"]: group["value"] for group in hit.get("groups", ())}
    return [values.get(name, 0.0) for name in ("Words", "Meaning", "You")]


def _numbers(hit: Row, *, with_values: bool) -> str:
    words, meaning, you = _values(hit)
    in_use = f"{you:.2f}" if you else ""
    return f"{hit['rank']:2}" + (f" {words:5.2f} {meaning:7.2f} {in_use:>4}" if with_values else "")


def _clip(text: str, width: int | None) -> Text:
    line = Text(_INDENT + visible_line(text), style="dim")
    if width is not None:
        line.truncate(width, overflow="ellipsis")
    return line


def _align(hits: Sequence[Row]) -> tuple[str, list[str]]:
    """Return the heading of git's columns and their cells; empty strings without columns."""
    if not any("git" in hit for hit in hits):
        return "", [""] * len(hits)
    columns = [("commits", "changed"), *map(_git_columns, hits)]
    changed_width = max(len(changed) for _, changed in columns)
    commits_width = max(len(commits) for commits, _ in columns)
    heading, *cells = (
        f"{c:>{commits_width}}  {changed:{changed_width}}  " for c, changed in columns
    )
    return heading, cells


def _git_columns(hit: Row) -> tuple[str, str]:
    """Return the number of commits of a hit's lines, and their last change."""
    git = hit.get("git")
    return (f"{git['commits']:,}" if git["commits"] else "-", git["age"]) if git else ("-", "")


def _name(hit: Row) -> str:
    return visible_line(hit["qualname"] or hit["name"])


def _location(hit: Row) -> str:
    """Return path and lines, or the day of a record that stands in no file."""
    label = f"{hit['label']}/" if "label" in hit and hit["path"] else ""
    if hit.get("source", CODE) != CODE:
        return visible_line(f"{label}{hit['reference']}") if hit["path"] else str(hit["date"])
    if "unread" in hit:
        return visible_line(f"{label}{hit['path']}")
    cell = f" cell {hit['cell']['number']}:{hit['cell']['line']}" if "cell" in hit else ""
    lines = f"{hit['start_line']}-{hit['end_line']}"
    return visible_line(f"{plus(hit)}{label}{hit['path']}:{lines}{cell}")
