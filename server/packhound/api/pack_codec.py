"""Packs and their requests as JSON objects, the same for every client."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from packhound.api.json_codec import Json, focus_json, signal_json
from packhound.api.schema import PACK_REQUEST
from packhound.core.types import Signal
from packhound.pack import Omitted, Origin, Pack, PackItem, PackRequest, price


def pack_json(pack: Pack, model: str = "", *, contributions: bool = False) -> Json:
    """Return a context pack; `text` is what to send.

    `cost` is that of reading it with a model of the table of prices. With `contributions` origins
    have all signals of the search.
    """
    usd = price(model, pack.tokens)
    return {
        "tokens": pack.tokens,
        "budget": pack.budget,
        "items": [pack_item_json(item, contributions=contributions) for item in pack.items],
        "omitted": [
            {"path": node.path, "name": node.name, "reason": node.reason, **_root(node.root)}
            for node in pack.omitted
        ],
        "text": pack.text,
        "notes": list(pack.notes),
        "cost": None if usd is None else {"model": model, "usd": usd},
    }


def pack_item_json(item: PackItem, *, contributions: bool = True) -> Json:
    """Return an item of a pack with what brought it there."""
    return {
        "path": item.path,
        "start_line": item.start_line + 1,
        "end_line": item.end_line + 1,
        "detail": item.detail,
        "tokens": item.tokens,
        "score": item.score,
        "reason": item.reason,
        **_root(item.root),
        "origins": [_origin_json(origin, contributions) for origin in item.origins],
    }


def _origin_json(origin: Origin, contributions: bool) -> Json:
    """Return an origin; rank, words and meaning where it is a search, a path in the graph."""
    fields: Json = {"source": origin.source, "utility": origin.utility, "reason": origin.reason}
    if origin.rank:
        fields |= {"rank": origin.rank, "words": origin.words, "meaning": origin.meaning}
    if origin.path:
        fields["path"] = list(origin.path)
    if contributions and origin.why:
        fields["why"] = [signal_json(signal) for signal in origin.why]
    return fields


def _origin_of(row: Mapping[str, Any]) -> Origin:
    why = (Signal(s["signal"], s["value"], s["weight"]) for s in row.get("why", ()))
    return Origin(**{**row, "path": tuple(row.get("path", ())), "why": tuple(why)})


def _root(root: str) -> Json:
    return {"root": root} if root else {}


def pack_of(answer: Mapping[str, Any]) -> Pack:
    """Return a pack read back from its object."""
    items: Iterator[Any] = (PackItem(**row) for row in answer["items"])
    return Pack(
        tokens=answer["tokens"],
        budget=answer["budget"],
        items=tuple(
            replace(
                item,
                start_line=item.start_line - 1,
                end_line=item.end_line - 1,
                origins=tuple(_origin_of(row) for row in item.origins),
            )
            for item in items
        ),
        omitted=tuple(Omitted(**row) for row in answer["omitted"]),
        text=answer["text"],
        notes=tuple(answer["notes"]),
    )


def pack_request_json(request: PackRequest) -> Json:
    """Return a pack request as `pack_request_from` reads it."""
    fields = {name: getattr(request, name) for name in PACK_REQUEST}
    return {**fields, **focus_json(request.focus)}
