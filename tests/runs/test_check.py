"""The check of a patch, at every front: who may ask, what it says, and what it leaves."""

from __future__ import annotations

import re
import shutil
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from packhound.cli.commands import main
from packhound.core.errors import Cancelled, SettingsError
from packhound.core.settings_files import FolderSettings, Overrides
from packhound.core.types import Document
from packhound.daemon import connect
from packhound.indexing import Timing
from packhound.mcp.folders import Folders
from packhound.operations import OPERATIONS, Call, answer, as_text
from packhound.relay import WRITING
from packhound.rpc import Service
from packhound.runs.runners import applying, read_table
from packhound.service.engine import Engine
from packhound.service.roots import index_folder
from packhound.service.several_roots import Roots
from tests.runs.conftest import Repository
from tests.support.daemon import served
from tests.support.git_repository import git
from tests.support.lsp_client import wait_until
from tests.support.runners import PYTEST_ALONE

BREAKS = """\
--- a/post/send.py
+++ b/post/send.py
@@ -1,2 +1,3 @@
+# Weighs.
 def weigh(grams):
-    return grams * 2
+    return grams * 3
"""
HARMLESS = BREAKS.replace("grams * 3", "2 * grams")
LOSES = """\
--- a/tests/test_send.py
+++ b/tests/test_send.py
@@ -4,2 +4,2 @@
-def test_weigh():
+def check_weigh():
     assert weigh(2) == 4
"""
CONFTEST = """\
--- /dev/null
+++ b/conftest.py
@@ -0,0 +1,2 @@
+import pathlib
+pathlib.Path("MARK").touch()
"""
GREP = """
[runners.grep]
command = ["grep", "-rn", "return", "post"]
detect = ["post"]
pattern = '(?P<path>[^:]+):(?P<line>\\d+):\\s*(?P<message>.*)'
"""
OTHERS_OFF = (f"[runners.{name}]\nenabled = false\n" for name in ("ruff", "mypy"))
ONLY_PYTEST = "".join([*OTHERS_OFF, PYTEST_ALONE])


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "config"
    folder.mkdir()
    monkeypatch.setenv("PACKHOUND_CONFIG_DIR", str(folder))
    return folder


@pytest.fixture
def allowed(config: Path, repository: Repository) -> None:
    text = f"changes.run = true\nfolders.trusted = ['{repository.tree}']\n"
    (config / "packhound.toml").write_text(text)
    (config / "runners.toml").write_text(PYTEST_ALONE)


@pytest.fixture
def engine(config: Path, repository: Repository) -> Iterator[Engine]:
    engine = Engine.open(repository.tree, FolderSettings(repository.tree, Overrides()))
    assert engine.settled(60)
    yield engine
    engine.close()


def check(engine: Engine, diff: str, /, **fields: Any) -> dict[str, Any]:
    call_fields = {k: fields.pop(k) for k in ("cancel", "report") if k in fields}
    call = Call(Roots([engine]), engine.follow_settings().settings, **call_fields)
    return answer(call, "check", {"diff": diff, **fields})


@pytest.mark.usefixtures("allowed")
def test_a_patch_that_breaks_a_test(engine: Engine, repository: Repository) -> None:
    before, said = repository.digest(), list[dict[str, Any]]()
    result = check(engine, BREAKS, runners=["pytest"], report=said.append)
    assert not result["passed"]
    assert result["verdict"] == "failed"
    (row,) = result["new"]
    assert row["test"] == "tests/test_send.py::test_weigh"
    assert (row["path"], row["line"], row["base_line"]) == ("tests/test_send.py", 5, 5)
    assert "assert 6 == 4" in row["message"]
    first, second = as_text("check", result).split("\n")[:2]
    assert first.startswith(
        "check failed: 1 test fails that did not; 0 of 1 tests pass; ran pytest"
    )
    assert second.startswith(
        "  new: tests/test_send.py:5 pytest tests/test_send.py::test_weigh fails"
    )
    steps = [each["step"] for each in said if "step" in each]
    assert steps == ["copy", "pytest without the patch", "pytest"]
    assert [each["new"][0]["test"] for each in said if "new" in each] == [row["test"]]
    assert repository.digest() == before

    said.clear()
    result = check(engine, HARMLESS, runners=["pytest"], report=said.append)
    assert result["verdict"] == "passed"
    assert result["summary"].startswith("check passed: nothing new; 1 of 1 tests pass")
    assert [each["step"] for each in said] == ["copy", "pytest"], "that of the base is kept"
    assert check(engine, LOSES, runners=["pytest"])["verdict"] == "incomplete"
    assert repository.digest() == before
    assert not repository.mark.exists()


