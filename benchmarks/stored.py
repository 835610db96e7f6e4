"""Stored results: when each was measured, what has changed since, and how to measure it anew.

    python3 dev.py figures [--stale] [--only PATH] [INPUT=PLACE ...]

Measures each result whose code has changed since, one after the other, then makes the tables of the
pages; a run that was stopped goes on where it was. A result is skipped, with the reason, until the
inputs that its command needs are given: `large=../clones/vscode-copilot-chat`, once more for each
of several places. `--stale` only lists what has to be measured again: its commit, and its command.
Ends with 1 where anything is stale; a result from before commits were stored is.
"""

from __future__ import annotations

import argparse
import ast
import datetime
import hashlib
import json
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
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
    """A result, the command that measures it, and the packages of the server it depends on.

    A result without packages decided something once, such as a default: it is of its day, and is
    not measured anew.
    """

    path: str
    command: str
    packages: tuple[str, ...]
    others: tuple[str, ...] = ()
    """Files and folders beside the server."""


BY_HAND = "by hand:"
"""Before what says how a result was put together that no one command makes."""

INPUTS = {
    "before": "checkout of the commit to compare with",
    "changed": "folder of clones whose commits are replayed",
    "cosqa": "queries of CoSQA, and its file of functions",
    "folders": "some folders of code",
    "fix_tools": "folder of mypy, and a pytest with what click, flask, starlette and sympy need",
    "fixed": "folder of clones of click, flask, starlette and sympy",
    "fresh": "folder of thousands of files",
    "graded": "SUITE=CORPORA of graded questions",
    "histories": "clones whose commits are replayed",
    "large": "folder of some 40,000 nodes, such as a clone of vscode-copilot-chat",
    "laws": "laws.py",
    "law_trees": "folder of the repositories of the laws",
    "needed": "SUITE=CORPORA of functions that a solver needs",
    "of_changes": "folder of clones whose commits are read",
    "peer": "interpreter with semble 0.7.0",
    "prompt_trees": "folder of the repositories of packs/prompts",
    "report_trees": "folder of the trees of bug reports",
    "reports": "bug reports, a .jsonl",
    "rules": "gitleaks' rules, a .toml",
    "small": "folder of some 7,000 nodes",
    "speed_corpora": "folder of clones",
    "suite": "folder of development queries",
    "suite_trees": "folder of their repositories",
    "held_out": "SUITE=CORPORA of graded questions that nothing was fitted on",
    "tool_trees": "folder of the repositories that tools are asked about",
}
"""Inputs of commands that are not in this repository."""

_WALKED = "{histories} --commits 400 --requests 5 --cold 50 --log {cache}/overlays.jsonl --save"

