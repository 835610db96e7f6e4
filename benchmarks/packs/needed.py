"""Share of the functions that a solver needs that are in a pack, beside the hits printed whole.

    python -m benchmarks.packs.needed OUT.json SUITE=CORPORA...

Each SUITE is a file or folder of graded answers, CORPORA has its repositories. A function is needed
if its grade is 2 or 3, and held if 85 % of its lines are in the text. `hits whole` prints the hits
of our own search in their order, each whole if it still fits; `ripgrep` the lines with identifiers
of the prompt and three lines around each. `kinds` has the shares by kind of prompt, `halves` those
of the repositories of each half, where a `repos.json` beside the answers has halves. `words` says
of each word of confidence how many packs of 2,500 tokens begin with it, and in what share of them a
needed function is held.
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from dataclasses import asdict
from itertools import groupby
from pathlib import Path
from statistics import mean

from benchmarks.packs.baselines import ripgrep
from benchmarks.packs.compare import open_context
from benchmarks.packs.evidence import lines_of
from benchmarks.stored import save
from packhound.core.types import Query
from packhound.evaluation.cases import Case
from packhound.evaluation.score import Figure, bootstrap_interval
from packhound.evaluation.suite import load_suite
from packhound.llm.counter import TokenCounter, counter_for
from packhound.pack.context import PackContext
from packhound.pack.opening import reserve_opening
from packhound.pack.pipeline import pack
from packhound.pack.request import Pack, PackRequest

BUDGETS = (2_500, 8_000)
NEEDED, HELD_SHARE = 2, 0.85
_HITS, _HEADING_TOKENS = 60, 24
Lines = dict[str, set[int]]
"""Numbers of lines, 1-based, by path."""


def hits_whole(context: PackContext, prompt: str, budget: int, counter: TokenCounter) -> Lines:
    """Return the lines of the hits that fit whole, in their order."""
    excerpts, shown = context.excerpts(counter), Lines()
    for hit in context.search(Query(prompt, _HITS)).hits:
        path, span = hit.node.path, hit.node.span
        excerpt = excerpts.of(path)
        held = shown.get(path, set())
        lines = [n for n in range(span.start_line, span.end_line + 1) if n + 1 not in held]
        cost = excerpt.cost(lines) + _HEADING_TOKENS + len(path) // 2 if excerpt else budget + 1
        if cost <= budget:
            budget -= cost
            shown.setdefault(path, set()).update(n + 1 for n in lines)
    return shown


def packed(context: PackContext, prompt: str, budget: int, _: TokenCounter) -> Lines:
    """Return the lines of a pack."""
    return lines_of(pack_of(context, prompt, budget).text)


def pack_of(context: PackContext, prompt: str, budget: int) -> Pack:
    """Return a pack with room for its first lines."""
    return pack(context, reserve_opening(PackRequest(prompt, budget, format="json")))


def grepped(context: PackContext, prompt: str, budget: int, counter: TokenCounter) -> Lines:
    """Return what ripgrep shows of the identifiers of a prompt."""
    lines = ripgrep(context, prompt, budget, counter)
    return {path: {line + 1 for line in numbers} for path, numbers in lines.items()}


METHODS = {"packhound": packed, "hits whole": hits_whole, "ripgrep": grepped}


def held(case: Case, lines: Lines) -> dict[int, bool]:
    """Return for each needed answer, by its position, whether its lines are there."""
    prefix = f"{case.root}/" if case.root else ""
    result = {}
    for position, answer in enumerate(case.answers):
        if answer.grade >= NEEDED:
            shown = lines.get(answer.path.removeprefix(prefix), set())
            span = range(answer.start_line, answer.end_line + 1)
            result[position] = sum(n in shown for n in span) >= HELD_SHARE * len(span)
    return result


def main() -> None:
    """Measure, print and store."""
    out, *suites = sys.argv[1:]
    counter, rows, words = counter_for(), [], defaultdict(list)
    for suite, _, corpora in (text.partition("=") for text in suites):
        cases = sorted(load_suite(Path(suite)), key=lambda case: case.folder)
        half_of = halves(Path(suite))
        for folder, group in groupby(cases, key=lambda case: case.folder):
            with open_context(Path(corpora) / folder) as context:
                for case in group:
                    made = pack_of(context, case.text, BUDGETS[0])
                    is_held = any(held(case, lines_of(made.text)).values())
                    words[made.confidence_word].append(is_held)
                    for budget in BUDGETS:
                        for name, method in METHODS.items():
                            found = held(case, method(context, case.text, budget, counter))
                            best = [found[i] for i in found if case.answers[i].grade > NEEDED]
                            rows.append(
                                {
                                    "repository": case.repository,
                                    "kind": case.category,
                                    "half": half_of.get(case.repository),
                                    "method": name,
                                    "budget": budget,
                                    "needed": sum(found.values()),
                                    "of": len(found),
                                    "first": mean(best) if best else None,
                                }
                            )
            print(folder, file=sys.stderr)
    figures = summary(rows)
    for key, row in figures.items():
        print(key, {name: f"{f['mean']:.3f}" for name, f in row.items()})
    by_word = {word: {"n": len(of), "held": mean(of)} for word, of in words.items()}
    print(by_word)
    save(
        Path(out),
        {
            "figures": figures,
            "kinds": by(rows, "kind"),
            "halves": by(rows, "half"),
            "words": by_word,
        },
    )


def halves(suite: Path) -> dict[str, str]:
    """Return the half of each repository that the suite's `repos.json` gives one."""
    path = suite / "repos.json"
    entries = json.loads(path.read_text("utf-8")) if path.exists() else ()
    return {entry["name"]: entry["half"] for entry in entries}


def by(rows: list[dict], name: str) -> dict[str, dict]:
    """Return the summaries of the rows of each kind or half."""
    values = sorted({row[name] for row in rows if row[name]})
    return {value: summary([row for row in rows if row[name] == value]) for value in values}


def summary(rows: list[dict]) -> dict[str, dict[str, dict]]:
    """Return by method and budget the share of needed and of best functions that are held."""
    groups = defaultdict(list)
    for row in rows:
        groups[f"{row['method']} {row['budget']}"].append(row)
    return {
        key: {
            "needed": asdict(_figure([row["needed"] / row["of"] for row in group if row["of"]])),
            "best": asdict(_figure([row["first"] for row in group if row["first"] is not None])),
        }
        for key, group in groups.items()
    }


def _figure(values: list[float]) -> Figure:
    low, high = bootstrap_interval(values)
    return Figure(mean(values), low, high, len(values))


if __name__ == "__main__":
    main()