@pytest.mark.usefixtures("allowed")
@pytest.mark.slow
def test_tests_that_are_broken_without_the_patch_too_prove_nothing(
    engine: Engine, repository: Repository
) -> None:
    test = repository.tree / "tests/test_send.py"
    test.write_text(f"import nowhere\n{test.read_text()}")
    repository.write("tests/test_other.py", "def test_other():\n    assert True\n")
    engine.refresh()
    assert engine.settled(60)
    result = check(engine, BREAKS, runners=["pytest"])
    assert result["verdict"] == "incomplete"
    assert "pytest cannot read tests" in result["summary"]
    assert "pytest cannot read tests: tests/test_send.py" in result["notes"]


@pytest.mark.usefixtures("allowed")
@pytest.mark.slow
def test_tests_that_cannot_be_read_did_not_run_and_are_not_mended(
    engine: Engine, repository: Repository
) -> None:
    test = repository.tree / "tests/test_send.py"
    test.write_text(f"{test.read_text()}\ndef test_wrong():\n    assert weigh(1) == 3\n")
    repository.write("tests/test_other.py", "import post.send\n\ndef test_other():\n    pass\n")
    engine.refresh()
    assert engine.settled(60)
    moves = "diff --git a/post/send.py b/post/send2.py\nsimilarity index 100%\n"
    moves += "rename from post/send.py\nrename to post/send2.py\n"
    result = check(engine, moves, runners=["pytest"])
    files = ["tests/test_other.py", "tests/test_send.py"]
    assert sorted(row["unread"] for row in result["new"]) == files
    assert {(row["line"], row["message"]) for row in result["new"]} == {
        (1, "tests cannot be read: ModuleNotFoundError: No module named 'post.send'")
    }
    assert not any("test" in row for row in result["new"]) and result["gone"] == []
    assert result["lost"] == [
        "tests/test_other.py::test_other",
        *(f"tests/test_send.py::{name}" for name in ("test_weigh", "test_wrong")),
    ]
    assert result["summary"].startswith(
        "check failed: 2 files of tests cannot be read; 3 tests did not run; "
    )
    assert f"pytest cannot read tests: {', '.join(files)}" in result["notes"]


@pytest.mark.usefixtures("allowed")
def test_lines_are_of_both_texts_and_unsaved_text_counts(engine: Engine, config: Path) -> None:
    (config / "runners.toml").write_text(GREP)
    unsaved = b"x = 1\n\n\ndef weigh(grams):\n    return grams * 2\n"
    engine.update(Document("post/send.py", unsaved))
    diff = BREAKS.replace("@@ -1,2 +1,3 @@\n", "@@ -2,4 +2,5 @@\n \n \n")
    result = check(engine, diff, runners=["grep"])
    (row,) = result["new"]
    assert (row["line"], row["base_line"], row["message"]) == (6, None, "return grams * 3")
    (gone,) = result["gone"]
    assert (gone["line"], gone["message"]) == (5, "return grams * 2")
    assert (result["n_new"], result["n_gone"], result["n_old"]) == (1, 1, 0)


