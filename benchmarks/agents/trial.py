"""Calls and tokens from the title of a bug report to the first line of its fix.

    python -m benchmarks.agents.trial --reports issues_dev.jsonl issues_dev_more.jsonl --trees DIR

DIR has the tree of each report at its base commit, without tests. `rg` must be ripgrep.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterable
from contextlib import closing
from itertools import islice
from pathlib import Path

import numpy as np

from benchmarks.agents.policies import Answer, Ripgrep, packhound_calls
from benchmarks.agents.reports import Report, choose, words_of
from benchmarks.stored import save
from packhound.core.settings_reader import settings_from
from packhound.llm import counter_for
from packhound.service import Engine

RESULTS = Path(__file__).with_name("trial.json")
_MAX_CALLS = 20
_RESAMPLES = 10_000
_LONG = {"snippet_lines": 6, "max_tokens": 4_000}
_PAGES = {
    "packhound": {"limit": 10},
    "packhound, 6 lines a hit": {"limit": 10, **_LONG},
    "packhound, 20 lines a hit": {"limit": 10, **_LONG, "snippet_lines": 20},
    "packhound, pages of 40 hits": {"limit": 40, **_LONG},
}
_PAGE_TOKENS = {"ripgrep": 4_000, "ripgrep, pages of 1,000 tokens": 1_000}
_TOOLS = (*_PAGES, *_PAGE_TOKENS)
_PAIRS = (
    ("packhound", "packhound, 6 lines a hit"),
    ("packhound", "ripgrep, pages of 1,000 tokens"),
    ("packhound, 6 lines a hit", "ripgrep, pages of 1,000 tokens"),
    ("packhound, 20 lines a hit", "ripgrep"),
    ("packhound, pages of 40 hits", "ripgrep"),
)
"""Ways with first answers of about the same size."""


def fix_lines(engine: Engine, report: Report) -> frozenset[tuple[str, int]]:
    """Return the lines of the fix; where only its functions are known, all of theirs."""
    lines = set[tuple[str, int]]()
    for fix in report.fixes:
        spans = [fix.lines] if fix.lines else []
        if fix.lines is None:
            nodes = [n for n in engine.outline(fix.path) if n.qualname == fix.name]
            spans = [range(n.span.start_line + 1, n.span.end_line + 2) for n in nodes]
        lines |= {(fix.path, line) for span in spans for line in span}
    return frozenset(lines)


def walk(answers: Iterable[Answer], fix: frozenset[tuple[str, int]]) -> dict[str, int | bool]:
    """Return calls and tokens until a line of the fix is in an answer, or until `_MAX_CALLS`."""
    count, calls, tokens = counter_for().count, 0, 0
    for answer in islice(answers, _MAX_CALLS):
        calls, tokens = calls + 1, tokens + count(answer.text)
        if answer.lines & fix:
            return {"calls": calls, "tokens": tokens, "reached": True}
    return {"calls": _MAX_CALLS, "tokens": tokens, "reached": False}


def measure(root: Path, report: Report) -> dict[str, object] | None:
    """Return the outcome of each way; None where no line of the fix is in the tree."""
    with closing(
        Engine.open(root, settings_from({"index.persist": False, "search.deep": "off"}))
    ) as engine:
        engine.settled()
        fix = fix_lines(engine, report)
        if not fix:
            return None
        rare = Ripgrep(root, 0).rare(words_of(report.title))
        packhound = {n: packhound_calls(engine, report, page, rare) for n, page in _PAGES.items()}
        ripgrep = {n: Ripgrep(root, size).calls(report) for n, size in _PAGE_TOKENS.items()}
        return {
            "report": report.id,
            "lines known": all(f.lines is not None for f in report.fixes),
            **{name: walk(way, fix) for name, way in {**packhound, **ripgrep}.items()},
        }


def interval(values: np.ndarray, statistic: Callable[..., np.ndarray]) -> list[float]:
    """Return a statistic of the rows of `values`, and its 95 % bootstrap interval over rows."""
    random = np.random.default_rng(0)
    picks = random.integers(0, len(values), (_RESAMPLES, len(values)))
    resampled = statistic(values[picks], axis=1)
    low, high = np.quantile(resampled, (0.025, 0.975), axis=0)
    return [round(float(x), 2) for x in (statistic(values, axis=0), low, high)]


def summarize(rows: list[dict]) -> dict[str, object]:
    summary: dict[str, object] = {"reports": len(rows)}
    for key in ("calls", "tokens"):
        values = {tool: np.array([row[tool][key] for row in rows], float) for tool in _TOOLS}
        for tool in _TOOLS:
            summary[f"{tool}: mean {key}"] = interval(values[tool], np.mean)
            summary[f"{tool}: median {key}"] = float(np.median(values[tool]))
        for ours, theirs in _PAIRS:
            difference = interval(values[ours] - values[theirs], np.mean)
            summary[f"{ours} less {theirs}: mean {key}"] = difference
    for tool in _TOOLS:
        for most in (1, 2, 5, _MAX_CALLS):
            n = sum(row[tool]["reached"] and row[tool]["calls"] <= most for row in rows)
            summary[f"{tool}: within {most} calls"] = n
    return summary


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--reports", type=Path, nargs="+", required=True)
    parser.add_argument("--trees", type=Path, required=True)
    parser.add_argument("--most", type=int, default=40)
    parser.add_argument("--out", type=Path, default=RESULTS)
    options = parser.parse_args()
    rows = []
    for report in choose(options.reports, options.most):
        row = measure(options.trees / report.id, report)
        print(json.dumps(row or {"no line of the fix": report.id}), flush=True)
        rows += [row] if row else []
    with_lines = [row for row in rows if row["lines known"]]
    groups = {"all": rows, "lines known": with_lines}
    summary = {name: summarize(group) for name, group in groups.items() if group}
    save(options.out, {**summary, "rows": rows})
    print(json.dumps(summary, indent=1))


if __name__ == "__main__":
    main()
