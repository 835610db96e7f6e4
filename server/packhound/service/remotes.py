"""Repositories of the team's store on this machine, for all folders of a process.

Their trees lie in the cache, whole and read-only, by store and branch; each has an engine while it
is asked. Those of the setting `team.remotes` are pulled behind, and no answer waits for them.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from uuid import UUID

from packhound import team
from packhound.core.backoff import RetryBackoff
from packhound.core.errors import PackhoundError, SettingsError, StoreError
from packhound.core.private_file import make_private_folder
from packhound.core.settings import Settings
from packhound.core.settings_reader import changed
from packhound.core.types import Query
from packhound.redact import visible_line
from packhound.search import parse_query
from packhound.service.remote_trees import (
    Origin,
    delete_parts,
    folder_of,
    matching_branches,
    trees_of,
)
from packhound.service.roots import clear_index

if TYPE_CHECKING:
    from packhound.service.engine import Engine
    from packhound.service.peers import Peers

log = logging.getLogger("packhound")

MAX_OPEN = 3
"""Engines that nobody has named in the settings; the one asked least lately is closed."""
READ_ONLY = {
    "ranking.activity": False,
    "sources.episodes.enabled": False,
    "search.sources": [],
}
"""Settings of engines that nobody works in."""
_CANDIDATES = 200
"""Files that are fetched for a question: of 1,583, leaving out all others changed no NDCG@10."""
_BRANCH_S = 5.0
"""Time in which a branch is not looked up again for `repo:NAME`."""
_LOOK_S, _FIRST_RETRY_S, _LAST_RETRY_S = 60.0, 5.0, 300.0
_COMMIT_DIGITS = 12
_NO_STORE = "team.remotes names repositories of a store, and your 'team.store' names none"


class Other(NamedTuple):
    """A folder outside the workspace: its label in answers, and a note on what it is."""

    engine: Engine
    label: str
    note: str
    origin: Origin | None = None
    is_whole: bool = True
    """Unless the repository is too large to pull: then it has files that questions led to."""


class Remotes:
    """The trees of a store and their engines. Any thread may call."""

    def __init__(self) -> None:
        # `_lock` is held for moments, `_open_lock` while an engine is opened.
        self._lock, self._open_lock = threading.Lock(), threading.Lock()
        self._look_lock, self._write_lock = threading.Lock(), threading.Lock()
        self._fetch_lock = threading.Lock()
        self._followers: set[object] = set()
        # Replaced as a whole, the one asked last at the end: `at` waits for no reading of a tree.
        self._opened: dict[Path, Other] = {}
        self._branches: dict[tuple[str, str], tuple[float, team.Branch]] = {}
        self._chosen: tuple[Path, ...] = ()
        self._lacking: dict[str, str] = {}
        self._problem = ""
        self._looked_for: object = None
        self._looked_at = 0.0
        self._fetching: set[Path] = set()
        self._fetched: dict[Path, tuple[str, str]] = {}
        self._has_chosen = threading.Event()
        self._backoff = RetryBackoff(_FIRST_RETRY_S, _LAST_RETRY_S)
        self._looking: threading.Thread | None = None

    def follow(self, follower: object) -> None:
        """Have engines open until each follower has left."""
        with self._lock:
            self._followers.add(follower)

    def leave(self, follower: object) -> None:
        """Close the engines if nobody follows any more; trees and indexes stay in the cache."""
        with self._lock:
            self._followers.discard(follower)
        self._close_unfollowed()

    def _close_unfollowed(self) -> None:
        with self._lock:
            if self._followers:
                return
            opened, self._opened = self._opened, {}
            self._chosen, self._looked_for = (), None
        for root in opened.values():
            root.engine.close()

    def at(self, folder: str) -> Other | None:
        """Return the tree at a path, as rows of answers name it, if it is open."""
        root = next((o for o in self._opened.values() if str(o.engine.root) == folder), None)
        if root:
            team.touch_tree(root.engine.root)
        return root

    @property
    def named_engines(self) -> list[Engine]:
        """Engines of repositories that a request has named, and the settings have not."""
        opened = self._opened.items()
        return [root.engine for folder, root in opened if folder not in self._chosen]

    def open(self, name: str, settings: Settings, peers: Peers) -> Other:
        """Return what `repo:NAME` stands for, pulled if need be; it may not be read yet.

        Raises SettingsError: the user may read no such repository, or the store is not read.
        """
        url = settings.team.store
        if not url:
            raise SettingsError("'repo:NAME' asks a team's store, which your 'team.store' names")
        try:
            branch = self._branch(name, settings)
            folder = folder_of(url, branch)
            if team.read_tree(folder) is None:
                with team.Store.open(url) as store:
                    self._write(store, branch, settings, protected=())
            team.touch_tree(folder)
            return self._open(folder, branch, settings, peers)
        except (StoreError, OSError) as problem:
            raise SettingsError(
                f"the team's store is not read: {visible_line(str(problem))}"
            ) from None

    def beside(
        self,
        query: str,
        settings: Settings,
        cloned: Collection[str],
        peers: Peers,
        seconds: float,
    ) -> tuple[list[Other], list[str]]:
        """Return the repositories of `team.remotes` that are pulled, read and not `cloned` too.

        Also which are not, and why. Waits some seconds for the reading of what is pulled alone.
        """
        if not settings.team.store:
            return [], [_NO_STORE]
        self._look_behind(settings, peers)
        if seconds:
            deadline = time.monotonic() + seconds
            self._has_chosen.wait(seconds)
            for root in self._opened.values():
                root.engine.settled(max(0.0, deadline - time.monotonic()))
        all_lacking, opened = self._lacking, self._opened
        roots = [opened[folder] for folder in self._chosen if folder in opened]
        roots = [o for o in roots if o.origin and o.origin.repository not in cloned]
        lacking = {name: why for name, why in all_lacking.items() if name not in cloned}
        fetched = self._fetch_behind(roots, query, settings, seconds)
        for root in roots:
            if root.origin and not root.engine.reading.is_complete:
                lacking[root.origin.repository] = root.engine.reading.note
        ready = [root for root in roots if root.engine.reading.is_complete]
        # Until it is here, the push before it is searched.
        part = {root.origin.repository: "the newest push of " for root in ready if root.origin}
        parts = [f"{part.get(name, '')}{name} ({why})" for name, why in lacking.items()]
        notes = [f"not searched yet: {each}" for each in parts]
        return ready, [*map(visible_line, notes), *filter(None, (*fetched, self._problem))]

    def _fetch_behind(
        self, roots: Sequence[Other], query: str, settings: Settings, seconds: float
    ) -> list[str]:
        """Fetch files for a question, and wait some seconds; return notes on what is there."""
        partial = {root.engine.root: root for root in roots if not root.is_whole}
        is_lacking = any(self._fetched.get(f, ("", ""))[0] != query for f in partial)

        def fetch() -> None:
            try:
                notes = self.fetch([*partial.values()], query, settings)
                self._fetched.update((f, (query, n)) for f, n in zip(partial, notes, strict=True))
                for root in partial.values():
                    root.engine.settled(seconds)
            finally:
                self._fetching.difference_update(partial)

        if is_lacking and self._fetching.isdisjoint(partial):
            self._fetching.update(partial)
            thread = threading.Thread(target=fetch, name="packhound-remotes", daemon=True)
            thread.start()
            thread.join(seconds)
        notes = []
        for folder, root in partial.items():
            fetched_for, note = self._fetched.get(folder, ("", ""))
            name = visible_line(root.origin.repository if root.origin else root.label)
            waiting = f"not searched yet: {name} (its files for this question are being fetched)"
            notes.append(note if fetched_for == query else waiting)
        return notes

    def fetch(self, roots: Sequence[Other], query: str, settings: Settings) -> list[str]:
        """Bring the files that a question is likeliest about, of repositories too large to pull.

        The best of all of them together. Returns a note on what is there of each then, "" for one
        that is pulled.
        """
        read = [(root.engine, team.read_tree(root.engine.root)) for root in roots]
        partial = [(engine, tree) for engine, tree in read if tree and not tree.is_whole]
        if not partial:
            return ["" for _ in roots]
        for engine, tree in partial:
            if tree.n_bytes > settings.team.remote_megabytes * 1_000_000:
                team.delete_tree(tree.folder)
                team.begin_partial(tree.branch, tree.folder)
                engine.refresh()
        parsed = parse_query(Query(query))
        question = parsed.text if settings.meaning.enabled else ""
        branches, nearest, problem = [tree.branch for _, tree in partial], "", ""
        n_files: dict[UUID, int] = {}
        try:
            with self._fetch_lock, team.Store.open(settings.team.store) as store:
                files, n_files, by_meaning = team.find_candidates(
                    store, branches, parsed.terms, question, _CANDIDATES
                )
                nearest = ", or as nearest in meaning" if by_meaning else ""
                for engine, tree in partial:
                    if written := team.add_files(store, tree.folder, files):
                        engine.refresh(written)
        except (StoreError, OSError) as error:
            problem = visible_line(str(error))

        def note(tree: team.Tree | None) -> str:
            if tree is None or tree.is_whole:
                return ""
            name = f"{visible_line(tree.branch.repository)} is too large to pull"
            if problem:
                return f"{name}, and not asked: {problem}"
            return (
                f"{name}: searched are those of its {n_files.get(tree.branch.id, 0):,} files that"
                f" are among the {_CANDIDATES} likeliest of all such repositories, by rare words"
                f" of this question or of earlier ones{nearest}"
            )

        return [note(tree) for _, tree in read]

    def look(self, settings: Settings, peers: Peers) -> list[str]:
        """Pull the repositories of `team.remotes` now; return what was not, and why."""
        if settings.team.remotes and not settings.team.store:
            return [_NO_STORE]
        self._look(settings, peers)
        notes = [f"{name}: {why}" for name, why in self._lacking.items()]
        return [*map(visible_line, notes), *filter(None, (self._problem,))]

    def _look_behind(self, settings: Settings, peers: Peers) -> None:
        with self._look_lock:
            is_due = time.monotonic() - self._looked_at > _LOOK_S
            is_new = self._looked_for != settings.team
            if self._looking or not (is_new or (is_due and self._backoff.due)):
                return
            if is_new:
                self._has_chosen.clear()
                self._chosen, self._problem = (), ""
                self._lacking = {"the repositories of team.remotes": "they are looked up"}
            self._looked_for, self._looked_at = settings.team, time.monotonic()
            self._looking = threading.Thread(
                target=self._run, args=(settings, peers), name="packhound-remotes", daemon=True
            )
            self._looking.start()

    def _run(self, settings: Settings, peers: Peers) -> None:
        try:
            self._look(settings, peers)
        except Exception:
            log.exception("the repositories of team.remotes are not looked up")
        finally:
            self._looking = None
            self._has_chosen.set()

    def _look(self, settings: Settings, peers: Peers) -> None:
        """Open what is pulled, then ask the store, pull what is missing and drop what is gone."""
        try:
            pulled = [tree.branch for tree in trees_of(settings)]
            self._choose(matching_branches(pulled, settings), settings, peers)
            with team.Store.open(settings.team.store) as store:
                named = matching_branches(self._readable(store, settings), settings)
                self._pull(store, named, settings, peers)
            self._problem = ""
            self._backoff.reset()
        except (StoreError, OSError) as problem:
            self._problem = f"the team's store is not read: {visible_line(str(problem))}"
            self._backoff.fail()

    def _readable(self, store: team.Store, settings: Settings) -> list[team.Branch]:
        """Return the branches that the user may read; what is here of others is deleted."""
        branches = store.branches()
        ids = {branch.id for branch in branches}
        self._drop(tree.folder for tree in trees_of(settings) if tree.branch.id not in ids)
        return branches

    def _pull(
        self, store: team.Store, named: Sequence[team.Branch], settings: Settings, peers: Peers
    ) -> None:
        """Write and open the trees that are not there yet, in their order, as far as room goes."""
        url = settings.team.store
        missing = [each for each in named if team.read_tree(folder_of(url, each)) is None]
        lacking = {branch.repository: "it is being pulled" for branch in missing}
        for branch in missing:
            self._choose(named, settings, peers)
            self._lacking = dict(lacking)  # Not before: what is being opened is lacking too.
            try:
                self._write(store, branch, settings, protected=named)
                del lacking[branch.repository]
            except (PackhoundError, OSError) as problem:
                lacking[branch.repository] = str(problem)
        self._choose(named, settings, peers)
        self._lacking = lacking

    def _choose(self, branches: Sequence[team.Branch], settings: Settings, peers: Peers) -> None:
        """Open the newest trees of some branches that are here, and ask no other ones."""
        newest = {tree.branch.id: tree for tree in reversed(trees_of(settings))}
        chosen = [newest[branch.id] for branch in branches if branch.id in newest]
        with self._lock:
            if not self._followers:
                return
            self._chosen = tuple(tree.folder for tree in chosen)
        for tree in chosen:
            self._open(tree.folder, tree.branch, settings, peers)
        self._close_unfollowed()  # The last one may have left meanwhile.
        self._has_chosen.set()

    def _branch(self, name: str, settings: Settings) -> team.Branch:
        url = settings.team.store
        asked_at, branch = self._branches.get((url, name), (0.0, None))
        if branch is None or time.monotonic() - asked_at > _BRANCH_S:
            with team.Store.open(url) as store:
                branch = team.find_branch(self._readable(store, settings), name)
            self._branches[url, name] = time.monotonic(), branch
        return branch

    def _open(self, folder: Path, branch: team.Branch, settings: Settings, peers: Peers) -> Other:
        from packhound.service.engine import Engine  # An engine has these.

        with self._open_lock:
            root = self._opened.get(folder)
            of_tree = changed(settings, READ_ONLY)
            engine = root.engine if root else Engine.open(folder, of_tree, peers=peers)
            origin = Origin(branch.repository, branch.name, branch.commit, settings.team.link)
            label = f"repo@{branch.repository}@{branch.name}".replace("/", "+")
            note = (
                f"{branch.repository} is its branch '{branch.name}' in the team's store, commit"
                f" {branch.commit[:_COMMIT_DIGITS]} of {branch.pushed_at.date()}, without secrets"
            )
            tree = team.read_tree(folder)
            is_whole = tree is None or tree.is_whole
            root = Other(engine, visible_line(label), visible_line(note), origin, is_whole)
            with self._lock:
                opened = {each: o for each, o in self._opened.items() if each != folder}
                opened[folder] = root
                unnamed = [each for each in opened if each not in self._chosen]
                closed = [opened.pop(each) for each in unnamed[:-MAX_OPEN]]
                self._opened = opened
        for each in closed:
            each.engine.close()
        return root

    def _write(
        self,
        store: team.Store,
        branch: team.Branch,
        settings: Settings,
        protected: Sequence[team.Branch],
    ) -> None:
        """Write a tree, in place of those of older pushes and of those not used for longest.

        Raises StoreError where there is no room for it beside what is `protected`; and OSError.
        """
        folder = folder_of(settings.team.store, branch)
        fixed = {each.id for each in protected}
        limit = settings.team.remote_megabytes * 1_000_000
        with self._write_lock:
            if team.read_tree(folder):
                return  # Somebody else was faster.
            make_private_folder(folder.parent)
            delete_parts(folder.parent)
            self._close(folder)  # Its files may have been cleared.
            trees = trees_of(settings)
            older = [tree.folder for tree in trees if tree.branch.id == branch.id]
            trees = [tree for tree in trees if tree.branch.id != branch.id]
            room = limit - sum(tree.n_bytes for tree in trees if tree.branch.id in fixed)
            try:
                n_bytes = team.write_branch(store, branch, folder, settings.index.max_files, room)
            except team.TooLargeError:
                n_bytes = 0
                team.begin_partial(branch, folder)
            self._drop([each for each in older if each != folder])
            total = n_bytes + sum(tree.n_bytes for tree in trees)
            for tree in sorted(trees, key=lambda tree: team.used_at(tree.folder)):
                if total > limit and tree.branch.id not in fixed:
                    self._drop([tree.folder])
                    total -= tree.n_bytes

    def _drop(self, folders: Iterable[Path]) -> None:
        for folder in folders:
            self._close(folder)
            clear_index(folder)
            team.delete_tree(folder)

    def _close(self, folder: Path) -> None:
        with self._open_lock, self._lock:
            opened = dict(self._opened)
            root = opened.pop(folder, None)
            self._opened = opened
        if root:
            root.engine.close()
