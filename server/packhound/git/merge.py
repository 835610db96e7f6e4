"""A change and what somebody else has made of the same text meanwhile, merged line by line."""

from __future__ import annotations

import tempfile
from pathlib import Path

from packhound.git.client import git_bytes


def merge(ours: bytes, base: bytes, theirs: bytes) -> bytes | None:
    """Return a text with both changes of `base`, None where they are of the same lines.

    git merges, in a folder of its own. None too where there is no git, or it takes too long.
    """
    if ours in (base, theirs):
        return theirs
    if theirs == base:
        return ours
    with tempfile.TemporaryDirectory(prefix="packhound-") as folder:
        names = ("ours", "base", "theirs")
        for name, text in zip(names, (ours, base, theirs), strict=True):
            Path(folder, name).write_bytes(text)
        return git_bytes(Path(folder), "merge-file", "-p", *names)
