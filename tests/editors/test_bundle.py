"""The VSIX that carries Python and the server, built for this machine and used on its own."""

from __future__ import annotations

import platform
import shutil
import subprocess
import sys
import zipfile
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.support.command_line import make_house
from tests.support.editor_clients import missing
from tests.support.lsp_client import LspClient
from tests.support.standalone_python import make_archive
from tests.support.vscode import EXTENSION, QUIET, drive

MOST_BUNDLE_BYTES = 95_000_000
BUILD_S = 580

pytestmark = pytest.mark.editors
OFFLINE = ["unshare", "--map-root-user", "--net"]


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    """A Python in the place of the published one, and its digest."""
    if not (shutil.which("uv") or find_spec("uv")):
        missing("uv")
    if not shutil.which("patchelf"):
        missing("patchelf")
    if not (EXTENSION / "node_modules").is_dir():
        missing("the extension's node_modules")
    return make_archive(tmp_path_factory.mktemp("python"))


@pytest.fixture(scope="module")
def vsix(archive: tuple[str, str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The VSIX of this platform."""
    out = tmp_path_factory.mktemp("bundle")
    done = bundle(*archive, out)
    assert done.returncode == 0, done.stdout + done.stderr
    (built,) = out.glob("*.vsix")
    return built


def bundle(url: str, sha256: str, out: Path) -> subprocess.CompletedProcess[str]:
    chip = "arm64" if platform.machine().lower() in ("arm64", "aarch64") else "x64"
    options = ["--target", f"{sys.platform}-{chip}", "--interpreter", url, sha256, "--out", out]
    return subprocess.run(
        [sys.executable, EXTENSION / "scripts" / "bundle.py", *options],
        capture_output=True,
        text=True,
        timeout=BUILD_S,
    )


@pytest.fixture(scope="module")
def unpacked(vsix: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The extension as an editor unpacks it, with the rights of its files."""
    folder = tmp_path_factory.mktemp("unpacked")
    with zipfile.ZipFile(vsix) as files:
        for each in files.infolist():
            Path(files.extract(each, folder)).chmod(each.external_attr >> 16 & 0o777 or 0o755)
    return folder / "extension"


@pytest.fixture
def bare(unpacked: Path, tmp_path: Path) -> list[str]:
    """The carried server in an empty environment, without a network where that can be had."""
    offline = OFFLINE if works([*OFFLINE, "true"]) else []
    python = unpacked / "bundled" / "python" / "bin" / "python3"
    environment = ["env", "-i", "PATH=/nowhere", f"HOME={tmp_path}"]
    return [*offline, *environment, str(python), "-I", "-m", "packhound"]


def test_the_carried_server_answers_offline_with_nothing_else(
    vsix: Path, bare: list[str], workspace: Path, tmp_path: Path
) -> None:
    assert vsix.stat().st_size < MOST_BUNDLE_BYTES
    client = LspClient(tmp_path / "cache", [*bare, "lsp"])
    try:
        client.initialize(workspace)
        client.settle()
        hits = client.search("send a request again after a growing delay")
        assert hits[0] == "courier/retry.py send_with_retries"
        status = client.request("packhound/status", {})
        assert status["state"] == "ready", status
    finally:
        client.kill()


def test_all_of_the_carried_server_works(bare: list[str], tmp_path: Path) -> None:
    """Both models, the parsers and agents: what was left out is missed by none of them."""
    house = make_house(tmp_path / "house")
    doctor = run([*bare, "doctor", "--root", str(house)])
    assert doctor.returncode == 0, doctor.stdout
    assert "deep model: bundled" in doctor.stdout
    deep = run([*bare, "search", "unlock the door", "--deep", "--root", str(house)])
    assert "open_door" in deep.stdout, deep.stderr
    agent = run([*bare, "mcp", "--help"])
    assert agent.returncode == 0, agent.stderr


def test_uninstalling_leaves_nothing_but_notes(
    node: str, unpacked: Path, bare: list[str], tmp_path: Path
) -> None:
    house = make_house(tmp_path / "house")
    added = run(
        [*bare, "memory", "add", "insight", "door", "the key turns left", "--root", str(house)]
    )
    assert added.returncode == 0, added.stdout + added.stderr
    assert run([*bare, "search", "door", "--root", str(house)]).returncode == 0
    shutil.rmtree(house)
    assert (tmp_path / ".cache" / "packhound").is_dir()
    hook = unpacked / "dist" / "uninstall.js"
    subprocess.run(["env", "-i", f"HOME={tmp_path}", node, hook], check=True)
    left = {path.relative_to(tmp_path).parts[:3] for path in tmp_path.rglob("*") if path.is_file()}
    assert left == {(".local", "share", "packhound")}


def test_a_python_that_is_not_the_published_one_is_refused(
    archive: tuple[str, str], tmp_path: Path
) -> None:
    url, _ = archive
    done = bundle(url, "0" * 64, tmp_path)
    assert done.returncode == 1
    assert "has the digest" in done.stderr
    assert not [*tmp_path.iterdir()]


def run(command: list[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, timeout=120)


def works(command: list[str]) -> bool:
    return bool(shutil.which(command[0])) and subprocess.run(command).returncode == 0


def test_in_vs_code_the_carried_server_is_found_and_searches(
    vsix: Path, node: str, workspace: Path, pictures: Path, tmp_path: Path
) -> None:
    # Chromium and the shell of VS Code's own start.
    programs = tmp_path / "bin"
    programs.mkdir()
    for name in ("chromium", "chromium-browser", "sh", "env", "git"):
        if program := shutil.which(name):
            (programs / name).symlink_to(program)
    done = drive(
        node,
        "bundled.mjs",
        tmp_path,
        path=str(programs),
        workspace=str(workspace),
        extension=str(vsix),
        settings=QUIET,
        screenshots=str(pictures),
    )
    assert done.returncode == 0, done.stdout + done.stderr
