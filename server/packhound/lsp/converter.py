"""A converter that accepts clients newer than lsprotocol's types."""

from __future__ import annotations

import enum

import cattrs
from lsprotocol import types
from pygls.protocol import default_converter


def lenient_converter() -> cattrs.Converter:
    """Return pygls' converter; unknown enumeration values are kept."""
    converter: cattrs.Converter = default_converter()  # type: ignore[no-untyped-call]
    for kind in vars(types).values():
        if isinstance(kind, type) and issubclass(kind, enum.Enum):
            converter.register_structure_hook(kind, _structure_enum)
            converter.register_unstructure_hook(kind, _unstructure_enum)
    return converter


def _structure_enum(value: object, kind: type[enum.Enum]) -> object:
    try:
        return kind(value)
    except ValueError:
        return value


def _unstructure_enum(value: object) -> object:
    return value.value if isinstance(value, enum.Enum) else value
