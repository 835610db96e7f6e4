"""Bytes of ten hits as an editor gets them, whole and by field.

python -m benchmarks.answer_size FOLDER ... [--explain] [--save FILE]
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import tempfile
from collections import Counter
from pathlib import Path

from benchmarks.stored import save
from tests.support.lsp_client import LspClient

QUERIES = (
    "where are errors handled",
    "parse the header of a request",
    "default options",
    "how is the response sent to the client",
    "close the connection",
    "test of an empty value",
)
TIMEOUT_S = 300.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--explain", action="store_true", help="ask for the signals of each hit")
    parser.add_argument("--save", type=Path)
    options = parser.parse_args()
    measured = {folder.name: measure(folder, options.explain) for folder in options.folders}
    print(json.dumps(measured, indent=1))
    if options.save:
        save(options.save, measured)


def measure(folder: Path, explain: bool) -> dict:
    """Return the median bytes of the answers with ten hits, and the mean of each field of a hit."""
    with tempfile.TemporaryDirectory() as cache:
        client = LspClient(Path(cache), timeout_s=TIMEOUT_S)
        client.initialize(
            folder.resolve(), processId=os.getpid(), rootUri=folder.resolve().as_uri()
        )
        client.settle()
        params = {"limit": 10, **({"explain": True} if explain else {})}
        answers = [client.request("packhound/search", {"query": q, **params}) for q in QUERIES]
        client.shut_down()
        client.kill()
    hits = [hit for answer in answers for hit in answer["hits"]]
    fields = Counter[str]()
    for hit in hits:
        fields.update({name: _size({name: value}) for name, value in hit.items()})
    return {
        "bytes": statistics.median(_size(a) for a in answers if len(a["hits"]) == 10),
        "fields": {name: round(total / len(hits)) for name, total in fields.most_common()},
    }


def _size(value: object) -> int:
    return len(json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode())


if __name__ == "__main__":
    main()
