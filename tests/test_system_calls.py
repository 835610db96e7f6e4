"""A whole session under strace: what native libraries do is seen too, and none of them talks."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SESSION = """
import sys
from pathlib import Path
from packhound.service.engine import Engine
from packhound.pack.request import PackRequest
from packhound.core.settings_reader import settings_from
from packhound.core.types import Document, Query
settings = settings_from({"ranking.gitHistory": True, "ranking.activity": True})
engine = Engine.open(Path(sys.argv[1]), settings)
engine.settled()
for text in ("load the settings", "load_settings", "kind:class settings"):
    engine.search(Query(text))
engine.update(Document("settings.py", b"def typed(): pass"))
engine.search(Query("typed"))
engine.pack(PackRequest("load the settings", budget=1_000))
engine.related("settings.py", 0)
engine.rebuild()
engine.settled()
engine.close()
"""
OUTWARD = re.compile(r"AF_INET|AF_PACKET|AF_NETLINK|AF_BLUETOOTH")
TRACED = "trace=network,execve,execveat,openat,open,creat,rename,unlink,mkdir,link,symlink"


def can_trace() -> bool:
    if sys.platform != "linux" or not shutil.which("strace"):
        return False
    return subprocess.run(["strace", "-o", "/dev/null", "true"], check=False).returncode == 0


@pytest.mark.skipif(not can_trace(), reason="needs strace")
def test_nothing_is_sent_and_nothing_of_the_folder_is_run_or_written(tmp_path: Path) -> None:
    root, log, cache = tmp_path / "root", tmp_path / "log", tmp_path / "cache"
    root.mkdir()
    (root / "settings.py").write_text("def load_settings():\n    return 1\n" * 30)
    for tool in ("git", "python", "sh", "cc"):
        (root / tool).write_text("#!/bin/sh\ntouch taken-over\n")
        (root / tool).chmod(0o755)
    subprocess.run(["git", "init", "-q", root], check=True)
    before = {path: path.stat().st_mtime_ns for path in root.rglob("*")}
    session = [sys.executable, "-c", SESSION, root]
    environment = {
        "PACKHOUND_CACHE_DIR": str(cache),
        "PATH": "/usr/bin:/bin",
        "HOME": str(tmp_path),
    }
    environment["PYTHONPATH"] = ":".join(path for path in sys.path if path)
    subprocess.run(
        ["strace", "-f", "-qq", "-s", "300", "-e", TRACED, "-o", log, *session],
        cwd=root,
        env=environment,
        check=True,
    )
    calls = log.read_text("utf-8", "replace").splitlines()
    assert [call for call in calls if OUTWARD.search(call)] == []
    run = [match[1] for call in calls if (match := re.search(r'execve\("([^"]*)"', call))]
    done = [call for call in calls if "execve(" in call and call.endswith("= 0")]
    assert run and all(Path(name).name in (Path(sys.executable).name, "git") for name in run)
    assert not [call for call in done if str(root) in call.partition("[")[0]]
    written = [call for call in calls if str(root) in call and re.search("O_WRONLY|O_RDWR", call)]
    changes = [call for call in calls if re.search(r"(rename|unlink|mkdir|link)\w*\(", call)]
    assert [call for call in (*written, *changes) if f'"{root}' in call] == []
    after = {path: path.stat().st_mtime_ns for path in root.rglob("*")}
    assert after == before
