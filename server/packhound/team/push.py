"""A commit into a store: what it has not yet, then the branch, in one step.

A push that dies leaves files that no branch has: nobody else sees them, and the next one goes on
from them.
"""

from __future__ import annotations

import tempfile
import zlib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from packhound.core.errors import SettingsError
from packhound.core.types import Document
from packhound.files import WalkLimits, read, walk_by_steps
from packhound.git import Revision, write_revision
from packhound.parsing import SharedPool, source_digest
from packhound.redact import RedactionTimeout, redact
from packhound.team.row import encode_row, key_of
from packhound.team.store import Row, Store

_WORKERS = 2
_BATCH_FILES, _BATCH_BYTES = 1_000, 8_000_000
"""Files that are read, parsed and added at once: what a push that dies loses at most."""


class Pushed(NamedTuple):
    """Figures of a push: files of the branch, those that were new to the store, and their size."""

    files: int
    new: int
    nodes: int
    n_bytes: int
    left_out: tuple[str, ...]
    """Paths of files that each reader parses for himself: parsing failed, or they were erased."""


def push(
    store: Store, root: Path, revision: Revision, repository: str, branch: str, limits: WalkLimits
) -> Pushed:
    """Have a branch of a store consist of the files of a commit of the folder `root`.

    Raises SettingsError, StoreError.
    """
    if not store.may_push(repository, branch):
        raise SettingsError(
            f"you may not push to '{branch}' of '{repository}'; the administrator of the store"
            " grants that"
        )
    with tempfile.TemporaryDirectory(prefix="packhound-push-") as temporary:
        folder = Path(temporary) / "commit"
        try:
            write_revision(root, revision, folder, limits.max_files, limits.max_file_bytes)
        except OSError as error:
            raise SettingsError(f"commit {revision.commit} cannot be read: {error}") from None
        return _push_folder(store, folder, revision.commit, repository, branch, limits)


def _push_folder(
    store: Store, folder: Path, commit: str, repository: str, branch: str, limits: WalkLimits
) -> Pushed:
    known, listed = store.known_keys([repository]), dict[str, bytes]()
    n_new = n_nodes = n_bytes = 0
    pool = SharedPool(_WORKERS, with_texts=False)
    try:
        for documents in _batches(_documents(folder, limits)):
            lacking = {key_of(doc.path, doc.source): doc for doc in documents}
            listed.update({doc.path: key for key, doc in lacking.items()})
            lacking = {key: doc for key, doc in lacking.items() if key not in known}
            if lacking:
                copied = store.copy_known(repository, [*lacking])
                rows = [*_rows(pool, [doc for key, doc in lacking.items() if key not in copied])]
                added = store.add(repository, rows)
                known |= copied | added
                rows = [row for row in rows if row.key in added]
                n_new += len(rows)
                n_nodes += sum(row.nodes for row in rows)
                n_bytes += sum(len(row.analysis) + len(row.text) for row in rows)
    finally:
        pool.close()
    files = {known[key] for key in listed.values() if key in known}
    store.set_branch(repository, branch, commit, files)
    store.prune(repository)
    left_out = tuple(path for path, key in listed.items() if key not in known)
    return Pushed(len(files), n_new, n_nodes, n_bytes, left_out)


def _documents(folder: Path, limits: WalkLimits) -> Iterator[Document]:
    """Yield what may leave of the files of a folder: texts without secrets, no large ones."""
    for entry in walk_by_steps(folder, limits):
        document = read(folder, entry[0], limits.max_file_bytes) if entry else None
        if document is None or document.is_large:
            continue
        text = document.source.decode("utf-8", "replace")
        try:
            clean = redact(text).text
        except RedactionTimeout:
            continue
        yield document if clean == text else Document(document.path, clean.encode())


def _rows(pool: SharedPool, documents: Sequence[Document]) -> Iterator[Row]:
    """Yield the rows of what parsing makes of documents, but of those at which it fails."""
    texts = {document.path: document.source for document in documents}
    for file in pool.parse_many(iter(documents)) if documents else ():
        text, analysis = texts[file.path], encode_row(file)
        if analysis is not None:
            key, digest = key_of(file.path, text), source_digest(text)
            n_nodes = len(file.node_digests)
            yield Row(key, file.path, digest, n_nodes, analysis, zlib.compress(text))


def _batches(documents: Iterable[Document]) -> Iterator[list[Document]]:
    batch, n_bytes = list[Document](), 0
    for document in documents:
        batch.append(document)
        n_bytes += len(document.source)
        if len(batch) >= _BATCH_FILES or n_bytes >= _BATCH_BYTES:
            yield batch
            batch, n_bytes = [], 0
    if batch:
        yield batch
