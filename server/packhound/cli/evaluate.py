"""`packhound eval`: how good the ranking is on queries with known answers."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table

from packhound.engine import Engine
from packhound.evaluation.cases import Case
from packhound.evaluation.score import Outcome, evaluate, summarize
from packhound.evaluation.suite import load_suite
from packhound.settings import Settings
from packhound.types import Query, Results

_GROUPS: dict[str, Callable[[Case], str] | None] = {
    "all": None,
    "category": lambda case: case.category,
    "language": lambda case: case.language,
    "repository": lambda case: case.repository,
}


@click.command("eval")
@click.argument("suite", type=click.Path(exists=True, path_type=Path))
@click.option(
    "--corpora",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    required=True,
    help="Folder with one folder per repository of the suite.",
)
@click.option("--fuser", default="linear", show_default=True, type=click.Choice(["linear", "rrf"]))
@click.option("--by", multiple=True, type=click.Choice(list(_GROUPS)), default=["all", "category"])
@click.option("--out", type=click.Path(path_type=Path), help="Write all outcomes here as JSON.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.option("--pack", "packs", is_flag=True, help="Score packs of bug reports, not rankings.")
def evaluate_suite(
    suite: Path,
    corpora: Path,
    fuser: str,
    by: Sequence[str],
    out: Path | None,
    as_json: bool,
    packs: bool,
) -> None:
    """Score the ranking on SUITE: queries, or bug reports, with their known answers.

    Prints NDCG@10, MRR and hit@k (for reports file@k and func@k) with bootstrap 90 % intervals.
    """
    if packs:
        from packhound.cli.evaluate_packs import score_packs

        score_packs(suite, corpora, out, as_json)
        return
    settings = Settings(persist=False, git=False, fuser="rrf" if fuser == "rrf" else "linear")
    cases = load_suite(suite)
    outcomes: list[Outcome] = []
    hidden = as_json or not Console(stderr=True).is_terminal
    found = evaluate(cases, corpora, lambda root: _opened(root, settings))
    with click.progressbar(length=len(cases), label="queries", hidden=hidden) as bar:
        for outcome in found:
            outcomes.append(outcome)
            bar.update(1)
    figures = {group: summarize(outcomes, _GROUPS[group]) for group in by}
    if out:
        out.write_text(json.dumps([asdict(outcome) for outcome in outcomes], indent=1), "utf-8")
    if as_json:
        plain = {
            group: {
                name: {measure: asdict(figure) for measure, figure in row.items()}
                for name, row in rows.items()
            }
            for group, rows in figures.items()
        }
        click.echo(json.dumps(plain))
        return
    for group, rows in figures.items():
        measures = list(next(iter(rows.values()), {}))
        table = Table(group, "n", *measures, box=None, pad_edge=False, header_style="bold")
        for name, row in rows.items():
            cells = [f"{row[m].mean:.3f} ({row[m].low:.3f}-{row[m].high:.3f})" for m in measures]
            table.add_row(name, str(row[measures[0]].n), *cells)
        Console().print(table)


@contextmanager
def _opened(root: Path, settings: Settings) -> Iterator[Callable[[Query], Results]]:
    engine = Engine.open(root, settings)
    try:
        engine.settled()
        yield engine.search
    finally:
        engine.close()
