"""Assemble: mined records -> tokenizer.json and arrays of token ids that a training run reads.

    python training/assemble.py --mined MINED --out ARRAYS [--share 0.5] [--vocabulary 61000]

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
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from pairs import first_sentence, name_query, query_of, text_of
from tokenizers import Tokenizer
from vocabulary import build_tokenizer, count_words, merge_counts

MAX_TOKENS = 256
MAX_QUERY_TOKENS = 96
MAX_PAIRS = {"doc": 9_000, "name": 5_000}
"""Per repository, so that the largest do not drown the others."""

SKIPPED_LANGUAGES = frozenset({"markdown", "text", "rst", "json", "yaml", "toml", "html", "css"})


@dataclass(slots=True)
class Pairs:
    """Parallel lists, one row a pair."""

    query: list[str] = field(default_factory=list)
    sentence: list[str] = field(default_factory=list)
    code: list[str] = field(default_factory=list)
    kind: list[int] = field(default_factory=list)
    repo: list[int] = field(default_factory=list)
    file: list[int] = field(default_factory=list)
    language: list[str] = field(default_factory=list)


def main() -> int:
    options = _options()
    options.out.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(options.seed)
    started = time.monotonic()
    pairs, counts = Pairs(), []
    seen: set[str] = set()
    sources = []
    listing = sorted(options.mined.glob("*.jsonl.gz"))
    for number, path in enumerate(listing):
        head, records = _read(path)
        words, found = _add(pairs, records, number, seen, rng)
        counts.append(words)
        sources.append(head | {"pairs": dict(found)})
        if number % 20 == 19 or number + 1 == len(listing):
            seconds = time.monotonic() - started
            print(f"[{number + 1}/{len(listing)} {seconds:.0f} s] {len(pairs.kind)}", flush=True)
    if options.tokenizer:
        tokenizer = Tokenizer.from_file(str(options.tokenizer))
    else:
        tokenizer = build_tokenizer(merge_counts(counts), options.vocabulary, options.pieces)
    tokenizer.save(str(options.out / "tokenizer.json"), pretty=False)
    _save(pairs, tokenizer, options.out)
    (options.out / "sources.json").write_text(json.dumps(sources, indent=1))
    print(f"{len(pairs.kind)} pairs, {time.monotonic() - started:.0f} s", flush=True)
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mined", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--tokenizer", type=Path, help="keep this one instead of building one")
    parser.add_argument("--vocabulary", type=int, default=61_000)
    parser.add_argument("--pieces", type=int, default=5_000)
    parser.add_argument("--seed", type=int, default=0)
    return parser.parse_args()


def _read(path: Path) -> tuple[dict[str, str], list[dict[str, str]]]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        head = json.loads(file.readline())
        return head, [json.loads(line) for line in file]


def _add(
    pairs: Pairs,
    records: list[dict[str, str]],
    repo: int,
    seen: set[str],
    rng: np.random.Generator,
) -> tuple[Counter[str], Counter[str]]:
    """Add the pairs of one repository; the counts of its words, and of its pairs by kind."""
    fresh = [r for r in records if not (r["digest"] and r["digest"] in seen)]
    seen.update(r["digest"] for r in fresh)
    code = [r for r in fresh if r["language"] not in SKIPPED_LANGUAGES]
    words = count_words(f"{r['qualname']} {r['doc']} {r['own']}" for r in code)
    candidates: dict[str, list[tuple[dict[str, str], str]]] = {"doc": [], "name": []}
    for record in code:
        if len(record["own"]) < 40:
            continue
        prose = query_of(record["doc"]) if record["doc"] else None
        if prose:
            candidates["doc"].append((record, prose))
        elif record["name"] and (words_of_name := name_query(record["qualname"])):
            candidates["name"].append((record, words_of_name))
    found: Counter[str] = Counter()
    for kind, listed in candidates.items():
        kept = listed
        if len(listed) > MAX_PAIRS[kind]:
            kept = [listed[i] for i in rng.choice(len(listed), MAX_PAIRS[kind], replace=False)]
        found[kind] = len(kept)
        for record, query in kept:
            _append(pairs, record, query, kind, repo)
    return words, found


def _append(pairs: Pairs, record: dict[str, str], query: str, kind: str, repo: int) -> None:
    path, qualname, own = record["path"], record["qualname"], record["own"]
    pairs.query.append(query)
    pairs.sentence.append(first_sentence(query) if kind == "doc" else query)
    pairs.code.append(text_of(path, qualname, "", own))
    pairs.kind.append(0 if kind == "doc" else 1)
    pairs.repo.append(repo)
    pairs.file.append(_number(f"{repo}/{path}"))
    pairs.language.append(record["language"])


def _number(text: str) -> int:
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=7).digest(), "little")


def _save(pairs: Pairs, tokenizer: Tokenizer, out: Path) -> None:
    columns: dict[str, NDArray[np.generic]] = {}
    for name, limit in (("query", MAX_QUERY_TOKENS), ("code", MAX_TOKENS)):
        ids, offsets = tokenise(tokenizer, getattr(pairs, name), limit)
        columns[name], columns[name + "_offsets"] = ids, offsets
    lengths = [len(ids) for ids in _encode(tokenizer, pairs.sentence)]
    columns["sentence"] = np.array(lengths, np.int64)
    columns["kind"] = np.array(pairs.kind, np.uint8)
    columns["repo"] = np.array(pairs.repo, np.int32)
    columns["source_file"] = np.array(pairs.file, np.int64)
    columns["language"] = np.array(pairs.language)
    columns["query_digest"] = np.array([_number(query) for query in pairs.query], np.int64)
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
