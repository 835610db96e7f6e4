"""A map of a folder: signatures of its most used definitions by file, within a budget of tokens.

A file is as central as those that use what it defines (PageRank over the uses of names); the files
that the user has open, or that a prompt finds, begin with half of all rank. A definition has the
rank that its uses carry.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from packhound.core.titles import heading
from packhound.core.types import KINDS, Kind, Note
from packhound.files import compile_globs
from packhound.index import FileEntry
from packhound.llm import counter_for
from packhound.pack.context import PackContext
from packhound.pack.notes import OVER_BUDGET, Empty, request_notes, unknown_file_notes
from packhound.pack.path_resolver import PathResolver
from packhound.pack.render import Part, markdown_parts, to_json, unused_tag, xml_parts
from packhound.pack.request import CONTAINERS, Format, Omitted, Pack, PackItem, PackRequest
from packhound.pack.sources.demotions import is_minor_path
from packhound.pack.sources.explicit import parse_pin
from packhound.pack.sources.search_hits import search_prompt
from packhound.redact import safe_line
from packhound.text import is_test

_DAMPING, _ROUNDS, _SEED_SHARE = 0.5, 30, 0.5
"""Less than the usual 0.85, which leads to helpers that everything ends in."""
_SAME_FILE, _MINOR, _PRIVATE, _CONTAINER, _MEMBER = 0.1, 0.1, 0.2, 2.0, 0.3
"""Factors: a use in the file itself; code beside the topic; `_names`; classes; what is in one.

Members are mostly called by a name that many things have.
"""
_TEST = 0.5
"""Of a use or a start in tests, which show what is called from outside."""
_UNUSED = 1e-3
"""Of its file's rank: what a definition has without a use."""
_SEED_HITS = 5
_MAX_SIGNATURE, _MAX_OMITTED, _MAX_FOLDERS = 160, 30, 5
_BRACKET_SPACE = re.compile(r"(?<=[(\[]) +|,? +(?=[)\]])")
"""Spaces at which a signature of several lines was joined."""
_NO_KINDS = ("file", "window", "section", "test")


@dataclass(frozen=True, slots=True, eq=False)
class _Definition:
    """A definition with the rank that its uses carry, and the number of other files with one."""

    entry: FileEntry
    position: int
    score: float
    n_users: int

    @property
    def reason(self) -> str:
        """Number of files that use it, in words."""
        noun = "file" + "s"[: self.n_users != 1]
        return f"used in {self.n_users:,} other {noun}" if self.n_users else "used in no other file"

    @property
    def name(self) -> str:
        """Its name as it leaves."""
        return safe_line(self.entry.summary(self.position).qualname)


def map_of(context: PackContext, request: PackRequest) -> Pack:
    """Return the map of a folder. Raises SettingsError for an unknown tokenizer."""
    counter = counter_for(request.tokenizer)
    notes = list[Note]()
    ranked = _ranked(context, request, _seeds(context, request, notes))
    signature = cache(_signature)

    def text_of(n: int) -> str:
        """Return the text with the first n definitions, and what it leaves out."""
        files = {
            safe_line(entry.path): [signature(each) for each in definitions]
            for entry, definitions in _by_file(ranked[:n]).items()
        }
        return _render(files, _left_out(ranked, n), request.format)

    # Found by bisection; whatever is returned has been counted.
    n, above, text, tokens = 0, min(len(ranked), request.available) + 1, "", 0
    while above - n > 1:
        middle = (n + above) // 2
        longer = text_of(middle)
        n_tokens = counter.count(longer)
        if n_tokens <= request.available:
            n, text, tokens = middle, longer, n_tokens
        else:
            above = middle
    if not text:
        notes.append(
            Empty(f"no definition fits {request.available:,} tokens; raise the budget")
            if ranked
            else Empty("nothing is defined here")
        )
    return Pack(
        tokens=tokens,
        budget=request.budget,
        items=tuple(
            PackItem(
                each.entry.path,
                *each.entry.lines(each.position),
                "signature",
                counter.count(signature(each) + "\n"),
                round(each.score / ranked[0].score, 4),
                each.reason,
                (each.name,),
            )
            for definitions in _by_file(ranked[:n]).values()
            for each in definitions
        ),
        omitted=tuple(
            Omitted(safe_line(each.entry.path), each.name, f"{OVER_BUDGET}{each.reason}")
            for each in ranked[n : n + _MAX_OMITTED]
        ),
        text=text,
        remarks=(*request_notes(request, counter, tokens, text), *notes),
        generation=context.snapshot.generation,
    )


