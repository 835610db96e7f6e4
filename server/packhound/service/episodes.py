"""The episodes of one folder: recorded where the setting is on, and named in later packs."""

from __future__ import annotations

import logging
import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from packhound.core.errors import PackhoundError
from packhound.core.records import iso_date
from packhound.core.settings import Settings
from packhound.core.types import Hit, Query, Results
from packhound.knowledge import EPISODES_FILE, Episode, EpisodeLog, new_episode
from packhound.redact import safe_line
from packhound.service.notes import notes_folder

if TYPE_CHECKING:
    from packhound.pack import Pack, PackRequest

log = logging.getLogger("packhound")

ACCEPTED = "accepted"
_OPEN_PACKS = 20
"""Packs of this process that are accepted once code of theirs is edited or picked."""
_LIKE = 0.5
"""Least score of an earlier pack that a pack names."""
_PROMPT_CHARACTERS, _MOST_HITS = 100, 5


class FolderEpisodes:
    """Episodes of one folder. Any thread may call; nothing is recorded where they are off."""

    def __init__(self, root: Path, settings_of: Callable[[], Settings]) -> None:
        self.log = EpisodeLog(notes_folder(root) / EPISODES_FILE)
        self._settings_of = settings_of
        self._lock = threading.Lock()
        self._open: OrderedDict[str, tuple[Episode, frozenset[str]]] = OrderedDict()

    def searched(self, results: Results) -> Results:
        """Record what a person or an agent asked for, and return the answer."""
        if self._settings_of().episodes and not any(map(_is_episode, results.hits)):
            references = map(_reference, results.hits[:_MOST_HITS])
            self._append(new_episode("query", results.query, references))
        return results

    def picked(self, query: str, path: str, name: str, rank: int) -> None:
        """A person opened a hit of a query."""
        if self._settings_of().episodes:
            self._append(new_episode("pick", query, [f"{path}#{name}"], f"picked rank {rank}"))
            self.edited(path)

    def packed(self, request: PackRequest, pack: Pack, search: Callable[[Query], Results]) -> Pack:
        """Record a pack, and return it with a note on the last one for a like prompt."""
        settings = self._settings_of()
        if not settings.episodes:
            return pack
        if "episodes" in settings.pack_sources:
            pack = replace(pack, notes=(*pack.notes, *_earlier(request.prompt, search)))
        references = (f"{item.path}:{item.start_line + 1}" for item in pack.items)
        episode = new_episode("pack", request.prompt, references, conversation=request.conversation)
        self._append(episode)
        with self._lock:
            self._open[episode.id] = episode, frozenset(item.path for item in pack.items)
            if len(self._open) > _OPEN_PACKS:
                self._open.popitem(last=False)
        return pack

    def edited(self, path: str) -> None:
        """Code of a file was edited or opened: the packs that showed it were of use."""
        if not self._open:
            return
        with self._lock:
            used = [e for e, paths in self._open.values() if path in paths]
            for episode in used:
                del self._open[episode.id]
        for episode in used:
            self._append(episode._replace(result=ACCEPTED))

    def _append(self, episode: Episode) -> None:
        try:
            self.log.append(episode)
        except PackhoundError as problem:
            log.warning("%s", problem)


def _is_episode(hit: Hit) -> bool:
    return hit.record is not None and hit.record.type == "episode"


def _reference(hit: Hit) -> str:
    return hit.record.reference if hit.record else f"{hit.node.path}#{hit.node.qualname}"


def _earlier(prompt: str, search: Callable[[Query], Results]) -> list[str]:
    """Return a note on the best earlier pack for a like prompt."""
    for hit in search(Query(prompt, types=("episode",))).hits:
        record = hit.record
        if record and record.metadata.get("kind") == "pack" and hit.score >= _LIKE:
            result = str(record.metadata.get("result") or "")
            packed_prompt = record.title.removeprefix("pack: ")[:_PROMPT_CHARACTERS]
            when = f"on {iso_date(record.date)}{', ' if result else ''}{result}"
            return [safe_line(f"packed before for '{packed_prompt}' {when}")]
    return []
