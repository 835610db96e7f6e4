"""One pack of several folders, within one budget.

Each folder drafts a pack of the whole budget from the same ranking of all; the best items of all
drafts say how much of the budget each folder gets for its part, and which part comes first.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

from packhound.core.status import total_reading
from packhound.core.types import Query, Results
from packhound.llm import TokenCounter, counter_for
from packhound.pack import Empty, NoPath, OfText, Pack, PackRequest, request_notes, unknown_pins
from packhound.redact import visible_line

if TYPE_CHECKING:
    from packhound.service.several_roots import Root, Roots

_MIN_TOKENS = 60
"""A smaller share has no room for a heading and a definition."""
_ROUNDS = 3


def pack_roots(
    roots: Roots, request: PackRequest, focused: str, cancel: threading.Event | None
) -> Pack:
    """Return the best code of all folders; the request's focus is in the folder `focused`.

    Raises as `Engine.pack` does.
    """
    counter = counter_for(request.tokenizer)
    available, part = request.available, replace(request, reserve=0, model="")
    parts = _Parts(roots, focused, cancel)
    # A draft is not sent, so that its conversation must not remember it.
    draft_request = replace(part, budget=max(1, available), conversation="")
    drafts = [parts.pack(root, draft_request) for root in roots]
    headings = sum(counter.count(_heading(root.path)) for root in roots)
    room, packs, text = available, list[tuple[str, Pack]](), ""
    for _ in range(_ROUNDS):
        shares = _shares(drafts, room - headings)
        packs = [
            (root.path, parts.pack(root, replace(part, budget=share)))
            for root, share in zip(roots, shares, strict=True)
            if share >= _MIN_TOKENS
        ]
        packs = sorted(((root, pack) for root, pack in packs if pack.text), key=_order)
        text = _join(packs, request)
        excess = counter.count(text) - available
        if excess <= 0:
            break
        room -= excess
    else:
        packs, text = [], ""
    merged = _merge(packs, drafts, [root.path for root in roots], request, counter, text)
    unknown = _unknown_pins(roots, request, drafts)
    return replace(merged, remarks=(*merged.remarks, *unknown))


class _Parts:
    """Packs of single folders, whose candidates are ranked among those of all."""

    def __init__(self, roots: Roots, focused: str, cancel: threading.Event | None) -> None:
        self._roots, self._focused, self._cancel = roots, focused, cancel
        self._search = cache(lambda query: roots.search(query, cancel))

    def pack(self, root: Root, request: PackRequest) -> Pack:
        """Return the pack of a folder."""
        focus = request.focus if root.path == self._focused else None

        def search(query: Query) -> Results:
            """Return the hits of this folder, with their ranks among those of all."""
            place = replace(query.focus, root=self._focused) if query.focus else None
            answer: Results = self._search(replace(query, focus=place))
            hits = tuple(hit for hit in answer.hits if hit.node.root == root.path)
            return replace(answer, hits=hits)

        part = replace(self._roots.pack_in(root, request), focus=focus)
        return root.engine.pack(part, self._cancel, search)


def _unknown_pins(roots: Roots, request: PackRequest, drafts: Sequence[Pack]) -> Iterator[NoPath]:
    """Yield for each pinned path that no folder has that it names no file."""
    for pin in request.pinned:
        are_unknown = [
            note in draft.remarks
            for root, draft in zip(roots, drafts, strict=True)
            for note in unknown_pins(roots.pins_in(root, (pin,)))
        ]
        if all(are_unknown):
            yield from unknown_pins((pin,))


def _order(part: tuple[str, Pack]) -> tuple[bool, float]:
    """Return a key that puts the part with pins, then that with the best item first."""
    items = part[1].items
    is_pinned = any(item.reason.startswith("pinned") for item in items)
    return not is_pinned, -max((item.score for item in items), default=0.0)


def _shares(drafts: Sequence[Pack], available: int) -> list[int]:
    """Return the tokens of each folder: in proportion to those of the best items that fit."""
    items = [(item, n) for n, draft in enumerate(drafts) for item in draft.items]
    items.sort(key=lambda pair: (not pair[0].reason.startswith("pinned"), -pair[0].score))
    weights, spent = [0] * len(drafts), 0
    for item, n in items:
        if spent + item.tokens <= available:
            weights[n] += item.tokens
            spent += item.tokens
    return [max(0, available) * weight // max(1, spent) for weight in weights]


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
    # That a draft is empty says nothing where the joined text is not.
    of_drafts = OfText | NoPath | Empty if text else OfText | NoPath
    further = (n for draft in drafts for n in draft.remarks if not isinstance(n, of_drafts))
    return Pack(
        tokens=tokens,
        budget=request.budget,
        items=tuple(replace(item, root=root) for root, pack in packs for item in pack.items),
        omitted=tuple(omitted),
        text=text,
        remarks=(*request_notes(request, counter, tokens, text), *dict.fromkeys(further)),
        generation=sum(draft.generation for draft in drafts),
        reading=total_reading([draft.reading for draft in drafts]),
        # All were drafted from one answer.
        confidence=drafts[0].confidence,
        confidence_word=drafts[0].confidence_word,
        caveats=drafts[0].caveats,
        uses=tuple(line for _, pack in packs for line in pack.uses),
    )
