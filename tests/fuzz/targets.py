"""The targets by name. Each takes bytes and fails where a promise does not hold for them."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from pathlib import Path

TESTS = Path(__file__).parents[1]
FOLDERS = (TESTS.parent, *(TESTS / name for name in ("fuzz", "parsing", "text", "search")))
TARGETS = {
    "wire_targets": ("frames", "messages", "tool_calls"),
    "text_targets": ("edits", "settings_files", "patches", "secrets", "quotes"),
    "index_targets": ("queries", "ignore_files", "saved_rows", "sources"),
}
NAMES = tuple(name for names in TARGETS.values() for name in names)


def target(name: str) -> Callable[[bytes], None]:
    """The function of a target; what it needs is imported now, so that a fuzzer can watch it."""
    for folder in map(str, FOLDERS):
        if folder not in sys.path:
            sys.path.append(folder)
    module = next(module for module, names in TARGETS.items() if name in names)
    return getattr(importlib.import_module(module), name)