RESULTS = (
    Stored("agents/engine.json", "agents.engine {large} --save {out}", _AGENTS),
    Stored(
        "agents/first_names.json",
        "agents.first_names {fresh} --server {before} --server server --save {out}",
        _AGENTS,
    ),
    Stored(
        "agents/tool_tokens.json", "agents.tool_tokens --corpora {tool_trees} --name now", _AGENTS
    ),
    Stored(
        "agents/trial.json",
        "agents.trial --reports {reports} --trees {report_trees} --out {out}",
        (),
    ),
    Stored(
        "agents/trial_functions.json",
        "agents.trial --reports {reports} --trees {report_trees} --out {out}",
        _AGENTS,
    ),
    Stored("agents/recipes.json", "agents.recipes {prompt_trees} --out {out}", _AGENTS),
    Stored(
        "changes/fit.json",
        "changes.fit --repositories {of_changes} --out {out}",
        (),
    ),
    Stored(
        "changes/results.json",
        "changes.replay --repositories {changed} --most 34 --out {out}",
        (*_PACK, "impact"),
    ),
    Stored("edges/results.json", f"{BY_HAND} edges/README.md", (*_TEXT, "graph")),
    Stored(
        "editors/keystrokes.json",
        "editors.keystrokes {small} {large} --save {out}",
        _EDITORS,
        ("vscode-extension/src", "neovim"),
    ),
    Stored(
        "editors/typed_keys.json",
        "editors.typed_keys --sequences 15 --save {out}",
        ("lsp",),
        ("vscode-extension/src",),
    ),
    Stored("focus/results/packs.json", "focus.packs {histories}", _PACK),
    Stored("focus/results/replay.json", "focus.replay {changed}", _SEARCH),
    Stored("quality/results/blend.json", f"{BY_HAND} packhound eval", ()),
    Stored(
        "quality/results/called_strong.json",
        "quality.called_strong --suite={graded} --suite={held_out} --cache {cache} --save {out}",
        _SEARCH,
    ),
    Stored(
        "quality/results/confidence.json",
        "quality.fit_confidence --suite={graded} --hold-out={held_out} --cache {cache} --shipped",
        _SEARCH,
    ),
    Stored("quality/results/cosqa.json", "quality.cosqa {cosqa} --cache {cache}", _SEARCH),
    Stored(
        "quality/results/deep.json",
        "quality.fit_deep --suite={graded} --held-out={held_out} --cache {cache}",
        (),
    ),
    Stored(
        "quality/results/deep_idle.json",
        "quality.deep_idle --suite={graded} --folder {large}",
        _SEARCH,
    ),
    Stored("quality/results/deep_latency.json", "quality.deep_latency {large}", _SEARCH),
    Stored("quality/results/deep_read.json", "quality.deep_read --suite={graded}", _SEARCH),
    Stored(
        "quality/results/whole.json",
        "quality.deep_read --suite={graded} --suite={held_out} --whole",
        _SEARCH,
    ),
    Stored(
        "quality/results/definitions.json",
        "quality.run --suite {suite} --corpora {suite_trees} --cache {cache}"
        " --definitions 2000 --out {out}",
        _SEARCH,
    ),
    Stored(
        "quality/results/dev.json",
        "quality.run --suite {suite} --corpora {suite_trees} --cache {cache} --ablate --out {out}",
        _SEARCH,
    ),
    Stored("quality/results/nodes.json", f"{BY_HAND} packhound eval", _SEARCH),
    Stored(
        "quality/results/part_vectors.json",
        "quality.part_vectors --suite={graded} --cache {cache}",
        (),
    ),
    Stored("results/answer_size.json", "answer_size {folders} --save {out}", _EDITORS),
    Stored("results/checks.json", "checks --save", ("core", "files", "git", "redact", "runs")),
    Stored("results/claims.json", "claims {fresh} --save", (*_SEARCH, "operations")),
    Stored("results/first_answer.json", "first_answer {fresh} --save", _SEARCH),
    Stored(
        "results/fixes.json",
        "fixes {fixed} --path {fix_tools} --save",
        ("core", "files", "git", "redact", "runs"),
    ),
    Stored("results/graph.json", "graph {folders}", ()),
    Stored("results/grep_speed.json", "grep_speed {large}", (*_TEXT, "grep", "service")),
    Stored(
        "results/laws.json",
        "laws {laws} {law_trees} --n 12 --set search.deep=off",
        (*_SEARCH, "operations", "cli"),
    ),
    Stored("results/million.json", "million {large} --save", _SEARCH),
    Stored("results/note_kills.json", "sources.kills", ("core", "memory", "storage")),
    Stored("results/overlays.json", f"overlays {_WALKED}", _AGENTS),
    Stored("results/patches.json", "patches --save", ("core", "git")),
    Stored("results/patterns.json", "patterns.oracle {folders}", ("parsing",)),
    Stored(
        "results/pack_evidence.json",
        "packs.evidence {report_trees} {cache} {out} {reports}",
        (),
    ),
    Stored("results/pack_latency.json", "packs.latency {large} {reports} {out}", _PACK),
    Stored("results/pack_needed.json", "packs.needed {out} {needed}", _PACK),
    Stored("results/packs.json", "packs.compare {reports} {report_trees} {out}", _PACK),
    Stored("results/reading_kills.json", "reading_kills {fresh} --save", _INDEX),
    Stored("results/redaction.json", "packs.secrets_out {law_trees} {out}", ("redact",)),
    Stored("results/search_speed.json", "search_speed {large} --before {before}", ()),
    Stored("results/shapes.json", "packs.shapes {rules} {out}", ("redact",)),
    Stored("results/sources_retrieval.json", "sources.retrieval", _SOURCES),
    Stored("results/sources_speed.json", "sources.speed {large}", _SOURCES),
    Stored("results/speed.json", "speed --corpora {speed_corpora} --peer {peer}", _EDITORS),
    Stored("results/stages.json", "stages {large} {out}", _SEARCH),
    Stored("results/symbol_speed.json", "symbol_speed {large}", (*_SEARCH, "impact")),
    Stored(
        "results/team_candidates.json",
        "team_candidates {graded} --save {out}",
        (*_SEARCH, "operations", "team"),
    ),
    Stored("results/verdicts.json", "verdicts {histories} --save", (*_SEARCH, "impact")),
)
"""Every result that the documentation quotes, but for those of weights of the ranking.

An argument with `{INPUT}` is repeated for each place that is given.
"""


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--stale", action="store_true", help="only list what must be measured")
    parser.add_argument("--only", action="append", help="results whose path holds this")
    parser.add_argument("inputs", nargs="*", metavar="INPUT=PLACE", help=", ".join(INPUTS))
    options = parser.parse_args()
    places: dict[str, list[str]] = {}
    for written in options.inputs:
        name, _, place = written.partition("=")
        if name not in INPUTS or not place:
            parser.error(f"'{written}' is no INPUT=PLACE; inputs are: {', '.join(INPUTS)}")
        places.setdefault(name, []).append(place)
    chosen = [r for r in RESULTS if any(part in r.path for part in options.only or ("",))]
    for stored in chosen:
        stale, when = state(stored)
        if stale and options.stale:
            print(f"{stored.path:36} {when:24} {stored.command}")
        elif stale:
            measure(stored, places)
    if not options.stale:
        for made in ("benchmarks.tables", "docs.plots"):
            subprocess.run([sys.executable, "-m", made], cwd=ROOT, check=True)
    sys.exit(any(state(stored)[0] for stored in chosen))


