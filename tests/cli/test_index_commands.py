"""Commands about the index: index, status, explain, doctor, clear."""

import json
from contextlib import closing
from pathlib import Path

from packhound.cli.verify import differences
from packhound.core.settings import Settings
from packhound.core.settings_reader import settings_from
from packhound.core.types import Document
from packhound.service.engine import Engine
from tests.support.command_line import CODE, packhound
from tests.support.git_repository import git

MODELS = Path(__file__).parents[2] / "fixtures" / "models"


def test_index_json(tmp_path: Path, root: Path) -> None:
    done = packhound(tmp_path, "index", "--root", str(root), "--json")
    report = json.loads(done.stdout)
    assert (report["files"], report["languages"]) == (2, {"python": 2})
    assert (report["kinds"]["function"], report["left_out"], report["warnings"]) == (2, [], [])
    assert (report["vectors"], report["failed_vectors"]) == (report["nodes"], 0)
    [database] = (tmp_path / "cache").glob("house-*/index.sqlite")
    assert report["disk_bytes"] >= database.stat().st_size > 0


def test_index_says_what_is_left_out_and_why(tmp_path: Path, root: Path) -> None:
    for path, content in {
        "big.py": b"x = 1\n" * 2_000,
        "empty.py": b"",
        "logo.png": b"\x89PNG",
        ".env": b"KEY=1\n",
        "data.bin.txt": b"a\0b",
        "ignored.py": b"x = 1\n",
        "hidden.py": b"x = 1\n",
        "set.py": b"x = 1\n",
        "node_modules/a.js": b"1\n",
        "out/a.js": b"1\n",
        ".gitignore": b"ignored.py\nout/\n",
        ".packhoundignore": b"hidden.py\n",
    }.items():
        (root / path).parent.mkdir(exist_ok=True)
        (root / path).write_bytes(content)
    (root / "link.py").symlink_to(root / "door.py")
    limits = ("--set", "index.maxFileKilobytes=5", "--set", 'index.exclude=["set.py"]')
    index = ("index", "--root", str(root), *limits)
    rows = json.loads(packhound(tmp_path, *index, "--json").stdout)["left_out"]
    assert {row["reason"]: (row["files"], row["folders"]) for row in rows} == {
        "git's ignore files": (1, 1),
        "data or large: by grep alone": (1, 0),
        "empty": (1, 0),
        "binary by name": (1, 0),
        "credentials by name": (1, 0),
        "binary": (1, 0),
        ".packhoundignore": (1, 0),
        "index.exclude": (1, 0),
        "links and special files": (1, 0),
        "dependencies and output of tools": (0, 1),
    }
    text = packhound(tmp_path, *index).stdout
    assert "left out: 1 file and 1 folder (git's ignore files); " in text
    assert "MB on disk" in text and "kinds: window 3, function 2" in text and "by meaning: " in text


def test_status_has_kinds_and_sizes(tmp_path: Path, root: Path) -> None:
    status = json.loads(packhound(tmp_path, "status", "--root", str(root), "--json").stdout)
    assert status["kinds"]["function"] == 2
    assert status["failed_vectors"] == 0 and status["disk_bytes"] > 0


def test_status_counts_definitions_by_folder(tmp_path: Path, root: Path) -> None:
    lines = packhound(tmp_path, "status", "--root", str(root), "--folders").stdout.splitlines()
    at = lines.index("definitions    files  folder")
    assert lines[at + 1].split()[1:] == ["2", "**"]
    assert "memory of this process" in lines[at + 2] or not Path("/proc/self/statm").exists()


def test_status_and_explain(tmp_path: Path, root: Path) -> None:
    status = json.loads(packhound(tmp_path, "status", "--root", str(root), "--json").stdout)
    assert (status["files"], status["pending"]) == (2, 0)
    place = ("explain", "mend", "roof.py:1-2", "--root", str(root), "--json")
    assert json.loads(packhound(tmp_path, *place).stdout)["name"] == "mend_roof"


def test_the_doctor_sees_differences_from_a_rebuilt_index(tmp_path, root, monkeypatch):
    monkeypatch.setenv("PACKHOUND_CACHE_DIR", str(tmp_path / "cache"))
    engine = Engine.open(root, Settings())
    rebuilt = Engine.open(root, settings_from({"index.persist": False}))
    with closing(engine), closing(rebuilt):
        assert engine.settled(60) and rebuilt.settled(60)
        assert differences(engine, rebuilt) == []
        engine.update(Document("door.py", CODE.replace("key", "card").encode()))
        assert engine.settled(60)
        assert differences(engine, rebuilt)[0] == "door.py"


def test_clear_and_doctor(tmp_path: Path, root: Path) -> None:
    packhound(tmp_path, "index", "--root", str(root))
    doctor = packhound(tmp_path, "doctor", "--root", str(root))
    assert doctor.returncode == 0, doctor.stdout
    assert "2 files" in doctor.stdout
    verified = packhound(tmp_path, "doctor", "--verify", "--root", str(root))
    assert verified.returncode == 0 and "index: equals a rebuilt one" in verified.stdout
    assert "freed" in packhound(tmp_path, "clear", "--root", str(root)).stdout
    assert not any((tmp_path / "cache").glob("house-*"))


