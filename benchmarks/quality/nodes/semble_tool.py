"""semble 0.7.0 as a search tool: `semble_tool.py QUERY ROOT [MODEL [ALPHA]]` prints JSON.

    python -m benchmarks.quality.nodes.score_tool SUITE --corpora DIR -- \
        PYTHON semble_tool.py {query} {root}

PYTHON has semble. MODEL is the folder of its Model2Vec model where that cannot be downloaded, ALPHA
the share of meaning: 0 for words alone, for which a model of any numbers will do, such as that of
`benchmarks/peer_semble.py model FOLDER`.
"""

from __future__ import annotations

import json
import sys

from semble import SembleIndex
from semble.cache import save_index_to_cache

LIMIT = 20


def main() -> None:
    query, root, *rest = sys.argv[1:]
    index = SembleIndex.from_path(root, model_path=rest[0] if rest else None)
    save_index_to_cache(index, root)
    results = index.search(query, LIMIT, alpha=float(rest[1]) if rest[1:] else None)
    chunks = [result.chunk for result in results]
    hits = [
        {"path": chunk.file_path, "start_line": chunk.start_line, "end_line": chunk.end_line}
        for chunk in chunks
    ]
    json.dump(hits, sys.stdout)


if __name__ == "__main__":
    main()
