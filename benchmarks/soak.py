"""A day of work in minutes: does a server that lives for long stay small, quick and right?

    python -m benchmarks.soak FOLDER [--minutes 15] [--pause 0.05] [--seed 1]

Drives a real language server over a copy of FOLDER: typing (broken code too), saves, renames,
deletions, branch switches, searches, packs, cancellations. Every quarter of a minute it prints
memory, threads, descriptors and child processes. At the end it prints the trend, and whether the
index equals that of a server that starts from nothing; the exit code is 1 if it does not, or if
threads, descriptors or processes were left over.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from benchmarks.lsp_probe import Client

SAMPLE_EVERY_S = 15.0
REST_S = 4.0
"""A server gives memory back when nothing has happened for a while."""
SUFFIXES = {".py", ".ts", ".tsx", ".js", ".rs", ".go", ".java", ".c", ".h", ".rb", ".md", ".toml"}
SNIPPETS = (
    "def soaked_{n}(left, right):\n    return left + right\n",
    "class Soaked{n}:\n    def run(self:\n",
    "fn soaked_{n}() -> u8 {{ {n} }}\n",
    "function soaked{n}(a, b) {{\n  return a(b;\n",
    '"""soaked {n} \u2028 \U0001f600\n',
    "}}\n",
    "\n",
    "// soaked remark {n}\r\n",
)
PROSE = (
    "where is the configuration read",
    "validate the fields of a model",
    "parse an expression",
    "open a file and report errors",
    "cache of results with a limit",
    "retry a request that failed",
    "class that serializes values",
    "kind:test error message",
)


