"""Which node speaks for its file: weights that tell a file's nodes apart, from doc comments.

Nearly all queries that a person labelled have files as answers, so what is fitted on them puts the
right file first by whichever of its nodes. Doc comments say which node it is. A listwise loss over
the nodes of each right file finds what to add to the node weights, the same for phrases and prose;
the weights that order files stay as they are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
from examples import NODE_NAMES, Example
from learning import EITHER_WAY, Fitted, Floats
from numpy.typing import NDArray
from scipy.optimize import minimize

KINDS = ("phrase", "prose")
RIDGE = 10.0
UNTAUGHT = frozenset({"node_doc", "node_named", "node_named_folded", "node_owned"})
"""What a doc comment cannot teach: it is taken out of the code that is searched, and the names in
it are those of other nodes."""


def with_speakers(fitted: Fitted, examples: Sequence[Example], without: Sequence[str]) -> Fitted:
    """The same weights, and those that choose among the nodes of a file by the other signals."""
    lists = [one for example in examples if example.kind in KINDS for one in _lists(example)]
    nodes = np.concatenate([nodes for _, nodes, _ in lists])
    deviation = nodes.std(axis=0)
    untaught = UNTAUGHT.union(without)
    taught = np.array([name not in untaught for name in NODE_NAMES]) & (deviation > 1e-6)
    scale = np.where(taught, 1 / np.maximum(deviation, 1e-6), 0.0)
    given = np.concatenate([nodes @ fitted.node[kind] for kind, nodes, _ in lists])
    right = np.concatenate([right for *_, right in lists])
    lengths = np.array([len(right) for *_, right in lists])
    starts = np.cumsum(lengths) - lengths
    scaled = nodes * scale

    def loss(added: Floats) -> tuple[float, Floats]:
        scores = given + scaled @ added
        shares = np.exp(scores - np.repeat(np.maximum.reduceat(scores, starts), lengths))
        good = np.where(right, shares, 0.0)
        everything, found = np.add.reduceat(shares, starts), np.add.reduceat(good, starts)
        found = np.maximum(found, 1e-300)
        residual = shares / np.repeat(everything, lengths) - good / np.repeat(found, lengths)
        value = np.log(everything / found).sum() + RIDGE / 2 * added @ added
        return value / len(lists), (scaled.T @ residual + RIDGE * added) / len(lists)

    least = np.minimum(*(fitted.node[kind] for kind in KINDS)) / np.where(taught, scale, 1.0)
    bounds = [
        (None if name in EITHER_WAY else -floor, None)
        for name, floor in zip(NODE_NAMES, least.tolist(), strict=True)
    ]
    start = np.zeros(len(NODE_NAMES))
    found = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds)
    added = found.x * scale
    own = {kind: fitted.node[kind] + added for kind in KINDS}
    return replace(fitted, within=fitted.node | own)


def _lists(example: Example) -> Iterator[tuple[str, Floats, NDArray[np.bool_]]]:
    """The nodes of each right file of which only some are right."""
    found = example.functions if example.functions.shape[1] else example.found
    for file in np.unique(example.owner[found.any(axis=1)]):
        here = np.flatnonzero(example.owner == file)
        right = found[here].any(axis=1)
        if not right.all():
            yield example.kind, example.nodes[here].astype(np.float64), right
