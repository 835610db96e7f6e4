"""A simulated user of a folder: types, saves, renames, deletes, switches branches, searches."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

from tests.support.lsp_client import LspClient

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
TIMEOUT_S = 900.0
"""For one request: the first waits until a large folder is indexed."""
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
    """One server over one copy of the folder, and the actions of its user."""

    def __init__(self, root: Path, cache: Path, seed: int) -> None:
        self.root = root
        self.random = random.Random(seed)
        self.client = LspClient(cache, timeout_s=TIMEOUT_S)
        self.open: dict[Path, list[str]] = {}
        self.version = 0
        self.n_actions = 0
        self.client.initialize(
            root,
            processId=os.getpid(),
            rootUri=root.as_uri(),
            capabilities={"workspace": {"didChangeWatchedFiles": {"dynamicRegistration": True}}},
        )
        self.settle()

    @property
    def server_pid(self) -> int:
        """Process id of the server."""
        return self.client.process.pid

    def settle(self) -> dict:
        """Wait until nothing is pending."""
        return self.client.settle()

    def files(self) -> list[Path]:
        """Source files that can be edited now."""
        paths = (path for path in self.root.rglob("*") if path.suffix in SUFFIXES)
        return sorted(path for path in paths if ".git" not in path.parts and path.is_file())

    def act(self) -> None:
        """Do one random action."""
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
        self.n_actions += 1

    def type(self) -> None:
        """Open a document, type into it, and save or discard what was typed."""
        path = self.random.choice(self.files())
        text = path.read_bytes().decode("utf-8", "replace")
        lines = self.open[path] = text.split("\n")
        self.client.open_document(path, text, self.version)
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
        first = self.random.randrange(len(lines))
        until = min(first + self.random.choice((0, 0, 0, 1, 3)), len(lines) - 1)
        self.version += 1
        text = self.random.choice(SNIPPETS).format(n=self.version)
        edges = [{"line": line, "character": 0} for line in (first, until)]
        span = dict(zip(("start", "end"), edges, strict=True))
        # A carriage return ends a line for LSP but not in `lines`, so such texts are sent whole.
        is_whole = "\r" in text or any("\r" in line for line in lines)
        lines[first:until] = text.split("\n")[:-1]
        change = {"text": "\n".join(lines)} if is_whole else {"range": span, "text": text}
        document = {"uri": path.as_uri(), "version": self.version}
        self.client.notify(
            "textDocument/didChange", {"textDocument": document, "contentChanges": [change]}
        )

    def search(self) -> None:
        """Send one of the requests of an editor."""
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
        """Return prose, or a word of some file."""
        if self.random.random() < 0.5:
            return self.random.choice(PROSE)
        words = self.random.choice(self.files()).read_text("utf-8", "replace").split()
        return self.random.choice(words)[:60] if words else "nothing"

    def cancel(self) -> None:
        """Send a request and cancel it at once."""
        self.client.cancel(self.client.send_request("packhound/search", {"query": self.query()}))

    def rename(self) -> None:
        """Move a file."""
        path = self.random.choice(self.files())
        self.version += 1
        to = path.with_name(f"moved_{self.version}{path.suffix}")
        path.rename(to)
        self.report_changes((path, 3), (to, 1))

    def delete(self) -> None:
        """Remove a file."""
        path = self.random.choice(self.files())
        path.unlink()
        self.report_changes((path, 3))

    def create(self) -> None:
        """Write a new file."""
        self.version += 1
        path = self.random.choice(self.files()).with_name(f"created_{self.version}.py")
        path.write_text("".join(s.format(n=self.version) for s in SNIPPETS[:3]), newline="")
        self.report_changes((path, 1))

    def switch(self) -> None:
        """Check the other branch out, and discard all changes of this one."""
        git(self.root, "checkout", "-q", "--force", ".")
        git(self.root, "clean", "-fdq")
        branch = "one" if git(self.root, "branch", "--show-current").strip() == "two" else "two"
        git(self.root, "checkout", "-q", branch)
        self.report_changes((self.root, 2))
        self.settle()

    def close(self, path: Path) -> None:
        """Close a document."""
        del self.open[path]
        self.client.close_document({"uri": path.as_uri()})

    def report_changes(self, *changes: tuple[Path, int]) -> None:
        """Notify the server of changes on disk: 1 created, 2 changed, 3 deleted."""
        events = [{"uri": path.as_uri(), "type": kind} for path, kind in changes]
        self.client.notify("workspace/didChangeWatchedFiles", {"changes": events})

    def close_server(self) -> None:
        """End the server as an editor does."""
        self.client.shut_down()
        self.client.kill()

    def answers(self) -> list[object]:
        """Return counts of the index and the hits of many queries, to compare two servers."""
        self.report_changes((self.root, 2))
        status = self.settle()
        words = sorted({word for path in self.files()[::7] for word in path.stem.split("_")})[:60]
        answers = [status["files"], status["nodes"], status["vectors"]]
        for query in (*PROSE, *words):
            result = self.client.request("packhound/search", {"query": query, "limit": 20})
            answers.append(
                [(hit["path"], hit["start_line"], hit["score"]) for hit in result["hits"]]
            )
        return answers


def make_copy(folder: Path, to: Path) -> Path:
    """Copy a folder into a repository with two branches that differ in a third of their files."""
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
    """Commit all files."""
    git(folder, "add", "--all", "--force")
    git(folder, "-c", "user.name=soak", "-c", "user.email=soak@localhost", "commit", "-qm", "x")


def git(folder: Path, *arguments: str) -> str:
    """Return the output of git."""
    command = ["git", "-C", str(folder), "-c", "core.autocrlf=false", *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout
