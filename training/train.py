"""Train: arrays of token ids -> one vector and one weight per token.

    python training/train.py --arrays ARRAYS --out RUN.npz [--epochs 2] [--seed 0]

A text's vector is the sum of its distinct tokens' vectors, each times its learned weight and a
saturating function of how often it occurs. Query and code come close by InfoNCE: every other code
of the batch is a negative, and in every second epoch a batch is drawn from few repositories.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import warnings
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

WARM_UP = 0.03
BETAS = (0.9, 0.999)


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


class Product(torch.autograd.Function):
    """A constant sparse matrix times a dense one; its transpose is made beforehand."""

    @staticmethod
    def forward(  # noqa: D102
        ctx: torch.autograd.function.FunctionCtx,
        sparse: torch.Tensor,
        transposed: torch.Tensor,
        dense: torch.Tensor,
    ) -> torch.Tensor:
        ctx.transposed = transposed
        return sparse @ dense

    @staticmethod
    def backward(  # noqa: D102
        ctx: torch.autograd.function.FunctionCtx, gradient: torch.Tensor
    ) -> tuple[None, None, torch.Tensor]:
        return None, None, ctx.transposed @ gradient


class Table:
    """One parameter, of which a step reads and moves only the rows that its batch names (Adam)."""

    def __init__(self, values: torch.Tensor) -> None:
        self.values = values
        self._mean = torch.zeros_like(values)
        self._square = torch.zeros_like(values)

    def rows(self, ids: torch.Tensor) -> torch.Tensor:
        """A copy of the rows `ids` that takes gradients."""
        return self.values[ids].requires_grad_()

    def move(self, ids: torch.Tensor, gradient: torch.Tensor, rate: float, step: int) -> None:
        """One step of Adam for the rows `ids` alone."""
        mean = self._mean[ids].lerp_(gradient, 1 - BETAS[0])
        square = self._square[ids].mul_(BETAS[1]).addcmul_(gradient, gradient, value=1 - BETAS[1])
        self._mean[ids], self._square[ids] = mean, square
        size = rate / (1 - BETAS[0] ** step)
        root = square.div_(1 - BETAS[1] ** step).sqrt_().add_(1e-8)
        self.values[ids] -= mean.mul_(size).div_(root)


class Encoder:
    """Token vectors float32[vocabulary, dim], their log weights, and what a query adds to those."""

    def __init__(self, frequencies: torch.Tensor, options: argparse.Namespace) -> None:
        shape = (len(frequencies), options.dim)
        self.vectors = Table(torch.randn(shape) / options.dim**0.5)
        self.weights = Table(torch.log(1e-3 / (1e-3 + frequencies)) * options.idf)
        self.query_weights = Table(torch.zeros(len(frequencies)))
        self.ask_apart = options.query_weights
        self.temperature = options.temperature

    def step(self, batch: Batch, rate: float, number: int) -> float:
        """Move by one batch; its loss."""
        ids = batch.ids
        vectors, weights = self.vectors.rows(ids), self.weights.rows(ids)
        extra = self.query_weights.rows(ids)
        code_table = vectors * weights.exp()[:, None]
        query_table = code_table * extra.exp()[:, None] if self.ask_apart else code_table
        queries = torch.nn.functional.normalize(Product.apply(*batch.queries, query_table))
        codes = torch.nn.functional.normalize(Product.apply(*batch.codes, code_table))
        loss = contrast(queries, codes, batch.same, self.temperature)
        loss.backward()
        self.vectors.move(ids, vectors.grad, rate, number)
        self.weights.move(ids, weights.grad, rate, number)
        if self.ask_apart:
            self.query_weights.move(ids, extra.grad, rate, number)
        return loss.item()


def saturate(counts: NDArray[np.int64], saturation: str) -> NDArray[np.float32]:
    """What a token counts for that occurs `counts` times."""
    if saturation == "once":
        return np.ones(len(counts), np.float32)
    if saturation == "sqrt":
        return np.sqrt(counts).astype(np.float32)
    if saturation == "log":
        return (1 + np.log(counts)).astype(np.float32)
    return counts.astype(np.float32)


def main() -> int:
    options = _options()
    warnings.filterwarnings("ignore", message="Sparse")
    torch.manual_seed(options.seed)
    torch.set_num_threads(options.threads)
    data = _load(options.arrays)
    model = Encoder(_frequencies(data), options)
    train(model, data, options)
    np.savez(
        options.out,
        vectors=model.vectors.values.numpy(),
        weights=model.weights.values.numpy(),
        query_weights=model.query_weights.values.numpy(),
        options=json.dumps({key: str(value) for key, value in vars(options).items()}),
    )
    return 0


def train(model: Encoder, data: Data, options: argparse.Namespace) -> None:
    rows = _rows(data, options, np.random.default_rng(options.seed))
    started = time.monotonic()
    smooth = 0.0
    for step, batch in enumerate(_batches(data, rows, options)):
        rate = options.rate * _schedule(step / len(rows))
        loss = model.step(batch, rate, step + 1)
        smooth = loss if not step else 0.98 * smooth + 0.02 * loss
        if step % 100 == 99 or step + 1 == len(rows):
            seconds = time.monotonic() - started
            print(f"[{step + 1}/{len(rows)} {seconds:.0f} s] loss {smooth:.3f}", flush=True)


def contrast(
    queries: torch.Tensor, codes: torch.Tensor, same: torch.Tensor, temperature: float
) -> torch.Tensor:
    """InfoNCE both ways; a pair that asks the same as another is not its negative."""
    logits = (queries @ codes.T / temperature).masked_fill(same, -1e4)
    target = torch.arange(len(logits))
    cross_entropy = torch.nn.functional.cross_entropy
    return 0.5 * (cross_entropy(logits, target) + cross_entropy(logits.T, target))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--arrays", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--dim", type=int, default=256)
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--batch", type=int, default=2048)
    parser.add_argument("--rate", type=float, default=4e-3)
    parser.add_argument("--temperature", type=float, default=0.07)
    parser.add_argument("--idf", type=float, default=0.5, help="how far weights start at the idf")
    parser.add_argument("--saturation", choices=["sum", "once", "sqrt", "log"], default="log")
    parser.add_argument("--chunk", type=int, default=512, help="pairs of one repository in a row")
    parser.add_argument("--documented", type=float, default=0.15, help="share read with their doc")
    parser.add_argument("--prose", type=float, default=0.4, help="share asked with the whole prose")
    parser.add_argument("--names", type=float, default=0.5, help="share of name pairs in an epoch")
    parser.add_argument(
        "--hidden", type=float, default=1.0, help="share of names cut from the code"
    )
    parser.add_argument("--drop", type=float, default=0.0, help="share of tokens left out")
    parser.add_argument("--share", type=float, default=1.0, help="share of the pairs to train on")
    parser.add_argument("--query-weights", action="store_true", help="weigh queries on their own")
    parser.add_argument("--threads", type=int, default=2)
    return parser.parse_args()


def _load(arrays: Path) -> Data:
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


def _frequencies(data: Data) -> torch.Tensor:
    counts = np.bincount(data.codes.ids, minlength=data.vocabulary) + 1.0
    return torch.from_numpy(counts / counts.sum()).float()


def _schedule(progress: float) -> float:
    """Linear warm-up, then half a cosine down to nothing."""
    if progress < WARM_UP:
        return progress / WARM_UP
    return float(0.5 + 0.5 * np.cos(np.pi * (progress - WARM_UP) / (1 - WARM_UP)))


def _batches(
    data: Data, rows: list[NDArray[np.int64]], options: argparse.Namespace
) -> Iterator[Batch]:
    """The batches of `rows`, the next ones prepared while one trains."""
    with ThreadPoolExecutor(1) as pool:
        jobs = [pool.submit(_batch, data, rows[i], options, i) for i in range(min(3, len(rows)))]
        for step in range(len(rows)):
            yield jobs.pop(0).result()
            if step + 3 < len(rows):
                jobs.append(pool.submit(_batch, data, rows[step + 3], options, step + 3))


def _rows(
    data: Data, options: argparse.Namespace, rng: np.random.Generator
) -> list[NDArray[np.int64]]:
    """Which pairs each batch of the run holds."""
    pool = np.flatnonzero(rng.random(len(data)) < options.share)
    found = []
    for epoch in range(options.epochs):
        wanted = (data.kind[pool] == 0) | (rng.random(len(pool)) < options.names)
        order = rng.permutation(pool[wanted])
        if epoch % 2:
            order = _by_repository(data.repo, order, options.chunk, rng)
        found.extend(np.split(order, range(options.batch, len(order), options.batch))[:-1])
    return found


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
    asked = np.where(prose, MAX_QUERY_TOKENS, data.sentence[rows])
    asked_ids, asked_text = gather(data.queries, rows, asked)
    kept = rng.random(len(asked_ids)) >= options.drop
    queries = bags(asked_ids[kept], asked_text[kept], n)
    ids, text = gather(data.codes, rows)
    doc_ids, doc_text = gather(data.queries, rows[documented])
    ids, text = np.concatenate([ids, doc_ids]), np.concatenate([text, documented[doc_text]])
    kept = rng.random(len(ids)) >= options.drop
    codes = bags(ids[kept], text[kept], n, drop=_only(queries, named & hidden))
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
    kept = np.repeat(rows, lengths)
    offsets = np.concatenate([[0], np.cumsum(np.where(rows, lengths, 0))])
    return Bags(texts.ids[kept], texts.counts[kept], offsets)


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


if __name__ == "__main__":
    sys.exit(main())
