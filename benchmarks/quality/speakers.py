"""Which node speaks for its file: weights that tell a file's nodes apart, from doc comments.

Nearly all queries that a person labelled have files as answers, so what is fitted on them puts the
right file first by whichever of its nodes. Doc comments say which node it is. A listwise loss over
the nodes of each right file finds what to add to the node weights, the same for phrases and prose;
the weights that order files stay as they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from scipy.optimize import minimize

from benchmarks.quality.examples import NODE_NAMES, Example
from benchmarks.quality.learning import EITHER_WAY, Fitted, Floats, listwise, right_files

KINDS = ("phrase", "prose")
RIDGE = 10.0
UNTAUGHT = frozenset({"node_doc", "node_named", "node_owned"})
"""What a doc comment cannot teach: it is taken out of the code that is searched, and the names in
it are those of other nodes."""


def with_speakers(fitted: Fitted, examples: Sequence[Example], without: Sequence[str]) -> Fitted:
    """The same weights, and those that choose among the nodes of a file by the other signals."""
    lists = [
        (example.nodes[nodes_of_file].astype(np.float64), example.kind, right)
        for example in examples
        if example.kind in KINDS
        for nodes_of_file, right in right_files(example)
    ]
    nodes = np.concatenate([nodes for nodes, *_ in lists])
    right = np.concatenate([right for *_, right in lists])
    base = np.concatenate([nodes @ fitted.node[kind] for nodes, kind, _ in lists])
    lengths = np.array([len(right) for *_, right in lists])
    starts, alike = np.cumsum(lengths) - lengths, np.full(len(lists), 1 / len(lists))
    deviation = nodes.std(axis=0)
    untaught = UNTAUGHT.union(without)
    taught = np.array([name not in untaught for name in NODE_NAMES]) & (deviation > 1e-6)
    scale = np.where(taught, 1 / np.maximum(deviation, 1e-6), 0.0)
    scaled, ridge = nodes * scale, RIDGE / len(lists)

    def loss(added: Floats) -> tuple[float, Floats]:
        value, slope = listwise(base + scaled @ added, right, starts, alike)
        return value + ridge / 2 * float(added @ added), scaled.T @ slope + ridge * added

    least = np.minimum(*(fitted.node[kind] for kind in KINDS)) / np.where(taught, scale, 1.0)
    bounds = [
        (None if name in EITHER_WAY else -floor, None)
        for name, floor in zip(NODE_NAMES, least.tolist(), strict=True)
    ]
    start = np.zeros(len(NODE_NAMES))
    solution = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds)
    added = solution.x * scale
    weights = {kind: fitted.node[kind] + added for kind in KINDS}
    return replace(fitted, within=fitted.node | weights)
