"""Search by name as people type names: parts of it, in order, in any case.

For `workspace/symbol`. `'name` matches exactly that name, `^name` a prefix, `name$` a suffix;
several words must all match, each the name or the path and owner of it.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from packhound.core.types import KINDS, Hit, NodeId, SignalValue
from packhound.index import Snapshot
from packhound.search.order import SCORE_DIGITS, rank_hits
from packhound.search.query.filters import allowed_node_ids
from packhound.search.query.parse import ParsedQuery, Pattern
from packhound.search.retrieve.corpus_stats import CorpusStats
from packhound.text import FLAGS

_SEPARATORS = re.compile(r"::|->|[.#\\/:]")
_MATCH, _KIND, _TEST, _STALE, _LENGTH = 10.0, 1.0, -1.5, -1.5, -0.2
_OTHER_CASE = 0.5
"""Quality of an exact match in another case: no kind or path puts it before one as written."""
_MAX_NODES = 4_000

_TYPES = ("class", "struct", "enum", "interface", "trait", "module")
_KIND_VALUE = {"section": 0.0, "file": 0.0, "window": 0.0, "constant": 0.4, "test": 0.2}
_KIND_VALUE |= {"impl": -2.5} | dict.fromkeys(_TYPES, 1.0)
"""An impl bears its type's name: ten of them must not hide other names that begin with it."""

_IS_STALE = FLAGS.index("is_stale")
"""Generated, vendored or deprecated."""

_KIND_VALUES = np.array([_KIND_VALUE.get(kind, 0.7) for kind in KINDS])


def rank_symbols(
    snapshot: Snapshot, stats: CorpusStats, query: ParsedQuery, limit: int, root: str
) -> tuple[tuple[Hit, ...], int]:
    """Return the best `limit` nodes by name, and the number of candidates."""
    qualities = _match_names(snapshot, stats, query.patterns)
    node_ids = _node_ids(snapshot, stats, qualities, query)
    scored: list[tuple[float, str, int, tuple[SignalValue, ...]]] = []
    for node_id in node_ids.tolist():
        match = _match(snapshot, node_id, query.patterns, qualities)
        if match <= 0:
            continue
        file_id = int(snapshot.file_of[node_id])
        reasons = _reasons(snapshot, stats, query, node_id, match)
        score = math.fsum(reason.contribution for reason in reasons)
        scored.append((-round(score, SCORE_DIGITS), snapshot.paths[file_id], node_id, reasons))
    if limit <= 0 or not scored:
        return (), len(node_ids)
    scored.sort(key=_score_and_path)
    # Ties with the last are cut in the order of hits, not in that of node ids.
    last = _score_and_path(scored[min(limit, len(scored)) - 1])
    end = bisect_right(scored, last, key=_score_and_path)
    hits = (
        Hit(snapshot.ref(NodeId(node_id), root), 0, math.fsum(r.contribution for r in why), why)
        for _, _, node_id, why in scored[:end]
    )
    return rank_hits(hits, limit), len(node_ids)


def _score_and_path(row: tuple[float, str, int, tuple[SignalValue, ...]]) -> tuple[float, str]:
    return row[:2]


def _reasons(
    snapshot: Snapshot, stats: CorpusStats, query: ParsedQuery, node_id: int, match: float
) -> tuple[SignalValue, ...]:
    is_test = not stats.plain[snapshot.file_of[node_id]] and not query.wants_tests
    length = len(snapshot.name_table.names[snapshot.name_of[node_id]])
    signals = (
        SignalValue("name_match", match, _MATCH),
        SignalValue("definition_kind", float(_KIND_VALUES[snapshot.kind_of[node_id]]), _KIND),
        SignalValue("test_path", float(is_test), _TEST),
        SignalValue("stale_path", float(stats.flags[_IS_STALE][snapshot.file_of[node_id]]), _STALE),
        SignalValue("name_length", math.log1p(length), _LENGTH),
    )
    return tuple(signal for signal in signals if signal.value)


def _match_names(
    snapshot: Snapshot, stats: CorpusStats, patterns: Iterable[Pattern]
) -> tuple[dict[int, float], ...]:
    """Return the quality of each pattern's matches by name id."""
    names = snapshot.name_table.names
    by_pattern: list[dict[int, float]] = []
    for pattern in patterns:
        text = _last_part(pattern)
        name_ids = stats.letters.match_all(names, text).tolist()
        qualities = ((name_id, _quality(pattern, text, names[name_id])) for name_id in name_ids)
        by_pattern.append({name_id: quality for name_id, quality in qualities if quality > 0})
    return tuple(by_pattern)


