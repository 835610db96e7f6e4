"""The command line: reads arguments, asks the engine, prints. An error is one line, exit code 2."""

from packhound.cli.commands import main

__all__ = ["main"]
