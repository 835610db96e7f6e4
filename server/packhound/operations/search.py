"""`search`: code by name or by meaning."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Annotated

from msgspec import Meta

from packhound import search as ranking
from packhound.core.errors import SettingsError
from packhound.core.records import CODE, RECORD_TYPES, SOURCE_NAMES, SOURCE_OF, byline
from packhound.core.settings import (
    DEEP_TIME_MS,
    MAX_CANDIDATES,
    MAX_PLUGIN_NAME,
    MAX_TIME_MS,
    Settings,
)
from packhound.core.typed import about, fields_of, number, sized
from packhound.core.types import KINDS, TYPES, Budget, Focus, Kind, Mode, Query, Results, Tests
from packhound.operations import fields
from packhound.operations.enough import enough_in
from packhound.operations.focus import focus_of
from packhound.operations.operation import Call, Json, Operation, Page, Request
from packhound.operations.page_of_search import page_of_search
from packhound.operations.rows import results_rows, skipped_note
from packhound.operations.text import (
    MARK,
    Row,
    Text,
    accounts,
    cut,
    location,
    number_lines,
    path_of,
    rows_in,
    snippet_forms,
    title,
    with_arguments,
)
from packhound.redact import visible_line
from packhound.search import Stopped, Weak

QUERY_CHARACTERS = 100_000
"""A bug report with its traces; longer ones were pasted by mistake."""
_FACET_VALUES, _FACET_WIDTH = 8, 60
_LIKE_TIME_MS = 6_000
"""Each pattern that code becomes reads more files than the last."""
_RECORD_LINES = 6
"""Lines of a note or another record that a hit shows."""
_OF_SETTINGS = "deep candidates fuser scorers time_ms excluded_kinds git"
"""Agents have the deep model, unless the setting is off; the settings say how hits are ranked."""

_Kinds = tuple[Kind, ...]
_Day = Annotated[str, Meta(max_length=40)]


class Search(Request):
    """A query. Without a limit or a time the settings say them."""

    query: Annotated[str, sized("What to find.", QUERY_CHARACTERS)]
    limit: fields.LimitOfSettings = 0
    mode: Annotated[Mode, about("How to search.")] = "hybrid"
    kinds: Annotated[_Kinds, sized("Only these kinds of code.", 100)] = ()
    languages: Annotated[fields.Words, about("Only these languages.")] = ()
    paths: fields.Globs = ()
    excluded_kinds: Annotated[_Kinds, sized("Not these kinds of code.", 100)] = ()
    exclude: fields.ExcludedGlobs = ()
    tests: Annotated[Tests, about("Tests below what they test, left out, or alone.")] = "last"
    files: Annotated[bool, about("One hit per file.")] = False
    deep: Annotated[bool, about("Read the 50 best hits again, with the bundled transformer.")] = (
        True
    )
    git: Annotated[bool, about("Add the commits that the lines of each hit stem from, by git.")] = (
        False
    )
    time_ms: Annotated[
        int,
        number("Milliseconds after which the search stops, else search.timeMs.", 1, MAX_TIME_MS),
    ] = 0
    candidates: Annotated[
        int,
        number(
            "Definitions ranked at most, of files a quarter as many; else search.candidates.",
            4,
            MAX_CANDIDATES,
        ),
    ] = 0
    source_candidates: Annotated[
        fields.Words,
        about(
            "Candidates of one of several sources, each SOURCE=N, such as notes=5;"
            " else all have an equal share."
        ),
    ] = ()
    fuser: Annotated[
        str,
        sized(
            "How candidates become one order: linear, blend, rrf or an installed"
            " plugin; else search.fuser.",
            MAX_PLUGIN_NAME,
        ),
    ] = ""
    scorers: Annotated[
        tuple[Annotated[str, Meta(min_length=1, max_length=MAX_PLUGIN_NAME)], ...],
        sized("Installed plugins that score the best hits again, each NAME or NAME=WEIGHT.", 100),
    ] = ()
    types: Annotated[
        fields.Words, about(f"Only these types: {', '.join(TYPES[len(KINDS) :])}, a kind.")
    ] = ()
    since: Annotated[_Day, about("Only what was changed since: YYYY-MM-DD, or 3d, 2w, 1y ago.")] = (
        ""
    )
    before: Annotated[_Day, about("Only what was changed before that.")] = ""
    tags: Annotated[fields.Words, about("Only what has one of these tags.")] = ()
    pattern: Annotated[str, sized("Code with holes that hits have: raise $E($$$).", 4_000)] = ""
    like: Annotated[
        str, sized("Code of the structure that hits have; its parts become holes.", 4_000)
    ] = ""
    facets: Annotated[
        fields.Words, about("Only where holes of the pattern are this: NAME=VALUE.")
    ] = ()
    remotes: Annotated[
        bool, about("Search the repositories of team.remotes too, as far as they are pulled.")
    ] = True
    focus_path: fields.FocusPath = ""
    focus_line: fields.Line = 0
    offset: fields.Offset = 0
    snippet_lines: Annotated[
        fields.SnippetLines | None, about("Lines of code of each hit, else by rank.")
    ] = None
    explain: Annotated[bool, about("Say what speaks for each hit and against it.")] = False
    max_tokens: fields.MaxTokens = 1_200
    also: fields.Also = ()


OPTIONS = fields_of(Search).keys() & Query.__dataclass_fields__.keys() - {"limit"}
"""Fields that the query of a request takes as they are."""


def run(call: Call, request: Search) -> Json:
    """Return one page of the hits of all folders.

    Answer: The results below.
    """
    query, notes = query_of(call, request)
    return rows_of(call, request, run_search(call, query, notes))


def rows_of(call: Call, request: Search, results: Results) -> Json:
    """Return one page of results as rows."""
    limit = limit_of(call, request)
    rows = results_rows(call.roots, results, limit, request.offset, explain=request.explain)
    if request.snippet_lines == 0 or _has_filter(request):
        return rows
    page = results.hits[request.offset : request.offset + limit]
    return {**rows, **enough_in(call.roots, results, page)}


def _has_filter(request: Search) -> bool:
    """Return True if a request lists something even without a query."""
    names = ("kinds", "languages", "paths", "excluded_kinds", "exclude", "types", "tags", "pattern")
    fields = [getattr(request, name) for name in (*names, "like", "since", "before")]
    return any(fields) or request.tests != "last"


def query_of(call: Call, request: Search) -> tuple[Query, tuple[str, ...]]:
    """Return the query of a request, and why it has no focus if it asks for one.

    It asks for one hit more than its page has, which says if there are more. One that asks for the
    deep model has at least the time that this takes. Raises SettingsError.
    """
    settings = call.settings
    if not (request.query.strip() or _has_filter(request) or call.is_typing):
        raise SettingsError("'query' is empty; give a word, a name, or a filter as kind:class")
    place, notes = focus_of(call.roots, request.focus_path, request.focus_line, "searched")
    time_ms = DEEP_TIME_MS if request.deep else Budget().time_ms
    time_ms = max(time_ms, _LIKE_TIME_MS if request.like else 0)
    query = Query(
        request.query,
        limit=request.offset + limit_of(call, request) + 1,
        budget=Budget(
            request.time_ms or settings.search.time_ms or time_ms,
            request.candidates or settings.search.candidates,
            tuple(map(_candidates_of, request.source_candidates)),
        ),
        focus=Focus(place.path, place.line or 0, place.root.path) if place else None,
        redacted=call.is_agent,
        **{name: getattr(request, name) for name in OPTIONS},
    )
    scope, problems = ranking.scope_of(query)
    if problems:
        raise SettingsError(problems[0])
    return (query if scope.types else replace(query, types=_plain_types(settings))), notes


def _candidates_of(written: str) -> tuple[str, int]:
    """Return a source and its number of candidates. Raises SettingsError."""
    name, _, number = written.partition("=")
    if name in (CODE, *SOURCE_NAMES) and re.fullmatch("[1-9][0-9]{0,5}", number):
        return name, min(int(number), MAX_CANDIDATES)
    expected = f"SOURCE=N, with one of: {', '.join((CODE, *SOURCE_NAMES))}; as in notes=5"
    raise SettingsError(
        f"'source_candidates' contains '{visible_line(written)}'; expected {expected}"
    )


def _plain_types(settings: Settings) -> tuple[str, ...]:
    """Return the types that a search asks for which names none; nothing is code alone."""
    chosen = settings.search.sources
    types = [name for name in RECORD_TYPES if SOURCE_OF[name] in chosen]
    return (CODE, *types) if types else ()


def limit_of(call: Call, request: Search) -> int:
    """Return the number of hits of a page."""
    return request.limit or call.settings.search.limit


def run_search(call: Call, query: Query, notes: Sequence[str] = ()) -> Results:
    """Return the hits of all folders, with further notes."""
    results = call.roots.search(query, call.cancel)
    if not call.is_typing:
        for root in call.roots:
            of_root = tuple(hit for hit in results.hits if hit.node.root == root.path)
            root.engine.sources.episodes.record_search(replace(results, hits=of_root))
    return replace(results, remarks=(*results.remarks, *notes))


def text(answer: Row) -> Text:
    """Return how sure the answer is, then the hits."""
    hits, notes = rows_in(answer, "hits"), list(rows_in(answer, "notes"))
    stopped, weak = str(Stopped()), str(Weak())  # What has left is text.
    if answer.get("truncated") and not any(note.startswith(stopped) for note in notes):
        notes.append("the search ran out of time; there may be better hits")
    first = "no more hits" if answer["offset"] else "nothing found"
    if hits and answer.get("confidence_word"):
        first = f"confidence: {answer['confidence_word']}"
        if notes and notes[0].startswith(weak):
            first += f"; {visible_line(notes.pop(0).removeprefix(weak))}"
    forms = list(map(hit_forms, hits))
    ranks = answer["enough"]["ranks"] if "enough" in answer else ()
    firsts = [first] if answer.get("confidence_word") or not hits else []
    page = Text.page(answer, [*firsts, *facet_lines(answer)], [form[-1] for form in forms])
    return page._replace(
        shorter=[form[:-1] for form in forms],
        notes=notes,
        enough=_enough(answer),
        defining=[i for i, hit in enumerate(hits) if hit["rank"] in ranks],
    )


def _enough(answer: Row) -> str:
    """Return that the whole of what a query names is in its answer, if it is."""
    if "enough" not in answer:
        return ""
    names = ", ".join(f"`{visible_line(name)}`" for name in answer["enough"]["names"])
    claim = f"enough: all indexed definitions of {names} are above, whole"
    return "; ".join(filter(None, [claim, skipped_note(answer.get("skipped", {}))]))


def facet_lines(answer: Row) -> Iterator[str]:
    """Yield for each named hole of a pattern what it is, the most frequent first."""
    for facet in rows_in(answer, "facets"):
        shown = facet["values"][:_FACET_VALUES]
        values = (f"{cut(value['text'], _FACET_WIDTH)} {value['matches']:,}" for value in shown)
        n_more = facet["n_values"] - len(shown)
        more = f", {n_more:,} more" if n_more else ""
        yield visible_line(f"${facet['name']}: {', '.join(values)}{more}")


def hit_forms(hit: Row) -> tuple[str, ...]:
    """Return a hit from its place alone to all that is to be said of it.

    That is its title, its lines of code, and what else its file has.
    """
    if hit["source"] != CODE:
        record = record_text(hit)
        return record.partition("\n")[0], record
    if "unread" in hit:
        return (f"{path_of(hit)} (file, not read: {hit['unread']})",)
    notes = [record_text(note, 1) for note in hit.get("notes", ())]
    if git := hit.get("git"):
        notes.append(f"history: {visible_line(git['text'])}")
    extras = accounts(hit) if "why" in hit else []
    if hit.get("siblings"):
        names = (f"{visible_line(s['name'])}:{s['start_line']}" for s in hit["siblings"])
        extras.append(f"also here: {', '.join(names)}")
    if hit.get("copies"):
        places = (f"{visible_line(c['path'])}:{c['start_line']}" for c in hit["copies"])
        extras.append(f"same text: {', '.join(places)}")
    line = with_arguments(hit)
    if matches := hit.get("matches"):
        code = number_lines([(row["line"], row["text"]) for row in matches])
        n_more = hit["n_matches"] - len(matches)
        full = [title(hit), *notes, code, *[f"{n_more} more lines match"][: max(n_more, 0)]]
        return location(hit), line, "\n".join([*full, *extras])
    *partial, whole = snippet_forms(hit) or [""]
    parts = ["\n".join([title(hit), code]) for code in partial]
    code_lines = [title(hit), *notes, whole] if whole else [line, *notes]
    return location(hit), line, *parts, "\n".join([*code_lines, *extras])


def record_text(row: Row, most_lines: int = _RECORD_LINES) -> str:
    """Return a record as its type, title, author, day and state, and its first lines, marked."""
    state = f", {row['metadata']['state']}" if row["metadata"].get("state") else ""
    by = f"{author}, " if (author := byline(row["metadata"])) else ""
    whose = f", {row['label']}" if "label" in row else ""
    head = f"{row['type']} {row['title']} ({by}{row['date']}{state}, {row['reference']}{whose})"
    lines = [line for line in row["text"].splitlines() if line.strip()][:most_lines]
    return "\n".join([visible_line(head), *(MARK + cut(line) for line in lines)])


OPERATION = Operation(
    "search",
    "Search code",
    "Find code by meaning or by name, unsaved edits included. A query is a name, a question, a "
    "bug report, code with holes (raise $E($$$)); filters: since:2w, rev:COMMIT, deps:NAME.",
    Search,
    run,
    text,
    unlisted=f"{_OF_SETTINGS} mode source_candidates facets focus_line pattern like since before"
    " tags remotes",
    instead="For exact text use grep, for a task pack.",
    lists=True,
    batch="query",
    page=Page(page_of_search, {"explain": True}),
)
