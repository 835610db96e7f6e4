"""Equal hits do not change places with the order in which they were indexed."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from random import Random
from string import ascii_uppercase

import pytest

from packhound.core.settings_reader import settings_from
from packhound.core.types import Document, Query
from packhound.service import Engine
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


def _twins(names: Sequence[str]) -> bytes:
    return "".join(map(TWIN.format, names)).encode()


@pytest.mark.parametrize("seed", range(4))
def test_twins_answer_as_if_never_edited(tmp_path: Path, seed: int) -> None:
    """Places, scores and siblings, by words, by meaning and by name, of many twins in two files."""
    random = Random(seed)
    names = [f"Kind{letter}" for letter in ascii_uppercase]
    settings = settings_from({"index.persist": False, "meaning.topK": 7, "words.topK": 7})
    (tmp_path / "plain.py").write_text("def unrelated():\n    return 1\n")
    with closing(Engine.open(tmp_path, settings)) as edited:
        for _ in range(4):
            files = {p: _twins(random.sample(names, 12)) for p in ("a.py", "b.py")}
            for path, source in files.items():
                (tmp_path / path).write_bytes(source)
                edited.update(Document(path, source))
        assert edited.settled(60)
        with closing(Engine.open(tmp_path, settings)) as rebuilt:
            assert rebuilt.settled(60)
            for query in (
                Query("same_flags"),
                Query("same_fla"),
                Query("where are two flags compared", limit=3),
                Query("flags", mode="dense", limit=5),
                Query("flags", files=True),
                Query("flags", mode="lexical", overlapping=True),
            ):
                assert _answer(edited, query) == _answer(rebuilt, query)


def _answer(engine: Engine, query: Query) -> list[tuple[object, ...]]:
    return [
        (
            hit.node.path,
            hit.node.span.start,
            round(hit.score, 6),
            [(sibling.path, sibling.span.start) for sibling in (*hit.siblings, *hit.copies)],
        )
        for hit in engine.search(query).hits
    ]
