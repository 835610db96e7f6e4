"""Nothing of a folder is run, and nothing is sent anywhere, whatever the folder holds."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

SPY = """
import json, sys
seen = []
WATCHED = ("socket.", "subprocess.", "os.exec", "os.system", "os.posix_spawn", "os.fork", "http.")
def hook(event, arguments):
    if event.startswith(WATCHED):
        seen.append([event, str(arguments[1] if event == "subprocess.Popen" else arguments[:2])])
sys.addaudithook(hook)
from pathlib import Path
from packhound.service.engine import Engine
from packhound.pack.request import PackRequest
from packhound.core.types import Query
engine = Engine.open(Path(sys.argv[1]))
engine.settled()
engine.search(Query("load the settings"))
engine.pack(PackRequest("load the settings", budget=1_000))
engine.close()
print(json.dumps(seen))
"""
HOSTILE = {
    "settings.py": "def load_settings():\n    return 1\n",
    "sitecustomize.py": "raise SystemExit('taken over')\n",
    "numpy.py": "raise SystemExit('taken over')\n",
    "conftest.py": "raise SystemExit('taken over')\n",
    ".packhoundignore": "!../\n!/etc/passwd\n",
    "packhound.toml": "model = 'http://example.invalid/model'\n",
    ".vscode/settings.json": '{"packhound.model": "http://example.invalid/model"}',
}


def test_a_hostile_folder_is_only_read(tmp_path: Path) -> None:
    root = tmp_path / "root"
    for name, text in HOSTILE.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    finished = subprocess.run(
        [sys.executable, "-c", SPY, root],
        cwd=tmp_path,
        env={**os.environ, "PACKHOUND_CACHE_DIR": str(tmp_path / "cache")},
        capture_output=True,
        text=True,
        check=True,
    )
    seen = json.loads(finished.stdout)
    parsers = [what for event, what in seen if event == "subprocess.Popen" and "'-I'" in what]
    assert parsers
    # Besides parsers only git runs, if at all; its switches have tests of their own.
    others = [what for event, what in seen if event == "subprocess.Popen" and what not in parsers]
    assert all("core.fsmonitor=false" in what for what in others), others
    assert [entry for entry in seen if entry[0] != "subprocess.Popen"] == []


SESSION = """
import sys
from pathlib import Path
from packhound.service.engine import Engine
from packhound.core.types import Query
engine = Engine.open(Path(sys.argv[1]))
engine.settled()
assert engine.search(Query("load the settings")).hits
engine.close()
"""


def test_no_library_keeps_or_sends_what_is_done(tmp_path: Path) -> None:
    """ONNX Runtime would, in this folder, from where it sends it; not so where CI is set."""
    (tmp_path / "root").mkdir()
    (tmp_path / "root" / "settings.py").write_text(HOSTILE["settings.py"])
    home = tmp_path / "home"
    home.mkdir()
    environment = {
        **{name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ},
        "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
        "HOME": str(home),
        "PACKHOUND_CACHE_DIR": str(tmp_path / "cache"),
    }
    command = [sys.executable, "-c", SESSION, str(tmp_path / "root")]
    subprocess.run(command, env=environment, check=True)
    kept = [path.relative_to(home).as_posix() for path in home.rglob("*") if path.is_file()]
    assert [path for path in kept if "packhound" not in path] == []
