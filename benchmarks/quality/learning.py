"""Weights from examples: a listwise loss over files, another over the nodes of the right file.

A file scores w·(its signals) + v·(signals of its best node), which is what its best node scores in
the product. Each right file must beat all wrong files of its query (softmax); in the right file
each right node must beat the others. Weights for a kind of query are the common ones plus a
difference that is held back more strongly (ridge).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from benchmarks.quality.examples import FILE_NAMES, NODE_NAMES, Example

Floats = NDArray[np.float64]

KINDS = ("symbol", "phrase", "prose", "report")

NEVER_FOR = frozenset(
    {"test_path", "example_path", "stale_path", "prose_file", "setting_file", "depth"}
    | {"internal_path"}
)
EITHER_WAY = frozenset(
    {"header_file", "node_count", "file_size", "node_size", "node_is_type", "node_is_function"}
    | {"node_is_rest", "entry_file", "grab_bag", "defines_size", "defines_times"}
)
"""Every other signal measures likeness to the query, so a fit may not hold it against a node."""

_LEAST = 1e-300
"""Stands for the share of right answers that scores leave nothing of."""


@dataclass(frozen=True)
class Recipe:
    """What decides a fit besides the examples."""

    ridge: float = 1.0
    kind_ridge: float = 4.0
    node_share: float = 0.5
    rounds: int = 3
    without: tuple[str, ...] = ()
    signed: bool = True


@dataclass(frozen=True, eq=False)
class Fitted:
    """Weights of the raw signals for each kind of query: file [p], node [q].

    `within` [q] order the nodes of one file.
    """

    file: dict[str, Floats]
    node: dict[str, Floats]
    within: dict[str, Floats]


def fit(examples: Sequence[Example], recipe: Recipe) -> Fitted:
    """Fit the weights."""
    problem = _Problem(examples, recipe)
    theta = np.full(problem.n_parameters, 0.1)
    theta[np.tile(problem.highest <= 0, problem.n_parameters // len(problem.highest))] = -0.1
    for _ in range(recipe.rounds):
        problem.choose_nodes(theta)
        solution = minimize(
            problem.loss,
            theta,
            jac=True,
            method="L-BFGS-B",
            bounds=problem.bounds() if recipe.signed else None,
            options={"maxiter": 150},
        )
        theta = solution.x
    return problem.fitted(theta)


class _Problem:
    """All examples side by side, signals scaled to unit deviation."""

    def __init__(self, examples: Sequence[Example], recipe: Recipe) -> None:
        self._examples = [e for e in examples if len(e.owner) and e.found.any()]
        self._recipe = recipe
        self._p, self._q = len(FILE_NAMES), len(NODE_NAMES)
        self._d = self._p + self._q
        files = np.concatenate([e.files for e in self._examples])
        nodes = np.concatenate([e.nodes[:: max(1, len(e.nodes) // 300)] for e in self._examples])
        scale = np.concatenate((files.std(axis=0), nodes.std(axis=0)))
        used = np.array([n not in recipe.without for n in (*FILE_NAMES, *NODE_NAMES)])
        self._scale = np.where(used & (scale > 1e-6), 1 / np.maximum(scale, 1e-6), 0.0)
        names = (*FILE_NAMES, *NODE_NAMES)
        free = np.array([n in EITHER_WAY for n in names])
        against = np.array([n in NEVER_FOR for n in names])
        self.lowest = np.where(free | against, -np.inf, 0.0)
        self.highest = np.where(against, 0.0, np.inf)
        self._kinds = [k for k in KINDS if any(e.kind == k for e in self._examples)]
        self.n_parameters = self._d * (1 + len(self._kinds))
        self._file_parts = [self._file_part(e) for e in self._examples]
        self._within = [part for e in self._examples for part in self._node_parts(e)]

    def _thetas(self, theta: Floats) -> Floats:
        """The weights of each kind; the first row of parameters is what all are drawn to."""
        return theta[self._d :].reshape(len(self._kinds), self._d)

    def bounds(self) -> list[tuple[float, float]]:
        """Which way each signal may count."""
        one = list(zip(self.lowest, self.highest, strict=True))
        return one * (1 + len(self._kinds))

    def choose_nodes(self, theta: Floats) -> None:
        """Fix which node speaks for each file, by the weights at hand."""
        by_kind = dict(zip(self._kinds, self._thetas(theta), strict=True))
        rows, counts = [], []
        for example in self._examples:
            scores = example.nodes @ (by_kind[example.kind][self._p :] * self._scale[self._p :])
            best = _best_per_file(scores, example)
            rows.append(np.hstack((example.files, example.nodes[best])) * self._scale)
            counts.append(len(example.files))
        self._set_lists(rows, counts)

    def _set_lists(self, rows: list[Floats], counts: list[int]) -> None:
        """Each right file makes one list with all wrong files of its query."""
        lists, right, weights, kinds = [], [], [], []
        for example, x, good in zip(self._examples, rows, self._file_parts, strict=True):
            wrong = np.flatnonzero(~good)
            for i in np.flatnonzero(good):
                lists.append(np.vstack((x[i : i + 1], x[wrong])))
                right.append(np.r_[True, np.zeros(len(wrong), bool)])
                weights.append(1 / good.sum())
                kinds.append(self._kinds.index(example.kind))
        for example, x, good in self._within:
            lists.append(x)
            right.append(good)
            weights.append(self._recipe.node_share)
            kinds.append(self._kinds.index(example.kind))
        order = np.argsort(kinds, kind="stable")
        lengths = np.array([len(lists[i]) for i in order])
        self._x = np.concatenate([lists[i] for i in order]).astype(np.float32)
        self._right = np.concatenate([right[i] for i in order])
        self._starts = np.cumsum(lengths) - lengths
        self._weights = np.array([weights[i] for i in order])
        row_kinds = np.repeat(np.array(kinds)[order], lengths)
        self._edges = np.searchsorted(row_kinds, np.arange(len(self._kinds) + 1))

    def _file_part(self, example: Example) -> NDArray[np.bool_]:
        good = np.zeros(len(example.files), bool)
        good[example.owner[example.found.any(axis=1)]] = True
        return good

    def _node_parts(self, example: Example) -> list[tuple[Example, Floats, NDArray[np.bool_]]]:
        """The nodes of each right file, where only some of them are right."""
        parts = []
        for nodes, good in right_files(example):
            x = np.hstack((np.zeros((len(nodes), self._p)), example.nodes[nodes])) * self._scale
            parts.append((example, x, good))
        return parts

    def loss(self, theta: Floats) -> tuple[float, Floats]:
        """Mean loss and its gradient."""
        thetas = self._thetas(theta)
        scores = np.empty(len(self._x))
        spans = list(zip(self._edges[:-1], self._edges[1:], strict=True))
        for weights, (a, b) in zip(thetas.astype(np.float32), spans, strict=True):
            scores[a:b] = self._x[a:b] @ weights
        of_list = self._weights / self._weights.sum()
        value, residual = listwise(scores, self._right, self._starts, of_list)
        residuals = residual.astype(np.float32)
        by_kind = np.stack([self._x[a:b].T @ residuals[a:b] for a, b in spans])
        n = len(self._examples)
        common, apart = theta[: self._d], thetas - theta[: self._d]
        ridge, kind_ridge = self._recipe.ridge / n, self._recipe.kind_ridge / n
        value += 0.5 * ridge * float(common @ common) + 0.5 * kind_ridge * float((apart**2).sum())
        penalty = by_kind + kind_ridge * apart
        drawn = ridge * common - kind_ridge * apart.sum(axis=0)
        gradient = np.concatenate((drawn, penalty.ravel()))
        return value, gradient

    def fitted(self, theta: Floats) -> Fitted:
        """Weights of the raw signals; kinds without examples get the common ones."""
        by_kind = dict(zip(self._kinds, self._thetas(theta), strict=True))
        weights = {kind: by_kind.get(kind, theta[: self._d]) * self._scale for kind in KINDS}
        node = {kind: w[self._p :] for kind, w in weights.items()}
        return Fitted({kind: w[: self._p] for kind, w in weights.items()}, node, node)


def right_files(example: Example) -> Iterator[tuple[NDArray[np.intp], NDArray[np.bool_]]]:
    """The nodes of each right file of which only some are right, and which are."""
    targets = example.functions if example.functions.shape[1] else example.found
    for file in np.unique(example.owner[targets.any(axis=1)]):
        nodes = np.flatnonzero(example.owner == file)
        right = targets[nodes].any(axis=1)
        if not right.all():
            yield nodes, right


def listwise(
    scores: Floats, right: NDArray[np.bool_], starts: NDArray[np.intp], shares: Floats
) -> tuple[float, Floats]:
    """The loss of lists that begin at `starts` and count `shares`, and its slope at each score.

    A list loses -log of what its right scores have of the softmax over all of its scores.
    """
    lengths = np.diff(starts, append=len(scores))
    parts = np.exp(scores - np.repeat(np.maximum.reduceat(scores, starts), lengths))
    good_parts = np.where(right, parts, 0)
    everything = np.add.reduceat(parts, starts)
    good = np.maximum(np.add.reduceat(good_parts, starts), _LEAST)
    slope = np.repeat(shares / everything, lengths) * parts
    slope -= np.repeat(shares / good, lengths) * good_parts
    return float((shares * np.log(everything / good)).sum()), slope


def order_of(example: Example, fitted: Fitted, repeat: float) -> NDArray[np.intp]:
    """Nodes in the order of the results: the first of a file stands where the best of them would,
    further ones pay `repeat` each, ties go by place."""
    owner, nodes = example.owner, example.nodes.astype(np.float64)
    file = example.files.astype(np.float64) @ fitted.file[example.kind]
    scores = file[owner] + nodes @ fitted.node[example.kind]
    by_file = np.lexsort((example.place, -(nodes @ fitted.within[example.kind]), owner))
    repeats = np.empty(len(scores))
    repeats[by_file] = np.arange(len(scores)) - np.searchsorted(owner[by_file], owner[by_file])
    best = np.full(len(file), -np.inf)
    np.maximum.at(best, owner, scores)
    lifted = np.where(repeats == 0, best[owner], scores)
    return np.lexsort((example.place, -(lifted - repeat * repeats)))


def ndcg(example: Example, order: NDArray[np.intp]) -> float:
    """NDCG@10 with each target counted at the first of the first ten nodes that answers it."""
    top = example.found[order[:10]]
    hits = top.any(axis=0)
    gain = (1 / np.log2(top.argmax(axis=0)[hits] + 2)).sum()
    return float(gain / (1 / np.log2(np.arange(2, min(10, top.shape[1]) + 2))).sum())


def function_first(example: Example, order: NDArray[np.intp]) -> float:
    """Whether the right function comes before all other nodes of the right file."""
    inside = order[example.found.any(axis=1)[order]]
    return float(example.functions[inside[0]].any()) if len(inside) else float("nan")


def report_scores(example: Example, order: NDArray[np.intp]) -> tuple[float, float, float]:
    """file@1, file@5 and func@10 of a bug report."""
    files = list(dict.fromkeys(example.owner[order].tolist()))
    gold = {
        f for t in range(example.found.shape[1]) for f in set(example.owner[example.found[:, t]])
    }
    n = example.found.shape[1]
    top = example.functions[order[:10]]
    whole = len(gold) >= n
    return (
        float(whole and gold <= set(files[:1])),
        float(whole and gold <= set(files[:5])),
        float(top.any(axis=0).all()) if top.shape[1] else float("nan"),
    )


def thinned(example: Example, per_file: int = 6) -> Example:
    """The example without most nodes of wrong files, which can hardly stand for their file."""
    likely = sum(example.nodes[:, NODE_NAMES.index(name)] for name in ("node_words", "dense_node"))
    order = np.lexsort((-likely, example.owner))
    owners = example.owner[order]
    places = np.arange(len(order)) - np.searchsorted(owners, owners)
    mask = np.isin(example.owner, example.owner[example.found.any(axis=1)])
    mask[order[places < per_file]] = True
    return replace(
        example,
        nodes=example.nodes[mask],
        owner=example.owner[mask],
        found=example.found[mask],
        functions=example.functions[mask],
        place=example.place[mask],
        node_ids=(),
    )


def _best_per_file(scores: Floats, example: Example) -> NDArray[np.intp]:
    order = np.lexsort((example.place, -scores, example.owner))
    owners = example.owner[order]
    first = np.r_[True, owners[1:] != owners[:-1]]
    return order[first]
