"""Notes on a pack: how its tokens were counted, what it costs, and what was ignored."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from packhound.llm import TokenCounter, cost, find_model
from packhound.pack.request import PackRequest
from packhound.redact import safe_line

EMPTY_NOTE = "the pack is empty: "
"""The note of a pack without text begins with this."""
OVER_BUDGET = "over the budget: "
"""The reason of a node that did not fit begins with this."""
_UNKNOWN = " is no indexed file, so it is ignored"


def request_notes(
    request: PackRequest, counter: TokenCounter, tokens: int, text: str
) -> tuple[str, ...]:
    """Return the notes on a text of so many tokens."""
    notes = [f"tokens: {counter.name}" + (", counted exactly" if counter.exact else "")]
    model = find_model(request.model) if request.model else None
    if model:
        notes.append(f"{model.name}: {cost(tokens, model):.4f} USD for reading this pack")
        if request.budget > model.window:
            notes.append(f"the budget is greater than the window of {model.name}: {model.window:,}")
    elif request.model:
        notes.append(f"model '{request.model}' has no price in the table")
    n_redacted = text.count("[REDACTED:")
    if n_redacted:
        notes.append(f"secrets redacted: {n_redacted}")
    return tuple(notes)


def empty_note(request: PackRequest, *, matches: bool, sent: bool) -> str:
    """Return why a pack has no text, and what to change.

    `matches` says that there is code for the prompt, `sent` that the conversation had some before.
    """
    if not request.prompt.strip():
        return EMPTY_NOTE + "the prompt has no words; say what the code is for, or pin files"
    if sent:
        return EMPTY_NOTE + "what matches was sent before in this conversation"
    if matches:
        n = request.available
        return f"{EMPTY_NOTE}no code that matches fits {n:,} tokens; raise the budget"
    return EMPTY_NOTE + "nothing matches the prompt; name files, functions or words of the code"


def price(model: str, tokens: int) -> float | None:
    """Return the US dollars for reading tokens with a model; None if it is not in the table."""
    described = find_model(model) if model else None
    return cost(tokens, described) if described else None


def unknown_file_notes(noun: str, paths: Iterable[str]) -> Iterator[str]:
    """Yield a note for each path of a request that names no file."""
    for path in paths:
        yield f"{noun} '{safe_line(path)}'{_UNKNOWN}"


def unknown_notes(notes: Iterable[str]) -> list[str]:
    """Return those of some notes that say of a path that it names no file."""
    return [note for note in notes if note.endswith(_UNKNOWN)]
