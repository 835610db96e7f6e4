"""Published forms of credentials: prefixes of tokens, and names of their services."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

_TABLE = Path(__file__).with_suffix(".txt")


class Prefixed(NamedTuple):
    """A kind of token, the text that it begins with, and which characters follow at least."""

    kind: str
    prefix: str
    min_length: int
    tail: str


def _read_table() -> Iterator[Prefixed]:
    for line in _TABLE.read_text("ascii").splitlines():
        if line and not line.startswith("#"):
            kind, min_length, tail, *prefixes = line.split()
            for prefix in prefixes:
                yield Prefixed(kind, prefix, int(min_length), tail)


PREFIXED = tuple(_read_table())
SERVICES = tuple(_TABLE.with_name("service_names.txt").read_text("ascii").split())
"""A random-looking value assigned to a name with one of these is that service's secret."""


def service_kind(name: str) -> str:
    """Return the kind of a key of a service."""
    return f"{name.replace('_', '-')}-secret"
