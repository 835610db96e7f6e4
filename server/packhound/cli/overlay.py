"""`packhound overlay`: keep, list, show and discard proposed patches."""

from __future__ import annotations

import click

from packhound.cli.group import ReportingGroup
from packhound.cli.operations import COMMANDS


@click.group(cls=ReportingGroup)
def overlay() -> None:
    """Proposed patches, to search and review the code as if they were applied; none is applied."""


for words, command in COMMANDS.items():
    if words.startswith("overlay "):
        overlay.add_command(command)
