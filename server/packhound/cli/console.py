"""A console of rich for texts of the workspace; `cli/terminal.py` says why."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from packhound.redact import visible_text


class Terminal(Console):
    """A console whose texts have no controls but those of its own styles and bars."""

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        """Yield the segments of a renderable."""
        for segment in super().render(renderable, options):
            is_text = not segment.control
            yield Segment(visible_text(segment.text), segment.style) if is_text else segment
