"""A server's conversation with its editor, with the time of each search written to a file.

    python -m benchmarks.editors.timed_server TIMES PROGRAM ARGUMENT...

Runs the program and passes on what both sides say. TIMES gets a line of JSON for each answered
search: seconds since the epoch at which the request came in and the answer went out.
"""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

SEARCH = "packhound/search"


def main() -> None:
    """Pass messages on until the editor or the server ends."""
    times, *command = sys.argv[1:]
    server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert server.stdin
    assert server.stdout
    asked: dict[object, float] = {}
    threading.Thread(target=_ask, args=(server.stdin, asked), daemon=True).start()
    with Path(times).open("a", buffering=1, encoding="utf-8") as file:
        for body in _messages(server.stdout, sys.stdout.buffer):
            message = json.loads(body)
            came = asked.pop(message.get("id"), None) if "method" not in message else None
            if came is not None and "result" in message:
                file.write(json.dumps([came, time.time()]) + "\n")


def _ask(stdin: BinaryIO, asked: dict[object, float]) -> None:
    for body in _messages(sys.stdin.buffer, stdin):
        message = json.loads(body)
        if message.get("method") == SEARCH and not message["params"].get("deep"):
            asked[message["id"]] = time.time()
    stdin.close()


def _messages(source: BinaryIO, target: BinaryIO) -> Iterator[bytes]:
    """Yield the messages of a stream, each before it is passed on."""
    while header := source.readline():
        head = header
        length = 0
        while header.strip():
            name, _, value = header.partition(b":")
            length = int(value) if name.lower() == b"content-length" else length
            header = source.readline()
            head += header
        body = source.read(length)
        yield body
        target.write(head + body)
        target.flush()


if __name__ == "__main__":
    main()
