"""`packhound eval`: quality of the ranking on queries with known answers."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import asdict
from pathlib import Path
from typing import TypeAlias

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from packhound import evaluation
from packhound.cli.console import Terminal
from packhound.cli.opening import open_engine, settings_of
from packhound.cli.options import JSON, SET, root_option
from packhound.cli.tasks import report, run_tasks
from packhound.cli.terminal import echo_line
from packhound.core.errors import SettingsError
from packhound.core.settings import Settings
from packhound.core.settings_reader import settings_from
from packhound.core.types import Hit, Query, Results
from packhound.redact import visible_line
from packhound.service import Engine, checked_out, real_path
from packhound.text import is_test

_GROUPS = {
    "all": "",
    "category": "category",
    "kind": "category",
    "language": "language",
    "repository": "repository",
}
"""Attributes of cases by which figures are grouped."""
_MAX_PARTS = 30

Searched: TypeAlias = tuple[Results, Mapping[str, Sequence[Hit]]]
Ablated: TypeAlias = list[tuple[evaluation.Case, dict[str, evaluation.Scores]]]


@click.command("eval")
@click.argument("suite", required=False, type=click.Path(exists=True, path_type=Path))
@click.option(
    "--corpora",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Folder with one folder per repository of the suite.",
)
@click.option("--history", is_flag=True, help="Ask with the subjects of a folder's own commits.")
@root_option("The folder of --history; default: here.")
@click.option(
    "--last",
    default=500,
    show_default=True,
    type=click.IntRange(1, 100_000),
    help="Commits that --history looks at.",
)
@SET
@click.option("--run", is_flag=True, help="SUITE has tasks with tests: run them on patches.")
@click.option("--propose", default="", metavar="COMMAND", help="Makes the patches of --run.")
@click.option("--policy", multiple=True, metavar="NAME", help="As pack+skills:2500.")
@click.option("--budget", default=2_500, show_default=True, type=click.IntRange(100, 100_000))
@click.option("--attempts", default=3, show_default=True, type=click.IntRange(1, 20))
@click.option("--by", multiple=True, type=click.Choice(list(_GROUPS)))
@click.option("--ablate", is_flag=True, help="Add the loss without each part of the ranking.")
@click.option("--out", type=click.Path(path_type=Path), help="Write all outcomes here as JSON.")
@JSON
def evaluate_suite(
    suite: Path | None,
    corpora: Path | None,
    history: bool,
    root: Path,
    last: int,
    changes: Sequence[str],
    run: bool,
    propose: str,
    policy: Sequence[str],
    budget: int,
    attempts: int,
    by: Sequence[str],
    ablate: bool,
    out: Path | None,
    as_json: bool,
) -> None:
    """Score the ranking on SUITE, queries or bug reports with their known answers, or on --history.

    Prints NDCG@10, MRR, hit@k and precision@k (for reports file@k and func@k) with bootstrap 90 %
    intervals, and how long searches took. For a folder of .jsonl files with graded answers NDCG@10
    by grade, success@k, precision@k and recall@10 of grade 3, with 95 % intervals over queries.
    --history takes the subjects of a folder's last commits as queries, and as answers the functions
    that they changed and that are still there.

    With --run, SUITE has tasks with tests that fail: each is given to COMMAND, as JSON on its
    standard input with the code that a policy has for it, and its diff is checked; without
    COMMAND the recorded patches of the task are. It needs 'changes.run' and 'folders.trusted'.
    """
    if run:
        if suite is None:
            raise click.UsageError("--run takes a SUITE of tasks")
        report(run_tasks(suite, policy, propose, budget, attempts), out, as_json=as_json)
        return
    if history == (suite is not None) or (suite is not None and corpora is None):
        raise click.UsageError("give either SUITE and --corpora, or --history")
    settings = settings_of("", changes, settings_from({"index.persist": history}))
    hidden = as_json or not Console(stderr=True).is_terminal
    notes: list[str] = []
    if suite and corpora:
        cases = evaluation.load_suite(suite)
        scores = _score(
            cases,
            corpora,
            lambda folder: _open_searcher(
                folder, settings, ablate, [c for c in cases if corpora / c.folder == folder], notes
            ),
            hidden,
        )
    else:
        scores = _score_history(root, last, settings, ablate, hidden)
    _report(*scores, notes, by, out, as_json)


def _score_history(
    root: Path, last: int, settings: Settings, ablate: bool, hidden: bool
) -> tuple[list[evaluation.Outcome], Ablated]:
    """Score the subjects of a folder's last commits. Raises SettingsError if none is a query."""
    root = real_path(root)
    folder = checked_out(root)
    with open_engine(folder, settings) as engine:
        files = {p: file for p, file in engine.snapshot.files.items() if not is_test(p)}
        cases = evaluation.cases_of_history(folder, files, last)
        if not cases:
            raise SettingsError(f"none of the last {last:,} commits of '{root}' is a query")
        return _score(cases, folder, lambda _: nullcontext(_searcher(engine, ablate)), hidden)


