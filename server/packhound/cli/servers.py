"""`packhound lsp`, `mcp` and `engine`: the servers for editors and for agents."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from packhound import daemon, lsp, mcp, service
from packhound.cli.opening import folder_settings, overrides_of, parse_changes
from packhound.cli.options import SET, complete_folder
from packhound.core.errors import SettingsError
from packhound.core.log import log
from packhound.core.log_file import log_to_file


@click.command("lsp")
@click.option("--stdio", is_flag=True, help="Speak on standard input and output (the default).")
@click.option("--tcp", is_flag=True, help="Listen on loopback instead.")
@click.option("--host", default="127.0.0.1", show_default=True)
@click.option("--port", default=0, show_default="a free one")
@click.option(
    "--token-file",
    type=click.Path(path_type=Path),
    help="Owner-only file with the token that a TCP client must send; default: a printed one.",
)
@click.option(
    "--allow-remote", is_flag=True, help="Listen on hosts that are not loopback; not encrypted."
)
@click.option("--log-file", type=click.Path(path_type=Path), help="Write the log here as well.")
@click.option("--verbose", "-v", is_flag=True, help="Log more.")
@click.option(
    "--alone", is_flag=True, help="Serve in this process, which shares nothing with others."
)
@click.pass_context
def serve_editor(
    context: click.Context,
    /,
    stdio: bool,
    tcp: bool,
    log_file: Path | None,
    verbose: bool,
    alone: bool,
    **address: Any,  # noqa: ANN401 - the fields of TcpAddress
) -> None:
    """Run the language server; over TCP a client sends initializationOptions.token."""
    if stdio and tcp:
        raise SettingsError("give either --stdio or --tcp")
    log_file = log_file or context.obj
    tcp_address = lsp.TcpAddress(**address) if tcp else None
    sys.exit(lsp.serve(tcp=tcp_address, log_file=log_file, verbose=verbose, alone=alone))


@click.command("mcp")
@click.argument("roots", nargs=-1, shell_complete=complete_folder)
@SET
@click.option("--alone", hidden=True, help="Reason to serve in a process of its own.")
@click.option(
    "--log-file",
    type=click.Path(path_type=Path),
    help="Log of a server that works alone.  [default: mcp.log in your state folder]",
)
@click.pass_context
def serve_agent(
    context: click.Context,
    roots: tuple[str, ...],
    changes: tuple[str, ...],
    alone: str | None,
    log_file: Path | None,
) -> None:
    """Serve ROOTS to an agent over MCP, on standard input and output.

    Without ROOTS those that the agent names are served, or else this folder.

    All agents of a user share one engine in the background, which ends when nobody uses it.
    """
    overrides = overrides_of("", changes)
    folders = [
        service.check_root(root, folder_settings(root, overrides).read().settings)
        for root in map(service.root_path, roots)
    ]
    if alone is None:
        mcp.relay(folders, parse_changes("", changes), _command(context, folders, changes))
    log_to_file(log_file or context.obj, "mcp.log")
    log.warning("this server works alone: %s", alone)
    mcp.serve_mcp(folders, overrides)


@click.command(hidden=True)
@click.option("--log-file", type=click.Path(path_type=Path), help="Write the log here.")
@click.pass_context
def engine(context: click.Context, log_file: Path | None) -> None:
    """Serve agents and editors in the background until nobody is connected; relays start it."""
    log_to_file(log_file or context.obj, "engine.log")
    daemon.serve_daemon()


def _command(context: click.Context, folders: Sequence[Path], changes: Sequence[str]) -> list[str]:
    """Return the arguments of this command, with absolute folders."""
    log_file = context.params["log_file"] or context.obj
    options = [f"--set={change}" for change in changes]
    return ["mcp", *map(str, folders), *options, *([f"--log-file={log_file}"] if log_file else [])]
