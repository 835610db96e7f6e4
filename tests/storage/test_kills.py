"""Killed while it reads and saves: the next start finds what a rebuild would find."""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

from packhound.core.settings_reader import settings_from
from packhound.service.engine import Engine
from packhound.service.roots import index_folder
from tests.support.index_check import contents
from tests.support.project import wait_until
from tests.support.release import seed, size

CHILD = Path(__file__).parents[1] / "support" / "kill_child.py"
pytestmark = pytest.mark.skipif(os.name != "posix", reason="POSIX signals")


def check_kills(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rounds: int) -> None:
    monkeypatch.setenv("PACKHOUND_CACHE_DIR", str(tmp_path / "cache"))
    root = tmp_path / "root"
    root.mkdir()
    # On a busy machine a child may be killed before it has written anything.
    (root / "kept.py").write_text("def kept():\n    return 1\n")
    seeded, loaded = random.Random(seed(rounds)), 0
    for number in range(rounds):
        command = [sys.executable, CHILD, root, str(number)]
        with subprocess.Popen(command, stdout=subprocess.PIPE) as child:
            assert child.stdout.readline() == b"open\n"
            time.sleep(seeded.uniform(0, 1.5))
            assert child.poll() is None
            child.send_signal(signal.SIGKILL)
        engine = Engine.open(root, settings_from({"index.workers": 1}))
        try:
            loaded += engine.snapshot.n_files > 0
            assert engine.settled(60)
            # A process that the killed one was starting holds its lock until it runs.
            wait_until(partial(getattr, engine.index, "writer"))
            # After many edits it may be compacted just now.
            assert not [n for n in engine.status().notes if "is compacted" not in n]
            rebuilt = Engine.open(root, settings_from({"index.persist": False, "index.workers": 1}))
            try:
                assert rebuilt.settled(60)
                assert contents(engine.snapshot) == contents(rebuilt.snapshot)
            finally:
                rebuilt.close()
        finally:
            engine.close()
    assert loaded


@pytest.mark.slow
def test_kills_leave_what_a_rebuild_gives(tmp_path, monkeypatch):
    check_kills(tmp_path, monkeypatch, 3)


READ = """
import sys, threading
from pathlib import Path
from packhound.core.settings_reader import settings_from
from packhound.indexing import Timing
from packhound.service.engine import Engine

timing = Timing(first_publish_s=0.02, save_while_reading_s=0.02)
engine = Engine.open(Path(sys.argv[1]), settings_from({"index.workers": 1}), timing=timing)
threading.Event().wait()
"""


def test_a_first_reading_that_is_killed_goes_on_from_what_was_saved(tmp_path, monkeypatch):
    monkeypatch.setenv("PACKHOUND_CACHE_DIR", str(tmp_path / "cache"))
    root = tmp_path / "root"
    root.mkdir()
    for number in range(800):
        functions = (f"def canary_{number}_{n}(path):\n    return path\n" for n in range(20))
        (root / f"m{number}.py").write_text("\n\n".join(functions))
    saved = index_folder(root) / "index.sqlite"
    with subprocess.Popen([sys.executable, "-c", READ, root]) as child:
        while not _has_rows(saved):
            assert child.poll() is None
            time.sleep(0.01)
        child.send_signal(signal.SIGKILL)
    engine = Engine.open(root, settings_from({"index.workers": 1}))
    try:
        assert 0 < engine.snapshot.n_files < 800, engine.status().notes
        assert not engine.reading.is_complete
        assert engine.settled(120)
        assert engine.snapshot.n_files == 800 and engine.reading.is_complete
    finally:
        engine.close()


def _has_rows(path: Path) -> bool:
    try:
        with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as connection:
            return bool(connection.execute("SELECT count(*) FROM rows").fetchone()[0])
    except sqlite3.Error:
        return False


@pytest.mark.release
def test_hundreds_of_kills_leave_what_a_rebuild_gives(tmp_path, monkeypatch):
    check_kills(tmp_path, monkeypatch, size(200))
