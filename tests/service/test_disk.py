"""A cache folder that cannot be written: work from memory, say so once, save when it can be."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.project import write_files

NAMESPACE = ("unshare", "--user", "--map-root-user", "--mount")


def has_namespaces() -> bool:
    if sys.platform != "linux" or not shutil.which("unshare"):
        return False
    return subprocess.run([*NAMESPACE, "true"], capture_output=True, check=False).returncode == 0


CHILD = Path(__file__).parents[1] / "support" / "disk_child.py"

needs_mounts = pytest.mark.skipif(not has_namespaces(), reason="needs a mount of its own")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "root"
    write_files(
        folder, {f"m{n}.py": f"def load_config():\n    return {n}\n" * 20 for n in range(40)}
    )
    return folder


def run_on_tiny_disk(cache: Path, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    cache.mkdir()
    return subprocess.run(
        [*NAMESPACE, sys.executable, CHILD, *arguments],
        env={**os.environ, "PACKHOUND_CACHE_DIR": str(cache)},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


@needs_mounts
@pytest.mark.parametrize(("disk", "files_saved"), [("full", 41), ("read-only", 0)])
def test_a_disk_that_takes_nothing(cache: Path, root: Path, disk: str, files_saved: int) -> None:
    child = run_on_tiny_disk(cache, disk, "engine", root)
    assert child.returncode == 0, child.stderr
    report = json.loads(child.stdout)
    assert "load_config" in report["names"] and report["hit_notes"] == []
    assert (len(report["notes"]), report["state"]) == (1, "degraded")
    assert len([line for line in report["log"] if "in memory only" in line]) == 1
    assert report["files_saved"] == files_saved


@needs_mounts
@pytest.mark.parametrize("disk", ["full", "read-only"])
@pytest.mark.slow
def test_indexing_onto_a_disk_that_takes_nothing_fails(cache: Path, root: Path, disk: str) -> None:
    child = run_on_tiny_disk(cache, disk, "index", root)
    assert child.returncode == 1
    assert "40 files" in child.stdout
    assert "warning: nothing is saved: the index is kept in memory only" in child.stderr


@needs_mounts
@pytest.mark.slow
def test_the_status_of_a_full_disk_says_that_nothing_is_saved(cache: Path, root: Path) -> None:
    child = run_on_tiny_disk(cache, "full", "status", root)
    assert "no, nothing is saved" in child.stdout and "in memory only" in child.stdout
