"""Indexes that go on from a snapshot of a folder with other texts, in memory alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from packhound.core.types import Document
from packhound.files import decode, is_included, is_large, is_searched_text
from packhound.index import Index, Snapshot
from packhound.parsing import SharedPool

if TYPE_CHECKING:
    from packhound.service.indexed_folder import IndexedFolder


def documents_of(
    folder: IndexedFolder, texts: Iterable[tuple[str, bytes | None]]
) -> dict[str, Document]:
    """Return those texts of files that a folder would index if they were on its disk, by path."""
    limits, documents = folder.limits, dict[str, Document]()
    for path, source in texts:
        is_known = path in folder.snapshot.files
        if source is None or not (is_known or is_included(folder.root, path, limits)):
            continue
        text = decode(path, source)
        if is_searched_text(text, limits.max_file_bytes):
            large = is_large(path, text, limits.max_file_bytes)
            documents[path] = Document(path, text, is_large=large)
    return documents


def edit_pool(folder: IndexedFolder) -> SharedPool:
    """Return a folder's part in the processes that parse what is edited."""
    return SharedPool(
        1, is_for_edits=True, with_texts=folder.needs_texts, extractors=folder.extractors
    )


def fork_with(
    folder: IndexedFolder,
    snapshot: Snapshot,
    paths: Iterable[str],
    documents: Mapping[str, Document],
    pool: SharedPool,
) -> Index:
    """Return an index, not yet published, in which `documents` are all that is at some paths."""
    index = Index.fork(snapshot, folder.embedder)
    index.remove([path for path in paths if path not in documents])
    index.replace(
        [
            pool.parse(document, index.complete_digests(path), is_open=False)
            for path, document in documents.items()
        ],
        {},
    )
    return index
