"""A user at work on a copy of a folder: types, saves, renames, deletes, switches branches, asks."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

from benchmarks.lsp_probe import Client

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
