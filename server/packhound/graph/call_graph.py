"""Uses of definitions, each resolved where it is written, with distances over several calls."""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import NamedTuple, TypeAlias

from packhound.core.errors import Cancelled
from packhound.graph.exports import Definition, Exports
from packhound.graph.file_scope import TYPE_KINDS, FileScope
from packhound.graph.graph import Graph
from packhound.graph.meanings import Grade, Meaning, Owner
from packhound.graph.resolver import Resolver
from packhound.graph.scip import ScipIndex
from packhound.graph.scopes import MAX_USING_FILES, Scopes, Source
from packhound.graph.source_text import receiver
from packhound.text import is_test

_MAX_OCCURRENCES = 4
"""Places of one name in one node that are read."""
_EMPTY_BASES = frozenset(
    {"ABC", "ABCMeta", "Cloneable", "Comparable", "Generic", "Protocol", "Serializable", "object"}
)
"""Bases outside of the folder that bring no members."""
_MAX_REACHED = 400
"""Nodes that a search over several calls visits."""


class Use(NamedTuple):
    """`node_id` uses a definition, or is used, on a 0-based line of the using file.

    `distance` counts calls, `by` names the tool whose index says so.
    """

    node_id: int
    line: int
    grade: Grade
    distance: int = 1
    by: str = ""


class Mention(NamedTuple):
    """A 0-based line of `node_id` that has the name of a definition, whatever it means there."""

    node_id: int
    line: int
    text: str


Step: TypeAlias = Callable[[int], Iterator[Use]]


def _by_grade(use: Use) -> Grade:
    return use.grade


def _is_test(scope: FileScope, position: int) -> bool:
    return scope.file.kind(position) == "test" or is_test(scope.path)


