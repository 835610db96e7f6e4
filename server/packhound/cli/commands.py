"""All commands of `packhound`. Heavy modules are imported by the command that needs them."""

from __future__ import annotations

import contextlib
import importlib
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

import click

from packhound import __version__, cli
from packhound.cli.group import ReportingGroup
from packhound.cli.opening import exit_unless_saved, folder_settings, open_engine, overrides_of
from packhound.cli.options import JSON, MODEL, ROOT, ROOTS, SET, TRACE
from packhound.cli.terminal import echo_line, print_json
from packhound.cli.tracing import writing_trace
from packhound.core.log import log
from packhound.core.log_file import log_to_file
from packhound.core.status import LeftOutRow, Status

_LAZY_COMMANDS = {
    "clear": "packhound.cli.clear:clear",
    "docs": "packhound.cli.docs:docs",
    "eval": "packhound.cli.evaluate:evaluate_suite",
    "rebuild": "packhound.cli.rebuild:rebuild",
    "memory": "packhound.cli.memory:memory",
    "overlay": "packhound.cli.overlay:overlay",
    "run": "packhound.cli.run:run",
    "lsp": "packhound.cli.servers:serve_editor",
    "mcp": "packhound.cli.servers:serve_agent",
    "engine": "packhound.cli.servers:engine",
    "completion": "packhound.cli.completion:completion",
    "agents": "packhound.cli.agents:agents",
    "push": "packhound.cli.team:push",
    "pull": "packhound.cli.team:pull",
    "team": "packhound.cli.team:team_group",
}
"""Commands whose modules are imported only when they are called or listed."""


class _Group(ReportingGroup):
    """Imports the modules of commands when they are called or listed."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        asking = [words for words in cli.operations.COMMANDS if " " not in words]
        return sorted([*super().list_commands(ctx), *_LAZY_COMMANDS, *asking])

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _LAZY_COMMANDS:
            own = super().get_command(ctx, cmd_name)
            return own or cli.operations.COMMANDS.get(cmd_name)
        module, _, name = _LAZY_COMMANDS[cmd_name].partition(":")
        command: click.Command = getattr(importlib.import_module(module), name)
        return command


@click.group(cls=_Group, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="packhound")
@click.option(
    "--log-file",
    type=click.Path(path_type=Path),
    help="Write the log here.  [default: cli.log in your state folder]",
)
@click.pass_context
def main(context: click.Context, log_file: Path | None) -> None:
    """Find code by name and by meaning, and see why it ranked."""
    context.obj = log_file
    # The servers have logs of their own.
    if context.invoked_subcommand not in ("lsp", "mcp", "engine"):
        log_to_file(log_file, "cli.log")
        log.info("packhound %s: %s", __version__, context.invoked_subcommand)


def run() -> NoReturn:
    """Run the command of this process, and end the process."""
    code: object = None
    try:
        main()
    except SystemExit as end:
        code = end.code
    # An interpreter that ends while a thread of the engine is in native code aborts the process.
    with contextlib.suppress(OSError):  # The reader may have closed the pipe.
        sys.stdout.flush()
        sys.stderr.flush()
    os._exit(code if isinstance(code, int) else 0)


@main.command()
@ROOTS
@JSON
@MODEL
@SET
@TRACE
def index(
    roots: Sequence[Path],
    as_json: bool,
    encoder_path: str,
    changes: Sequence[str],
    trace_file: Path | None,
) -> None:
    """Index folders, or bring their indexes up to date; exit code 1 if one cannot be saved."""
    reports, unsaved = list[dict[str, object]](), list[Status]()
    with writing_trace(trace_file):
        for root in roots:
            start = time.perf_counter()
            settings = folder_settings(root, overrides_of(encoder_path, changes))
            with open_engine(root, settings) as engine:
                engine.flush()
                elapsed_ms = (time.perf_counter() - start) * 1_000
                status, left_out = engine.status(every_source=True), engine.left_out.rows
            reports.append({"root": status.root, **_index_report(status, left_out, elapsed_ms)})
            unsaved += [status] if status.save_problem else []
            if not as_json:
                if len(roots) > 1:
                    echo_line(f"{status.root}:")
                cli.show.index_summary(status, left_out, elapsed_ms)
    if as_json:
        only = {key: value for key, value in reports[0].items() if key != "root"}
        print_json(only if len(reports) == 1 else {"roots": reports})
    for status in unsaved:
        exit_unless_saved(status)


def _index_report(
    status: Status, left_out: Sequence[LeftOutRow], elapsed_ms: float
) -> dict[str, object]:
    counts = ("files", "nodes", "languages", "kinds", "vectors", "encoder", "failed_vectors")
    return {
        **{name: getattr(status, name) for name in (*counts, "disk_bytes", "generation")},
        "sources": {row.name: row.records for row in status.sources},
        "left_out": [row._asdict() for row in left_out],
        "elapsed_ms": round(elapsed_ms, 1),
        "warnings": list(status.notes),
    }


@main.command()
@ROOT
@JSON
@click.option("--verify", is_flag=True, help="Compare the index with a rebuilt one.")
def doctor(root: Path, as_json: bool, verify: bool) -> None:
    """Check that everything Packhound needs is installed and works."""
    findings = cli.doctor.examine(root, verify=verify)
    if as_json:
        print_json({finding.name: finding.text for finding in findings})
    else:
        cli.show.findings(findings)
    sys.exit(0 if all(finding.ok for finding in findings) else 1)
