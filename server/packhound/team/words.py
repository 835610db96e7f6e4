"""The inverted table of a branch: which of its files have a term, where it is too large to pull.

It is cut into parts, by term and by file, so that a question reads a few kilobytes of it, and is
made at each push, with the branch, in one step. A file has a number; files are looked up by it.
"""

from __future__ import annotations

import zlib
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from math import log
from typing import NamedTuple
from uuid import UUID

import msgspec

from packhound.team.row import inflate, terms_of_row
from packhound.team.store import Branch, Store

_N_PARTS = 256
_BLOCK = 1_024
"""Files whose ids are in one part: those after the parts of terms."""
_COUNT = -1
"""The part with the number of files."""
_AT_ONCE = 64
_MAX_DIGITS = 10
_MOST_TERMS = 16
"""Of a question, the rarest."""

_Postings = dict[str, list[int]]


class WithWords(NamedTuple):
    """Files that have words of a question, the best first, and how many each branch has."""

    files: list[UUID]
    n_files: dict[UUID, int]


def updated_words(store: Store, branch: UUID | None, files: set[UUID]) -> dict[int, bytes]:
    """Return the parts that change as a branch comes to consist of files.

    Terms of files that are new to it come from the store, where they were pushed before.
    """
    parts = store.words(branch) if branch else {}
    ids = [id_ for part in sorted(p for p in parts if p >= _N_PARTS) for id_ in _ids(parts[part])]
    numbers = {id_: number for number, id_ in enumerate(ids) if id_ in files}
    removed = {number for number, id_ in enumerate(ids) if id_ not in files}
    free = iter([*sorted(removed), *range(len(ids), len(ids) + len(files))])
    added: dict[str, list[int]] = defaultdict(list)
    for id_, terms in _terms(store, [*files - numbers.keys()]):
        numbers[id_] = number = next(free)
        for term in terms:
            added[term].append(number)
    by_part: dict[int, _Postings] = defaultdict(dict)
    for term, new in added.items():
        by_part[_part_of(term)][term] = new
    changed = {
        part: packed
        for part in range(_N_PARTS)
        if (packed := _merged(parts.get(part), by_part[part], removed)) != parts.get(part)
    }
    by_number = {number: id_ for id_, number in numbers.items()}
    n_blocks = -(-(max(by_number, default=-1) + 1) // _BLOCK)
    for block in range(n_blocks):
        row = [by_number.get(block * _BLOCK + i) for i in range(_BLOCK)]
        changed[_N_PARTS + block] = b"".join(id_.bytes if id_ else bytes(16) for id_ in row)
    return {**changed, _COUNT: b"%d" % len(files)}


def files_with_words(
    store: Store, branches: Sequence[Branch], terms: Sequence[str], n: int
) -> WithWords:
    """Return the files of some branches with the rarest of some terms, by the sum of their idf.

    A term is as rare as it is in all of the branches together.
    """
    of_terms = {_part_of(term) for term in terms}
    parts = store.words_of([branch.id for branch in branches], [_COUNT, *of_terms])
    n_files = {branch: _count(of_branch) for branch, of_branch in parts.items()}
    postings: dict[str, list[tuple[UUID, int]]] = {term: [] for term in terms}
    for branch, of_branch in parts.items():
        tables = {part: _unpack(packed) for part, packed in of_branch.items() if part != _COUNT}
        for term, having in postings.items():
            numbers = tables.get(_part_of(term), {}).get(term, [])
            having += [(branch, number) for number in numbers]
    rarest = sorted(filter(postings.get, postings), key=lambda term: len(postings[term]))
    n_all, scores = sum(n_files.values()), defaultdict[tuple[UUID, int], float](float)
    for term in rarest[:_MOST_TERMS]:
        idf = log(1 + (n_all - len(postings[term]) + 0.5) / (len(postings[term]) + 0.5))
        for file in postings[term]:
            scores[file] += idf
    best = sorted(scores, key=lambda file: (-scores[file], file))[:n]
    blocks = {_N_PARTS + number // _BLOCK for _, number in best}
    of_files = store.words_of([*{branch for branch, _ in best}], [*blocks])
    ids = {(b, block): _ids(row) for b, rows in of_files.items() for block, row in rows.items()}
    places = (
        (ids.get((branch, _N_PARTS + number // _BLOCK), []), number % _BLOCK)
        for branch, number in best
    )
    return WithWords([row[i] for row, i in places if i < len(row)], n_files)


def _count(parts: Mapping[int, bytes]) -> int:
    packed = parts.get(_COUNT, b"")
    return int(packed) if packed.isdigit() and len(packed) < _MAX_DIGITS else 0


def _terms(store: Store, files: Sequence[UUID]) -> Iterator[tuple[UUID, set[str]]]:
    for first in range(0, len(files), _AT_ONCE):
        for id_, analysis in store.analyses(files[first : first + _AT_ONCE]).items():
            yield id_, terms_of_row(analysis)


def _part_of(term: str) -> int:
    return zlib.crc32(term.encode("utf-8", "replace")) % _N_PARTS


def _merged(packed: bytes | None, added: Mapping[str, list[int]], removed: set[int]) -> bytes:
    postings = _unpack(packed) if packed else {}
    if removed:
        postings = {t: [n for n in numbers if n not in removed] for t, numbers in postings.items()}
    for term, numbers in added.items():
        postings[term] = sorted({*postings.get(term, ()), *numbers})
    ordered = {term: postings[term] for term in sorted(postings) if postings[term]}
    return zlib.compress(msgspec.msgpack.encode(ordered))


def _unpack(packed: bytes) -> _Postings:
    try:
        return msgspec.msgpack.decode(inflate(packed), type=_Postings)
    except (ValueError, zlib.error, msgspec.MsgspecError):
        return {}  # Whoever may push has written it; the next push makes it anew.


def _ids(packed: bytes) -> list[UUID]:
    return [UUID(bytes=packed[i : i + 16]) for i in range(0, len(packed) - 15, 16)]
