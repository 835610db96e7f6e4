"""The VSIX that carries the server, built for this machine, and used with nothing but a Python."""

from __future__ import annotations

import platform
import re
import shutil
import subprocess
import sys
import zipfile
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.support.editor_clients import missing
from tests.support.lsp_client import LspClient
from tests.support.vscode import EXTENSION, QUIET, drive

MOST_BUNDLE_BYTES = 150_000_000
BUILD_S = 580

pytestmark = pytest.mark.editors
OFFLINE = ["unshare", "--map-root-user", "--net"]


@pytest.fixture(scope="module")
def vsix(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The VSIX of this platform with the minor of the Python that runs the tests."""
    if not (shutil.which("uv") or find_spec("uv")):
        missing("uv")
    if not (EXTENSION / "node_modules").is_dir():
        missing("the extension's node_modules")
    out = tmp_path_factory.mktemp("bundle")
    minor = ".".join(platform.python_version_tuple()[:2])
    done = subprocess.run(
        [
            *(sys.executable, EXTENSION / "scripts" / "bundle.py", "--out", out),
            *("--target", target(), "--python", minor),
        ],
        capture_output=True,
        text=True,
        timeout=BUILD_S,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    (built,) = out.glob("*.vsix")
    return built


def target() -> str:
    """This machine as the Marketplace calls it."""
    chip = "arm64" if platform.machine().lower() in ("arm64", "aarch64") else "x64"
    return f"{sys.platform}-{chip}"


@pytest.fixture
def only_python(tmp_path: Path) -> Path:
    """A folder with the Python that the tests' environment was made from, and nothing else."""
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "python3").symlink_to(Path(sys._base_executable).resolve())
    return folder


def test_the_carried_server_answers_offline_with_nothing_but_a_python(
    vsix: Path, only_python: Path, workspace: Path, tmp_path: Path
) -> None:
    assert vsix.stat().st_size < MOST_BUNDLE_BYTES
    zipfile.ZipFile(vsix).extractall(tmp_path / "vsix")
    run = tmp_path / "vsix" / "extension" / "bundled" / "run.py"
    offline = OFFLINE if works([*OFFLINE, "true"]) else []
    bare = ["env", "-i", f"PATH={only_python}", f"HOME={tmp_path}"]
    client = LspClient(
        tmp_path / "cache",
        [
            *(*offline, *bare, f"PACKHOUND_CACHE_DIR={tmp_path / 'cache'}"),
            *(str(only_python / "python3"), str(run), "lsp"),
        ],
    )
    try:
        client.initialize(workspace)
        client.settle()
        hits = client.search("send a request again after a growing delay")
        assert hits[0] == "courier/retry.py send_with_retries"
        status = client.request("packhound/status", {})
        assert status["state"] == "ready", status
    finally:
        client.kill()


def test_a_python_that_is_not_carried_gets_a_sentence(vsix: Path, tmp_path: Path) -> None:
    zipfile.ZipFile(vsix).extractall(tmp_path)
    bundled = tmp_path / "extension" / "bundled"
    minor = "".join(platform.python_version_tuple()[:2])
    (bundled / "libs" / f"cp{minor}").rename(bundled / "libs" / "cp399")
    done = subprocess.run(
        [sys.executable, bundled / "run.py", "lsp"], capture_output=True, text=True
    )
    assert done.returncode == 1
    assert re.fullmatch(r"this Python is 3\S+; the server is carried for: cp399\n", done.stderr)


def works(command: list[str]) -> bool:
    return bool(shutil.which(command[0])) and subprocess.run(command).returncode == 0


def test_in_vs_code_the_carried_server_is_found_and_searches(
    vsix: Path, only_python: Path, node: str, workspace: Path, pictures: Path, tmp_path: Path
) -> None:
    # Chromium and the shell of VS Code's own start.
    for name in ("chromium", "chromium-browser", "sh", "env", "git"):
        if program := shutil.which(name):
            (only_python / name).symlink_to(program)
    done = drive(
        node,
        "bundled.mjs",
        tmp_path,
        path=str(only_python),
        workspace=str(workspace),
        extension=str(vsix),
        settings=QUIET,
        screenshots=str(pictures),
    )
    assert done.returncode == 0, done.stdout + done.stderr
