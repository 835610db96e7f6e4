"""The trace of one command, written as a file in Chrome's format."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from packhound import redact
from packhound.core import trace
from packhound.core.errors import SettingsError, os_error_as


class Trace:
    """Events of the processes that answer one command, under one id."""

    def __init__(self) -> None:
        self.id = secrets.token_hex(4)
        self.events: list[dict[str, Any]] = []


@contextmanager
def writing_trace(file: Path | None) -> Iterator[Trace | None]:
    """Record what this process does meanwhile, and write it with the events of others.

    Yields None without a file. Raises SettingsError: it cannot be written.
    """
    if file is None:
        yield None
        return
    traced = Trace()
    with trace.recording_everything() as spans:
        yield traced
    events = [*trace.chrome_events(spans, traced.id), *traced.events]
    text = redact.json_line({"traceEvents": events, "displayTimeUnit": "ms"})
    with os_error_as(SettingsError, f"--trace '{file}'"):
        file.write_text(text, "utf-8")
