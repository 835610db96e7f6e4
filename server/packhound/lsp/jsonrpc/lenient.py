"""A converter that no client can stumble over by being newer than the protocol's Python types."""

from __future__ import annotations

import enum
from typing import Any

import cattrs
from lsprotocol import types
from pygls.protocol import JsonRPCResponseMessage, default_converter


def lenient_converter() -> cattrs.Converter:
    """pygls' converter; unknown values of enumerations and plain objects stay what they are."""
    converter: cattrs.Converter = default_converter()  # type: ignore[no-untyped-call]
    for kind in vars(types).values():
        if isinstance(kind, type) and issubclass(kind, enum.Enum):
            converter.register_structure_hook(kind, _known_or_raw)
            converter.register_unstructure_hook(kind, _value_or_raw)
    converter.register_structure_hook(JsonRPCResponseMessage, _response)
    return converter


def _known_or_raw(value: object, kind: type[enum.Enum]) -> object:
    try:
        return kind(value)
    except ValueError:
        return value


def _value_or_raw(value: object) -> object:
    return value.value if isinstance(value, enum.Enum) else value


def _response(message: dict[str, Any], _: type) -> JsonRPCResponseMessage:
    return JsonRPCResponseMessage(message["id"], message["jsonrpc"], message.get("result"))
