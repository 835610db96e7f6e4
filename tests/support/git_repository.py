"""Git as a user runs it, with a name and an address of its own."""

from __future__ import annotations

import subprocess
from pathlib import Path

IDENTITY = ("-c", "user.name=A", "-c", "user.email=a@b", "-c", "commit.gpgsign=false")


def git(folder: Path, *arguments: str) -> None:
    subprocess.run(["git", *IDENTITY, *arguments], cwd=folder, check=True, capture_output=True)


def bare_repository(folder: Path) -> Path:
    """Return a repository without a working tree, whose HEAD has a `kitchen.py`."""
    tree, bare = folder / "tree", folder / "kitchen.git"
    tree.mkdir()
    (tree / "kitchen.py").write_text("def boil_water(jug):\n    return jug\n")
    git(tree, "init", "-q")
    git(tree, "add", ".")
    git(tree, "commit", "-qm", "Begin")
    git(folder, "clone", "-q", "--bare", str(tree), str(bare))
    return bare
