"""From a didChange to a search that contains it, over a real server's standard input and output."""

from __future__ import annotations

import os
import time
from pathlib import Path

from tests.support.lsp_client import LspClient

_FIRST_KEY_S = 0.2
"""Between opening a file and the first key; nobody types sooner."""
TIMEOUT_S = 900.0
"""For one request: the first waits until a large folder is indexed."""


def edit_to_search_ms(folder: Path, edits: int, environment: dict[str, str]) -> list[float]:
    """Milliseconds of each of `edits` one-line edits, spread over the files of `folder`.

    The clock starts before didChange is written and stops when a search answers with the edit.
    """
    cache = Path(environment["PACKHOUND_CACHE_DIR"])
    client = LspClient(cache, environment=environment, timeout_s=TIMEOUT_S)
    root = folder.resolve()
    client.initialize(root, processId=os.getpid(), rootUri=root.as_uri())
    client.settle()
    files = sorted(p for p in root.rglob("*") if p.suffix in (".py", ".rs", ".ts") and p.is_file())
    latencies = []
    for number in range(edits):
        path = files[number * len(files) // edits]
        text = path.read_text("utf-8", "replace")
        document = client.open_document(path, text)
        client.request("packhound/search", {"query": "settle", "limit": 1})
        time.sleep(_FIRST_KEY_S)
        word = f"packhoundprobe{'abcdefghij'[number % 10]}{'klmnopqrst'[number // 10 % 10]}"
        mark = "#" if path.suffix == ".py" else "//"
        line = text.count("\n") + 1  # Below everything, licences included.
        started_at = time.perf_counter()
        client.change_document(document, 2, (line, 0, 0, f"{mark} {word}\n"))
        results = client.request("packhound/search", {"query": word, "limit": 3})
        latencies.append((time.perf_counter() - started_at) * 1e3)
        if not results["hits"] or results["hits"][0]["path"] != path.relative_to(root).as_posix():
            raise SystemExit(f"the edit of {path.relative_to(root)} is not first: {results}")
        client.close_document(document)
    client.shut_down()
    client.kill()
    return latencies
