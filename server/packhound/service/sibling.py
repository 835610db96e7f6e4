"""A new folder starts from the index of its nearest sibling: a working tree, a clone, a branch."""

from __future__ import annotations

import time
from pathlib import Path

from packhound.core.errors import StoreError
from packhound.core.log import log
from packhound.files import read
from packhound.parsing import source_digest
from packhound.storage import copy_index, sample_files, saved_indexes

_MAX_SIBLINGS = 32
_SAMPLE = 40
_MIN_SHARE = 0.5
"""Share of the sampled files that are the same; below, parsing the rest gains little."""
_GOOD_SHARE = 0.9
"""Share above which no other index is looked at."""
_MAX_BYTES = 1_000_000


def start_from_sibling(root: Path, folder: Path) -> bool:
    """Copy the index of the folder with the most files in common; False if none has enough.

    The one saved last wins if it has nearly all.

    `folder` is that of the index of `root`, and holds none yet.
    """
    started = time.monotonic()
    siblings = [sibling for sibling in saved_indexes(folder.parent) if sibling != folder]
    best, best_share = None, 0.0
    for sibling in siblings[:_MAX_SIBLINGS]:
        if (share := _share(root, sibling)) > best_share:
            best, best_share = sibling, share
        if best_share >= _GOOD_SHARE:
            break
    if best is None or best_share < _MIN_SHARE:
        return False
    try:
        copy_index(best, folder)
    except StoreError as problem:
        log.info("%s starts from nothing: %s", root, problem)
        return False
    elapsed_s = time.monotonic() - started
    log.info("%s starts from %s, found and copied in %.2f s", root, best.name, elapsed_s)
    return True


def _share(root: Path, sibling: Path) -> float:
    """Return the share of sampled files of an index that `root` has too, byte for byte."""
    sample = sample_files(sibling, _SAMPLE)
    if not any((root / path).is_file() for path, _ in sample[:8]):
        return 0.0
    documents = ((read(root, path, _MAX_BYTES), digest) for path, digest in sample)
    n_same = sum(
        doc is not None and source_digest(doc.source) == digest for doc, digest in documents
    )
    return n_same / max(1, len(sample))
