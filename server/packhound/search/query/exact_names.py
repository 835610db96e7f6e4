"""Exact matches of a name: with its owner, alone, its parts, or the signature.

What is only called like a definition, as a test of it or a section about it, says so.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from packhound.core.arrays import Ints
from packhound.core.titles import is_title, spellings
from packhound.index import FileEntry, Snapshot
from packhound.search.kinds import IMPL, REST, TEST
from packhound.search.query.levels import (
    CALLED,
    FOLDED,
    MOST_NAMED,
    MOST_PLACES,
    NAMED,
    OTHER_CASE,
    OWNED,
    PARTS,
    TEXT,
)
from packhound.search.query.parse import ExactMatch, ParsedQuery
from packhound.search.query.qualified_names import QualifiedName, qualified_name
from packhound.search.retrieve.term_matches import BODY, NAME
from packhound.text import fold_identifier

_IS_NO_NAME = IMPL + REST > 0
"""Kinds of nodes that are called like something else."""
_PARTS = re.compile(r"[A-Za-z]\w*(?:[ -]\w+){0,9}")
_WORD = re.compile(r"\w+")
_NAME = re.compile(r"\w+|[^\w\s()\"'`,;]+")
_ALIAS = re.compile(r"(?:using|typealias|type)\s+\w+[^=]*=\s*(?:\w+(?:::|\.))*(\w+)")
"""The type that a name of a type stands for, as in `using Builder = BuilderImpl<false>;`."""
_MOST_OF_A_NAME, _MOST_NAMES = 60, 12
"""Definitions of a name whose signatures are read; first words of a line that may be its name."""


def nodes_named(
    snapshot: Snapshot, text: str, query: ParsedQuery
) -> Iterator[tuple[int, ExactMatch]]:
    """Yield the nodes with the name that a text is, as the qualified one or the plain word."""
    if named := qualified_name(text):
        for node_id, level, reason in _owned(snapshot, named):
            if named.has_arguments:
                # The owner may be a variable, called nearly like its type.
                level = CALLED if level >= OWNED - 0.1 else OTHER_CASE if level > OWNED - 0.3 else 0
            elif " " in named.text and level < OWNED - 0.1:
                level = 0
            if level:
                yield node_id, ExactMatch(level, reason)
    bare = text.removesuffix("()").removesuffix("(")
    if query.kind == "symbol" and _WORD.fullmatch(bare):
        folded = snapshot.node_ids_named_folded(bare.lower())
        for node_id in without_namesakes(snapshot, folded):
            yield node_id, ExactMatch(FOLDED, "")
        for node_id in without_namesakes(snapshot, snapshot.node_ids_named(bare)):
            yield node_id, ExactMatch(NAMED, "")


def nodes_of_signature(snapshot: Snapshot, text: str) -> Iterator[tuple[int, ExactMatch]]:
    """Yield the few definitions whose signature a text is, whose words may be everywhere."""
    stated, matching = _signature(text), list[int]()
    is_line = "(" in text and "\n" not in text
    for name in dict.fromkeys(_NAME.findall(text)[:_MOST_NAMES] if is_line else ()):
        for spelling in spellings(name):
            node_ids = snapshot.node_ids_named(spelling)
            if len(node_ids) <= _MOST_OF_A_NAME:
                refs = (
                    (node_id, snapshot.node(node_id).signature) for node_id in node_ids.tolist()
                )
                matching += [
                    node_id for node_id, signature in refs if _signature(signature) == stated
                ]
    if 0 < len(matching) <= MOST_PLACES:
        how_many = (
            "the only definition" if len(matching) == 1 else f"one of {len(matching)} definitions"
        )
        for node_id in matching:
            yield node_id, ExactMatch(TEXT, f"{how_many} with this signature")


def _signature(text: str) -> str:
    return re.sub(r"\s+|[;:{=\s]+$", "", text)


def without_namesakes(snapshot: Snapshot, node_ids: Ints) -> Iterator[int]:
    """Yield nodes without impls of a type, and further overloads of a function if all are many.

    A file that is called like its type, or a test like what it tests, counts where nothing else is.
    """
    lengths, seen = snapshot.lengths[BODY], set[tuple[str, str]]()
    located = [(node_id, *snapshot.locate(node_id)) for node_id in node_ids[:MOST_NAMED].tolist()]
    # Ties by path and position, not by node id, which depends on the order of indexing.
    located.sort(key=lambda node: (-lengths[node[0]], node[1].path, node[2]))
    for beside in (REST, TEST):
        located = [node for node in located if not beside[snapshot.kind_of[node[0]]]] or located
    for node_id, entry, position in located:
        is_news = len(located) <= MOST_PLACES
        if not is_news:
            key = entry.path, entry.qualname(position)
            is_news = key not in seen
            seen.add(key)
        if is_news and not IMPL[snapshot.kind_of[node_id]]:
            yield node_id


def nodes_of_parts(snapshot: Snapshot, text: str) -> Iterator[tuple[int, ExactMatch]]:
    """Yield the few nodes whose name has the words of a query as its parts, however joined."""
    if not _PARTS.fullmatch(text):
        return
    folded, named = fold_identifier(re.sub(r"[\s-]", "", text)), dict[int, str]()
    postings = snapshot.postings(folded)
    node_ids = postings.node_ids[postings.within(NAME)][:MOST_NAMED]
    name_ids, names = snapshot.name_of.take(node_ids).tolist(), snapshot.name_table.names
    for node_id, name in zip(node_ids.tolist(), map(names.__getitem__, name_ids), strict=True):
        if fold_identifier(name) == folded and not _IS_NO_NAME[snapshot.kind_of[node_id]]:
            named[node_id] = name
    # Plain words are the name of the one thing that is called so, and else words.
    if len(named) <= (1 if " " in text else MOST_PLACES):
        for node_id, name in named.items():
            reason = _title(*snapshot.locate(node_id)) or f"its name is {name}"
            yield node_id, ExactMatch(PARTS, reason)


def _owned(snapshot: Snapshot, named: QualifiedName) -> Iterator[tuple[int, float, str]]:
    """Yield the nodes of a name whose qualified name or path has its last owner, or all, and why.

    An owner may be an alias of the type that has it. The levels are about `OWNED`.
    """
    aliases = _aliased(snapshot, named.owners[-1])
    written = [named.owners, *([*named.owners[:-1], alias] for alias in aliases)]
    for form in spellings(named.name):
        for node_id in snapshot.node_ids_named_folded(form.lower())[:MOST_NAMED].tolist():
            entry, position = snapshot.locate(node_id)
            title, qualname = _title(entry, position), entry.qualname(position)
            owners = _owners(qualname, form)
            is_as_written = qualname.endswith(form)
            level = max(
                _level_of_owner(names, owners, entry.path, is_as_written) for names in written
            )
            if title or REST[snapshot.kind_of[node_id]]:
                # It is called like the definition that it is about.
                level = OWNED - 0.4 if named.owners[-1] in owners else 0
            # Where other owners were written, it says whose the definition is.
            has_all = _has_all(named.owners, owners, entry.path)
            yield node_id, level, title or f"defines {named.text if has_all else qualname}"


def _aliased(snapshot: Snapshot, name: str) -> list[str]:
    """Return the names of the types that a name is an alias of."""
    node_ids = snapshot.node_ids_named(name)[:_MOST_OF_A_NAME].tolist()
    nodes = map(snapshot.node, node_ids)
    matches = (_ALIAS.match(node.signature) for node in nodes if node.kind == "type")
    return [match[1] for match in matches if match and match[1] != name]


def _owners(qualname: str, name: str) -> list[str]:
    """Return the parts of a qualified name before the last one, in any case."""
    is_last = qualname.lower().endswith(name.lower())
    return re.split(r"\W+", qualname[: -len(name)] if is_last else qualname)[:-1]


def _has_all(names: list[str], owners: list[str], path: str) -> bool:
    """Return True if a definition has all owners of a name, the last itself unless it has none.

    One alone may be a variable, in another letter case than its type.
    """
    if len(names) == 1:
        path, names, owners = path.lower(), [names[0].lower()], [*map(str.lower, owners)]
    is_under = not owners or names[-1] in owners
    return is_under and _path_parts(path).union(owners).issuperset(names)


def _level_of_owner(names: list[str], owners: list[str], path: str, is_as_written: bool) -> float:
    owner = names[-1]
    if owner in owners and is_as_written:
        has_all = len(names) > 1 and owners[-len(names) :] == names
        return OWNED + 0.1 if has_all else OWNED if owner == owners[-1] else OWNED - 0.1
    if owner.lower() in map(str.lower, owners):
        return OWNED - 0.2
    folders = _path_parts(path.lower())
    if owner.lower() in folders:
        return OWNED - 0.3
    # A module may pass on what another one of its package defines.
    return TEXT if names[0].lower() in folders and len(names) > 1 and is_as_written else 0


def _title(entry: FileEntry, position: int) -> str:
    """Return the title of a section or a test, in words; "" where a node is a definition."""
    node = entry.summary(position)
    if node.kind == "section" or is_title(node.kind, node.name, node.signature):
        return f"a {node.kind} called {node.name}"
    return ""


def _path_parts(path: str) -> set[str]:
    """Return the folders and the stem of a path, and their words."""
    return {*re.split(r"[\W_]+", path), *re.split(r"[/.]", path)}
