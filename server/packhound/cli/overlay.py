"""`packhound overlay`: keep, list and show proposed patches, and decide on them."""

from __future__ import annotations

import click

from packhound.cli.group import ReportingGroup
from packhound.cli.operations import COMMANDS


@click.group(cls=ReportingGroup)
def overlay() -> None:
    """Proposed patches: search and review the code as if they were applied; accept or reject."""


for words, command in COMMANDS.items():
    if words.startswith("overlay "):
        overlay.add_command(command)