@pytest.mark.usefixtures("allowed")
def test_an_acceptance_with_a_check_writes_only_what_passes(
    engine: Engine, repository: Repository, config: Path
) -> None:
    (config / "runners.toml").write_text(ONLY_PYTEST)
    repository.disarm()
    before = (repository.tree / "post/send.py").read_text()
    call = Call(Roots([engine]), engine.follow_settings().settings)
    identity = answer(call, "propose", {"diff": BREAKS})["id"]
    with pytest.raises(SettingsError, match="nothing was written: check failed: 1 test") as stopped:
        answer(call, "accept", {"proposal": identity, "check": True})
    assert "new: tests/test_send.py:5 pytest" in str(stopped.value)
    assert (repository.tree / "post/send.py").read_text() == before
    (row,) = answer(call, "overlays", {})["overlays"]
    (decision,) = row["decisions"]
    assert row["open"] and decision["decision"] == "stopped"
    assert decision["check"].startswith("check failed: 1 test fails")

    answer(call, "edit_overlay", {"id": identity, "diff": HARMLESS})
    accepted = answer(call, "accept", {"proposal": identity, "check": True})
    assert "return 2 * grams" in (repository.tree / "post/send.py").read_text()
    assert accepted["check"].startswith("check passed: nothing new; 1 of 1 tests pass")
    assert accepted["check"] in as_text("accept", accepted)
    (row,) = answer(call, "overlays", {"all": True})["overlays"]
    assert [each["decision"] for each in row["decisions"]] == ["stopped", "accepted"]
    agent = Call(call.roots, call.settings, is_agent=True)
    with pytest.raises(SettingsError, match="call 'check' first"):
        answer(agent, "accept", {"proposal": HARMLESS, "check": True})


@pytest.mark.usefixtures("allowed")
@pytest.mark.slow
def test_a_merge_is_checked_as_it_would_be_written(
    engine: Engine, repository: Repository, config: Path
) -> None:
    """Each of the two is right alone."""
    (config / "runners.toml").write_text(ONLY_PYTEST)
    repository.disarm()
    text = "def weigh(grams):\n    return grams * 2\n\n\ndef double(n):\n    return n * 2\n"
    repository.write("post/send.py", text)
    git(repository.tree, "commit", "-qam", "Double")
    mine = text.replace("return grams * 2", "return double(grams)")
    repository.write("post/send.py", mine)
    engine.refresh()
    assert engine.settled(60)
    diff = "--- a/post/send.py\n+++ b/post/send.py\n@@ -5,2 +5,2 @@\n-def double(n):\n"
    diff += "-    return n * 2\n+def twice(n):\n+    return 2 * n\n"
    call = Call(Roots([engine]), engine.follow_settings().settings)
    with pytest.raises(SettingsError, match="nothing was written: check failed: 1 test fails"):
        answer(call, "accept", {"proposal": diff, "check": True, "three_way": True})
    assert (repository.tree / "post/send.py").read_text() == mine


RUST = {
    "Cargo.toml": '[package]\nname = "post"\nversion = "0.1.0"\nedition = "2021"\n',
    "src/lib.rs": "pub fn weigh(grams: u32) -> u32 {\n    grams * 2\n}\n"
    "#[test]\nfn weighs() {\n    assert_eq!(weigh(2), 4);\n}\n",
}
RUST_BREAKS = """\
--- a/src/lib.rs
+++ b/src/lib.rs
@@ -1,3 +1,3 @@
 pub fn weigh(grams: u32) -> u32 {
-    grams * 2
+    grams * 3
 }
"""
TYPED_BREAKS = """\
--- a/post/send.py
+++ b/post/send.py
@@ -1,2 +1,2 @@
-def weigh(grams: int) -> int:
+def weigh(grams: int) -> str:
     return grams * 2
"""


@pytest.mark.usefixtures("allowed")
@pytest.mark.parametrize(
    ("runner", "files", "diff"),
    [
        (
            "mypy",
            {
                "post/send.py": "def weigh(grams: int) -> int:\n    return grams * 2\n",
                "mypy.ini": "[mypy]\nfiles = post\n",
            },
            TYPED_BREAKS,
        ),
        pytest.param("cargo test", RUST, RUST_BREAKS, marks=pytest.mark.release),
    ],
)
@pytest.mark.slow
def test_what_a_tool_remembers_of_the_folder_hides_no_change_of_the_same_size(
    engine: Engine, repository: Repository, runner: str, files: dict[str, str], diff: str
) -> None:
    if not shutil.which(runner.split()[0]):
        pytest.skip(f"{runner} is not installed")
    for path, text in files.items():
        repository.write(path, text)
    engine.refresh()
    assert engine.settled(60)
    for _ in range(2):  # With nothing kept, and with what was kept.
        assert check(engine, diff, runners=[runner])["verdict"] == "failed"


