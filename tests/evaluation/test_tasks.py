"""Tasks of three tiny repositories: wrong patches are stopped, right ones solve them."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from packhound.cli.commands import main
from packhound.core.errors import SettingsError
from packhound.evaluation.tasks import load_tasks
from tests.support.git_repository import git
from tests.support.runners import PYTEST_ALONE

TASKS = Path(__file__).parents[2] / "fixtures" / "tasks"


@pytest.fixture
def tasks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a copy of the tasks in a folder that is trusted, with pytest alone."""
    config = tmp_path / "config"
    config.mkdir()
    for name, folder in (("CONFIG", config), ("CACHE", tmp_path / "cache")):
        monkeypatch.setenv(f"PACKHOUND_{name}_DIR", str(folder))
    shutil.copytree(TASKS, tmp_path / "tasks")
    text = f"changes.run = true\nfolders.trusted = ['{tmp_path}']\n"
    (config / "packhound.toml").write_text(text)
    (config / "runners.toml").write_text(PYTEST_ALONE)
    return tmp_path / "tasks" / "tasks.jsonl"


def evaluate(tasks: Path, *options: str) -> dict:
    result = CliRunner().invoke(main, ["eval", str(tasks), "--run", "--json", *options])
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


@pytest.mark.slow
def test_wrong_patches_are_stopped_and_right_ones_solve(tasks: Path) -> None:
    report = evaluate(tasks)
    assert [task["is_solved"] for task in report["tasks"]] == [True] * 3
    for task in report["tasks"]:
        wrong, right = task["outcomes"]
        assert wrong.startswith("failed: ")
        assert right == "solved"
    assert report["policies"]["none"]["pass_rate"] == 1
    assert report["policies"]["none"]["at_once"] == 0


@pytest.mark.slow
def test_a_command_gets_code_by_policy_and_what_was_wrong(tasks: Path, tmp_path: Path) -> None:
    script = tmp_path / "agent.sh"
    script.write_text(
        f"#!/bin/sh\ncd {tmp_path} && test -e $OLDPWD/parcels/weigh.py || exit 1\n"
        "cat >> asked; echo >> asked; kind=wrong\n"
        "grep -q '\"attempt\": 1' asked && kind=right\n"
        "cat tasks/rename-$kind.diff\n"
    )
    script.chmod(0o755)
    first = tasks.read_text().split("\n")[0]
    tasks.write_text(first)
    skill = tasks.parent / "rename/.agents/skills/rename/SKILL.md"
    skill.parent.mkdir(parents=True)
    skill.write_text("---\nname: rename\ndescription: Rename a function, callers first\n---\nGo.\n")
    policies = ("--policy", "pack", "--policy", "pack+skills:1000", "--policy", "none")
    report = evaluate(tasks, "--propose", str(script), *policies)
    task, with_skills, bare = report["tasks"]
    assert task["policy"] == "pack"
    assert task["is_solved"]
    assert [*report["policies"]] == ["pack", "pack+skills:1000", "none"]
    assert task["tokens"] > bare["tokens"] == 0
    assert 0 < with_skills["tokens"] < 1_300
    asked = [json.loads(line) for line in (tmp_path / "asked").read_text().split("\n") if line]
    assert "def wt(grams)" in asked[0]["context"]
    has_skill = ["skill rename: Rename a function" in each["context"] for each in asked]
    assert has_skill[:3] == [False, False, True]
    assert asked[0]["feedback"] == ""
    assert "price.py" in asked[1]["feedback"]


@pytest.mark.parametrize(
    ("change", "outcome"),
    [
        ({"allow": ["docs/**"]}, "refused: it changes parcels/weigh.py, not among docs/**"),
        ({"fails": ["tests/test_price.py::test_a_heavy_parcel"]}, "the task is broken"),
        ({"patches": []}, "no patch: no further one is recorded"),
        ({"patches": ["field-right.diff"]}, "refused: the patch does not apply"),
        ({"fails": ["tests/test_weigh.py::nowhere"], "patches": ["rename-right.diff"]}, "failed:"),
    ],
)
def test_what_does_not_count_as_solved(tasks: Path, change: dict, outcome: str) -> None:
    task = json.loads(tasks.read_text().split("\n")[0])
    tasks.write_text(json.dumps({**task, "patches": ["rename-wrong.diff"], **change}))
    (solved,) = evaluate(tasks)["tasks"]
    assert not solved["is_solved"]
    assert solved["outcomes"][0].startswith(outcome)


