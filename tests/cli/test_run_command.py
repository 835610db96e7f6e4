"""`packhound run`: patches that pass all gates are accepted; the trace decides the same again."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from packhound.service import Overlays
from tests.support.command_line import packhound
from tests.support.git_repository import git
from tests.support.program import start_program
from tests.support.runners import PYTEST_ALONE

SEND = "def weigh(grams):\n    return grams * 2\n"
TEST = "from send import weigh\n\n\ndef test_weigh():\n    assert weigh(2) == 4\n"
RIGHT = "--- a/send.py\n+++ b/send.py\n@@ -1,2 +1,2 @@\n def weigh(grams):\n-    return grams * 2\n"
RIGHT, WRONG = f"{RIGHT}+    return 2 * grams\n", f"{RIGHT}+    return grams * 3\n"

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="runs apart on Linux alone")


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with a test, and a user who trusts it and allows that it runs."""
    tree = tmp_path / "post"
    tree.mkdir()
    (tree / "send.py").write_text(SEND)
    (tree / "test_send.py").write_text(TEST)
    git(tree, "init", "-q")
    git(tree, "add", ".")
    git(tree, "commit", "-qm", "Begin")
    config = tmp_path / "config"
    config.mkdir()
    (config / "packhound.toml").write_text(f"changes.run = true\nfolders.trusted = ['{tree}']\n")
    (config / "runners.toml").write_text(PYTEST_ALONE)
    for name in ("config", "cache", "data", "state"):
        monkeypatch.setenv(f"PACKHOUND_{name.upper()}_DIR", str(tmp_path / name))
    python = Path(sys.executable).parent
    monkeypatch.setenv("PATH", f"{python}:{Path(shutil.which('git') or '').parent}:/usr/bin:/bin")
    return tree


def run(tree: Path, *words: str) -> tuple[subprocess.CompletedProcess[str], list[dict]]:
    """Run with a trace; return what was printed, and the lines of the trace."""
    trace = tree.parent / "trace.jsonl"
    trace.unlink(missing_ok=True)
    done = packhound(tree.parent, "run", f"--root={tree}", f"--trace-to={trace}", *words)
    lines = trace.read_text().splitlines() if trace.exists() else []
    return done, [json.loads(line) for line in lines]


def test_what_passes_all_gates_is_written_and_what_breaks_a_test_is_not(tree: Path) -> None:
    patch = tree.parent / "fix.diff"
    patch.write_text(WRONG)
    done, trace = run(tree, f"--patch={patch}", "--apply")
    assert done.returncode == 1 and "step 1: abort: tests that are worse: 1" in done.stdout
    assert (tree / "send.py").read_text() == SEND
    states = ["begin", "propose", "materialize", "check", "score", "decide"]
    assert [each["state"] for each in trace] == states
    assert len({each["run"] for each in trace}) == 1
    listed = packhound(tree.parent, "overlay", "list", "--all", f"--root={tree}").stdout
    assert "rejected by" in listed and "tests that are worse: 1" in listed
    words = ("overlay", "accept", str(patch), "--check", f"--root={tree}")
    refused = packhound(tree.parent, *words).stderr.splitlines()
    assert refused[0].startswith("Error: nothing was written: ")
    assert any("test_send.py:5" in line for line in refused[1:]), refused

    again = packhound(tree.parent, "run", "replay", str(tree.parent / "trace.jsonl"))
    assert (
        again.returncode == 0
        and again.stdout == "step 1: abort: tests that are worse: 1 (0 at most)\n"
    )
    lenient = packhound(
        tree.parent, "run", "replay", str(tree.parent / "trace.jsonl"), "--gate", "worse_tests=1"
    )
    assert lenient.returncode == 1
    assert lenient.stdout == "step 1: accept: it passes all gates (was abort)\n"
    assert (tree / "send.py").read_text() == SEND

    patch.write_text(RIGHT)
    spans = tree.parent / "spans.json"
    done, trace = run(tree, f"--patch={patch}", "--apply", f"--trace={spans}")
    assert done.returncode == 0 and "step 1: accept" in done.stdout
    names = [each["name"] for each in json.loads(spans.read_text())["traceEvents"]]
    of_run = [name for name in names if name.startswith("run: ")]
    assert of_run == [f"run: {each}" for each in ("propose", *states[2:4], "decide", "apply")]
    assert "check: pytest" in names
    assert [each["state"] for each in trace] == [*states, "apply"]
    assert "return 2 * grams" in (tree / "send.py").read_text()


@pytest.mark.slow
def test_a_command_is_told_why_and_proposes_again(tree: Path) -> None:
    agent, told = tree.parent / "agent.py", tree.parent / "told.jsonl"
    agent.write_text(
        "import json, sys\n"
        "asked = json.load(sys.stdin)\n"
        f"open({str(told)!r}, 'a').write(json.dumps(asked) + '\\n')\n"
        f"print([{WRONG!r}, {RIGHT!r}][asked['attempt']], end='')\n"
    )
    command = shlex.join([sys.executable, str(agent)])
    done, trace = run(tree, f"--command={command}", "--task=Weigh", "--gate=steps=3")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "step 1: refine: tests that are worse: 1" in done.stdout
    assert "step 2: accept" in done.stdout and "packhound overlay accept" in done.stdout
    asked = [json.loads(line) for line in told.read_text().splitlines()]
    assert [each["statement"] for each in asked] == ["Weigh", "Weigh"]
    assert asked[0]["feedback"] == "" and "test_send.py::test_weigh" in asked[1]["feedback"]
    # It is kept, and nothing is written before somebody accepts it.
    assert (tree / "send.py").read_text() == SEND
    assert [each["verdict"] for each in trace if each["state"] == "decide"] == ["refine", "accept"]


