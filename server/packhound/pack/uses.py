"""Uses of what a prompt is about, along edges that are more than possible: callers line by line,
where an example is registered, what it overrides, and which of several definitions calls which.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice

from packhound.graph import CallGraph, Edge, Grade, Use
from packhound.pack.pool import Candidate, Pool
from packhound.pack.request import Origin
from packhound.pack.sources.demotions import is_test_node

_MAX_REGISTRATIONS = 3
"""Lines that name an example or its type; what is named on more is in common use."""
_OVERRIDDEN_SHARE, _MAX_OVERRIDDEN = 0.4, 4
_FURTHER_SHARE = 0.09
"""Of the utility of a suspect, for what it uses over another definition."""
_MAX_DIRECT, _MAX_FURTHER, _MAX_EDGES = 4, 6, 24
_LEAST_WEIGHT = 0.5
"""Of an edge that a file, its imports or its folder decide; one by name alone has less."""


def sure_uses(uses: Iterable[Use]) -> Iterator[Use]:
    """Yield the uses that are more than possible."""
    return (use for use in uses if use.grade != Grade.POSSIBLE)


def sure_edges(pool: Pool, node_id: int, edges: Iterable[Edge]) -> Iterator[Edge]:
    """Yield the edges of a node that its file, imports or folder decide, of uses those that what
    is written around the name confirms."""
    calls = pool.calls
    edges = [edge for edge in edges if edge.weight >= _LEAST_WEIGHT]
    used = calls.grades(node_id, [edge.node_id for edge in edges if edge.kind == "references"])
    for edge in edges:
        grade: Grade | None = Grade.RESOLVED
        if edge.kind == "references":
            grade = used.get(edge.node_id)
        elif edge.kind == "referenced-by":
            grade = calls.grades(edge.node_id, [node_id]).get(node_id)
        if grade not in (None, Grade.POSSIBLE):
            yield edge


def add_users(pool: Pool, subjects: Sequence[Candidate]) -> None:
    """Note the lines of each user of what has one name, tests and imports included, and of those
    that may be one.
    """
    node_ids, name = [subject.node_id for subject in subjects], subjects[0].display_name
    uses = (use for node_id in node_ids for use in pool.calls.using_lines(node_id))
    lines = [use for use in uses if use.node_id not in node_ids]
    sure = {use.node_id for use in sure_uses(lines)}
    for use in lines:
        reason = "calls" if use.node_id in sure else "possibly calls"
        _add_line(pool, use, f"{reason} {name}")
    mentions = {
        (each.node_id, each.line) for node_id in node_ids for each in pool.calls.mentions(node_id)
    }
    several = f", which has {len(subjects)} definitions" if len(subjects) > 1 else ""
    users = pool.users
    users.subject = f"known users of `{subjects[0].name}`{several}"
    users.n_possible = sum(user.node_id not in sure for user in users.candidates)
    users.n_unread_files = max(pool.calls.n_unread_files(node_id) for node_id in node_ids)
    among_users = {(use.node_id, use.line) for use in lines}
    # By path: the order of node ids is that in which files were read or edited.
    others = sorted(
        (user.path, line + 1)
        for i, line in mentions - among_users
        if i not in node_ids and (user := pool.get(i))
    )
    users.other_lines = tuple(f"{path}:{line}" for path, line in others)


def add_lines_with(pool: Pool, name: str) -> None:
    """Note each line with a name of which no definition is indexed, as of a constant in C++."""
    for use in pool.calls.lines_with(name):
        _add_line(pool, use, f"has {name}")
    pool.users.subject = f"places with `{name}`, whose definition is not indexed"


def add_registrations(pool: Pool, calls: CallGraph, example: Candidate) -> None:
    """Note the lines, such as those of a table, that name an example or its type."""
    for named in filter(None, (example, pool.parent(example))):
        uses = [
            use
            for use in sure_uses(calls.users(named.node_id))
            if (user := pool.get(use.node_id))
            and not is_test_node(user)
            and use.line not in {line for line, _, _ in calls.imports(user.path)}
        ]
        for use in uses if len(uses) <= _MAX_REGISTRATIONS else ():
            _add_line(pool, use, f"names {named.display_name}")


def _add_line(pool: Pool, use: Use, reason: str) -> None:
    user = pool.get(use.node_id)
    if user and use.line not in user.use_lines:
        user.use_lines += (use.line,)
        user.add(Origin("graph", 0.0, "" if user.has_reason else reason))
        if user not in pool.users.candidates:
            pool.users.candidates.append(user)


def add_overridden(pool: Pool, calls: CallGraph, example: Candidate) -> None:
    """Add the methods of its type's bases that a like of the example has to override."""
    owner = pool.parent(example)
    if owner is None:
        return
    names = {member.entry.name(member.position) for member in pool.members(owner)}
    bases = filter(None, map(pool.get, calls.bases(owner.node_id) or ()))
    members = (member for base in bases for member in pool.members(base))
    overridden = [member for member in members if member.entry.name(member.position) in names]
    for member in overridden[:_MAX_OVERRIDDEN]:
        utility = _OVERRIDDEN_SHARE * example.utility
        reason = f"overridden by {owner.display_name}"
        member.add(Origin("graph", utility, reason, path=(owner.display_name, "overrides")))


def add_further_uses(pool: Pool, suspect: Candidate) -> None:
    """Add what the definitions that a suspect uses use themselves."""
    for direct in _used(pool, suspect, _MAX_DIRECT):
        for used in _used(pool, direct, _MAX_FURTHER):
            if used is not suspect:
                reason = "" if used.has_reason else f"reached from {suspect.display_name}"
                path = (suspect.display_name, "leads to")
                used.add(Origin("graph", _FURTHER_SHARE * suspect.utility, reason, path=path))


def _used(pool: Pool, user: Candidate, at_most: int) -> Iterator[Candidate]:
    """Yield what a definition uses, tests aside."""
    edges = sure_edges(pool, user.node_id, pool.graph.references(user.node_id, _MAX_EDGES))
    found = (pool.get(edge.node_id) for edge in edges)
    used = (each for each in found if each and each.kind != "file" and not is_test_node(each))
    return islice(used, at_most)


def calls_among(pool: Pool, candidates: Sequence[Candidate]) -> dict[int, list[int]]:
    """Return for each of some definitions, by node id, which others of them it uses, if any."""
    node_ids = {candidate.node_id for candidate in candidates}
    called_by = dict[int, list[int]]()
    for node_id in node_ids:
        edges = pool.graph.references(node_id, _MAX_EDGES)
        among = (edge for edge in edges if edge.node_id in node_ids)
        if used := [edge.node_id for edge in sure_edges(pool, node_id, among)]:
            called_by[node_id] = used
    return called_by


def callers_first(
    ranked: Sequence[Candidate], called_by: Mapping[int, Sequence[int]]
) -> list[Candidate]:
    """Return definitions with callers before callees, and as they were where nothing is called."""
    by_node_id = {candidate.node_id: candidate for candidate in ranked}
    seen = set[int]()
    order = [i for each in reversed(ranked) for i in _callees_first(each.node_id, called_by, seen)]
    return [by_node_id[node_id] for node_id in reversed(order)]


def _callees_first(
    node_id: int, called_by: Mapping[int, Sequence[int]], seen: set[int]
) -> Iterator[int]:
    """Yield what a definition calls, and it, but for what was seen."""
    if node_id not in seen:
        seen.add(node_id)
        for callee in reversed(called_by.get(node_id, ())):
            yield from _callees_first(callee, called_by, seen)
        yield node_id