class CallGraph:
    """Resolved uses between the nodes of a graph, for the questions of one request.

    Each text is read once. Callers drop node ids that their snapshot does not have.
    """

    def __init__(
        self,
        graph: Graph,
        source: Source,
        cancel: threading.Event | None = None,
        scip: ScipIndex | None = None,
    ) -> None:
        """With `cancel`, a question for users that reads many files can raise Cancelled."""
        self._graph, self.source, self._cancel, self._scip = graph, source, cancel, scip
        self._begin()

    def _begin(self) -> None:
        self._n_updates = self._graph.n_updates
        self._scopes = Scopes(self._graph, self.source)
        self._resolver = Resolver(self._scopes, Exports(self._scopes), self._scip)

    def bare_text(self, path: str) -> str:
        """Return a file without comments and strings, as Latin-1; "" for one that is not there."""
        with self._reading():
            scope = self._scopes.find(path)
            return scope.bare if scope else ""

    @contextmanager
    def _reading(self) -> Iterator[None]:
        """Hold the graph still, and forget what was read of it if it changed since."""
        with self._graph.reading():
            if self._n_updates != self._graph.n_updates:
                self._begin()
            yield

    def uses(self, node_id: int) -> tuple[Use, ...]:
        """Return what a node's own text uses, in order of first use."""
        with self._reading():
            return tuple(self._uses(node_id))

    def grades(self, node_id: int, among: Collection[int]) -> dict[int, Grade]:
        """Return which of some definitions a node's own text uses, and how sure that is."""
        with self._reading():
            named = defaultdict[str, set[int]](set)
            for each in among:
                if located := self._locate(each):
                    named[located[0].file.name(located[1])].add(each)
            uses = self._uses(node_id, named) if named else ()
            return {use.node_id: use.grade for use in uses if use.node_id in among}

    def users(self, node_id: int) -> tuple[Use, ...]:
        """Return the nodes that use a definition, those in its own file and folder first."""
        with self._reading():
            return tuple(self._users(node_id))

    def using_lines(self, node_id: int) -> tuple[Use, ...]:
        """Return each line that uses a definition, those in its own file and folder first."""
        with self._reading():
            uses = [use for uses in self._by_user(node_id) for use in uses]
            surest = {(use.node_id, use.line): use for use in sorted(uses, key=_by_grade)[::-1]}
            return tuple(surest[key] for key in dict.fromkeys((u.node_id, u.line) for u in uses))

    def n_unread_files(self, node_id: int) -> int:
        """Return the number of files with the name of a definition that are not read for users."""
        with self._reading():
            if (located := self._locate(node_id)) is None:
                return 0
            target, position = located
            n_using = sum(1 for _ in self._scopes.using(target.file.name(position), target))
            return max(0, n_using - MAX_USING_FILES)

    def lines_with(self, name: str) -> tuple[Use, ...]:
        """Return each line of a node's own text that has a name, whatever it means there."""
        with self._reading():
            return tuple(dict.fromkeys(self._lines_with(name)))

    def mentions(self, node_id: int, *, unknown: bool = False) -> tuple[Mention, ...]:
        """Return all lines that use the name of a definition, in files of its languages.

        With `unknown` those of the files read for users where it is not known what it means.
        """
        with self._reading():
            return tuple(self._mentions(node_id, unknown))

    def implementations(self, node_id: int) -> tuple[int, ...]:
        """Return the types that derive from a type, or the members that override a member."""
        with self._reading():
            return tuple(dict.fromkeys(self._implementations(node_id)))

    def bases(self, node_id: int) -> tuple[int, ...] | None:
        """Return the bases that a type states; None where one is not in the folder, or unknown."""
        with self._reading():
            located = self._locate(node_id)
            bases = dict[int, None]()
            for written, owners in (
                self._resolver.receivers.written_bases(*located) if located else ()
            ):
                if not owners and written.rpartition(".")[2] not in _EMPTY_BASES:
                    return None
                for owner in owners:
                    bases |= dict.fromkeys(self._type_ids(owner))
            return tuple(bases)

    def imports(self, path: str) -> tuple[tuple[int, str, str], ...]:
        """Return the imports of a file that stand in no block: line, module, and name of it.

        The line is 0-based; the name is "" for the module itself, "*" for all.
        """
        with self._reading():
            scope = self._scopes.find(path)
            return tuple(scope.outer_imports()) if scope else ()

    def callers(
        self, node_ids: Iterable[int], distance: int, *, tests_further: bool = False
    ) -> dict[int, Use]:
        """Return the nodes that reach some nodes over at most `distance` calls, nearest first.

        What is only possible is a last step: it is not followed. With `tests_further` tests may
        take one call more.
        """
        steps = [self._users] * distance
        return self._reach(node_ids, [*steps, self._tests] if tests_further else steps)

    def callees(self, node_ids: Iterable[int], distance: int) -> dict[int, Use]:
        """Return the nodes that some nodes reach, as `callers` does."""
        return self._reach(node_ids, [self._uses] * distance)

    def _reach(self, node_ids: Iterable[int], steps: Sequence[Step]) -> dict[int, Use]:
        """Return what is reached; it is as sure as the least sure step of the surest way there."""
        with self._reading():
            level = dict.fromkeys(node_ids, Grade.RESOLVED)
            start, reached = set(level), dict[int, Use]()
            for n_steps, step in enumerate(steps, 1):
                nearest: dict[int, Use] = {}
                for use, grade in ((u, grade) for node, grade in level.items() for u in step(node)):
                    if len(reached) + len(nearest) >= _MAX_REACHED:
                        return reached | nearest
                    if use.node_id not in start and use.node_id not in reached:
                        use = use._replace(distance=n_steps, grade=max(grade, use.grade))
                        surest = min(nearest.get(use.node_id, use), use, key=lambda u: u.grade)
                        nearest[use.node_id] = surest
                reached |= nearest
                level = {u.node_id: u.grade for u in nearest.values() if u.grade != Grade.POSSIBLE}
            return reached

    def _uses(self, node_id: int, among: Mapping[str, set[int]] | None = None) -> Iterator[Use]:
        """Yield what a node uses, or of it some definitions by name, maybe with others of these."""
        located = self._locate(node_id)
        if located is None:
            return
        scope, position = located
        occurrences = scope.occurrences(position, among)
        seen = {node_id}
        for name in scope.node(position).references:
            if name not in occurrences or not (
                self._scopes.positions(name) or name in scope.imports.names
            ):
                continue
            surest: dict[int, Use] = {}
            for offset in occurrences[name][:_MAX_OCCURRENCES]:
                meaning = self._resolver.meaning(scope, position, name, offset)
                for used in self._node_ids(meaning):
                    use = Use(used, scope.line(offset), meaning.grade, by=meaning.by)
                    surest[used] = min(surest.get(used, use), use, key=_by_grade)
                if among and all(
                    each in surest and surest[each].grade == Grade.RESOLVED for each in among[name]
                ):
                    break
            yield from (use for used, use in surest.items() if used not in seen)
            seen |= surest.keys()

    def _tests(self, node_id: int) -> Iterator[Use]:
        return self._users(node_id, in_tests=True)

    def _users(self, node_id: int, *, in_tests: bool = False) -> Iterator[Use]:
        for uses in self._by_user(node_id, in_tests=in_tests):
            best: Use | None = None
            for use in islice(uses, _MAX_OCCURRENCES):
                best = min(best or use, use, key=_by_grade)
                if best.grade == Grade.RESOLVED:
                    break
            if best:
                yield best

    def _by_user(self, node_id: int, *, in_tests: bool = False) -> Iterator[Iterator[Use]]:
        """Yield the uses of a definition in each of its users, or in those that are tests."""
        located = self._locate(node_id)
        if located is None:
            return
        target, position = located
        name = target.file.name(position)
        definition = Definition(target.path, position)
        meant = {definition: True}
        if target.is_member(position):
            owner = Owner(target.path, target.owner(position))
            overridden = self._resolver.receivers.overridden(owner, name)
            meant = {**dict.fromkeys(overridden, False), definition: True}
        meant = {**dict.fromkeys(self._resolver.expected(target, position), False), **meant}
        for scope in islice(self._scopes.using(name, target), MAX_USING_FILES):
            if self._cancel is not None and self._cancel.is_set():
                raise Cancelled("the search for callers was cancelled")
            for written in (name, *scope.imports.aliases(name)):
                for user in scope.record.users(written):
                    if in_tests and not _is_test(scope, user):
                        continue
                    if int(scope.file.node_ids[user]) != node_id:
                        yield self._uses_in(scope, user, written, meant)

    def _uses_in(
        self, scope: FileScope, user: int, name: str, meant: Mapping[Definition, bool]
    ) -> Iterator[Use]:
        """Yield the uses of a definition in a node where its name does not mean another.

        `meant` is False for what the definition overrides, whose call possibly leads to it.
        """
        for offset in scope.occurrences(user, [name]).get(name, ()):
            meaning = self._resolver.meaning(scope, user, name, offset)
            are_meant = [meant[d] for d in meaning.definitions if d in meant]
            if are_meant:
                grade = meaning.grade if any(are_meant) else Grade.POSSIBLE
                yield Use(int(scope.file.node_ids[user]), scope.line(offset), grade, by=meaning.by)

    def _lines_with(self, name: str) -> Iterator[Use]:
        for path in sorted(self._graph.using_paths(name)):
            scope = self._scopes.of(path)
            for user in scope.record.users(name):
                for offset in scope.offsets_of(user, name):
                    yield Use(int(scope.file.node_ids[user]), scope.line(offset), Grade.POSSIBLE)

    def _mentions(self, node_id: int, unknown: bool) -> Iterator[Mention]:
        located = self._locate(node_id)
        if located is None:
            return
        target, position = located
        name = target.file.name(position)
        for scope in islice(self._scopes.using(name, target), MAX_USING_FILES if unknown else None):
            for user in scope.record.users(name):
                user_id = int(scope.file.node_ids[user])
                if user_id == node_id:
                    continue
                offsets = scope.occurrences(user, [name]).get(name, ())
                lines = {scope.line(offset): scope.source_line(offset) for offset in offsets}
                for offset in offsets if unknown else ():
                    if self._is_known(scope, user, name, offset):
                        lines.pop(scope.line(offset), None)
                yield from (Mention(user_id, *line) for line in lines.items())

    def _is_known(self, scope: FileScope, position: int, name: str, offset: int) -> bool:
        """Return True for a name that leads to a definition, or is local."""
        meaning = self._resolver.meaning(scope, position, name, offset)
        if meaning.definitions or meaning.by:
            return True
        holders = scope.ancestors(position)
        is_local = any(name in scope.locals_of(holder) for holder in holders)
        return is_local and not receiver(scope.bare, offset, scope.language)

    def _implementations(self, node_id: int) -> Iterator[int]:
        located = self._locate(node_id)
        if located is None:
            return
        scope, position = located
        node = scope.node(position)
        if node.kind in TYPE_KINDS:
            for owner in self._resolver.receivers.subtypes(Owner(scope.path, node.name)):
                yield from self._type_ids(owner)
        elif scope.is_member(position):
            owner = Owner(scope.path, scope.owner(position))
            overriding = self._resolver.receivers.overriding(owner, node.name)
            yield from self._node_ids(Meaning(tuple(overriding)))

    def _type_ids(self, owner: Owner) -> list[int]:
        """Return the node ids of a type."""
        node_ids = self._graph.files[owner.path].node_ids
        return [int(node_ids[position]) for position in self._scopes.types(*owner)]

    def _node_ids(self, meaning: Meaning) -> list[int]:
        files = self._graph.files
        return [int(files[path].node_ids[position]) for path, position in meaning.definitions]

    def _locate(self, node_id: int) -> tuple[FileScope, int] | None:
        location = self._graph.location(node_id)
        return (self._scopes.of(location[0]), location[1]) if location else None