class Session:
    """One server over one copy of the folder, and the hands of its user."""

    def __init__(self, root: Path, cache: Path, seed: int) -> None:
        self.root = root
        self.random = random.Random(seed)
        self.client = Client({"PACKHOUND_CACHE_DIR": str(cache)})
        self.open: dict[Path, list[str]] = {}
        self.version = 0
        self.done = 0
        uri = root.as_uri()
        watched = {"workspace": {"didChangeWatchedFiles": {"dynamicRegistration": True}}}
        self.client.request(
            "initialize",
            {
                "processId": os.getpid(),
                "rootUri": uri,
                "workspaceFolders": [{"uri": uri, "name": root.name}],
                "capabilities": watched,
            },
        )
        self.client.notify("initialized", {})
        self.settle()

    def settle(self) -> dict:
        """Wait until nothing is pending."""
        return self.client.request("packhound/status", {"wait": True})

    def files(self) -> list[Path]:
        """What there is to edit now."""
        found = (path for path in self.root.rglob("*") if path.suffix in SUFFIXES)
        return sorted(path for path in found if ".git" not in path.parts and path.is_file())

    def act(self) -> None:
        """One thing that a user does."""
        actions: tuple[tuple[Callable[[], None], int], ...] = (
            (self.type, 40),
            (self.search, 40),
            (self.cancel, 10),
            (self.rename, 3),
            (self.delete, 2),
            (self.create, 3),
            (self.switch, 1),
        )
        weights = [weight for _, weight in actions]
        (action,) = self.random.choices([action for action, _ in actions], weights)
        action()
        self.done += 1

    def type(self) -> None:
        """Open a document, type into it, and save or forget what was typed."""
        path = self.random.choice(self.files())
        text = path.read_bytes().decode("utf-8", "replace")
        lines = self.open[path] = text.split("\n")
        self.notify_open(path, text)
        for _ in range(self.random.randrange(1, 12)):
            self.edit(path, lines)
            if self.random.random() < 0.3:
                self.search()
        if self.random.random() < 0.3:
            path.write_bytes("\n".join(lines).encode())
            self.client.notify("textDocument/didSave", {"textDocument": {"uri": path.as_uri()}})
        self.close(path)

    def edit(self, path: Path, lines: list[str]) -> None:
        """One incremental change at the start of a line."""
        at = self.random.randrange(len(lines))
        until = min(at + self.random.choice((0, 0, 0, 1, 3)), len(lines) - 1)
        self.version += 1
        text = self.random.choice(SNIPPETS).format(n=self.version)
        places = [{"line": line, "character": 0} for line in (at, until)]
        span = dict(zip(("start", "end"), places, strict=True))
        # A carriage return ends a line for the protocol and not for us, so such texts come whole.
        whole = "\r" in text or any("\r" in line for line in lines)
        lines[at:until] = text.split("\n")[:-1]
        change = {"text": "\n".join(lines)} if whole else {"range": span, "text": text}
        document = {"uri": path.as_uri(), "version": self.version}
        self.client.notify(
            "textDocument/didChange", {"textDocument": document, "contentChanges": [change]}
        )

    def search(self) -> None:
        """One of the questions that an editor asks."""
        query = self.query()
        method, params = self.random.choice(
            (
                ("packhound/search", {"query": query}),
                ("workspace/symbol", {"query": query.split()[0]}),
                ("packhound/pack", {"prompt": query, "budget": 4_000}),
                ("packhound/search", {"query": query, "mode": "lexical"}),
            )
        )
        self.client.request(method, params)

    def query(self) -> str:
        """Prose, or a word of some file."""
        if self.random.random() < 0.5:
            return self.random.choice(PROSE)
        words = self.random.choice(self.files()).read_text("utf-8", "replace").split()
        return self.random.choice(words)[:60] if words else "nothing"

    def cancel(self) -> None:
        """Ask and give up at once."""
        self.client.ask_and_cancel("packhound/search", {"query": self.query()})

    def rename(self) -> None:
        """Move a file."""
        path = self.random.choice(self.files())
        self.version += 1
        to = path.with_name(f"moved_{self.version}{path.suffix}")
        path.rename(to)
        self.touched((path, 3), (to, 1))

    def delete(self) -> None:
        """Remove a file."""
        path = self.random.choice(self.files())
        path.unlink()
        self.touched((path, 3))

    def create(self) -> None:
        """Write a new file."""
        self.version += 1
        path = self.random.choice(self.files()).with_name(f"created_{self.version}.py")
        path.write_text("".join(s.format(n=self.version) for s in SNIPPETS[:3]), newline="")
        self.touched((path, 1))

    def switch(self) -> None:
        """Go to the other branch, and leave nothing of this one behind."""
        git(self.root, "checkout", "-q", "--force", ".")
        git(self.root, "clean", "-fdq")
        there = "one" if git(self.root, "branch", "--show-current").strip() == "two" else "two"
        git(self.root, "checkout", "-q", there)
        self.touched((self.root, 2))
        self.settle()

    def notify_open(self, path: Path, text: str) -> None:
        """Show a document."""
        item = {"uri": path.as_uri(), "languageId": "x", "version": self.version, "text": text}
        self.client.notify("textDocument/didOpen", {"textDocument": item})

    def close(self, path: Path) -> None:
        """Hide a document."""
        del self.open[path]
        self.client.notify("textDocument/didClose", {"textDocument": {"uri": path.as_uri()}})

    def touched(self, *changes: tuple[Path, int]) -> None:
        """Tell the server what happened on the disk."""
        listed = [{"uri": path.as_uri(), "type": kind} for path, kind in changes]
        self.client.notify("workspace/didChangeWatchedFiles", {"changes": listed})

    def answers(self) -> list[object]:
        """What the index holds, as far as it shows."""
        self.touched((self.root, 2))
        status = self.settle()
        words = sorted({word for path in self.files()[::7] for word in path.stem.split("_")})[:60]
        found = [status["files"], status["nodes"], status["vectors"]]
        for query in (*PROSE, *words):
            result = self.client.request("packhound/search", {"query": query, "limit": 20})
            found.append([(hit["path"], hit["start_line"], hit["score"]) for hit in result["hits"]])
        return found


