"""Filters that hold for all sources: `type:`, `since:`, `before:` and `tag:`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import inf

from packhound.core.records import ALL_CODE, Scope, read_date
from packhound.core.types import TYPES, Query

_OTHER_NAMES = {"reasoning": "skill"}
"""Names by which types are also known, such as that of procedures in stores of memories."""


def read_scope(query: Query, filters: Sequence[tuple[str, str]]) -> tuple[Scope, tuple[str, ...]]:
    """Return what a query's fields and the filters of its text ask for, and what is wrong there.

    A wrong value is left out. Of several dates the narrowest counts.
    """
    if not (filters or query.types or query.since or query.before or query.tags):
        return ALL_CODE, ()
    problems: list[str] = []
    types = _parse_types(_values(query.types, filters, "type"), problems)
    since = _parse_dates("since", _values((query.since,), filters, "since"), problems)
    before = _parse_dates("before", _values((query.before,), filters, "before"), problems)
    tags = dict.fromkeys(tag.lower() for tag in _values(query.tags, filters, "tag"))
    scope = Scope(types, max(since, default=-inf), min(before, default=inf), tuple(tags))
    return scope, tuple(problems)


def _values(fields: Iterable[str], filters: Iterable[tuple[str, str]], name: str) -> list[str]:
    """Return the values of a query's field and of the filters of a name, separated by commas."""
    joined = (*fields, *(value for key, value in filters if key == name))
    return [part.strip() for value in joined for part in value.split(",") if part.strip()]


def _parse_types(values: Iterable[str], problems: list[str]) -> tuple[str, ...]:
    lower = [value.lower() for value in values]
    names = dict.fromkeys(_OTHER_NAMES.get(name, name) for name in lower)
    problems += (
        f"invalid type '{name:.80}': expected one of: {', '.join(TYPES)}"
        for name in names
        if name not in TYPES
    )
    return tuple(name for name in names if name in TYPES)


def _parse_dates(name: str, values: Iterable[str], problems: list[str]) -> list[float]:
    dates = {value: read_date(value) for value in values}
    problems += (
        f"invalid {name} '{value:.80}': expected a day as YYYY-MM-DD, such as 2025-12-01, or"
        " how long ago, such as 5h, 3d, 2w or 1y"
        for value, date in dates.items()
        if date is None
    )
    return [date for date in dates.values() if date is not None]