@pytest.mark.parametrize("policy", ["best", "pack:7", "skills", "pack+skills:", "search:200000"])
def test_an_unknown_policy_is_refused(tasks: Path, policy: str) -> None:
    result = CliRunner().invoke(main, ["eval", str(tasks), "--run", "--policy", policy])
    assert result.exit_code
    assert f"--policy is '{policy}'; expected none, pack or search" in result.output


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("{", "line 1"),
        ('{"name": "a"}', "missing required field"),
        ('{"name": "a", "folder": "nowhere", "statement": "s", "fails": ["t"]}', "there is no"),
        ('{"name": "a", "folder": 7, "statement": "s", "fails": ["t"]}', "a path is 7"),
        ('{"name": "a", "folder": "rename", "statement": "s", "fails": []}', "length >= 1"),
        ("", "has no task"),
    ],
)
def test_a_bad_line_is_named(tasks: Path, line: str, problem: str) -> None:
    tasks.write_text(line)
    with pytest.raises(SettingsError, match=problem):
        load_tasks(tasks)


def test_nothing_runs_where_the_user_has_not_allowed_it(tasks: Path, tmp_path: Path) -> None:
    (tmp_path / "config" / "packhound.toml").write_text("changes.run = true\n")
    result = CliRunner().invoke(main, ["eval", str(tasks), "--run"])
    assert result.exit_code
    assert "is not trusted" in result.output


def test_a_task_is_of_the_commit_that_it_names(tasks: Path) -> None:
    folder = tasks.parent / "rename"
    for command in (("init", "-q"), ("add", "."), ("commit", "-qm", "Begin")):
        git(folder, *command)
    git(folder, "apply", str(tasks.parent / "rename-right.diff"))
    git(folder, "commit", "-qam", "Rename")
    task = {**json.loads(tasks.read_text().split("\n")[0]), "patches": ["rename-right.diff"]}
    for base, outcome in (("HEAD~1", "solved"), ("", "refused: "), ("HEAD", "refused: ")):
        tasks.write_text(json.dumps({**task, "base": base}))
        (solved,) = evaluate(tasks)["tasks"]
        assert solved["outcomes"][0].startswith(outcome)
    assert "billed_weight" in (folder / "parcels/weigh.py").read_text()
    tasks.write_text(json.dumps({**task, "base": "nowhere"}))
    result = CliRunner().invoke(main, ["eval", str(tasks), "--run"])
    assert result.exit_code
    assert "task 'rename': 'nowhere' is no commit of" in result.output


def test_a_tool_and_a_proposer_have_the_time_of_the_task(tasks: Path, tmp_path: Path) -> None:
    task = json.loads(tasks.read_text().split("\n")[0])
    hangs = (tasks.parent / "rename-right.diff").read_text()
    hangs = hangs.replace("+    return billed_weight(grams) * 2", "+    while True: pass")
    (tasks.parent / "hangs.diff").write_text(hangs)
    tasks.write_text(json.dumps({**task, "timeout_s": 1, "patches": ["hangs.diff"]}))
    (solved,) = evaluate(tasks)["tasks"]
    assert solved["outcomes"][0].startswith("incomplete: ")
    assert "longer than 1 s" in solved["outcomes"][0]

    script = tmp_path / "late.sh"
    script.write_text("#!/bin/sh\nexec sleep 600\n")
    script.chmod(0o755)
    (solved,) = evaluate(tasks, "--propose", str(script))["tasks"]
    assert solved["outcomes"] == ["no patch: the command took longer than 1 s"]
