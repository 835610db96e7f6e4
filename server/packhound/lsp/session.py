"""The session of one client, from `initialize` on: its settings, folders and documents."""

from __future__ import annotations

import logging
import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import Any

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from packhound.core.errors import PackhoundError
from packhound.core.plugins import missing_plugins
from packhound.core.settings import Settings
from packhound.core.settings_files import (
    CLIENT,
    FolderSettings,
    Layer,
    Overrides,
    other_settings_note,
)
from packhound.core.types import Json
from packhound.lsp.capabilities import Client
from packhound.lsp.documents import Documents
from packhound.lsp.index_state import IndexStateNotifier
from packhound.lsp.inferred_folders import InferredFolders
from packhound.lsp.last_search import LastSearch
from packhound.lsp.session_packs import SessionPacks
from packhound.lsp.uris import path_from_uri
from packhound.lsp.work_done_progress import IndexingProgress
from packhound.operations import workspace_row
from packhound.rpc import ThreadPool
from packhound.service import Engine, EnginePool, Listener, Workspace, real_path

SECTION = "packhound"
# Time for a client to answer `workspace/configuration` before folders are opened without it.
SETTINGS_WAIT_S = 1.0
# Opening a folder reads its saved index; requests are answered without it after this time.
FOLDERS_WAIT_S = 10.0

log = logging.getLogger("packhound.lsp")


