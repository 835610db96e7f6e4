"""Time and memory of proposed patches over a large folder, and of `docs` over this repository.

    python -m benchmarks.proposals FOLDER [--save]

A patch of 5 and of 20 files to its first answer, a search; memory of 100 proposals of which ten are
forked; keys typed beside them; `docs`, then once more after an edit. Milliseconds are the median.
"""

from __future__ import annotations

import argparse
import difflib
import gc
import json
import os
import random
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median

from benchmarks.stored import ROOT, save
from packhound.core.settings_reader import settings_from
from packhound.core.types import Document
from packhound.operations import Call, answer
from packhound.service import Engine, Overlays, Roots

RESULTS = Path(__file__).parent / "results" / "proposals.json"
_SUFFIXES = (".py", ".ts", ".tsx", ".js", ".go", ".rs", ".java")
_PATCHES, _KEYS, _FORKS, _KEPT = 9, 60, 10, 100
_SETTLED_S = 600.0


def main() -> None:
    """Measure, print and keep the figures where asked to."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--save", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        for name in ("CACHE", "DATA", "STATE"):
            os.environ[f"PACKHOUND_{name}_DIR"] = str(Path(temporary, name))
        figures = {**_of_patches(options.folder.resolve()), **_of_docs()}
    if options.save:
        save(RESULTS, figures)
    print(json.dumps(figures, indent=1))


def _open(folder: Path) -> Engine:
    engine = Engine.open(folder, settings_from({"index.persist": False, "search.deep": "off"}))
    assert engine.settled(_SETTLED_S)
    engine.prepare().join()  # As whoever serves a folder does.
    return engine


def _ask(engine: Engine, name: str, **arguments: object) -> None:
    answer(Call(Roots([engine]), engine.index.settings), name, arguments)


def _ms(run: Callable[[], object]) -> float:
    start = time.perf_counter()
    run()
    return (time.perf_counter() - start) * 1e3


def _of_patches(folder: Path) -> dict[str, object]:
    engine = _open(folder)
    try:
        patches = _patches(engine, random.Random(1))
        first = {
            f"first_answer_of_{n}_files_ms": round(_first_answer_ms(engine, each), 1)
            for n, each in patches.items()
        }
        again = next(patches[5])
        _search(engine, again)
        settled = median(_ms(lambda: _search(engine, again)) for _ in range(_PATCHES))
        engine.proposals.close()
        alone_ms, before = _typed_ms(engine), _resident_mb()
        overlays = Overlays(engine.root)
        kept = [next(patches[5]) for _ in range(_KEPT)]
        for patch in kept:
            overlays.add(patch, "", "", {})
        for patch in kept[:_FORKS]:
            _search(engine, patch)
        forked_mb, beside_ms = _resident_mb() - before, _typed_ms(engine)
        return {
            "nodes": engine.status().nodes,
            **first,
            "further_answer_ms": round(settled, 1),
            "kept_and_forked_mb": round(forked_mb, 1),
            "key_alone_ms": round(alone_ms, 2),
            "key_beside_proposals_ms": round(beside_ms, 2),
        }
    finally:
        engine.close()


def _first_answer_ms(engine: Engine, patches: Iterator[str]) -> float:
    return median(_ms(lambda: _search(engine, next(patches))) for _ in range(_PATCHES))


def _search(engine: Engine, patch: str) -> None:
    _ask(engine, "search", query="read the settings of a workspace", patch=patch)


def _patches(engine: Engine, chance: random.Random) -> dict[int, Iterator[str]]:
    """Return patches without end, of 5 and of 20 files with a further function each."""
    paths = [
        path
        for path in sorted(engine.snapshot.files)
        if path.endswith(_SUFFIXES) and (engine.root / path).read_bytes().endswith(b"\n")
    ]

    def of(n: int) -> Iterator[str]:
        while True:
            yield "".join(_diff(engine.root, path) for path in chance.sample(paths, n))

    return {n: of(n) for n in (5, 20)}


def _diff(root: Path, path: str) -> str:
    text = (root / path).read_bytes().decode("utf-8", "surrogateescape")
    old = text.removesuffix("\n").split("\n")
    new = [*old, "", "function proposed() {", f"  return {len(old)};", "}"]
    lines = difflib.unified_diff(old, new, f"a/{path}", f"b/{path}", lineterm="")
    return "\n".join(lines) + "\n"


def _typed_ms(engine: Engine) -> float:
    """Return what a key takes: the text of a document is given, and the next answer has it."""
    path = next(path for path in sorted(engine.snapshot.files) if path.endswith(_SUFFIXES))
    text = (engine.root / path).read_bytes()

    def key(n: int) -> None:
        engine.update(Document(path, text + b"\nconst typed%d = 1;\n" % n))
        _ask(engine, "search", query=f"typed{n}", limit=5)

    took = [_ms(lambda n=n: key(n)) for n in range(_KEYS)]
    engine.release(path)
    return median(took)


def _resident_mb() -> float:
    gc.collect()
    status = Path("/proc/self/status").read_text("ascii")
    return int(status.split("VmRSS:")[1].split()[0]) / 1024


def _of_docs() -> dict[str, object]:
    engine = _open(ROOT)
    try:
        whole = _ms(lambda: _ask(engine, "docs"))
        path = "server/packhound/core/types.py"
        text, took = (ROOT / path).read_bytes(), list[float]()
        for n in range(_PATCHES):
            engine.update(Document(path, text + b"\n\ndef typed_%d():\n    return 1\n" % n))
            took.append(_ms(lambda: _ask(engine, "docs")))
        return {"docs_ms": round(whole), "docs_after_an_edit_ms": round(median(took))}
    finally:
        engine.close()


if __name__ == "__main__":
    main()
