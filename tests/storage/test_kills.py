"""Killed while it reads and saves: the next start finds what a rebuild would find."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from packhound.core.settings_reader import settings_from
from packhound.service.engine import Engine
from tests.support.index_check import contents

CHILD = Path(__file__).parents[1] / "support" / "kill_child.py"
pytestmark = pytest.mark.skipif(os.name != "posix", reason="POSIX signals")


def check_kills(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rounds: int) -> None:
    monkeypatch.setenv("PACKHOUND_CACHE_DIR", str(tmp_path / "cache"))
    root = tmp_path / "root"
    root.mkdir()
    # On a busy machine a child may be killed before it has written anything.
    (root / "kept.py").write_text("def kept():\n    return 1\n")
    seeded, loaded = random.Random(rounds), 0
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
            assert engine.settled(60) and engine.writer
            assert engine.status().notes == ()
            rebuilt = Engine.open(root, settings_from({"index.persist": False, "index.workers": 1}))
            try:
                assert rebuilt.settled(60)
                assert contents(engine.snapshot) == contents(rebuilt.snapshot)
            finally:
                rebuilt.close()
        finally:
            engine.close()
    assert loaded


def test_kills_leave_what_a_rebuild_gives(tmp_path, monkeypatch):
    check_kills(tmp_path, monkeypatch, 3)


@pytest.mark.slow
def test_hundreds_of_kills_leave_what_a_rebuild_gives(tmp_path, monkeypatch):
    check_kills(tmp_path, monkeypatch, 200)
