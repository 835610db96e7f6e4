"""All commands of `packhound`. Heavy rooms are imported by the command that needs them."""

from __future__ import annotations

import importlib
import json
import logging
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click

from packhound import __version__
from packhound.cli.opening import MODEL, ROOT, SET, open_engine, searcher, wait
from packhound.core.errors import PackhoundError, SettingsError
from packhound.core.types import KINDS, MODES, MOST_HITS, Query

JSON = click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
LIMIT = click.option(
    "--limit",
    "-n",
    default=10,
    show_default=True,
    type=click.IntRange(1, MOST_HITS),
    help="Hits at most.",
)

_GIT_S = 10.0
"""A longer history is shown as `reading`."""

_LATE = {
    "clear": "packhound.cli.clear:clear",
    "eval": "packhound.cli.evaluate:evaluate_suite",
    "pack": "packhound.cli.packing:pack",
    "mcp": "packhound.cli.agents:mcp",
    "agents": "packhound.cli.agents:agents",
}
"""Commands whose modules are imported only when they are called or listed."""


class _Group(click.Group):
    """Turns our errors into one line on stderr and exit code 2."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted([*super().list_commands(ctx), *_LATE])

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _LATE:
            return super().get_command(ctx, cmd_name)
        module, _, name = _LATE[cmd_name].partition(":")
        command: click.Command = getattr(importlib.import_module(module), name)
        return command

    def invoke(self, ctx: click.Context) -> Any:  # noqa: ANN401 - click's own signature
        try:
            return super().invoke(ctx)
        except PackhoundError as error:
            raise click.UsageError(str(error)) from None
        except click.UsageError as error:
            if "unexpected extra argument" not in error.message:
                raise
            told = f"{error.message}; words stand in quotes, and a folder behind --root"
            raise click.UsageError(told, error.ctx) from None
        except BrokenPipeError:
            raise  # Whoever read has enough, which is no error.
        except OSError as error:
            raise click.ClickException(str(error)) from None


@click.group(cls=_Group, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="packhound")
def main() -> None:
    """Find code by name and by meaning, and see why it ranked."""
    # What the engine warns of is in the notes of its answers; stderr stays quiet.
    logging.getLogger("packhound").addHandler(logging.NullHandler())


@main.command()
@ROOT
@JSON
@MODEL
@SET
def index(root: Path, as_json: bool, model: str, changes: Sequence[str]) -> None:
    """Index a folder, or bring its index up to date."""
    began = time.perf_counter()
    with open_engine(root, model, changes) as engine:
        status = engine.status()
    elapsed_ms = (time.perf_counter() - began) * 1_000
    if as_json:
        _print_json(
            {
                "files": status.files,
                "nodes": status.nodes,
                "languages": status.languages,
                "elapsed_ms": round(elapsed_ms, 1),
                "generation": status.generation,
                "warnings": list(status.notes),
            }
        )
        return
    click.echo(f"{status.files:,} files, {status.nodes:,} nodes in {elapsed_ms / 1_000:.1f} s")
    for note in status.notes:
        click.echo(f"note: {note}")


@main.command()
@click.argument("query", required=False)
@ROOT
@LIMIT
@click.option("--mode", default="hybrid", show_default=True, type=click.Choice(MODES))
@click.option("--kind", "kinds", multiple=True, type=click.Choice(KINDS), help="Only this kind.")
@click.option("--lang", "languages", multiple=True, help="Only this language.")
@click.option("--path", "paths", multiple=True, metavar="GLOB", help="Only paths like this.")
@click.option("--show-scores", is_flag=True, help="Draw a box per hit with what made its score.")
@click.option("--git", "by_git", is_flag=True, help="Add columns: commits, and the last change.")
@click.option("--batch", metavar="FILE", help="One JSON query per line; - is standard input.")
@JSON
@MODEL
@SET
def search(
    query: str | None,
    root: Path,
    batch: str | None,
    as_json: bool,
    show_scores: bool,
    by_git: bool,
    model: str,
    changes: Sequence[str],
    **narrowing: Any,  # noqa: ANN401 - the fields of Query, checked by click
) -> None:
    """Search a folder: QUERY is a name, a phrase or a whole bug report."""
    from packhound.api.json_codec import results_json
    from packhound.git.log import HistoryReader

    if (query is None) == (batch is None):
        raise SettingsError("give either QUERY or --batch FILE")
    history = HistoryReader(root)
    if by_git and not as_json:
        history.refresh()
    with searcher(root, model, changes) as ask:
        if batch is not None:
            for asked in _batch_queries(batch, narrowing):
                _print_json(results_json(ask(asked)))
            return
        results = ask(Query(text=query or "", **narrowing))
        if as_json:
            _print_json(results_json(results))
        else:
            from packhound.cli import show
            from packhound.cli.columns import git_columns

            told = git_columns(history.wait(_GIT_S), results.hits) if by_git else None
            show.results(results, boxes=show_scores, columns=told)


@main.command()
@click.argument("query")
@click.argument("place", metavar="PATH:LINE")
@ROOT
@JSON
def explain(query: str, place: str, root: Path, as_json: bool) -> None:
    """Why the code at PATH:LINE scores as it does for QUERY, ranked or not."""
    from packhound.api.json_codec import hit_json
    from packhound.cli import show

    path, line = _place(place)
    with open_engine(root) as engine:
        hit = engine.explain(Query(text=query), path, line)
    if hit is None:
        raise SettingsError(f"there is no indexed code at '{place}'")
    if as_json:
        _print_json(hit_json(hit))
    else:
        show.box(hit)


@main.command()
@click.argument("place", metavar="PATH:LINE")
@ROOT
@LIMIT
@JSON
def related(place: str, root: Path, limit: int, as_json: bool) -> None:
    """Code like the code at PATH:LINE."""
    from packhound.api.json_codec import results_json
    from packhound.cli import show

    path, line = _place(place)
    with open_engine(root) as engine:
        results = engine.related(path, line, limit)
    if as_json:
        _print_json(results_json(results))
    else:
        show.results(results)


@main.command()
@ROOT
@JSON
def status(root: Path, as_json: bool) -> None:
    """What is indexed, and how well the index holds."""
    from packhound.api.json_codec import status_json
    from packhound.cli import show

    with open_engine(root) as engine:
        found = engine.status()
    if as_json:
        _print_json(status_json(found))
    else:
        show.status(found)


@main.command()
@ROOT
def rebuild(root: Path) -> None:
    """Forget the index of a folder and read everything again."""
    with open_engine(root) as engine:
        engine.rebuild()
        wait(engine)
        found = engine.status()
    click.echo(f"{found.files:,} files, {found.nodes:,} nodes")


@main.command()
@ROOT
@JSON
@click.option("--verify", is_flag=True, help="Compare the index with one made anew.")
def doctor(root: Path, as_json: bool, verify: bool) -> None:
    """Check that everything Packhound needs is there and works."""
    from packhound.cli import show
    from packhound.cli.doctor import examine

    findings = examine(root, verify=verify)
    if as_json:
        _print_json({finding.name: finding.text for finding in findings})
    else:
        show.findings(findings)
    sys.exit(0 if all(finding.well for finding in findings) else 1)


@main.command()
@click.option("--stdio", is_flag=True, help="Speak on standard input and output (the default).")
@click.option("--tcp", is_flag=True, help="Listen on loopback instead.")
@click.option("--host", default="127.0.0.1", show_default=True)
@click.option("--port", default=0, show_default="a free one")
@click.option("--log-file", type=click.Path(path_type=Path), help="Write the log here as well.")
@click.option("--verbose", "-v", is_flag=True, help="Log more.")
def lsp(stdio: bool, tcp: bool, host: str, port: int, log_file: Path | None, verbose: bool) -> None:
    """Run the language server."""
    from packhound.lsp.server import serve

    if stdio and tcp:
        raise SettingsError("give either --stdio or --tcp")
    sys.exit(serve(tcp=(host, port) if tcp else None, log_file=log_file, verbose=verbose))


def _batch_queries(name: str, narrowing: dict[str, Any]) -> Iterator[Query]:
    try:
        lines = click.open_file(name, encoding="utf-8", errors="replace")
    except OSError as error:
        raise SettingsError(f"--batch '{name}': {error.strerror}") from None
    with lines:
        for number, line in enumerate(lines, 1):
            if line.strip():
                yield _batch_query(line, f"--batch '{name}' line {number}", narrowing)


def _batch_query(line: str, where: str, narrowing: dict[str, Any]) -> Query:
    try:
        asked = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise SettingsError(f"{where} is not JSON: {error}") from None
    if not isinstance(asked, dict) or not isinstance(asked.get("query"), str):
        raise SettingsError(f'{where} needs an object with "query"')
    limit = asked.get("limit", narrowing["limit"])
    if not isinstance(limit, int) or limit < 1:
        raise SettingsError(f"{where}: limit is {limit!r}; legal is a whole number from 1")
    mode = asked.get("mode", narrowing["mode"])
    if mode not in MODES:
        raise SettingsError(f"{where}: mode is {mode!r}; legal are: {', '.join(MODES)}")
    return Query(text=asked["query"], **{**narrowing, "limit": limit, "mode": mode})


def _place(place: str) -> tuple[str, int]:
    """PATH:LINE with a 1-based line, as a path and a 0-based line."""
    path, _, line = place.rpartition(":")
    if not path or not line.isdigit() or int(line) < 1:
        raise SettingsError(f"'{place}' is not PATH:LINE with a line from 1")
    return path.replace("\\", "/").removeprefix("./"), int(line) - 1


def _print_json(value: object) -> None:
    click.echo(json.dumps(value, ensure_ascii=False))
