"""What belongs to one client from `initialize` on: its settings, its folders, its documents."""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Mapping
from pathlib import Path

from packhound.engine import Workspace
from packhound.errors import PackhoundError
from packhound.lsp.announce import Announcer, Progress
from packhound.lsp.client import Client, folder_path
from packhound.lsp.convert import range_of, uri_of
from packhound.lsp.documents import Documents
from packhound.lsp.protocol import Connection, Params
from packhound.render import Json, workspace_json
from packhound.settings import Settings, read_settings
from packhound.types import NodeRef, Query, Results

SECTION = "packhound"
# A client that promises to tell its settings and does not is not waited for any longer.
SETTINGS_WAIT_S = 1.0

log = logging.getLogger("packhound.lsp")


class Session:
    """One client. Notifications reach it on the reading thread, requests on any."""

    def __init__(self, connection: Connection, client: Client) -> None:
        self.connection = connection
        self.client = client
        self.settings = Settings()
        self.last: tuple[Query, Results] | None = None
        self._refused: dict[str, str] = {}
        self._problems: tuple[str, ...] = ()
        self._layers: dict[str, Mapping[str, object]] = {"options": _section(client.options)}
        self._opened = threading.Event()
        self._opening = threading.Lock()
        self._read_layers()
        self.progress = Progress(connection, lambda: self.workspace.cancel_indexing())
        shown = self.progress if client.shows_progress else None
        self._announcer = Announcer(connection, self.state, shown)
        self.workspace = Workspace(self.settings, lambda _: self._announcer.changed())
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
        with self._opening:
            if not self._opened.is_set():
                for path in self.client.folders:
                    self._add(path)
                self.documents.send_all()
                if not self.client.watches_files:
                    self.workspace.start_polling(self.settings.poll_seconds)
                self._opened.set()
        self._announcer.changed()

    def wait_for_folders(self) -> None:
        """Return when the folders are open; a client that never says so is not waited for."""
        if not self._opened.wait(SETTINGS_WAIT_S):
            self.open_folders()

    def change_folders(self, params: Params) -> None:
        """`workspace/didChangeWorkspaceFolders`."""
        self.open_folders()
        event = params.get("event")
        event = event if isinstance(event, dict) else {}
        for path in _paths(event.get("removed")):
            self._refused.pop(path, None)
            self.workspace.remove(Path(path))
        for path in _paths(event.get("added")):
            self._add(path)
        self.documents.send_all()
        self._announcer.changed()

    def change_settings(self, params: Params) -> None:
        """`workspace/didChangeConfiguration`: asked for where possible, else as sent."""
        if self.client.pulls_settings:
            self.pull_settings()
        else:
            self._layer("sent", _section(params.get("settings")))

    def pull_settings(self) -> None:
        """Ask the client for its settings and use them when they come."""
        self.connection.request(
            "workspace/configuration",
            {"items": [{"section": SECTION}]},
            lambda result, _: self._take_settings(result),
        )

    def state(self) -> Json:
        """The state of all indexes, with what could not be opened."""
        statuses = [engine.status() for engine in self.workspace.engines]
        return workspace_json(statuses, tuple(self._refused.values()))

    def place(self, node: NodeRef) -> Json:
        """Where a node is, in the client's words."""
        path = os.path.join(node.root, *node.path.split("/"))  # noqa: PTH118 - keeps odd names
        source = None
        for engine in self.workspace.engines:
            if str(engine.root) == node.root:
                source = engine.source(node.path)
        return {
            "uri": self.documents.uri_for(path) or uri_of(path),
            "range": range_of(node.span, source, self.client.encoding),
        }

    def close(self) -> None:
        """End the indexes; what they hold is on disk already."""
        self._opened.set()
        self.workspace.close()

    def _add(self, path: str) -> None:
        root = Path(path)
        if any(engine.root == root for engine in self.workspace.engines):
            return
        try:
            self.workspace.add(root)
            self._refused.pop(path, None)
        except PackhoundError as error:
            self._refused[path] = str(error)
            log.warning("%s", error)

    def _take_settings(self, result: object) -> None:
        found = result[0] if isinstance(result, list) and result else None
        self._layer("pulled", found if isinstance(found, dict) else {})
        self.open_folders()

    def _layer(self, name: str, values: Mapping[str, object]) -> None:
        before = self.settings
        self._layers[name] = values
        self._read_layers()
        if self.settings != before:
            self.workspace.configure(self.settings)
            # A folder that was refused may be legal now.
            for path in list(self._refused):
                self._add(path)
            if self.settings.poll_seconds != before.poll_seconds and not self.client.watches_files:
                self.workspace.start_polling(self.settings.poll_seconds)

    def _read_layers(self) -> None:
        settings, every_problem = Settings(), dict[str, None]()
        for values in self._layers.values():
            settings, problems = read_settings(values, settings)
            every_problem.update(dict.fromkeys(problems))
        for problem in every_problem:
            if problem not in self._problems:
                log.warning("%s", problem)
        self.settings, self._problems = settings, tuple(every_problem)

    def _register(self) -> None:
        registrations: list[Json] = []
        if self.client.registers_settings:
            method, options = "workspace/didChangeConfiguration", {"section": SECTION}
            registrations.append({"id": method, "method": method, "registerOptions": options})
        if self.client.watches_files:
            method, watchers = "workspace/didChangeWatchedFiles", [{"globPattern": "**/*"}]
            registrations.append(
                {"id": method, "method": method, "registerOptions": {"watchers": watchers}}
            )
        if registrations:
            self.connection.request(
                "client/registerCapability",
                {"registrations": registrations},
                lambda _, error: self._poll_instead() if error else None,
            )

    def _poll_instead(self) -> None:
        log.warning("the client watches no files; looking at the disk instead")
        self.workspace.start_polling(self.settings.poll_seconds)


def _section(values: object) -> Mapping[str, object]:
    """Our part of a client's settings; some clients wrap it in our name and some do not."""
    if not isinstance(values, dict):
        return {}
    inner = values.get(SECTION)
    return inner if isinstance(inner, dict) else values


def _paths(folders: object) -> list[str]:
    found = [folder_path(folder) for folder in folders] if isinstance(folders, list) else []
    return [path for path in found if path is not None]
