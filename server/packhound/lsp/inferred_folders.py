"""Folders for documents that are in none that the client named.

Where the client names no folder, a file's project is followed. Of files without a project, and of
documents that are not on disk, the text is searched as long as they are open, and never saved.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from pathlib import Path

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from packhound.core.errors import PackhoundError
from packhound.core.private_file import make_private_folder
from packhound.core.user_folders import cache_folder
from packhound.lsp.documents import Documents
from packhound.lsp.project_root import find_project
from packhound.service import Engine, Workspace, real_path

log = logging.getLogger("packhound.lsp")


class InferredFolders:
    """Used on the thread that opens folders; the user is told of each."""

    def __init__(self, workspace: Workspace, documents: Documents, server: LanguageServer) -> None:
        self._workspace, self._documents, self._server = workspace, documents, server
        self._projects: dict[Path, Engine] = {}
        self._refused: set[Path] = set()
        self._has_announced_open_files = False

    def leave_to_client(self, folders: Sequence[str]) -> None:
        """Drop the projects that are, hold or are inside a folder that the client has named."""
        for folder in map(real_path, map(Path, folders)):
            for root in tuple(self._projects):
                if root.is_relative_to(folder) or folder.is_relative_to(root):
                    engine = self._projects.pop(root)
                    if root != folder:
                        self._workspace.remove(engine.root)

    def update(self) -> None:
        """Find a folder for each open document that is in none; drop what is not needed."""
        outside = self._documents.outside_folders()
        others = [engine for engine in self._workspace.engines if not self._is_ours(engine)]
        paths = () if others else [Path(path) for _, path in outside if path]
        if any([self._follow_project(path) for path in paths]):
            self._documents.relocate_all()
            outside = self._documents.outside_folders()
        # A file outside the client's folders is not theirs: a library, for the most part.
        uris = [uri for uri, path in outside if path is None or not others]
        if uris:
            self._keep_in_memory(uris)
        if any(path for uri, path in outside if uri in uris):
            self._announce_open_files()
        memory = self._documents.memory
        if memory and not self._documents.paths_in(memory):
            self._documents.memory = None
            self._workspace.remove(memory.root)

    def _is_ours(self, engine: Engine) -> bool:
        return engine.root in self._projects or engine is self._documents.memory

    def _follow_project(self, path: Path) -> bool:
        project = find_project(real_path(path))
        if project is None or project[0] in self._projects or project[0] in self._refused:
            return False
        root, marker = project
        try:
            self._projects[root] = self._workspace.add(root)
        except (PackhoundError, OSError, RuntimeError) as problem:
            self._refused.add(root)
            log.warning("%s", problem)
            return False
        self._announce(
            f"No folder is open, so Packhound searches that of {path.name}: {root} (by {marker})"
        )
        return True

    def _keep_in_memory(self, uris: Sequence[str]) -> None:
        try:
            if self._documents.memory is None:
                empty_folder = cache_folder() / "open files"
                make_private_folder(empty_folder)
                self._documents.memory = self._workspace.add_in_memory(empty_folder)
        except (PackhoundError, OSError, RuntimeError) as problem:
            log.warning("documents outside all folders are not searched: %s", problem)
            return
        for uri in uris:
            self._documents.keep_in_memory(uri)

    def _announce(self, message: str) -> None:
        log.info("%s", message)
        self._server.window_show_message(types.ShowMessageParams(types.MessageType.Info, message))

    def _announce_open_files(self) -> None:
        if not self._has_announced_open_files:
            self._has_announced_open_files = True
            self._announce(
                "No folder is open and no .git or manifest is above this file, so Packhound "
                "searches open files alone"
            )