def copied(folder: Path, to: Path) -> Path:
    """A repository with two branches that differ in a third of their files."""
    shutil.copytree(folder, to, ignore=shutil.ignore_patterns(".git"), symlinks=True)
    git(to, "init", "-q", "-b", "one")
    commit(to)
    git(to, "checkout", "-q", "-b", "two")
    for n, path in enumerate(sorted(p for p in to.rglob("*") if p.suffix in SUFFIXES)):
        if ".git" in path.parts or not path.is_file() or path.is_symlink():
            continue
        if n % 9 == 0:
            path.rename(path.with_name(f"other_{path.name}"))
        elif n % 9 == 1:
            path.unlink()
        elif n % 9 == 2:
            path.write_bytes(path.read_bytes().replace(b"error", b"mistake") + b"\n")
    commit(to)
    return to


def commit(folder: Path) -> None:
    """All there is."""
    git(folder, "add", "--all", "--force")
    git(folder, "-c", "user.name=soak", "-c", "user.email=soak@localhost", "commit", "-qm", "x")


def git(folder: Path, *arguments: str) -> str:
    """What git says."""
    command = ["git", "-C", str(folder), "-c", "core.autocrlf=false", *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def sample(pid: int) -> dict[str, float]:
    """Memory (MB), threads, descriptors and children of a process, and the memory of those."""
    children = Path(f"/proc/{pid}/task/{pid}/children")
    below = [int(p) for task in children.parents[1].iterdir() for p in child_pids(task)]
    return {
        "mb": round(resident_mb(pid), 1),
        "threads": len(list(Path(f"/proc/{pid}/task").iterdir())),
        "descriptors": len(list(Path(f"/proc/{pid}/fd").iterdir())),
        "children": len(below),
        "children_mb": round(sum(map(resident_mb, below)), 1),
    }


def child_pids(task: Path) -> list[str]:
    """Processes that a thread has started."""
    try:
        return (task / "children").read_text().split()
    except OSError:
        return []


def resident_mb(pid: int) -> float:
    """Memory in use."""
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    except OSError:
        return 0.0
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def slope(samples: list[dict[str, float]], name: str) -> float:
    """Growth of a figure an hour, over the later half."""
    late = samples[len(samples) // 2 :]
    if len(late) < 3:
        return 0.0
    return (
        statistics.linear_regression([s["s"] for s in late], [s[name] for s in late]).slope * 3600
    )


def soak(session: Session, seconds: float, pause_s: float) -> list[dict[str, float]]:
    """Work for so long; the samples."""
    began = time.monotonic()
    samples: list[dict[str, float]] = []
    while (passed := time.monotonic() - began) < seconds:
        if passed >= len(samples) * SAMPLE_EVERY_S:
            session.settle()
            taken = {"s": round(passed), "actions": session.done, **sample(session.client.pid)}
            samples.append(taken)
            print(json.dumps(taken), flush=True)
        session.act()
        time.sleep(pause_s)
    return samples


def main() -> int:
    """Work, then compare."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--minutes", type=float, default=15.0)
    parser.add_argument("--pause", type=float, default=0.05, help="seconds between two actions")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        place = Path(name).resolve()
        root = copied(given.folder.resolve(), place / "work")
        session = Session(root, place / "cache", given.seed)
        time.sleep(REST_S)
        rested = sample(session.client.pid)
        samples = soak(session, given.minutes * 60, given.pause)
        lived = session.answers()
        time.sleep(REST_S)
        left = sample(session.client.pid)
        session.client.close()
        fresh = Session(root, place / "fresh", given.seed)
        rebuilt = fresh.answers()
        fresh.client.close()
    first = samples[min(2, len(samples) - 1)]
    grown = [name for name in ("threads", "descriptors", "children") if left[name] > first[name]]
    verdict = {
        "actions": session.done,
        "equals a rebuild": lived == rebuilt,
        "left over": grown,
        "mb at rest, before and after": [rested["mb"], left["mb"]],
        "mb an hour": round(slope(samples, "mb"), 1),
    }
    print(json.dumps(verdict))
    if lived != rebuilt:
        differing = [pair for pair in zip(lived, rebuilt, strict=True) if pair[0] != pair[1]]
        print(json.dumps(differing[:3])[:3000], file=sys.stderr)
    return 0 if lived == rebuilt and not grown else 1


if __name__ == "__main__":
    sys.exit(main())