def test_a_slow_model_has_read_all_when_a_command_is_over(tmp_path: Path, root: Path) -> None:
    functions = (f"def load_{n}(path):\n    return parse(path, {n})\n" for n in range(40))
    (root / "many.py").write_text("\n\n".join(functions))
    model = ("--model", str(MODELS / "transformer"), "--root", str(root))
    report = json.loads(packhound(tmp_path, "index", *model, "--json").stdout)
    assert report["vectors"] == report["nodes"] > 40
    assert (report["encoder"], report["failed_vectors"]) == ("ready", 0)
    found = json.loads(packhound(tmp_path, "search", "parse a path", *model, "--json").stdout)
    assert found["hits"] and found["confidence"] is None and found["confidence_word"] is None
    words = ("--mode", "lexical", *model, "--json")
    assert json.loads(packhound(tmp_path, "search", "parse a path", *words).stdout)["confidence"]
    status = json.loads(packhound(tmp_path, "status", *model, "--json").stdout)
    assert (status["encoder"], status["pending_vectors"]) == ("ready", 0)


def test_several_folders_are_indexed_one_after_the_other(tmp_path: Path, root: Path) -> None:
    (tmp_path / "barn").mkdir()
    (tmp_path / "barn" / "hay.py").write_text("def stack_hay():\n    return 1\n")
    index = ("index", "--root", str(root), "--root", str(tmp_path / "barn"))
    rows = json.loads(packhound(tmp_path, *index, "--json").stdout)["roots"]
    names = [(Path(row["root"]).name, row["files"]) for row in rows]
    assert names == [("house", 2), ("barn", 1)]
    printed = packhound(tmp_path, *index).stdout
    assert f"{tmp_path / 'barn'}:\n1 files, 1 nodes" in printed


def test_a_bare_repository_is_read_as_of_its_head(tmp_path: Path, root: Path) -> None:
    git(root, "init", "-q")
    git(root, "add", "door.py")
    git(root, "commit", "-qm", "Begin")
    bare = tmp_path / "house.git"
    git(tmp_path, "clone", "-q", "--bare", str(root), str(bare))
    before = sorted(path for path in bare.rglob("*"))
    commits = ("--set", "sources.commits.enabled=true")
    report = json.loads(packhound(tmp_path, "index", "--root", str(bare), "--json").stdout)
    assert (report["files"], report["languages"]) == (1, {"python": 1})
    found = packhound(tmp_path, "search", "open_door", "--root", str(bare)).stdout
    assert "door.py:1-3" in found
    git(root, "commit", "-q", "--allow-empty", "-m", "Go on")
    (root / "gate.py").write_text("def open_gate():\n    return 1\n")
    git(root, "add", "gate.py")
    git(root, "commit", "-qm", "Open the garden gate")
    git(root, "push", "-q", str(bare), "HEAD")
    assert "gate.py:1-2" in packhound(tmp_path, "search", "open_gate", "--root", str(bare)).stdout
    house = (f"--root={bare}",)
    history = packhound(tmp_path, "search", "open_door rev:HEAD~1", *house).stdout
    assert "door.py:1-3" in history
    assert "gate.py" not in packhound(tmp_path, "search", "gate rev:HEAD~1", *house).stdout
    unknown = packhound(tmp_path, "search", "gate rev:nowhere", *house).stderr
    assert f"'rev:nowhere' is no branch, tag or commit in '{bare}'" in unknown
    blamed = packhound(tmp_path, "search", "open_gate", "--git", *house).stdout
    assert "just now" in blamed and "untracked" not in blamed
    assert (
        "Open the garden"
        in packhound(tmp_path, "search", "gate type:commit", *commits, *house).stdout
    )
    changes = json.loads(packhound(tmp_path, "changes", "HEAD~1", "--json", *house).stdout)
    assert [row["qualname"] for row in changes["definitions"]] == ["open_gate"]
    unchanged = json.loads(packhound(tmp_path, "changes", "--json", *house).stdout)
    assert not (unchanged["definitions"] or unchanged["files"] or unchanged["deleted"])
    since = packhound(tmp_path, "search", "open_gate since:1d", *house)
    assert "gate.py:1-2" in since.stdout and "git" not in since.stdout
    scored = packhound(tmp_path, "eval", "--history", "--json", *house)
    assert json.loads(scored.stdout)["all"]
    written = [path.name for path in (tmp_path / "cache").rglob("*.py")]
    assert {*written} == {"door.py", "gate.py"}
    packhound(tmp_path, "clear", "--root", str(bare))
    assert not list((tmp_path / "cache").rglob("*.py"))
    assert not list((tmp_path / "cache").rglob("index.sqlite"))
    assert {*before} <= {*bare.rglob("*")}
    git(tmp_path, "init", "-q", "--bare", "empty.git")
    refused = packhound(tmp_path, "index", "--root", str(tmp_path / "empty.git"))
    assert refused.returncode == 2 and "has no commit at HEAD" in refused.stderr
