"""Two processes that write notes and are killed, again and again."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

from packhound.memory import NoteStore
from packhound.service import notes_folder

CHILD = Path(__file__).with_name("note_child.py")
KILLS_A_ROUND = 2


class Kills(NamedTuple):
    """The kills of some rounds, the notes acknowledged before one, and those of them not there."""

    kills: int
    acknowledged: int
    lost: int


def kill_writers(root: Path, rounds: range) -> Kills:
    """Kill two writers in each round and read all notes. Raises StoreError for unreadable ones.

    A round's number seeds its moment, and names its notes.
    """
    named, lost = set[str](), set[str]()
    for number in rounds:
        writers = [_writer(root, f"{number}-{side}") for side in "ab"]
        first = [process.stdout.readline() for process in writers if process.stdout]
        time.sleep(random.Random(number).uniform(0, 0.05))
        for process in writers:
            process.send_signal(signal.SIGKILL)
        # The last line may be cut: its note is on disk, but was not named.
        rest = [process.communicate()[0] for process in writers]
        lines = "".join(first + rest).splitlines(keepends=True)
        named |= {line.strip() for line in lines if line.endswith("\n")}
        lost |= named - {note.id for note in NoteStore(notes_folder(root)).all()}
    return Kills(KILLS_A_ROUND * len(rounds), len(named), len(lost))


def _writer(root: Path, name: str) -> subprocess.Popen[str]:
    command = [sys.executable, str(CHILD), str(root), name]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
