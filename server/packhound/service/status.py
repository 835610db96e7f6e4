"""Status of one folder: its state, its figures and its problems."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

from packhound.core.settings import Settings
from packhound.core.status import State, Status
from packhound.indexing import Indexer
from packhound.service.models import Models
from packhound.service.open_index import OpenedIndex

Listener = Callable[[], None]
"""Called on the indexing thread when the status has changed."""


def build_status(
    root: Path, settings: Settings, models: Models, opened: OpenedIndex, indexer: Indexer
) -> Status:
    """Return the status of a folder as of now."""
    snapshot, health = opened.index.snapshot, opened.index.health()
    pending = indexer.queue.pending
    languages = Counter(entry.language for entry in snapshot.files.values())
    problems = (*models.problems, *filter(None, (opened.problem,)))
    limits = (*problems, *indexer.warnings)
    return Status(
        state=_state(pending, snapshot.n_files, limited=bool(limits)),
        root=str(root),
        generation=snapshot.generation,
        pending=pending,
        files=snapshot.n_files,
        nodes=snapshot.n_nodes,
        languages=dict(languages.most_common()),
        vectors=health.vectors,
        dense=health.dense,
        dead_share=health.dead_share,
        recall=health.recall,
        model=_model(settings, models),
        writer=opened.writer,
        save_problem=opened.problem or indexer.save_problem,
        drift=health.drift,
        notes=(
            *filter(None, (opened.rebuild_reason,)),
            *problems,
            *health.notes,
            *indexer.warnings,
        ),
    )


def _model(settings: Settings, models: Models) -> str:
    if not settings.meaning:
        return "off by the setting meaning.enabled"
    return settings.model or "bundled" if models.embedder else "none"


def _state(pending: int, n_files: int, *, limited: bool) -> State:
    if pending:
        return "indexing" if n_files else "starting"
    return "degraded" if limited else "ready"
