"""One search over code and the sources beside it that a query asks for."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from packhound import knowledge
from packhound.core.errors import ModelError, SettingsError
from packhound.core.records import (
    ALL,
    CODE,
    RECORD_TYPES,
    SOURCE_NAMES,
    SOURCE_OF,
    Record,
    Scope,
    SourceName,
)
from packhound.core.status import Rebuilt, SourceRow
from packhound.core.types import Hit, Note, Query, Results
from packhound.files import compile_globs
from packhound.memory import NotesSource
from packhound.search import STOPS, SearchRun, merge_stopped, parse_query, scope_of
from packhound.service.deep_records import DeepRescorer
from packhound.service.episodes import FolderEpisodes
from packhound.service.folder_search import is_deep
from packhound.service.indexed_folder import IndexedFolder
from packhound.service.notes import FolderNotes, NothingAmong, NothingOf, notes_folder
from packhound.service.pack_sources import switched_off
from packhound.service.workspace_texts import WorkspaceTexts
from packhound.sources import RecordQuery, SourceFactory, SourceRegistry, fuse, hits_of

CodeSearch = Callable[[Query], Results]
_OF_FILES: tuple[SourceName, ...] = ("knowledge", "skills", "episodes")
"""Sources whose records may stand in files outside of the folder."""
_PATHLESS: tuple[SourceName, ...] = ("notes",)
"""Sources of which no record has a path."""
_MAX_TEXT = 2_000
"""Characters of a query that are encoded."""


class FolderSources:
    """The sources of one folder. Any thread may call.

    Nothing is read or kept until a query asks for a source beside code.
    """

    def __init__(self, folder: IndexedFolder, notes: FolderNotes) -> None:
        self._root = str(folder.root)
        self._folder, self._notes = folder, notes
        self.episodes = FolderEpisodes(folder)
        texts = WorkspaceTexts(folder)
        factories: dict[SourceName, SourceFactory] = {
            "knowledge": lambda: knowledge.KnowledgeSource(texts),
            "skills": lambda: knowledge.SkillsSource(texts, self._skills_file),
            "notes": lambda: NotesSource(notes.notebook),
            "episodes": lambda: knowledge.EpisodesSource(self.episodes.log, texts, folder.root),
            "commits": lambda: knowledge.CommitsSource(folder.root, texts),
        }
        self.registry = SourceRegistry(factories, folder)

    def statuses(self, *, every: bool) -> tuple[SourceRow, ...]:
        """Return the figures of the open sources; of every one switched on, brought up to date."""
        if not every:
            return tuple(source.status() for source in self.registry.opened)
        sources = [self.registry.get(name) for name in self.registry.enabled]
        for source in filter(None, sources):
            source.refresh()
        return tuple(source.status() for source in sources if source)

    def rebuild(
        self, names: Sequence[str], *, regenerate: bool, remote: bool = False
    ) -> list[Rebuilt]:
        """Index sources anew, all that are on for no name. Raises SettingsError or StoreError.

        With `remote` what is in the team's store is sent, and read, anew before.
        """
        if remote and {*names} - {"notes"}:
            raise SettingsError("notes alone are in a team's store")
        if remote:
            self._notes.team.rebuild()
            names = ["notes"]
        for name in names:
            if name not in SOURCE_NAMES:
                expected = ", ".join((CODE, *SOURCE_NAMES))
                raise SettingsError(f"unknown source '{name:.80}'; expected one of: {expected}")
        rebuilt = []
        for name in [each for each in SOURCE_NAMES if each in (names or self.registry.enabled)]:
            source = self.registry.get(name)
            if source is None:
                raise SettingsError(switched_off(name))
            rebuilt.append(source.rebuild(regenerate=regenerate))
        return rebuilt

    def record(self, reference: str) -> Record | None:
        """Return the record that a reference names, `TYPE:ID` or a line of a file outside.

        None where it names none. Raises SettingsError where its source is off.
        """
        named = [SOURCE_OF[kind] for kind in RECORD_TYPES if kind == reference.partition(":")[0]]
        of_files = _OF_FILES if Path(reference).is_absolute() else ()
        for name in (*named, *of_files):
            source = self.registry.get(name)
            if source is None and name in named:
                raise SettingsError(switched_off(name))
            record = source.record(reference) if source else None
            if record is not None:
                return record
        return None

    @property
    def _skills_file(self) -> Path:
        return notes_folder(Path(self._root)) / knowledge.SKILLS_FILE

    def record_skill(self, values: Mapping[str, object]) -> dict[str, object]:
        """Write a skill, or one more use of it. Raises SettingsError or StoreError."""
        if not self._folder.settings.sources.skills:
            raise SettingsError(switched_off("skills"))
        return knowledge.record_skill(self._skills_file, values)

    def search(self, query: Query, search_code: CodeSearch) -> Results:
        """Answer with code alone, or with the sources that the query asks for."""
        scope, problems = scope_of(query)
        sources, problems = self._sources_of(scope, problems)
        if not sources:
            results = search_code(query)
            return self._notes.mark(results) if self._folder.settings.sources.notes else results
        started, n_sources = time.perf_counter(), len(sources) + scope.has_code
        budget = query.budget
        of_code = replace(query, budget=budget.share(CODE, n_sources))
        code = search_code(of_code) if scope.has_code else None
        notes = [*(code.remarks if code else ()), *problems]
        records = self._record_query(query, scope, notes)
        if names := _filters_of_code(query, scope):
            notes.append(f"{' '.join(names)} is of code: without {', '.join(sources)}")
            sources = ()
        elif records.paths and (pathless := [*filter(_PATHLESS.__contains__, sources)]):
            notes.append(f"path: leaves out what has no path: {', '.join(pathless)}")
        answers, n_candidates = [code.hits] if code else [], code.candidates if code else 0
        truncated = code is not None and code.truncated
        late: Sequence[str] = ()
        for position, name in enumerate(sources):
            if _elapsed_ms(started) > budget.time_ms:
                late, truncated = sources[position:], True
                break
            shared = replace(query, budget=budget.share(name, n_sources))
            hits, n = self._search_source(name, records, shared, notes)
            answers, n_candidates = [*answers, hits], n_candidates + n
        notes += () if any(answers) else self._nothing_notes(scope)
        return Results(
            query=query.text,
            hits=answers[0] if len(answers) == 1 else fuse(answers, query.limit),
            truncated=truncated,
            generation=self._folder.snapshot.generation if code is None else code.generation,
            took_ms=_elapsed_ms(started),
            candidates=n_candidates,
            remarks=merge_stopped([*dict.fromkeys(notes)], budget.time_ms, late),
            confidence=code.confidence if code else None,
            confidence_word=code.confidence_word if code else None,
            facets=code.facets if code else (),
        )

    def _sources_of(
        self, scope: Scope, problems: Sequence[str]
    ) -> tuple[tuple[SourceName, ...], tuple[str, ...]]:
        """Return the sources beside code to ask, and `problems` with what `type:all` leaves out."""
        if ALL not in scope.types:
            return scope.sources, tuple(problems)
        settings = self._folder.settings.sources
        off = [name for name in scope.sources if not settings.has(name)]
        note = f"type:{ALL} leaves out what is switched off: {', '.join(off)}"
        asked = tuple(name for name in scope.sources if name not in off)
        return asked, (*problems, *([note] if off else []))

    def _search_source(
        self, name: SourceName, records: RecordQuery, query: Query, notes: list[Note]
    ) -> tuple[tuple[Hit, ...], int]:
        """Return the hits of a source and its candidates; what is missing is added to `notes`."""
        source = self.registry.get(name)
        if source is None:
            notes.append(switched_off(name))
            return (), 0
        run = SearchRun(query, None)
        rescore = self._rescorer(records, query, run)
        limit = min(query.limit, query.budget.candidates)
        scored, n_candidates, problems = source.search(records, limit, rescore)
        notes += [*problems, *run.results((), 0, 0).remarks]
        return hits_of(scored, self._root, records.text), n_candidates

    def _nothing_notes(self, scope: Scope) -> Iterator[NothingOf]:
        """Yield what there is where no source has a hit, and what to change."""
        types = ",".join(scope.types)
        opened = [source for source in self.registry.opened if source.source.name in scope.sources]
        n = sum(source.status().records for source in opened)
        if n:
            yield NothingAmong(types, (f"{n:,} record{'s' * (n != 1)}",))
        elif opened:
            yield NothingOf(types)

    def _rescorer(self, records: RecordQuery, query: Query, run: SearchRun) -> DeepRescorer | None:
        """Return the deep model's part if the query has words for it and asks for it."""
        settings, ranker = self._folder.settings, self._folder.models.deep
        if ranker is None or records.vector is None or not is_deep(query, settings):
            return None
        return DeepRescorer(ranker, records.text, run, self._folder.vectors)

    def _record_query(self, query: Query, scope: Scope, notes: list[Note]) -> RecordQuery:
        mode = "hybrid" if query.mode == "symbol" else query.mode
        parsed = parse_query(replace(query, mode=mode))
        words = [word for word in parsed.text.split() if word.lower() not in STOPS]
        text = " ".join(words) or parsed.text
        vector, encoder = None, self._folder.models.embedder
        if encoder is not None and text and mode != "lexical":
            try:
                vector = encoder.encode_query(text[:_MAX_TEXT])
            except ModelError as problem:
                notes.append(f"ranked by words alone: {problem}")
            if vector is not None and not np.any(vector):
                vector = None
        is_dense = mode == "dense" and vector is not None
        weights = dict(zip(parsed.terms, parsed.weights, strict=True))
        weights = {term: w for term, w in weights.items() if term not in STOPS} or weights
        weights = {} if is_dense else weights
        values = [*weights.values()]
        patterns = _pattern(parsed.globs), _pattern(parsed.excluded_globs)
        return RecordQuery([*weights], values, vector, scope, time.time(), parsed.text, *patterns)


def _pattern(globs: tuple[str, ...]) -> re.Pattern[str] | None:
    return compile_globs(globs) if globs else None


def _filters_of_code(query: Query, scope: Scope) -> list[str]:
    """Return the filters of a query that no record passes; kinds among the types are no filter."""
    parsed = parse_query(query)
    is_given = {
        "lang:": parsed.languages,
        "kind:": {*parsed.kinds} - {*scope.types},
        "tests:only": parsed.tests == "only",
    }
    return [name for name in is_given if is_given[name]]


def _elapsed_ms(started: float) -> float:
    return (time.perf_counter() - started) * 1_000
