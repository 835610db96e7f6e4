"""The episodes of one folder: recorded where the setting is on, and named in later packs."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from packhound import knowledge
from packhound.core.errors import PackhoundError, SettingsError
from packhound.core.log import log
from packhound.core.types import Hit, Results
from packhound.memory import Note
from packhound.redact import without_secrets
from packhound.service.indexed_folder import IndexedFolder
from packhound.service.notes import notes_folder
from packhound.service.pack_sources import switched_off

if TYPE_CHECKING:
    from packhound.pack import Pack, PackRequest

_OPEN_ANSWERS = 20
"""Answers of this process that are accepted once code of theirs is edited."""
_USEFUL_S = 3_600.0
"""Seconds after an answer in which an edit counts as its effect."""
_DWELL_S = 30.0
"""Who opens another hit of a query within so many seconds did not want the one before.

Fox, Karnawat et al. (2005), "Evaluating implicit measures to improve web search", use 30 s too.
"""
_MAX_HITS = 5


@dataclass(slots=True)
class _Answer:
    """An episode that code was asked for by, the paths not edited since, and when it was made."""

    episode: knowledge.Episode
    paths: set[str]
    made_at: float


class FolderEpisodes:
    """Episodes of one folder. Any thread may call; nothing is recorded where they are off."""

    def __init__(self, folder: IndexedFolder) -> None:
        self.log = knowledge.EpisodeLog(notes_folder(folder.root) / knowledge.EPISODES_FILE)
        self._folder = folder
        self._lock = threading.Lock()
        self._open: OrderedDict[str, _Answer] = OrderedDict()
        self._edited: dict[str, knowledge.Episode] = {}
        self._picked: tuple[knowledge.Episode, float] | None = None

    def record_search(self, results: Results) -> Results:
        """Record what a person or an agent asked for, and return the answer."""
        is_of_episodes = any(hit.source == "episodes" for hit in results.hits)
        if self._folder.settings.sources.episodes and not is_of_episodes:
            hits = results.hits[:_MAX_HITS]
            episode = knowledge.new_episode("query", results.query, map(_reference, hits))
            self._append(episode)
            self._follow(episode, {hit.node.path for hit in hits if not hit.record})
        return results

    def record_pick(self, query: str, path: str, name: str, rank: int) -> None:
        """Record that a person opened a hit of a query; one left for another is rejected."""
        if not self._folder.settings.sources.episodes:
            return
        episode = knowledge.new_episode("pick", query, [f"{path}#{name}"], f"picked rank {rank}")
        now = time.monotonic()
        with self._lock:
            before, self._picked = self._picked, (episode, now)
        if before is not None and now - before[1] < _DWELL_S:
            earlier = before[0]
            if earlier.text == episode.text and earlier.references != episode.references:
                self._append(replace(earlier, result=knowledge.REJECTED))
        self._append(episode)
        self._accept(path)
        self._follow(episode, {path})

    def record_run(self, text: str, path: str, name: str) -> None:
        """Record that a person ran a test of an answer to `text`; how it ended is unknown."""
        if self._folder.settings.sources.episodes:
            self._append(knowledge.new_episode("run", text, [f"{path}#{name}"]))

    def record_decision(self, note: Note) -> None:
        """Record a decision that was written down."""
        if self._folder.settings.sources.episodes:
            references = (anchor.reference for anchor in note.anchors)
            self._append(knowledge.new_episode("decision", f"{note.name}: {note.text}", references))

    def record_pack(self, request: PackRequest, pack: Pack) -> None:
        """Record a pack."""
        if not self._folder.settings.sources.episodes:
            return
        references = (f"{item.path}:{item.start_line + 1}" for item in pack.items)
        episode = knowledge.new_episode(
            "pack", request.prompt, references, conversation=request.conversation
        )
        self._append(episode)
        self._follow(episode, {item.path for item in pack.items})

    def record_edit(self, path: str) -> None:
        """Accept the answers that named a file whose code was edited."""
        if not self._open:
            return
        answers = self._accept(path)
        with self._lock:
            if answers:
                self._edited[path] = answers[-1]
            if self._picked and path in {r.partition("#")[0] for r in self._picked[0].references}:
                self._picked = None

    def record_save(self, path: str) -> None:
        """Record the edits of a file that an answer had named, once they are saved."""
        with self._lock:
            answer = self._edited.pop(path, None)
        if answer is not None:
            conversation = answer.conversation
            self._append(
                knowledge.new_episode("edit", answer.text, [path], knowledge.ACCEPTED, conversation)
            )

    def record(
        self,
        kind: knowledge.EpisodeKind,
        text: str,
        references: Sequence[str],
        result: str,
        talk: str,
    ) -> knowledge.Episode:
        """Write an episode of the conversation `talk`, or what became of the last equal one.

        Raises SettingsError where episodes are off, or StoreError.
        """
        if not self._folder.settings.sources.episodes:
            raise SettingsError(switched_off("episodes"))
        episode = knowledge.new_episode(kind, text, references, result, talk)
        key = (kind, without_secrets(episode.text)) if result else None
        before = next((e for e in self.log.read() if (e.kind, e.text) == key), None)
        if before is not None:
            episode = replace(before, result=result)
            with self._lock:
                self._open.pop(episode.id, None)
        self.log.append(episode)
        return episode

    def _follow(self, episode: knowledge.Episode, paths: set[str]) -> None:
        """Wait for edits of what an answer named."""
        if not paths:
            return
        with self._lock:
            self._open[episode.id] = _Answer(episode, paths, time.monotonic())
            if len(self._open) > _OPEN_ANSWERS:
                self._open.popitem(last=False)

    def _accept(self, path: str) -> list[knowledge.Episode]:
        """Write that recent answers that named a file are accepted; return their episodes."""
        now, accepted, answers = time.monotonic(), [], []
        with self._lock:
            for key, answer in [*self._open.items()]:
                if now - answer.made_at > _USEFUL_S:
                    del self._open[key]
                elif path in answer.paths:
                    answer.paths.discard(path)
                    if not answer.paths:
                        del self._open[key]
                    answers.append(answer.episode)
                    if not answer.episode.result:
                        answer.episode = replace(answer.episode, result=knowledge.ACCEPTED)
                        accepted.append(answer.episode)
        for episode in accepted:
            self._append(episode)
        return answers

    def _append(self, episode: knowledge.Episode) -> None:
        try:
            self.log.append(episode)
        except PackhoundError as problem:
            log.warning("%s", problem)


def _reference(hit: Hit) -> str:
    return hit.record.reference if hit.record else f"{hit.node.path}#{hit.node.qualname}"
