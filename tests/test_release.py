"""The release workflow: what of it runs without a network is run, the rest names what exists."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import click
import pytest
import yaml

import packhound
from packhound.cli.commands import main

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

CHECKOUT = Path(__file__).parents[1]
WORKFLOW = yaml.safe_load((CHECKOUT / ".github" / "workflows" / "release.yml").read_text())
JOBS = WORKFLOW["jobs"]
COMMANDS = [
    shlex.split(line)
    for job in JOBS.values()
    for step in job["steps"]
    for line in step.get("run", "").splitlines()
]
NOTES = CHECKOUT / ".ci" / "release_notes.py"
VERSIONED = (
    *("server/packhound/__init__.py", "vscode-extension/package.json"),
    *("vscode-extension/package-lock.json", "server.json"),
)


def version() -> str:
    return json.loads((CHECKOUT / "vscode-extension" / "package.json").read_text())["version"]


def test_the_notes_of_this_version_are_its_section_of_the_changelog() -> None:
    done = run(NOTES, f"v{version()}")
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() in (CHECKOUT / "CHANGELOG.md").read_text()
    assert "\n## " not in done.stdout


@pytest.mark.parametrize(
    ("changed", "text", "problem"),
    [
        ("CHANGELOG.md", "# Changelog\n", "CHANGELOG.md has no section '## {version}'"),
        (
            "vscode-extension/package.json",
            '{"version": "9.9.9"}',
            "package.json has version 9.9.9; the tag wants {version}",
        ),
        ("vscode-extension/package.json", "{}", "package.json says 0 versions; expected 1"),
        ("server.json", '{"version":"{version}"}', "server.json says 0 versions; expected 2"),
        ("server/packhound/__init__.py", "", "__init__.py declares 0 versions; expected one"),
        (
            "server.json",
            '{"version": "9.9.9", "packages": [{"version": "9.9.9"}]}',
            "server.json has version 9.9.9; the tag wants {version}",
        ),
    ],
)
def test_a_release_that_is_not_ready_is_refused(
    tmp_path: Path, changed: str, text: str, problem: str
) -> None:
    script = copy_of_versions(tmp_path)
    (tmp_path / changed).write_text(text)
    done = run(script, version())
    assert done.returncode == 1
    assert problem.format(version=version()) in done.stderr


def test_the_version_is_declared_once_and_written_elsewhere(tmp_path: Path) -> None:
    script = copy_of_versions(tmp_path)
    sources = [tmp_path / name for name in VERSIONED]
    before = [path.read_text() for path in sources]
    sources[0].write_text(before[0].replace(version(), "9.9.9"))
    assert run(script, "--write").returncode == 0
    after = [path.read_text() for path in sources]
    assert [text.count("9.9.9") for text in after] == [1, 1, 2, 2]
    assert [text.replace("9.9.9", version()) for text in after] == before
    assert "CHANGELOG.md has no section '## 9.9.9'" in run(script, "v9.9.9").stderr


def copy_of_versions(folder: Path) -> Path:
    """Copy all that says the version, and the script that reads it, whose place is returned."""
    for name in (".ci/release_notes.py", "CHANGELOG.md", *VERSIONED):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(CHECKOUT / name, folder / name)
    return folder / ".ci" / "release_notes.py"


def test_scripts_and_options_of_the_workflow_exist() -> None:
    scripts = [(name, words) for words in COMMANDS for name in words if name.endswith(".py")]
    scripts = [(name, words) for name, words in scripts if not name.startswith("unpacked")]
    assert len(scripts) == 2
    for name, words in scripts:
        usage = run(CHECKOUT / name, "--help")
        expected = usage.stdout + usage.stderr
        for option in (word for word in words if word.startswith("--")):
            assert option in expected, f"{name} has no {option}"


def test_npm_scripts_of_the_workflow_exist() -> None:
    manifest = json.loads((CHECKOUT / "vscode-extension" / "package.json").read_text())
    runs = [words[-1] for words in COMMANDS if words[0] == "npm" and "run" in words]
    assert runs == ["package"]
    assert set(runs) <= set(manifest["scripts"])


def test_what_is_published_was_built_and_checked_first() -> None:
    for name, job in JOBS.items():
        assert name in ("hnswlib", "build") or "build" in job["needs"], name
    assert JOBS["build"]["needs"] == "hnswlib"
    produced = {"dist", "vsix", "wheels", "release-notes.md"}
    uploaded = JOBS["build"]["steps"][-1]["with"]["path"].split()
    assert {path.rstrip("/") for path in uploaded} == produced
    for words in COMMANDS:
        for word in words:
            if re.fullmatch(r"(dist|vsix|wheels)/\*(\.\w+)?", word):
                assert word.split("/")[0] in produced


def test_nothing_is_built_while_a_figure_is_of_older_code() -> None:
    runs = [step.get("run", "") for step in JOBS["build"]["steps"]]
    checked = runs.index("python -m benchmarks.stored --stale")
    assert all("uv build" not in run and "npm" not in run for run in runs[:checked])
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.stored", "--stale"], cwd=CHECKOUT, capture_output=True
    )
    assert done.returncode == bool(done.stdout)


def test_secrets_reach_only_the_steps_that_publish() -> None:
    assert WORKFLOW["permissions"] == {"contents": "read"}
    for name, job in JOBS.items():
        for step in job["steps"]:
            if "secrets." in json.dumps(step):
                assert name == "galleries" and "publish" in step["run"]


def test_the_registry_of_mcp_servers_is_told_what_the_package_has() -> None:
    """By the limits of the registry's schema of 2025-12-11, and its mark of ownership."""
    server = json.loads((CHECKOUT / "server.json").read_text())
    project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text())["project"]
    assert re.fullmatch(r"[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+", server["name"])
    assert 1 <= len(server["description"]) <= 100
    assert f"<!-- mcp-name: {server['name']} -->" in (CHECKOUT / "README.md").read_text()
    [package] = server["packages"]
    assert (package["registryType"], package["identifier"]) == ("pypi", project["name"])
    assert server["version"] == package["version"] == packhound.__version__
    assert package["transport"] == {"type": "stdio"}
    # `uvx NAME` runs the script of that name.
    assert package["identifier"] in project["scripts"]
    first, folder = package["packageArguments"]
    assert isinstance(main, click.Group)
    command = main.get_command(click.Context(main), first["value"])
    assert command is not None
    assert [each.nargs for each in command.params if isinstance(each, click.Argument)] == [-1]
    assert folder["isRepeated"] and "value" not in folder


def test_all_that_is_published_names_one_repository() -> None:
    server = json.loads((CHECKOUT / "server.json").read_text())
    urls = tomllib.loads((CHECKOUT / "pyproject.toml").read_text())["project"]["urls"]
    extension = json.loads((CHECKOUT / "vscode-extension" / "package.json").read_text())
    home = server["repository"]["url"]
    assert urls["Homepage"] == home == extension["repository"]["url"].removesuffix(".git")
    assert urls["Issues"] == extension["bugs"]["url"] == f"{home}/issues"
    assert extension["homepage"].startswith(home)
    assert extension["repository"]["directory"] == "vscode-extension"
    owner = home.split("/")[-2]
    assert server["name"] == f"io.github.{owner}/{home.split('/')[-1]}"


def run(script: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, script, *arguments], capture_output=True, text=True)
