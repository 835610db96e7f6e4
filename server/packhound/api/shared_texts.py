"""Unsaved texts of a folder that another process serves: sent there, so that its answers see them.

An editor's window has folders that agents or another editor opened first. It answers from its own
index; who asks the process that serves the folder is answered from that one's. The session `TEXTS`
is a line of JSON for each text, `{"path", "text", "language"}`, where a `text` of null means that
the file on disk counts again, as all do once the session ends.
"""

from __future__ import annotations

import json
import logging
import select
import socket
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from packhound.core.errors import PackhoundError
from packhound.core.types import Document
from packhound.relay import Connection
from packhound.service import Engine, EnginePool

log = logging.getLogger("packhound")

TEXTS = "texts"
"""Name of such sessions on the socket of a folder."""
_RETRY_S = 0.2
_POLL_S = 0.5
"""Time within which the end of the other process is noticed."""


class TextSender:
    """Sends the open texts of an engine to the process that serves its folder.

    Its thread starts with the first text, and ends when `take_over` returns True: the other process
    has ended, and this one serves the folder.
    """

    def __init__(self, engine: Engine, take_over: Callable[[], bool]) -> None:
        self._engine = engine
        self._take_over = take_over
        self._changed = threading.Condition()
        self._open: dict[str, Document] = {}
        self._unsent: dict[str, Document | None] = {}
        self._thread: threading.Thread | None = None
        self._closed = False
        engine.texts.share(self._put)

    def close(self) -> None:
        """Send no more; the other process forgets what it has."""
        self._engine.texts.share(None)
        with self._changed:
            self._closed = True
            self._changed.notify()

    def _put(self, path: str, document: Document | None) -> None:
        with self._changed:
            self._unsent[path] = document
            if document:
                self._open[path] = document
            else:
                self._open.pop(path, None)
            if self._thread is None:
                self._thread = threading.Thread(
                    target=self._run, name="packhound-texts", daemon=True
                )
                self._thread.start()
            self._changed.notify()

    def _run(self) -> None:
        while not self._closed and not self._take_over():
            connection = None
            try:
                connection = Connection.open(self._engine.folder)
                if connection:
                    root = str(self._engine.root)
                    self._send_to(connection.begin_session(TEXTS, {"root": root}))
            except (PackhoundError, OSError) as problem:
                log.info("unsaved text of %s is not shared: %s", self._engine.root, problem)
            finally:
                if connection:
                    connection.close()
            with self._changed:
                self._changed.wait_for(lambda: self._closed, _RETRY_S)

    def _send_to(self, server: socket.socket) -> None:
        """Send all open texts, then each change, until the server hangs up."""
        with self._changed:
            self._unsent = {**self._open}
        while not self._closed:
            with self._changed:
                self._changed.wait_for(lambda: self._closed or bool(self._unsent), _POLL_S)
                unsent, self._unsent = self._unsent, {}
            for path, document in unsent.items():
                server.sendall(_line(path, document))
            # It never writes, so what can be read is its end.
            if select.select([server], [], [], 0)[0]:
                return


class TextSessions:
    """Sessions of other processes that have texts of a folder open."""

    def __init__(self, pool: EnginePool) -> None:
        self._pool = pool

    def __call__(self, connection: socket.socket, /, arguments: Mapping[str, Any]) -> None:
        """Take texts until the stream ends."""
        # Not followed: the engine is closed when nobody else needs it, and the sender serves then.
        engine = self._pool.get(Path(str(arguments["root"])))
        if engine is None:
            return
        paths, editor = set[str](), object()
        try:
            with connection.makefile("rb") as lines:
                for line in lines:
                    path, document = _text_in(line)
                    if document:
                        paths.add(path)
                        engine.texts.update(document, editor)
                    else:
                        paths.discard(path)
                        engine.release(path, editor)
        except (OSError, ValueError, LookupError, TypeError) as problem:
            log.info("a process that shared its texts has gone: %s", problem)
        finally:
            for path in paths:
                engine.release(path, editor)


def _line(path: str, document: Document | None) -> bytes:
    text = document.source.decode("utf-8", "surrogatepass") if document else None
    language = document.language if document else None
    return json.dumps({"path": path, "text": text, "language": language}).encode() + b"\n"


def _text_in(line: bytes) -> tuple[str, Document | None]:
    values = json.loads(line)
    path, text, language = str(values["path"]), values["text"], values["language"]
    if text is None:
        return path, None
    return path, Document(path, str(text).encode("utf-8", "surrogatepass"), language)
