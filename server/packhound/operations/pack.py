"""`pack`: the code that a task needs, within a budget of tokens."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Annotated

from packhound import llm, service
from packhound.core.errors import SettingsError
from packhound.core.typed import about, number, sized
from packhound.operations import fields
from packhound.operations.focus import focus_of
from packhound.operations.operation import Call, Json, Operation, Page, Request
from packhound.operations.page_of_pack import page_of_pack
from packhound.operations.rows import readiness, signal_row
from packhound.operations.text import Row, Text, path_of, rows_in
from packhound.pack import Format, Origin, PackFocus, PackItem, PackRequest, price
from packhound.pack import Pack as Packed
from packhound.redact import safe_line

PROMPT_CHARACTERS = 1_000_000
"""A conversation that was pasted whole still fits."""
_MAX_TOKENS = 10_000_000
"""More than any model reads at once."""
_MAX_OMITTED = 10
"""Omitted nodes that are listed, which keeps the answer short."""
_NOTES_SHARE, _NOTES_TOKENS = 0.1, 200
"""Of the budget, and at most, for what an agent's text says of the pack."""


class Pack(Request):
    """A prompt and what its pack may cost."""

    prompt: Annotated[str, sized("The task.", PROMPT_CHARACTERS)] = ""
    map: Annotated[bool, about("Instead map the most used definitions.")] = False
    budget: Annotated[int, number("Maximum number of tokens.", 1, _MAX_TOKENS)] = 8_000
    reserve: Annotated[int, number("Tokens of the budget to leave free.", 0, _MAX_TOKENS)] = 0
    pinned: Annotated[fields.Words, about("Files, or PATH:10-20, that must be included.")] = ()
    exclude: fields.ExcludedGlobs = ()
    model: Annotated[fields.Word, about("Model to state the cost for.")] = ""
    tokenizer: Annotated[
        fields.Word, about("A tokenizer.json, or tiktoken:NAME, to count tokens with.")
    ] = ""
    format: Annotated[Format, about("Format of the text.")] = "markdown"
    conversation: Annotated[fields.Word, about("Packs of one name do not repeat code.")] = ""
    focus_path: fields.FocusPath = ""
    focus_line: fields.Line = 0
    focus_lines: Annotated[
        tuple[fields.Line, ...], sized("First and last line of what is selected in that file.", 2)
    ] = ()
    open_paths: Annotated[
        tuple[str, ...], about("Files of its folder that are open in the editor.")
    ] = ()
    explain: Annotated[bool, about("Say by which signals of the search each item was found.")] = (
        False
    )

    def __post_init__(self) -> None:
        """Check that there is something to pack for. Raises SettingsError."""
        if not (self.prompt or self.map):
            raise SettingsError("'prompt' is missing; give the task in words, or ask for a map")


def run(call: Call, request: Pack) -> Json:
    """Return the pack as rows; with `explain` origins have all signals of the search.

    Answer: `text` to send, which begins with what the prompt is taken as, how sure it is and what
    is not here, its `tokens`, its `items` with the `origins` of each, what was `omitted`, and
    `cost` where the price of the model is known.
    """
    wanted, packed = make_pack(call, request)
    return pack_row(call.roots, packed, wanted.model, explain=request.explain)


