"""A language server that takes seconds for each answer: run as `slow_server.py SECONDS LOG`.

LOG gets one line per request, `METHOD QUERY`, and one `cancel` per cancellation.
"""

from __future__ import annotations

import json
import sys
import threading
from pathlib import Path

DELAY_S, LOG = float(sys.argv[1]), Path(sys.argv[2])
LOCK = threading.Lock()
HIT = {
    "rank": 1, "score": 1.0, "path": "courier/retry.py", "start_line": 1, "end_line": 2,
    "kind": "function", "qualname": "slow", "why": [],
}  # fmt: skip


def send(message: dict) -> None:
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    with LOCK:
        sys.stdout.buffer.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
        sys.stdout.buffer.flush()


def log(line: str) -> None:
    with LOCK, LOG.open("a", encoding="utf-8") as file:
        file.write(line + "\n")


def result_of(method: str, params: dict) -> object:
    edge = {"line": 0, "character": 0}
    span = {"start": edge, "end": edge}
    root = Path.cwd().as_uri()
    hit = {**HIT, "name": params.get("query", ""), "uri": f"{root}/courier/retry.py"}
    hit |= {"range": span, "selectionRange": span, "qualname": params.get("query", "related")}
    results = {"query": params.get("query", ""), "hits": [hit], "notes": []}
    return {
        "packhound/explain": {"query": "x", "hit": None, "markdown": "slowly explained"},
        "packhound/pack": {
            "tokens": 1, "budget": 2, "notes": [], "items": [], "omitted": [], "text": "slow text",
        },
        "packhound/status": {
            "state": "ready", "nodes": 1, "files": 1, "generation": 1, "pending": 0,
        },
    }.get(method, results)  # fmt: skip


def main() -> None:
    stream, waiting = sys.stdin.buffer, {}
    while header := stream.readline():
        length = int(header.partition(b":")[2])
        while stream.readline().strip():
            pass
        message = json.loads(stream.read(length))
        method, params = message.get("method", ""), message.get("params") or {}
        if method == "exit":
            break
        if method == "initialize":
            send({"id": message["id"], "result": {"capabilities": {"positionEncoding": "utf-16"}}})
        elif method == "shutdown":
            send({"id": message["id"], "result": None})
        elif method == "$/cancelRequest":
            log("cancel")
            if timer := waiting.pop(params["id"], None):
                timer.cancel()
                error = {"code": -32800, "message": "cancelled"}
                send({"id": params["id"], "error": error})
        elif "id" in message:
            log(f"{method} {params.get('query', '')}".strip())
            answer = {"id": message["id"], "result": result_of(method, params)}
            timer = waiting[message["id"]] = threading.Timer(DELAY_S, send, [answer])
            timer.daemon = True
            timer.start()


main()
