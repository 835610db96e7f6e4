"""`packhound lsp` and `packhound mcp`: the servers for editors and for agents."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from packhound.cli.opening import folder_settings
from packhound.cli.options import SET
from packhound.core.errors import SettingsError
from packhound.core.log_file import log_to_file


@click.command()
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
@click.pass_context
def lsp(
    context: click.Context,
    /,
    stdio: bool,
    tcp: bool,
    log_file: Path | None,
    verbose: bool,
    **address: Any,  # noqa: ANN401 - the fields of TcpAddress
) -> None:
    """Run the language server; over TCP a client sends initializationOptions.token."""
    from packhound.lsp import TcpAddress, serve

    if stdio and tcp:
        raise SettingsError("give either --stdio or --tcp")
    log_file = log_file or context.obj
    sys.exit(serve(tcp=TcpAddress(**address) if tcp else None, log_file=log_file, verbose=verbose))


@click.command()
@click.argument("roots", nargs=-1, type=click.Path(path_type=Path))
@SET
@click.option(
    "--log-file",
    type=click.Path(path_type=Path),
    help="Write the log here.  [default: mcp.log in your state folder]",
)
@click.pass_context
def mcp(
    context: click.Context,
    roots: tuple[Path, ...],
    changes: tuple[str, ...],
    log_file: Path | None,
) -> None:
    """Serve ROOTS (default: here) to an agent over MCP, on standard input and output."""
    from packhound.mcp import serve_mcp

    log_to_file(log_file or context.obj, "mcp.log")
    serve_mcp(roots or (Path(),), lambda root: folder_settings(root, "", changes))