_BUILDS = """
B="$CARGO_TARGET_DIR"; [ -e "$B/dependencies" ] && echo "a:1: kept"
find . -type f -not -name "*.py" -not -newer "$B/dependencies" | sed "s/$/:1: taken for built/"
mkdir -p "$B" && touch "$B/dependencies"
"""


@pytest.mark.usefixtures("allowed")
def test_what_cargo_built_is_kept_and_nothing_of_the_folder_is_older(
    engine: Engine, config: Path, repository: Repository
) -> None:
    repository.write("src/lib.rs", "")
    text = f"[runners.mine]\ncommand = ['sh', '-c', '''{_BUILDS}''']\n"
    (config / "runners.toml").write_text(text)
    first, second = (check(engine, diff, runners=["mine"]) for diff in (HARMLESS, BREAKS))
    for result in (first, second):
        assert [row["message"] for row in result["new"]] == ["kept"]


@pytest.mark.usefixtures("allowed")
def test_the_copy_is_where_the_original_was(
    engine: Engine, config: Path, repository: Repository
) -> None:
    path = repository.tree / "post/send.py"
    command = ["sh", "-c", f"sed 's|^|{path}:1: |' {path}"]
    runner = f"[runners.mine]\ncommand = {command}\npattern = '{GREP.split(chr(39))[1]}'\n"
    (config / "runners.toml").write_text(runner)
    result = check(engine, BREAKS, runners=["mine"])
    if result["notes"] and "could not limit" in result["notes"][-1]:
        pytest.skip("this system has no namespaces for users")
    assert {"# Weighs.", "return grams * 3"} <= {row["message"] for row in result["new"]}
    assert {row["path"] for row in result["new"]} == {"post/send.py"}


@pytest.mark.usefixtures("allowed")
def test_tests_of_a_tool_that_names_only_those_that_fail_are_not_counted(
    engine: Engine, config: Path
) -> None:
    command = ["sh", "-c", "grep -q '\\* 2' post/send.py || printf '● weighs\\n' | sed 's/^/  /'"]
    (config / "runners.toml").write_text(
        f"[runners.mine]\ncommand = {command}\nform = 'node tests'\ntests = true\n"
    )
    summary = check(engine, BREAKS, runners=["mine"])["summary"]
    assert summary.startswith("check failed: 1 test fails that did not; ran mine in")


