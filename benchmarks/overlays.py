"""Compare answers as if a patch were applied with those over a folder in which git applied it.

    python -m benchmarks.overlays REPOSITORY ... [--commits 100] [--requests 6] [--cold 50]
        [--log FILE] [--save]

Walks the last commits of clones, the oldest first, with one live engine for each side. The patch of
each is asked as an overlay of its parent; git applies it in another working tree. Answers have to
be equal but for times, generations, node ids, marks and the note on the overlay. Of the requests
that are made of a commit some are drawn, by its digest, so that a walk asks all kinds; after each
so many commits all of them are compared with an index that was made for this alone.

What is compared is kept in a log, where a walk that was stopped goes on. Binary files, links and
submodules, which patches may not have, and files that say what is left out are set aside.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks.stored import save
from packhound.core.errors import SettingsError
from packhound.core.settings_reader import read_settings
from packhound.operations import Call, answer
from packhound.service import Engine, Roots

RESULTS = Path(__file__).parent / "results" / "overlays.json"
_NOT_COMPARED = ("took_ms", "generation", "node_id", "proposed", "uri", "trace")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{5,}")
_PATH = re.compile(rb"^(?:--- a/|\+\+\+ b/|rename (?:from|to) )(.+?)\t?$", re.MULTILINE)
_SET_ASIDE = {
    "binary": re.compile(rb"^GIT binary patch|^Binary files ", re.MULTILINE),
    "link or submodule": re.compile(rb"^(?:\w+ )*(?:mode|index) .*\b1[26]0000$", re.MULTILINE),
    "what is left out": re.compile(rb"^(?:---|\+\+\+) [ab]/(?:.*/)?\.\w*ignore$", re.MULTILINE),
}
_RENAME = re.compile(rb"^rename from ", re.MULTILINE)
_UNHURRIED = {"time_ms": 60_000, "deep": False}
"""Fields of a search that no time limit cuts short, else two runs stop at different places."""
_SETTLED_S = 600.0
_TRIES = 6
_OF_PATCH = ("as if the patch", "the patch removes")
"""Begins of notes that only an answer as if patched has."""


def git(folder: Path, *arguments: str, patch: bytes | None = None) -> bytes:
    """Return what git prints. Raises CalledProcessError."""
    command = ["git", "-c", "core.autocrlf=false", "-c", "advice.detachedHead=false", *arguments]
    return subprocess.run(command, cwd=folder, input=patch, capture_output=True, check=True).stdout


class Walk:
    """Two working trees of a repository, and an engine over each."""

    def __init__(self, repository: Path, work: Path, below: str = "") -> None:
        self._below = below
        self.trees = [work / "overlay" / "tree", work / "applied" / "tree"]
        for tree in self.trees:
            git(work, "clone", "-q", "--no-checkout", "--shared", str(repository), str(tree))
        order = ("--no-merges", "--min-parents=1", "--topo-order", "--reverse", "--format=%H %s")
        log = git(repository, "log", *order, "HEAD", "--", below or ".").decode("utf-8", "replace")
        self._subjects = dict(line.split(" ", 1) for line in log.splitlines())
        self.commits = [*self._subjects]
        self._engines: list[Engine] = []

    @property
    def roots(self) -> list[Path]:
        """The folders that are asked."""
        return [tree / self._below for tree in self.trees]

    def _open(self, root: Path) -> Engine:
        settings = {"ranking.activity": False, "search.deep": "off", "index.persist": False}
        root.mkdir(parents=True, exist_ok=True)
        return Engine.open(root, read_settings(settings)[0])

    def close(self) -> None:
        """Close the engines."""
        for engine in self._engines:
            engine.close()
        self._engines.clear()

    def patch(self, commit: str) -> bytes:
        """Return what a commit changes."""
        relative = [f"--relative={self._below}/"] if self._below else []
        return git(self.trees[0], "diff", *relative, "-M", f"{commit}~1", commit)

    def step(self, commit: str, requests: int | None = None, *, cold: bool = False) -> list[str]:
        """Return what differs at a commit, of all requests or some; `cold`: with a new index too.

        Raises CalledProcessError: git does not apply what it gave.
        """
        patch = self.patch(commit)
        for tree in self.trees:
            git(tree, "checkout", "-q", "--force", f"{commit}~1")
        git(self.trees[1], "clean", "-qfdx")
        prefix = ["--directory", self._below] if self._below else []
        # A rename is one for git where the index knows of it.
        index = ["--index"] if _RENAME.search(patch) else []
        git(self.trees[1], "apply", *index, "--whitespace=nowarn", *prefix, "-", patch=patch)
        if index:
            added = ("diff", "--cached", "-M", "--diff-filter=A", "--name-only", "-z")
            names = git(self.trees[1], *added).decode().split("\0")[:-1]
            if names:
                git(self.trees[1], "reset", "-q", "HEAD", "--", *names)
        if not self._engines:
            self._engines += [self._open(root) for root in self.roots]
        for engine in self._engines:
            engine.refresh()
            assert engine.settled(_SETTLED_S)
        asked = [*_requests(self._engines[1], self._subjects[commit], patch)]
        if requests is not None and requests < len(asked):
            asked = random.Random(commit).sample(asked, requests)
        differences = self._differences(self._engines[1], asked, patch)
        if cold:
            new = self._open(self.roots[1])
            try:
                assert new.settled(_SETTLED_S)
                differences += [f"cold: {each}" for each in self._differences(new, asked, patch)]
            finally:
                new.close()
        return differences

    def _differences(
        self, applied: Engine, asked: Iterable[tuple[str, dict[str, object]]], patch: bytes
    ) -> list[str]:
        text, differences = patch.decode("utf-8", "surrogateescape"), list[str]()
        for name, arguments in asked:
            # A pack waits for git no longer than 0.15 s, so what differs is asked again.
            for _ in range(_TRIES):
                first = _ask(self._engines[0], name, {**arguments, "patch": text})
                second = _ask(applied, name, arguments)
                found = [*_compared(self._plain(first), self._plain(second))]
                if not found:
                    break
            differences += [
                f"{name} {json.dumps(arguments)}: {path}: {one!r:.300} and {other!r:.300}"
                for path, one, other in found
            ]
        return differences

    def _plain(self, value: Any) -> Any:  # noqa: ANN401 - a JSON value
        """Return an answer without what may differ."""
        if isinstance(value, dict):
            plain = {k: self._plain(v) for k, v in value.items() if k not in _NOT_COMPARED}
            return {k: v for k, v in plain.items() if k != "notes" or v}
        if isinstance(value, list):
            return [self._plain(v) for v in value if not str(v).startswith(_OF_PATCH)]
        if isinstance(value, str):
            for root in self.roots:
                value = value.replace(str(root), "ROOT")
        return value


def _requests(
    engine: Engine, subject: str, patch: bytes
) -> Iterator[tuple[str, dict[str, object]]]:
    """Yield what is asked of a commit."""
    paths = [*dict.fromkeys(path.decode("utf-8", "replace") for path in _PATH.findall(patch))]
    words = dict.fromkeys(
        word
        for line in patch.decode("utf-8", "replace").splitlines()
        if line[:1] in "+-"
        for word in _NAME.findall(line)
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


def set_aside(patch: bytes) -> str:
    """Return why a patch is not compared, or ""."""
    return next((why for why, mark in _SET_ASIDE.items() if mark.search(patch)), "")


@contextmanager
def walk(repository: Path, below: str = "") -> Iterator[Walk]:
    """Yield a walk whose working trees are removed in the end."""
    with tempfile.TemporaryDirectory() as folder:
        walked = Walk(repository, Path(folder), below)
        try:
            yield walked
        finally:
            walked.close()


def _walk_on(repository: Path, options: argparse.Namespace, rows: list[dict[str, Any]]) -> None:
    """Compare the commits of a clone that are not in the log, and write them there."""
    name = repository.name.removesuffix(".git")
    seen = {row["commit"] for row in rows if row["repository"] == name}
    with walk(repository, options.below) as walked, options.log.open("a", encoding="utf-8") as log:
        for commit in walked.commits[1:][-options.commits :] if options.commits else ():
            if commit[:12] in seen:
                continue
            row: dict[str, Any] = {"repository": name, "commit": commit[:12]}
            patch = walked.patch(commit)
            if why := "nothing" if not patch else set_aside(patch):
                row["set_aside"] = why
            else:
                n = sum("differences" in other for other in rows)
                row["cold"] = options.cold > 0 and n % options.cold == options.cold - 1
                try:
                    asked = None if row["cold"] else options.requests
                    row["differences"] = walked.step(commit, asked, cold=row["cold"])
                except subprocess.CalledProcessError as refusal:
                    row["set_aside"] = f"git: {refusal.stderr.decode(errors='replace')[:200]}"
            rows.append(row)
            log.write(json.dumps(row) + "\n")
            log.flush()
            for difference in row.get("differences", ()):
                print(name, commit[:10], difference, flush=True)


def summary(rows: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Return what a log says, by repository and in all."""
    rows = [*rows]
    compared = [row for row in rows if "differences" in row]
    by_name = Counter(row["repository"] for row in compared)
    reasons = Counter(str(row["set_aside"]).split(":")[0] for row in rows if "set_aside" in row)
    return {
        "repositories": len(by_name),
        "commits": len(compared),
        "against_a_cold_index": sum(row["cold"] for row in compared),
        "with_a_difference": sum(bool(row["differences"]) for row in compared),
        "set_aside": dict(sorted(reasons.items())),
        "by_repository": dict(sorted(by_name.items())),
    }


def main() -> None:
    """Walk, print each difference, and how many commits had one."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("repositories", type=Path, nargs="+", metavar="REPOSITORY")
    parser.add_argument("--commits", type=int, default=100, help="of each")
    parser.add_argument("--requests", type=int, help="of a commit; all if not said")
    parser.add_argument("--cold", type=int, default=0, help="a new index after so many commits")
    parser.add_argument("--below", default="", help="walk a folder of it alone")
    parser.add_argument("--log", type=Path, help="kept, and gone on with")
    parser.add_argument("--save", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        for name in ("CACHE", "DATA", "STATE"):
            os.environ[f"PACKHOUND_{name}_DIR"] = str(Path(temporary, name))
        options.log = options.log or Path(temporary, "log")
        options.log.touch()
        rows = [json.loads(line) for line in options.log.read_text("utf-8").splitlines()]
        for repository in options.repositories:
            _walk_on(repository.resolve(), options, rows)
    figures = summary(rows)
    if options.save:
        save(RESULTS, figures)
    print(json.dumps(figures, indent=1))
    sys.exit(bool(figures["with_a_difference"]))


if __name__ == "__main__":
    main()
