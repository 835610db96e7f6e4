"""The VS Code extension: its unit tests, its package, and a real VS Code that uses it."""

from __future__ import annotations

import datetime
import json
import os
import random
import shlex
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.support.editor_clients import CHECKOUT
from tests.support.release import seed, size
from tests.support.vscode import AUTO_SAVE, EXTENSION, PATIENCE_S, QUIET, drive, npm

MOST_PACKAGE_BYTES = 1_100_000

pytestmark = pytest.mark.editors


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


@pytest.mark.parametrize(
    "driver", ["user.mjs", "notes.mjs", "changes.mjs", "proposals.mjs", "notebooks.mjs"]
)
def test_a_user_does_what_the_driver_says(
    driver: str,
    node: str,
    workspace: Path,
    server_command: list[str],
    package: Path,
    pictures: Path,
    tmp_path: Path,
) -> None:
    done = drive(
        node,
        driver,
        tmp_path,
        workspace=str(workspace),
        extension=str(package),
        settings={"packhound.server.path": server_command, **QUIET},
        screenshots=str(pictures),
    )
    assert done.returncode == 0, done.stdout + done.stderr


# Of what VS Code does for a minute, half is its start: a walk has the conditions that go together.
WALKS = {
    "german": {"workbench.colorTheme": "Default High Contrast"},
    "narrow": {"width": 700, "workbench.colorTheme": "Default High Contrast Light"},
    "zoomed": {"zoom": 2, "editor.accessibilitySupport": "on"},
    "roots": {},
    "untrusted": {"asksForTrust": True},
}


@pytest.mark.parametrize("walk", WALKS)
def test_a_user_walks_by_keys_alone(
    walk: str,
    node: str,
    workspace: Path,
    server_command: list[str],
    package: Path,
    pictures: Path,
    tmp_path: Path,
) -> None:
    """In German and high contrast, at 700 px, at 200 % zoom, with two folders, without trust."""
    conditions = WALKS[walk]
    settings = {name: value for name, value in conditions.items() if "." in name}
    opened = workspace
    if walk == "roots":
        depot = tmp_path / "depot"
        depot.mkdir()
        (depot / "retry.py").write_text("def send_with_retries(parcel):\n    return parcel\n")
        opened = tmp_path / "both.code-workspace"
        opened.write_text(json.dumps({"folders": [{"path": str(workspace)}, {"path": "depot"}]}))
    done = drive(
        node,
        "walks.mjs",
        tmp_path,
        walk=walk,
        workspace=str(opened),
        extension=str(package),
        settings={"packhound.server.path": server_command, **QUIET, **settings},
        screenshots=str(pictures),
        **{name: value for name, value in conditions.items() if "." not in name},
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_no_key_typed_around_a_list_reaches_a_file_that_is_only_previewed(
    node: str,
    workspace: Path,
    server_command: list[str],
    package: Path,
    pictures: Path,
    tmp_path: Path,
) -> None:
    """Escape, search again, select all and type, 0 to 300 ms apart, with auto save on.

    Each state has one pause here, from another quarter each and other ones each day.
    """
    n_pauses = size(1)
    draw = random.Random(seed(datetime.date.today().toordinal()))
    quarters = [[draw.randint(75 * n, 75 * n + 75) for _ in range(n_pauses)] for n in range(4)]
    done = drive(
        node,
        "keys.mjs",
        tmp_path,
        workspace=str(workspace),
        extension=str(package),
        settings={"packhound.server.path": server_command, **QUIET, **AUTO_SAVE},
        screenshots=str(pictures),
        pauses=draw.sample(quarters, 4),
        patience_s=PATIENCE_S + 240 * n_pauses,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_what_goes_wrong_is_said_once_with_a_button_and_gone_after_repair(
    node: str,
    workspace: Path,
    server_command: list[str],
    package: Path,
    pictures: Path,
    tmp_path: Path,
) -> None:
    pid = tmp_path / "server.pid"
    wrapper = tmp_path / "packhound-with-pid"
    wrapper.write_text(f"#!/bin/sh\necho $$ >'{pid}'\nexec {shlex.join(server_command)} \"$@\"\n")
    wrapper.chmod(0o755)
    done = drive(
        node,
        "troubles.mjs",
        tmp_path,
        workspace=str(workspace),
        extension=str(package),
        settings={"packhound.server.path": [str(wrapper)], **QUIET},
        screenshots=str(pictures),
        pid=str(pid),
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_newcomer_without_a_server_is_told_once_and_installs_it(
    node: str,
    workspace: Path,
    package: Path,
    pictures: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # In place of a release.
    wheel = [sys.executable, "-m", "uv", "build", "--quiet", "--wheel", "--out-dir", tmp_path]
    subprocess.run([*wheel, CHECKOUT], check=True)
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))
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