def _seeds(context: PackContext, request: PackRequest, notes: list[Note]) -> set[str]:
    """Return the files that the user has open or pinned, and those that the prompt finds."""
    files, focus = context.snapshot.files, request.focus
    resolver = PathResolver(context.snapshot.paths_named)
    pinned = {path: resolver.resolve(path) for path, _ in map(parse_pin, request.pinned)}
    notes += unknown_file_notes("pinned", (path for path in pinned if not pinned[path]))
    seeds = {path for paths in pinned.values() for path in paths}
    seeds |= {focus.path, *focus.open_paths} if focus else set()
    if answer := search_prompt(context, request):
        seeds |= {hit.node.path for hit in answer.hits[:_SEED_HITS]}
    return seeds & files.keys()


def _ranked(
    context: PackContext, request: PackRequest, seeds: Collection[str]
) -> list[_Definition]:
    """Return the definitions that the request does not exclude, the best first."""
    files, is_excluded = context.snapshot.files, compile_globs(request.excluded).fullmatch
    ranks, carried, n_users = _ranks(context, seeds)
    ranked = list[_Definition]()
    for path in itertools.filterfalse(is_excluded, ranks):
        entry = files[path]
        node_ids = entry.node_ids.tolist()
        kinds = [KINDS[context.snapshot.kind_of[node_id]] for node_id in node_ids]
        # What the user has open, or asks for, shares out its own rank.
        own = ranks[path] * (1 / len(node_ids) if path in seeds else _UNUSED)
        scores = [carried[node_id] + own for node_id in node_ids]
        for position, score in _scores(entry, kinds, scores).items():
            score *= _MINOR if is_minor_path(path) else 1.0
            ranked.append(_Definition(entry, position, score, n_users[node_ids[position]]))
    return sorted(ranked, key=lambda each: -each.score)


def _scores(entry: FileEntry, kinds: Sequence[Kind], scores: list[float]) -> dict[int, float]:
    """Return the scores of the definitions of a file by position, from those that uses carry."""
    parents, names = entry.parents(), entry.names()
    overloads = dict[str, int]()
    shown = dict[int, float]()
    for position in reversed(range(len(names))):  # What is within a definition comes after it.
        parent, name, kind = parents[position], names[position], kinds[position]
        is_member = parent >= 0 and bool(names[parent])
        if kind in _NO_KINDS or not name:
            continue
        if is_member and name == names[parent]:  # A constructor.
            scores[parent] += scores[position]
            continue
        score = scores[position] * (_PRIVATE if name.startswith("_") else 1.0)
        score *= _CONTAINER if kind in CONTAINERS else 1.0
        score *= _MEMBER if is_member else 1.0
        score = max(score, shown.get(position, 0.0))
        if kind not in CONTAINERS:
            # Of overloads one stands for all.
            before = overloads.setdefault(entry.qualname(position), position)
            score = max(score, shown.pop(before, 0.0))
            overloads[entry.qualname(position)] = position
        shown[position] = score
        if is_member:
            # No member is shown without what it is within.
            shown[parent] = max(score, shown.get(parent, 0.0))
    return dict(sorted(shown.items()))


