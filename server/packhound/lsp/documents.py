"""The documents that the editor has open, and how its notifications change them.

What is here is what the user sees; the engine gets each new text at once and whole. A document
whose edits cannot be followed is forgotten, so that the file on disk counts until the editor sends
the whole text again: an index of a text that nobody has would be worse than an older one.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from pygls.exceptions import JsonRpcInvalidParams

from packhound.core.types import Document
from packhound.lsp.jsonrpc.frames import BODY_BYTES, Params
from packhound.lsp.params import object_in, text_in, uri_in
from packhound.lsp.position import path_of
from packhound.service.engine import Engine
from packhound.service.workspace import Workspace
from packhound.text.text_buffer import Encoding, Position, TextBuffer

log = logging.getLogger("packhound.lsp")


@dataclass(slots=True)
class OpenDocument:
    """One document; `path` is absolute, and None for what is on no disk."""

    uri: str
    path: str | None
    version: int
    buffer: TextBuffer


class Documents:
    """All open documents of one client.

    An edit and its way to the engine are one step, so that no older text arrives after a newer.
    """

    def __init__(self, workspace: Workspace, encoding: Encoding) -> None:
        self._workspace = workspace
        self._encoding: Encoding = encoding
        self._open: dict[str, OpenDocument] = {}
        self._lock = threading.RLock()

    def did_open(self, params: Params) -> None:
        """A document is shown, or shown again."""
        item = object_in(params, "textDocument") or {}
        self._put(text_in(item, "uri"), _version(item), text_in(item, "text", BODY_BYTES))

    def did_change(self, params: Params) -> None:
        """The user typed; the changes apply one after the other."""
        with self._lock:
            self._change(params)

    def did_save(self, params: Params) -> None:
        """The disk now has a new text too."""
        self.did_touch((uri_in(params),))

    def did_close(self, params: Params) -> None:
        """The file on disk counts again."""
        with self._lock:
            document = self._open.pop(_key(uri_in(params)), None)
            if document and (place := self._place(document)):
                engine, path = place
                engine.release(path)

    def did_touch(self, uris: tuple[str, ...]) -> None:
        """Files or folders on disk were created, changed or deleted."""
        for engine in self._workspace.engines:
            if paths := self._paths_in(engine, uris):
                engine.refresh(paths)

    def send_all(self) -> None:
        """Give every open text to the engines again, for folders that have just been added."""
        with self._lock:
            for document in self._open.values():
                self._send(document)

    def uri_for(self, path: str) -> str | None:
        """The URI that the client itself uses for a path, if the document is open."""
        document = self._open.get(path)
        return document.uri if document else None

    def paths_in(self, engine: Engine) -> list[str]:
        """The paths of the open documents that an engine has."""
        with self._lock:
            places = [self._place(document) for document in self._open.values()]
        return [place[1] for place in places if place and place[0] is engine]

    def _change(self, params: Params) -> None:
        uri, version = uri_in(params), _version(object_in(params, "textDocument") or {})
        changes = params.get("contentChanges")
        document = self._open.get(_key(uri))
        if document is None:
            self._open_by_change(uri, version, changes)
            return
        if version <= document.version:
            # Messages cannot overtake each other, so the edits still belong to this text.
            log.warning("%s went from version %d to %d", uri, document.version, version)
        try:
            _apply(document.buffer, changes)
        except JsonRpcInvalidParams:
            self.did_close(params)
            raise
        document.version = version
        self._send(document)

    def _put(self, uri: str, version: int, text: str) -> None:
        document = OpenDocument(uri, path_of(uri), version, TextBuffer(text, self._encoding))
        with self._lock:
            self._open[_key(uri)] = document
            self._send(document)

    def _open_by_change(self, uri: str, version: int, changes: object) -> None:
        whole = changes[-1] if isinstance(changes, list) and changes else None
        if not isinstance(whole, dict) or whole.get("range") is not None:
            log.warning("%s was changed but never opened", uri)
            return
        self._put(uri, version, text_in(whole, "text", BODY_BYTES))

    def _send(self, document: OpenDocument) -> None:
        if place := self._place(document):
            engine, path = place
            engine.update(Document(path, document.buffer.source))

    def _place(self, document: OpenDocument) -> tuple[Engine, str] | None:
        return self._workspace.locate(Path(document.path)) if document.path else None

    def _paths_in(self, engine: Engine, uris: tuple[str, ...]) -> list[str]:
        found = [path_of(uri) for uri in uris]
        places = [self._workspace.locate(Path(path)) for path in found if path]
        return [place[1] for place in places if place and place[0] is engine]


def _key(uri: str) -> str:
    # Clients spell the same file in more than one way.
    return path_of(uri) or uri


def _version(item: Mapping[str, object]) -> int:
    version = item.get("version")
    return version if isinstance(version, int) else 0


def _apply(buffer: TextBuffer, changes: object) -> None:
    if not isinstance(changes, list):
        raise JsonRpcInvalidParams("'contentChanges' is no list")
    for change in changes:
        if not isinstance(change, dict):
            raise JsonRpcInvalidParams("'contentChanges' holds something that is no object")
        text = text_in(change, "text", BODY_BYTES)
        span = object_in(change, "range")
        if span is None:
            buffer.replace_all(text)
        else:
            buffer.edit(_position(span, "start"), _position(span, "end"), text)


def _position(span: Params, name: str) -> Position:
    position = object_in(span, name) or {}
    line, character = position.get("line"), position.get("character")
    if not isinstance(line, int) or not isinstance(character, int):
        raise JsonRpcInvalidParams(f"'{name}' of a range is {position!r:.80}")
    return line, character
