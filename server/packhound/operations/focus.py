"""The place that the user looks at, which makes what is near it rank higher."""

from __future__ import annotations

from packhound import service
from packhound.core.errors import SettingsError
from packhound.operations.references import Place, places


def focus_of(
    roots: service.Roots, path: str, line: int, participle: str
) -> tuple[Place | None, tuple[str, ...]]:
    """Return the place of a focus, or a note why there is none.

    Raises SettingsError for a line beyond the end of its file.
    """
    if not path:
        return None, ()
    try:
        place = places(roots, path, line)[0]
    except SettingsError as problem:
        return None, (f"{participle} without focus: {problem}",)
    source = place.root.engine.source(place.path) if place.line else None
    n_lines = len(source.splitlines()) if source is not None else 0
    if place.line and source is not None and place.line >= max(1, n_lines):
        raise SettingsError(f"'focus_path' is '{path}'; the file has {n_lines:,} lines")
    return place, ()
