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
from pathlib import Path

import numpy as np
import torch
from batches import Batch, Data, batches, read_data, rows_of_batches

WARM_UP = 0.03
BETAS = (0.9, 0.999)


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


def main() -> int:
    options = _options()
    warnings.filterwarnings("ignore", message="Sparse")
    torch.manual_seed(options.seed)
    torch.set_num_threads(options.threads)
    data = read_data(options.arrays)
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
    rows = rows_of_batches(data, options, np.random.default_rng(options.seed))
    started = time.monotonic()
    smooth = 0.0
    for step, batch in enumerate(batches(data, rows, options)):
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


def _frequencies(data: Data) -> torch.Tensor:
    counts = np.bincount(data.codes.ids, minlength=data.vocabulary) + 1.0
    return torch.from_numpy(counts / counts.sum()).float()


def _schedule(progress: float) -> float:
    """Linear warm-up, then half a cosine down to nothing."""
    if progress < WARM_UP:
        return progress / WARM_UP
    return float(0.5 + 0.5 * np.cos(np.pi * (progress - WARM_UP) / (1 - WARM_UP)))


if __name__ == "__main__":
    sys.exit(main())
