"""Trees of the team's store in the cache: by store and user, branch and push."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

from packhound import team
from packhound.core.settings import Settings
from packhound.core.types import Json
from packhound.core.user_folders import cache_folder
from packhound.redact import visible_line
from packhound.service.roots import REVISIONS

_STALE_S = 3_600.0
"""Age at which what a killed process has written in part is deleted."""


class Origin(NamedTuple):
    """The branch of a store that files are of; `link` is a template, "" for none."""

    repository: str
    branch: str
    commit: str
    link: str

    def place(self, path: str, line: int) -> Json:
        """Return where a 1-based line of a file is, with a link where there is a template."""
        row: Json = {
            "repository": visible_line(self.repository),
            "branch": visible_line(self.branch),
        }
        values = {**self._asdict(), "path": path}
        link = self.link.replace("{line}", str(line))
        for name in ("repository", "branch", "commit", "path"):
            link = link.replace(f"{{{name}}}", quote(str(values[name])))
        return row | ({"link": link} if link else {})


def trees_of(settings: Settings) -> list[team.Tree]:
    """Return what is here of the user's store, the newest push first."""
    marks = trees_folder(settings.team.store).glob("*.repository")
    trees = [tree for mark in marks if (tree := team.read_tree(mark.with_suffix("")))]
    return sorted(trees, key=lambda tree: tree.branch.pushed_at, reverse=True)


def delete_parts(folder: Path) -> None:
    """Delete what killed processes have written in part."""
    for part in folder.glob("part-*"):
        with suppress(OSError):
            if time.time() - part.stat().st_mtime > _STALE_S:
                team.delete_tree(part)


def matching_branches(branches: Sequence[team.Branch], settings: Settings) -> list[team.Branch]:
    """Return the branches that `team.remotes` names, in its order."""
    matches: Iterator[team.Branch] = (
        branch for name in settings.team.remotes for branch in team.match_branches(branches, name)
    )
    return list(dict.fromkeys(matches))


def trees_folder(url: str) -> Path:
    """Return the folder of the trees of a store, as one of its users sees it."""
    digest = hashlib.blake2b(url.encode(), digest_size=8).hexdigest()
    return cache_folder() / f"team-{digest}" / REVISIONS


def folder_of(url: str, branch: team.Branch) -> Path:
    """Return the folder of what was last pushed to a branch."""
    push = hashlib.sha256(f"{branch.commit} {branch.pushed_at}".encode()).hexdigest()[:16]
    return trees_folder(url) / f"{branch.id}-{push}"
