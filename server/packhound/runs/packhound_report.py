"""A plugin of pytest: each outcome as a line of JSON, as soon as it is known.

It is copied beside the folder that is checked, and imported by the Python of that.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

MARK = "\x1epackhound "
_OUTPUT = os.dup(1)
_FIRST = set(os.environ.get("PACKHOUND_FIRST", "").split(os.pathsep))
_IS_WORKER = "PYTEST_XDIST_WORKER" in os.environ  # Whose standard output is its protocol.


def pytest_collection_modifyitems(items: list[Any]) -> None:
    """Put the tests first that a change reaches."""
    items.sort(key=lambda item: item.nodeid.partition("::")[0] not in _FIRST)


def pytest_collectreport(report: Any) -> None:  # noqa: ANN401 - pytest need not be here
    """Report a file that cannot be imported."""
    if report.failed:
        place = _place(report)
        errors = re.findall(r"(?m)^E +(.*)", str(report.longrepr)) or [place["message"]]
        place |= {"line": place["line"] or 0, "message": errors[-1]}
        _print(test=report.nodeid, outcome="UNREAD", **place)


def pytest_runtest_logreport(report: Any) -> None:  # noqa: ANN401
    """Report a test, and what fails before or after it."""
    if report.failed:
        _print(test=report.nodeid, outcome="FAILED", **_place(report))
    elif report.when == "call":
        _print(test=report.nodeid, outcome="ignored" if report.skipped else "ok")


def _print(**row: object) -> None:
    if not _IS_WORKER:
        os.write(_OUTPUT, f"\n{MARK}{json.dumps(row)}\n".encode())


def _place(report: Any) -> dict[str, object]:  # noqa: ANN401
    """Return path, 0-based line and message of the deepest frame that is of no library."""
    path, line, _ = getattr(report, "location", (report.nodeid, 0, ""))
    crash = getattr(report.longrepr, "reprcrash", None)
    message = crash.message if crash else str(report.longrepr)
    traceback, folder = getattr(report.longrepr, "reprtraceback", None), Path.cwd()
    for entry in getattr(traceback, "reprentries", ()):
        frame = getattr(entry, "reprfileloc", None)
        if frame and "site-packages" not in frame.path and folder in (folder / frame.path).parents:
            path, line = frame.path, frame.lineno - 1
    return {"path": path, "line": line, "message": message.strip()[:2_000]}
