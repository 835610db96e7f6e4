"""Checks of a patch: the tools of a folder run in a copy, where the user has switched that on."""

from __future__ import annotations

import re
import sys
import threading
from collections.abc import Collection, Generator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from packhound import runs
from packhound.core.errors import SettingsError
from packhound.core.settings import ChangeSettings, Settings
from packhound.core.user_folders import config_folder
from packhound.redact import visible_line
from packhound.service.roots import index_folder
from packhound.service.seen_texts import read_saved, read_seen
from packhound.service.verdict import verdict_of, warnings_on
from packhound.text import is_test

if TYPE_CHECKING:
    from packhound.git import PatchedFile
    from packhound.service.engine import Engine
    from packhound.service.indexed_folder import IndexedFolder

_MAX_AT_ONCE = 2
"""A session has four threads for its requests."""
_MAX_TESTS, _POLL_S = 50, 0.5
_RUNS_ITSELF = re.compile(
    r"(?:^|/)(?:conftest\.py|sitecustomize\.py|usercustomize\.py|setup\.(?:py|cfg)|build\.rs|noxfile\.py"
    r"|tox\.ini|\.?pytest\.(?:ini|toml)|pyproject\.toml|\.?(?:mypy|ruff)\.(?:ini|toml)|\.coveragerc"
    r"|pyrightconfig\.json|(?:GNUm|[mM])akefile|package\.json|\.npmrc|tsconfig[\w.-]*\.json"
    r"|\.eslint(?:rc|ignore)[\w.]*|\.mocharc\.\w+|\.babelrc[\w.]*|Cargo\.toml|\.?clippy\.toml"
    r"|rust-toolchain(?:\.toml)?|go\.(?:mod|work)|[\w-]+\.config\.\w+|.*\.pth)$"
    r"|(?:^|/)(?:\.cargo|[^/]*\.(?:egg|dist)-info)/"
)
"""What a tool reads or runs before it looks at any code, so that it decides what is checked."""
_AT_TOP = re.compile(r"(?:src/)?(\w+)(?:\.py|/.*\.py)")
_TOOLS = {"pytest", "_pytest", "pluggy", "iniconfig", "xdist", "coverage", "mypy", "ruff"}
_warming = threading.Lock()
_running = threading.BoundedSemaphore(_MAX_AT_ONCE)


def may_run(root: Path, settings: Settings, *, trusted: bool) -> None:
    """Raise SettingsError unless the user has allowed that commands of a folder run."""
    name, file = visible_line(str(root)), config_folder() / "packhound.toml"
    if not settings.changes.run:
        raise SettingsError(
            f"checks run tests and tools of '{name}', and are off; to allow them set 'changes.run'"
            f" to true in '{file}' or in your editor's own settings"
        )
    if not trusted:
        raise SettingsError(
            f"'{name}' is not trusted, so nothing of it runs; if you trust it, add it to"
            f" 'folders.trusted' in '{file}'"
        )


def _job(
    folder: runs.Folder, table: runs.Table, settings: ChangeSettings, cancel: threading.Event | None
) -> runs.Job:
    """Return a check within what the settings allow a copy to have, and a tool to take."""
    n_bytes = settings.max_megabytes * 1_000_000
    memory_bytes = settings.memory_megabytes * 1_000_000
    copy_limits = runs.CopyLimits(settings.max_files, n_bytes, settings.include)
    limits = runs.Limits(settings.seconds, memory_bytes, disk_bytes=n_bytes)
    return runs.Job(folder, table, copy_limits, limits, cancel)


def check_files(
    engine: Engine,
    files: Mapping[str, PatchedFile],
    patch: bytes,
    settings: Settings,
    *,
    runners: Collection[str] = (),
    allow: tuple[str, ...] = (),
    reached_only: bool = False,
    cancel: threading.Event | None = None,
) -> Generator[runs.Step | runs.Diagnostic, None, runs.Check]:
    """Check what a patch makes of some files: yield steps and new diagnostics as they come.

    Returns the outcome. Raises SettingsError: not allowed, a path that is not, an unknown runner,
    or a limit; StoreError: the copy cannot be written; Cancelled.
    """
    may_run(engine.root, settings, trusted=engine.follow_settings().trusted)
    if refused := runs.paths_outside(files, allow):
        raise SettingsError(
            f"the patch changes {visible_line(', '.join(refused[:5]))}, which"
            f" {'is' if len(refused) == 1 else 'are'} not among: {', '.join(allow)}"
        )
    table = runs.read_table().only(runners)
    tests = list[str]()
    with suppress(SettingsError):  # A merge may be of a patch that does not apply as it is.
        verdict = verdict_of(engine, engine.proposals.open(patch), patch, _MAX_TESTS)
        tests = [file.path for file in verdict.changes.tests]
    unsaved, notes = _unsaved(engine.index)
    notes += [f"the patch changes what a check runs: {p}" for p in files if _runs_itself(files[p])]
    notes += warnings_on(files)
    first = [*filter(is_test, files), *tests]
    folder = runs.Folder(
        engine.root, index_folder(engine.root) / "checks", unsaved, files, first, reached_only
    )
    if not _running.acquire(blocking=False):
        raise SettingsError(f"{_MAX_AT_ONCE} checks run already; wait for one, or cancel it")
    try:
        outcome = yield from runs.check(_job(folder, table, settings.changes, cancel))
    finally:
        _running.release()
    return outcome.with_notes(notes)


def _runs_itself(file: PatchedFile) -> bool:
    """Return True for a file that decides what a check runs, or is new and imported by tools.

    The folder is before what is installed on the path of Python, as its tests need it.
    """
    top = _AT_TOP.fullmatch(file.path)
    names = _TOOLS | sys.stdlib_module_names - {"test"}
    is_imported = top and file.before is None and top[1] in names
    return bool(is_imported or _RUNS_ITSELF.search(file.path))


def warm_up(folder: IndexedFolder, cancel: threading.Event) -> None:
    """Run the tools of a folder that have not run on its texts, for the next check of a patch.

    Raises SettingsError: a limit; StoreError: the copy cannot be written; Cancelled.
    """
    unsaved, _ = _unsaved(folder)
    subject = runs.Folder(folder.root, index_folder(folder.root) / "checks", unsaved, {})
    while not _warming.acquire(timeout=_POLL_S):  # Of another folder, which is no hurry.
        if cancel.is_set():
            return
    try:
        runs.warm_up(_job(subject, runs.read_table(), folder.settings.changes, cancel))
    finally:
        _warming.release()


def _unsaved(folder: IndexedFolder) -> tuple[dict[str, bytes], list[str]]:
    """Return the texts of open documents that are not on the disk, and notes on the others."""
    texts, notes = dict[str, bytes](), list[str]()
    for path in [*folder.queue.open_paths]:
        try:
            text = read_seen(folder, path)
        except SettingsError:
            notes.append(f"open and not saved, checked as it is on the disk: {path}")
            continue
        if text is not None and text != read_saved(folder.root, path):
            texts[path] = text
    return texts, notes
