"""Equal hits do not change places with the order in which they were indexed."""

from __future__ import annotations

import json
from pathlib import Path

from tests.support.command_line import packhound

TWIN = (
    "class {}:\n    def same_flags(self, flags):\n        return flags & self.flags == flags\n\n\n"
)


def test_twins_of_one_file_score_as_in_a_rebuilt_index(tmp_path: Path) -> None:
    root = tmp_path / "workspace"
    root.mkdir()
    for n in range(3):
        (root / f"other{n}.py").write_text(f"def unrelated_{n}():\n    return {n}\n")
    for names in (("Kb", "Kc"), ("Ka", "Kb", "Kc")):
        (root / "m.py").write_text("".join(map(TWIN.format, names)))
        assert packhound(tmp_path, "index", "--root", str(root)).returncode == 0
    done = packhound(tmp_path, "doctor", "--verify", "--json", "--root", str(root))
    assert json.loads(done.stdout)["index"].startswith("equals a rebuilt one")
