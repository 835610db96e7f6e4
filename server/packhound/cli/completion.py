"""`packhound completion`: the script that lets a shell complete commands, options and paths."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

PROGRAM = "packhound"
VARIABLE = "_PACKHOUND_COMPLETE"


@click.command()
@click.argument("shell", type=click.Choice(("bash", "zsh", "fish")))
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Print the completion script of SHELL, for its start-up file."""
    script = get_completion_class(shell)
    assert script is not None
    main = context.find_root().command
    click.echo(script(main, {}, PROGRAM, VARIABLE).source())
