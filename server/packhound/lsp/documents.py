"""The open documents of a client, and how its notifications change them.

The engine gets each new text at once and whole. A document whose edits cannot be applied is
dropped, so that the file on disk counts until the editor sends the whole text again: an index of a
text that nobody has would be worse than an older one.
"""

from __future__ import annotations

import itertools
import logging
import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias
from urllib.parse import unquote

from pygls.exceptions import JsonRpcInvalidParams

from packhound.core.types import Document
from packhound.lsp.buffers import Buffer, change_buffer, open_buffer
from packhound.lsp.notebooks import NotebookBuffer
from packhound.lsp.params import line_in, object_in, text_in, uri_in
from packhound.lsp.uris import path_from_uri
from packhound.rpc import BODY_BYTES, Params
from packhound.service import Engine, Workspace
from packhound.text import Encoding, TextBuffer

EnginePath: TypeAlias = tuple[Engine, str]
"""The engine whose folder holds a file, and the file's path in that folder."""
UNTITLED = "untitled:"
"""Scheme of the URIs of documents that were never saved."""

log = logging.getLogger("packhound.lsp")


@dataclass(slots=True)
class OpenDocument:
    """One document; `path` is absolute, None for what is not on disk.

    `engine_path` is None outside the indexed folders. It is looked up when the document is opened
    or folders change, not at every keystroke: the look-up asks the file system for links.
    """

    uri: str
    path: str | None
    version: int
    buffer: Buffer
    engine_path: EnginePath | None
    language: str | None = None
    """The client's name for the language, which counts where the path does not say it."""


