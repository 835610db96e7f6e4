"""Measure what recipes for agents show of the functions that a task needs, and at what cost.

    python -m benchmarks.agents.recipes CORPORA [--out FILE]

The prompts are those of `benchmarks/packs/prompts`, by what they want; CORPORA has their
repositories. Recipes are asked without a model: a further call is about the best hits of the first.
A function of grade 2 or 3 is held if 85 % of its lines are in the answers. Beside them stands the
way without a recipe: a search of six lines a hit, and its three best read one by one.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from itertools import groupby
from pathlib import Path
from statistics import mean
from typing import Any

from benchmarks.agents.policies import Answer
from benchmarks.packs.evidence import lines_of
from benchmarks.packs.needed import Lines, held
from benchmarks.stored import save
from packhound.core.settings_reader import settings_from
from packhound.evaluation.cases import Case
from packhound.evaluation.suite import load_suite
from packhound.llm import counter_for
from packhound.service import Engine
from tests.support.operations import as_text, call

RESULTS = Path(__file__).with_name("recipes.json")
PROMPTS = Path(__file__).parents[1] / "packs" / "prompts"
INTENTIONS = ("fix", "explain", "add", "refactor")
_READ_FIRST = 3
Way = Callable[[Engine, str], Iterator[Answer]]


def _ask(engine: Engine, tool: str, **arguments: object) -> tuple[dict[str, Any], Answer]:
    row = call(engine, tool, arguments)
    return row, Answer.of(as_text(tool, row, arguments))


def _refs(row: Mapping[str, Any]) -> list[str]:
    return [hit["ref"] for hit in row["hits"] if hit.get("ref")]


def without_recipe(engine: Engine, prompt: str) -> Iterator[Answer]:
    """Search, then read the three best one by one."""
    row, answer = _ask(engine, "search", query=prompt, snippet_lines=6, max_tokens=4_000)
    yield answer
    for ref in _refs(row)[:_READ_FIRST]:
        yield _ask(engine, "read_node", path=ref)[1]


def search_and_read(engine: Engine, prompt: str) -> Iterator[Answer]:
    """Search, then read the three best in one call."""
    row, answer = _ask(engine, "search", query=prompt)
    yield answer
    if refs := _refs(row)[:_READ_FIRST]:
        yield _ask(engine, "read_node", path=refs[0], also=refs[1:])[1]


def search_and_symbol(engine: Engine, prompt: str) -> Iterator[Answer]:
    """Search, then see the three best with their callers and tests in one call."""
    row, answer = _ask(engine, "search", query=prompt)
    yield answer
    if refs := _refs(row)[:_READ_FIRST]:
        yield _ask(engine, "symbol", name=refs[0], also=refs[1:])[1]


def pack(engine: Engine, prompt: str, budget: int = 4_000) -> Iterator[Answer]:
    """Pack the prompt."""
    yield _pack(engine, prompt, budget)[1]


def pack_and_read(engine: Engine, prompt: str) -> Iterator[Answer]:
    """Pack the prompt, then read the best three of what is left out in one call."""
    row, answer = _pack(engine, prompt, 2_500)
    yield answer
    refs = [f"{each['path']}#{each['name']}" for each in row["omitted"] if each["name"]]
    if refs := refs[:_READ_FIRST]:
        yield _ask(engine, "read_node", path=refs[0], also=refs[1:])[1]


def _pack(engine: Engine, prompt: str, budget: int) -> tuple[dict[str, Any], Answer]:
    row = call(engine, "pack", {"prompt": prompt, "budget": budget, "format": "json"})
    lines = {(path, n) for path, numbers in lines_of(row["text"]).items() for n in numbers}
    return row, Answer(row["text"], frozenset(lines))


WAYS: dict[str, Way] = {
    "without a recipe": without_recipe,
    "search, read_node": search_and_read,
    "search, symbol": search_and_symbol,
    "pack of 2,500, read_node": pack_and_read,
    "pack of 4,000": pack,
}


def walk(case: Case, answers: Iterator[Answer]) -> dict[str, float]:
    """Return the share of needed functions that all answers hold, their calls and tokens."""
    lines, calls, tokens = Lines(), 0, 0
    for answer in answers:
        calls, tokens = calls + 1, tokens + counter_for().count(answer.text)
        for path, number in answer.lines:
            lines.setdefault(path, set()).add(number)
    found = held(case, lines)
    return {"held": sum(found.values()) / len(found), "calls": calls, "tokens": tokens}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpora", type=Path)
    parser.add_argument("--out", type=Path, default=RESULTS)
    options = parser.parse_args()
    rows = defaultdict[tuple[str, str], list[dict[str, float]]](list)
    cases = [case for case in load_suite(PROMPTS) if case.category in INTENTIONS]
    for folder, group in groupby(sorted(cases, key=lambda c: c.folder), key=lambda c: c.folder):
        settings = settings_from({"index.persist": False})
        with closing(Engine.open(options.corpora / folder, settings)) as engine:
            engine.settled()
            for case in group:
                for name, way in WAYS.items():
                    rows[case.category, name].append(walk(case, way(engine, case.text)))
    figures = {
        intention: {
            name: {key: round(mean(row[key] for row in rows[intention, name]), 3) for key in row0}
            for name in WAYS
            for row0 in rows[intention, name][:1]
        }
        for intention in INTENTIONS
    }
    save(
        options.out, {"prompts": {i: len(rows[i, next(iter(WAYS))]) for i in INTENTIONS}, **figures}
    )
    print(json.dumps(figures, indent=1))


if __name__ == "__main__":
    main()
