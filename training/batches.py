"""The pairs to train on, and batches of them as sparse matrices over their tokens."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from arrays import Bags, Ragged, bags, gather, load
from assemble import MAX_QUERY_TOKENS
from numpy.typing import NDArray
from tokenizers import Tokenizer


@dataclass(frozen=True, slots=True)
class Data:
    """All pairs; the first `sentence` tokens of a query are its first sentence."""

    queries: Ragged
    sentence: NDArray[np.int64]
    codes: Ragged
    kind: NDArray[np.uint8]
    repo: NDArray[np.int32]
    query_digest: NDArray[np.int64]
    vocabulary: int

    def __len__(self) -> int:
        return len(self.kind)


@dataclass(frozen=True, slots=True)
class Batch:
    """Distinct token ids int64[n]; queries and codes as matrices over them, with transposes."""

    ids: torch.Tensor
    queries: tuple[torch.Tensor, torch.Tensor]
    codes: tuple[torch.Tensor, torch.Tensor]
    same: torch.Tensor


def read_data(arrays: Path) -> Data:
    """What `assemble.py` has written."""
    pairs = arrays / "pairs.npz"
    with np.load(pairs) as columns:
        data = Data(
            load(pairs, "query"),
            columns["sentence"],
            load(pairs, "code"),
            columns["kind"],
            columns["repo"],
            columns["query_digest"],
            Tokenizer.from_file(str(arrays / "tokenizer.json")).get_vocab_size(),
        )
    print(f"{len(data)} pairs, vocabulary {data.vocabulary}", flush=True)
    return data


def batches(
    data: Data, rows: list[NDArray[np.int64]], options: argparse.Namespace
) -> Iterator[Batch]:
    """The batches of `rows`, the next ones prepared while one trains."""
    with ThreadPoolExecutor(1) as pool:
        jobs = [pool.submit(_batch, data, rows[i], options, i) for i in range(min(3, len(rows)))]
        for step in range(len(rows)):
            yield jobs.pop(0).result()
            if step + 3 < len(rows):
                jobs.append(pool.submit(_batch, data, rows[step + 3], options, step + 3))


def rows_of_batches(
    data: Data, options: argparse.Namespace, rng: np.random.Generator
) -> list[NDArray[np.int64]]:
    """Which pairs each batch of the run holds."""
    pool = np.flatnonzero(rng.random(len(data)) < options.share)
    batches = []
    for epoch in range(options.epochs):
        chosen = (data.kind[pool] == 0) | (rng.random(len(pool)) < options.names)
        order = rng.permutation(pool[chosen])
        if epoch % 2:
            order = _by_repository(data.repo, order, options.chunk, rng)
        batches.extend(np.split(order, range(options.batch, len(order), options.batch))[:-1])
    return batches


def _by_repository(
    repo: NDArray[np.int32], order: NDArray[np.int64], chunk: int, rng: np.random.Generator
) -> NDArray[np.int64]:
    """`order` cut into runs of one repository each, the runs shuffled."""
    grouped = order[np.argsort(repo[order], kind="stable")]
    borders = np.flatnonzero(np.diff(repo[grouped])) + 1
    runs = []
    for group in np.split(grouped, borders):
        runs.extend(np.split(group, range(chunk, len(group), chunk)))
    return np.concatenate([runs[i] for i in rng.permutation(len(runs))])


def _batch(data: Data, rows: NDArray[np.int64], options: argparse.Namespace, step: int) -> Batch:
    rng = np.random.default_rng((options.seed, step))
    n = len(rows)
    named = data.kind[rows] == 1
    prose = rng.random(n) < options.prose
    documented = np.flatnonzero((rng.random(n) < options.documented) & ~named)
    hidden = rng.random(n) < options.hidden
    lengths = np.where(prose, MAX_QUERY_TOKENS, data.sentence[rows])
    asked_ids, asked_text = gather(data.queries, rows, lengths)
    retained = rng.random(len(asked_ids)) >= options.drop
    queries = bags(asked_ids[retained], asked_text[retained], n)
    ids, text = gather(data.codes, rows)
    doc_ids, doc_text = gather(data.queries, rows[documented])
    ids, text = np.concatenate([ids, doc_ids]), np.concatenate([text, documented[doc_text]])
    retained = rng.random(len(ids)) >= options.drop
    codes = bags(ids[retained], text[retained], n, drop=_only(queries, named & hidden))
    ids = np.union1d(queries.ids, codes.ids)
    digests = torch.from_numpy(data.query_digest[rows])
    same = digests[:, None] == digests[None, :]
    return Batch(
        torch.from_numpy(ids),
        _matrices(queries, ids, options.saturation),
        _matrices(codes, ids, options.saturation),
        same.fill_diagonal_(False),
    )


def _only(texts: Bags, rows: NDArray[np.bool_]) -> Bags:
    """`texts` with the other rows emptied."""
    lengths = np.diff(texts.offsets)
    retained = np.repeat(rows, lengths)
    offsets = np.concatenate([[0], np.cumsum(np.where(rows, lengths, 0))])
    return Bags(texts.ids[retained], texts.counts[retained], offsets)


def _matrices(
    texts: Bags, ids: NDArray[np.int64], saturation: str
) -> tuple[torch.Tensor, torch.Tensor]:
    """Texts over tokens and tokens over texts, in compressed rows."""
    columns = np.searchsorted(ids, texts.ids)
    values = saturate(texts.counts, saturation)
    n_texts = len(texts.offsets) - 1
    rows = np.repeat(np.arange(n_texts), np.diff(texts.offsets))
    order = np.argsort(columns, kind="stable")
    below = np.searchsorted(columns[order], np.arange(len(ids) + 1))
    return (
        _compressed(texts.offsets, columns, values, (n_texts, len(ids))),
        _compressed(below, rows[order], values[order], (len(ids), n_texts)),
    )


def _compressed(
    offsets: NDArray[np.int64],
    columns: NDArray[np.int64],
    values: NDArray[np.float32],
    shape: tuple[int, int],
) -> torch.Tensor:
    return torch.sparse_csr_tensor(
        torch.from_numpy(offsets),
        torch.from_numpy(columns),
        torch.from_numpy(values),
        shape,
        check_invariants=False,
    )


def saturate(counts: NDArray[np.int64], saturation: str) -> NDArray[np.float32]:
    """What a token counts for that occurs `counts` times."""
    if saturation == "once":
        return np.ones(len(counts), np.float32)
    if saturation == "sqrt":
        return np.sqrt(counts).astype(np.float32)
    if saturation == "log":
        return (1 + np.log(counts)).astype(np.float32)
    return counts.astype(np.float32)
