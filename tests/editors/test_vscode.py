"""The VS Code extension: its unit tests, its package, and a real VS Code that uses it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import zipfile
from pathlib import Path

import pytest

from tests.support.editor_clients import CHECKOUT, CLIENTS, EDITORS, missing

EXTENSION = CHECKOUT / "vscode-extension"
MOST_PACKAGE_BYTES = 1_000_000
# An editor on a busy machine; a test never waits this long where nothing is wrong.
PATIENCE_S = 600

pytestmark = pytest.mark.editors


def npm(*arguments: str) -> str:
    if not (EXTENSION / "node_modules").is_dir() or not shutil.which("npm"):
        missing("the extension's node_modules")
    done = subprocess.run(
        ["npm", *arguments], cwd=EXTENSION, capture_output=True, text=True, timeout=PATIENCE_S
    )
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-3000:]
    return done.stdout


@pytest.fixture(scope="module")
def node() -> str:
    program = CLIENTS / "vscode" / "node_modules" / "node" / "bin" / "node"
    host = CLIENTS / "vscode" / "node_modules" / "code-server"
    if not program.is_file() or not host.is_dir():
        missing("VS Code")
    if not shutil.which("chromium") and not shutil.which("chromium-browser"):
        missing("chromium")
    return str(program)


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    npm("run", "package")
    return EXTENSION / "packhound.vsix"


@pytest.mark.parametrize("script", ["typecheck", "lint", "test"])
def test_the_extension_passes_its_own_checks(script: str) -> None:
    npm("run", script)


def test_the_package_is_small_and_holds_only_what_runs(package: Path) -> None:
    assert package.stat().st_size < MOST_PACKAGE_BYTES
    names = zipfile.ZipFile(package).namelist()
    assert "extension/dist/extension.js" in names
    assert "extension/media/icon.png" in names
    for name in names:
        assert not any(part in name for part in ("node_modules", "/src/", "/test/", ".map")), name


def drive(
    node: str, script: str, tmp_path: Path, path: str | None = None, **config: object
) -> subprocess.CompletedProcess:
    """Runs one of the drivers beside this file with its configuration."""
    config_file = tmp_path / "drive.json"
    config_file.write_text(json.dumps({"clients": str(CLIENTS), **config}))
    return subprocess.run(
        [node, EDITORS / "vscode" / script, config_file],
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        env={**os.environ, "PATH": path or os.environ["PATH"]},
    )


@pytest.fixture
def pictures(tmp_path: Path) -> Path:
    """Where pictures of the screen go; PACKHOUND_SCREENSHOTS keeps them."""
    folder = Path(os.environ.get("PACKHOUND_SCREENSHOTS") or tmp_path / "screenshots")
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def test_the_extension_inside_a_real_extension_host(
    node: str, workspace: Path, server_command: list[str], tmp_path: Path
) -> None:
    npm("run", "build")
    report = tmp_path / "report.json"
    done = drive(
        node,
        "in_host.mjs",
        tmp_path,
        workspace=str(workspace),
        extension=str(EXTENSION),
        settings={"packhound.server.path": server_command},
        report=str(report),
    )
    assert done.returncode == 0, done.stdout + done.stderr
    failed = {name: why for name, why in json.loads(report.read_text())["tests"].items() if why}
    problems = "\n\n".join(f"{name}:\n{why}" for name, why in failed.items())
    assert not failed, f"{problems}\n\n{done.stderr}"


QUIET = {
    "workbench.startupEditor": "none",
    "workbench.tips.enabled": False,
    "workbench.secondarySideBar.defaultVisibility": "hidden",
    "editor.minimap.enabled": False,
    "workbench.colorTheme": "Default Dark Modern",
}


def test_a_user_searches_looks_why_packs_and_edits(
    node: str,
    workspace: Path,
    server_command: list[str],
    package: Path,
    pictures: Path,
    tmp_path: Path,
) -> None:
    done = drive(
        node,
        "user.mjs",
        tmp_path,
        workspace=str(workspace),
        extension=str(package),
        settings={"packhound.server.path": server_command, **QUIET},
        screenshots=str(pictures),
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_newcomer_without_a_server_is_told_once_what_to_do(
    node: str, workspace: Path, package: Path, pictures: Path, tmp_path: Path
) -> None:
    bare = [folder for folder in ("/usr/bin", "/bin") if not Path(folder, "packhound").exists()]
    done = drive(
        node,
        "newcomer.mjs",
        tmp_path,
        path=os.pathsep.join(bare),
        workspace=str(workspace),
        extension=str(package),
        settings=QUIET,
        screenshots=str(pictures),
    )
    assert done.returncode == 0, done.stdout + done.stderr
