"""Several folders asked as one: the only home of their names, order, rating, limits and packs.

Each keeps its own index, so any set of them can be open. Scores are log-odds, so they compare. A
file belongs to the innermost folder, so no answer has it twice. Each folder has a label, the
shortest tail of its path that no other one has; a path of several folders begins with it.
"""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Collection, Iterator, Sequence
from copy import copy
from dataclasses import replace
from functools import partial
from pathlib import PurePath
from typing import TYPE_CHECKING, NamedTuple

from packhound import pack
from packhound.core.errors import SettingsError
from packhound.core.typed import without_surrogates
from packhound.core.types import NodeRef, Note, Query, Results
from packhound.grep import GrepRequest, GrepResults
from packhound.redact import visible_line
from packhound.search import Stopped, scope_of
from packhound.service.engine import Engine
from packhound.service.merged_answers import merge_lines, merge_results, notes_of_roots
from packhound.service.remote_trees import Origin
from packhound.service.root_names import (
    PATH_IN_TEXT,
    escaped,
    filters_as_fields,
    globs_within,
    notes_as_asked,
    split_place,
    without_name,
)
from packhound.service.roots import real_path, root_path

if TYPE_CHECKING:
    from packhound.pack import Pack, PackRequest

_REMOTES_S = 2.0
"""Time in which remotes begin to be searched, once the folders have answered."""


class Root(NamedTuple):
    """A folder, its label, and of a repository of a team's store what it is there."""

    engine: Engine
    label: str
    origin: Origin | None = None

    @property
    def path(self) -> str:
        """Absolute path of the folder."""
        return str(self.engine.root)


