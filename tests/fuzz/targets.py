"""The targets by name. Each takes bytes and fails where a promise does not hold for them."""

from __future__ import annotations

import importlib
from collections.abc import Callable

TARGETS = {
    "wire_targets": ("frames", "messages", "tool_calls"),
    "text_targets": ("edits", "settings_files", "patches", "secrets", "quotes"),
    "index_targets": ("queries", "ignore_files", "saved_rows", "sources"),
}
NAMES = tuple(name for names in TARGETS.values() for name in names)


def target(name: str) -> Callable[[bytes], None]:
    """Return the function of a target; its imports happen now, so that a fuzzer can watch them."""
    module = next(module for module, names in TARGETS.items() if name in names)
    return getattr(importlib.import_module(f"tests.fuzz.{module}"), name)
