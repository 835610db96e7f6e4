"""A folder's index as if a patch were applied: a fork of its snapshot, in memory alone.

It shares the segments, vectors and files of the snapshot, and has what it adds for itself: nothing
of it reaches the folder, its index, its store or a habit. It is forked again when the folder's
index has changed.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping
from functools import partial
from pathlib import Path

from packhound import git, impact
from packhound.core.errors import SettingsError
from packhound.core.settings_reader import changed
from packhound.core.status import LeftOut
from packhound.core.trace import traced
from packhound.core.types import Document, NodeRef, Query
from packhound.files import WalkLimits
from packhound.grep import Grep
from packhound.index import Snapshot
from packhound.indexing import WorkQueue
from packhound.search import SearchCache
from packhound.service.forked_index import documents_of, edit_pool, fork_with
from packhound.service.indexed_folder import Current, IndexedFolder
from packhound.service.open_index import OpenedIndex
from packhound.service.overlays import text_digest
from packhound.service.peers import Peers
from packhound.service.redacted_texts import RedactedTexts
from packhound.service.seen_texts import read_seen

_OWN = {
    "ranking.activity": False,
    "sources.episodes.enabled": False,
    "index.persist": False,
}
"""Settings that keep habits and the disk out of it."""


class ProposedFolder(IndexedFolder):
    """The index of another `IndexedFolder` with a patch applied. Any thread may call."""

    def __init__(self, base: IndexedFolder, patch: bytes, peers: Peers) -> None:
        """Raises SettingsError: the patch is broken, or does not apply."""
        self.root, self.peers, self.models = base.root, peers, base.models
        self.settings = changed(base.settings, _OWN)
        self.closed, self.deep_progress, self.read_nodes = False, None, None
        self.base, self._patch = base, patch
        self.replacing, self.extractors = base.replacing, base.extractors
        self._forking = threading.Lock()
        self._forked: Snapshot | None = None
        self.clean_texts = base.clean_texts
        self.grep = Grep(str(self.root), self.source)
        self.grep.filters = base.grep.filters
        redacted = RedactedTexts(self.source, self.clean_texts)
        self.redacted_grep = Grep(str(self.root), redacted, redacted.prefilter)
        self.redacted_grep.filters = base.redacted_grep.filters
        self.patched: Mapping[str, git.PatchedFile] = {}
        """The files of the patch, by path."""
        self._documents: dict[str, Document] = {}
        self._pool = edit_pool(base)
        self.follow()

    def follow(self) -> None:
        """Fork again if the folder has changed. Raises SettingsError: the patch does not apply."""
        self._follow_base(self.base.current(Query("")).snapshot)

    def current(self, query: Query, cancel: threading.Event | None = None) -> Current:
        """Fork again if the folder has changed; wait as the folder does.

        Raises SettingsError: the patch does not apply any more.
        """
        current = self.base.current(query, cancel)
        self._follow_base(current.snapshot)
        return current._replace(snapshot=self.snapshot)

    @property
    def queue(self) -> WorkQueue:
        """The work queue of the folder: what is read there is read here."""
        return self.base.queue

    @property
    def limits(self) -> WalkLimits:
        """The limits of the folder."""
        return self.base.limits

    @property
    def left_out(self) -> LeftOut:
        """Files that are not indexed, as in the folder."""
        return self.base.left_out

    def open_document(self, path: str) -> Document | None:
        """Return the text of the patch, else what an editor has open; None where a file goes."""
        if path in self.patched:
            return self._documents.get(path)
        return self.base.open_document(path)

    @property
    def base_snapshot(self) -> Snapshot:
        """The snapshot of the folder that this one was forked from."""
        assert self._forked is not None
        return self._forked

    def base_digests(self) -> dict[str, str]:
        """Return a digest of each text that the patch changes as it is now, "" for none."""
        return {path: text_digest(file.before) for path, file in self.patched.items()}

    def removed(self) -> list[NodeRef]:
        """Return the definitions of the folder that the patch removes."""
        return impact.find_removed(self.base_snapshot, self.snapshot, str(self.root), self.patched)

    def changes(self) -> git.Changes:
        """Return the changed lines, those of the patch among them."""
        return _ProposedChanges(self)

    def adds(self, path: str, first: int, last: int) -> bool:
        """Return True if some 0-based lines of a file are there by the patch alone."""
        file = self.patched.get(path)
        return file is not None and file.adds_to(first, last)

    def close(self) -> None:
        """Forget the fork."""
        self.closed = True
        self._pool.close()

    def _follow_base(self, snapshot: Snapshot) -> None:
        with self._forking:
            if snapshot is not self._forked:
                self._fork(snapshot)

    @traced("apply the patch")
    def _fork(self, snapshot: Snapshot) -> None:
        files = git.apply_patch(self._patch, partial(read_seen, self.base))
        for file in files.values():
            if file.before is None and Path(self.root, file.path).is_dir():
                raise SettingsError(f"the patch does not apply to {file.path!r}: a folder")
        documents = documents_of(self.base, [(path, f.after) for path, f in files.items()])
        index = fork_with(self.base, snapshot, files, documents, self._pool)
        while index.embed_some():
            pass
        index.publish()
        self.patched, self._documents = files, documents
        self.search_cache = SearchCache(self.settings.words.k1, self.settings.words.b)
        self._opened, self._forked = OpenedIndex(index), snapshot


class _ProposedChanges(git.Changes):
    """The lines that differ from a commit, with those of the patch."""

    def __init__(self, folder: ProposedFolder) -> None:
        super().__init__(folder.root, folder.base.open_document)
        self._folder = folder

    def lines(self, path: str) -> tuple[git.Lines, ...]:
        """Return the lines of a file that are not in the last commit."""
        return self._moved(path, super().lines(self._old_path(path)))

    def since(self, base: str, open_paths: Iterable[str]) -> git.Since:
        """Return all that differs from a commit; waits for git. Raises SettingsError."""
        files, since = self._folder.patched, super().since(base, open_paths)
        renamed, committed = dict(since.renamed), dict(since.committed)
        for path, old_path in git.renamed_in(files).items():
            renamed[path] = renamed.pop(old_path, old_path)
            if old_path in committed:
                committed[path] = committed[old_path]
        for path, file in files.items():
            if file.before is None:
                committed.setdefault(path, None)
        moved = {
            path: self._moved(path, since.lines.get(self._old_path(path), ()))
            for path in {**since.lines, **files}
        }
        # In the order of git: what it knows by path, then what is new.
        order = sorted(moved, key=lambda path: (moved[path] == (git.WHOLE,), path))
        listed = renamed.keys() | (since.lines.keys() - files.keys())
        lines = {path: moved[path] for path in order if moved[path] or path in listed}
        return since._replace(lines=lines, renamed=renamed, committed=committed)

    def _moved(self, path: str, lines: tuple[git.Lines, ...]) -> tuple[git.Lines, ...]:
        """Return changed lines of the old path of a file where the patch has them."""
        file = self._folder.patched.get(path)
        if file is None:
            return lines
        if file.after is None:
            return (git.GONE,)
        is_moved = file.old_path == path or path in git.renamed_in(self._folder.patched)
        return (
            git.move_lines(lines, file.edits)
            if file.before is not None and is_moved
            else (git.WHOLE,)
        )

    def _old_path(self, path: str) -> str:
        file = self._folder.patched.get(path)
        return file.old_path if file else path
