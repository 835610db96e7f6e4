"""A small folder and an engine on it."""

from tests.support.tool_folder import engine, folder

__all__ = ["engine", "folder"]