def _ranks(
    context: PackContext, seeds: Collection[str]
) -> tuple[dict[str, float], defaultdict[int, float], Counter[int]]:
    """Return the rank of each file, what of it each definition carries, and its using files."""
    paths = sorted(context.snapshot.files)
    number_of = {path: number for number, path in enumerate(paths)}
    uses = [
        (number_of[path], number_of[place[0]], node_id, weight)
        for path, node_id, weight in context.graph.file_uses()
        # Another thread may have updated the graph to a newer snapshot.
        if (place := context.graph.location(node_id)) and {path, place[0]} <= number_of.keys()
    ]
    users, targets, definitions = np.array([use[:3] for use in uses], np.intp).reshape(-1, 3).T
    weights = np.array([weight for *_, weight in uses])
    start = np.array([_start(path) for path in paths])
    weights = weights * start[users] * np.where(users == targets, _SAME_FILE, 1.0)
    shares = weights / np.bincount(users, weights, len(paths))[users]
    start /= start.sum()
    if seeds:
        seeded = np.isin(np.arange(len(paths)), [number_of[path] for path in seeds])
        start = (1 - _SEED_SHARE) * start + _SEED_SHARE * seeded / len(seeds)
    rank = start
    for _ in range(_ROUNDS):
        carried = np.bincount(targets, rank[users] * shares, len(paths))
        rank = _DAMPING * carried + (1 - _DAMPING) * start
        rank /= rank.sum()
    scores, n_users = defaultdict[int, float](float), Counter[int]()
    carried = rank[users] * shares
    for node_id, is_other, share in zip(
        definitions.tolist(), (users != targets).tolist(), carried.tolist(), strict=True
    ):
        scores[node_id] += share
        n_users[node_id] += is_other
    return dict(zip(paths, rank.tolist(), strict=True)), scores, n_users


def _start(path: str) -> float:
    """Return what a file's uses count before anything is known of it."""
    if is_test(path):
        return _TEST
    return _MINOR if is_minor_path(path) else 1.0


def _by_file(definitions: Sequence[_Definition]) -> dict[FileEntry, list[_Definition]]:
    """Return the definitions of each file in reading order; files by the sum of their scores."""
    files = defaultdict[FileEntry, list[_Definition]](list)
    for each in definitions:
        files[each.entry].append(each)
    best = sorted(files, key=lambda e: (-sum(each.score for each in files[e]), e.path))
    return {entry: sorted(files[entry], key=lambda each: each.position) for entry in best}


def _signature(each: _Definition) -> str:
    """Return the line number and the signature of a definition, indented by what it is within."""
    summary, parents = each.entry.summary(each.position), each.entry.parents()
    depth, parent = 0, parents[each.position]
    while parent >= 0 and each.entry.name(parent):
        depth, parent = depth + 1, parents[parent]
    text = safe_line(summary.signature or heading(summary.kind, summary.qualname))
    text = _BRACKET_SPACE.sub("", text).partition(" {")[0]
    cut = text if len(text) <= _MAX_SIGNATURE else text[: _MAX_SIGNATURE - 3] + "..."
    return f"{summary.span.start_line + 1}: {'  ' * depth}{cut}"


def _render(files: Mapping[str, Sequence[str]], left_out: str, form: Format) -> str:
    """Return the definitions of files as text; only lines without a number are paths."""
    if form == "json":
        rows = [{"path": path, "definitions": lines} for path, lines in files.items()]
        return to_json({"files": rows} | ({"left_out": [left_out]} if left_out else {}))
    lines = (line for path, lines in files.items() for line in (path, *lines))
    part = Part("Map", 'kind="map"', "\n".join(lines))
    if form == "xml":
        return "".join(xml_parts([part], unused_tag(part.content))) + _sentence(left_out)
    return "\n".join(markdown_parts([part])) + _sentence(left_out)


def _left_out(ranked: Sequence[_Definition], n: int) -> str:
    """Return how many definitions and files are not among the first n; "" where all are."""
    shown = {each.entry.path for each in ranked[:n]}
    missing = {each.entry.path for each in ranked} - shown
    if n == len(ranked):
        return ""
    folders = Counter(path.rpartition("/")[0] or "." for path in missing)
    named = [
        f"{safe_line(folder)} {folders[folder]:,}"
        for folder in sorted(folders, key=lambda folder: (-folders[folder], folder))
    ]
    text = f"{len(ranked) - n:,} of {len(ranked):,} definitions"
    if not missing:
        return text
    where = ", ".join(named[:_MAX_FOLDERS]) + ", ..." * (len(named) > _MAX_FOLDERS)
    return f"{text}, among them all of {len(missing):,} of {len(missing | shown):,} files ({where})"


def _sentence(left_out: str) -> str:
    return f"Left out: {left_out}.\n" if left_out else ""
