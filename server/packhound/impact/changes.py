"""Impact of a change: definitions, their callers, tests to run, and what may change too."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from packhound.core.arrays import unique_sorted
from packhound.core.types import KINDS, NodeRef
from packhound.git import GONE, CoChanges
from packhound.graph import CallGraph, Grade, Use
from packhound.impact.breaks import Breaks
from packhound.impact.reached_tests import distances_of, reached_first
from packhound.impact.related_files import RelatedFile, rank_files
from packhound.impact.shared_words import share_words, words_of
from packhound.impact.symbol import Link, is_test_node, links_of
from packhound.impact.verdict import Side
from packhound.index import FileEntry, Snapshot
from packhound.text import is_test

_TEST = KINDS.index("test")
_CALLER_DISTANCE, _TEST_DISTANCE = 1, 3
_MAX_DEFINITIONS = 200
"""Changed definitions whose callers are sought."""
_DISTANCE_SHARE = 0.5
"""Each call further counts this much less."""


@dataclass(frozen=True, slots=True)
class ChangedDefinition:
    """A definition with changed lines (0-based, inclusive), and what calls it."""

    node: NodeRef
    lines: tuple[tuple[int, int], ...]
    callers: tuple[Link, ...]


@dataclass(frozen=True, slots=True)
class ChangeSet:
    """Changed definitions, files without one, tests to run, and files that may need a change.

    `renamed` has old paths by new ones; `notes` say what was not looked at.
    """

    definitions: tuple[ChangedDefinition, ...]
    other_files: tuple[str, ...]
    deleted: tuple[str, ...]
    renamed: Mapping[str, str]
    breaks: Breaks
    tests: tuple[RelatedFile, ...]
    related: tuple[RelatedFile, ...]
    notes: tuple[str, ...] = ()


def describe_changes(
    side: Side,
    root: str,
    changed: Mapping[str, Sequence[tuple[int, int]]],
    renamed: Mapping[str, str],
    breaks: Breaks,
    history: CoChanges,
    limit: int,
) -> ChangeSet:
    """Return what changed lines touch; `limit` bounds tests and related files."""
    snapshot, graph = side
    touched = {
        int(entry.node_ids[position]): lines
        for path, runs in changed.items()
        if (entry := snapshot.files.get(path))
        for position, lines in _lines_by_definition(entry, runs).items()
    }
    definitions = _changed_definitions(snapshot, root, graph, touched)
    reaching, used = _reach(graph, touched, breaks)
    calls = _calls_by_file(links_of(snapshot, root, [*reaching, *used]))
    words = _words_by_file(snapshot, graph, changed)
    tests = dict.fromkeys(_runnable_tests(snapshot))
    related = rank_files(snapshot.files, changed.keys(), history, calls, words)
    related_tests = list[RelatedFile]()
    if not all(map(is_test, changed)):
        distances = distances_of(links_of(snapshot, root, reaching))
        related_tests = reached_first([file for file in related if file.path in tests], distances)
    deleted = [path for path, lines in changed.items() if (*lines,) == (GONE,)]
    listed = {*deleted, *renamed, *(definition.node.path for definition in definitions)}
    return ChangeSet(
        definitions=definitions,
        other_files=tuple(path for path in changed if path not in listed),
        deleted=tuple(path for path in deleted if path not in {*renamed.values()}),
        renamed=renamed,
        breaks=breaks,
        tests=tuple(_tests_to_run(tests, changed, breaks, related_tests)[:limit]),
        related=tuple(related[:limit]),
    )


def _changed_definitions(
    snapshot: Snapshot,
    root: str,
    graph: CallGraph,
    touched: Mapping[int, tuple[tuple[int, int], ...]],
) -> tuple[ChangedDefinition, ...]:
    """Return changed definitions with what calls them, tests left out."""
    definitions = []
    for node_id, lines in list(touched.items())[:_MAX_DEFINITIONS]:
        callers = graph.callers([node_id], _CALLER_DISTANCE).values()
        links = [link for link in links_of(snapshot, root, callers) if not is_test_node(link.node)]
        definitions.append(ChangedDefinition(snapshot.ref(node_id, root), lines, tuple(links)))
    return tuple(definitions)


def _tests_to_run(
    runnable: Collection[str], changed: Iterable[str], breaks: Breaks, ranked: Iterable[RelatedFile]
) -> list[RelatedFile]:
    """Return the tests that break, those that changed and the others, each once."""
    tests = [
        *(RelatedFile(path, 1.0, ("breaks by it",)) for path in breaks.tests),
        *(RelatedFile(path, 1.0, ("changed itself",)) for path in changed),
        *ranked,
    ]
    by_path = dict[str, RelatedFile]()
    for test in tests:
        if test.path in runnable:
            by_path.setdefault(test.path, test)
    return [*by_path.values()]


def _runnable_tests(snapshot: Snapshot) -> list[str]:
    """Return the files of code with tests, not the data, documents and helpers beside it.

    In a language in which none is known to be a test they are all those among tests.
    """
    files = [(path, entry) for path, entry in snapshot.files.items() if is_test(path)]
    with_one = {path for path, entry in files if (snapshot.kind_of[entry.node_ids] == _TEST).any()}
    languages = {entry.language for path, entry in files if path in with_one}
    languages |= {"text", "markdown"}
    return [path for path, entry in files if path in with_one or entry.language not in languages]


def _lines_by_definition(
    entry: FileEntry, runs: Iterable[tuple[int, int]]
) -> dict[int, tuple[tuple[int, int], ...]]:
    """Return the changed lines of each definition, by the innermost that holds them."""
    touched: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
    nodes = entry.nodes
    for first, last in runs:
        inside = [
            i
            for i, node in enumerate(nodes)
            if node.span.start_line <= last and first <= node.span.end_line
        ]
        holders = {nodes[i].parent for i in inside}
        for i in inside:
            span = nodes[i].span
            # What a changed definition stands in has not changed by that alone.
            if i not in holders and nodes[i].kind not in ("file", "window"):
                touched[i].append((max(first, span.start_line), min(last, span.end_line)))
    return {position: tuple(lines) for position, lines in sorted(touched.items())}


def _reach(graph: CallGraph, touched: Iterable[int], breaks: Breaks) -> tuple[list[Use], list[Use]]:
    """Return what reaches changed definitions, or one that is gone, and what those changed use."""
    node_ids = list(touched)[:_MAX_DEFINITIONS]
    users = [each.node.node_id for each in breaks.unresolved[:_MAX_DEFINITIONS]]
    further = graph.callers(users, _TEST_DISTANCE - 1).values()
    callers = [
        *graph.callers(node_ids, _TEST_DISTANCE).values(),
        *(use._replace(distance=use.distance + 1) for use in further),
    ]
    return callers, [*graph.callees(node_ids, 1).values()]


def _calls_by_file(links: Iterable[Link]) -> dict[str, float]:
    """Return how much each file uses changed definitions, or is used by them."""
    calls: defaultdict[str, float] = defaultdict(float)
    for link in links:
        if link.grade != Grade.POSSIBLE:
            calls[link.node.path] += _DISTANCE_SHARE ** (link.distance - 1)
    return calls


def _words_by_file(
    snapshot: Snapshot, graph: CallGraph, changed: Mapping[str, Sequence[tuple[int, int]]]
) -> dict[str, float]:
    """Return the share of the words of changed lines that each file has."""
    texts = list[str]()
    for path, runs in changed.items():
        lines = (graph.source(path) or b"").decode("utf-8", "replace").split("\n")
        texts += (line for first, last in runs for line in lines[first : last + 1])
    files_with = {
        word: unique_sorted(snapshot.file_of[snapshot.postings(word).node_ids])
        for word in words_of(texts)
    }
    shares = share_words(files_with, snapshot.n_file_ids, snapshot.n_files)
    return {path: float(shares[entry.file_id]) for path, entry in snapshot.files.items()}
