# ruff: noqa: T201 - it talks to its parent
"""An engine, or a command, whose cache folder is a tiny disk.

Run as `python disk_child.py full|read-only engine|COMMAND ROOT`, in a mount namespace of its own as
`unshare --user --map-root-user --mount` makes one.
"""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
import time
from pathlib import Path

from packhound.cli.commands import main as packhound
from packhound.core.types import Query
from packhound.indexing.timing import Timing
from packhound.service.engine import Engine

TIMING = Timing(save_s=0.05)
"""A test waits for a second save, not for half a minute."""


def mount(*options: str) -> None:
    subprocess.run(["mount", *options, os.environ["PACKHOUND_CACHE_DIR"]], check=True)


def wait_for_notes(engine: Engine, *, present: bool) -> list[str]:
    """Return the notes on memory as soon as there are some, or none any more."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        notes = [note for note in engine.status().notes if "in memory only" in note]
        if bool(notes) == present:
            return notes
        time.sleep(0.02)
    raise TimeoutError(f"notes should be present: {present}")


def run_engine(disk: str, root: Path) -> None:
    log: list[str] = []
    handler = logging.Handler()
    handler.emit = lambda record: log.append(record.getMessage())
    logging.getLogger("packhound").addHandler(handler)
    engine = Engine.open(root, timing=TIMING)
    engine.settled(60)
    notes = wait_for_notes(engine, present=True)
    results = engine.search(Query("load_config"))
    state = engine.status().state
    if disk == "full":
        (root / "later.py").write_text("def later_zebra(): pass\n")
        engine.refresh(["later.py"])
        engine.settled(60)
        time.sleep(0.3)  # More attempts fail meanwhile, and log nothing.
        mount("-o", "remount,size=64m")
        wait_for_notes(engine, present=False)
    engine.close()
    logging.getLogger("packhound").removeHandler(handler)
    again = Engine.open(root)
    report = {
        "notes": notes,
        "state": state,
        "log": log,
        "names": [hit.node.name for hit in results.hits],
        "hit_notes": results.notes,
        "files_saved": again.snapshot.n_files,
    }
    again.close()
    print(json.dumps(report))


def main(disk: str, action: str, root: str) -> None:
    mount("-t", "tmpfs", "-o", "size=64k", "tmpfs")
    if disk == "read-only":
        mount("-o", "remount,ro")
    if action == "engine":
        run_engine(disk, Path(root))
    else:
        packhound([action, "--root", root])


if __name__ == "__main__":
    main(*sys.argv[1:])