@pytest.mark.usefixtures("allowed")
def test_the_command_line_hears_what_an_editor_s_engine_finds_before_its_answer(
    config: Path, repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Listener(Service):
        def receive(self, method: str, params: Any) -> None:
            heard.append(params)

    heard = list[dict[str, Any]]()
    (config / "runners.toml").write_text(GREP)
    monkeypatch.setenv("PACKHOUND_CACHE_DIR", str(tmp_path))
    with served(repository.tree, FolderSettings(repository.tree, Overrides())):
        connection = connect([repository.tree], Listener())
        assert connection is not None
        with closing(connection):
            checked = connection.answer("check", {"diff": BREAKS, "runners": ["grep"]})
    assert checked["new"]
    assert [row for each in heard for row in each.get("new", ())] == checked["new"]
    steps = ["copy", "grep without the patch", "grep"]
    assert [each["step"] for each in heard if "step" in each] == steps


@pytest.mark.usefixtures("allowed")
def test_what_a_patch_makes_run_is_named_and_can_be_refused(
    engine: Engine, config: Path, repository: Repository
) -> None:
    (config / "runners.toml").write_text(GREP)
    diff = CONFTEST.replace("MARK", str(repository.mark))
    notes = check(engine, diff, runners=["grep"])["notes"]
    assert "the patch changes what a check runs: conftest.py" in notes
    new = "--- /dev/null\n+++ b/{}\n@@ -0,0 +1 @@\n+x = 1\n"
    decides = ["mypy.ini", "src/json.py", "pytest/__init__.py", "a.egg-info/entry_points.txt"]
    more = "".join(new.format(path) for path in [*decides, "post/json.py", "test/helper.py"])
    notes = check(engine, more, runners=["grep"])["notes"]
    assert [each.rpartition(": ")[2] for each in notes if "a check runs" in each] == decides
    # What no check runs, but others will.
    more = "".join(map(new.format, [".github/workflows/ci.yml", ".husky/pre-push", "uv.lock"]))
    call = Call(Roots([engine]), engine.follow_settings().settings)
    of_overlay = answer(call, "propose", {"diff": more})["verdict"]["warnings"]
    assert len(of_overlay) == 3
    assert check(engine, more, runners=["grep"])["notes"][-3:] == of_overlay
    steps = list[object]()
    with pytest.raises(SettingsError, match=r"conftest\.py, which is not among: post/\*\*"):
        check(engine, diff, allow=["post/**"], report=steps.append)
    assert not steps


@pytest.mark.usefixtures("allowed")
@pytest.mark.parametrize(
    ("runner", "verdict", "note"),
    [
        ('command = ["no-such-tool"]', "nothing ran", "'no-such-tool' is not on the path"),
        ('command = ["no-such-tool"]\ntests = true', "nothing ran", "is not on the path"),
        ('command = ["sleep", "600"]', "incomplete", "longer than 1 s ('changes.seconds')"),
        ('command = ["sh", "-c", "echo oh; exit 3"]', "incomplete", "mine ended with 3: oh"),
        ('command = ["sh", "-c", "grep -q 3 post/send.py && exit 3 || true"]', "failed", ""),
        ('command = ["true"]\ndetect = ["nowhere"]', "nothing ran", ""),
        ('command = ["true"]\ndetect = ["*.toml:name"]', "passed", ""),
        ('command = ["true"]\ndetect = ["*.toml:nowhere"]', "nothing ran", ""),
    ],
)
def test_runners_of_the_user(
    engine: Engine, config: Path, runner: str, verdict: str, note: str
) -> None:
    with (config / "packhound.toml").open("a") as file:
        file.write("changes.seconds = 1\n")
    (config / "runners.toml").write_text(f"[runners.mine]\n{runner}\n")
    result = check(engine, BREAKS, runners=["mine"])
    assert result["verdict"] == verdict
    assert any(note in each for each in [*result["notes"], ""])


@pytest.mark.parametrize(
    ("settings", "is_made"),
    [
        ("folders.trusted = ['{}']\nchanges.run = true\nchanges.warmUp = true\n", True),
        ("folders.trusted = ['{}']\nchanges.run = true\n", False),
        ("folders.trusted = ['{}']\nchanges.warmUp = true\n", False),
        ("changes.run = true\nchanges.warmUp = true\n", False),
    ],
)
def test_the_tools_run_in_advance_where_the_user_allows_it_and_trusts_the_folder(
    config: Path, repository: Repository, settings: str, is_made: bool
) -> None:
    (config / "packhound.toml").write_text(settings.format(repository.tree))
    (config / "runners.toml").write_text(GREP + PYTEST_ALONE)
    before, said = repository.digest(), list[dict[str, Any]]()
    timing = Timing(check_idle_s=0.05)
    engine = Engine.open(
        repository.tree, FolderSettings(repository.tree, Overrides()), timing=timing
    )
    try:
        engine.prepare()
        assert engine.settled(60)
        kept = index_folder(repository.tree) / "checks/base"
        names = {thread.name for thread in threading.enumerate()}
        assert ("packhound-checks" in names) == is_made
        if is_made:
            n_applying = len([*applying(read_table(), repository.tree)])
            wait_until(lambda: len([*kept.glob("*.json")]) == n_applying)
            check(engine, HARMLESS, runners=["grep"], report=said.append)
            assert [each["step"] for each in said if "step" in each] == ["copy", "grep"]
        else:
            assert not kept.exists()
    finally:
        engine.close()
    assert repository.digest() == before


@pytest.mark.usefixtures("allowed")
def test_a_copy_has_a_git_where_it_is_asked_for_and_each_tool_is_a_span(
    engine: Engine, config: Path, repository: Repository
) -> None:
    runner = "[runners.mine]\ncommand = ['git', 'log', '--format=a:1: %s']\n"
    for setting, path in (("git = true\n", "notes.md"), ("", "notes.md"), ("", ".gitmodules")):
        (config / "runners.toml").write_text(setting + runner)
        repository.write(path, "")
        result = check(engine, HARMLESS, runners=["mine"], trace="t")
        has_git = setting or path == ".gitmodules"
        assert ("2 more are there" if has_git else "mine failed by itself") in result["summary"]
    stages = [row["stage"] for row in result["trace"]["stages"]]
    own = [stage for stage in stages if stage.startswith("check: ")]
    assert own == ["check: copy", "check: mine without the patch", "check: mine"]


@pytest.mark.usefixtures("allowed")
def test_coverage_that_differs_is_said_and_arguments_stand_behind_the_command(
    engine: Engine, config: Path
) -> None:
    script = 'wc -l < post/send.py | sed "s/.*/TOTAL 9 1 8&.5%/"; echo "$0 $*"'
    (config / "runners.toml").write_text(
        f"[runners.mine]\ncommand = ['sh', '-c', '{script}']\narguments = ['-n', '4']\n"
        "coverage = 'TOTAL .* (?P<percent>[0-9.]+)%'\npattern = '-n (?P<path>4)'\n"
    )
    result = check(engine, BREAKS, runners=["mine"])
    assert result["coverage"] == [{"runner": "mine", "before": 82.5, "after": 83.5}]
    assert "  coverage of mine: 83.5 %, was 82.5 %" in as_text("check", result).splitlines()
    assert (result["verdict"], result["n_old"]) == ("passed", 1)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("runners = 3", "runners"),
        ('[runners.mine]\ncommand = ["a"]\ncoverage = "x"', "has no group 'percent'"),
        ("[runners.mine]\n", "runner 'mine' has no command"),
        ('[runners.mine]\ncommand = "make"', "Expected `array`"),
        ('[runners.mine]\ncommand = ["a"]\npattern = "("', "no pattern of RE2: missing )"),
        ('[runners.mine]\ncommand = ["a"]\npattern = "(?=(?P<path>a))"', "invalid perl operator"),
        ('[runners.mine]\ncommand = ["a"]\npattern = "x"', "no group 'path' or 'test'"),
        ('[runners.mine]\ncommand = ["a"]\nform = "other"', "Invalid enum"),
        ('[runners.mine]\ncomand = ["a"]', "unknown field"),
        ('[runners.mine]\ncommand = ["a"]\ndetect = ["/etc/*"]', "has no glob of a folder: /etc/*"),
        ('[runners.mine]\ncommand = ["a"]\ndetect = ["**x:y"]', "has no glob of a folder: **x"),
        ("[runners", "Expected"),
    ],
)
def test_a_broken_table_is_refused_with_its_path(config: Path, text: str, problem: str) -> None:
    (config / "runners.toml").write_text(text)
    with pytest.raises(SettingsError, match=re.escape(problem)) as refusal:
        read_table()
    assert str(config / "runners.toml") in str(refusal.value)


