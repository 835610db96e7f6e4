"""Status of one folder: its state, its figures and its problems."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from packhound.core.settings import Settings
from packhound.core.status import EncoderState, State, Status
from packhound.core.types import KINDS
from packhound.encoder import Embedder
from packhound.index import Snapshot
from packhound.indexing import Indexer
from packhound.service.cells import broken_notebooks
from packhound.service.open_index import OpenedIndex

Listener = Callable[[], None]
"""Called on the indexing thread when the status has changed."""
_MAX_FAILED = 3
"""Files that the status names where an extractor failed."""


def build_status(
    root: Path,
    settings: Settings,
    embedder: Embedder | None,
    problems: tuple[str, ...],
    encoder_problem: str,
    opened: OpenedIndex,
    indexer: Indexer,
) -> Status:
    """Return the status of a folder as of now; `problems` are those of models and plugins.

    `encoder_problem` says why there is no embedder where there should be one.
    """
    snapshot, health = opened.index.snapshot, opened.index.health()
    pending = indexer.queue.pending
    problems = (*problems, *filter(None, (opened.problem,)), *_failed_extractions(snapshot))
    limits = (*problems, *indexer.warnings)
    return Status(
        state=_state(pending, snapshot.n_files, limited=bool(limits)),
        root=str(root),
        generation=snapshot.generation,
        pending=pending,
        reading=indexer.queue.reading,
        files=snapshot.n_files,
        nodes=snapshot.n_nodes,
        languages=dict(Counter(f.language for f in snapshot.files.values()).most_common()),
        kinds=_count_kinds(snapshot),
        failed_vectors=opened.index.n_failed,
        encoder=_encoder(settings, embedder, opened),
        encoder_problem=opened.index.failure if embedder else encoder_problem,
        pending_vectors=opened.index.n_unencoded,
        disk_bytes=opened.store.n_bytes if opened.store else 0,
        vectors=health.vectors,
        dense=health.dense,
        dead_share=health.dead_share,
        recall=health.recall,
        model=_model(settings, embedder),
        writer=opened.writer,
        save_problem=opened.problem or indexer.save_problem,
        drift=health.drift,
        notes=(
            *filter(None, (opened.rebuild_reason,)),
            *problems,
            *health.notes,
            *broken_notebooks(snapshot),
            *indexer.warnings,
            *filter(None, (indexer.stored.problem if indexer.stored else "",)),
        ),
    )


def _count_kinds(snapshot: Snapshot) -> dict[str, int]:
    """Return the number of nodes of each kind that there is, the most first."""
    counts = np.bincount(snapshot.kind_of[snapshot.live], minlength=len(KINDS)).tolist()
    by_kind = Counter(dict(zip(KINDS, counts, strict=True)))
    return {kind: n for kind, n in by_kind.most_common() if n}


def _failed_extractions(snapshot: Snapshot) -> Iterator[str]:
    """Yield the files at which an extractor failed, and how; of many the first ones."""
    failed = sorted(
        (path, entry.degraded)
        for path, entry in snapshot.files.items()
        if entry.degraded and entry.degraded.startswith("extractor ")
    )
    yield from (f"'{path}': {reason}" for path, reason in failed[:_MAX_FAILED])
    if len(failed) > _MAX_FAILED:
        yield f"extractors failed at {len(failed) - _MAX_FAILED:,} more files"


def _model(settings: Settings, embedder: Embedder | None) -> str:
    if not settings.meaning.enabled:
        return "off by the setting meaning.enabled"
    return settings.encoder.path or "bundled" if embedder else "none"


def _encoder(settings: Settings, embedder: Embedder | None, opened: OpenedIndex) -> EncoderState:
    if not settings.meaning.enabled:
        return "off"
    if embedder is None:
        return "missing"
    if opened.index.n_unencoded:
        return "encoding"
    return "failed" if opened.index.n_failed else "ready"


def _state(pending: int, n_files: int, *, limited: bool) -> State:
    if pending:
        return "indexing" if n_files else "starting"
    return "degraded" if limited else "ready"