def make_pack(call: Call, request: Pack) -> tuple[PackRequest, Packed]:
    """Return the request that the settings complete, and the best code of all folders.

    Raises Cancelled, or SettingsError.
    """
    if not len(call.roots):
        raise SettingsError("no folder is open to pack from")
    if call.is_agent and request.tokenizer:
        raise SettingsError("an agent must not have the server read a file of its choice")
    settings = call.settings
    place, notes = focus_of(call.roots, request.focus_path, request.focus_line, "packed")
    model = request.model or settings.pack.model
    reserve = request.reserve or min(settings.pack.reserve, request.budget)
    if reserve > request.budget:
        raise SettingsError(
            f"'reserve' is {reserve}; must be between 0 and the budget of {request.budget}"
        )
    if call.is_agent:
        free = request.budget - reserve
        reserve += min(_NOTES_TOKENS, int(free * _NOTES_SHARE))
    lines = (request.focus_lines[0], request.focus_lines[-1]) if request.focus_lines else None
    wanted = PackRequest(
        request.prompt,
        budget=request.budget,
        reserve=reserve,
        focus=PackFocus(place.path, place.line or 0, lines, request.open_paths) if place else None,
        pinned=request.pinned,
        excluded=request.exclude,
        model=model,
        tokenizer=request.tokenizer or settings.pack.tokenizer or llm.tokenizer_of(model),
        format=request.format,
        conversation=request.conversation,
        map=request.map,
    )
    focused = place.root.path if place else ""
    packed = call.roots.pack(wanted, focused, call.cancel)
    if not call.is_agent:  # Of those the whole text is counted.
        next(iter(call.roots)).engine.count_tokens(packed.tokens)
    return wanted, replace(packed, remarks=(*packed.remarks, *notes))


def pack_row(roots: service.Roots, pack: Packed, model: str, *, explain: bool = False) -> Json:
    """Return a pack; `text` is what to send, `cost` that of reading it with a known model."""
    usd = price(model, pack.tokens)
    more = ["more were left out"] if len(pack.omitted) > _MAX_OMITTED else []
    return {
        "tokens": pack.tokens,
        "budget": pack.budget,
        "items": [
            {**item_row(item, explain=explain), **roots.whose(item.root)} for item in pack.items
        ],
        "omitted": [
            {"path": node.path, "name": node.name, "reason": node.reason} | roots.whose(node.root)
            for node in pack.omitted[:_MAX_OMITTED]
        ],
        "text": pack.text,
        "notes": [*filter(None, [pack.reading.note]), *pack.notes, *more],
        **readiness(pack.reading),
        "confidence": pack.confidence,
        "confidence_word": pack.confidence_word,
        "cost": None if usd is None else {"model": model, "usd": usd},
    }


def item_row(item: PackItem, *, explain: bool = True) -> Json:
    """Return an item of a pack with what brought it there."""
    return {
        "path": item.path,
        "start_line": item.start_line + 1,
        "end_line": item.end_line + 1,
        "detail": item.detail,
        "tokens": item.tokens,
        "score": item.score,
        "reason": item.reason,
        "names": list(item.names),
        "origins": [_origin_row(origin, explain=explain) for origin in item.origins],
    }


def _origin_row(origin: Origin, *, explain: bool) -> Json:
    """Return an origin; rank, words and meaning where it is a search, a path in the graph."""
    fields: Json = {"source": origin.source, "utility": origin.utility, "reason": origin.reason}
    if origin.rank:
        fields |= {"rank": origin.rank, "words": origin.words, "meaning": origin.meaning}
    if origin.path:
        fields["path"] = list(origin.path)
    if explain and origin.hit:
        fields["why"] = [signal_row(signal) for signal in origin.hit.why]
    return fields


def text(answer: Row) -> Text:
    """Return the text of the pack, then what is to be known of it."""
    text = str(answer["text"]) or "nothing found that fits the budget"
    if text.startswith("{"):  # The format JSON says all within itself.
        if reading := answer.get("reading"):
            text = json.dumps({"reading": reading, **json.loads(text)}, ensure_ascii=False)
        return Text([text])
    omitted = (
        safe_line(f"left out: {path_of(row)} {row['name']}, {row['reason']}")
        for row in rows_in(answer, "omitted")
    )
    said = [note for note in rows_in(answer, "notes") if note != answer.get("reading")]
    notes = (f"note: {safe_line(note)}" for note in said)
    return Text([text.rstrip("\n")], [*notes, *omitted], "notes")


OPERATION = Operation(
    "pack",
    "Pack context",
    "The code that a task needs, chosen and cut to fit a budget of tokens. Give the task in the "
    "user's words; paths, names, stack traces and diffs in it count more.",
    Pack,
    run,
    text,
    unlisted="tokenizer format model reserve focus_line focus_lines open_paths explain",
    instead="For one definition use search.",
    page=Page(page_of_pack, {}),
)
