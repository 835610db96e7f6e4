"""The Neovim plugin, used through its own commands in real Neovims."""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.editor_clients import CHECKOUT, EDITORS, PICKERS, program, unpack_plugins

PATIENCE_S = 900

pytestmark = pytest.mark.editors


@pytest.fixture
def plugin(tmp_path: Path) -> Path:
    """A copy, so that help tags are not written into the checkout."""
    return Path(shutil.copytree(CHECKOUT / "neovim", tmp_path / "neovim"))


def run_job(nvim: str, script: str, plugin: Path, env: dict[str, str], **job: object) -> dict:
    """Runs a Lua job in a headless Neovim that has the plugin on its runtime path."""
    folder = plugin.parent
    report = folder / "report.json"
    job_file = folder / "job.json"
    job_file.write_text(json.dumps({"report": str(report), "plugin": str(plugin), **job}))
    paths = ["set rtp^=" + ",".join([str(plugin), *job.get("plugins", [])])]
    command = [nvim, "--headless", "-u", "NONE", "-i", "NONE", "-n"]
    for path in paths:
        command += ["--cmd", path]
    done = subprocess.run(
        [*command, "-c", "runtime! plugin/**/*.lua", "-S", EDITORS / "neovim" / script],
        # fzf-lua starts a second Neovim, and the launcher's loader hides which one this is.
        env={**env, "JOB": str(job_file), "FZF_LUA_NVIM_BIN": nvim},
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
    )
    assert report.is_file(), done.stdout + done.stderr
    return json.loads(report.read_text())


def problems(report: dict) -> str:
    return "\n\n".join(
        f"{step['name']}:\n{step['problem']}" for step in report["steps"] if "problem" in step
    )


@pytest.mark.parametrize(
    ("name", "start"),
    [("nvim-0.10", "setup"), ("nvim-new", "setup"), ("nvim-new", "enable")],
)
def test_a_users_job_through_the_plugin(
    name: str,
    start: str,
    plugin: Path,
    workspace: Path,
    server_command: list[str],
    editor_env: dict[str, str],
) -> None:
    report = run_job(
        program(name),
        "job.lua",
        plugin,
        editor_env,
        root=str(workspace),
        cmd=[*server_command, "lsp"],
        start=start,
        patience_s=PATIENCE_S - 30,
    )
    assert not problems(report), problems(report)


@pytest.mark.parametrize("name", ["nvim-0.10", "nvim-new"])
def test_the_first_command_does_without_setup(
    name: str,
    plugin: Path,
    workspace: Path,
    server_command: list[str],
    editor_env: dict[str, str],
    tmp_path: Path,
) -> None:
    program_folder = tmp_path / "bin"
    program_folder.mkdir()
    server = program_folder / "packhound"
    server.write_text(f'#!/bin/sh\nexec {shlex.join(server_command)} "$@"\n')
    server.chmod(0o755)
    path = f"{program_folder}:{editor_env['PATH']}"
    report = run_job(
        program(name),
        "unset.lua",
        plugin,
        {**editor_env, "PATH": path},
        root=str(workspace),
        patience_s=PATIENCE_S - 30,
    )
    assert not problems(report), problems(report)


@pytest.mark.parametrize("name", ["nvim-0.10", "nvim-new"])
def test_a_slow_server_never_blocks_the_editor(
    name: str, plugin: Path, workspace: Path, tmp_path: Path, editor_env: dict[str, str]
) -> None:
    log = tmp_path / "requests.log"
    server = [sys.executable, str(EDITORS / "neovim" / "slow_server.py"), "7", str(log)]
    report = run_job(
        program(name),
        "slow.lua",
        plugin,
        editor_env,
        root=str(workspace),
        cmd=server,
        delay_ms=7_000,
        key_ms=300,
        log=str(log),
    )
    assert not problems(report), problems(report)


@pytest.mark.parametrize(
    ("name", "picker"),
    # telescope itself wants a newer Neovim than 0.10.
    [
        *[("nvim-0.10", picker) for picker in ("fzf-lua", "snacks", "mini.pick")],
        *[("nvim-new", picker) for picker in ("telescope", "fzf-lua", "snacks", "mini.pick")],
    ],
)
def test_every_picker_keeps_the_servers_order(
    name: str,
    picker: str,
    plugin: Path,
    workspace: Path,
    server_command: list[str],
    editor_env: dict[str, str],
    tmp_path: Path,
) -> None:
    report = run_job(
        program(name),
        "pickers.lua",
        plugin,
        editor_env,
        root=str(workspace),
        cmd=[*server_command, "lsp"],
        picker=picker,
        plugins=unpack_plugins(tmp_path / "plugins", *PICKERS),
    )
    assert not problems(report), problems(report)


@pytest.mark.parametrize("name", ["nvim-0.10", "nvim-new"])
def test_the_launcher_finds_debians_parsers(name: str, editor_env: dict[str, str]) -> None:
    lua = "lua io.stdout:write(tostring(pcall(vim.treesitter.language.inspect, 'markdown')))"
    done = subprocess.run(
        [program(name), "--headless", "-u", "NONE", "-i", "NONE", "-c", lua, "-c", "quitall!"],
        env=editor_env,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
    )
    assert done.stdout.startswith("true"), done.stdout + done.stderr