class Session:
    """State of one client. Notifications reach it on the reading thread, requests on any thread."""

    def __init__(
        self, server: LanguageServer, client: Client, pool: EnginePool, on_folders: Listener
    ) -> None:
        self._server, self._on_folders, self.client = server, on_folders, client
        self.last_search = LastSearch()
        self.packs = SessionPacks()
        self.is_traced = False
        self._folder_problems: dict[str, str] = {}
        self._settings_problems: tuple[str, ...] = ()
        self._deprecations: tuple[str, ...] = ()
        self._layers: dict[str, Mapping[str, object]] = {"options": _section(client.options)}
        self._overrides = Overrides(self._client_layers(), client.is_trusted)
        first = real_path(Path(client.folders[0])) if client.folders else None
        self._window_settings = FolderSettings(first, self._overrides)
        # Folders are opened and settings applied in the background, so that cancellations are read.
        self._executor = ThreadPool("packhound-folders", 1)
        self._opened = threading.Event()
        self.awaits_lenses = False
        """Code lenses were asked for before everything was read."""
        self._closing = threading.Event()
        self._client_paths: dict[str, str] = {}
        self._report_settings(self._window_settings)
        self._progress = IndexingProgress(server)
        progress = self._progress if client.shows_progress else None
        self._state_notifier = IndexStateNotifier(server, self, progress)
        self.workspace = Workspace(
            self.settings, self._state_notifier.mark_dirty, self._overrides, pool
        )
        self.documents = Documents(self.workspace, client.encoding, self._infer_folders)
        self._inferred = InferredFolders(self.workspace, self.documents, server)

    @property
    def settings(self) -> Settings:
        """The settings in force for the whole window: files are those of its first folder."""
        return self._window_settings.read().settings

    def start(self) -> None:
        """Pull the settings of a client that is initialized, then open its folders."""
        self._register()
        if self.client.pulls_settings:
            self.pull_settings()
            timer = threading.Timer(SETTINGS_WAIT_S, self.open_folders)
            timer.daemon = True
            timer.start()
        else:
            self.open_folders()

    def open_folders(self) -> None:
        """Open the folders of `initialize`; only the first call does, from any thread."""
        self._executor.submit(self._open_folders)

    def wait_for_folders(self) -> None:
        """Wait until all folders that the client has named so far are open.

        Clients that never send `initialized` or their settings are not waited for.
        """
        if not self._opened.wait(SETTINGS_WAIT_S):
            self.open_folders()
        self._executor.wait(FOLDERS_WAIT_S)

    def change_folders(self, event: types.WorkspaceFoldersChangeEvent) -> None:
        """Open and close folders."""
        removed, added = _folder_paths(event.removed), _folder_paths(event.added)
        self.open_folders()
        self._executor.submit(lambda: self._replace_folders(removed, added))

    def change_settings(self, sent: object) -> None:
        """Pull the changed settings from clients that support it, else take them as sent."""
        if self.client.pulls_settings:
            self.pull_settings()
        else:
            self._set_layer("sent", _section(sent))

    def pull_settings(self) -> None:
        """Request the client's settings; they apply when the response arrives."""
        params = types.ConfigurationParams([types.ConfigurationItem(section=SECTION)])
        self._server.workspace_configuration(params).add_done_callback(self._receive_settings)

    def refresh_lenses(self) -> None:
        """Have the client ask for code lenses again, where it can."""
        self.awaits_lenses = False
        if self.client.refreshes_lenses:
            self._server.workspace_code_lens_refresh(None)

    def cancel_indexing(self, token: object) -> None:
        """Stop indexing until the next change, if a token is that of its progress."""
        if self._progress.cancel(token):
            self.workspace.cancel_indexing()

    def rebuild(self) -> None:
        """Discard the indexes and rebuild them, in the background."""
        self._executor.submit(self.workspace.rebuild)

    def state(self) -> Json:
        """Return the state of all indexes, with the folders that could not be opened."""
        statuses = [engine.status() for engine in self.workspace.engines]
        notes = (*self._settings_problems, *self._folder_problems.values())
        state = workspace_row(statuses, notes)
        if self._opened.is_set():
            return state
        encoder = "loading" if self.settings.meaning.enabled else "off"
        return {**state, "state": "starting", "encoder": encoder}

    def client_path(self, root: str) -> str:
        """Return the path of an engine's folder as the client writes it."""
        # The client may have opened a folder by a link, and knows its files by that path only.
        return self._client_paths.get(root, root)

    def close(self, timeout_s: float) -> None:
        """Close the indexes; after `timeout_s` that continues in the background."""
        if not self._closing.is_set():
            self._closing.set()
            self._opened.set()
            self._executor.submit(self.workspace.close)
            self._executor.submit(self.documents.close)
            self._state_notifier.close()
            self._executor.close()
        self._executor.wait(timeout_s)

    def _open_folders(self) -> None:
        if self._opened.is_set():
            return
        try:
            self._replace_folders([], self.client.folders)
            if self.client.watches_files:
                self.workspace.watch(watches=True)
            else:
                self.workspace.start_polling(self.settings.index.poll_seconds)
        finally:
            self._opened.set()
            self._on_folders()
            self._state_notifier.mark_dirty()

    def _replace_folders(self, removed: Sequence[str], added: Sequence[str]) -> None:
        for path in removed:
            self._folder_problems.pop(path, None)
            self.workspace.remove(Path(path))
        self._inferred.leave_to_client(added)
        for path in added:
            self._add(path)
        self.documents.relocate_all()
        self._inferred.update()
        self._state_notifier.mark_dirty()

    def _infer_folders(self) -> None:
        """Find folders for documents that are in none, once those of the client are open."""

        def infer() -> None:
            if self._opened.is_set() and not self._closing.is_set():
                self._inferred.update()

        self._executor.submit(infer)

    def _add(self, path: str) -> None:
        try:
            engine = self.workspace.add(Path(path))
            if engine.root == real_path(Path(path)):  # Not of a bare repository.
                self._client_paths[str(engine.root)] = path
            self._report_other_settings(engine)
            self._folder_problems.pop(path, None)
        except PackhoundError as error:
            self._report_problem(path, str(error))
        except (OSError, RuntimeError, MemoryError) as error:
            # The system gives no thread, no file or no memory; other folders may need less.
            self._report_problem(path, f"folder '{path}' cannot be opened: {error}")

    def _report_other_settings(self, engine: Engine) -> None:
        """Log which settings of this client do not count, where others opened the folder first."""
        requested = FolderSettings(engine.root, self._overrides).read().settings
        note = other_settings_note(requested, engine.follow_settings().settings)
        if note:
            log.warning("%s: %s", engine.root, note)

    def _report_problem(self, path: str, problem: str) -> None:
        self._folder_problems[path] = problem
        log.warning("%s", problem)

    def _receive_settings(self, response: Future[Any]) -> None:
        result = None if response.exception() else response.result()
        section = result[0] if isinstance(result, list | tuple) and result else None
        self._set_layer("pulled", section if isinstance(section, dict) else {})
        self.open_folders()

    def _set_layer(self, name: str, values: Mapping[str, object]) -> None:
        before = self.settings
        self._layers = {**self._layers, name: values}
        self._overrides.layers = self._client_layers()
        self._report_settings(self._window_settings)
        self._state_notifier.mark_dirty()
        if self.settings.search.code_lens != before.search.code_lens:
            self.refresh_lenses()
        if self.settings != before:
            self._executor.submit(self._apply_settings)

    def _apply_settings(self) -> None:
        before, now = self.workspace.settings, self.settings
        self.workspace.configure(now)
        if self._folder_problems:  # A folder that was refused may be allowed now.
            self._replace_folders([], list(self._folder_problems))
        if before.index.poll_seconds != now.index.poll_seconds and not self.client.watches_files:
            self.workspace.start_polling(now.index.poll_seconds)

    def _client_layers(self) -> tuple[Layer, ...]:
        return tuple(Layer(CLIENT, values) for values in self._layers.values())

    def _report_settings(self, settings: FolderSettings) -> None:
        """Tell the user of each new problem of the settings in force, and log old names."""
        in_force = settings.read()
        problems = (*in_force.problems, *missing_plugins(in_force.settings))
        for problem in problems:
            if problem not in self._settings_problems:
                self._warn(problem)
        for deprecation in set(in_force.deprecations) - set(self._deprecations):
            log.warning("%s", deprecation)
        self._settings_problems = problems
        self._deprecations = in_force.deprecations

    def _warn(self, problem: str) -> None:
        log.warning("%s", problem)
        if not self.client.shows_notes:
            params = types.ShowMessageParams(types.MessageType.Warning, f"Packhound: {problem}")
            self._server.window_show_message(params)

    def _register(self) -> None:
        registrations: list[types.Registration] = []
        if self.client.registers_settings:
            options: Any = types.DidChangeConfigurationRegistrationOptions(section=SECTION)
            registrations.append(_registration(types.WORKSPACE_DID_CHANGE_CONFIGURATION, options))
        if self.client.watches_files:
            everything = types.FileSystemWatcher("**/*")
            options = types.DidChangeWatchedFilesRegistrationOptions([everything])
            registrations.append(_registration(types.WORKSPACE_DID_CHANGE_WATCHED_FILES, options))
        if registrations:
            params = types.RegistrationParams(registrations)
            self._server.client_register_capability(params).add_done_callback(
                lambda done: self._poll_instead() if done.exception() else None
            )

    def _poll_instead(self) -> None:
        log.warning("the client does not watch files; polling the disk instead")
        self.workspace.watch(watches=False)
        self.workspace.start_polling(self.settings.index.poll_seconds)


def _section(values: object) -> Mapping[str, object]:
    """Return our section of a client's settings, which some clients send without its name."""
    if not isinstance(values, dict):
        return {}
    inner = values.get(SECTION)
    return inner if isinstance(inner, dict) else values


def _folder_paths(folders: Sequence[types.WorkspaceFolder]) -> list[str]:
    paths = [path_from_uri(folder.uri) for folder in folders]
    return [path for path in paths if path is not None]


def _registration(method: str, options: object) -> types.Registration:
    return types.Registration(id=method, method=method, register_options=options)
