"""What a disk may hold when the power goes between any two system calls of a saving process: of
what was written since the last sync, all, nothing, or any part. What was saved is there each time.
"""

from __future__ import annotations

import random
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from packhound.core.errors import StoreError
from packhound.index.writer import Index
from packhound.storage.sqlite_store import Store
from tests.support.history import History
from tests.support.index_check import contents
from tests.support.index_child import VERSIONS
from tests.support.index_corpus import BagOfWords

REPOSITORY = Path(__file__).parents[2]
CALLS = "openat,write,pwrite64,ftruncate,fsync,fdatasync,unlink,rename,pwritev,mmap"
CALL = re.compile(r"\d+ +(\w+)\((.*)\) += (-?\d+)")
TEXT = re.compile(r'"((?:\\x[0-9a-f]{2})*)"')
BLOCK = 512
KEPT = re.compile(r"(index\.sqlite(-wal|-journal)?|rows-\w+\.bin)$")
"""The shared memory beside them is made anew; nobody else has the files open after a power loss."""


def can_trace() -> bool:
    if sys.platform != "linux" or not shutil.which("strace"):
        return False
    return subprocess.run(["strace", "-o", "/dev/null", "true"], check=False).returncode == 0


pytestmark = pytest.mark.skipif(not can_trace(), reason="needs strace")


@dataclass
class Disk:
    """Files as processes see them, what of them is safe, and the writes since then."""

    seen: dict[str, bytes] = field(default_factory=dict)
    safe: dict[str, bytes] = field(default_factory=dict)
    since: dict[str, list[tuple[int, bytes | None]]] = field(default_factory=dict)
    deleted: dict[str, bytes] = field(default_factory=dict)

    def make(self, name: str) -> None:
        if name not in self.seen:
            self.seen[name] = self.safe[name] = b""
            self.since[name] = []
            self.deleted.pop(name, None)

    def write(self, name: str, at: int, content: bytes) -> None:
        self.seen[name] = written(self.seen[name], at, content)
        self.since[name].append((at, content))

    def cut(self, name: str, length: int) -> None:
        self.seen[name] = written(self.seen[name], length, None)
        self.since[name].append((length, None))

    def sync(self, name: str) -> None:
        self.safe[name], self.since[name] = self.seen[name], []

    def delete(self, name: str) -> None:
        if name in self.seen:
            self.deleted[name] = self.safe.pop(name)
            del self.seen[name], self.since[name]

    def losses(self, seeded: random.Random) -> Iterator[dict[str, bytes]]:
        """What may be left of the files."""
        yield self.seen
        yield self.safe
        yield {**self.deleted, **self.safe}
        remaining = dict(self.safe)
        for name, writes in self.since.items():
            for at, content in writes:
                if seeded.random() < 0.5:
                    if content and seeded.random() < 0.3:
                        content = content[: seeded.randrange(0, len(content), BLOCK)]
                    remaining[name] = written(remaining[name], at, content)
        yield remaining


def written(before: bytes, at: int, content: bytes | None) -> bytes:
    """A file after a write; without content it is cut, or made longer."""
    if content is None:
        return before[:at].ljust(at, b"\0")
    return before[:at].ljust(at, b"\0") + content + before[at + len(content) :]


def traced(folder: Path, log: Path) -> Iterator[tuple[str, str, list[object]]]:
    """The calls of a process that saves: what, in which file, and with what."""
    strace = ["strace", "-f", "-y", "-xx", "-qq", "-s", "10000000", "-e", f"trace={CALLS}"]
    saver = [sys.executable, "-m", "tests.support.index_child", "save_ten_times", str(folder)]
    subprocess.run([*strace, "-o", log, *saver], cwd=REPOSITORY, check=True, capture_output=True)
    for line in log.read_text().splitlines():
        call = CALL.match(line)
        if not call or call[3].startswith("-"):
            assert "index.sqlite" not in decoded(line) or " = -" in line, line[:200]
            continue
        name, arguments, result = call[1], call[2], int(call[3])
        texts = [bytes.fromhex(text.replace("\\x", "")) for text in TEXT.findall(arguments)]
        where = decoded(
            texts[0].decode() if name in ("openat", "unlink") else arguments.split(">")[0]
        )
        yield name, where.rpartition("/")[2], [arguments, texts, result]


def decoded(text: str) -> str:
    return re.sub(r"\\x([0-9a-f]{2})", lambda code: chr(int(code[1], 16)), text)


def replay(folder: Path, log: Path) -> Iterator[tuple[Disk, int]]:
    """The disk after each call that changes it, and the last generation said to be safe."""
    disk, safe = Disk(), 0
    for name, where, (arguments, texts, result) in traced(folder, log):
        if name == "write" and arguments.startswith("1<"):
            printed = texts[0].strip()
            safe = int(printed) if printed else safe
            continue
        if not KEPT.search(where):
            continue
        numbers = [int(number) for number in re.findall(r", (\d+)(?=,|$)", arguments)]
        if name == "openat":
            if "O_CREAT" in arguments:
                disk.make(where)
        elif name == "pwrite64":
            disk.write(where, numbers[-1], texts[-1])
            assert result == len(texts[-1])
        elif name == "write":
            disk.write(where, len(disk.seen[where]), texts[-1][:result])
        elif name == "ftruncate":
            disk.cut(where, numbers[-1])
        elif name in ("fsync", "fdatasync"):
            disk.sync(where)
        elif name == "unlink":
            disk.delete(where)
        else:
            assert name == "mmap" and "PROT_WRITE" not in arguments, (name, where)
        yield disk, safe


@pytest.mark.usefixtures("bulk")
@pytest.mark.parametrize("share", [0.08, pytest.param(1.0, marks=pytest.mark.release)])
def test_what_was_saved_survives_any_loss_of_what_was_not_synced(tmp_path, share):
    seeded, history, n_loaded = random.Random(7), History(), 0
    copy = tmp_path / "copy"
    for disk, safe in replay(tmp_path / "s", tmp_path / "log"):
        if seeded.random() > share:
            continue
        for remaining in disk.losses(seeded):
            shutil.rmtree(copy, ignore_errors=True)
            copy.mkdir()
            for name, content in remaining.items():
                (copy / name).write_bytes(content)
            index = loaded(copy, refusal_is_legal=not safe)
            if index is None:
                assert not safe
                continue
            assert index.snapshot.generation >= safe
            assert contents(index.snapshot) == history.at(index.snapshot.generation)
            n_loaded += 1
    assert n_loaded > 20


def loaded(folder: Path, *, refusal_is_legal: bool) -> Index | None:
    store = Store.open(folder, lambda: VERSIONS)
    try:
        saved = store.load()
    except StoreError:
        assert refusal_is_legal
        return None
    finally:
        store.close()
    if saved is None:
        return None
    index = Index(BagOfWords())
    index.restore(saved)
    return index
