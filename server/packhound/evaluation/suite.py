"""Suites of queries with known answers, as files.

A suite is a folder of `<repository>.json` files (beside or in it a `*repos.json` that says which
folder of each repository counts), one such JSON file, or a `.jsonl` of bug reports with the files
and functions that their fixes changed.
"""

from __future__ import annotations

import json
from pathlib import Path

from packhound.core.errors import SettingsError
from packhound.evaluation.cases import REPORT, Case, Target


def load_suite(suite: Path) -> tuple[Case, ...]:
    """Read a suite; raises SettingsError naming the file that cannot be read as one."""
    if suite.suffix == ".jsonl":
        return tuple(_issue_case(json.loads(line)) for line in _lines(suite))
    files = sorted(suite.glob("*.json")) if suite.is_dir() else [suite]
    described = _repositories(suite)
    cases: list[Case] = []
    for file in files:
        if file.name.endswith("repos.json"):
            continue
        entry = described.get(file.stem, {})
        folder = f"{file.stem}/{entry.get('root') or ''}".rstrip("/") if entry else "."
        for case in _read_json(file):
            cases.append(_query_case(case, file, str(entry.get("language") or ""), folder))
    if not cases:
        raise SettingsError(f"suite '{suite}' holds no queries (expected .json files or a .jsonl)")
    return tuple(cases)


def _query_case(case: dict[str, object], file: Path, language: str, folder: str) -> Case:
    try:
        named = [*_list(case["relevant"]), *_list(case.get("secondary"))]
        targets = tuple(_target(entry) for entry in named)
        return Case(
            text=str(case["query"]),
            targets=targets,
            category=str(case.get("category") or "all"),
            repository=file.stem,
            language=language,
            folder=folder,
        )
    except (KeyError, TypeError) as problem:
        raise SettingsError(f"a query in '{file}' lacks {problem}") from None


def _target(entry: object) -> Target:
    if isinstance(entry, dict):
        return Target(str(entry["path"]), entry.get("start_line"), entry.get("end_line"))
    return Target(str(entry))


def _issue_case(case: dict[str, object]) -> Case:
    gold = [entry for entry in _list(case["gold"]) if isinstance(entry, dict)]
    functions = [name for entry in gold for name in entry["changes"].get("edited_entities", [])]
    return Case(
        text=str(case["problem_statement"]),
        targets=tuple(Target(str(entry["file"])) for entry in gold),
        category=REPORT,
        repository=str(case["repo"]),
        language="python",
        folder=str(case["instance_id"]),
        functions=tuple(
            Target(path, function=name) for path, _, name in (f.partition(":") for f in functions)
        ),
    )


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _repositories(suite: Path) -> dict[str, dict[str, object]]:
    """What is said of each repository, by name; empty for a single file of queries."""
    if not suite.is_dir():
        return {}
    beside = sorted(suite.parent.glob(f"{suite.name}_repos.json"))
    for file in [*sorted(suite.glob("*repos.json")), *beside]:
        return {str(entry["name"]): entry for entry in _read_json(file)}
    return {file.stem: {"root": None} for file in suite.glob("*.json")}


def _read_json(file: Path) -> list[dict[str, object]]:
    try:
        found = json.loads(file.read_text("utf-8"))
    except (OSError, ValueError) as problem:
        raise SettingsError(f"suite '{file}' cannot be read: {problem}") from None
    if not isinstance(found, list):
        raise SettingsError(f"suite '{file}' is not a list of queries")
    return found


def _lines(file: Path) -> list[str]:
    try:
        return [line for line in file.read_text("utf-8").splitlines() if line.strip()]
    except OSError as problem:
        raise SettingsError(f"suite '{file}' cannot be read: {problem}") from None
