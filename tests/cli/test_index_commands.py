"""Commands about the index: index, status, explain, doctor, clear."""

import json
from contextlib import closing
from pathlib import Path

from packhound.cli.verify import differences
from packhound.core.settings import Settings
from packhound.core.types import Document
from packhound.service.engine import Engine
from tests.support.command_line import CODE, packhound


def test_index_json(tmp_path: Path, root: Path) -> None:
    done = packhound(tmp_path, "index", "--root", str(root), "--json")
    report = json.loads(done.stdout)
    assert list(report) == ["files", "nodes", "languages", "elapsed_ms", "generation", "warnings"]
    assert (report["files"], report["languages"]) == (2, {"python": 2})


def test_status_and_explain(tmp_path: Path, root: Path) -> None:
    status = json.loads(packhound(tmp_path, "status", "--root", str(root), "--json").stdout)
    assert (status["files"], status["pending"]) == (2, 0)
    place = ("explain", "mend", "roof.py:1", "--root", str(root), "--json")
    assert json.loads(packhound(tmp_path, *place).stdout)["name"] == "mend_roof"


def test_the_doctor_sees_differences_from_a_rebuilt_index(tmp_path, root, monkeypatch):
    monkeypatch.setenv("PACKHOUND_CACHE_DIR", str(tmp_path / "cache"))
    engine = Engine.open(root, Settings())
    rebuilt = Engine.open(root, Settings(persist=False))
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