@pytest.mark.usefixtures("allowed")
def test_an_unknown_runner_names_those_that_there_are(engine: Engine) -> None:
    with pytest.raises(SettingsError, match="no runner 'pytst'; expected one of: ruff, mypy"):
        check(engine, BREAKS, runners=["pytst"])


@pytest.mark.usefixtures("allowed")
def test_what_was_kept_does_not_count_once_a_dependency_is_installed(
    engine: Engine, config: Path, repository: Repository
) -> None:
    (config / "runners.toml").write_text(GREP)
    (repository.tree / ".venv").mkdir()

    def steps() -> list[str]:
        said = list[dict[str, Any]]()
        check(engine, BREAKS, runners=["grep"], report=said.append)
        return [each["step"] for each in said if "step" in each]

    assert steps() == ["copy", "grep without the patch", "grep"]
    assert steps() == ["copy", "grep"]
    (repository.tree / ".venv" / "lib").mkdir()
    assert steps() == ["copy", "grep without the patch", "grep"]


@pytest.mark.usefixtures("allowed")
def test_more_than_is_kept_is_no_proof(engine: Engine, config: Path) -> None:
    command = ["sh", "-c", "for n in $(seq 6000); do echo run.sh:1: $n; done"]
    text = GREP.replace('["grep", "-rn", "return", "post"]', str(command))
    (config / "runners.toml").write_text(text)
    assert check(engine, HARMLESS, runners=["grep"])["verdict"] == "incomplete"


