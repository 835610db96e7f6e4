"""Open texts of a folder that several processes have an index of, so that the answers of all agree.

An editor's window has folders that agents or another editor opened first. It answers from its own
index; who asks the process that serves the folder is answered from that one's. The session `TEXTS`
brings each the texts of the other. It is a line of JSON for each text, both ways, `{"path", "text",
"language", "since"}`, where a `text` of null means that nobody there has it open any more; all of
them end with the session. The client begins with an empty line.
"""

from __future__ import annotations

import json
import logging
import socket
import threading
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from packhound.core.errors import PackhoundError
from packhound.core.types import Document
from packhound.relay import Connection
from packhound.service import Engine, EnginePool, OpenText

log = logging.getLogger("packhound")

TEXTS = "texts"
"""Name of such sessions on the socket of a folder."""
_RETRY_S = 0.2


class TextSharing:
    """The client's end: a thread that joins whoever serves the folder of an engine.

    It ends when `take_over` returns True: the other process has ended, and this one serves.
    """

    def __init__(self, engine: Engine, take_over: Callable[[], bool]) -> None:
        self._engine = engine
        self._take_over = take_over
        self._closed = threading.Event()
        self._server: socket.socket | None = None
        threading.Thread(target=self._run, name="packhound-texts", daemon=True).start()

    def close(self) -> None:
        """Share no more; each process forgets what it has of the other."""
        self._closed.set()
        if self._server:
            _hang_up(self._server)

    def _run(self) -> None:
        while not self._closed.is_set() and not self._take_over():
            try:
                self._join()
            except (PackhoundError, OSError) as problem:
                log.info("unsaved text of %s is not shared: %s", self._engine.root, problem)
            self._closed.wait(_RETRY_S)

    def _join(self) -> None:
        """Share texts until either process ends that. Raises PackhoundError or OSError."""
        connection = Connection.open(self._engine.folder)
        if connection is None:
            return
        try:
            root = str(self._engine.root)
            self._server = server = connection.begin_session(TEXTS, {"root": root})
            if not self._closed.is_set():
                server.sendall(b"\n")
                _Exchange(self._engine, server).run()
        finally:
            self._server = None
            connection.close()


class TextSessions:
    """Sessions of other processes that have an index of a folder too."""

    def __init__(self, pool: EnginePool) -> None:
        self._pool = pool

    def __call__(self, connection: socket.socket, /, arguments: Mapping[str, Any]) -> None:
        """Share texts until the stream ends."""
        # Not followed: the engine is closed when nobody else needs it, and the client serves then.
        engine = self._pool.get(Path(str(arguments["root"])))
        # What is sent before the client's line could be lost in the buffer of its connection.
        if engine and connection.recv(1):
            _Exchange(engine, connection).run()


class _Exchange:
    """The texts of two processes; those of the other one are an editor's like any other."""

    def __init__(self, engine: Engine, connection: socket.socket) -> None:
        self._texts = engine.texts
        self._connection = connection
        self._changed = threading.Condition()
        self._unsent: dict[str, OpenText | None] = {}
        self._has_ended = False

    def run(self) -> None:
        """Send and receive texts until the connection ends."""
        writer = threading.Thread(target=self._send, name="packhound-send-texts", daemon=True)
        writer.start()
        self._texts.share(self, self._put)
        try:
            with self._connection.makefile("rb") as lines:
                self._receive(lines)
        except (OSError, ValueError, LookupError, TypeError) as problem:
            log.info("a process that shared its texts has gone: %s", problem)
        finally:
            self._texts.share(self, None)
            _hang_up(self._connection)
            with self._changed:
                self._has_ended = True
                self._changed.notify()
            writer.join()

    def _receive(self, lines: Iterable[bytes]) -> None:
        paths = set[str]()
        try:
            for line in lines:
                path, text = _text_in(line)
                if text:
                    paths.add(path)
                    self._texts.update(text.document, self, text.since_ns)
                else:
                    paths.discard(path)
                    self._texts.release(path, self)
        finally:
            for path in paths:
                self._texts.release(path, self)

    def _put(self, path: str, text: OpenText | None) -> None:
        with self._changed:
            self._unsent[path] = text
            self._changed.notify()

    def _send(self) -> None:
        """Send the newest text of each path, in the order in which they changed."""
        with suppress(OSError):
            while True:
                with self._changed:
                    self._changed.wait_for(lambda: self._unsent or self._has_ended)
                    unsent, self._unsent = self._unsent, {}
                    if self._has_ended:
                        return
                for path, text in unsent.items():
                    self._connection.sendall(_line(path, text))
        _hang_up(self._connection)


def _hang_up(connection: socket.socket) -> None:
    """End a connection, which wakes the thread that reads from it."""
    with suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)


def _line(path: str, text: OpenText | None) -> bytes:
    if text is None:
        values: dict[str, object] = {"path": path, "text": None}
    else:
        document, since_ns = text
        source = document.source.decode("utf-8", "surrogatepass")
        values = {"path": path, "text": source, "language": document.language, "since": since_ns}
    return json.dumps(values).encode() + b"\n"


def _text_in(line: bytes) -> tuple[str, OpenText | None]:
    values = json.loads(line)
    path, text = str(values["path"]), values["text"]
    if text is None:
        return path, None
    document = Document(path, str(text).encode("utf-8", "surrogatepass"), values["language"])
    return path, OpenText(document, int(values["since"]))
