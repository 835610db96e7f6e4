"""Token ids of texts by way of their runs: the tokenizer reads each distinct run only once.

Code repeats its words so much that a memo of them is several times faster than the tokenizer. It
gives the same ids, exactly, for a tokenizer that does not look at a run's neighbours.
"""

from __future__ import annotations

import json
import re
from itertools import chain, islice
from typing import TYPE_CHECKING

import numpy as np

from packhound.core.arrays import Ints, LongInts, compact, concat_ranges
from packhound.core.caching import BoundedMemo
from packhound.parsing import ENCODED, NodeRuns
from packhound.text import runs

if TYPE_CHECKING:
    from tokenizers import Tokenizer

Ids = tuple[int, ...]

_ZERO: LongInts = np.zeros(1, np.int64)

_MEMO_ENTRIES = 100_000
"""Runs, and words, with their ids: some 20 MB."""

_MAX_MEMO_KEY = 80
"""Characters; longer runs seldom repeat."""

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
"""Splits ASCII text as the normalizer and the pre-tokenizer below do, but for the case."""

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
    """Return True if the ids of a text are those of its runs, as with the bundled encoder."""
    return (
        _state_of(tokenizer.normalizer) == _NORMALIZER
        and _state_of(tokenizer.pre_tokenizer) == _PRE_TOKENIZER
        and tokenizer.post_processor is None
        and not tokenizer.get_added_tokens_decoder()
    )


class RunTokenizer:
    """A tokenizer that `reads_by_runs`, with a memo. Safe to use from several threads."""

    def __init__(self, tokenizer: Tokenizer, max_ids: int) -> None:
        """`max_ids` is the maximum number of ids of a text."""
        tokenizer.no_truncation()
        self._tokenizer, self._max_ids = tokenizer, max_ids
        self._max_word = _max_whole_word(tokenizer)
        words = BoundedMemo(self._encode_word, _MEMO_ENTRIES, _MAX_MEMO_KEY)
        self._ids_of_word = words.__getitem__
        run_ids = BoundedMemo(self._encode_run, _MEMO_ENTRIES, _MAX_MEMO_KEY)
        self._ids_of_run = run_ids.__getitem__

    def encode(self, text: str) -> list[int]:
        """Return the ids of a text."""
        ids = chain.from_iterable(map(self._ids_of_run, runs(text)))
        return list(islice(ids, self._max_ids))

    def encode_nodes(self, nodes: NodeRuns) -> tuple[LongInts, LongInts]:
        """Return the ids of all nodes, concatenated, and the number of ids of each node."""
        texts, run, n_runs = _encoded_runs(nodes)
        ids_by_run = [*map(self._ids_of_run, texts)]
        sizes = np.fromiter(map(len, ids_by_run), np.int64, len(ids_by_run))
        flat = np.fromiter(chain.from_iterable(ids_by_run), np.int64, int(sizes.sum()))
        run_sizes = sizes[run]
        ends = np.concatenate((_ZERO, np.cumsum(run_sizes)))[np.cumsum(n_runs)]
        n_ids = np.diff(ends, prepend=0)
        n_truncated = np.minimum(n_ids, self._max_ids)
        ids = flat[concat_ranges((np.cumsum(sizes) - sizes)[run], run_sizes)]
        return ids[concat_ranges(ends - n_ids, n_truncated)], n_truncated

    def _encode_run(self, run: str) -> Ids:
        # Outside ASCII lower case may change where words end, so the run is read as a whole.
        words = _WORD.findall(run) if run.isascii() else (run,)
        return tuple(chain.from_iterable(map(self._ids_of_word, words)))

    def _encode_word(self, word: str) -> Ids:
        # An ASCII word is one part of a run, which nothing before the vocabulary would cut again.
        if word.isascii() and len(word) <= self._max_word:
            token_id = self._tokenizer.token_to_id(word.lower())
            if token_id is not None:
                return (token_id,)
        return tuple(self._tokenizer.encode(word, add_special_tokens=False).ids)


def _max_whole_word(tokenizer: Tokenizer) -> int:
    """Return the length up to which a word of the vocabulary is one id; 0 if it may be several."""
    from tokenizers.models import WordPiece

    model = tokenizer.model
    return int(model.max_input_chars_per_word) if isinstance(model, WordPiece) else 0


def _encoded_runs(nodes: NodeRuns) -> tuple[list[str], Ints, LongInts]:
    """Return the distinct runs that an encoder reads, positions in them, and counts by node."""
    lengths = nodes.lengths.astype(np.int64)
    starts = np.cumsum(lengths).reshape(lengths.shape) - lengths
    n_runs = lengths[:, ENCODED].sum(axis=1)
    return *compact(nodes.runs, nodes.run[concat_ranges(starts[:, ENCODED.start], n_runs)]), n_runs


def _state_of(component: object) -> object:
    """Return the JSON of a component of a tokenizer, as in tokenizer.json."""
    state = getattr(component, "__getstate__", bytes)()
    return json.loads(state) if isinstance(state, bytes) and state else None