def measure(stored: Stored, places: Mapping[str, Sequence[str]]) -> None:
    """Run the command of a result, or say what it needs; what fails is said too."""
    print(f"{stored.path}: {stored.command}", flush=True)
    if lacking := [
        name for name in INPUTS if f"{{{name}}}" in stored.command and name not in places
    ]:
        print("  needs " + ", ".join(f"{name}= ({INPUTS[name]})" for name in lacking), flush=True)
    elif not stored.command.startswith(BY_HAND):
        scratch = ROOT / ".cache" / "figures"
        scratch.mkdir(parents=True, exist_ok=True)
        own = {"out": [str(FOLDER / stored.path)], "cache": [str(scratch)]}
        command = [sys.executable, "-m", *_arguments(f"benchmarks.{stored.command}", places | own)]
        if code := subprocess.run(command, cwd=ROOT, check=False).returncode:
            print(f"  failed with {code}", flush=True)


def _arguments(command: str, places: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """Yield the arguments of a command, each with an input as often as there are places for it."""
    for argument in command.split():
        name = next((name for name in places if f"{{{name}}}" in argument), None)
        for place in places[name] if name else ("",):
            yield argument.replace(f"{{{name}}}", place)


def save(path: Path, figures: Mapping[str, Any]) -> None:
    """Write a result with the commit and the digest of the code it depends on.

    A file that is not among RESULTS, such as one for a comparison, depends on the whole server.
    """
    measured = {
        "commit": _git("rev-parse", "--short", "HEAD").strip(),
        "on": datetime.date.today().isoformat(),
        "code": _digest(_stored(path)),
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
    file = FOLDER / stored.path
    content = json.loads(file.read_text("utf-8")) if file.exists() else None
    measured = content.get(MEASURED) if isinstance(content, dict) else None
    if measured is None:
        day = _git("log", "-1", "--format=%ad", "--date=short", "--", f"benchmarks/{stored.path}")
        return bool(stored.packages), f"by {day.strip() or 'nobody knows when'}"
    is_stale = bool(stored.packages) and measured["code"] != _digest(stored)
    return is_stale, f"{measured['commit']} on {measured['on']}"


def digest(packages: Iterable[str], others: Iterable[str] = ()) -> str:
    """Return a digest of packages of the server and of other places, as the working tree has them.

    Comments and docstrings count nothing, but for those of operations, which agents read.
    """
    places = [f"server/packhound/{name}" for name in packages]
    sums = hashlib.sha256()
    for name in sorted(_git("ls-files", "--", *places, *others).splitlines()):
        if (ROOT / name).exists():
            sums.update(name.encode() + b"\0" + _file_digest(ROOT / name))
    return sums.hexdigest()[:16]


def _file_digest(path: Path) -> bytes:
    content = path.read_bytes()
    is_code = path.suffix == ".py" and "operations" not in path.parts
    return hashlib.sha256(_code_alone(content) if is_code else content).digest()


@cache
def _code_alone(source: bytes) -> bytes:
    return ast.dump(_WithoutDocstrings().visit(ast.parse(source))).encode()


class _WithoutDocstrings(ast.NodeTransformer):
    def visit_Expr(self, node: ast.Expr) -> ast.Expr | None:
        is_text = isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
        return None if is_text else node


def _digest(stored: Stored) -> str:
    return digest(stored.packages, stored.others)


def _stored(path: Path) -> Stored:
    whole_server = Stored(str(path), "", ("",))
    return next((each for each in RESULTS if path.resolve() == FOLDER / each.path), whole_server)


def _git(*arguments: str) -> str:
    command = ["git", "-C", str(ROOT), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


if __name__ == "__main__":
    main()
