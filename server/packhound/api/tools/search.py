"""`search`: code by name or by meaning."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

from packhound.api.json_codec import Arguments, Json, Row
from packhound.api.schema import FOCUS, QUERY, query_from
from packhound.api.tools.references import resolve
from packhound.api.tools.roots import Root, join_pages, root_of_place
from packhound.api.tools.rows import page
from packhound.api.tools.text import MARK, Text, cut, rows_in, title
from packhound.api.tools.tool import LIMIT, MAX_TOKENS, OFFSET, SNIPPET_LINES, Tool
from packhound.core.errors import SettingsError
from packhound.core.parameters import boolean
from packhound.core.records import CODE, byline
from packhound.core.settings import DEEP_TIME_MS
from packhound.core.types import Focus, Query
from packhound.redact import safe_line, visible_line
from packhound.search import WEAK_NOTE
from packhound.service import Engine

_RECORD_LINES = 6
"""Lines of a note or another record that a hit shows."""
_OF_SETTINGS = (
    "deep",
    "candidates",
    "fuser",
    "scorers",
    "time_ms",
    "excluded_kinds",
    "git",
    "snippet_lines",
)
"""Agents have the deep model, unless the setting is off; the settings say how hits are ranked."""
_FIELDS = {name: QUERY[name] for name in QUERY if name not in _OF_SETTINGS}
_DEFAULTS = {name: getattr(Query(""), name) for name in _FIELDS if name != "query"}


def _answer(engine: Engine, arguments: Arguments) -> Json:
    offset, limit = arguments["offset"], arguments["limit"]
    focus, notes = _focus(engine, arguments)
    settings = engine.follow_settings().settings
    values = {**arguments, "focus_path": "", "snippet_lines": 0}  # Those of the page alone.
    query = query_from(values, settings, time_ms=DEEP_TIME_MS, focus=focus)
    results = engine.search(replace(query, limit=offset + limit + 1, deep=True, redacted=True))
    if not offset:
        engine.sources.episodes.record_search(results)
    results = replace(results, notes=(*results.notes, *notes))
    answer = page(engine, results, offset, limit, arguments["snippet_lines"])
    if arguments["explain"]:
        for row, hit in zip(rows_in(answer, "hits"), results.hits[offset:], strict=False):
            row["counterfactual"] = safe_line(hit.explanation().counterfactual)
    return answer


def _focus(engine: Engine, arguments: Arguments) -> tuple[Focus | None, tuple[str, ...]]:
    """Return the focus, or a note why there is none: of several roots one has the file."""
    if not arguments["focus_path"]:
        return None, ()
    try:
        path, line = resolve(engine, arguments["focus_path"])
    except SettingsError as problem:
        return None, (f"searched without focus: {problem}",)
    return Focus(path, line or 0), ()


def _join(roots: Sequence[Root], arguments: Arguments) -> Json:
    """Return one page of the hits of all roots; the focus is in the first that has the file."""
    focus_path = arguments.pop("focus_path", "")
    place = root_of_place(roots, focus_path) if focus_path else None

    def call(root: Root, tool: str, arguments: Mapping[str, object]) -> Json:
        focus = {"focus_path": place[1]} if place and root is place[0] else {}
        return root.call(tool, {**arguments, **focus})

    focused = [root._replace(call=partial(call, root)) for root in roots]
    answer = join_pages("search")(focused, arguments)
    if not focus_path or place:
        return answer
    note = f"searched without focus: '{focus_path}' is no indexed file of any root"
    return {**answer, "notes": [*rows_in(answer, "notes"), note]}


def _text(answer: Row) -> Text:
    hits, notes = rows_in(answer, "hits"), list(rows_in(answer, "notes"))
    if answer.get("truncated") and not any(note.startswith("stopped") for note in notes):
        notes.append("the search ran out of time; there may be better hits")
    first = "no more hits" if answer["offset"] else "nothing found"
    if hits and answer.get("confidence_word"):
        first = f"confidence: {answer['confidence_word']} ({answer['confidence']:.2f})"
        if notes and notes[0].startswith(WEAK_NOTE):
            first += f"; {visible_line(notes.pop(0).removeprefix(WEAK_NOTE))}"
    return Text(
        head=[first] if answer.get("confidence_word") or not hits else [],
        units=list(hit_units(hits)),
        notes=notes,
        offset=answer["offset"],
        has_more=answer["next_offset"] != -1,
    )


def hit_units(hits: Sequence[Row]) -> Iterator[str]:
    """Yield each hit: its title, its lines of code, and what else its file has."""
    for hit in hits:
        if hit["source"] != CODE:
            yield record_text(hit)
            continue
        lines = [title(hit), *(record_text(note, 1) for note in hit.get("notes", ()))]
        if hit["snippet"]:
            lines.append(hit["snippet"])
        if "counterfactual" in hit:
            why = " · ".join(filter(None, [*hit["reasons"], hit["counterfactual"]]))
            lines.append(visible_line(f"why: {why}"))
        if hit.get("siblings"):
            names = (f"{visible_line(s['name'])}:{s['start_line']}" for s in hit["siblings"])
            lines.append(f"also here: {', '.join(names)}")
        yield "\n".join(lines)


def record_text(row: Row, most_lines: int = _RECORD_LINES) -> str:
    """Return a record as its type, title, author, day and state, and its first lines, marked."""
    state = f", {row['metadata']['state']}" if row["metadata"].get("state") else ""
    by = f"{author}, " if (author := byline(row["metadata"])) else ""
    whose = f", {row['label']}" if "label" in row else ""
    head = f"{row['type']} {row['title']} ({by}{row['date']}{state}, {row['reference']}{whose})"
    lines = [line for line in row["text"].splitlines() if line.strip()][:most_lines]
    return "\n".join([visible_line(head), *(MARK + cut(line) for line in lines)])


TOOL = Tool(
    "search",
    "Search code",
    "Find code by meaning or by name, unsaved edits included. The query is a name, a question, or "
    "a whole bug report.",
    {
        **_FIELDS,
        "focus_path": FOCUS["focus_path"],
        "query": replace(QUERY["query"], minimum=1),
        "limit": LIMIT,
        "offset": replace(OFFSET, maximum=10_000),
        "snippet_lines": SNIPPET_LINES,
        "explain": boolean("Say why each hit is there, and what would move it."),
        "max_tokens": MAX_TOKENS,
    },
    {
        **_DEFAULTS,
        "focus_path": "",
        "offset": 0,
        "snippet_lines": 6,
        "explain": False,
        "max_tokens": 4_000,
    },
    _answer,
    _text,
    _join,
)
