"""Fields of queries and pack requests with their limits and texts.

Language server, socket, MCP tools and command line read their requests here, so one request means
the same everywhere. Settings are defined the same way, in `core/settings.py`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from packhound.core.errors import SettingsError
from packhound.core.parameters import Parameter, array, boolean, choice, integer, read_present, text
from packhound.core.settings import (
    DEEP_TIME_MS,
    MAX_CANDIDATES,
    MAX_PLUGIN_NAME,
    MAX_TIME_MS,
    Settings,
)
from packhound.core.types import KINDS, MAX_HITS, MODES, TESTS, TYPES, Budget, Focus, Query
from packhound.grep import CASES, GrepRequest
from packhound.llm import tokenizer_of
from packhound.pack import FORMATS, PackFocus, PackRequest
from packhound.search import scope_of

QUERY_CHARACTERS = 100_000
"""A bug report with its traces; longer ones were pasted by mistake."""
PROMPT_CHARACTERS = 1_000_000
"""A conversation that was pasted whole still fits."""
MAX_TOKENS = 10_000_000
"""More than any model reads at once."""
_LINE = re.compile(r":(\d{1,8})$")
_DEFAULTS = Settings()

QUERY: dict[str, Parameter] = {
    "query": text("What to find.", QUERY_CHARACTERS),
    "limit": integer("Maximum number of hits.", 1, MAX_HITS),
    "mode": choice("How to search.", MODES),
    "kinds": array("Only these kinds of code.", choice("", KINDS)),
    "languages": array("Only these languages.", text("")),
    "paths": array("Only paths that match one of these globs.", text("")),
    "excluded_kinds": array("Not these kinds of code.", choice("", KINDS)),
    "excluded_paths": array("No such paths.", text("")),
    "tests": choice("Tests below what they test, left out, or alone.", TESTS),
    "files": boolean("One hit per file."),
    "deep": boolean("Read the 50 best hits again, with the transformer of the extra `deep`."),
    "git": boolean("Add the commits that the lines of each hit stem from, by git."),
    "snippet_lines": integer("Lines of code of each hit.", 0, 60),
    "time_ms": integer("Milliseconds after which the search stops.", 1, MAX_TIME_MS),
    "candidates": integer(
        "Definitions ranked at most; of files a quarter as many.", 4, MAX_CANDIDATES
    ),
    "fuser": text(
        "How candidates become one order: linear, blend, rrf or an installed plugin.",
        MAX_PLUGIN_NAME,
    ),
    "scorers": array(
        "Installed plugins that score the best hits again, each NAME or NAME=WEIGHT.",
        text("A scorer.", MAX_PLUGIN_NAME, 1),
    ),
    "types": array(f"Only these types: {', '.join(TYPES[len(KINDS) :])}, a kind.", text("")),
    "since": text("Only what was written on this day (YYYY-MM-DD) or later."),
    "before": text("Only what was written before this day."),
    "tags": array("Only what has one of these tags.", text("")),
}
FOCUS: dict[str, Parameter] = {
    "focus_path": text("The file that the user looks at, or PATH:LINE: what is near ranks higher."),
    "focus_line": integer("1-based line, where the path has none; 0 for none.", 0, 10_000_000),
}
PACK_REQUEST: dict[str, Parameter] = {
    "prompt": text("The task.", PROMPT_CHARACTERS),
    "budget": integer("Maximum number of tokens.", 1, MAX_TOKENS),
    "reserve": integer("Tokens of the budget to leave free.", 0, MAX_TOKENS),
    "pinned": array("Files, or PATH:10-20, that must be included.", text("")),
    "excluded": array("Globs of files that must not be included.", text("")),
    "model": text("Model to state the cost for."),
    "tokenizer": text("A tokenizer.json, or tiktoken:NAME, to count tokens with."),
    "format": choice("Format of the text.", FORMATS),
    "conversation": text("Any name: packs of one conversation do not repeat code."),
}
GREP_REQUEST: dict[str, Parameter] = {
    "pattern": text("RE2, within one line.", 1_000, 1),
    "regex": boolean("False for a literal."),
    "case": choice("Letter case.", CASES),
    "paths": QUERY["paths"],
    "exclude": QUERY["excluded_paths"],
    "count_only": boolean("Only the number of lines of each file."),
    "context": integer("Lines around each.", 0, 20),
    "query": text("Rank the definitions by this question."),
    "limit": integer("Maximum number of lines.", 1, 1_000),
    "offset": integer("Where to continue.", 0, 10_000_000),
}


def query_from(
    values: Mapping[str, object],
    settings: Settings = _DEFAULTS,
    *,
    time_ms: float = Budget().time_ms,
    focus: Focus | None = None,
) -> Query:
    """Return the query of a request; the settings say what it leaves out, then `time_ms`.

    One that asks for the deep model has at least the time that this takes.

    Null stands for the default and other keys are ignored; `budget.timeMs` and `budget.candidates`
    are other names of `time_ms` and `candidates`. Raises SettingsError.
    """
    budget = values.get("budget")
    if isinstance(budget, Mapping):
        nested = {"time_ms": budget.get("timeMs"), "candidates": budget.get("candidates")}
        values = {**nested, **values}
    elif budget is not None:
        raise SettingsError(
            f"'budget' is {budget!r:.80}; must be an object with timeMs or candidates"
        )
    read = {"limit": settings.search.limit, **read_present(QUERY, values, "query")}
    if read.get("deep"):
        time_ms = max(time_ms, DEEP_TIME_MS)
    read["budget"] = Budget(
        read.pop("time_ms", settings.search.time_ms or time_ms),
        read.pop("candidates", settings.search.candidates),
    )
    if focus is None and (position := focus_position(values)):
        focus = Focus(*position)
    query = Query(text=read.pop("query"), focus=focus, **read)
    for problem in scope_of(query)[1]:
        raise SettingsError(problem)
    return query


def focus_position(values: Mapping[str, object]) -> tuple[str, int] | None:
    """Return the path and the 0-based line of a request's focus. Raises SettingsError."""
    read = read_present(FOCUS, values, "")
    path = read.get("focus_path", "").replace("\\", "/").removeprefix("./")
    if not path:
        return None
    line, match = read.get("focus_line", 0), _LINE.search(path)
    if match and not line:
        path, line = path[: match.start()], int(match[1])
    return path, max(0, line - 1)


def grep_request_from(values: Mapping[str, object]) -> GrepRequest:
    """Return the grep of a request, read like a query. Raises SettingsError."""
    return GrepRequest(**read_present(GREP_REQUEST, values, "pattern"))


def grep_request_json(request: GrepRequest) -> dict[str, object]:
    """Return what `grep_request_from` reads."""
    return {name: getattr(request, name) for name in GREP_REQUEST}


def pack_request_from(
    values: Mapping[str, object],
    settings: Settings = _DEFAULTS,
    *,
    focus: PackFocus | None = None,
) -> PackRequest:
    """Return the pack request of a request; the settings say what it leaves out or has empty.

    Raises SettingsError.
    """
    if focus is None and (position := focus_position(values)):
        focus = PackFocus(*position)
    request = PackRequest(focus=focus, **read_present(PACK_REQUEST, values, "prompt"))
    model = request.model or settings.pack.model
    request = replace(
        request,
        reserve=request.reserve or min(settings.pack.reserve, request.budget),
        model=model,
        tokenizer=request.tokenizer or settings.pack.tokenizer or tokenizer_of(model),
    )
    if request.reserve > request.budget:
        raise SettingsError(
            f"'reserve' is {request.reserve}; must be between 0 and the budget of {request.budget}"
        )
    return request
