"""Checks of what Packhound stands on, each answered in one line."""

from __future__ import annotations

import importlib.util
import os
import platform
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from packhound import __version__
from packhound.core.errors import PackhoundError
from packhound.core.settings import Settings, cache_folder

if TYPE_CHECKING:
    from packhound.service.engine import Engine


@dataclass(frozen=True, slots=True)
class Finding:
    """One check: `well` is False where something must be done, and `text` says what."""

    name: str
    text: str
    well: bool = True


def examine(root: Path, *, verify: bool = False) -> list[Finding]:
    """All checks; those of the folder come last, and with `verify` its index is made anew."""
    return [
        Finding("packhound", f"{__version__}, Python {platform.python_version()}"),
        _cache(),
        _hnswlib(),
        _encoder(),
        _parser(),
        *_folder(root, verify=verify),
    ]


def _cache() -> Finding:
    folder = cache_folder()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        return Finding("cache", f"{folder} cannot be made: {error.strerror}", well=False)
    if not os.access(folder, os.W_OK):
        return Finding("cache", f"{folder} is read-only; set PACKHOUND_CACHE_DIR", well=False)
    return Finding("cache", str(folder))


def _hnswlib() -> Finding:
    if importlib.util.find_spec("hnswlib"):
        return Finding("hnswlib", "there; large folders use its graph")
    return Finding(
        "hnswlib", "not there; every search scans exactly. A C++ compiler and pip install it"
    )


def _encoder() -> Finding:
    from packhound.encoder.embedder import Embedder

    try:
        encoder = Embedder.open(None)
        encoder.encode_query("open a file")
    except PackhoundError as error:
        return Finding("encoder", str(error), well=False)
    return Finding("encoder", f"bundled, {encoder.dim} dimensions")


def _parser() -> Finding:
    from packhound.core.types import Document
    from packhound.parsing.pool.pool import ParsePool

    pool = ParsePool(workers=1)
    try:
        analysed = pool.parse(Document("doctor.py", b"def examine():\n    return 1\n"))
    finally:
        pool.close()
    well = [node.name for node in analysed.nodes] == ["examine"]
    return Finding("parser", "works" if well else "a parser process cannot be started", well)


def _folder(root: Path, *, verify: bool) -> Iterator[Finding]:
    from packhound.service.engine import Engine

    try:
        engine = Engine.open(root, Settings())
    except PackhoundError as error:
        yield Finding("folder", str(error), well=False)
        return
    try:
        engine.settled()
        status = engine.status()
        yield Finding("folder", f"{status.root}: {status.files:,} files, {status.nodes:,} nodes")
        yield from (Finding("note", note) for note in status.notes)
        if verify:
            yield _verified(engine)
    finally:
        engine.close()


def _verified(engine: Engine) -> Finding:
    """The index that is kept against one made anew in memory."""
    from packhound.cli.verify import differences
    from packhound.service.engine import Engine

    fresh = Engine.open(engine.root, Settings(persist=False))
    try:
        fresh.settled()
        found = differences(engine, fresh)
    finally:
        fresh.close()
    if found:
        told = f"{len(found):,} differences from one made anew, such as {found[0]}; run"
        return Finding("index", f"{told} packhound rebuild", well=False)
    return Finding("index", "equals one made anew")
