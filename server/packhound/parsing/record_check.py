"""Check of a record that another machine made."""

from __future__ import annotations

import numpy as np

from packhound.core.types import KINDS
from packhound.parsing.captured import KINDS as KINDS_OF_CAPTURES
from packhound.parsing.captured import SCALE
from packhound.parsing.node_codec import OWN_END, PARENT, START, TEXT_END, TEXTS_BEFORE, WIDTH

_HEAD = 4


def check_record(record: bytes, n_bytes: int) -> int:
    """Return the number of nodes of a sound record of a text of `n_bytes`.

    Raises ValueError if a number in it leads out of the text, of the record or of its nodes.
    """
    words = len(record) // 4 * 4
    numbers = np.frombuffer(record[:words], "<i4").astype(np.int64)
    if len(numbers) < _HEAD:
        raise ValueError("a record is too short")
    n, n_own, n_texts, n_captured = counts = numbers[:_HEAD].tolist()
    sizes = np.cumsum([_HEAD, n * WIDTH, n_own, n_texts, n_captured])
    if min(counts) < 0 or sizes[-1] > len(numbers):
        raise ValueError("a record is too short")
    table = numbers[sizes[0] : sizes[1]].reshape(n, WIDTH)
    edges, ends = numbers[sizes[1] : sizes[2]], numbers[sizes[2] : sizes[3]]
    captured = numbers[sizes[3] : sizes[4]]
    text = record[int(sizes[4]) * 4 :].decode("utf-8", "surrogatepass")
    start, end, first, last = table[:, START:PARENT].T
    own_end, text_end = table[:, OWN_END], table[:, TEXT_END]
    is_sound = (
        _are_within(table[:, 0], len(KINDS) - 1)
        and _are_within(edges, n_bytes)
        and not len(captured) % 2
        and _are_within(captured[::2], n_bytes * SCALE + len(KINDS_OF_CAPTURES) - 1)
        and _are_within(captured[::2] % SCALE, len(KINDS_OF_CAPTURES) - 1)
        and _are_within(captured[1::2], n_bytes)
        and _are_within(start, n_bytes)
        and bool((start <= end).all() and (end <= n_bytes).all())
        and bool((first >= 0).all() and (first <= last).all() and (last <= n_bytes).all())
        and bool((table[:, PARENT] >= -1).all() and (table[:, PARENT] < np.arange(n)).all())
        and bool(_rises(own_end, 0) and not (own_end % 2).any())
        and _rises(text_end, TEXTS_BEFORE)
        and _rises(ends, 0)
        and [*own_end[-1:], *text_end[-1:]] == ([n_own, n_texts] if n else [])
        and (n > 0 or n_own == n_texts == 0)
        and (int(ends[-1]) if n_texts else 0) == len(text)
    )
    if not is_sound:
        raise ValueError("a record leads out of its text")
    return int(n)


def _are_within(numbers: np.ndarray[tuple[int, ...], np.dtype[np.int64]], high: int) -> bool:
    return not len(numbers) or bool(numbers.min() >= 0 and numbers.max() <= high)


def _rises(numbers: np.ndarray[tuple[int, ...], np.dtype[np.int64]], step: int) -> bool:
    """Return True if each number is greater than the one before by `step` at least."""
    return not len(numbers) or bool(
        numbers[0] >= step and (numbers[1:] - numbers[:-1] >= step).all()
    )
