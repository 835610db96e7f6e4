"""Draw uses of definitions from a repository, for a language service or a reader to judge.

    python -m benchmarks.edges.sample REPOSITORY --out EDGES.json [--most 400]

At most three uses of a node, of nodes in random order (seed 1). `grade` says how sure each is;
`column` is a 0-based character, lines are 1-based.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import subprocess
from pathlib import Path

import numpy as np

from packhound.core.types import Document
from packhound.graph import CallGraph, Graph, Use
from packhound.index import FileEntry
from packhound.parsing.languages import language_of
from packhound.parsing.node_codec import encode_nodes
from packhound.parsing.parse import parse

_MAX_BYTES = 400_000
_MAX_PER_NODE = 3


def read_files(root: Path) -> tuple[dict[str, FileEntry], dict[str, bytes]]:
    """Return the parsed files of a repository that have a grammar, and their texts."""
    listing = subprocess.run(["git", "ls-files", "-z"], cwd=root, capture_output=True, check=True)
    files, texts, n = {}, {}, 0
    for name in sorted(listing.stdout.decode().split("\0")):
        if language_of(name) in (None, "markdown") or not (root / name).is_file():
            continue
        source = (root / name).read_bytes()
        if len(source) > _MAX_BYTES:
            continue
        parsed = parse(Document(name, source))
        ids = np.arange(n, n + len(parsed.nodes), dtype=np.int32)
        record, n = encode_nodes(parsed.nodes, parsed.captured), n + len(ids)
        files[name] = FileEntry(
            name, parsed.language, b"", None, 0, ids, parsed.imports, None, b"", record
        )
        texts[name] = source
    return files, texts


def row_of(
    files: dict[str, FileEntry],
    texts: dict[str, bytes],
    graph: Graph,
    path: str,
    user: str,
    use: Use,
) -> dict[str, object]:
    """Return one edge with the text of its line."""
    target, position = graph.location(use.node_id) or ("", 0)
    node = files[target].node(position)
    line = texts[path].split(b"\n")[use.line].decode("utf-8", "replace")
    match = re.search(rf"\b{re.escape(node.name)}\b", line)
    return {
        "path": path,
        "line": use.line + 1,
        "column": match.start() if match else 0,
        "user": user,
        "text": line.strip()[:150],
        "target": target,
        "start": node.span.start_line + 1,
        "end": node.span.end_line + 1,
        "qualname": node.qualname,
        "kind": node.kind,
        "signature": node.signature[:120],
        "grade": str(use.grade),
    }


def main() -> None:
    """Write a sample."""
    parser = argparse.ArgumentParser()
    parser.add_argument("repository", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--most", type=int, default=400)
    options = parser.parse_args()
    files, texts = read_files(options.repository)
    graph, rng = Graph(), random.Random(1)
    graph.update(files)
    calls = CallGraph(graph, texts.get)
    nodes = [(path, i) for path, file in files.items() for i in range(len(file.node_ids))]
    rng.shuffle(nodes)
    rows: list[dict[str, object]] = []
    for path, i in nodes:
        uses = list(calls.uses(int(files[path].node_ids[i])))
        rng.shuffle(uses)
        user = files[path].node(i).qualname
        rows += [row_of(files, texts, graph, path, user, use) for use in uses[:_MAX_PER_NODE]]
        if len(rows) >= options.most:
            break
    options.out.write_text(json.dumps(rows, indent=1) + "\n")
    n_sure = sum(row["grade"] == "resolved" for row in rows)
    print(f"{len(rows)} edges, {n_sure} of them resolved")


if __name__ == "__main__":
    main()
