"""Trace a query through the modules of the server.

    python -m benchmarks.query_trace [FOLDER] [QUERY]

Opens an engine over a folder, searches once to warm up, then profiles `Engine.search`: every named
function of the server that it calls on its thread, in the order of first calls. Prints JSON.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from itertools import groupby
from pathlib import Path
from types import FrameType

import packhound
from packhound.core.settings import Settings
from packhound.core.types import Query
from packhound.service.engine import Engine

PACKAGE = Path(packhound.__file__).parent
FOLDER = Path(__file__).parents[1] / "fixtures" / "languages"
QUERY = "parse a date from text"


def main() -> None:
    folder, text = (*sys.argv[1:], *("", "")[len(sys.argv) - 1 :])
    with tempfile.TemporaryDirectory() as cache:
        os.environ["PACKHOUND_CACHE_DIR"] = cache
        engine = Engine.open(Path(folder or FOLDER), Settings())
        engine.settled()
        engine.search(Query("warm up"))
        functions = traced(engine, Query(text or QUERY))
        engine.close()
    modules = [path for path, _ in functions]
    visits = [path for path, _ in groupby(modules)]
    n_modules = len({*modules})
    figures = {
        "functions of a query": len(functions),
        "packages that a query enters": len({path.split("/")[0] for path in modules}),
        "modules that a query enters": n_modules,
        "returns of a query to a module it had left": len(visits) - n_modules,
    }
    print(json.dumps(figures))


def traced(engine: Engine, query: Query) -> list[tuple[str, str]]:
    """Return the module and name of each function that a search calls, by first calls."""
    functions: dict[tuple[str, int], tuple[str, str]] = {}

    def record(frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        path = Path(code.co_filename)
        # Comprehensions are functions in some versions of Python only.
        if event == "call" and not code.co_name.startswith("<") and path.is_relative_to(PACKAGE):
            module = path.relative_to(PACKAGE).as_posix()
            functions.setdefault((module, code.co_firstlineno), (module, code.co_name))

    sys.setprofile(record)
    try:
        engine.search(query)
    finally:
        sys.setprofile(None)
    return [*functions.values()]


if __name__ == "__main__":
    main()
