"""How long a pack takes: p50 and p95 over prompts, in a folder of some 40,000 nodes.

    python -m benchmarks.packs.latency FOLDER PROMPTS.jsonl [OUT.json]

PROMPTS has one JSON object a line with `problem_statement` (the prompt). The index is warm, and
what servers prepare for packs when nobody asks is ready; every prompt is new, so the files that it
needs are read for the first time or found in the page cache.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from statistics import median, quantiles

from benchmarks.stored import save
from packhound.core.settings_reader import settings_from
from packhound.pack.request import PackRequest
from packhound.service.engine import Engine

BUDGET = 8_000
WARM_UP = 3


def main() -> None:
    """Measure and print one JSON object."""
    folder, prompts = Path(sys.argv[1]), Path(sys.argv[2])
    requests = [
        json.loads(line)["problem_statement"] for line in prompts.read_text("utf-8").splitlines()
    ]
    engine = Engine.open(folder, settings_from({"ranking.gitHistory": False}))
    engine.settled()
    engine.prepare().join()
    took = []
    for prompt in [*requests[:WARM_UP], *requests]:
        began = time.perf_counter()
        engine.pack(PackRequest(prompt, BUDGET))
        took.append((time.perf_counter() - began) * 1_000)
    took = took[WARM_UP:]
    figures = {
        "nodes": engine.status().nodes,
        "budget": BUDGET,
        "n": len(took),
        "p50_ms": round(median(took), 1),
        "p95_ms": round(quantiles(took, n=20)[-1], 1),
    }
    engine.close()
    print(json.dumps(figures))
    if len(sys.argv) > 3:
        save(Path(sys.argv[3]), figures)


if __name__ == "__main__":
    main()