@pytest.mark.usefixtures("allowed")
def test_a_cancelled_check_leaves_nothing(engine: Engine, config: Path, runs_folder: Path) -> None:
    (config / "runners.toml").write_text('[runners.mine]\ncommand = ["sleep", "600"]\n')
    cancel = threading.Event()

    def report(progress: dict[str, Any]) -> None:
        if progress.get("step") == "mine without the patch":
            cancel.set()

    with pytest.raises(Cancelled):
        check(engine, BREAKS, runners=["mine"], cancel=cancel, report=report)
    assert not [*runs_folder.iterdir()]


def test_nothing_runs_unless_the_user_has_switched_it_on(
    engine: Engine, config: Path, repository: Repository
) -> None:
    with pytest.raises(SettingsError, match="checks run tests and tools of"):
        check(engine, BREAKS)
    (config / "packhound.toml").write_text("changes.run = true\n")
    with pytest.raises(SettingsError, match="is not trusted"):
        check(engine, BREAKS)
    (config / "packhound.toml").write_text(f"folders.trusted = ['{repository.tree}']\n")
    with pytest.raises(SettingsError, match=r"changes\.run"):
        check(engine, BREAKS)


WORKSPACE = [
    (".packhound.toml", "changes.run = true"),
    (".packhound.toml", "[changes]\nrun = true\nseconds = 80000"),
    (".packhound.toml", "changes.run = true\nfolders.trusted = ['/']"),
    (".packhound.toml", "changes.include = ['.env']\nchanges.run = true"),
    (".packhound.toml", "[runners.mine]\ncommand = ['touch', '/tmp/x']\n[changes]\nrun = true"),
    ("pyproject.toml", "[tool.packhound.changes]\nrun = true"),
    ("pyproject.toml", "[tool.packhound]\nmcp.tools = ['check']\nchanges.run = true"),
]


@pytest.mark.parametrize("is_trusted", [True, False])
@pytest.mark.parametrize(("file", "text"), WORKSPACE)
def test_a_workspace_switches_nothing_on(
    repository: Repository, config: Path, file: str, text: str, is_trusted: bool
) -> None:
    if is_trusted:
        (config / "packhound.toml").write_text(f"folders.trusted = ['{repository.tree}']\n")
    repository.write(file, text)
    in_force = FolderSettings(repository.tree).read()
    assert in_force.trusted == is_trusted
    assert not in_force.settings.changes.run
    assert in_force.settings.changes.seconds == 300
    assert in_force.settings.changes.include == ()
    assert "mine" not in read_table().runners
    assert in_force.problems


@pytest.mark.usefixtures("allowed")
@pytest.mark.parametrize("tools", ["", "mcp.tools = ['default', 'overlays']"])
def test_an_agent_needs_the_name_of_the_tool(
    repository: Repository, config: Path, tools: str
) -> None:
    with (config / "packhound.toml").open("a") as file:
        file.write(f"{tools}\n")
    repository.write(".packhound.toml", "mcp.tools = ['check']\n")
    folders = Folders([repository.tree], Overrides())
    try:
        assert "check" not in [each.name for each in folders.operations]
        with pytest.raises(SettingsError, match="tool 'check' is switched off; name it yourself"):
            folders.call("check", {"diff": BREAKS})
    finally:
        folders.close()


@pytest.mark.usefixtures("allowed")
def test_an_agent_whom_the_user_has_given_the_tool_checks(
    repository: Repository, config: Path
) -> None:
    with (config / "packhound.toml").open("a") as file:
        file.write("mcp.tools = ['default', 'check']\n")
    (config / "runners.toml").write_text(GREP)
    folders = Folders([repository.tree], Overrides())
    try:
        assert folders.call("check", {"diff": BREAKS, "runners": ["grep"]})["verdict"] == "failed"
    finally:
        folders.close()


