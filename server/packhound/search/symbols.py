"""Search by name as people type names: parts of it, in order, in any case.

For `workspace/symbol`. `'name` wants exactly that name, `^name` one that begins so, `name$` one
that ends so; several words must all match, the name or the path and owner around it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from packhound.core.types import KINDS, Hit, Signal
from packhound.index.name_index import NameTable
from packhound.index.snapshot import Snapshot
from packhound.search.query.filters import allowed_node_ids
from packhound.search.query.parse import ParsedQuery, Pattern
from packhound.search.retrieve.corpus_stats import facts_of

_SEPARATORS = re.compile(r"::|->|[.#\\/:]")
_MATCH, _KIND, _TEST, _LENGTH = 10.0, 1.0, -1.5, -0.2
_MOST_LABELS = 4_000

_KIND_VALUES = np.array(
    [
        {"section": 0.0, "file": 0.0, "window": 0.0, "constant": 0.4, "test": 0.2, "impl": 0.3}.get(
            kind, 1.0 if kind in ("class", "struct", "interface", "trait", "module") else 0.7
        )
        for kind in KINDS
    ]
)


def rank_symbols(
    snapshot: Snapshot, query: ParsedQuery, limit: int, root: str
) -> tuple[tuple[Hit, ...], int]:
    """The best `limit` nodes by name, and how many were considered."""
    qualities = _qualities(snapshot, query.patterns)
    node_ids = _node_ids(snapshot, qualities, query)
    scored: list[tuple[float, str, int, int, tuple[Signal, ...]]] = []
    corpus = facts_of(snapshot)
    for node_id in node_ids.tolist():
        match = _match(snapshot, node_id, query.patterns, qualities)
        if match <= 0:
            continue
        file_id = int(snapshot.file_of[node_id])
        length = len(snapshot.name_table.names[snapshot.name_of[node_id]])
        test = bool(not corpus.plain[file_id] and not query.wants_tests)
        reasons = (
            Signal("name_match", match, _MATCH),
            Signal("definition_kind", float(_KIND_VALUES[snapshot.kind_of[node_id]]), _KIND),
            Signal("test_path", float(test), _TEST),
            Signal("name_length", math.log1p(length), _LENGTH),
        )
        kept = tuple(reason for reason in reasons if reason.value)
        score = math.fsum(reason.contribution for reason in kept)
        scored.append((-round(score, 9), snapshot.paths[file_id], node_id, node_id, kept))
    scored.sort(key=lambda row: row[:3])
    hits = []
    for _, _, node_id, _, why in scored[: max(0, limit)]:
        ref = snapshot.ref(node_id, root)
        hits.append(Hit(ref, 0, math.fsum(reason.contribution for reason in why), why))
    hits.sort(key=lambda hit: (-round(hit.score, 9), hit.node.path, hit.node.span.start))
    ranked = tuple(Hit(hit.node, rank, hit.score, hit.why) for rank, hit in enumerate(hits, 1))
    return ranked, len(node_ids)


def _qualities(snapshot: Snapshot, patterns: Iterable[Pattern]) -> tuple[dict[int, float], ...]:
    """For each pattern, how well each name (by number) matches it."""
    letters = _letters_of(snapshot.name_table)
    names = snapshot.name_table.names
    found: list[dict[int, float]] = []
    for pattern in patterns:
        wanted = _last(pattern)
        mask = _mask(wanted.lower())
        near = np.flatnonzero((letters & mask) == mask).tolist()
        qualities = ((number, _quality(pattern, wanted, names[number])) for number in near)
        found.append({number: quality for number, quality in qualities if quality > 0})
    return tuple(found)


def _node_ids(
    snapshot: Snapshot, qualities: tuple[dict[int, float], ...], query: ParsedQuery
) -> NDArray[np.int32]:
    best = np.zeros(len(snapshot.name_table), np.float32)
    for quality in qualities:
        numbers = np.fromiter(quality.keys(), np.int64, len(quality))
        values = np.fromiter(quality.values(), np.float32, len(quality))
        np.maximum.at(best, numbers, values)
    scores = np.where(snapshot.live, best[snapshot.name_of], 0)
    allowed = allowed_node_ids(snapshot, query)
    if allowed is not None:
        scores = np.where(allowed, scores, 0)
    node_ids = np.flatnonzero(scores > 0)
    if len(node_ids) > _MOST_LABELS:
        floor = np.partition(scores[node_ids], -_MOST_LABELS)[-_MOST_LABELS]
        node_ids = node_ids[scores[node_ids] >= floor][: 2 * _MOST_LABELS]
    return node_ids.astype(np.int32)


def _match(
    snapshot: Snapshot,
    node_id: int,
    patterns: tuple[Pattern, ...],
    qualities: tuple[dict[int, float], ...],
) -> float:
    """Mean quality over the words; words that miss the name must be in its surroundings."""
    number = int(snapshot.name_of[node_id])
    total = 0.0
    around: str | None = None
    for pattern, quality in zip(patterns, qualities, strict=True):
        here = quality.get(number, 0.0)
        owners = _SEPARATORS.split(pattern.text)[:-1] if here else [pattern.text]
        if owners:
            if around is None:
                entry, position = snapshot.locate(node_id)
                around = f"{entry.path}/{entry.qualname(position)}".lower()
            if not all(owner.lower() in around for owner in owners if owner):
                return 0.0
        total += here or 0.2
    return total / len(patterns)


def _last(pattern: Pattern) -> str:
    return _SEPARATORS.split(pattern.text)[-1] or pattern.text


def _quality(pattern: Pattern, wanted: str, name: str) -> float:
    """1 for the name itself, falling to 0.1 for scattered letters in order; 0 for no match."""
    low, low_name = _folded(wanted), _folded(name)
    # As in gopls: a capital in the query asks for that case.
    if pattern.operator == "exact":
        return float(name == wanted) or 0.95 * (low_name == low and wanted == low)
    if pattern.operator == "prefix":
        return _affix(
            name.startswith(wanted), low_name.startswith(low) and wanted == low, name, low
        )
    if pattern.operator == "suffix":
        return _affix(name.endswith(wanted), low_name.endswith(low) and wanted == low, name, low)
    if name == wanted:
        return 1.0
    if low_name == low:
        return 0.95
    if low_name.replace("_", "") == low.replace("_", ""):
        return 0.9
    if low_name.startswith(low):
        return 0.6 + 0.2 * len(low) / len(low_name)
    if low in low_name:
        start = low_name.index(low)
        boundary = name[start].isupper() or not name[start - 1].isalnum()
        return (0.45 if boundary else 0.3) + 0.15 * len(low) / len(low_name)
    return _subsequence(low, name)


def _folded(text: str) -> str:
    """Lower case, letter by letter: some capitals, as that of a Turkish i, become two."""
    low = text.lower()
    return low if len(low) == len(text) else "".join(letter.lower()[0] for letter in text)


def _affix(same: bool, folded: bool, name: str, low: str) -> float:
    return (0.8 if same else 0.75 if folded else 0.0) + (0.2 * len(low) / len(name)) * (
        same or folded
    )


def _subsequence(low: str, name: str) -> float:
    """Letters in order; those that begin a word of the name count more, gaps count against."""
    position, gaps, heads, low_name = -1, 0, 0, _folded(name)
    for letter in low:
        found = low_name.find(letter, position + 1)
        if found < 0:
            return 0.0
        gaps += found > position + 1
        heads += found == 0 or name[found].isupper() or not name[found - 1].isalnum()
        position = found
    share = heads / len(low)
    if len(low) > 2 and share < 0.34 and gaps > 2:
        return 0.0
    return 0.1 + 0.2 * share + 0.1 / (1 + gaps)


_LETTERS: WeakKeyDictionary[NameTable, NDArray[np.uint64]] = WeakKeyDictionary()


def _letters_of(table: NameTable) -> NDArray[np.uint64]:
    """Which letters each name has, as bits; the table only grows, so only new names are read."""
    known = _LETTERS.get(table)
    n = len(table)
    if known is None or len(known) < n:
        before = known if known is not None else np.zeros(0, np.uint64)
        fresh = [_bits(name.lower()) for name in table.names[len(before) : n]]
        known = _LETTERS[table] = np.concatenate((before, np.array(fresh, np.uint64)))
    return known[:n]


def _mask(text: str) -> np.uint64:
    mask: np.uint64 = np.uint64(_bits(text))
    return mask


def _bits(text: str) -> int:
    bits = 0
    for letter in text:
        bits |= 1 << (ord(letter) % 61)
    return bits
