"""What belongs to one client from `initialize` on: its settings, its folders, its documents."""

from __future__ import annotations

import logging
import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from functools import partial
from pathlib import Path
from typing import Any

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from packhound.api.json_codec import Json, workspace_json
from packhound.api.socket_server import SocketServer, serve_socket
from packhound.core.errors import PackhoundError
from packhound.core.settings import Settings, read_settings
from packhound.core.types import Query, Results
from packhound.lsp.capabilities import Client
from packhound.lsp.documents import Documents
from packhound.lsp.jsonrpc.executors import Chores
from packhound.lsp.position import path_of
from packhound.lsp.progress import Announcer, Progress
from packhound.service.engine import Engine
from packhound.service.workspace import Workspace

SECTION = "packhound"
# A client that promises to tell its settings and does not is not waited for any longer.
SETTINGS_WAIT_S = 1.0
# Opening a folder reads its saved index; what takes longer than this is answered without it.
FOLDERS_WAIT_S = 10.0

log = logging.getLogger("packhound.lsp")


class Session:
    """One client. Notifications reach it on the reading thread, requests on any."""

    def __init__(self, server: LanguageServer, client: Client) -> None:
        self._server = server
        self.client = client
        self.settings = Settings()
        self.last: tuple[Query, Results] | None = None
        self._refused: dict[str, str] = {}
        self._problems: tuple[str, ...] = ()
        self._layers: dict[str, Mapping[str, object]] = {"options": _section(client.options)}
        # Folders are opened and settings applied aside, so that cancellations are still read.
        self._chores = Chores("packhound-folders")
        self._opened = threading.Event()
        self._closing = threading.Event()
        self._spelled: dict[str, str] = {}
        self._sockets: dict[str, SocketServer | None] = {}
        self._read_layers()
        self.progress = Progress(server, lambda: self.workspace.cancel_indexing())
        shown = self.progress if client.shows_progress else None
        self._announcer = Announcer(server, self._new_state, shown)
        self.workspace = Workspace(self.settings, self._announcer.changed)
        self.documents = Documents(self.workspace, client.encoding)

    def start(self) -> None:
        """The client is ready: ask for its settings, then open its folders."""
        self._register()
        if self.client.pulls_settings:
            self.pull_settings()
            timer = threading.Timer(SETTINGS_WAIT_S, self.open_folders)
            timer.daemon = True
            timer.start()
        else:
            self.open_folders()

    def open_folders(self) -> None:
        """Open what the client had open at its start; once, from any thread."""
        self._chores.submit(self._open_folders)

    def wait_for_folders(self) -> None:
        """Return when all folders that were named so far are open.

        A client that never says that it is ready, or does not tell its settings, is not waited for.
        """
        if not self._opened.wait(SETTINGS_WAIT_S):
            self.open_folders()
        self._chores.wait(FOLDERS_WAIT_S)

    def change_folders(self, event: types.WorkspaceFoldersChangeEvent) -> None:
        """The client's window has other folders."""
        removed, added = _paths(event.removed), _paths(event.added)
        self.open_folders()
        self._chores.submit(lambda: self._replace_folders(removed, added))

    def change_settings(self, sent: object) -> None:
        """The client's settings changed; they are asked for where possible, else as sent."""
        if self.client.pulls_settings:
            self.pull_settings()
        else:
            self._layer("sent", _section(sent))

    def pull_settings(self) -> None:
        """Ask the client for its settings and use them when they come."""
        params = types.ConfigurationParams([types.ConfigurationItem(section=SECTION)])
        self._server.workspace_configuration(params).add_done_callback(self._take_settings)

    def rebuild(self) -> None:
        """Forget the indexes and build them again, in the background."""
        self._chores.submit(self.workspace.rebuild)

    def state(self) -> Json:
        """The state of all indexes, with what could not be opened."""
        statuses = [engine.status() for engine in self.workspace.engines]
        state = workspace_json(statuses, tuple(self._refused.values()))
        return state if self._opened.is_set() else {**state, "state": "starting"}

    def locate(self, uri: str) -> tuple[Engine, str] | None:
        """The engine that has a document, and its path there."""
        path = path_of(uri)
        return self.workspace.locate(Path(path)) if path else None

    def spelled(self, root: str) -> str:
        """The path of an engine's folder as the client writes it."""
        # The client may have come to a folder by a link, and knows its files by that name only.
        return self._spelled.get(root, root)

    def close(self, timeout_s: float) -> None:
        """End the indexes; what takes longer than `timeout_s` goes on in its thread."""
        if not self._closing.is_set():
            self._closing.set()
            self._opened.set()
            for root in tuple(self._sockets):
                self._hang_up(root)
            self._chores.submit(self.workspace.close)
        self._chores.wait(timeout_s)

    def _open_folders(self) -> None:
        if self._opened.is_set():
            return
        try:
            self._replace_folders([], self.client.folders)
            if not self.client.watches_files:
                self.workspace.start_polling(self.settings.poll_seconds)
        finally:
            self._opened.set()
            self._announcer.changed()

    def _replace_folders(self, removed: Sequence[str], added: Sequence[str]) -> None:
        for path in removed:
            self._refused.pop(path, None)
            if engine := self.workspace.engine_of(Path(path)):
                self._hang_up(str(engine.root))
            self.workspace.remove(Path(path))
        for path in added:
            self._add(path)
        self.documents.send_all()
        self._announcer.changed()

    def _add(self, path: str) -> None:
        try:
            engine = self.workspace.add(Path(path))
            self._spelled[str(engine.root)] = path
            self._answer_others(engine)
            self._refused.pop(path, None)
        except PackhoundError as error:
            self._refuse(path, str(error))
        except (OSError, RuntimeError, MemoryError) as error:
            # The system gives no thread, no file or no memory; other folders may need less.
            self._refuse(path, f"folder '{path}' cannot be opened: {error}")

    def _refuse(self, path: str, why: str) -> None:
        self._refused[path] = why
        log.warning("%s", why)

    def _new_state(self) -> Json:
        """The state after a change, perhaps so that an engine saves its index from now on."""
        for engine in self.workspace.engines:
            if engine.writer and not self._others_can_ask(engine):
                self._chores.submit(partial(self._answer_others, engine))
        return self.state()

    def _answer_others(self, engine: Engine) -> None:
        """Answer the command line and agents for the folder of an engine that saves its index."""
        root = str(engine.root)
        wanted = engine in self.workspace.engines and not self._closing.is_set()
        if wanted and engine.writer and not self._others_can_ask(engine):
            self._hang_up(root)
            self._sockets[root] = serve_socket(engine)

    def _others_can_ask(self, engine: Engine) -> bool:
        """Whether they are answered for the folder of an engine, or cannot be."""
        root = str(engine.root)
        server = self._sockets.get(root)
        return root in self._sockets and (server is None or server.reachable)

    def _hang_up(self, root: str) -> None:
        """Answer the command line and agents for this folder no more."""
        found = self._sockets.pop(root, None)
        if found:
            found.close()

    def _take_settings(self, answer: Future[Any]) -> None:
        result = None if answer.exception() else answer.result()
        found = result[0] if isinstance(result, list | tuple) and result else None
        self._layer("pulled", found if isinstance(found, dict) else {})
        self.open_folders()

    def _layer(self, name: str, values: Mapping[str, object]) -> None:
        before = self.settings
        self._layers[name] = values
        self._read_layers()
        if self.settings != before:
            self._chores.submit(self._apply_settings)

    def _apply_settings(self) -> None:
        before, now = self.workspace.settings, self.settings
        self.workspace.configure(now)
        # A folder that was refused may be legal now.
        self._replace_folders([], list(self._refused))
        if before.poll_seconds != now.poll_seconds and not self.client.watches_files:
            self.workspace.start_polling(now.poll_seconds)

    def _read_layers(self) -> None:
        settings, every_problem = Settings(), dict[str, None]()
        for values in self._layers.values():
            settings, problems, deprecations = read_settings(values, settings)
            every_problem.update(dict.fromkeys((*problems, *deprecations)))
        for problem in every_problem:
            if problem not in self._problems:
                log.warning("%s", problem)
        self.settings, self._problems = settings, tuple(every_problem)

    def _register(self) -> None:
        wanted: list[types.Registration] = []
        if self.client.registers_settings:
            options: Any = types.DidChangeConfigurationRegistrationOptions(section=SECTION)
            wanted.append(_registration(types.WORKSPACE_DID_CHANGE_CONFIGURATION, options))
        if self.client.watches_files:
            everything = types.FileSystemWatcher("**/*")
            options = types.DidChangeWatchedFilesRegistrationOptions([everything])
            wanted.append(_registration(types.WORKSPACE_DID_CHANGE_WATCHED_FILES, options))
        if wanted:
            asked = self._server.client_register_capability(types.RegistrationParams(wanted))
            asked.add_done_callback(lambda done: self._poll_instead() if done.exception() else None)

    def _poll_instead(self) -> None:
        log.warning("the client watches no files; looking at the disk instead")
        self.workspace.start_polling(self.settings.poll_seconds)


def _section(values: object) -> Mapping[str, object]:
    """Our part of a client's settings; some clients wrap it in our name and some do not."""
    if not isinstance(values, dict):
        return {}
    inner = values.get(SECTION)
    return inner if isinstance(inner, dict) else values


def _paths(folders: Sequence[types.WorkspaceFolder]) -> list[str]:
    found = [path_of(folder.uri) for folder in folders]
    return [path for path in found if path is not None]


def _registration(method: str, options: object) -> types.Registration:
    return types.Registration(id=method, method=method, register_options=options)
