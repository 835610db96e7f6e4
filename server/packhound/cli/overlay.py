"""`packhound overlay`: keep, list and show proposed patches, and decide on them."""

from __future__ import annotations

from packhound.cli.group import ReportingGroup
from packhound.cli.operations import COMMANDS

overlay = ReportingGroup(
    "overlay",
    [command for words, command in COMMANDS.items() if words.startswith("overlay ")],
    help="Proposed patches: search and review the code as if they were applied; accept or reject.",
)
