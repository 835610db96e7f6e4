"""Files that are known by their path alone, such as images, as hits of a search."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path

from packhound.core import types
from packhound.core.status import IN_PART, LeftOut
from packhound.files import stamp_at
from packhound.grep import select
from packhound.index import Snapshot
from packhound.parsing import HOLE
from packhound.search.query.filters import nodes_with
from packhound.search.query.parse import ParsedQuery, parse_query
from packhound.search.remarks import without_denials
from packhound.search.signals.registry import EXACT_MATCH
from packhound.text import is_test, terms

_MOST_TERMS = 12
"""Words of a query that may still be a path."""
"""Reasons of files that are in the index all the same."""
_MOST_FOUND = 200
"""Files with the words of a query among which the best are chosen."""
_NAMED = 390.0
"""Score of a file of the path that a query is: exact matches of levels below `PATH` have less."""
_APART = 1e-6


def add_unread_files(
    results: types.Results, query: types.Query, snapshot: Snapshot, left_out: LeftOut, root: Path
) -> types.Results:
    """Return an answer with the files that nobody has read and whose path the query says.

    They come after what was read and has the same path, or else all words of the query.
    """
    paths = {r: text for r, text in left_out.paths.items() if r not in IN_PART}
    is_pattern = query.pattern or HOLE.search(query.text)
    if not paths or is_pattern or query.mode not in ("hybrid", "lexical"):
        return results
    parsed = parse_query(query)
    if not _asks_for_paths(parsed):
        return results
    found = _matching(parsed, paths)
    named = [each for each in found if _names_file(each[0], parsed.text)]
    there = (each for each in named or found if stamp_at(root, each[0]))
    unread = [*islice(there, query.limit)]
    if not unread:
        return results
    score = _score(results.hits, unread[0][0], parsed.text, snapshot)
    n_before = sum(hit.score > score for hit in results.hits)
    before, after = results.hits[:n_before], results.hits[n_before:]
    made = [_hit(path, reason, score, snapshot, root) for path, reason in unread]
    merged = [*before, *made, *after][: query.limit]
    ranked = tuple(replace(hit, rank=rank) for rank, hit in enumerate(merged, 1))
    return without_denials(replace(results, hits=ranked))


def _score(hits: Sequence[types.Hit], path: str, text: str, snapshot: Snapshot) -> float:
    """Return a score below those of the hits that answer as well, and above others."""
    if _names_file(path, text):
        return _NAMED
    has_words = {*nodes_with(snapshot, text).tolist()}
    as_good = [hit.score for hit in hits if hit.record or hit.node.node_id in has_words]
    return min(as_good) - _APART if as_good else hits[0].score + _APART if hits else 0.0


def _asks_for_paths(query: ParsedQuery) -> bool:
    """Return True if a path can answer: nothing is asked of text, kind, language or date."""
    is_of_text = query.exact or query.regexes or query.has_operators or query.languages
    is_of_kind = (query.kinds and "file" not in query.kinds) or "file" in query.excluded_kinds
    scope = query.scope
    is_of_code = scope.has_code and not (scope.is_dated or scope.tags)
    return bool(is_of_code and not (is_of_text or is_of_kind) and (query.text or query.globs))


def _matching(query: ParsedQuery, paths: dict[str, str]) -> list[tuple[str, str]]:
    """Return path and reason of files whose path has all words of a query, by its filters.

    Those whose name begins with the query come first, then short paths.
    """
    words = frozenset(terms(query.text))
    if len(words) > _MOST_TERMS or bool(query.text) != bool(words):
        return []
    is_selected = select(query.globs, query.excluded_globs)
    text = query.text.lower()
    found = (
        (path, reason)
        for reason, joined in paths.items()
        for path in _likely(joined, words, text)
        if words.issubset(terms(path))
        and is_selected(path)
        and (query.tests == "last" or is_test(path) == (query.tests == "only"))
    )

    def key(file: tuple[str, str]) -> tuple[bool, int, str]:
        path = file[0]
        return not path.rpartition("/")[2].lower().startswith(text), len(path), path

    return sorted(dict(islice(found, _MOST_FOUND)).items(), key=key)


def _likely(joined: str, words: Collection[str], text: str) -> Iterator[str]:
    """Yield the paths that may have all words, those that end with a text first.

    A stem may end in another letter than the word that it is of.
    """
    if not words:
        yield from joined.split("\0")[:-1]
        return
    lower = joined.lower()
    if len(lower) != len(joined):  # A letter that is two in lower case.
        lower = joined
    # A name of several parts is a word as a whole too, without what joins them.
    parts = [part for word in words if (part := word[:-1] or word) in lower]
    if not parts:
        return
    rarest = min(parts, key=lower.count)
    for part in (f"{text}\0", rarest):
        end = 0
        while (at := lower.find(part, end)) >= 0:
            start, end = lower.rfind("\0", 0, at) + 1, lower.index("\0", at)
            if all(part in lower[start:end] for part in parts):
                yield joined[start:end]


def _names_file(path: str, text: str) -> bool:
    """Return True if a query is the path of a file, or the end of it, with its suffix."""
    wanted = text.removeprefix("./").lower()
    return "." in wanted and f"/{path.lower()}".endswith(f"/{wanted}")


def _hit(path: str, reason: str, score: float, snapshot: Snapshot, root: Path) -> types.Hit:
    name, span = path.rpartition("/")[2], types.Span(0, 0, 0, 0)
    names = (name, name, "", "", span)
    node = types.NodeRef(str(root), path, "", "file", *names, snapshot.generation, types.NodeId(-1))
    explanation = partial(types.Explanation, (f"not read: {reason}",))
    why = (types.SignalValue(EXACT_MATCH, score, 1.0),)
    return types.Hit(node, 0, score, why, explanation=explanation, unread=reason)
