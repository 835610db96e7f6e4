"""A process that pushes the commit at HEAD of a folder to a store, for tests that kill it."""

from __future__ import annotations

import sys
from pathlib import Path

from packhound.files import WalkLimits
from packhound.git import find_revision
from packhound.team import push as pushing
from packhound.team.push import push
from packhound.team.store import Store

if __name__ == "__main__":
    url, folder, repository = sys.argv[1:]
    pushing._BATCH_FILES = 5  # So that a small commit has moments between two batches.
    revision = find_revision(Path(folder), "HEAD")
    assert revision
    sys.stdout.write("begins\n")
    sys.stdout.flush()
    with Store.open(url, for_push=True) as store:
        push(store, Path(folder), revision, repository, "main", WalkLimits())
    sys.stdout.write("done\n")
