"""Difference from a commit, what that touches and breaks; the commit is forked in memory."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING

from packhound import impact
from packhound.git import GONE, CoChanges, PatchedFile, Since, read_blobs, read_commits
from packhound.graph import CallGraph
from packhound.parsing import language_of
from packhound.service.forked_index import documents_of, edit_pool, fork_with
from packhound.service.seen_texts import is_empty, read_saved

if TYPE_CHECKING:
    from packhound.core.types import Document
    from packhound.index import Snapshot
    from packhound.pack import PackService
    from packhound.service.indexed_folder import IndexedFolder

_MAX_COMPARED = 300
"""Changed files that are compared by definition with what a commit has of them."""


def changes_since(
    folder: IndexedFolder, packs: PackService, snapshot: Snapshot, base: str, limit: int
) -> impact.ChangeSet:
    """Return what differs from a commit, unsaved text included, and what that touches and breaks.

    Raises SettingsError: there is no such commit, or no repository.
    """
    emptied = [path for path in [*folder.queue.open_paths] if is_empty(folder, path)]
    since, root = packs.changed_since(snapshot, base, emptied), str(folder.root)
    after = impact.Side(snapshot, packs.call_graph(snapshot))
    is_searched = [path for path in since.lines if path in snapshot.files or language_of(path)]
    paths, rest = is_searched[:_MAX_COMPARED], is_searched[_MAX_COMPARED:]
    documents, files = _compare(folder, snapshot, since, paths)
    breaks = impact.Breaks()
    if files:
        before = _side_of_commit(folder, packs, snapshot, documents, files)
        breaks = impact.find_breaks(before, after, root, files)
    history = CoChanges.of(read_commits(folder.root), since.lines)
    changes = impact.describe_changes(
        after, root, since.lines, since.renamed, breaks, history, limit
    )
    more = [f"what is gone was not looked for in {len(rest):,} more changed files"] if rest else []
    return replace(changes, notes=(*since.notes, *more))


def _compare(
    folder: IndexedFolder, snapshot: Snapshot, since: Since, paths: Sequence[str]
) -> tuple[dict[str, Document], dict[str, PatchedFile]]:
    """Return what a commit has of some files, by old path, and all as if a patch changed them."""
    old_paths = {path: since.renamed.get(path, path) for path in paths}
    blobs = [blob for path in paths if (blob := since.committed.get(path))]
    texts = {blob.path: text for blob, text in read_blobs(folder.root, blobs)}
    for path in paths:
        if path not in since.committed:  # Unsaved, or of a patch.
            texts[old_paths[path]] = read_saved(folder.root, old_paths[path])
    documents, files = documents_of(folder, texts.items()), dict[str, PatchedFile]()
    for path, old_path in old_paths.items():
        document = documents.get(old_path)
        if document is None and texts.get(old_path) is not None:
            continue  # It was not searched.
        before = document.source if document else None
        if since.lines[path] == (GONE,):
            files[path] = PatchedFile(path, path, before, None)
            continue
        source = folder.source(path, snapshot)
        if source is None and is_empty(folder, path):
            source = b""
        if source is not None:
            files[path] = PatchedFile.between(path, old_path, before, source)
    return documents, files


def _side_of_commit(
    folder: IndexedFolder,
    packs: PackService,
    snapshot: Snapshot,
    documents: Mapping[str, Document],
    files: Iterable[str],
) -> impact.Side:
    """Return the folder with what a commit has of the files that differ."""
    with closing(edit_pool(folder)) as pool:
        committed = fork_with(folder, snapshot, files, documents, pool).publish()

    def source(path: str) -> bytes | None:
        document = documents.get(path)
        return document.source if document else folder.source(path, snapshot)

    return impact.Side(committed, CallGraph(packs.copy_graph(committed), source))
