"""The index of a folder as the last process left it, or an empty one and the reason why."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from packhound.core.errors import StoreError
from packhound.core.trace import traced
from packhound.encoder import Embedder
from packhound.index import FileEntry, Index
from packhound.indexing import DEFAULT_TIMING, Timing
from packhound.parsing import NO_EXTRACTORS, Extractors, grammar_version
from packhound.service.sibling import start_from_sibling
from packhound.storage import MemoryRows, Store
from packhound.text import PATHS_VERSION, TOKENIZER_VERSION

WaitForEmbedder: TypeAlias = Callable[[], "Embedder | None"]
"""Return the encoder once it is loaded; None where there is none."""


@dataclass(frozen=True, slots=True)
class OpenedIndex:
    """An index and its store, which is None where nothing is persisted."""

    index: Index
    store: Store | None = None
    problem: str = ""
    """Why nothing is persisted, unless that was asked for."""
    rebuild_reason: str = ""
    """Why the persisted index was discarded."""
    is_copy: bool = False
    """True if it is that of another folder, of which a few files differ."""

    @property
    def writer(self) -> bool:
        """Return True if this process is the one that saves the index."""
        return bool(self.store and self.store.writer)


@traced("open index")
def open_index(
    folder: Path,
    embedder: WaitForEmbedder,
    *,
    persist: bool,
    discard: bool = False,
    timing: Timing = DEFAULT_TIMING,
    root: Path | None = None,
    indexes: Sequence[MemoryRows] = (),
    extractors: Extractors = NO_EXTRACTORS,
) -> OpenedIndex:
    """Load the last generation saved in `folder`; with `discard`, forget it.

    Where nothing was saved and `root` is given, that is the index of a folder like it.
    What one of `indexes` has is shared with it.
    `embedder` is called when all is read, so that it can be loaded meanwhile. With other
    `extractors` the saved index does not count.
    """
    if not persist:
        return OpenedIndex(_empty_index(embedder, timing))
    try:
        store = Store.open(folder, lambda: _versions(embedder(), extractors))
    except StoreError as error:
        problem = f"the index is kept in memory only: {error}"
        return OpenedIndex(_empty_index(embedder, timing), problem=problem)
    saved, rebuild_reason, is_copy = None, "", False
    try:
        if discard:
            store.discard()
        else:
            is_copy = root is not None and store.is_new and start_from_sibling(root, folder)
            saved = store.load(indexes)
    except StoreError as error:
        rebuild_reason = "" if is_copy else f"the index was rebuilt: {error}"
    index = _empty_index(embedder, timing)
    if saved:
        index.restore(saved)
        if is_copy and root:
            # Nothing of the other folder is shown that this one does not have.
            index.remove(_missing_paths(root, saved.files))
            index.publish()
    return OpenedIndex(index, store, rebuild_reason=rebuild_reason, is_copy=is_copy)


def _missing_paths(root: Path, files: Iterable[FileEntry]) -> list[str]:
    """Return the paths of files that a folder does not have; its scan looks at the others."""
    return [file.path for file in files if not os.path.isfile(f"{root}/{file.path}")]  # noqa: PTH113


def _empty_index(embedder: WaitForEmbedder, timing: Timing) -> Index:
    return Index(embedder(), retry_s=timing.embed_retry_s)


def _versions(embedder: Embedder | None, extractors: Extractors) -> str:
    """Return all that decides what an index holds beyond the sources."""
    fingerprint = embedder.fingerprint if embedder else "none"
    extracted = f"/{extractors.version}" if extractors.items else ""
    return f"{TOKENIZER_VERSION}/{PATHS_VERSION}/{grammar_version()}/{fingerprint}{extracted}"
