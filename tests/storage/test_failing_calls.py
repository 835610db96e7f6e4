"""The N-th call to the system fails, below SQLite and Python, while an index is loaded and saved:
the disk has what was saved before or what was acknowledged, and the next save succeeds.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from packhound.index.writer import Index
from packhound.storage.sqlite_store import Store
from tests.storage.test_full_disk import check_holds
from tests.support.index_child import VERSIONS, filled
from tests.test_system_calls import can_trace

CALLS = {
    "pwrite64": "EIO",
    "fdatasync": "EIO",
    "fsync": "EIO",
    "ftruncate": "ENOSPC",
    "unlink": "EACCES",
    "fcntl": "EACCES",
}
CHILD = """
import sys
from pathlib import Path
from packhound.core.errors import StoreError
from packhound.storage.sqlite_store import Store
from tests.support.index_child import VERSIONS, filled
try:
    store = Store.open(Path(sys.argv[1]), lambda: VERSIONS)
    store.load()
    store.save(filled(4).snapshot)
    print("saved")
    store.close()
except StoreError as error:
    print("refused", error)
"""


@pytest.mark.usefixtures("bulk")
@pytest.mark.skipif(not can_trace(), reason="needs strace")
@pytest.mark.parametrize("step", [20, pytest.param(1, marks=pytest.mark.release)])
@pytest.mark.parametrize("call", CALLS)
def test_a_call_that_fails_leaves_what_was_acknowledged(tmp_path, call, step) -> None:
    kept, folder, log = tmp_path / "kept", tmp_path / "s", tmp_path / "log"
    before, after = filled(2), filled(4)
    store = Store.open(kept, lambda: VERSIONS)
    store.save(before.snapshot)
    store.close()
    for number in range(1, 2_000, step):
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(kept, folder)
        fault = f"inject={call}:error={CALLS[call]}:when={number}"
        # Python looks at other files with the same calls, but syncs and deletes only ours.
        names = [] if call in ("fsync", "unlink") else ["", "-wal", "-shm"]
        places = [f"--trace-path={folder}/index.sqlite{end}" for end in names]
        strace = ("strace", *places, "-f", "-qq", "-o", log, "-e", f"trace={call}", "-e", fault)
        done = subprocess.run(
            [*strace, sys.executable, "-c", CHILD, folder],
            cwd=Path(__file__).parents[2],
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, (number, done.stderr[-2_000:])
        is_saved = done.stdout == "saved\n"
        check_store(folder, after if is_saved else before)
        if "INJECTED" not in log.read_text("utf-8", "replace"):
            assert is_saved
            return
    raise AssertionError("the fault never stopped coming")


def check_store(folder: Path, expected: Index) -> None:
    """Check that a store holds what is expected, and takes the next save."""
    store = Store.open(folder, lambda: VERSIONS)
    check_holds(store, expected)
    store.save(filled(3).snapshot)
    check_holds(store, filled(3))
    store.close()
