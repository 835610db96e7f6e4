"""Stored results: when each was measured, and what of the code has changed since.

    python -m benchmarks.stored [--stale]

Prints a line for each stored result: `current`, or `stale` where files that it depends on have
changed, its commit and the command that measures it anew. `--stale` prints those alone and ends
with 1 if there are any. A result from before commits were stored counts as stale.
"""

from __future__ import annotations

import argparse
import datetime
import hashlib
import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[1]
FOLDER = Path(__file__).parent
MEASURED = "measured"
"""The member of a stored result that says of which commit it is, and the digest of its code."""

_TEXT = ("core", "text", "parsing", "files")
_INDEX = (*_TEXT, "index", "indexing", "encoder", "model", "storage")
_SEARCH = (*_INDEX, "search", "graph", "service", "git")
_PACK = (*_SEARCH, "pack", "llm", "redact")
_SOURCES = (*_SEARCH, "sources", "memory", "knowledge")
_AGENTS = (*_PACK, "operations", "mcp", "relay", "rpc", "daemon")
_EDITORS = (*_SEARCH, "operations", "lsp", "relay", "rpc", "daemon")


class Stored(NamedTuple):
    """A result, the command that measures it, and the packages of the server it depends on."""

    path: str
    command: str
    packages: tuple[str, ...]
    others: tuple[str, ...] = ()
    """Files and folders beside the server."""


