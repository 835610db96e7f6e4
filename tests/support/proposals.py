"""A committed folder that patches are proposed for, and operations asked of its engine."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from packhound.operations import Call, answer
from packhound.service.engine import Engine
from packhound.service.several_roots import Roots
from tests.support.git_repository import git


@contextmanager
def committed(tree: Path, files: Mapping[str, str]) -> Iterator[Engine]:
    """Yield the engine of a folder of which all files are committed and read."""
    for path, text in files.items():
        (tree / path).parent.mkdir(parents=True, exist_ok=True)
        (tree / path).write_text(text)
    git(tree, "init", "-q")
    git(tree, "add", ".")
    git(tree, "commit", "-qm", "Weigh")
    engine = Engine.open(tree)
    assert engine.settled(60)
    yield engine
    engine.close()


def ask(engine: Engine, operation: str, /, **arguments: object) -> dict[str, Any]:
    """Return the answer of an operation to a person."""
    return answer(Call(Roots([engine]), engine.index.settings), operation, arguments)
