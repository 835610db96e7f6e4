# ruff: noqa: T201 - it talks to its parent
"""Child processes that use a store; run as `python -m tests.support.index_child TASK FOLDER`."""

from __future__ import annotations

import itertools
import os
import sys
from collections.abc import Iterator
from pathlib import Path

from packhound.core.errors import StoreError
from packhound.index.writer import Index
from packhound.storage import bulk_rows
from packhound.storage.sqlite_store import Store
from tests.support.index_corpus import BagOfWords, file, stamp

VERSIONS = "tokenizer 1, model bag-of-words"
BULK = "TEST_MAX_BULK_BYTES"
bulk_rows.MAX_BYTES = int(os.environ.get(BULK, bulk_rows.MAX_BYTES))


def put(index: Index, texts: dict[str, str]) -> None:
    index.replace([file(p, t) for p, t in texts.items()], {p: stamp() for p in texts})
    index.publish()


def filled(n_files: int = 6) -> Index:
    index = Index(BagOfWords())
    texts = {f"{i}.py": f"function f{i}: load x{i}\nclass Ü{i}: tree 日本" for i in range(n_files)}
    put(index, texts)
    return index


def edits(index: Index) -> Iterator[None]:
    """Steps without end, the same ones every time."""
    for n in itertools.count(1):
        put(index, {f"{i}.py": f"function f: load v{n}" for i in range(n % 7, n % 7 + 5)})
        if n % 3 == 0:
            index.remove([f"{n % 11}.py"])
        index.publish()
        yield


def save_for_ever(store: Store) -> None:
    """Says which generation is safe after every save."""
    index = Index(BagOfWords())
    if saved := store.load():
        index.restore(saved)
    print("ready", flush=True)
    for _ in edits(index):
        store.save(index.snapshot)
        print(index.snapshot.generation, flush=True)


def save_ten_times(store: Store) -> None:
    index = Index(BagOfWords())
    for _ in itertools.islice(edits(index), 10):
        store.save(index.snapshot)
        print(index.snapshot.generation, flush=True)


def say_who_writes(store: Store) -> None:
    print(store.writer, flush=True)
    sys.stdin.read()


def save_more_than_fits(store: Store) -> None:
    import resource
    import signal

    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))
    try:
        store.save(filled(400).snapshot)
    except StoreError as error:
        print("refused", error)


if __name__ == "__main__":
    expected = (save_for_ever, save_ten_times, say_who_writes, save_more_than_fits)
    what = {f.__name__: f for f in expected}
    what[sys.argv[1]](Store.open(Path(sys.argv[2]), lambda: VERSIONS))
