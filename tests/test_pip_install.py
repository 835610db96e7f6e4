"""An install needs no compiler, and says what it does without what only a compiler can make."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.command_line import make_house

CHECKOUT = Path(__file__).resolve().parent.parent


@pytest.mark.release
@pytest.mark.skipif(os.name == "nt", reason="PATH is not all that finds a compiler there")
def test_an_install_needs_no_compiler(tmp_path: Path):
    environment = tmp_path / "venv"
    subprocess.run([sys.executable, "-m", "venv", environment], check=True)
    tools = environment / "bin"
    alone = {name: os.environ[name] for name in ("HOME", "PIP_INDEX_URL") if name in os.environ}
    alone |= {"PATH": str(tools), "PACKHOUND_CACHE_DIR": str(tmp_path / "cache")}

    def run(*command: object) -> subprocess.CompletedProcess[str]:
        call = [str(part) for part in command]
        return subprocess.run(call, env=alone, capture_output=True, text=True, timeout=600)

    installed = run(tools / "python", "-m", "pip", "install", "--no-cache-dir", CHECKOUT)
    assert installed.returncode == 0, installed.stderr
    house = make_house(tmp_path / "house")
    hits = run(tools / "packhound", "search", "unlock the door", "--root", house)
    assert "open_door" in hits.stdout, hits.stderr
    status = json.loads(run(tools / "packhound", "status", "--json", "--root", house).stdout)
    assert status["dense"] == "exact" and status["vectors"]
    doctor = run(tools / "packhound", "doctor", "--root", house)
    assert "hnswlib: not installed" in doctor.stdout and doctor.returncode == 0
