"""Notes on a pack: how its tokens were counted, what it costs, and what was ignored."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from packhound.core.types import Remark
from packhound.llm import TokenCounter, cost, find_model
from packhound.pack.request import PackRequest
from packhound.redact import safe_line

OVER_BUDGET = "over the budget: "
"""The reason of a node that did not fit begins with this."""


class Empty(Remark, template="the pack is empty: {}"):
    """Reason why a pack has no text."""


class OfText(Remark):
    """Note of a pack on its text alone."""


class NoPath(Remark, template="{} is no indexed file, so it is ignored"):
    """A path of a request that names no file."""


def request_notes(
    request: PackRequest, counter: TokenCounter, tokens: int, text: str
) -> Iterator[OfText]:
    """Yield the notes on a text of so many tokens."""
    yield OfText(f"tokens: {counter.name}" + (", counted exactly" if counter.exact else ""))
    model = find_model(request.model) if request.model else None
    if model:
        yield OfText(f"{model.name}: {cost(tokens, model):.4f} USD for reading this pack")
        if request.budget > model.window:
            window = f"{model.name}: {model.window:,}"
            yield OfText(f"the budget is greater than the window of {window}")
    elif request.model:
        yield OfText(f"model '{request.model}' has no price in the table")
    n_redacted = text.count("[REDACTED:")
    if n_redacted:
        yield OfText(f"secrets redacted: {n_redacted}")


def empty_note(request: PackRequest, *, matches: bool, sent: bool) -> Empty:
    """Return why a pack has no text, and what to change.

    `matches` says that there is code for the prompt, `sent` that the conversation had some before.
    """
    if not request.prompt.strip():
        return Empty("the prompt has no words; say what the code is for, or pin files")
    if sent:
        return Empty("what matches was sent before in this conversation")
    if matches:
        n = request.available
        return Empty(f"no code that matches fits {n:,} tokens; raise the budget")
    return Empty("nothing matches the prompt; name files, functions or words of the code")


def price(model: str, tokens: int) -> float | None:
    """Return the US dollars for reading tokens with a model; None if it is not in the table."""
    described = find_model(model) if model else None
    return cost(tokens, described) if described else None


def unknown_file_notes(noun: str, paths: Iterable[str]) -> Iterator[NoPath]:
    """Yield a note for each path of a request that names no file."""
    for path in paths:
        yield NoPath(f"{noun} '{safe_line(path)}'")
