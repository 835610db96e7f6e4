"""Editors that `tests/editors/setup.sh` has set up; one that is missing skips or fails a test."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).parents[2]
EDITORS = CHECKOUT / "tests" / "editors"
PICKERS = ("fzf-lua", "mini.nvim", "plenary.nvim", "snacks.nvim", "telescope.nvim")
CLIENTS = Path(os.environ.get("PACKHOUND_CLIENTS") or CHECKOUT / ".cache" / "clients").resolve()


def missing(what: str) -> None:
    """Fail where clients are required, else skip."""
    message = f"{what} is missing; run tests/editors/setup.sh"
    if os.environ.get("PACKHOUND_REQUIRE_CLIENTS") == "1":
        pytest.fail(message, pytrace=False)
    pytest.skip(message)


def program(name: str) -> str:
    """Return the launcher of a client."""
    launcher = CLIENTS / "bin" / name
    if not launcher.is_file():
        missing(name)
    return str(launcher)


def make_workspace(root: Path) -> Path:
    """Copy the small workspace to `root`, as a git repository."""
    shutil.copytree(EDITORS / "workspace", root)
    name = ["-c", "user.name=Courier", "-c", "user.email=courier@example.invalid"]
    for command in (["init", "--quiet"], ["add", "."], [*name, "commit", "--quiet", "-m", "Begin"]):
        subprocess.run(["git", "-C", root, *command], check=True)
    return root


def unpack_plugins(folder: Path, *names: str) -> list[str]:
    """Return Neovim's plugins of `tests/editors/vendor`, unpacked into `folder`."""
    for name in names:
        shutil.unpack_archive(EDITORS / "vendor" / f"{name}.tar.gz", folder)
    return [str(folder / name) for name in names]
