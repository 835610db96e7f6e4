"""Packs and their requests as JSON objects, the same for every client."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from packhound.api.json_codec import Json
from packhound.api.schema import PACK_REQUEST
from packhound.pack import Omitted, Pack, PackItem, PackRequest


def pack_json(pack: Pack) -> Json:
    """Return a context pack; `text` is what to send."""
    return {
        "tokens": pack.tokens,
        "budget": pack.budget,
        "items": [
            {
                "path": item.path,
                "start_line": item.start_line + 1,
                "end_line": item.end_line + 1,
                "detail": item.detail,
                "tokens": item.tokens,
                "score": item.score,
                "reason": item.reason,
                **_root(item.root),
            }
            for item in pack.items
        ],
        "omitted": [
            {"path": node.path, "name": node.name, "reason": node.reason, **_root(node.root)}
            for node in pack.omitted
        ],
        "text": pack.text,
        "notes": list(pack.notes),
    }


def _root(root: str) -> Json:
    return {"root": root} if root else {}


def pack_of(answer: Mapping[str, Any]) -> Pack:
    """Return a pack read back from its object."""
    items = (PackItem(**row) for row in answer["items"])
    return Pack(
        tokens=answer["tokens"],
        budget=answer["budget"],
        items=tuple(
            replace(item, start_line=item.start_line - 1, end_line=item.end_line - 1)
            for item in items
        ),
        omitted=tuple(Omitted(**row) for row in answer["omitted"]),
        text=answer["text"],
        notes=tuple(answer["notes"]),
    )


def pack_request_json(request: PackRequest) -> Json:
    """Return a pack request as `pack_request_from` reads it; the focus does not cross processes."""
    return {name: getattr(request, name) for name in PACK_REQUEST}