def test_what_a_run_proposed_that_failed_or_was_killed_is_not_open(tree: Path) -> None:
    patch, runners = tree.parent / "fix.diff", tree.parent / "config/runners.toml"
    patch.write_text(RIGHT)
    words = ("run", f"--root={tree}", f"--patch={patch}")
    runners.write_text("[runners.pytest]\ndetect = ['/']\n")
    assert packhound(tree.parent, *words).returncode == 2
    overlays = Overlays(tree.resolve())
    (failed,) = overlays.all(decided=True)
    assert not failed.is_open

    patch.write_text(WRONG)
    runners.write_text("[runners.wait]\ncommand = ['sleep', '600']\n")
    with Path(os.devnull).open("r+b") as nothing:
        killed = start_program(words, {**os.environ}, nothing, nothing, nothing)
        try:
            while not (undecided := overlays.all()):
                assert killed.poll() is None
        finally:
            killed.kill()
            killed.wait(60)
    # Not by anything that a run does at its end.
    assert overlays.all() == undecided
    listed = packhound(tree.parent, "overlay", "list", "--all", f"--root={tree}").stdout
    assert listed.count("its run ended before it was decided on") == 2
    assert not overlays.all()


def test_nothing_is_checked_that_may_not_be_changed_and_nothing_runs_unless_allowed(
    tree: Path,
) -> None:
    patch = tree.parent / "fix.diff"
    patch.write_text(RIGHT)
    done, trace = run(tree, f"--patch={patch}", "--allow=lib/**")
    assert done.returncode == 1 and "changes what is not allowed: send.py" in done.stdout
    assert "check" not in [each["state"] for each in trace]
    # One that is there already, and is named by its id, stays open.
    added = packhound(tree.parent, "overlay", "add", str(patch), f"--root={tree}", "--json")
    identity = json.loads(added.stdout)["id"]
    done, _ = run(tree, f"--patch={identity}", "--gate=lines=1")
    assert done.returncode == 1 and "lines changed: 2 (1 at most)" in done.stdout
    assert identity in packhound(tree.parent, "overlay", "list", f"--root={tree}").stdout
    words = (f"--patch={patch}", f"--root={tree}", f"--trace-to={patch}")
    again = packhound(tree.parent, "run", *words)
    assert again.returncode == 2 and "is there already" in again.stderr
    failing = f"--command={shlex.quote(sys.executable)} -c 'raise SystemExit(3)'"
    done, _ = run(tree, failing)
    assert done.returncode == 1 and "the command failed with 3, 3 times" in done.stdout
    (tree.parent / "config" / "packhound.toml").write_text("changes.run = true\n")
    for words in ((f"--patch={patch}",), (failing,)):
        done, trace = run(tree, *words)
        assert (
            done.returncode == 2
            and "is not trusted, so nothing of it runs" in done.stderr
            and not trace
        )
    assert run(tree)[0].returncode == 2


@pytest.mark.slow
def test_a_run_is_remembered_and_counts_for_its_skill(tree: Path) -> None:
    config = tree.parent / "config/packhound.toml"
    config.write_text(config.read_text() + "sources.episodes.enabled = true\n")
    agent, told = tree.parent / "agent.py", tree.parent / "told.jsonl"
    agent.write_text(
        "import json, sys\n"
        f"open({str(told)!r}, 'a').write(sys.stdin.readline() + '\\n')\n"
        f"print({RIGHT!r}, end='')\n"
    )
    words = ("--task=Weigh letters with both factors", "--skill=weigh-letters")
    command = f"--command={shlex.join([sys.executable, str(agent)])}"
    done, _ = run(tree, command, *words, "--gate=lines=1")
    assert done.returncode == 1 and "weigh-letters: success 0.00, used 1" in done.stdout
    done, _ = run(tree, command, *words)
    assert done.returncode == 0 and "weigh-letters: success 0.50, used 2" in done.stdout
    first, second = (json.loads(line)["context"] for line in told.read_text().splitlines())
    assert first == "" and "run: Weigh letters with both factors" in second

    # Whoever decides on a proposal is shown both.
    (overlay,) = json.loads(
        packhound(tree.parent, "overlay", "list", f"--root={tree}", "--json").stdout
    )["overlays"]
    shown = packhound(tree.parent, "overlay", "show", overlay["id"], f"--root={tree}", "--json")
    rows = {row["type"]: row for row in json.loads(shown.stdout)["verdict"]["records"]}
    assert (rows["episode"]["title"], rows["episode"]["result"]) == (
        "run: Weigh letters with both factors",
        "accepted",
    )
    assert rows["skill"]["title"] == "weigh-letters"


def test_a_run_of_more_files_than_are_remembered_ends_as_others(tree: Path) -> None:
    config = tree.parent / "config/packhound.toml"
    config.write_text(config.read_text() + "sources.episodes.enabled = true\n")
    patch = tree.parent / "many.diff"
    patch.write_text(
        "".join(f"--- /dev/null\n+++ b/new{i}.py\n@@ -0,0 +1 @@\n+x = {i}\n" for i in range(101))
    )
    done, _ = run(tree, f"--patch={patch}", "--gate=files=1")
    assert done.returncode == 1 and "trace: " in done.stdout, done.stderr
