"""Words of the corpus -> tokenizer.json: identifiers split at case, underscore and digits.

Unknown words fall back to pieces (`##` continues a word), so every word of letters and digits has
tokens. The rules live in the file alone: any Hugging Face tokenizers runtime gives the same tokens.
"""

from __future__ import annotations

import math
import re
import string
from collections import Counter
from collections.abc import Iterable

from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers

UNKNOWN = "[UNK]"
PADDING = "[PAD]"

CASE_BOUNDARY = r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])"
WORD = r"[^\W\d_]+|\d+"
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")

_LONGEST = 40
_PIECE_LENGTHS = range(2, 7)


def count_words(texts: Iterable[str]) -> Counter[str]:
    """How many of `texts` hold each word."""
    counts: Counter[str] = Counter()
    find = _PART.findall
    for text in texts:
        counts.update({part.lower() for part in find(text) if len(part) <= _LONGEST})
    return counts


def merge_counts(per_repository: Iterable[Counter[str]]) -> Counter[str]:
    """One weight a word: repositories count by the logarithm, so that none brings only its own."""
    merged: Counter[str] = Counter()
    for counts in per_repository:
        for word, count in counts.items():
            merged[word] += math.log2(1 + count)
    return merged


def build_tokenizer(weights: Counter[str], size: int, n_pieces: int) -> Tokenizer:
    """A tokenizer of `size` entries, of which about `n_pieces` continue a word."""
    ranked = sorted(weights, key=lambda word: (-weights[word], word))
    ranked = [word for word in ranked if not word.isdigit() or len(word) <= 4]
    characters = string.ascii_lowercase + string.digits
    vocabulary = [PADDING, UNKNOWN, *characters, *("##" + c for c in characters)]
    n_words = size - n_pieces - len(vocabulary)
    words = [word for word in ranked if len(word) > 1][:n_words]
    tail = ranked[len(words) :]
    pieces = _pieces(words, {word: weights[word] for word in tail}, n_pieces)
    entries = dict.fromkeys([*vocabulary, *words, *("##" + piece for piece in pieces)])
    return _tokenizer({entry: row for row, entry in enumerate(entries)})


def _pieces(words: list[str], tail: dict[str, float], n_pieces: int) -> list[str]:
    """Ends of the words that found no place: common words first, then runs of letters."""
    seen: Counter[str] = Counter()
    common = {word for word in words[:20_000] if len(word) >= 3}
    for word, weight in tail.items():
        for start in range(1, len(word) - 1):
            for length in _PIECE_LENGTHS:
                piece = word[start : start + length]
                if len(piece) == length:
                    seen[piece] += weight * (length if piece in common else length - 1)
            rest = word[start:]
            if len(rest) > _PIECE_LENGTHS.stop and rest in common:
                seen[rest] += weight * len(rest)
    return [piece for piece, _ in seen.most_common(n_pieces)]


def _tokenizer(vocabulary: dict[str, int]) -> Tokenizer:
    tokenizer = Tokenizer(
        models.WordPiece(vocabulary, unk_token=UNKNOWN, max_input_chars_per_word=_LONGEST)
    )
    tokenizer.normalizer = normalizers.Sequence(
        [normalizers.Replace(Regex(CASE_BOUNDARY), " "), normalizers.Lowercase()]
    )
    tokenizer.pre_tokenizer = pre_tokenizers.Split(Regex(WORD), behavior="removed", invert=True)
    tokenizer.decoder = decoders.WordPiece()
    return tokenizer
