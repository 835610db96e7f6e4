"""Ages in words."""

from __future__ import annotations

_UNITS = (
    ("year", 365 * 86_400),
    ("month", 30 * 86_400),
    ("week", 7 * 86_400),
    ("day", 86_400),
    ("hour", 3_600),
    ("minute", 60),
)


def ago(seconds: float) -> str:
    """Return an age such as `3 days ago`."""
    for unit, size in _UNITS:
        if seconds >= size:
            count = int(seconds // size)
            return f"{count} {unit}{'s' if count > 1 else ''} ago"
    return "just now"
