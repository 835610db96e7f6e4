"""Baselines for packs: other ways to fill a prompt, with the same budget and index.

Whole top files; what ripgrep shows of the prompt's identifiers; and a map of the repository by
PageRank over references, after aider (Gauthier 2023).
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from packhound.core.types import Query
from packhound.llm.counter import TokenCounter
from packhound.pack.context import PackContext
from packhound.pack.excerpt import Excerpts
from packhound.pack.path_resolver import PathResolver
from packhound.search.query.mentions import mentions_of
from packhound.text import identifiers

LinesByPath = dict[str, set[int]]
"""The 0-based lines that a prompt shows of each file."""

Vector: TypeAlias = NDArray[np.float64]
_Edge: TypeAlias = tuple[int, int, float, str]
"""User, target (positions of files), weight and name of a reference."""

_UNNAMED = frozenset({"file", "section", "window"})
_HEADING_TOKENS = 12
_CONTEXT_LINES = 3
_DAMPING = 0.85
_ITERATIONS = 30
_MENTION_WEIGHT = 10.0
"""Weight of a reference whose name the prompt mentions (aider's figure)."""


def top_files(context: PackContext, prompt: str, budget: int, counter: TokenCounter) -> LinesByPath:
    """Return whole files in the order of their best hit; the one that does not fit is cut."""
    hits = context.search(Query(prompt, 60)).hits
    excerpts = Excerpts(context.snapshot.files, context.source, counter)
    shown_lines: LinesByPath = {}
    for path in dict.fromkeys(hit.node.path for hit in hits):
        excerpt = excerpts.of(path)
        budget -= _HEADING_TOKENS
        for line in range(len(excerpt.lines) if excerpt else 0):
            assert excerpt is not None
            budget -= excerpt.cost([line])
            if budget < 0:
                return shown_lines
            shown_lines.setdefault(path, set()).add(line)
    return shown_lines


def ripgrep(context: PackContext, prompt: str, budget: int, counter: TokenCounter) -> LinesByPath:
    """Return lines with the prompt's identifiers and context, files with most of them first."""
    words = [word for word in dict.fromkeys(identifiers(prompt)) if _looks_like_code(word)]
    if not words:
        return {}
    pattern = re.compile(rf"\b(?:{'|'.join(map(re.escape, words[:200]))})\b")
    excerpts = Excerpts(context.snapshot.files, context.source, counter)
    matches: list[tuple[int, int, str]] = []
    for path in sorted(context.snapshot.files):
        source = context.source(path) or b""
        counts = Counter(pattern.findall(source.decode("utf-8", "replace")))
        if counts:
            matches.append((-len(counts), -counts.total(), path))
    shown_lines: LinesByPath = {}
    for _, _, path in sorted(matches):
        excerpt = excerpts.of(path)
        budget -= _HEADING_TOKENS
        lines = excerpt.lines if excerpt else []
        for number, line in enumerate(lines):
            if pattern.search(line):
                file_lines = shown_lines.setdefault(path, set())
                for nearby in range(max(0, number - _CONTEXT_LINES), number + _CONTEXT_LINES + 1):
                    if nearby < len(lines) and nearby not in file_lines and excerpt:
                        budget -= excerpt.cost([nearby])
                        if budget < 0:
                            return shown_lines
                        file_lines.add(nearby)
    return shown_lines


def repository_map(
    context: PackContext, prompt: str, budget: int, counter: TokenCounter
) -> LinesByPath:
    """Return signatures of definitions in the order of PageRank over references between files."""
    excerpts = Excerpts(context.snapshot.files, context.source, counter)
    shown_lines: LinesByPath = {}
    opened: set[str] = set()
    for path, position in _ranked_definitions(context, prompt):
        entry = context.snapshot.files[path]
        excerpt = excerpts.of(path)
        tiers = excerpt.tiers(entry, position, None) if excerpt else {}
        lines = tiers.get("outline", ())
        if not excerpt or not lines:
            continue
        new = [line for line in lines if line not in shown_lines.get(path, ())]
        cost = excerpt.cost(new) + (0 if path in opened else _HEADING_TOKENS)
        if cost > budget:
            continue
        budget -= cost
        opened.add(path)
        shown_lines.setdefault(path, set()).update(new)
    return shown_lines


def _looks_like_code(word: str) -> bool:
    """Return True for names of code: a person would not grep for plain words."""
    mixed = not (word.islower() or word.isupper() or word.istitle())
    return len(word) > 3 and (mixed or "_" in word)


def _ranked_definitions(context: PackContext, prompt: str) -> Iterator[tuple[str, int]]:
    files = context.snapshot.files
    paths = sorted(files)
    prompt_names = set(identifiers(prompt))
    edges = _name_edges(context, paths, prompt_names)
    rank = _page_rank(len(paths), edges, _start(context, paths, prompt, prompt_names))
    outward = np.zeros(len(paths))
    for user, _, weight, _ in edges:
        outward[user] += weight
    scores: dict[tuple[str, str], float] = defaultdict(float)
    for user, target, weight, name in edges:
        scores[paths[target], name] += float(rank[user] * weight / outward[user])
    for (path, name), _ in sorted(scores.items(), key=lambda item: (-item[1], item[0])):
        for position, node in enumerate(files[path].nodes):
            if node.name == name and node.kind not in _UNNAMED:
                yield path, position


def _name_edges(
    context: PackContext, paths: Sequence[str], prompt_names: Collection[str]
) -> list[_Edge]:
    """Return the edges from each file to those that define a name it uses."""
    index = {path: i for i, path in enumerate(paths)}
    defined: dict[str, set[str]] = defaultdict(set)
    used: dict[str, Counter[str]] = defaultdict(Counter)
    for path in paths:
        for node in context.snapshot.files[path].nodes:
            if node.kind not in _UNNAMED:
                defined[node.name].add(path)
            used_here = dict.fromkeys(node.references, path)
            for name in used_here:
                used[name][path] += 1
    edges: list[_Edge] = []
    for name, users in used.items():
        share = (_MENTION_WEIGHT if name in prompt_names else 1.0) / max(
            1, len(defined.get(name, ()))
        )
        for target in sorted(defined.get(name, ())):
            edges += [(index[u], index[target], share * n**0.5, name) for u, n in users.items()]
    return edges


def _start(
    context: PackContext, paths: Sequence[str], prompt: str, prompt_names: Collection[str]
) -> Vector:
    """Return the restart distribution: the files that the prompt names, else all."""
    written = [mention.path for mention in mentions_of(prompt)]
    matcher = PathResolver(context.snapshot.paths_named)
    named = {match for path in written for match in matcher.resolve(path)}
    named |= {path for path in paths if path.rpartition("/")[2].split(".")[0] in prompt_names}
    chosen = [float(path in named or not named) for path in paths]
    return np.array(chosen) / max(1.0, sum(chosen))


def _page_rank(n: int, edges: Sequence[_Edge], start: Vector) -> Vector:
    if not edges:
        return start
    users = np.array([edge[0] for edge in edges], np.int64)
    targets = np.array([edge[1] for edge in edges], np.int64)
    weights = np.array([edge[2] for edge in edges], np.float64)
    outward = np.bincount(users, weights, n)
    rank: Vector = start.copy()
    for _ in range(_ITERATIONS):
        flow = np.bincount(targets, rank[users] * weights / outward[users], n)
        dangling = float(rank[outward == 0].sum())
        rank[:] = (1 - _DAMPING) * start + _DAMPING * (flow + dangling * start)
    return rank
