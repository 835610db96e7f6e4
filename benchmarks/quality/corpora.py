"""Snapshots of the corpora that the quality of the ranking is measured on.

A corpus is indexed once and kept, outside git, in the folder given; it is indexed anew when the
tokenizer, the grammars or the model have changed.
"""

from __future__ import annotations

import pickle
from hashlib import blake2b
from pathlib import Path
from threading import Lock

from packhound.encoder.embedder import Embedder
from packhound.files.reader import read
from packhound.files.walk import WalkLimits, walk
from packhound.index.snapshot import Snapshot
from packhound.index.writer import Index
from packhound.parsing.pool.pool import ParsePool
from packhound.parsing.version import grammar_version
from packhound.text.tokenizer import TOKENIZER_VERSION

MAX_BYTES = 1_000_000


def snapshot_of(root: Path, embedder: Embedder | None, cache: Path, workers: int = 2) -> Snapshot:
    """The snapshot of all files under `root`, from `cache` where it is there."""
    versions = (grammar_version(), TOKENIZER_VERSION, embedder.fingerprint if embedder else "")
    key = blake2b(repr((str(root.resolve()), versions)).encode(), digest_size=8).hexdigest()
    file = cache / f"{root.name}-{key}.pickle"
    if file.exists():
        return pickle.loads(file.read_bytes())
    snapshot = build(root, embedder, workers)
    cache.mkdir(parents=True, exist_ok=True)
    with file.open("wb") as out:
        _Pickler(out, protocol=5).dump(snapshot)
    return snapshot


class _Pickler(pickle.Pickler):
    """Keeps a snapshot whose caches have locks; each lock is made anew."""

    def reducer_override(self, held: object) -> object:
        return (Lock, ()) if isinstance(held, type(Lock())) else NotImplemented


def build(root: Path, embedder: Embedder | None, workers: int) -> Snapshot:
    """Index all files under `root` from scratch."""
    index = Index(embedder)
    stamps = {}
    documents = []
    for path, stamp in walk(root, WalkLimits(max_file_bytes=MAX_BYTES)):
        document = read(root, path, MAX_BYTES)
        if document is not None:
            documents.append(document)
            stamps[path] = stamp
    with ParsePool(workers=workers) as pool:
        files = sorted(pool.parse_many(documents), key=lambda file: file.path)
    index.replace(files, stamps)
    return index.publish()
