"""The settings of a command, and the engine or language server that answers it."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from packhound.cli.terminal import echo
from packhound.core.errors import SettingsError, StoreError
from packhound.core.settings import Settings
from packhound.core.settings_files import COMMAND_LINE, FolderSettings, Layer
from packhound.core.settings_reader import read_settings
from packhound.core.status import Rebuilt, Status
from packhound.core.types import Hit, Query, Results

if TYPE_CHECKING:
    from packhound.api import Connection, Json
    from packhound.grep import GrepRequest
    from packhound.pack import Pack, PackRequest
    from packhound.service import Engine

T = TypeVar("T")


class Answerer:
    """The process that serves a folder, which sees unsaved text; an engine where it fails.

    A server that does not accept requests, refuses them or ends is left with one line on stderr.
    """

    def __init__(self, root: Path, settings: FolderSettings, *, overridden: bool = False) -> None:
        self.root = root
        self._settings = settings
        self._overridden = overridden
        self._server: Connection | None = None
        self._resources = ExitStack()
        self._engine: Engine | None = None

    def __enter__(self) -> Answerer:
        from packhound.api import connect
        from packhound.service import index_folder, real_path

        # A running server has settings of its own, which those of the command line replace.
        if not self._overridden:
            try:
                self._server = connect(index_folder(real_path(self.root)))
            except StoreError as problem:
                _warn_unavailable(problem)
        return self

    def __exit__(self, *failure: object) -> None:
        if self._server is not None:
            self._server.close()
        self._resources.close()

    def search(self, query: Query) -> Results:
        """Answer a query. Raises PackhoundError."""
        from packhound.api import results_of

        return self.ask(
            lambda server: results_of(server.search(query)),
            lambda engine: engine.sources.episodes.record_search(engine.search(query)),
        )

    def pack(self, request: PackRequest) -> Pack:
        """Make a pack. Raises PackhoundError."""
        return self.ask(lambda server: server.pack(request), lambda engine: engine.pack(request))

    def explain(self, query: Query, path: str, line: int) -> Hit | None:
        """Score the node at a 0-based line for a query. Raises PackhoundError."""
        return self.ask(
            lambda server: server.explain(query, path, line),
            lambda engine: engine.explain(query, path, line),
        )

    def related(self, path: str, line: int, limit: int) -> Results:
        """Return nodes like the one at a 0-based line. Raises PackhoundError."""
        return self.ask(
            lambda server: server.related(path, line, limit),
            lambda engine: engine.related(path, line, limit),
        )

    def status(self) -> Status:
        """Return the state and health of the index, saved first where this process saves it."""
        return self.ask(lambda server: server.status(), _saved_status)

    def rebuild_sources(self, names: Sequence[str], *, regenerate: bool) -> list[Rebuilt]:
        """Index sources beside code anew. Raises PackhoundError."""
        return self.ask(
            lambda server: server.rebuild_sources(names, regenerate=regenerate),
            lambda engine: engine.sources.rebuild(names, regenerate=regenerate),
        )

    def locate(self, reference: str) -> tuple[str, int]:
        """Return the path and the 0-based line of a reference to code. Raises PackhoundError."""
        path, _, lines = reference.rpartition(":")
        line = lines.partition("-")[0]
        if path and line.isdecimal() and int(line) > 0:
            return path.replace("\\", "/").removeprefix("./"), int(line) - 1
        row = self.call("read_node", {"path": reference, "limit": 1})
        if row["ref"] == row["path"]:
            raise SettingsError(f"'{reference}' is a whole file; give PATH:LINE or PATH#Qual.name")
        return str(row["path"]), int(str(row["start_line"])) - 1

    def call(self, tool: str, arguments: Mapping[str, object]) -> Json:
        """Run a tool of agents. Raises PackhoundError."""
        from packhound.api import call

        return self.ask(
            lambda server: server.call(tool, arguments),
            lambda engine: call(engine, tool, arguments),
        )

    def memory(self, name: str, values: Mapping[str, object]) -> Json:
        """Run a request on notes. Raises PackhoundError."""
        from packhound.api import MEMORY_REQUESTS

        return self.ask(
            lambda server: server.memory(name, values),
            lambda engine: MEMORY_REQUESTS[name](engine, values),
        )

    def grep(self, request: GrepRequest) -> Json:
        """Find the lines that match a pattern. Raises PackhoundError."""
        from packhound.api import grep_json

        return self.ask(
            lambda server: server.grep(request), lambda engine: grep_json(engine.grep(request))
        )

    def config(self) -> Json | None:
        """Return the settings of a running server; None if there is none."""
        try:
            return self._server.config() if self._server else None
        except StoreError as problem:
            _warn_unavailable(problem)
            return None

    def ask(self, ask_server: Callable[[Connection], T], ask_engine: Callable[[Engine], T]) -> T:
        """Return the answer of the server, or of an engine where it has none."""
        if self._server is not None:
            try:
                return ask_server(self._server)
            except StoreError as problem:
                _warn_unavailable(problem)
                self._server.close()
                self._server = None
        if self._engine is None:
            self._engine = self._resources.enter_context(open_engine(self.root, self._settings))
        return ask_engine(self._engine)


def _saved_status(engine: Engine) -> Status:
    engine.flush()
    return engine.status(every_source=True)


def _warn_unavailable(problem: StoreError) -> None:
    echo(f"note: {problem}; answered without it, so unsaved text is not seen", err=True)


@contextmanager
def open_engine(root: Path, settings: FolderSettings | None = None) -> Iterator[Engine]:
    """Yield the engine of `root` once nothing is pending."""
    from packhound.service import Engine

    engine = Engine.open(root, settings or folder_settings(root))
    try:
        wait(engine)
        yield engine
    finally:
        engine.close()


def wait(engine: Engine) -> None:
    """Wait until nothing is pending, with a progress bar on a terminal."""
    if engine.settled(0.4):
        return
    if sys.stderr.isatty():
        from packhound.cli import show

        show.progress(engine)
    engine.settled()


def folder_settings(
    root: Path, encoder_path: str = "", changes: Sequence[str] = ()
) -> FolderSettings:
    """Return the settings of a folder below `--model` and every `--set`. Raises SettingsError.

    What is wrong in a settings file is named on stderr.
    """
    from packhound.service import real_path

    values = parse_changes(encoder_path, changes)
    layer = Layer(COMMAND_LINE, values)
    settings = FolderSettings(real_path(root), lambda: (layer,))
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
