"""A commit into a store: what it has not yet, then the branch, in one step.

A push that dies leaves files that no branch has: nobody else sees them, and the next one goes on
from them.
"""

from __future__ import annotations

import tempfile
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple
from uuid import UUID

from packhound import __version__, git
from packhound.core.errors import SettingsError
from packhound.core.types import Document
from packhound.files import IGNORE_FILES, WalkLimits, read, walk_by_steps
from packhound.parsing import SharedPool, source_digest
from packhound.redact import RedactionTimeout, redact
from packhound.team.row import LEVEL, encode_row, key_of
from packhound.team.store import Row, Store
from packhound.team.vectors import add_vectors
from packhound.team.words import updated_words

_WORKERS = 2
_BATCH_FILES, _BATCH_BYTES = 500, 4_000_000
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
    store: Store,
    root: Path,
    revision: git.Revision,
    repository: str,
    branch: str,
    limits: WalkLimits,
) -> Pushed:
    """Have a branch of a store consist of the files of a commit of the folder `root`.

    Raises SettingsError, StoreError, ModelError.
    """
    if not store.may_push(repository, branch):
        raise SettingsError(
            f"you may not push to '{branch}' of '{repository}'; the administrator of the store"
            " grants that"
        )
    try:
        blobs = git.files_of_revision(root, revision, limits.max_file_bytes)
        blobs = blobs[: limits.max_files]
        origins = _origins(blobs, limits)
        pushed_before = store.known_origins(repository)
        # Read again is what has changed, with the files that say what is ignored.
        changed = [blob for blob in blobs if origins[blob.path] not in pushed_before]
        rules = [blob for blob in blobs if _is_rule(blob) and origins[blob.path] in pushed_before]
        with tempfile.TemporaryDirectory(prefix="packhound-push-") as temporary:
            folder = Path(temporary) / "commit"
            git.write_blobs(root, revision, [*changed, *rules], folder)
            pushed, files = _push_folder(store, folder, repository, origins, limits)
    except OSError as error:
        raise SettingsError(f"commit {revision.commit} cannot be read: {error}") from None
    files |= {pushed_before[each] for each in origins.values() if each in pushed_before}
    store.set_branch(
        repository, branch, revision.commit, files, _words(store, repository, branch, files)
    )
    add_vectors(store, repository, branch)  # The branch is found by words meanwhile.
    store.prune(repository)
    return pushed._replace(files=len(files))


def _words(store: Store, repository: str, name: str, files: set[UUID]) -> dict[int, bytes]:
    of_name = (
        each for each in store.branches() if (each.repository, each.name) == (repository, name)
    )
    branch = next(of_name, None)
    return updated_words(store, branch.id if branch else None, files)


def _origins(blobs: Sequence[git.Blob], limits: WalkLimits) -> dict[str, bytes]:
    """Return what stands for each file: its path, its object of git, and all that decides on it.

    That is this version, whose rules find secrets, and what is ignored.
    """
    rules = [(blob.path, blob.name) for blob in blobs if _is_rule(blob)]
    salt = repr((__version__, key_of("", b""), limits.exclude, limits.max_file_bytes, rules))
    return {
        blob.path: source_digest(f"{salt}\0{blob.name}\0{blob.path}".encode("utf-8", "replace"))
        for blob in blobs
    }


def _is_rule(blob: git.Blob) -> bool:
    return blob.path.rpartition("/")[2] in IGNORE_FILES


def _push_folder(
    store: Store, folder: Path, repository: str, origins: dict[str, bytes], limits: WalkLimits
) -> tuple[Pushed, set[UUID]]:
    """Add what the store lacks of the files of a folder; return figures, and all of its files."""
    ids, listed = store.known_keys([repository]), dict[str, bytes]()
    n_new = n_nodes = n_bytes = 0
    pool = SharedPool(_WORKERS, with_texts=False)
    try:
        for documents in _read_ahead(_batches(_documents(folder, limits))):
            for document in documents:
                if document.stamp is None:
                    # A digest of a text tells a short secret in it to whoever tries them all.
                    origins[document.path] = b""
            lacking = {key_of(doc.path, doc.source): doc for doc in documents}
            listed.update({doc.path: key for key, doc in lacking.items()})
            lacking = {key: doc for key, doc in lacking.items() if key not in ids}
            if lacking:
                copied = store.copy_known(repository, [*lacking])
                lacking = {key: doc for key, doc in lacking.items() if key not in copied}
                rows = [*_rows(pool, [*lacking.values()], origins)]
                added = store.add(repository, rows)
                ids |= copied | added
                rows = [row for row in rows if row.key in added]
                n_new += len(rows)
                n_nodes += sum(row.nodes for row in rows)
                n_bytes += sum(len(row.analysis) + len(row.text) for row in rows)
    finally:
        pool.close()
    files = {path: ids[key] for path, key in listed.items() if key in ids}
    store.set_origins({file: origins[path] for path, file in files.items()})
    left_out = tuple(path for path in listed if path not in files)
    return Pushed(0, n_new, n_nodes, n_bytes, left_out), {*files.values()}


def _documents(folder: Path, limits: WalkLimits) -> Iterator[Document]:
    """Yield what may leave of the files of a folder: texts without secrets, no large ones.

    Those that had secrets have no stamp.
    """
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


def _rows(
    pool: SharedPool, documents: Sequence[Document], origins: Mapping[str, bytes]
) -> Iterator[Row]:
    """Yield the rows of what parsing makes of documents, but of those at which it fails."""
    texts = {document.path: document.source for document in documents}
    for file in pool.parse_many(iter(documents)) if documents else ():
        text, analysis = texts[file.path], encode_row(file)
        if analysis is not None:
            key, digest = key_of(file.path, text), source_digest(text)
            head = (key, origins[file.path], file.path, digest, len(file.node_digests))
            yield Row(*head, analysis, zlib.compress(text, LEVEL))


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


def _read_ahead(batches: Iterator[list[Document]]) -> Iterator[list[Document]]:
    """Yield batches; the next one is read, and its secrets are taken out, meanwhile."""
    with ThreadPoolExecutor(1) as thread:
        following = thread.submit(next, batches, None)
        while batch := following.result():
            following = thread.submit(next, batches, None)
            yield batch
