"""Twenty questions that any user may ask first, and docs/questions.md, which shows the answers."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.support.command_line import packhound

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "fixtures" / "questions"
PAGE = ROOT / "docs" / "questions.md"
HEAD = (
    "# Twenty questions\n\n"
    "What `packhound search` answers over a small project of an agent,"
    " with two skills and the logs of three conversations. A test asks them and writes this page"
    " (`pytest tests/acceptance/test_twenty_questions.py --update-golden`).\n\n"
    "| query | expected | got: first three | confidence |\n|---|---|---|---|\n"
)
EMPTY = "QUERY is empty; give a word, a name, or a filter as kind:class"
ABSENT = "`xyzabc123` is not in this folder"
LOG, SKILL = "conversation log", "skill"
Hits = list[dict[str, Any]]


class Question(NamedTuple):
    """A query, the words for what is expected, and its check on the hits."""

    query: str
    expected: str
    holds: Callable[[Hits], bool]
    types: tuple[str, ...] = ()


def kind_of(hit: dict[str, Any]) -> str:
    """Return `skill`, `conversation log` or the kind of a piece of code, by where it stands."""
    places = {".agents/": SKILL, "logs/": LOG}
    return next((kind for start, kind in places.items() if hit["path"].startswith(start)), "code")


def first(name: str) -> Callable[[Hits], bool]:
    return lambda hits: hits[0]["name"] == name


def among_three(*names: str) -> Callable[[Hits], bool]:
    return lambda hits: set(names) <= {hit["name"] for hit in hits[:3]}


def only(*types: str) -> Callable[[Hits], bool]:
    return lambda hits: bool(hits) and {hit["type"] for hit in hits} <= set(types)


def together(words: str, *kinds: str) -> Callable[[Hits], bool]:
    """Return a check that the best five are of all these kinds, one of them on `words`."""

    def holds(hits: Hits) -> bool:
        on_words = any(re.search(words, f"{hit['path']} {hit['name']}") for hit in hits[:5])
        return on_words and set(kinds) <= {kind_of(hit) for hit in hits[:5]}

    return holds


ALL = ("all",)
QUESTIONS = (
    *(
        Question(name, "that definition first", first(name))
        for name in ("SOAROrchestrator", "authenticate_user", "BM25Scorer", "chunk_id")
    ),
    Question("HybridRetriever", "that definition first", first("HybridRetriever")),
    Question("authentication flow", "code and a log about it", together("auth", "code", LOG), ALL),
    Question("memory indexing", "the code, a skill", together("index_memory", "code", SKILL), ALL),
    Question("error handling", "code that handles exceptions", first("handle_errors")),
    Question("configuration management", "code and a log", together("onfig", "code", LOG), ALL),
    Question("git integration", "code and a log on git", together("git", "code", LOG), ALL),
    Question(
        "user management",
        "code alone",
        lambda hits: only("function", "class")(hits) and "users.py" in hits[0]["path"],
        ("function", "class"),
    ),
    Question("oauth setup", "conversation logs alone", only("knowledge"), ("knowledge",)),
    Question("decomposition pattern", "skills alone", only("skill"), ("reasoning",)),
    Question(
        "search algorithm",
        "code, a skill and a log together",
        together("HybridRetriever|search", "code", SKILL, LOG),
        ALL,
    ),
    Question("performance optimization", "functions alone", only("function"), ("function",)),
    Question("HTTPSConnection", "its parts find it", first("HttpsConnection")),
    Question("get.user.data", "both spellings", among_three("getUserData", "get_user_data")),
    Question("getUserData", "both spellings", among_three("getUserData", "get_user_data")),
)


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    lines = [json.dumps({"query": q.query, "types": q.types, "deep": False}) for q in QUESTIONS]
    command = ("search", "--batch", "-", "--root", str(FOLDER), "--set", "search.deep=off")
    done = packhound(tmp_path_factory.mktemp("questions"), *command, stdin="\n".join(lines))
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.parametrize("number", range(len(QUESTIONS)), ids=[q.query for q in QUESTIONS])
def test_a_question_has_the_expected_answer(number: int, answers: list[dict[str, Any]]) -> None:
    hits = answers[number]["hits"]
    assert QUESTIONS[number].holds(hits), [f"{h['type']} {h['path']} {h['name']}" for h in hits[:5]]


def test_what_is_not_there_is_said_so(tmp_path: Path) -> None:
    done = packhound(tmp_path, "search", "xyzabc123", "--root", str(FOLDER))
    assert ABSENT in done.stdout + done.stderr


def test_an_empty_query_is_an_error_in_words(tmp_path: Path) -> None:
    done = packhound(tmp_path, "search", "", "--root", str(FOLDER))
    assert done.returncode == 2
    assert EMPTY in done.stderr


def test_the_page_shows_the_answers(answers: list[dict[str, Any]], update_golden: bool) -> None:
    rows = [_row(*both) for both in zip(QUESTIONS, answers, strict=True)]
    rows += [f"| `xyzabc123` | not here, and said so | {ABSENT} | |\n"]
    rows += [f"| (nothing) | an error in words | {EMPTY} | |\n"]
    if update_golden:
        PAGE.write_text(HEAD + "".join(rows), "utf-8")
    assert PAGE.read_text("utf-8") == HEAD + "".join(rows)


def _row(question: Question, answer: dict[str, Any]) -> str:
    types = f" type:{','.join(question.types)}" if question.types else ""
    hits = [f"`{hit['name']}` {hit['path']}" for hit in answer["hits"][:3]]
    cells = (f"`{question.query}{types}`", question.expected, "<br>".join(hits))
    return f"| {' | '.join(cells)} | {answer['confidence_word'] or ''} |\n"
