"""A cache folder that cannot be written: work from memory, say so once, save when it can be."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

NAMESPACE = ("unshare", "--user", "--map-root-user", "--mount")


def has_namespaces() -> bool:
    if sys.platform != "linux" or not shutil.which("unshare"):
        return False
    return subprocess.run([*NAMESPACE, "true"], capture_output=True, check=False).returncode == 0


@pytest.mark.skipif(not has_namespaces(), reason="needs a mount of its own")
@pytest.mark.parametrize(("disk", "files_kept"), [("full", 41), ("read-only", 0)])
def test_a_disk_that_takes_nothing(tmp_path: Path, disk: str, files_kept: int) -> None:
    cache, root = tmp_path / "cache", tmp_path / "root"
    cache.mkdir()
    root.mkdir()
    for n in range(40):
        (root / f"m{n}.py").write_text(f"def load_config():\n    return {n}\n" * 20)
    child = subprocess.run(
        [*NAMESPACE, sys.executable, Path(__file__).with_name("disk_child.py"), disk, root],
        env={**os.environ, "PACKHOUND_CACHE_DIR": str(cache)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert child.returncode == 0, child.stderr
    told = json.loads(child.stdout)
    assert "load_config" in told["names"] and told["hit_notes"] == []
    assert (len(told["notes"]), told["state"]) == (1, "degraded")
    assert len([line for line in told["said"] if "in memory only" in line]) == 1
    assert told["files_kept"] == files_kept