@pytest.mark.usefixtures("allowed")
def test_the_command_line_ends_with_1_unless_it_passed(
    repository: Repository, config: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (config / "runners.toml").write_text(GREP)
    monkeypatch.chdir(repository.tree)
    for diff, code, verdict in ((BREAKS, 1, "check failed: 1 new error"), (CONFTEST, 0, "passed")):
        command = ["check", "--patch", "-", "--runner", "grep"]
        result = CliRunner().invoke(main, command, input=diff)
        assert result.exit_code == code, result.output
        assert verdict in result.output
    result = CliRunner().invoke(main, ["check"])
    assert "give --patch" in result.output


def test_a_check_is_offered_by_name_alone_and_never_sent_twice() -> None:
    assert OPERATIONS["check"].by_name
    assert "check" in WRITING


REFUSED = {
    "hook": "--- /dev/null\n+++ b/.git/hooks/pre-commit\n@@ -0,0 +1 @@\n+x\n",
    "config": "--- a/.git/config\n+++ b/.git/config\n@@ -1 +1 @@\n-x\n+y\n",
    "git in capitals": "--- /dev/null\n+++ b/.GIT/hooks/x\n@@ -0,0 +1 @@\n+x\n",
    "git within": "--- /dev/null\n+++ b/post/.git/hooks/x\n@@ -0,0 +1 @@\n+x\n",
    "short git": "--- /dev/null\n+++ b/git~1/hooks/x\n@@ -0,0 +1 @@\n+x\n",
    "hidden git": "--- /dev/null\n+++ b/.g\u200cit/hooks/x\n@@ -0,0 +1 @@\n+x\n",
    "parent": "--- /dev/null\n+++ b/../x\n@@ -0,0 +1 @@\n+x\n",
    "parents": "--- /dev/null\n+++ b/post/../../x\n@@ -0,0 +1 @@\n+x\n",
    "absolute": "diff --git a/x b/x\nnew file mode 100644\n--- /dev/null\n+++ //etc/x\n"
    "@@ -0,0 +1 @@\n+x\n",
    "drive": "--- /dev/null\n+++ b/C:/x\n@@ -0,0 +1 @@\n+x\n",
    "backslash": "--- /dev/null\n+++ b/post\\..\\..\\x\n@@ -0,0 +1 @@\n+x\n",
    "device": "--- /dev/null\n+++ b/con\n@@ -0,0 +1 @@\n+x\n",
    "link": "diff --git a/l b/l\nnew file mode 120000\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n"
    "+/etc\n\\ No newline at end of file\n",
    "submodule": "diff --git a/s b/s\nnew file mode 160000\n--- /dev/null\n+++ b/s\n@@ -0,0 +1 @@\n"
    "+Subproject commit 0000000000000000000000000000000000000000\n",
    "setuid": "diff --git a/s b/s\nnew file mode 104755\n--- /dev/null\n+++ b/s\n"
    "@@ -0,0 +1 @@\n+x\n",
    "through a link out": "--- a/outside\n+++ b/outside\n@@ -1 +1 @@\n-x\n+y\n",
    "through a link in": "--- a/inside\n+++ b/inside\n@@ -1 +1 @@\n-def weigh(grams):\n+y\n",
    "file as folder": "--- /dev/null\n+++ b/run.sh/x\n@@ -0,0 +1 @@\n+x\n",
    "folder as file": "--- /dev/null\n+++ b/post\n@@ -0,0 +1 @@\n+x\n",
    "there already": "diff --git a/run.sh b/run.sh\nnew file mode 100644\n--- /dev/null\n"
    "+++ b/run.sh\n@@ -0,0 +1 @@\n+x\n",
    "not there": "--- a/none.py\n+++ b/none.py\n@@ -1 +1 @@\n-x\n+y\n",
    "other text": "--- a/run.sh\n+++ b/run.sh\n@@ -1 +1 @@\n-other\n+y\n",
    "binary": "diff --git a/b b/b\nGIT binary patch\nliteral 1\nIcmZQzU|?kc00aO4\n",
    "empty": "\n\n",
    "no id": "ffffffff",
    "path for an id": "../../../etc/passwd",
}


@pytest.mark.usefixtures("allowed")
def test_hostile_patches_are_refused_before_anything_runs(
    engine: Engine, repository: Repository, runs_folder: Path
) -> None:
    before = repository.digest()
    for name, diff in REFUSED.items():
        with pytest.raises(SettingsError):
            check(engine, diff)
            pytest.fail(name)
    assert not runs_folder.exists()
    assert repository.digest() == before
