# ruff: noqa: T201 - it talks to its parent
"""An engine whose cache folder is a tiny disk; run as `python disk_child.py full|read-only ROOT`.

It needs a mount namespace of its own, as `unshare --user --map-root-user --mount` makes one.
"""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
import time
from pathlib import Path

from packhound.core.types import Query
from packhound.indexing import autosave as saver
from packhound.service.engine import Engine

# A test waits for a second save, not for half a minute.
saver.SAVE_AFTER_S = 0.05


def mount(*options: str) -> None:
    subprocess.run(["mount", *options, os.environ["PACKHOUND_CACHE_DIR"]], check=True)


def wait_for_note(engine: Engine, wanted: bool) -> list[str]:
    """The notes on memory, as soon as there are some, or none any more."""
    while True:
        notes = [note for note in engine.status().notes if "in memory only" in note]
        if bool(notes) == wanted:
            return notes
        time.sleep(0.02)


def main(disk: str, root: Path) -> None:
    said: list[str] = []
    handler = logging.Handler()
    handler.emit = lambda record: said.append(record.getMessage())
    logging.getLogger("packhound").addHandler(handler)
    mount("-t", "tmpfs", "-o", "size=64k", "tmpfs")
    if disk == "read-only":
        mount("-o", "remount,ro")
    engine = Engine.open(root)
    engine.settled()
    notes = wait_for_note(engine, wanted=True)
    found = engine.search(Query("load_config"))
    state = engine.status().state
    if disk == "full":
        (root / "later.py").write_text("def later_zebra(): pass\n")
        engine.refresh(["later.py"])
        engine.settled()
        time.sleep(0.3)  # More attempts fail meanwhile, and say nothing.
        mount("-o", "remount,size=64m")
        wait_for_note(engine, wanted=False)
    engine.close()
    logging.getLogger("packhound").removeHandler(handler)
    again = Engine.open(root)
    names = [hit.node.name for hit in found.hits]
    told = {"notes": notes, "state": state, "said": said, "names": names}
    print(json.dumps({**told, "hit_notes": found.notes, "files_kept": again.snapshot.n_files}))
    again.close()


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
