"""Git as a user runs it, with a name and an address of its own."""

from __future__ import annotations

import subprocess
from pathlib import Path

IDENTITY = ("-c", "user.name=A", "-c", "user.email=a@b", "-c", "commit.gpgsign=false")


def git(folder: Path, *arguments: str) -> None:
    subprocess.run(["git", *IDENTITY, *arguments], cwd=folder, check=True, capture_output=True)
