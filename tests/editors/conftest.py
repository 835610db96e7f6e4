"""Real editors for the tests in this folder; `setup.sh` beside this file fetches them.

A client that is not there skips its tests and says so. With PACKHOUND_REQUIRE_CLIENTS=1, as in
continuous integration, it fails them instead. PACKHOUND_SERVER names another server to test with.
"""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from pathlib import Path

import pytest

from tests.support.editor_clients import CLIENTS, make_workspace, missing

collect_ignore = ["workspace"]


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers", "editors: drives a real editor; tests/editors/setup.sh sets them up"
    )


@pytest.fixture
def server_command() -> list[str]:
    """The server of this checkout, run by the interpreter that runs the tests."""
    other = os.environ.get("PACKHOUND_SERVER")
    return shlex.split(other) if other else [sys.executable, "-m", "packhound"]


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """A copy of the small workspace, as a git repository."""
    return make_workspace(tmp_path / "courier")


@pytest.fixture
def editor_env(tmp_path: Path) -> dict[str, str]:
    """An environment in which an editor sees nothing of the user's own configuration."""
    home = tmp_path / "home"
    home.mkdir()
    return {
        **os.environ,
        "HOME": str(home),
        "XDG_CONFIG_HOME": str(home / "config"),
        "XDG_STATE_HOME": str(home / "state"),
        "XDG_DATA_HOME": str(home / "data"),
        "XDG_CACHE_HOME": str(home / "cache"),
        "PACKHOUND_CACHE_DIR": str(tmp_path / "index"),
    }


@pytest.fixture(scope="module")
def node() -> str:
    program = CLIENTS / "vscode" / "node_modules" / "node" / "bin" / "node"
    host = CLIENTS / "vscode" / "node_modules" / "code-server"
    if not program.is_file() or not host.is_dir():
        missing("VS Code")
    if not shutil.which("chromium") and not shutil.which("chromium-browser"):
        missing("chromium")
    return str(program)


@pytest.fixture
def pictures(tmp_path: Path) -> Path:
    """Where pictures of the screen go; PACKHOUND_SCREENSHOTS keeps them."""
    folder = Path(os.environ.get("PACKHOUND_SCREENSHOTS") or tmp_path / "screenshots")
    folder.mkdir(parents=True, exist_ok=True)
    return folder