class Documents:
    """All open documents of one client, by URI; the one that was changed last is the last.

    An edit and its hand-over to the engine are one step under the lock, so that no older text
    arrives after a newer one.
    """

    def __init__(
        self,
        workspace: Workspace,
        encoding: Encoding,
        on_unplaced: Callable[[], None] = lambda: None,
    ) -> None:
        """Call `on_unplaced` when a document is opened outside all folders, or one such closed."""
        self._workspace = workspace
        self._encoding: Encoding = encoding
        self._on_unplaced = on_unplaced
        self._open: dict[str, OpenDocument] = {}
        self._lock = threading.RLock()
        self.memory: Engine | None = None
        """The engine of documents that are in no folder, if there are any."""

    @property
    def latest(self) -> EnginePath | None:
        """Engine and path of the document that was opened or changed last."""
        with self._lock:
            return next((d.engine_path for d in reversed(self._open.values())), None)

    def did_open(self, params: Params) -> None:
        """Add a document or notebook, or replace the text of one that is open."""
        item, language = _item(params), _item(params).get("languageId")
        document = self._put(uri_in(params), _version(item), open_buffer(params, self._encoding))
        document.language = language if isinstance(language, str) else None
        if document.engine_path is None and _may_be_searched(document):
            self._on_unplaced()

    def did_change(self, params: Params) -> None:
        """Apply edits, one after the other."""
        with self._lock:
            self._change(params)

    def did_save(self, params: Params) -> None:
        """Refresh the file, for it has changed on disk, and record what its edits came of."""
        self.did_change_files((uri_in(params),))
        if location := self.locate(uri_in(params)):
            engine, path = location
            engine.sources.episodes.record_save(path)

    def did_close(self, params: Params) -> None:
        """Drop a document; the file on disk counts again unless it is open under another URI."""
        with self._lock:
            document = self._find(uri_in(params))
            if document is None:
                return
            del self._open[document.uri]
            if document.engine_path is None:
                return
            aliases = [d for d in self._open.values() if d.engine_path == document.engine_path]
            if aliases:
                self._send(aliases[-1])
            else:
                engine, path = document.engine_path
                engine.release(path, self)
                if engine is self.memory:
                    self._on_unplaced()

    def did_change_files(self, uris: tuple[str, ...]) -> None:
        """Refresh files or folders that were created, changed or deleted on disk."""
        located = [self._look_up(path_from_uri(uri)) for uri in uris]
        for engine in self._workspace.engines:
            if paths := _paths_of(engine, located):
                engine.refresh(paths)

    def relocate_all(self) -> None:
        """Look all documents up again and send their texts: folders were added or removed."""
        with self._lock:
            for document in self._open.values():
                self._place(document, self._look_up(document.path))

    def outside_folders(self) -> list[tuple[str, str | None]]:
        """Return URI and path of each open document that is in no folder, but could be searched."""
        with self._lock:
            documents = [d for d in self._open.values() if d.engine_path is None]
        return [(d.uri, d.path) for d in documents if _may_be_searched(d)]

    def keep_in_memory(self, uri: str) -> None:
        """Let `memory` hold a document, if it is open, under a name of its own."""
        with self._lock:
            document = self._open.get(uri)
            if document and self.memory:
                self._place(document, (self.memory, self._free_name(self.memory, document)))

    def close(self) -> None:
        """Drop all documents: others may go on with their engines."""
        with self._lock:
            for document in self._open.values():
                if document.engine_path:
                    engine, path = document.engine_path
                    engine.release(path, self)
            self._open.clear()

    def locate(self, uri: str) -> EnginePath | None:
        """Return the engine and path of a document, open or not, or of the notebook of a cell."""
        with self._lock:
            document = self._open.get(uri) or self._notebook_of(uri)
        return document.engine_path if document else self._look_up(path_from_uri(uri))

    def line_in_text(self, uri: str, line: int) -> int:
        """Return the line of a document's text; one of a cell is moved to that of its notebook."""
        with self._lock:
            notebook = self._notebook_of(uri)
            if notebook and isinstance(notebook.buffer, NotebookBuffer):
                return notebook.buffer.first_line(uri) + line
        return line

    def line_in(self, params: Params) -> int:
        """Return the line of a request's position in the text of its document."""
        return self.line_in_text(uri_in(params), line_in(params))

    def is_cell(self, uri: str) -> bool:
        """Return True for the URI of a cell of an open notebook."""
        with self._lock:
            return self._notebook_of(uri) is not None

    def cells_of(self, root: str, path: str) -> tuple[str, ...]:
        """Return the URIs of the cells of a path in a folder; () unless it is an open notebook."""
        with self._lock:
            for document in self._open.values():
                if isinstance(document.buffer, NotebookBuffer) and document.engine_path:
                    engine, engine_path = document.engine_path
                    if engine_path == path and str(engine.root) == root:
                        return document.buffer.uris
        return ()

    def uri_for(self, root: str, path: str) -> str | None:
        """Return the URI that the client itself uses for a path in a folder, if it is open."""
        with self._lock:
            located = [(d.engine_path, d.uri) for d in self._open.values() if d.engine_path]
        return next((u for (e, p), u in located if p == path and str(e.root) == root), None)

    def text_of(self, engine: Engine, path: str) -> OpenDocument | None:
        """Return the open document, other than a notebook, of a path in a folder."""
        with self._lock:
            for document in self._open.values():
                if document.engine_path == (engine, path):
                    return document if isinstance(document.buffer, TextBuffer) else None
        return None

    def paths_in(self, engine: Engine) -> list[str]:
        """Return the paths of the open documents of an engine, each once."""
        with self._lock:
            located = [document.engine_path for document in self._open.values()]
        return list(dict.fromkeys(_paths_of(engine, located)))

    def _change(self, params: Params) -> None:
        uri, version = uri_in(params), _version(_item(params))
        document = self._find(uri)
        if document is None:
            self._open_by_change(uri, version, params.get("contentChanges"))
            return
        if version <= document.version:
            # Messages cannot overtake each other, so the edits still belong to this text.
            log.warning("%s went from version %d to %d", uri, document.version, version)
        try:
            change_buffer(document.buffer, params)
        except JsonRpcInvalidParams:
            self.did_close(params)
            raise
        document.version = version
        self._open[document.uri] = self._open.pop(document.uri)
        self._send(document)

    def _put(self, uri: str, version: int, buffer: Buffer) -> OpenDocument:
        path = path_from_uri(uri)
        with self._lock:
            document = OpenDocument(uri, path, version, buffer, self._look_up(path))
            self._open.pop(uri, None)
            self._open[uri] = document
            self._send(document)
        return document

    def _open_by_change(self, uri: str, version: int, changes: object) -> None:
        change = changes[-1] if isinstance(changes, list) and changes else None
        if not isinstance(change, dict) or change.get("range") is not None:
            log.warning("%s was changed but never opened", uri)
            return
        self._put(uri, version, TextBuffer(text_in(change, "text", BODY_BYTES), self._encoding))

    def _find(self, uri: str) -> OpenDocument | None:
        """Return an open document; by its path if the client spells its URI in another way now."""
        if uri in self._open:
            return self._open[uri]
        path = path_from_uri(uri)
        return next((d for d in self._open.values() if path and d.path == path), None)

    def _notebook_of(self, uri: str) -> OpenDocument | None:
        for document in self._open.values():
            if isinstance(document.buffer, NotebookBuffer) and uri in document.buffer.uris:
                return document
        return None

    def _send(self, document: OpenDocument) -> None:
        if document.engine_path:
            engine, path = document.engine_path
            # A file's language is that of its path, in the editor as on disk.
            language = document.language if engine is self.memory else None
            engine.update(Document(path, document.buffer.source, language), self)

    def _place(self, document: OpenDocument, located: EnginePath | None) -> None:
        before = document.engine_path
        if located is None and before and before[0] is self.memory:
            located = before
        document.engine_path = located
        if before and before != located:
            before[0].release(before[1], self)
        self._send(document)

    def _free_name(self, engine: Engine, document: OpenDocument) -> str:
        path = document.path or unquote(document.uri.removeprefix(UNTITLED))
        name, names = Path(path).name or "untitled", self.paths_in(engine)
        others = (f"{n}/{name}" for n in itertools.count(2))
        return next(free for free in itertools.chain([name], others) if free not in names)

    def _look_up(self, path: str | None) -> EnginePath | None:
        return self._workspace.locate(Path(path)) if path else None


def _paths_of(engine: Engine, located: Iterable[EnginePath | None]) -> list[str]:
    return [entry[1] for entry in located if entry and entry[0] is engine]


def _may_be_searched(document: OpenDocument) -> bool:
    """Return False for what editors show that is no text of the user's, such as logs and diffs."""
    return document.path is not None or document.uri.startswith(UNTITLED)


def _item(params: Params) -> Params:
    """Return the document or notebook that a notification is about."""
    return object_in(params, "notebookDocument") or object_in(params, "textDocument") or {}


def _version(item: Mapping[str, object]) -> int:
    version = item.get("version")
    return version if isinstance(version, int) else 0