def _score(
    cases: Sequence[evaluation.Case],
    corpora: Path,
    opener: evaluation.Opener[Searched],
    hidden: bool,
) -> tuple[list[evaluation.Outcome], Ablated]:
    """Return the score of every case, and those without each part of the ranking if opened so."""
    outcomes: list[evaluation.Outcome] = []
    ablated: Ablated = []
    with click.progressbar(length=len(cases), label="queries", hidden=hidden) as bar:
        for case, (results, hits_by_part) in evaluation.answers(cases, corpora, opener):
            outcomes.append(evaluation.judge(case, results.hits, results.took_ms))
            if hits_by_part:
                ablated.append((case, evaluation.judge_parts(case, hits_by_part)))
            bar.update(1)
    return outcomes, ablated


def _report(
    outcomes: list[evaluation.Outcome],
    ablated: Ablated,
    notes: Sequence[str],
    by: Sequence[str],
    out: Path | None,
    as_json: bool,
) -> None:
    if not by:
        is_graded = any(outcome.case.answers for outcome in outcomes)
        by = ("all", "kind", "language", "repository") if is_graded else ("all", "category")
    figures = {group: evaluation.summarize(outcomes, _GROUPS[group]) for group in by}
    lost = evaluation.losses(ablated) if ablated else {}
    if out:
        out.write_text(json.dumps([asdict(outcome) for outcome in outcomes], indent=1), "utf-8")
    if as_json:
        plain: dict[str, object] = {
            group: {
                name: {measure: asdict(figure) for measure, figure in row.items()}
                for name, row in rows.items()
            }
            for group, rows in figures.items()
        }
        p50, p95 = evaluation.latencies(outcomes)
        plain["took_ms"] = {"p50": p50, "p95": p95}
        plain |= {"notes": notes} if notes else {}
        click.echo(json.dumps(plain | ({"ablation": lost} if lost else {})))
        return
    for note in notes:
        echo_line(f"note: {note}")
    # Nothing is cut off in a pipe.
    console = Terminal(width=None if Console().is_terminal else 200)
    for group, rows in figures.items():
        measures = list(next(iter(rows.values()), {}))
        table = Table(group, "n", *measures, box=None, pad_edge=False, header_style="bold")
        for name, row in rows.items():
            cells = [f"{row[m].mean:.3f} ({row[m].low:.3f}-{row[m].high:.3f})" for m in measures]
            table.add_row(Text(visible_line(name)), str(row[measures[0]].n), *cells)
        console.print(table)
    console.print(
        "searches took {:.1f} ms at p50, {:.1f} at p95".format(*evaluation.latencies(outcomes))
    )
    if lost:
        measures = list(next(iter(lost.values())))
        table = Table("lost without", *measures, box=None, pad_edge=False, header_style="bold")
        for part, changes in list(lost.items())[:_MAX_PARTS]:
            table.add_row(part, *(f"{changes[measure]:+.3f}" for measure in measures))
        console.print(table)


@contextmanager
def _open_searcher(
    root: Path,
    settings: Settings,
    ablate: bool,
    cases: Sequence[evaluation.Case],
    notes: list[str],
) -> Iterator[Callable[[Query], Searched]]:
    """Open a search of a folder, and add to `notes` the answers of its cases that are not there."""
    with open_engine(root, settings) as engine:
        notes += (note for case in cases for note in _missing(engine, case))
        yield _searcher(engine, ablate)


def _missing(engine: Engine, case: evaluation.Case) -> Iterator[str]:
    """Yield which answers of a query no hit can be: no such file, or no such lines."""
    for answer in case.answers or (() if case.category == evaluation.REPORT else case.targets):
        names = [n for n in engine.snapshot.files if evaluation.same_path(n, answer.path)]
        if not names:
            yield f"{case.where}: no indexed file is '{answer.path}'"
        elif last := answer.end_line or answer.start_line:
            n_lines = max(len((engine.source(name) or b"").splitlines()) for name in names)
            if last > n_lines:
                yield f"{case.where}: '{answer.path}' has {n_lines:,} lines, no line {last:,}"


def _searcher(engine: Engine, ablate: bool) -> Callable[[Query], Searched]:
    """Return a search that adds, for ablations, the hits without each part of the ranking."""
    return lambda query: (engine.search(query), engine.ablate(query) if ablate else {})
