"""The names under which others know a repository, from the URLs of its remotes."""

from __future__ import annotations

import re
from pathlib import Path

from packhound.git.client import git, open_repository

_URL = re.compile(r"(?:[a-z+]+://)?(?:[^@/]*@)?([^:/]*)(?::\d+(?=/))?[:/]+(.+?)(?:\.git)?/*")


def remote_names(root: Path) -> list[str]:
    """Return `host/owner/name` for each remote of the repository of a folder, origin first.

    It has none unless `root` is the top of the repository, since its paths are other ones below.
    """
    listed = git(root, "config", "--get-regexp", r"^remote\..*\.url$", timeout_s=5.0)
    if not listed or open_repository(root).prefix:
        return []
    rows = [line.split(" ", 1) for line in listed.splitlines() if " " in line]
    rows.sort(key=lambda row: row[0] != "remote.origin.url")
    matches = (_URL.fullmatch(url.strip()) for _, url in rows)
    names = (f"{match[1].lower()}/{match[2]}".strip("/") for match in matches if match)
    return list(dict.fromkeys(names))


def branch_name(root: Path) -> str:
    """Return the branch that is checked out, "" for none."""
    return (git(root, "symbolic-ref", "--short", "--quiet", "HEAD", timeout_s=5.0) or "").strip()
