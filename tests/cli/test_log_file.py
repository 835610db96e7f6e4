"""The log files of the command line and the servers: rotated, and their owner's alone."""

from __future__ import annotations

import logging
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from packhound.core.log_file import log_to_file
from tests.support.command_line import packhound


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PACKHOUND_STATE_DIR", str(tmp_path / "state"))
    return tmp_path / "state"


def test_failures_are_logged_in_the_state_folder(tmp_path: Path, state: Path) -> None:
    assert packhound(tmp_path, "search", "x", "--root", "/no/such/folder").returncode == 2
    text = (state / "cli.log").read_text()
    assert "'/no/such/folder' does not exist" in text
    if os.name == "posix":
        assert (mode(state), mode(state / "cli.log")) == (0o700, 0o600)


def test_another_file_can_be_named(tmp_path: Path, root: Path, state: Path) -> None:
    log = tmp_path / "log.txt"
    log.write_text("before\n")
    log.chmod(0o644)
    done = packhound(tmp_path, "--log-file", str(log), "search", "x", "--root", "/no/such/folder")
    assert done.returncode == 2
    assert log.read_text().startswith("before\n") and "does not exist" in log.read_text()
    assert os.name != "posix" or mode(log) == 0o600
    assert not state.exists()
    done = packhound(tmp_path, "--log-file", str(tmp_path), "status", "--root", str(root))
    assert done.returncode == 2 and "cannot be written" in done.stderr


def test_a_state_folder_that_cannot_be_used_stops_nothing(
    tmp_path: Path, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("PACKHOUND_STATE_DIR", str(tmp_path / "file"))
    done = packhound(tmp_path, "search", "open_door", "--root", str(root))
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.skipif(os.name != "posix", reason="this system has no named pipes")
def test_a_fifo_in_place_of_the_log_is_not_waited_for(
    tmp_path: Path, root: Path, state: Path
) -> None:
    state.mkdir(mode=0o700)
    os.mkfifo(state / "cli.log")
    done = packhound(tmp_path, "search", "open_door", "--root", str(root))
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("option", [(), ("--log-file", "agent.log")])
def test_a_server_of_agents_that_works_alone_logs(
    tmp_path: Path, root: Path, state: Path, option: tuple[str, ...]
) -> None:
    command = [sys.executable, "-m", "packhound", "mcp", str(root), "--alone=a test", *option]
    subprocess.run(command, input=b"", cwd=tmp_path, check=True, timeout=60)
    log = tmp_path / "agent.log" if option else state / "mcp.log"
    assert "serves" in log.read_text() and str(root) in log.read_text()
    assert os.name != "posix" or mode(log) == 0o600


def test_old_lines_are_rotated_out(tmp_path: Path, state: Path) -> None:
    logger = logging.getLogger("packhound")
    handlers, level = logger.handlers[:], logger.level
    try:
        log_to_file(None, "cli.log")
        for _ in range(60):
            logger.info("x" * 100_000)
    finally:
        for handler in logger.handlers:
            handler.close()
        logger.handlers[:] = handlers
        logger.setLevel(level)
    files = sorted(state.iterdir())
    assert [file.name for file in files] == ["cli.log", *(f"cli.log.{n}" for n in (1, 2, 3))]
    assert all(file.stat().st_size <= 1_100_000 for file in files)
    assert os.name != "posix" or {mode(file) for file in files} == {0o600}
