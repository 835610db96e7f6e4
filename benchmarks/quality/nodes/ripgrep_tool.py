"""A search tool of ripgrep and nothing else: `ripgrep_tool.py QUERY ROOT` prints JSON.

Lines that hold any word of the query of four letters or more, those with more of the rarer words
first, each widened to ten lines, overlapping ones left out.
"""

from __future__ import annotations

import json
import math
import re
import subprocess
import sys
from collections import Counter, defaultdict

CONTEXT = 5
LIMIT = 20


def main() -> None:
    query, root = sys.argv[1:]
    words = {word.lower() for word in re.findall(r"[A-Za-z]{4,}", query)}
    lines: dict[tuple[str, int], set[str]] = defaultdict(set)
    for word in words:
        command = ["rg", "-i", "-n", "-F", "--no-heading", word, "."]
        output = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
        for line in output.stdout.splitlines():
            path, number, _ = line.split(":", 2)
            lines[path.removeprefix("./"), int(number)].add(word)
    counts = Counter(word for matched in lines.values() for word in matched)
    weight = {word: 1 / math.log(2 + n) for word, n in counts.items()}
    ranked = sorted(lines, key=lambda at: (-sum(weight[w] for w in lines[at]), at))
    hits: list[dict] = []
    for path, number in ranked:
        if all(hit["path"] != path or abs(hit["line"] - number) > CONTEXT for hit in hits):
            first = max(1, number - CONTEXT)
            end = number + CONTEXT
            hits.append({"path": path, "line": number, "start_line": first, "end_line": end})
        if len(hits) == LIMIT:
            break
    json.dump(hits, sys.stdout)


if __name__ == "__main__":
    main()
