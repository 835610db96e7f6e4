"""`packhound search`: one query, or a batch of them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click

from packhound.cli.opening import Asker
from packhound.cli.options import FOCUS, JSON, LIMIT, MODEL, ROOTS, SET, complete_file
from packhound.cli.terminal import print_json
from packhound.core.errors import SettingsError
from packhound.core.settings import MAX_CANDIDATES, MAX_TIME_MS
from packhound.core.types import KINDS, MODES, TESTS, TYPES


@click.command()
@click.argument("query", required=False)
@ROOTS
@LIMIT
@click.option("--mode", default="hybrid", show_default=True, type=click.Choice(MODES))
@click.option("--kind", "kinds", multiple=True, type=click.Choice(KINDS), help="Only this kind.")
@click.option("--lang", "languages", multiple=True, help="Only this language.")
@click.option("--path", "paths", multiple=True, metavar="GLOB", help="Only paths like this.")
@click.option(
    "--not-kind", "excluded_kinds", multiple=True, type=click.Choice(KINDS), help="Not this kind."
)
@click.option("--exclude", "exclude", multiple=True, metavar="GLOB", help="No such paths.")
@click.option(
    "--tests", default="last", show_default=True, type=click.Choice(TESTS), help="Rank of tests."
)
@click.option("--files", is_flag=True, help="One hit per file.")
@FOCUS
@click.option(
    "--type",
    "types",
    multiple=True,
    metavar="TYPE[,TYPE]",
    help=f"Only these types: {', '.join(TYPES[len(KINDS) :])}, or a kind.",
)
@click.option("--since", default="", metavar="DATE", help="Only what is of YYYY-MM-DD or later.")
@click.option("--before", default="", metavar="DATE", help="Only what is older than YYYY-MM-DD.")
@click.option("--tag", "tags", multiple=True, metavar="TAG[,TAG]", help="Only with such a tag.")
@click.option(
    "--time-ms",
    type=click.IntRange(1, MAX_TIME_MS),
    help="Stop after so many milliseconds.  [default: the setting search.timeMs, else 3000]",
)
@click.option(
    "--candidates",
    type=click.IntRange(4, MAX_CANDIDATES),
    help="Rank so many definitions at most, or a quarter as many files.  [default: the setting"
    " search.candidates]",
)
@click.option(
    "--fuser",
    help="linear, blend, rrf or an installed plugin.  [default: the setting search.fuser]",
)
@click.option(
    "--scorer",
    "scorers",
    multiple=True,
    metavar="NAME[=WEIGHT]",
    help="An installed plugin that scores the best hits again.  [default: search.scorers]",
)
@click.option(
    "--snippet",
    "snippet_lines",
    default=0,
    metavar="N",
    type=click.IntRange(0, 60),
    help="Show at most N lines of each hit that answer the query.",
)
@click.option("--show-scores", is_flag=True, help="Draw a box per hit with what made its score.")
@click.option(
    "--git",
    "by_git",
    is_flag=True,
    help="Add columns: the commits that the lines stem from, and their last change.",
)
@click.option(
    "--batch",
    metavar="FILE",
    help="One JSON query per line; - is standard input.",
    shell_complete=complete_file,
)
@JSON
@MODEL
@SET
def search(
    query: str | None,
    roots: Sequence[Path],
    batch: str | None,
    as_json: bool,
    show_scores: bool,
    by_git: bool,
    encoder_path: str,
    changes: Sequence[str],
    **options: Any,  # noqa: ANN401 - fields of the request, checked there
) -> None:
    """Search a folder: QUERY is a name, a phrase or a whole bug report."""
    if (query is None) == (batch is None):
        raise SettingsError("give either QUERY or --batch FILE")
    options |= {"git": by_git, "explain": True}
    options = {name: value for name, value in options.items() if value is not None}
    with Asker(roots, encoder_path, changes) as asker:
        if batch is not None:
            for arguments in _batch_queries(batch, options):
                print_json(asker.answer("search", arguments))
            return
        answer = asker.answer("search", {"query": query, **options})
    if as_json:
        print_json(answer)
    else:
        from packhound.cli import show

        show.results(answer, boxes=show_scores)


def _batch_queries(name: str, options: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the request of each line. Raises SettingsError that names the file and the line."""
    from packhound.operations import read_request

    try:
        lines = click.open_file(name, encoding="utf-8", errors="replace")
    except OSError as error:
        raise SettingsError(f"--batch '{name}': {error.strerror}") from None
    with lines:
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                request = json.loads(line)
                if not isinstance(request, dict):
                    raise SettingsError("must be an object with 'query'")
                arguments = {**options, **request}
                read_request("search", arguments)
            except SettingsError as problem:
                raise SettingsError(f"--batch '{name}' line {number}: {problem}") from None
            except (ValueError, RecursionError) as error:
                raise SettingsError(
                    f"--batch '{name}' line {number} is not JSON: {error}"
                ) from None
            yield arguments
