"""Folders whose settings and other files want more than to be read, each searched under strace: no
program, no connection, nothing outside the folder, nothing written, and the answer as ever.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from packhound.core.settings import Settings
from packhound.core.settings_files import FolderSettings
from packhound.core.settings_reader import SETTINGS
from tests.support.project import write_files
from tests.test_system_calls import OUTWARD, TRACED, can_trace

CODE = "def load_settings():\n    return 1\n"
SESSION = """
import click, io, json, sys
from contextlib import redirect_stdout
from packhound.cli.commands import main
for root in sys.argv[1:]:
    printed = io.StringIO()
    with redirect_stdout(printed):
        try:
            main(["search", "load settings", "--root", root, "--json"], standalone_mode=False)
        except (SystemExit, click.ClickException) as ended:
            printed.write(f"ended with {ended}")
    print(json.dumps([root, printed.getvalue()]), flush=True)
"""
EVIL = "http://127.0.0.1:9/evil"
DEEP = "[" * 5_000
OTHER_FILES = {
    "packhound.toml": "encoder.path = '{outside}/model'\nfolders.trusted = ['/']\n",
    ".packhound/packhound.toml": "folders.trusted = ['/']\nencoder.path = '{outside}/model'\n",
    ".packhound/notes/insight-x.md": "---\ntype: insight\n---\n![x](" + EVIL + ")\n",
    ".packhound/skills.jsonl": '{{"name": "x", "command": "touch {outside}/ran"}}\n',
    ".vscode/settings.json": '{{"packhound.encoder.path": "{outside}/model"}}',
    ".env": "PACKHOUND_CONFIG_DIR={outside}\nPACKHOUND_DATA_DIR={outside}\n",
    "sitecustomize.py": "open('{outside}/ran', 'w')\n",
    "usercustomize.py": "open('{outside}/ran', 'w')\n",
    "packhound/__init__.py": "open('{outside}/ran', 'w')\n",
    "numpy.py": "open('{outside}/ran', 'w')\n",
    "pyvenv.cfg": "home = {outside}\n",
    "pip.conf": f"[global]\nindex-url = {EVIL}\n",
    ".packhoundignore": "!../outside/**\n!/etc/passwd\n",
    ".gitattributes": "*.py filter=evil diff=evil\n",
    ".git/config": "[core]\n fsmonitor = touch {outside}/ran\n hooksPath = {outside}\n"
    "[filter \"evil\"]\n smudge = touch {outside}/ran\n clean = touch {outside}/ran\n"
    '[diff "evil"]\n textconv = touch {outside}/ran\n command = touch {outside}/ran\n',
    ".git/HEAD": "ref: ../../outside/secret\n",
    ".git": "gitdir: {outside}\n",
    ".packhound.toml": "encoder = {{path = '{outside}/model', trust_remote_code = true}}\n",
    "pyproject.toml": "[tool.packhound]\nencoder.path = '{outside}/model'\n"
    "[tool.packhound.folders]\ntrusted = ['/']\n",
}  # fmt: skip
BROKEN = {
    "deep": f"search.limit = {DEEP}",
    "huge": "# x\n" * 200_000,
    "escape": "search.hover = '\\u001b]0;evil\\u0007'\n",
    "twice": "search.limit = 1\nsearch.limit = 2\n",
}


def hostile_values(outside: Path) -> dict[str, str]:
    """Return a line of TOML for each setting: as much as it can mean, and out of the folder."""
    lines = {}
    for name, setting in SETTINGS.items():
        match setting.default:
            case bool():
                value = str(not setting.default).lower()
            case int() | float():
                value = "1"
            case tuple():
                value = f"['{outside}', '{EVIL}', '!../**']"
            case _:
                value = f"'{outside}/model'"
        lines[name] = f"{name} = {value}\n"
    return lines


def make_folders(base: Path) -> dict[Path, str]:
    """Write the folders; returns the setting that each of them gives, or nothing."""

    def made(name: str, files: dict[str, str]) -> Path:
        write_files(base / name, files)
        return base / name

    outside = made("outside", {"secret.py": CODE, "model/config.json": "{}", "x.toml": "a = 1"})
    folders = {}
    for number, (name, line) in enumerate(hostile_values(outside).items()):
        folders[made(f"s{number}", {"a.py": CODE, ".packhound.toml": line})] = name
    others = [{name: text.format(outside=outside)} for name, text in OTHER_FILES.items()]
    others += [{".packhound.toml": text} for text in BROKEN.values()]
    for number, files in enumerate(others):
        folders[made(f"o{number}", {"a.py": CODE, **files})] = ""
    linked = made("linked", {"a.py": CODE})
    (linked / ".packhound.toml").symlink_to(outside / "x.toml")
    piped = made("piped", {"a.py": CODE})
    os.mkfifo(piped / ".packhound.toml")
    return {**folders, linked: "", piped: ""}


def test_of_each_setting_only_what_is_harmless_counts(tmp_path: Path) -> None:
    default = Settings()
    for root, name in make_folders(tmp_path).items():
        in_force = FolderSettings(root).read().settings
        for setting in SETTINGS.values():
            if setting.value(in_force) != setting.value(default):
                assert setting.name == name and setting.harmless, root
    assert not FolderSettings(tmp_path / "outside").read().problems


@pytest.mark.skipif(not can_trace(), reason="needs strace")
@pytest.mark.parametrize(
    "share", [pytest.param(8, marks=pytest.mark.slow), pytest.param(1, marks=pytest.mark.release)]
)
def test_no_folder_has_anything_run_sent_written_or_read_elsewhere(tmp_path, share) -> None:
    folders = make_folders(tmp_path / "base")
    assert len(folders) >= 60
    roots, log = [*folders][::share], tmp_path / "log"
    before = {path: path.lstat().st_mtime_ns for path in (tmp_path / "base").rglob("*")}
    environment = {f"PACKHOUND_{n}_DIR": str(tmp_path / n) for n in ("CACHE", "STATE", "DATA")}
    environment |= {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path / "home")}
    environment["PYTHONPATH"] = ":".join(path for path in sys.path if path)
    strace = ("strace", "-f", "-y", "-qq", "-s", "300", "-e", TRACED, "-o", log)
    done = subprocess.run(
        [*strace, sys.executable, "-c", SESSION, *map(str, roots)],
        cwd=roots[0],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    answers = dict(map(json.loads, done.stdout.splitlines()))
    assert answers.keys() == set(map(str, roots))
    for root in roots:
        is_shown = not folders[root] or not SETTINGS[folders[root]].harmless
        assert not is_shown or "load_settings" in answers[str(root)], (folders[root], root)
    calls = log.read_text("utf-8", "replace").splitlines()
    assert [call for call in calls if OUTWARD.search(call)] == []
    run = {match[1] for call in calls if (match := re.search(r'execve\("([^"]*)"', call))}
    assert run and {Path(name).name for name in run} <= {Path(sys.executable).name, "git"}
    # The folder that `.git` names is looked at for what a repository has; nothing else is opened.
    elsewhere = (
        re.escape(str(tmp_path / "base" / "outside")) + r'(/|>, "(?!HEAD"|commondir"|info"))'
    )
    assert [call for call in calls if re.search(elsewhere, call)] == []
    after = {path: path.lstat().st_mtime_ns for path in (tmp_path / "base").rglob("*")}
    assert after == before
