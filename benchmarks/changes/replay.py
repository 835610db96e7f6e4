"""Replay commits: hide half of the files of each, and look for them from the other half.

    python -m benchmarks.changes.replay --repositories DIR --out RESULT.json

DIR has clones with history. Of each, the latest commits of 2 to 20 files are replayed in turn, each
with the files, calls and history of its parent.
"""

from __future__ import annotations

import argparse
import random
import re
import subprocess
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from benchmarks.stored import save
from packhound.core.types import Document
from packhound.files import decode
from packhound.git import CoChanges
from packhound.graph import CallGraph, Grade, Graph
from packhound.impact.changes import _MAX_DEFINITIONS, _TEST_DISTANCE, _lines_by_definition
from packhound.impact.reached_tests import reached_first
from packhound.impact.related_files import rank_files
from packhound.impact.shared_words import share_words, words_of
from packhound.index import FileEntry
from packhound.parsing.languages import language_of
from packhound.parsing.node_codec import encode_nodes
from packhound.parsing.parse import parse
from packhound.text import is_test, terms

_MAX_BYTES = 300_000
_TOP = 10


class Tree:
    """The source of one commit and its graph, moved from commit to commit."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._commit = ""
        self.files: dict[str, FileEntry] = {}
        self.paths: set[str] = set()
        self._texts: dict[str, bytes] = {}
        self._terms: dict[str, frozenset[str]] = {}
        self._graph = Graph()
        self._n = 0

    def move_to(self, commit: str) -> None:
        """Read what differs from the commit before."""
        if self._commit:
            out = git(self._root, "diff", "--name-only", "--no-renames", "-z", self._commit, commit)
        else:
            out = git(self._root, "ls-tree", "-r", "--name-only", "-z", commit)
        self._commit = commit
        names = [name for name in out.split("\0") if name]
        process = subprocess.Popen(
            ["git", "cat-file", "--batch"],
            cwd=self._root,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        assert process.stdin and process.stdout
        self.files = dict(self.files)
        for name in names:
            process.stdin.write(f"{commit}:{name}\n".encode())
            process.stdin.flush()
            head = process.stdout.readline().split()
            self.files.pop(name, None)
            self.paths.discard(name)
            if head[-1] == b"missing" or head[1] != b"blob":
                if head[-1] != b"missing":
                    process.stdout.read(int(head[2]) + 1)
                continue
            source = process.stdout.read(int(head[2]))
            process.stdout.read(1)
            self.paths.add(name)
            if language_of(name) in (None, "markdown") or len(source) > _MAX_BYTES:
                continue
            self._add(name, decode(name, source))
        process.stdin.close()
        process.wait()
        self._graph.update(self.files)

    def _add(self, name: str, source: bytes) -> None:
        parsed = parse(Document(name, source))
        ids = np.arange(self._n, self._n + len(parsed.nodes), dtype=np.int32)
        self._n += len(ids)
        digest = b"%d" % self._n
        record = encode_nodes(parsed.nodes, parsed.captured)
        self.files[name] = FileEntry(
            name, parsed.language, digest, None, 0, ids, parsed.imports, None, b"", record
        )
        self._texts[name] = source
        self._terms[name] = frozenset(terms(source.decode("utf-8", "replace")))

    def calls(self, changed: dict[str, list[tuple[int, int]]]) -> Counter[str]:
        """Return the uses between the changed nodes and other files, by file."""
        graph, counts = CallGraph(self._graph, self._texts.get), Counter[str]()
        for path, lines in changed.items():
            entry = self.files.get(path)
            nodes = entry.nodes if entry else ()
            touched = [
                i
                for i, node in enumerate(nodes)
                if any(node.span.start_line <= b and a <= node.span.end_line for a, b in lines)
            ][:20]
            for i in touched:
                assert entry is not None
                for use in (
                    *graph.uses(int(entry.node_ids[i])),
                    *graph.users(int(entry.node_ids[i])),
                ):
                    location = self._graph.location(use.node_id)
                    if location and location[0] != path:
                        counts[location[0]] += use.grade != Grade.POSSIBLE
        return counts

    def distances(self, changed: dict[str, list[tuple[int, int]]]) -> dict[str, int]:
        """Return the fewest resolved calls over which each file reaches the changed nodes."""
        graph, distances = CallGraph(self._graph, self._texts.get), dict[str, int]()
        touched = [
            int(entry.node_ids[position])
            for path, lines in changed.items()
            if (entry := self.files.get(path))
            for position in _lines_by_definition(entry, lines)
        ]
        for use in graph.callers(touched[:_MAX_DEFINITIONS], _TEST_DISTANCE).values():
            location = self._graph.location(use.node_id)
            if location and use.grade == Grade.RESOLVED:
                known = distances.get(location[0], use.distance)
                distances[location[0]] = min(known, use.distance)
        return distances

    def words(self, changed: dict[str, list[tuple[int, int]]]) -> dict[str, float]:
        """Return the share of the words of changed lines that each file has."""
        texts = list[str]()
        for path, runs in changed.items():
            lines = self._texts.get(path, b"").decode("utf-8", "replace").split("\n")
            texts += (line for first, last in runs for line in lines[first : last + 1])
        paths = [*self.files]
        files_with = {
            word: np.array([i for i, path in enumerate(paths) if word in self._terms[path]], int)
            for word in words_of(texts)
        }
        shares = share_words(files_with, len(paths), len(paths))
        return dict(zip(paths, shares.tolist(), strict=True))


def git(root: Path, *arguments: str) -> str:
    return subprocess.run(
        ["git", *arguments], cwd=root, capture_output=True, check=True
    ).stdout.decode("utf-8", "replace")


def commits_of(root: Path) -> list[tuple[str, list[str]]]:
    out = git(
        root,
        "log",
        "--no-merges",
        "--no-renames",
        "--name-only",
        "--max-count=3500",
        "--format=%x1e%H",
    )
    blocks = [block.split("\n") for block in out.split("\x1e") if block.strip()]
    return [(block[0], [line for line in block[1:] if line]) for block in blocks]


def old_lines(root: Path, commit: str, path: str) -> list[tuple[int, int]]:
    diff = git(root, "diff", "--unified=0", "--no-renames", f"{commit}~", commit, "--", path)
    hunks = re.findall(r"^@@ -(\d+)(?:,(\d+))? ", diff, re.M)
    return [(max(0, int(a) - 1), max(0, int(a) - 1) + max(int(n or 1), 1) - 1) for a, n in hunks]


def cases(root: Path, most: int) -> Iterator[dict]:
    commits = commits_of(root)
    eligible = [
        i for i, (_, files) in enumerate(commits[: len(commits) // 2]) if 2 <= len(files) <= 20
    ][:most]
    tree = Tree(root)
    for i in reversed(eligible):
        commit, files = commits[i]
        try:
            tree.move_to(git(root, "rev-parse", f"{commit}~").strip())
        except subprocess.CalledProcessError:
            continue
        existing = [path for path in files if path in tree.paths]
        if len(existing) < 2:
            continue
        shuffled = sorted(existing)
        random.Random(commit).shuffle(shuffled)
        half = len(shuffled) // 2
        history = [names for _, names in commits[i + 1 :]]
        source = [path for path in existing if not is_test(path)]
        tests = [path for path in existing if is_test(path) and path in tree.files]
        yield {
            "commit": commit,
            "tree": tree,
            "history": history,
            "shown": shuffled[:half],
            "hidden": shuffled[half:],
            "source": source,
            "tests": tests,
            "lines": {path: old_lines(root, commit, path) for path in existing},
        }


def recall(ranked: Sequence[str], hidden: Sequence[str]) -> float:
    return len(set(ranked[:_TOP]) & set(hidden)) / len(hidden)


def same_folder(paths: set[str], visible: list[str], history: CoChanges) -> list[str]:
    folders = Counter(path.rpartition("/")[0] for path in visible)
    candidates = [p for p in paths if p not in visible and p.rpartition("/")[0] in folders]
    return sorted(
        candidates, key=lambda p: (-folders[p.rpartition("/")[0]], -history.weights[p], p)
    )


def co_changed(paths: set[str], visible: list[str], commits: list[list[str]]) -> list[str]:
    counts = Counter[str]()
    for files in commits:
        if len(files) <= 40 and not set(visible).isdisjoint(files):
            counts.update(f for f in files if f not in visible and f in paths)
    return [path for path, _ in counts.most_common(_TOP)]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--repositories", type=Path, required=True)
    parser.add_argument("--most", type=int, default=42)
    parser.add_argument("--names", nargs="*")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    rows = []
    for root in sorted(options.repositories.iterdir()):
        if options.names and root.name not in options.names:
            continue
        started = time.monotonic()
        scores = defaultdict(list)
        for case in cases(root, options.most):
            tree, visible, hidden = case["tree"], case["shown"], case["hidden"]
            history = CoChanges.of(case["history"], visible)
            calls = tree.calls({path: case["lines"][path] for path in visible})
            words = tree.words({path: case["lines"][path] for path in visible})
            ranked = [f.path for f in rank_files(tree.paths, visible, history, calls, words)]
            scores["same folder"].append(recall(same_folder(tree.paths, visible, history), hidden))
            scores["co-changed before"].append(
                recall(co_changed(tree.paths, visible, case["history"]), hidden)
            )
            scores["packhound"].append(recall(ranked, hidden))
            if case["tests"] and case["source"]:
                source, tests = case["source"], case["tests"]
                history = CoChanges.of(case["history"], source)
                calls = tree.calls({path: case["lines"][path] for path in source})
                words = tree.words({path: case["lines"][path] for path in source})
                candidates = [path for path in tree.files if is_test(path)]
                files = rank_files(candidates, source, history, calls, words)
                distances = tree.distances({path: case["lines"][path] for path in source})
                ranked = [file.path for file in reached_first(files, distances)]
                scores["tests"].append(recall(ranked, tests))
        means = {name: round(sum(v) / len(v), 4) for name, v in scores.items() if v}
        counts = {"commits": len(scores["packhound"]), "with tests": len(scores["tests"])}
        rows.append({"repository": root.name, **counts, **means})
        print(rows[-1], round(time.monotonic() - started, 1), flush=True)
    summary = {"commits": sum(row["commits"] for row in rows)}
    for name, count in (
        ("same folder", "commits"),
        ("co-changed before", "commits"),
        ("packhound", "commits"),
        ("tests", "with tests"),
    ):
        n = sum(row[count] for row in rows)
        summary[name] = round(sum(row.get(name, 0) * row[count] for row in rows) / max(1, n), 4)
    print(summary)
    if options.out:
        save(options.out, {"summary": summary, "repositories": rows})


if __name__ == "__main__":
    main()
