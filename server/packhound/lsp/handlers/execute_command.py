"""`workspace/executeCommand`."""

from __future__ import annotations

from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams

from packhound.lsp.language_server import PackhoundServer
from packhound.lsp.protocol import Handler


def execute_command(ls: PackhoundServer, params: types.ExecuteCommandParams) -> object:
    """Run a registered command."""
    commands: dict[str, Handler] = ls.protocol.fm.commands
    command = commands.get(params.command)
    if command is None:
        raise JsonRpcInvalidParams(
            f"'command' is {params.command!r:.80}; expected one of: {', '.join(commands)}"
        )
    return command(*(params.arguments or ()))


def as_command(name: str, handler: Handler) -> Handler:
    """Return a request handler as a command whose only argument, optional, is the params."""

    def command(ls: PackhoundServer, *arguments: object) -> object:
        params = arguments[0] if arguments else None
        if len(arguments) > 1 or not isinstance(params, dict | None):
            raise JsonRpcInvalidParams(f"{name} takes one object or nothing")
        return handler(ls, params or {})

    return command
