"""What each signal, source and stage is worth: NDCG@10 with it, less NDCG@10 without it.

The weights are the product's own and are not fitted anew, so two signals that say the same can
each look worth nothing.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from examples import FILE_NAMES, NODE_NAMES, Example
from learning import ndcg, order_of

WEIGHTS = Path(__file__).parents[2] / "server/packhound/ranking/weights.json"

Kept = Callable[[str], bool]


def ablations(examples: Sequence[Example]) -> dict[str, float]:
    """The loss without each part, largest first."""
    sets = json.loads(WEIGHTS.read_text("utf-8"))["sets"]["hybrid"]
    whole = _score(examples, sets, lambda name: True)
    found = {
        "source: dense": whole - _score(examples, sets, lambda n: not n.startswith("dense")),
        "source: lexical": whole - _score(examples, sets, lambda n: n.startswith("dense")),
        "source: what the file is": whole - _score(examples, sets, lambda n: n not in _NATURE),
        "stage: node signals": whole - _score(examples, sets, lambda n: n not in NODE_NAMES),
        "stage: file signals": whole - _score(examples, sets, lambda n: n not in FILE_NAMES),
        "stage: diversity": whole - _score(examples, sets, lambda n: True, repeat=False),
    }
    for name in (*FILE_NAMES, *NODE_NAMES):
        loss = whole - _score(examples, sets, lambda n, left=name: n != left)
        found[f"signal: {name}"] = loss
    return dict(sorted(found.items(), key=lambda pair: -pair[1]))


_NATURE = frozenset(
    [
        "test_path",
        "example_path",
        "stale_path",
        "internal_path",
        "prose_file",
        "setting_file",
        "header_file",
        "depth",
        "node_count",
        "file_size",
        "entry_file",
        "grab_bag",
        "common_stem",
    ]
)


def _score(examples: Sequence[Example], sets: dict, kept: Kept, *, repeat: bool = True) -> float:
    by_repository = defaultdict(list)
    for example in examples:
        weights = sets[example.kind]
        file = np.array([weights["file"].get(n, 0.0) * kept(n) for n in FILE_NAMES])
        node = np.array([weights["node"].get(n, 0.0) * kept(n) for n in NODE_NAMES])
        scores = (example.files @ file)[example.owner] + example.nodes @ node
        pays = weights["repeat"]["same_file_above"] if repeat else 0.0
        by_repository[example.repository].append(ndcg(example, order_of(example, scores, pays)))
    return float(np.mean([np.mean(values) for values in by_repository.values()]))
