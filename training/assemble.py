"""Assemble: mined records -> tokenizer.json and arrays of token ids that a training run reads.

    python training/assemble.py --mined MINED --out ARRAYS [--vocabulary 61000]

Pairs come from doc comments (query: the prose; positive: the node without it) and, for nodes that
have none, from names (query: the words of the name; positive: the node without those words).
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import sys
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import repeat
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from pairs import first_sentence, name_query, query_of, text_of
from tokenizers import Tokenizer
from vocabulary import build_tokenizer, count_words, merge_counts

MAX_TOKENS = 256
MAX_QUERY_TOKENS = 96
KINDS = ("doc", "name")
MAX_PAIRS = {"doc": 9_000, "name": 1_500}
"""Per repository, so that the largest do not drown the others."""

SHORTEST_CODE = 40
"""Characters; less is a forward declaration or a constant."""

SKIPPED_LANGUAGES = frozenset({"markdown", "text", "rst", "json", "yaml", "toml", "html", "css"})


@dataclass(frozen=True, slots=True)
class Pair:
    """One pair as text; `digest` is that of the node's own text, "" if it is too short to copy."""

    query: str
    sentence: str
    code: str
    kind: int
    repo: int
    language: str
    digest: str


def main() -> int:
    options = _options()
    options.out.mkdir(parents=True, exist_ok=True)
    started = time.monotonic()
    listing = sorted(options.mined.glob("*.jsonl.gz"))
    pairs: list[Pair] = []
    counts, sources = [], []
    seen: set[str] = set()
    with ProcessPoolExecutor(options.workers) as pool:
        jobs = pool.map(_extracted, listing, range(len(listing)), repeat(options.seed))
        for number, (head, words, extracted) in enumerate(jobs, 1):
            fresh = [pair for pair in extracted if not (pair.digest and pair.digest in seen)]
            seen.update(pair.digest for pair in fresh)
            pairs += fresh
            counts.append(words)
            tally = Counter(KINDS[pair.kind] for pair in fresh)
            sources.append(head | {"pairs": dict(tally)})
            if number % 20 == 0 or number == len(listing):
                seconds = time.monotonic() - started
                print(f"[{number}/{len(listing)} {seconds:.0f} s] {len(pairs)}", flush=True)
    if options.tokenizer:
        tokenizer = Tokenizer.from_file(str(options.tokenizer))
    else:
        tokenizer = build_tokenizer(merge_counts(counts), options.vocabulary, options.pieces)
    tokenizer.save(str(options.out / "tokenizer.json"), pretty=False)
    _save(pairs, tokenizer, options.out)
    (options.out / "sources.json").write_text(json.dumps(sources, indent=1))
    print(f"{len(pairs)} pairs, {time.monotonic() - started:.0f} s", flush=True)
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mined", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--tokenizer", type=Path, help="keep this one instead of building one")
    parser.add_argument("--vocabulary", type=int, default=61_000)
    parser.add_argument("--pieces", type=int, default=5_000)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    return parser.parse_args()


def _extracted(path: Path, repo: int, seed: int) -> tuple[dict[str, str], Counter[str], list[Pair]]:
    """What is known of one repository, the counts of its words, and its pairs."""
    head, records = _read(path)
    code = [record for record in records if record["language"] not in SKIPPED_LANGUAGES]
    words = count_words(f"{r['qualname']} {r['doc']} {r['code']}" for r in code)
    pairs: dict[str, list[Pair]] = {kind: [] for kind in KINDS}
    for record in code:
        pair = _pair(record, repo)
        if pair is not None:
            pairs[KINDS[pair.kind]].append(pair)
    rng = np.random.default_rng((seed, repo))
    unique: list[Pair] = []
    for kind, listed in pairs.items():
        if len(listed) > MAX_PAIRS[kind]:
            listed = [listed[i] for i in rng.choice(len(listed), MAX_PAIRS[kind], replace=False)]
        unique += listed
    return head, words, unique


def _read(path: Path) -> tuple[dict[str, str], list[dict[str, str]]]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        head = json.loads(file.readline())
        return head, [json.loads(line) for line in file]


def _pair(record: dict[str, str], repo: int) -> Pair | None:
    """The pair that a node gives: asked by its doc comment if it has one, else by its name."""
    if len(record["code"]) < SHORTEST_CODE:
        return None
    prose = query_of(record["doc"]) if record["doc"] else None
    name = None if prose or not record["name"] else name_query(record["qualname"])
    query = prose or name
    if query is None:
        return None
    return Pair(
        query=query,
        sentence=first_sentence(prose) if prose else query,
        code=text_of(record["path"], record["qualname"], "", record["code"]),
        kind=0 if prose else 1,
        repo=repo,
        language=record["language"],
        digest=record["digest"],
    )


def _number(text: str) -> int:
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=7).digest(), "little")


def _save(pairs: list[Pair], tokenizer: Tokenizer, out: Path) -> None:
    columns: dict[str, NDArray[np.generic]] = {}
    columns["query"], columns["query_offsets"] = tokenise(
        tokenizer, [pair.query for pair in pairs], MAX_QUERY_TOKENS
    )
    columns["code"], columns["code_offsets"] = tokenise(
        tokenizer, [pair.code for pair in pairs], MAX_TOKENS
    )
    lengths = [len(ids) for ids in _encode(tokenizer, [pair.sentence for pair in pairs])]
    columns["sentence"] = np.array(lengths, np.int64)
    columns["kind"] = np.array([pair.kind for pair in pairs], np.uint8)
    columns["repo"] = np.array([pair.repo for pair in pairs], np.int32)
    columns["language"] = np.array([pair.language for pair in pairs])
    columns["query_digest"] = np.array([_number(pair.query) for pair in pairs], np.int64)
    np.savez(out / "pairs.npz", **columns)


def tokenise(
    tokenizer: Tokenizer, texts: list[str], limit: int
) -> tuple[NDArray[np.uint16], NDArray[np.int64]]:
    """Token ids of all texts end to end, at most `limit` each, and where each text begins."""
    chunks: list[NDArray[np.uint16]] = []
    lengths = []
    for ids in _encode(tokenizer, texts):
        chunks.append(np.array(ids[:limit], np.uint16))
        lengths.append(len(chunks[-1]))
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    return (np.concatenate(chunks) if chunks else np.empty(0, np.uint16)), offsets


def _encode(tokenizer: Tokenizer, texts: list[str]) -> Iterator[list[int]]:
    for start in range(0, len(texts), 2_000):
        encoded = tokenizer.encode_batch_fast(
            texts[start : start + 2_000], add_special_tokens=False
        )
        for encoding in encoded:
            yield encoding.ids


if __name__ == "__main__":
    sys.exit(main())
