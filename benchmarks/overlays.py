"""Compare answers as if a patch were applied with those over a folder in which git applied it.

python -m benchmarks.overlays REPOSITORY [--commits 100] [--below FOLDER]

Walks the commits of a clone, the oldest first, with one live engine for each side. The patch of
each is asked as an overlay of its parent; git applies it in another working tree. Answers have to
be equal but for times, generations, node ids, marks and the note on the overlay.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from packhound.core.errors import SettingsError
from packhound.core.settings_reader import read_settings
from packhound.operations import Call, answer
from packhound.service import Engine, Roots

_NOT_COMPARED = ("took_ms", "generation", "node_id", "proposed", "uri", "trace")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{5,}")
_MOST_PRINTED = 3
_UNHURRIED = {"time_ms": 60_000, "deep": False}
"""Fields of a search that no time limit cuts short, else two runs stop at different places."""
_SETTLED_S = 120.0


def git(folder: Path, *arguments: str, patch: bytes | None = None) -> bytes:
    """Return what git prints. Raises CalledProcessError."""
    command = ["git", "-c", "core.autocrlf=false", "-c", "advice.detachedHead=false", *arguments]
    return subprocess.run(command, cwd=folder, input=patch, capture_output=True, check=True).stdout


class Walk:
    """Two working trees of a repository, and an engine over each."""

    def __init__(self, repository: Path, work: Path, below: str = "") -> None:
        self._work, self._below = work, below
        self._source = repository
        self.trees = [work / "overlay" / "tree", work / "applied" / "tree"]
        for tree in self.trees:
            git(work, "clone", "-q", "--no-checkout", "--shared", str(repository), str(tree))
        log = git(repository, "rev-list", "--no-merges", "--reverse", "HEAD", "--", below or ".")
        self.commits = log.decode().split()
        self._engines: list[Engine] = []

    @property
    def roots(self) -> list[Path]:
        """The folders that are asked."""
        return [tree / self._below for tree in self.trees]

    def open(self) -> None:
        """Open engines over both folders."""
        settings = read_settings({"ranking.activity": False, "search.deep": "off"})[0]
        for root in self.roots:
            root.mkdir(parents=True, exist_ok=True)
            self._engines.append(Engine.open(root, settings))

    def close(self) -> None:
        """Close the engines."""
        for engine in self._engines:
            engine.close()
        self._engines.clear()

    def step(self, commit: str) -> list[str] | None:
        """Compare the answers of a commit; None if it changes nothing here that is a text."""
        for tree in self.trees:
            git(tree, "checkout", "-q", "--force", f"{commit}~1")
            git(tree, "clean", "-qfdx")
        patch = git(self.roots[0], "diff", "--relative", "-M", f"{commit}~1", commit)
        paths = git(self.roots[0], "diff", "--relative", "--name-only", f"{commit}~1", commit)
        if not patch or b"GIT binary patch" in patch or b"Binary files" in patch:
            return None
        prefix = ["--directory", self._below] if self._below else []
        git(self.trees[1], "apply", "--whitespace=nowarn", *prefix, "-", patch=patch)
        if not self._engines:
            self.open()
        for engine in self._engines:
            engine.refresh()
            assert engine.settled(_SETTLED_S)
        text = patch.decode("utf-8", "surrogateescape")
        subject = git(self._source, "log", "-1", "--format=%s", commit).decode().strip()
        names = paths.decode().splitlines()
        asked = _requests(self._engines[1], subject, names, text)
        return [
            difference
            for name, arguments in asked
            for difference in self._differences(name, arguments, text)
        ]

    def _differences(self, name: str, arguments: Mapping[str, object], patch: str) -> Iterator[str]:
        overlay, applied = self._engines
        # A pack waits for git no longer than 0.15 s, so what differs is asked again.
        for _ in range(3):
            first = _ask(overlay, name, {**arguments, "patch": patch})
            second = _ask(applied, name, arguments)
            found = [*_compared(self._plain(first), self._plain(second))]
            if not found:
                return
        for path, one, other in found:
            yield f"{name} {json.dumps(arguments)}: {path}: {one!r:.300} and {other!r:.300}"

    def _plain(self, value: Any) -> Any:  # noqa: ANN401 - a JSON value
        """Return an answer without what may differ."""
        if isinstance(value, dict):
            plain = {k: self._plain(v) for k, v in value.items() if k not in _NOT_COMPARED}
            return {k: v for k, v in plain.items() if k != "notes" or v}
        if isinstance(value, list):
            return [self._plain(v) for v in value if not str(v).startswith("as if the patch")]
        if isinstance(value, str):
            for root in self.roots:
                value = value.replace(str(root), "ROOT")
        return value


def _requests(
    engine: Engine, subject: str, paths: list[str], patch: str
) -> Iterator[tuple[str, dict[str, object]]]:
    """Yield what is asked of a commit."""
    words = dict.fromkeys(
        word for line in patch.splitlines() if line[:1] in "+-" for word in _NAME.findall(line)
    )
    names = [*words][:: max(1, len(words) // 4)][:4]
    for query in (subject, " ".join(subject.split()[:2]), *names):
        yield "search", {"query": query, "limit": 15, "snippet_lines": 3, **_UNHURRIED}
    for name in names[:3]:
        yield "grep", {"pattern": rf"\b{name}\b", "limit": 50}
        yield "symbol", {"name": name}
        yield "related", {"path": name, "limit": 8}
    yield "outline", {"path": ""}
    yield "changes", {"base": "HEAD"}
    yield "pack", {"prompt": subject, "budget": 3_000}
    for path in paths[:3]:
        yield "outline", {"path": path}
        yield "read_node", {"path": path}
        yield "search", {"query": f"{names[0] if names else subject} path:{path}", **_UNHURRIED}


def _ask(engine: Engine, name: str, arguments: Mapping[str, object]) -> dict[str, Any]:
    try:
        return answer(Call(Roots([engine]), engine.index.settings), name, arguments)
    except SettingsError as refusal:
        return {"refusal": str(refusal)}


def _compared(
    one: Any,  # noqa: ANN401 - a JSON value
    other: Any,  # noqa: ANN401 - a JSON value
    path: str = "",
) -> Iterator[tuple[str, Any, Any]]:
    """Yield the places at which two values differ."""
    if isinstance(one, dict) and isinstance(other, dict):
        for key in {**one, **other}:
            yield from _compared(one.get(key), other.get(key), f"{path}.{key}")
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for n, pair in enumerate(zip(one, other, strict=True)):
            yield from _compared(*pair, f"{path}[{n}]")
    elif one != other:
        yield path, one, other


@contextmanager
def walk(repository: Path, below: str = "") -> Iterator[Walk]:
    """Yield a walk whose working trees are removed in the end."""
    with tempfile.TemporaryDirectory() as folder:
        walked = Walk(repository, Path(folder), below)
        try:
            yield walked
        finally:
            walked.close()


def main() -> None:
    """Print each difference, and how many commits had one."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("repository", type=Path)
    parser.add_argument("--commits", type=int, default=100)
    parser.add_argument("--below", default="")
    arguments = parser.parse_args()
    n, n_bad = 0, 0
    with walk(arguments.repository.resolve(), arguments.below) as walked:
        for commit in walked.commits[1:][-arguments.commits :]:
            differences = walked.step(commit)
            if differences is None:
                continue
            n, n_bad = n + 1, n_bad + bool(differences)
            for difference in differences[:_MOST_PRINTED]:
                print(commit[:10], difference, flush=True)
    print(f"{n:,} commits, {n_bad:,} with a difference")
    sys.exit(bool(n_bad))


if __name__ == "__main__":
    main()
