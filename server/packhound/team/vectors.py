"""The vectors of a branch, where the server has pgvector: which of its files mean the like.

They are those that a reader makes of the same nodes, by the bundled encoder.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from uuid import UUID

import numpy as np

from packhound.core.arrays import Floats
from packhound.core.errors import ModelError
from packhound.encoder import Embedder
from packhound.parsing import concatenate_runs
from packhound.team.row import words_of_row
from packhound.team.store import Branch, Store

_AT_ONCE = 256
_MOST_SCANNED = 50_000
"""Vectors of a repository that questions read one by one; the others are in an index."""
_MOST_NODES = 400
"""Nearest nodes that are asked for: some 200 files."""
_MOST_TEXT = 2_000
"""Characters of a question that are encoded."""


def add_vectors(store: Store, repository: str, branch: str) -> None:
    """Add the vectors that files of a branch lack, if the store keeps any. Raises ModelError."""
    if not store.has_vectors:
        return
    embedder = Embedder.open()
    nodes = store.without_vectors(repository, branch, embedder.fingerprint)
    files, n_there = [*nodes], store.n_nodes(repository) - sum(nodes.values())
    for first in range(0, len(files), _AT_ONCE):
        some = files[first : first + _AT_ONCE]
        vectors, indexed = _encode(embedder, store.analyses(some)), n_there >= _MOST_SCANNED
        if vectors:
            store.put_vectors(repository, embedder.fingerprint, vectors, indexed=indexed)
        n_there += sum(nodes[file] for file in some)


def nearest_files(store: Store, branches: Sequence[Branch], question: str) -> list[UUID]:
    """Return files of some branches that have the nodes nearest in meaning, the nearest first."""
    if not question or not store.has_vectors:
        return []
    try:
        embedder = Embedder.open()
        vector = embedder.encode_query(question[:_MOST_TEXT])
    except ModelError:
        return []
    if not vector.any():
        return []
    return store.nearest(branches, embedder.fingerprint, vector.tolist(), _MOST_NODES)


def _encode(embedder: Embedder, analyses: Mapping[UUID, bytes]) -> dict[UUID, Floats]:
    read = ((id_, words_of_row(analysis)) for id_, analysis in analyses.items())
    words = {id_: each for id_, each in read if each}
    if not words:
        return {}
    rows = embedder.encode_runs(concatenate_runs([*words.values()]))
    ends = np.cumsum([len(each.lengths) for each in words.values()])
    parts = np.split(rows, ends[:-1])
    return dict(zip(words, parts, strict=True))