class Roots:
    """The folders that one question is about, in their order. Immutable; any thread may call."""

    def __init__(self, engines: Sequence[Engine]) -> None:
        paths = [engine.root for engine in engines]
        self.all = tuple(
            Root(engine, _label(engine.root, [each for each in paths if each != engine.root]))
            for engine in engines
        )
        """All that are open, by which rows are named."""
        self.asked = self.all
        self.remotes: tuple[Root, ...] = ()
        """Repositories of a team's store that a search asks too, after the folders."""

    def __iter__(self) -> Iterator[Root]:
        return iter(self.asked)

    def __len__(self) -> int:
        return len(self.asked)

    @property
    def are_named(self) -> bool:
        """True if rows of answers say whose they are: more than one folder is open."""
        return len(self.all) > 1

    def whose(self, path: str) -> dict[str, object]:
        """Return `root` and `label` for a row of the folder at `path`, nothing if it is alone."""
        named = (*self.all, *self.remotes) if self.are_named else self.remotes
        root = next((root for root in named if root.path == path), None)
        return {"root": root.path, "label": root.label} if root else {}

    def place_of(self, node: NodeRef) -> dict[str, object]:
        """Return whose a node is, and where its line is in a repository of a team's store."""
        roots = (*self.all, *self.remotes)
        root = next((root for root in roots if root.path == node.root), None)
        origin = root.origin if root else None
        place = origin.place(node.path, node.span.start_line + 1) if origin else {}
        return {**self.whose(node.root), **place}

    def select(self, written: str) -> Roots:
        """Return the folder that a path, a path in it, a URI or the end of its path names.

        All of them for "". Raises SettingsError that names all.
        """
        if not written:
            return self
        written = without_surrogates(written)
        path = real_path(root_path(written))
        tail = _folded_parts(written.replace("\\", "/"))
        matches = [root for root in self.all if root.label == written]
        matches = matches or [r for r in self.all if _folded_parts(r.path)[-len(tail) :] == tail]
        if by_path := [root for root in self.all if path.is_relative_to(root.path)]:
            matches = [max(by_path, key=lambda root: len(root.path))]
        if len(matches) != 1:
            problem = "ambiguous" if matches else "unknown"
            names = ", ".join(f"{root.label} ({root.path})" for root in matches or self.all)
            raise SettingsError(
                f"{problem} root '{visible_line(written)}'; expected one of: {names}"
            )
        return self.only(matches[0])

    def only(self, root: Root) -> Roots:
        """Return one of the folders to ask; its rows are named as before."""
        return self._asking(root)

    def without(self, paths: Collection[str]) -> Roots:
        """Return the folders to ask but for some; their rows are named as before."""
        return self._asking(*(root for root in self if root.path not in paths))

    def with_other(self, other: Root) -> Roots:
        """Return a further root to ask alone; its rows are named by its label."""
        return self._asking(other, everyone=(*self.all, other))

    def beside(self, remotes: Sequence[Root]) -> Roots:
        """Return the same folders to ask, and repositories that a search asks after them."""
        roots = copy(self)
        roots.remotes = (*remotes,)
        return roots

    def of_organisation(self, name: str) -> Roots:
        """Return the folders and repositories to ask that are of an organisation."""

        def is_of(repositories: Sequence[str]) -> bool:
            parents = (f"/{each.rpartition('/')[0]}" for each in repositories)
            return any(parent.endswith(f"/{name}") for parent in parents)

        roots = self._asking(*(r for r in self if is_of(r.engine.others.repositories)))
        roots.remotes = tuple(
            each for each in self.remotes if each.origin and is_of([each.origin.repository])
        )
        return roots

    def as_if(self, root: Root, engine: Engine) -> Roots:
        """Return the same folders to ask, one of them as another engine has it."""
        everyone, asked = (
            tuple(each._replace(engine=engine) if each == root else each for each in part)
            for part in (self.all, self.asked)
        )
        return self._asking(*asked, everyone=everyone)

    def adds(self, node: NodeRef) -> bool:
        """Return True if some lines of a node are there by a patch alone."""
        root = next((root for root in self.all if root.path == node.root), None)
        span = node.span
        return bool(root and root.engine.index.adds(node.path, span.start_line, span.end_line))

    def _asking(self, *asked: Root, everyone: tuple[Root, ...] = ()) -> Roots:
        roots = copy(self)
        roots.all, roots.asked = everyone or self.all, asked
        return roots

    def candidates(self, reference: str) -> list[tuple[Root, str]]:
        """Return where a reference may lead, the likeliest first, with the part within the folder.

        One that begins with the label or the path of a folder is of that one; but a folder may
        have the name of the root that it is in.
        """
        written = reference.replace("\\", "/").removeprefix("./")
        named = []
        for root in sorted(self.asked if self.are_named else (), key=lambda r: -len(r.path)):
            for prefix in (root.path.replace("\\", "/"), root.label):
                if written.rstrip("/") == prefix or written.startswith(prefix + "/"):
                    named.append((root, written[len(prefix) :].strip("/")))
        return [*dict.fromkeys([*named[:1], *((root, reference) for root in self.asked)])]

    def inner_globs(self, root: Root) -> tuple[str, ...]:
        """Return a glob of each other folder inside of one, to be left out of its answer."""
        outer = PurePath(root.path)
        paths = (PurePath(other.path) for other in self.asked)
        inner = [path.relative_to(outer) for path in paths if outer in path.parents]
        return tuple(f"/{escaped(path.as_posix())}/" for path in inner)

    def globs_in(self, root: Root, globs: Sequence[str]) -> tuple[str, ...]:
        """Return globs as they are within a folder, whose names they may begin with."""
        return globs_within(globs, self._names_of(root))

    def excluded_in(self, root: Root, globs: Sequence[str]) -> tuple[str, ...]:
        """Return globs of what is left out of the answer of a folder."""
        return (*self.globs_in(root, globs), *self.inner_globs(root))

    def pins_in(self, root: Root, pins: Sequence[str]) -> tuple[str, ...]:
        """Return those of some pinned files that may be of a folder, as they are within it."""
        return tuple(inner for pin in pins if (inner := self._path_in(root, pin)) is not None)

    def pack_in(self, root: Root, request: PackRequest) -> PackRequest:
        """Return the request of a pack as it is within a folder."""
        excluded = self.excluded_in(root, request.excluded)
        return replace(request, pinned=self.pins_in(root, request.pinned), excluded=excluded)

    def query_in(self, root: Root, query: Query) -> Query | None:
        """Return a query as it is within a folder, None if it names a file of another one."""
        query = filters_as_fields(query)
        path, lines = split_place(query.text)
        is_file = any(
            inner != path and inner in owner.engine.snapshot.files
            for owner, inner in self.candidates(path)
        )
        inner = self._path_in(root, path) if is_file else path
        if inner is None:
            return None
        text = inner + lines
        if self.are_named and not is_file:
            text = PATH_IN_TEXT.sub(partial(self._place_in, root), text)
        return replace(
            query,
            text=text,
            paths=self.globs_in(root, query.paths),
            exclude=self.excluded_in(root, query.exclude),
        )

    def _place_in(self, root: Root, match: re.Match[str]) -> str:
        """Return a place within a text as it is within a folder; a file of another is left out."""
        path, lines = split_place(match[0])
        if inner := self._file_in(root, path):
            return inner + lines
        is_own = path in root.engine.snapshot.files
        is_of_other = not is_own and any(self._file_in(other, path) for other in self.asked)
        return "" if is_of_other else match[0]

    def _file_in(self, root: Root, path: str) -> str:
        """Return the path within a folder of a file of it whose path begins with its name."""
        inner = without_name(path, self._names_of(root))
        return inner if inner and inner in root.engine.snapshot.files else ""

    def _path_in(self, root: Root, written: str) -> str | None:
        """Return a path as it is within a folder, None where it begins with the name of another."""
        inner = without_name(written, self._names_of(root))
        is_of_other = any(without_name(written, self._names_of(each)) for each in self.all)
        if inner or not is_of_other:
            return inner or written
        return written if split_place(written)[0] in root.engine.snapshot.files else None

    def _names_of(self, root: Root) -> list[str]:
        """Return what paths of a folder may begin with; those of one that is alone have no label.

        One that lies in another folder has its path there too.
        """
        names = [PurePath(root.path).as_posix(), *([root.label] if self.are_named else [])]
        for outer in self.all:
            if outer != root and PurePath(root.path).is_relative_to(outer.path):
                inner = PurePath(root.path).relative_to(outer.path).as_posix()
                names += [inner, f"{outer.label}/{inner}"]
        return names

    def search(self, query: Query, cancel: threading.Event | None = None) -> Results:
        """Return the best hits of all folders and remotes."""
        answers, whole = [], filters_as_fields(query)
        notes_by_label = dict[str, Sequence[Note]]()
        for root in self:
            if part := self.query_in(root, query):
                answer = root.engine.search(part, cancel)
                notes = tuple(notes_as_asked(answer.remarks, whole, part))
                notes_by_label[root.label] = notes
                answers.append(replace(answer, query=query.text, remarks=notes))
        if len(self) == 1 and answers and not self.remotes:
            return answers[0]
        answers += self._search_remotes(query, cancel)
        merged = merge_results(query, answers)
        of_roots = notes_of_roots(merged.remarks, notes_by_label, has_hits=bool(merged.hits))
        no_folder = () if self.all else ("no folder is open",)
        return replace(merged, remarks=(*no_folder, *of_roots))

    def _search_remotes(self, query: Query, cancel: threading.Event | None) -> Iterator[Results]:
        """Yield the answers of remotes, as many as there is time for, then a note on the others."""
        scope = scope_of(query)[0]
        if scope.record_types:
            return  # Of the store there is code alone.
        if scope.is_dated and self.remotes:
            # What is pulled has the date of the push.
            note = "without remote repositories: the dates of their files are not known"
            yield Results(query.text, (), False, 0, 0.0, 0, (note,))
            return
        started, query = time.monotonic(), replace(query, focus=None)
        for n_asked, remote in enumerate(self.remotes):
            if time.monotonic() - started > _REMOTES_S or (cancel and cancel.is_set()):
                n_left = len(self.remotes) - n_asked
                late = Stopped(f"after {_REMOTES_S:g} s, without {n_left:,} remote repositories")
                yield Results(query.text, (), True, 0, 0.0, 0, (late,))
                return
            yield remote.engine.search(query, cancel)

    def grep(
        self,
        request: GrepRequest,
        cancel: threading.Event | None = None,
        *,
        redacted: bool = False,
    ) -> GrepResults:
        """Return one page of the lines of all folders: by the question, else folder by folder.

        Raises SettingsError for a bad pattern.
        """
        end, answers = request.offset + request.limit, []
        for root in self:
            paths = self.globs_in(root, request.paths)
            excluded = self.excluded_in(root, request.exclude)
            part = replace(request, paths=paths, exclude=excluded)
            if len(self) == 1:
                return root.engine.grep(part, cancel, redacted=redacted)
            part = replace(part, offset=0, limit=end)
            answer = root.engine.grep(part, cancel, redacted=redacted)
            groups = tuple(replace(group, root=root.path) for group in answer.groups)
            counts = tuple(count._replace(root=root.path) for count in answer.counts)
            answers.append(replace(answer, groups=groups, counts=counts))
        return merge_lines(request, answers)

    def pack(
        self, request: PackRequest, focused: str = "", cancel: threading.Event | None = None
    ) -> Pack:
        """Return the best code of all folders; the request's focus is in the folder `focused`.

        Raises Cancelled, or SettingsError for a tokenizer.
        """
        from packhound.service.pack_roots import pack_roots  # Its imports take long.

        part = pack.reserve_opening(request)
        if len(self) == 1:
            root = self.asked[0]
            focus = request.focus if focused in ("", root.path) else None
            packed = root.engine.pack(replace(self.pack_in(root, part), focus=focus), cancel)
            pins = pack.unknown_pins(p for p in part.pinned if not self.pins_in(root, [p]))
            packed = replace(packed, remarks=(*packed.remarks, *pins))
        else:
            packed = pack_roots(self, part, focused, cancel)
        return pack.add_opening(packed, request)


def best_refusal(refusals: Sequence[SettingsError]) -> SettingsError:
    """Return the first refusal of a folder that has the file, else one with a remedy, else any.

    Without one there was no folder to ask.
    """

    def closeness(refusal: SettingsError) -> int:
        text = str(refusal)
        return 2 if "is not an indexed" not in text else int("did you mean" in text)

    return max(refusals or [SettingsError("no folder is open")], key=closeness)


def _label(path: PurePath, others: Sequence[PurePath]) -> str:
    """Return the shortest tail of a path that is no tail of another."""
    for n in range(1, len(path.parts)):
        tail = path.parts[-n:]
        if all(other.parts[-n:] != tail for other in others):
            return "/".join(tail)
    return path.as_posix()


def _folded_parts(path: str) -> tuple[str, ...]:
    return tuple(part.casefold() for part in PurePath(path).parts)
