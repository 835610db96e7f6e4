"""Queries with known answers as numbers: what the product's own signals say of every candidate.

Made by the same code that serves searches, so that weights fitted here mean the same there.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from packhound.core.types import Query
from packhound.evaluation.cases import Case, Target, same_function, same_path
from packhound.index.snapshot import Snapshot
from packhound.search.environment import SearchEnvironment
from packhound.search.pipeline import parse, retrieve_context
from packhound.search.query.encode import encode
from packhound.search.signals.context import SignalContext
from packhound.search.signals.registry import FILE_SIGNALS, NODE_SIGNALS

FILE_NAMES = tuple(signal.name for signal in FILE_SIGNALS)
NODE_NAMES = tuple(signal.name for signal in NODE_SIGNALS)


@dataclass(slots=True, eq=False)
class Example:
    """One query: signals of its candidate files [m, p] and nodes [n, q].

    `owner` is the file of each node, `found[j, t]` whether node j answers target t, `functions`
    the same for the functions of a bug report. `place` orders nodes by path and position, which
    decides ties.
    """

    case: Case
    kind: str
    files: NDArray[np.float32]
    nodes: NDArray[np.float32]
    owner: NDArray[np.intp]
    found: NDArray[np.bool_]
    functions: NDArray[np.bool_]
    place: NDArray[np.intp]
    node_ids: tuple[str, ...] = field(default=())

    @property
    def repository(self) -> str:
        """Whose examples are left out together."""
        return self.case.repository


def examples_of(
    cases: Iterable[Case], snapshot: Snapshot, embedder: object | None, root: Path
) -> Iterator[Example]:
    """The examples of cases that are all about the corpus in one folder."""
    environment = SearchEnvironment(str(root), embedder)
    for case in cases:
        query = Query(case.text, files=True)
        parsed = parse(snapshot, query, environment)
        vectors, _ = encode(parsed, query.mode, snapshot, embedder)
        yield example_of(case, retrieve_context(snapshot, query, parsed, vectors, environment))


def example_of(case: Case, context: SignalContext) -> Example:
    """One case and its measured view."""
    candidates = context.candidates
    refs = []
    for entry in candidates.entries:
        refs += [(entry.path, node) for node in entry.nodes]
    order = sorted(range(len(refs)), key=lambda i: (refs[i][0], refs[i][1].span.start))
    place = np.empty(len(refs), np.intp)
    place[order] = np.arange(len(refs))
    return Example(
        case=case,
        kind=context.query.kind,
        files=_stack(FILE_SIGNALS, context, len(candidates.files)),
        nodes=_stack(NODE_SIGNALS, context, len(candidates)),
        owner=candidates.owner,
        found=_found(case.targets, refs),
        functions=_found(case.functions, refs),
        place=place,
        node_ids=tuple(
            f"{path}:{node.span.start_line + 1} {node.kind} {node.qualname}" for path, node in refs
        ),
    )


def cached(file: Path, make: Callable[[], list[Example]]) -> list[Example]:
    """Examples from `file`, made and kept there if it is not there or the signals have changed."""
    sources = sorted((Path(__file__).parents[2] / "server/packhound/search").rglob("*.py"))
    digest = blake2b(b"".join(source.read_bytes() for source in sources), digest_size=8).digest()
    if file.exists():
        version, examples = pickle.loads(file.read_bytes())
        if version == digest:
            return examples
    examples = make()
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(pickle.dumps((digest, examples), protocol=5))
    return examples


def _stack(signals: tuple, context: SignalContext, n: int) -> NDArray[np.float32]:
    if not n:
        return np.zeros((0, len(signals)), np.float32)
    return np.stack([signal.function(context) for signal in signals], axis=1).astype(np.float32)


def _found(targets: tuple[Target, ...], refs: list) -> NDArray[np.bool_]:
    answers = np.zeros((len(refs), len(targets)), np.bool_)
    for t, target in enumerate(targets):
        for j, (path, node) in enumerate(refs):
            answers[j, t] = same_path(target.path, path) and _inside(target, node)
    return answers


def _inside(target: Target, node: object) -> bool:
    if target.function is not None:
        return same_function(target.function, node.qualname)
    if target.start_line is None:
        return True
    span = node.span
    return span.start_line + 1 <= target.end_line and target.start_line <= span.end_line + 1