RESULTS = (
    Stored("agents/engine.json", "agents.engine SOURCE --save FILE", _AGENTS),
    Stored("agents/first_names.json", "agents.first_names SOURCE --save FILE", _AGENTS),
    Stored("agents/tool_tokens.json", "agents.tool_tokens --corpora DIR --name now", _AGENTS),
    Stored("agents/trial.json", "agents.trial", _AGENTS),
    Stored("changes/fit.json", "changes.fit --out FILE", (*_PACK, "impact")),
    Stored("changes/results.json", "changes.replay --out FILE", (*_PACK, "impact")),
    Stored(
        "edges/results.json",
        "edges.compare REPOSITORY USES.json --save FILE",
        (*_TEXT, "graph"),
    ),
    Stored(
        "editors/keystrokes.json",
        "editors.keystrokes SMALL LARGE --save FILE",
        _EDITORS,
        ("vscode-extension/src", "neovim"),
    ),
    Stored(
        "editors/typed_keys.json",
        "editors.typed_keys --save FILE",
        ("lsp",),
        ("vscode-extension/src",),
    ),
    Stored("focus/results/packs.json", "focus.packs CLONE ...", _PACK),
    Stored("focus/results/replay.json", "focus.replay FOLDER", _SEARCH),
    Stored("quality/results/blend.json", "quality.fit", _SEARCH),
    Stored("quality/results/called_strong.json", "quality.called_strong --save FILE", _SEARCH),
    Stored("quality/results/confidence.json", "quality.fit_confidence", _SEARCH),
    Stored("quality/results/cosqa.json", "quality.cosqa", _SEARCH),
    Stored("quality/results/deep.json", "quality.fit_deep", _SEARCH),
    Stored("quality/results/deep_idle.json", "quality.deep_idle", _SEARCH),
    Stored("quality/results/deep_latency.json", "quality.deep_latency", _SEARCH),
    Stored("quality/results/definitions.json", "quality.run --definitions 2000", _SEARCH),
    Stored("quality/results/dev.json", "quality.run --out FILE", _SEARCH),
    Stored("quality/results/nodes.json", "quality.fit_nodes", _SEARCH),
    Stored("quality/results/part_vectors.json", "quality.part_vectors", _SEARCH),
    Stored("results/answer_size.json", "answer_size FOLDER ... --save FILE", _EDITORS),
    Stored("results/first_answer.json", "first_answer FOLDER --save", _SEARCH),
    Stored("results/graph.json", "graph FOLDER ...", _INDEX),
    Stored("results/grep_speed.json", "grep_speed FOLDER", (*_TEXT, "grep", "service")),
    Stored("results/index_speed.json", "index_speed 12000 40000", _INDEX),
    Stored("results/laws.json", "laws LAWS CORPORA", (*_SEARCH, "operations", "cli")),
    Stored("results/note_kills.json", "sources.kills", ("core", "memory", "storage")),
    Stored("results/patterns.json", "patterns.oracle FOLDER ...", ("parsing",)),
    Stored("results/pack_evidence.json", "packs.evidence", _PACK),
    Stored("results/pack_latency.json", "packs.latency", _PACK),
    Stored("results/pack_needed.json", "packs.needed FILE SUITE=CORPORA ...", _PACK),
    Stored("results/packs.json", "packs.compare SUITE.jsonl DIR", _PACK),
    Stored("results/redaction.json", "packs.secrets_out DIR FILE", ("redact",)),
    Stored("results/search_speed.json", "search_speed FOLDER --before CHECKOUT", _SEARCH),
    Stored("results/shapes.json", "packs.shapes RULES.toml FILE", ("redact",)),
    Stored("results/sources_retrieval.json", "sources.retrieval", _SOURCES),
    Stored("results/sources_speed.json", "sources.speed FOLDER", _SOURCES),
    Stored("results/speed.json", "speed --corpora DIR --peer PYTHON", _EDITORS),
    Stored("results/stages.json", "stages FOLDER FILE", _SEARCH),
)
"""Every result that the documentation quotes, but for those of weights of the ranking."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--stale", action="store_true", help="only what has to be measured again")
    options = parser.parse_args()
    any_stale = False
    for stored in RESULTS:
        stale, when = state(stored)
        any_stale |= stale
        if stale or not options.stale:
            word = "stale" if stale else "current"
            print(f"{word:8} {when:24} {stored.path:36} python -m benchmarks.{stored.command}")
    sys.exit(1 if options.stale and any_stale else 0)


def save(path: Path, figures: Mapping[str, Any]) -> None:
    """Write a result with the commit and the digest of the code it depends on.

    A file that is not among RESULTS, such as one for a comparison, depends on the whole server.
    """
    measured = {
        "commit": _git("rev-parse", "--short", "HEAD").strip(),
        "on": datetime.date.today().isoformat(),
        "code": digest(_stored(path)),
    }
    content = {**figures, MEASURED: measured}
    path.write_text(json.dumps(content, indent=1) + "\n", "utf-8")


def load(path: Path) -> dict[str, Any]:
    """Return the figures of a stored result; none where there is no file."""
    content: dict[str, Any] = json.loads(path.read_text("utf-8")) if path.exists() else {}
    content.pop(MEASURED, None)
    return content


def load_current(path: Path) -> dict[str, Any]:
    """Return the figures of a stored result to add others to; none if they are of other code."""
    stale = not path.exists() or state(_stored(path))[0]
    return {} if stale else load(path)


def state(stored: Stored) -> tuple[bool, str]:
    """Return True if a result is of other code than today's, and of which commit and day it is."""
    content = json.loads((FOLDER / stored.path).read_text("utf-8"))
    measured = content.get(MEASURED) if isinstance(content, dict) else None
    if measured is None:
        day = _git("log", "-1", "--format=%ad", "--date=short", "--", f"benchmarks/{stored.path}")
        return True, f"by {day.strip() or 'nobody knows when'}"
    return measured["code"] != digest(stored), f"{measured['commit']} on {measured['on']}"


def digest(stored: Stored) -> str:
    """Return a digest of the files a result depends on, as they are in the working tree."""
    places = [f"server/packhound/{name}" for name in stored.packages]
    sums = hashlib.sha256()
    for name in sorted(_git("ls-files", "--", *places, *stored.others).splitlines()):
        if (ROOT / name).exists():
            sums.update(name.encode() + b"\0" + hashlib.sha256((ROOT / name).read_bytes()).digest())
    return sums.hexdigest()[:16]


def _stored(path: Path) -> Stored:
    whole_server = Stored(str(path), "", ("",))
    return next((each for each in RESULTS if path.resolve() == FOLDER / each.path), whole_server)


def _git(*arguments: str) -> str:
    command = ["git", "-C", str(ROOT), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


if __name__ == "__main__":
    main()
