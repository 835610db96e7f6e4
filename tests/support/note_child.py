"""A process that writes notes and names each that is on disk; `python note_child.py ROOT NAME`."""

from __future__ import annotations

import sys
from itertools import count
from pathlib import Path

from packhound.memory import NoteStore, write_note
from packhound.service.notes import notes_folder


def main(root: Path, name: str) -> None:
    store = NoteStore(notes_folder(root))
    for number in count():
        note = write_note(store, "insight", {"key": f"{name}-{number}", "content": "x" * 2_000})
        sys.stdout.write(f"{note.id}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
