"""Text on its way to a terminal: none of the workspace's escape sequences or bidi marks reaches it.

Names and lines come from files that anybody may have written. A sequence in one could move the
cursor, hide or forge lines and change the terminal's title (CWE-150). What is printed goes through
`echo` or `console.Terminal`; a name, which stays on its line, through `visible_line` before.
"""

from __future__ import annotations

import click

from packhound import redact


def echo(text: str, *, err: bool = False, nl: bool = True) -> None:
    """Print text with each hidden character as its code point, as `<U+001B>`."""
    click.echo(redact.visible_text(text), err=err, nl=nl)


def echo_line(text: str, *, err: bool = False) -> None:
    """Print text on one line, line feeds as code points too."""
    click.echo(redact.visible_line(text), err=err)


def print_json(value: object) -> None:
    """Print a value on one line of standard output."""
    click.echo(redact.json_line(value))
