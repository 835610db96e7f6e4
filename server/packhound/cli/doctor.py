"""Checks of what Packhound depends on, each answered in one line."""

from __future__ import annotations

import importlib.util
import os
import platform
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from packhound import __version__, encoder, parsing, service
from packhound.cli.verify import differences
from packhound.core.errors import PackhoundError
from packhound.core.settings_files import FolderSettings
from packhound.core.settings_reader import changed
from packhound.core.types import Document
from packhound.core.user_folders import cache_folder

if TYPE_CHECKING:
    from packhound.core.status import Status


@dataclass(frozen=True, slots=True)
class Finding:
    """Result of one check; where `ok` is False, `text` says what to do."""

    name: str
    text: str
    ok: bool = True


def examine(root: Path, *, verify: bool = False) -> list[Finding]:
    """Run all checks; with `verify` the folder's index is compared with a rebuilt one."""
    return [
        Finding("packhound", f"{__version__}, Python {platform.python_version()}"),
        _cache(),
        _hnswlib(),
        _encoder(),
        _deep(),
        _parser(),
        *_folder(root, verify=verify),
    ]


def _cache() -> Finding:
    folder = cache_folder()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        return Finding("cache", f"{folder} cannot be created: {error.strerror}", ok=False)
    if not os.access(folder, os.W_OK):
        return Finding("cache", f"{folder} is read-only; set PACKHOUND_CACHE_DIR", ok=False)
    return Finding("cache", str(folder))


def _hnswlib() -> Finding:
    if importlib.util.find_spec("hnswlib"):
        return Finding("hnswlib", "installed; large folders use its graph")
    return Finding(
        "hnswlib",
        "not installed, which is optional; every search scans exactly. With a C++ compiler,"
        " pip install 'packhound[graph]'",
    )


def _encoder() -> Finding:
    try:
        embedder = encoder.Embedder.open(None)
        embedder.encode_query("open a file")
    except PackhoundError as error:
        return Finding("encoder", str(error), ok=False)
    return Finding("encoder", f"bundled, {embedder.dim} dimensions")


def _deep() -> Finding:
    try:
        encoder.DeepEncoder.open().encode("open a file")
    except PackhoundError as error:
        return Finding("deep model", str(error), ok=False)
    return Finding("deep model", "bundled")


def _parser() -> Finding:
    with closing(parsing.ParsePool(workers=1)) as pool:
        analysed = pool.parse(Document("doctor.py", b"def examine():\n    return 1\n"))
    ok = [node.name for node in analysed.nodes] == ["examine"]
    return Finding("parser", "works" if ok else "a parser process cannot be started", ok)


def _folder(root: Path, *, verify: bool) -> Iterator[Finding]:
    try:
        engine = service.Engine.open(root, FolderSettings(service.real_path(root)))
    except PackhoundError as error:
        yield Finding("folder", str(error), ok=False)
        return
    with closing(engine):
        engine.settled()
        status = engine.status()
        yield Finding("folder", f"{status.root}: {status.files:,} files, {status.nodes:,} nodes")
        yield from (Finding("note", note) for note in status.notes)
        yield from vector_findings(status)
        if verify:
            yield _verify(engine)


def vector_findings(status: Status) -> Iterator[Finding]:
    """Yield how many definitions have no vector, and why; nothing where there is no encoder."""
    if status.failed_vectors:
        reason = f"the encoder failed at them: {status.encoder_problem}"
        yield Finding("vectors", f"missing for {status.failed_vectors:,} nodes; {reason}", ok=False)
    if status.pending_vectors:
        text = (
            f"missing for {status.pending_vectors:,} nodes so far; packhound index waits for them"
        )
        yield Finding("vectors", text, ok=False)
    if status.encoder == "ready":
        yield Finding("vectors", f"all {status.nodes:,} nodes have one")


def _verify(engine: service.Engine) -> Finding:
    """Compare the index with one rebuilt in memory."""
    settings = engine.follow_settings().settings
    in_memory = changed(settings, {"index.persist": False})
    with closing(service.Engine.open(engine.root, in_memory)) as rebuilt:
        rebuilt.settled()
        paths_and_names = differences(engine, rebuilt)
    if paths_and_names:
        summary = f"{len(paths_and_names):,} differences from a rebuilt index"
        return Finding(
            "index", f"{summary}, such as {paths_and_names[0]}; run packhound rebuild", ok=False
        )
    return Finding("index", "equals a rebuilt one")
