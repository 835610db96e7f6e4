"""The engines of one process, as each of them sees the others."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from packhound.service.remotes import Remotes

if TYPE_CHECKING:
    from packhound.service.engine import Engine


@dataclass(slots=True)
class Peers:
    """All engines of a process, which share what is equal and yield to whoever is asked.

    The pool replaces `engines` when one is opened or closed; any thread may read it.
    """

    engines: tuple[Engine, ...] = ()
    remotes: Remotes = field(default_factory=Remotes)
