"""Token ids of texts by way of their runs: what repeats is read by the tokenizer only once.

Code repeats its words so much that a table of them is several times faster than the tokenizer. It
gives the same ids, exactly, for a tokenizer that looks at no run's neighbours.
"""

from __future__ import annotations

import json
import re
from itertools import chain, islice
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from packhound.core.arrays import LongInts, compact, concat_ranges
from packhound.parsing.analysed_file import ENCODED, NodeRuns
from packhound.text.tokenizer import runs

if TYPE_CHECKING:
    from tokenizers import Tokenizer

Ids = tuple[int, ...]

_ZERO: LongInts = np.zeros(1, np.int64)

_REMEMBERED = 100_000
"""Runs, and words, remembered with their ids: some 20 MB. A full table is emptied."""

_LONGEST = 80
"""Characters of a run that is worth remembering."""

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
"""What the parts below make of ASCII text, but for the case."""

_NORMALIZER = {
    "type": "Sequence",
    "normalizers": [
        {
            "type": "Replace",
            "pattern": {"Regex": "(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])"},
            "content": " ",
        },
        {"type": "Lowercase"},
    ],
}
_PRE_TOKENIZER = {
    "type": "Split",
    "pattern": {"Regex": r"[^\W\d_]+|\d+"},
    "behavior": "Removed",
    "invert": True,
}


def reads_by_runs(tokenizer: Tokenizer) -> bool:
    """Whether the ids of a text are those of its runs, as they are with the bundled encoder."""
    return (
        _described(tokenizer.normalizer) == _NORMALIZER
        and _described(tokenizer.pre_tokenizer) == _PRE_TOKENIZER
        and tokenizer.post_processor is None
        and not tokenizer.get_added_tokens_decoder()
    )


class RunIds:
    """A tokenizer that `reads_by_runs`, and what it made of what it has seen.

    Safe to use from several threads.
    """

    def __init__(self, tokenizer: Tokenizer, limit: int) -> None:
        """`limit` is the number of ids that a text has at most."""
        tokenizer.no_truncation()
        self._ids_of = _IdsOfRuns(_IdsOfWords(tokenizer)).__getitem__
        self._limit = limit

    def of(self, text: str) -> list[int]:
        """The ids of a text."""
        ids = chain.from_iterable(map(self._ids_of, runs(text)))
        return list(islice(ids, self._limit))

    def of_nodes(self, nodes: NodeRuns) -> tuple[LongInts, LongInts]:
        """The ids of nodes in a row, and how many of them are those of each."""
        runs, run, n_runs = _read_by_encoder(nodes)
        found = [*map(self._ids_of, runs)]
        sizes = np.fromiter(map(len, found), np.int64, len(found))
        flat = np.fromiter(chain.from_iterable(found), np.int64, int(sizes.sum()))
        spread = sizes[run]
        ends = np.concatenate((_ZERO, np.cumsum(spread)))[np.cumsum(n_runs)]
        n_ids = np.diff(ends, prepend=0)
        kept = np.minimum(n_ids, self._limit)
        ids = flat[concat_ranges((np.cumsum(sizes) - sizes)[run], spread)]
        return ids[concat_ranges(ends - n_ids, kept)], kept


class _IdsOfRuns(dict[str, Ids]):
    """Asking for a new run reads it by its words, or as a whole if case may mean more in it."""

    def __init__(self, words: _IdsOfWords) -> None:
        super().__init__()
        self._ids_of = words.__getitem__

    def __missing__(self, run: str) -> Ids:
        if len(self) >= _REMEMBERED:
            self.clear()
        words = _WORD.findall(run) if run.isascii() else (run,)
        ids = tuple(chain.from_iterable(map(self._ids_of, words)))
        if len(run) <= _LONGEST:
            self[run] = ids
        return ids


class _IdsOfWords(dict[str, Ids]):
    """Asking for a new word looks it up, or has the tokenizer read it."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        super().__init__()
        self._tokenizer = tokenizer
        self._longest_whole = _longest_whole(tokenizer)

    def __missing__(self, word: str) -> Ids:
        if len(self) >= _REMEMBERED:
            self.clear()
        ids = self._read(word)
        if len(word) <= _LONGEST:
            self[word] = ids
        return ids

    def _read(self, word: str) -> Ids:
        # In ASCII it is one part of a run, which nothing before the vocabulary would cut again.
        if word.isascii() and len(word) <= self._longest_whole:
            whole = self._tokenizer.token_to_id(word.lower())
            if whole is not None:
                return (whole,)
        return tuple(self._tokenizer.encode(word, add_special_tokens=False).ids)


def _longest_whole(tokenizer: Tokenizer) -> int:
    """Up to so many characters a word of the vocabulary is one id; 0 where it may be several."""
    from tokenizers.models import WordPiece

    model = tokenizer.model
    return int(model.max_input_chars_per_word) if isinstance(model, WordPiece) else 0


def _read_by_encoder(nodes: NodeRuns) -> tuple[list[str], NDArray[np.int32], LongInts]:
    """The distinct runs that an encoder reads, a position in them for each; how many by node."""
    lengths = nodes.lengths.astype(np.int64)
    starts = np.cumsum(lengths).reshape(lengths.shape) - lengths
    n_runs = lengths[:, ENCODED].sum(axis=1)
    return *compact(nodes.runs, nodes.run[concat_ranges(starts[:, ENCODED.start], n_runs)]), n_runs


def _described(part: object) -> object:
    """A part of a tokenizer as tokenizer.json has it."""
    state = getattr(part, "__getstate__", bytes)()
    return json.loads(state) if isinstance(state, bytes) and state else None