def _node_ids(
    snapshot: Snapshot,
    stats: CorpusStats,
    qualities: tuple[dict[int, float], ...],
    query: ParsedQuery,
) -> NDArray[np.int32]:
    best = np.zeros(len(snapshot.name_table), np.float32)
    for quality in qualities:
        name_ids = np.fromiter(quality.keys(), np.int64, len(quality))
        values = np.fromiter(quality.values(), np.float32, len(quality))
        np.maximum.at(best, name_ids, values)
    scores = np.where(snapshot.live, best[snapshot.name_of], 0)
    allowed = allowed_node_ids(snapshot, stats, query)
    if allowed is not None:
        scores = np.where(allowed, scores, 0)
    node_ids = np.flatnonzero(scores > 0)
    if len(node_ids) > _MAX_NODES:
        floor = np.partition(scores[node_ids], -_MAX_NODES)[-_MAX_NODES]
        node_ids = node_ids[scores[node_ids] >= floor][: 2 * _MAX_NODES]
    return node_ids.astype(np.int32)


def _match(
    snapshot: Snapshot,
    node_id: int,
    patterns: tuple[Pattern, ...],
    qualities: tuple[dict[int, float], ...],
) -> float:
    """Return the mean quality over the words; those that miss the name must be in its path."""
    name_id = int(snapshot.name_of[node_id])
    total = 0.0
    full_path: str | None = None
    for pattern, quality_of in zip(patterns, qualities, strict=True):
        quality = quality_of.get(name_id, 0.0)
        owners = _SEPARATORS.split(pattern.text)[:-1] if quality else [pattern.text]
        if owners:
            if full_path is None:
                entry, position = snapshot.locate(node_id)
                full_path = f"{entry.path}/{entry.qualname(position)}".lower()
            if not all(owner.lower() in full_path for owner in owners if owner):
                return 0.0
        total += quality or 0.2
    return total / len(patterns)


def _last_part(pattern: Pattern) -> str:
    return _SEPARATORS.split(pattern.text)[-1] or pattern.text


def _quality(pattern: Pattern, text: str, name: str) -> float:
    """Return 1 for the name itself, down to 0.1 for scattered letters in order; 0 for no match."""
    low, low_name = _fold(text), _fold(name)
    # As in gopls: a capital in the query asks for that case.
    if pattern.operator == "exact":
        return float(name == text) or _OTHER_CASE * (low_name == low and text == low)
    if pattern.operator == "prefix":
        return _affix(name.startswith(text), low_name.startswith(low) and text == low, name, low)
    if pattern.operator == "suffix":
        return _affix(name.endswith(text), low_name.endswith(low) and text == low, name, low)
    if name == text:
        return 1.0
    if low_name == low:
        return 0.9
    if low_name.replace("_", "") == low.replace("_", ""):
        return 0.85
    # Below the step from one kind of match to the next.
    same_case = 0.03 * (text in name)
    if low_name.startswith(low):
        return 0.6 + 0.2 * len(low) / len(low_name) + same_case
    if low in low_name:
        start = low_name.index(low)
        head = 0.45 if _is_head(name, start) else 0.3
        return head + 0.15 * len(low) / len(low_name) + same_case
    return _camel_humps(low, name) or _subsequence(low, name)


def _fold(text: str) -> str:
    """Return lower case, letter by letter: some capitals, as that of a Turkish i, become two."""
    low = text.lower()
    return low if len(low) == len(text) else "".join(letter.lower()[0] for letter in text)


def _is_head(name: str, position: int) -> bool:
    """Return True if a word of the name begins at `position`."""
    return position == 0 or name[position].isupper() or not name[position - 1].isalnum()


def _affix(same: bool, folded: bool, name: str, low: str) -> float:
    return (0.8 if same else 0.75 if folded else 0.0) + (0.2 * len(low) / len(name)) * (
        same or folded
    )


def _camel_humps(low: str, name: str) -> float:
    """Return the quality of beginnings of words, the first word's first: `stwork`, steal_work."""
    start = len(name) - len(name.lstrip("_"))
    if len(low) < 2 or name[start : start + 1].lower() != low[0]:
        return 0.0
    low_name = _fold(name)
    heads = [i for i in range(start, len(name)) if name[i].isalnum() and _is_head(name, i)]
    # Letters matched so far, and the fewest words that it took.
    n_words = {0: 0}
    for head, end in zip(heads, [*heads[1:], len(name)], strict=True):
        for matched, n in tuple(n_words.items()):
            if matched or head == start:
                for letter in low_name[head:end]:
                    if matched == len(low) or letter != low[matched]:
                        break
                    matched += 1
                    n_words[matched] = min(n + 1, n_words.get(matched, n + 1))
    return 0.45 + 0.1 / n_words[len(low)] if len(low) in n_words else 0.0


def _subsequence(low: str, name: str) -> float:
    """Return the quality of letters in order: more for heads of words, less for gaps."""
    position, gaps, heads, low_name = -1, 0, 0, _fold(name)
    for letter in low:
        next_position = low_name.find(letter, position + 1)
        if next_position < 0:
            return 0.0
        gaps += next_position > position + 1
        heads += _is_head(name, next_position)
        position = next_position
    share = heads / len(low)
    if len(low) > 2 and share < 0.34 and gaps > 2:
        return 0.0
    return 0.1 + 0.2 * share + 0.1 / (1 + gaps)
