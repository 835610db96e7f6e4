"""The settings of a command, and the daemon or the engines that answer it."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from packhound import cli, daemon, operations, service
from packhound.cli.terminal import echo, echo_line
from packhound.core.errors import SettingsError, StoreError
from packhound.core.settings import Settings
from packhound.core.settings_files import FolderSettings, Overrides
from packhound.core.settings_reader import read_settings
from packhound.core.status import Status
from packhound.core.trace import span
from packhound.indexing import DEFAULT_TIMING, Timing
from packhound.rpc import Service

if TYPE_CHECKING:
    from packhound.cli.tracing import Trace

_MAX_KNOWN = 5
"""Skills and episodes that a proposer of patches is told."""


class Asker:
    """Operations on some folders: asked of the daemon that has one of them open, or run here.

    A daemon that accepts no requests, refuses them or ends is left with one line on stderr. It has
    not the settings of `--set` and `--model`, so an asker with such, or
    one that is `alone`, runs its operations itself.
    """

    def __init__(
        self,
        roots: Sequence[Path],
        encoder_path: str = "",
        changes: Sequence[str] = (),
        *,
        alone: bool = False,
        traced: Trace | None = None,
    ) -> None:
        self._traced = traced
        self.roots = list(dict.fromkeys(map(service.real_path, roots)))
        self._overrides = overrides_of(encoder_path, changes)
        self._settings = [folder_settings(root, self._overrides) for root in self.roots]
        self._alone = bool(alone or encoder_path or changes)
        self._daemon: daemon.Connection | None = None
        self._workspace: service.Workspace | None = None

    def __enter__(self) -> Asker:
        if not self._alone:
            try:
                self._daemon = daemon.connect(self.roots, _Shown())
            except StoreError as problem:
                _warn_unavailable(problem)
        return self

    def __exit__(self, *failure: object) -> None:
        if self._daemon is not None:
            self._daemon.close()
        if self._workspace is not None:
            self._workspace.close()

    @property
    def settings(self) -> Settings:
        """The settings of the first folder, which count for the command."""
        return self._settings[0].read().settings

    def answer(self, name: str, arguments: Mapping[str, object]) -> dict[str, Any]:
        """Return the answer of an operation. Raises PackhoundError."""
        if self._traced is None:
            return self._answer(name, arguments)
        with span("ask"):
            answer = self._answer(name, {**arguments, "trace": self._traced.id})
        self._traced.events += answer.pop("trace")["events"]
        return answer

    def known(self, task: str) -> str:
        """Return the skills and episodes near a task as text, of sources that are on; "" for none.

        Raises PackhoundError.
        """
        types = [kind for kind in ("skill", "episode") if self.settings.sources.has(f"{kind}s")]
        if not (types and task):
            return ""
        answer = self.answer("search", {"query": task, "types": types, "limit": _MAX_KNOWN})
        return operations.as_text("search", answer) if answer["hits"] else ""

    def _answer(self, name: str, arguments: Mapping[str, object]) -> dict[str, Any]:
        if self._daemon is not None:
            try:
                return self._daemon.answer(name, arguments)
            except StoreError as problem:
                _warn_unavailable(problem)
                self._daemon.close()
                self._daemon = None
        workspace = self._open()
        if name == "status":
            for engine in workspace.engines:
                engine.flush()
        is_shown = sys.stderr.isatty()
        call = operations.Call(workspace.roots, self.settings)
        if is_shown:
            call = replace(call, report=_show)
        with cli.show.progress_elsewhere(workspace.engines) if is_shown else nullcontext():
            answer = operations.answer(call, name, arguments)
        # The disk was looked at since the command was typed; a later answer of it says when.
        workspace.watch(watches=False)
        return answer

    def _open(self) -> service.Workspace:
        """Return the folders, once nothing is pending in them."""
        if self._workspace is None:
            self._workspace = service.Workspace(self.settings, overrides=self._overrides)
            self._workspace.watch(watches=True)
            for root in self.roots:
                wait(self._workspace.add(root))
        return self._workspace


class _Shown(Service):
    """Progress of the daemon, which a terminal shows as if the operation ran here."""

    def receive(self, method: str, params: Any) -> None:  # noqa: ANN401 - JSON
        """Print it."""
        if sys.stderr.isatty():
            _show(params)


def _show(progress: Mapping[str, Any]) -> None:
    """Print what a long operation does, and what it has found, on stderr."""
    if "step" in progress:
        echo(f"{progress['n_done'] + 1} of {progress['n_steps']}: {progress['step']}", err=True)
    for row in progress.get("new", ()):
        place = f"{row['path']}:{row.get('line', 1)}" if "path" in row else row["runner"]
        echo_line(f"  {place}: {row['message']}", err=True)


def _warn_unavailable(problem: StoreError) -> None:
    echo(f"note: {problem}; answered without it, so unsaved text is not seen", err=True)


_ENCODING_POLL_S = 0.05


@contextmanager
def open_engine(
    root: Path, settings: Settings | FolderSettings | None = None, timing: Timing = DEFAULT_TIMING
) -> Iterator[service.Engine]:
    """Yield the engine of `root` once nothing is pending."""
    settings = settings or folder_settings(root)
    with closing(service.Engine.open(root, settings, timing=timing)) as engine:
        wait(engine)
        yield engine


def wait(engine: service.Engine) -> None:
    """Wait until all is read and encoded, with a progress bar on a terminal.

    Where that is interrupted, closing the engine saves what is there.
    """
    if not engine.settled(0.4) and sys.stderr.isatty():
        cli.show.progress(engine)
    engine.settled()
    if engine.index.n_unencoded and sys.stderr.isatty():
        cli.show.encoding_progress(engine)
    while engine.index.n_unencoded:
        time.sleep(_ENCODING_POLL_S)


def overrides_of(encoder_path: str, changes: Sequence[str]) -> Overrides:
    """Return `--model` and every `--set` as a layer above files. Raises SettingsError."""
    return Overrides.of_command_line(parse_changes(encoder_path, changes))


def folder_settings(root: Path, overrides: Overrides | None = None) -> FolderSettings:
    """Return the settings of a folder; what is wrong in a settings file is named on stderr."""
    settings = FolderSettings(service.real_path(root), overrides)
    for problem in settings.read().problems:
        echo(f"note: {problem}", err=True)
    return settings


def settings_of(
    encoder_path: str, changes: Sequence[str], base: Settings | None = None
) -> Settings:
    """Return `base` changed by `--model` and every `--set`, whatever files say.

    Raises SettingsError.
    """
    return read_settings(parse_changes(encoder_path, changes), base)[0]


def parse_changes(encoder_path: str, changes: Sequence[str]) -> dict[str, object]:
    """Return the values of `--model` and every `--set`. Raises SettingsError."""
    values: dict[str, object] = {"encoder.path": encoder_path} if encoder_path else {}
    for change in changes:
        name, equals, value = change.partition("=")
        if not equals:
            raise SettingsError(f"--set takes NAME=VALUE, not '{change}'")
        try:
            values[name] = json.loads(value)
        except json.JSONDecodeError:
            values[name] = value
    _, problems, deprecations = read_settings(values)
    if problems:
        raise SettingsError("; ".join(problems))
    for deprecation in deprecations:
        echo(f"note: {deprecation}", err=True)
    return values


def exit_unless_saved(state: Status) -> None:
    """Warn and exit with 1 if the index should be on disk and is not."""
    if state.save_problem:
        echo(f"warning: nothing is saved: {state.save_problem}", err=True)
        sys.exit(1)
