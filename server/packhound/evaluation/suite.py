"""Suites of queries with known answers, as files; the content of a file says what it holds.

A suite is a folder of `<repository>.json` files (beside or in it a `*repos.json` that says which
folder of each repository counts), one such JSON file, a `.jsonl` of bug reports with the files and
functions that their fixes changed, or a folder of `.jsonl` files, or one, of graded answers: lines
{repo, revision, root, kind, query, answers: [{path, name, start_line, end_line, grade}]}.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from packhound.core.errors import SettingsError
from packhound.evaluation.cases import REPORT, Answer, Case, Target
from packhound.parsing import language_of

_KEYS = ("query", "relevant", "secondary", "category", "focus")


def load_suite(suite: Path) -> tuple[Case, ...]:
    """Read a suite. Raises SettingsError that names the file and what it lacks."""
    if suite.suffix == ".jsonl":
        return _read_lines(suite)
    cases: list[Case] = []
    if suite.is_dir():
        cases += [case for file in sorted(suite.glob("*.jsonl")) for case in _read_lines(file)]
    files = sorted(suite.glob("*.json")) if suite.is_dir() else [suite]
    repositories = _repositories(suite)
    for file in files:
        if file.name.endswith("repos.json"):
            continue
        entry = repositories.get(file.stem, {})
        folder = f"{file.stem}/{entry.get('root') or ''}".rstrip("/") if entry else "."
        for number, case in enumerate(_read_json(file), 1):
            where = f"query {number} of '{file}'"
            cases.append(_query_case(case, file, where, str(entry.get("language") or ""), folder))
    if not cases:
        raise SettingsError(f"suite '{suite}' has no queries; expected .json or .jsonl files")
    return tuple(cases)


def _read_lines(file: Path) -> tuple[Case, ...]:
    """Return the bug reports or graded queries of a file, a line each."""
    cases = []
    for number, line in enumerate(_read_text(file).splitlines(), 1):
        if line.strip():
            where = f"line {number} of '{file}'"
            try:
                case = json.loads(line)
                is_graded = "answers" in case
                cases.append(_graded_case(case, where) if is_graded else _issue_case(case))
            except (KeyError, TypeError, ValueError, AttributeError) as problem:
                raise SettingsError(f"{where} lacks or has a bad {problem}") from None
    return tuple(cases)


def _graded_case(case: dict[str, Any], where: str) -> Case:
    answers = tuple(
        Answer(
            path=str(answer["path"]),
            name=str(answer["name"]),
            start_line=int(answer["start_line"]),
            end_line=int(answer["end_line"]),
            grade=int(answer["grade"]),
        )
        for answer in case["answers"]
    )
    if not answers or min(answer.grade for answer in answers) < 1:
        raise ValueError("list of answers: expected at least one, with grades from 1")
    repository, root = str(case["repo"]), str(case.get("root") or "").strip("/")
    best = max(answers, key=lambda answer: answer.grade)
    return Case(
        text=_words(case, where),
        targets=(),
        category=str(case["kind"]),
        repository=repository,
        language=language_of(best.path) or "",
        folder=f"{repository}/{root}".rstrip("/"),
        answers=answers,
        root=root,
        focus=str(case.get("focus") or ""),
        where=where,
    )


def _query_case(
    case: dict[str, object], file: Path, where: str, language: str, folder: str
) -> Case:
    if unknown := [key for key in case if key not in _KEYS]:
        raise SettingsError(f"{where} has '{unknown[0]}'; expected one of: {', '.join(_KEYS)}")
    try:
        relevant = [*_list(case["relevant"]), *_list(case.get("secondary"))]
        targets = tuple(_target(entry) for entry in relevant)
        return Case(
            text=_words(case, where),
            targets=targets,
            category=str(case.get("category") or "none"),
            repository=file.stem,
            language=language,
            folder=folder,
            focus=str(case.get("focus") or ""),
            where=where,
        )
    except (KeyError, TypeError) as problem:
        raise SettingsError(f"{where} lacks {problem}") from None


def _words(case: dict[str, Any], where: str) -> str:
    text = str(case["query"])
    if not text.strip():
        raise SettingsError(f"{where} is empty")
    return text


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
    """Return the description of each repository by name; empty for a single file of queries."""
    if not suite.is_dir():
        return {}
    siblings = sorted(suite.parent.glob(f"{suite.name}_repos.json"))
    for file in [*sorted(suite.glob("*repos.json")), *siblings]:
        return {str(entry["name"]): entry for entry in _read_json(file)}
    return {file.stem: {"root": None} for file in suite.glob("*.json")}


def _read_json(file: Path) -> list[dict[str, object]]:
    try:
        cases = json.loads(_read_text(file))
    except ValueError as problem:
        raise SettingsError(f"suite '{file}' cannot be read: {problem}") from None
    if not isinstance(cases, list):
        raise SettingsError(f"suite '{file}' is not a list of queries")
    return cases


def _read_text(file: Path) -> str:
    try:
        return file.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as problem:
        raise SettingsError(f"suite '{file}' cannot be read: {problem}") from None
