"""One pack of several roots, within one budget.

Each root drafts a pack of the whole budget; the best items of all drafts say how much of it each
root gets for its part.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TypeAlias

from packhound.core.nested_roots import nested_globs
from packhound.llm import TokenCounter, counter_for
from packhound.pack.notes import EMPTY_NOTE, request_notes, unknown_notes
from packhound.pack.request import Pack, PackRequest
from packhound.redact import visible_line

Packer: TypeAlias = Callable[[PackRequest], Pack]

_MIN_TOKENS = 60
"""A smaller share has no room for a heading and a definition."""
_ROUNDS = 3


def pack_roots(packers: Sequence[tuple[str, Packer]], request: PackRequest) -> Pack:
    """Return the best code of all roots; `packers` makes the pack of each, by its path.

    Raises as the packers do.
    """
    if len(packers) == 1:
        return packers[0][1](request)
    packers = [(root, _without_nested(root, packer, packers)) for root, packer in packers]
    counter = counter_for(request.tokenizer)
    available, part = request.available, replace(request, reserve=0, model="")
    # A draft is not sent, so that its conversation must not remember it.
    draft_request = replace(part, budget=max(1, available), conversation="")
    drafts = [packer(draft_request) for _, packer in packers]
    room, packs, text = available, list[tuple[str, Pack]](), ""
    for _ in range(_ROUNDS):
        shares = _shares(drafts, room - _heading_tokens(packers, counter))
        packs = [
            (root, packer(replace(part, budget=share)))
            for (root, packer), share in zip(packers, shares, strict=True)
            if share >= _MIN_TOKENS
        ]
        packs = [(root, pack) for root, pack in packs if pack.text]
        text = _join(packs, request)
        excess = counter.count(text) - available
        if excess <= 0:
            break
        room -= excess
    else:
        packs, text = [], ""
    return _merge(packs, drafts, [root for root, _ in packers], request, counter, text)


def _without_nested(root: str, packer: Packer, packers: Sequence[tuple[str, Packer]]) -> Packer:
    globs = nested_globs(root, [other for other, _ in packers])
    return lambda part: packer(replace(part, excluded=(*part.excluded, *globs)))


def _shares(drafts: Sequence[Pack], available: int) -> list[int]:
    """Return the tokens of each root: in proportion to those of the best items that fit."""
    items = [(item, n) for n, draft in enumerate(drafts) for item in draft.items]
    items.sort(key=lambda pair: (not pair[0].reason.startswith("pinned"), -pair[0].score))
    weights, spent = [0] * len(drafts), 0
    for item, n in items:
        if spent + item.tokens <= available:
            weights[n] += item.tokens
            spent += item.tokens
    return [max(0, available) * weight // max(1, spent) for weight in weights]


def _heading_tokens(packers: Sequence[tuple[str, Packer]], counter: TokenCounter) -> int:
    return sum(counter.count(_heading(root)) for root, _ in packers)


def _heading(root: str) -> str:
    return f"root: {visible_line(root)}\n\n"


def _join(packs: Sequence[tuple[str, Pack]], request: PackRequest) -> str:
    """Return the texts of the parts, each with its root."""
    if request.format != "json":
        return "".join(_heading(root) + pack.text.rstrip("\n") + "\n\n" for root, pack in packs)
    joined: dict[str, list[object]] = {"files": []}
    for root, pack in packs:
        for key, rows in json.loads(pack.text).items():
            rooted = ({"root": root, **row} for row in rows) if key == "files" else rows
            joined.setdefault(key, []).extend(rooted)
    return json.dumps(joined, ensure_ascii=False, separators=(",", ":")) if packs else ""


def _merge(
    packs: Sequence[tuple[str, Pack]],
    drafts: Sequence[Pack],
    roots: Sequence[str],
    request: PackRequest,
    counter: TokenCounter,
    text: str,
) -> Pack:
    tokens = counter.count(text)
    omitted = [
        replace(node, root=root)
        for root, pack in packs or zip(roots, drafts, strict=True)
        for node in pack.omitted
    ]
    return Pack(
        tokens=tokens,
        budget=request.budget,
        items=tuple(replace(item, root=root) for root, pack in packs for item in pack.items),
        omitted=tuple(omitted),
        text=text,
        notes=(
            *request_notes(request, counter, tokens, text),
            *dict.fromkeys(_further_notes(drafts, counter, text)),
        ),
        generation=sum(draft.generation for draft in drafts),
    )


def _further_notes(drafts: Sequence[Pack], counter: TokenCounter, text: str) -> Iterator[str]:
    """Yield what drafts say of more than their text; of names unknown, what all of them say.

    That a draft is empty says nothing where the joined `text` is not.
    """
    unknown = set.intersection(*(set(unknown_notes(draft.notes)) for draft in drafts))
    for draft in drafts:
        reported = request_notes(PackRequest(""), counter, draft.tokens, draft.text)
        for note in draft.notes:
            if note in reported or (text and note.startswith(EMPTY_NOTE)):
                continue
            if note in unknown or not unknown_notes([note]):
                yield note
