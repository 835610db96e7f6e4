"""Tokens of each tool's answer, by the bound that packs use: the text, and the same as JSON.

    python -m benchmarks.agents.tool_tokens --corpora DIR --name NAME

DIR has requests, gin and express. Any revision that has `call` and `as_text` can be measured with
its `server` folder in PYTHONPATH; results are stored by name in `tool_tokens.json`.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from pathlib import Path
from statistics import mean

from benchmarks.stored import load, save
from packhound.core.settings_reader import settings_from
from packhound.llm import counter_for
from packhound.operations import schema_of, select_operations
from packhound.service import Engine
from tests.support.operations import as_text, call

RESULTS = Path(__file__).with_name("tool_tokens.json")
TASKS = {
    "requests": (
        ("retry a request after a connection error", "src/requests/adapters.py", 600),
        ("Session.rebuild_auth", "src/requests/sessions.py", 290),
        ("where are cookies of a redirect merged", "src/requests/sessions.py", 480),
        ("chunked upload of a file does not set the length", "src/requests/models.py", 520),
    ),
    "gin": (
        ("recover from a panic in a handler", "recovery.go", 60),
        ("how is a route with a wildcard matched", "tree.go", 430),
        ("Context.BindJSON", "context.go", 800),
    ),
    "express": (
        ("res.sendFile", "lib/response.js", 380),
        ("trust proxy setting and the address of the client", "lib/utils.js", 200),
        ("content negotiation picks the wrong type", "lib/request.js", 130),
    ),
}


def calls(query: str, path: str, line: int) -> list[tuple[str, dict[str, object]]]:
    place = {"path": path, "line": line}
    return [
        ("search", {"query": query, "limit": 10}),
        ("related", place),
        ("pack", {"prompt": query, "budget": 8_000}),
        ("outline", {"path": path}),
        ("read_node", place),
        ("status", {}),
    ]


def measure(corpora: Path) -> dict[str, dict[str, int]]:
    count = counter_for().count
    texts, structured = defaultdict[str, list[int]](list), defaultdict[str, list[int]](list)
    for name, tasks in TASKS.items():
        engine = Engine.open(corpora / name, settings_from({"index.persist": False}))
        engine.settled()
        for task in tasks:
            for tool, arguments in calls(*task):
                answer = call(engine, tool, arguments)
                texts[tool].append(count(as_text(tool, answer)))
                structured[tool].append(count(json.dumps(answer)))
        engine.close()
    rows = {
        tool: {"text": round(mean(texts[tool])), "json": round(mean(structured[tool]))}
        for tool in texts
    }
    listed = [
        {"name": t.name, "description": f"{t.description} {t.instead}", **schema_of(t)}
        for t in select_operations(())
    ]
    return {**rows, "list of tools": {"text": count(json.dumps(listed)), "json": 0}}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpora", type=Path, required=True)
    parser.add_argument("--name", required=True, help="Of the revision, such as before.")
    options = parser.parse_args()
    results = load(RESULTS)
    results[options.name] = measure(options.corpora)
    save(RESULTS, results)
    print(json.dumps(results[options.name], indent=2))


if __name__ == "__main__":
    main()
