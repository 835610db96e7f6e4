"""Figures of the code itself: sizes, names, docstrings, caches, packages and their imports.

    python -m benchmarks.code_figures [--package DIR] [--list NAME | --json FILE | --markdown]

Prints one line a figure, and files of the server with more than 400 lines as a warning. `--list`
prints the places that make one of them up, `--json` also writes all, and `--markdown` puts those
that few commits change into ARCHITECTURE.md beside those of `results/code_figures_before.json`.
Any revision can be measured: the rules read files, and one query is traced in a process that
imports the package of DIR.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Callable, Collection, Iterator
from functools import partial
from pathlib import Path

from benchmarks import code_findings as find
from benchmarks.code_findings import Module

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "server" / "packhound"
PAGE = ROOT / "ARCHITECTURE.md"
BEFORE = Path(__file__).parent / "results" / "code_figures_before.json"
OPERATIONS = ("search", "pack", "grep", "related")
SEARCH_OPTIONS = ("excluded_kinds", "scorers", "snippet_lines")
ON_PAGE = (
    "session classes for JSON-RPC",
    "homes of several roots",
    "tables that name a signal",
    "self-filling dicts and weak-keyed tables",
    "mutable caches in frozen classes",
)
"""Figures that few commits change, so that the page is seldom edited for them."""

Rule = Callable[[list[Module]], Iterator[str]]


def rules(package: Path) -> dict[str, Rule]:
    """Return what finds the places of each figure."""
    signals = find.signal_names(package)
    return {
        "code lines": find.code_lines,
        "modules": lambda modules: (str(module.path) for module in modules),
        "files at the top": lambda modules: (p.name for p, *_ in modules if len(p.parts) == 1),
        "packages": lambda modules: iter({p.parts[0] for p, *_ in modules if len(p.parts) > 1}),
        "edges between packages and top modules": partial(find.edges, package=package.name),
        "files over 400 lines": find.long_files,
        "functions": find.functions,
        "functions over 40 lines": find.long_functions,
        "session classes for JSON-RPC": find.rpc_sessions,
        "homes of several roots": find.homes_of_several_roots,
        "tables that name a signal": partial(find.signal_tables, signals=signals),
        "parameters annotated Callable": find.callable_parameters,
        "callable parameters by any name": find.callable_parameters_by_any_name,
        "imports inside functions": find.late_imports,
        "private attributes of other objects": find.private_attributes,
        **{
            f"files that name {word}": partial(find.files_that_name, word=word)
            for word in (*OPERATIONS, *SEARCH_OPTIONS)
        },
        "names": find.names,
        "names that are filler": find.filler,
        "docstrings": find.docstrings,
        "docstrings that open with a question word": find.question_openings,
        "docstrings that open with an imperative": find.imperative_openings,
        "functions of front ends that build requests": find.request_builders,
        "self-filling dicts and weak-keyed tables": find.self_filling,
        "lru_cache and cache": find.cached_functions,
        "mutable caches in frozen classes": find.hidden_caches,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--package", type=Path, default=PACKAGE)
    parser.add_argument("--list", metavar="NAME")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--markdown", action="store_true")
    options = parser.parse_args()
    modules, rule_of = find.parsed(options.package), rules(options.package)
    if options.list:
        if options.list not in rule_of:
            parser.error(f"no figure {options.list!r}; expected one of: {', '.join(rule_of)}")
        print(*sorted(rule_of[options.list](modules)), sep="\n")
        return
    if options.markdown:
        PAGE.write_text(with_table(PAGE.read_text("utf-8"), options.package), "utf-8")
        return
    counted = {**counts(options.package, modules), **trace(options.package)}
    for name, value in counted.items():
        print(f"{name:45} {value:>7,}")
    for line in find.long_files(modules):
        print(f"warning: {line} lines", file=sys.stderr)
    if options.json:
        options.json.write_text(json.dumps(counted, indent=1) + "\n", "utf-8")


def counts(package: Path, modules: list[Module], names: Collection[str] = ()) -> dict[str, int]:
    """Return the number of places of each figure, or of some."""
    return {
        name: sum(1 for _ in rule(modules))
        for name, rule in rules(package).items()
        if not names or name in names
    }


def trace(package: Path) -> dict[str, int]:
    """Return the figures of a traced query."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join((str(package.parent), str(ROOT)))}
    command = (sys.executable, "-m", "benchmarks.query_trace")
    answer = subprocess.run(command, env=environment, capture_output=True, check=True, cwd=ROOT)
    figures: dict[str, int] = json.loads(answer.stdout)
    return figures


def with_table(page: str, package: Path = PACKAGE) -> str:
    """Return a page with the table below its last heading made anew."""
    before = json.loads(BEFORE.read_text("utf-8"))
    now = counts(package, find.parsed(package), ON_PAGE)
    rows = [f"| {name} | {before[name]} | {now[name]} |" for name in ON_PAGE]
    text, _, _ = page.partition("| | before | now |\n")
    return "\n".join((f"{text}| | before | now |", "|---|---:|---:|", *rows, ""))


if __name__ == "__main__":
    main()
