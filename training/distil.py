"""Teach the static table what the transformer learnt: the table that ships -> a run of export.py.

    python training/distil.py --mined MINED --asked asked.jsonl.gz --weights RUN/weights.npz \\
        --out distilled.npz --device cuda
    python training/export.py --run distilled.npz --out server/packhound/model \\
        --tokenizer server/packhound/model/tokenizer.json

The pairs, batches and negatives are those of transformer.py. Half of the loss is theirs, half the
divergence from how near the transformer finds the texts of a batch.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from arrays import Ragged
from assemble import tokenise
from contrast import TEMPERATURE, Contrast
from corpus import QUESTIONS, Corpus, read_corpus
from encoders import folded
from export import MAX_TOKENS, of_exported
from pairs import text_of
from tokenizers import Tokenizer
from torch.nn import functional
from transformer import Texts, encode, open_model

MODEL = Path(__file__).parents[1] / "server/packhound/model"
RATE, WEIGHT_RATE = 1e-3, 3e-3
WARM_UP = 30
MINED_EVERY = 250
DISTILLED_SHARE = 0.5
"""Of the loss."""
QUESTION_WAYS = (0, 0, 1, 2)
"""Of `Texts.questions`, drawn alike for a whole batch."""
AT_ONCE = 8_192


@dataclass
class Bags:
    """Texts as distinct tokens on a device; text i has those from offsets[i] to offsets[i + 1]."""

    ids: torch.Tensor
    factors: torch.Tensor
    offsets: torch.Tensor

    def vectors(self, table: torch.Tensor, texts: torch.Tensor) -> torch.Tensor:
        """Return unit vectors of the chosen texts."""
        starts, lengths = self.offsets[texts], self.offsets[texts + 1] - self.offsets[texts]
        begin = torch.cumsum(lengths, 0) - lengths
        total = torch.arange(int(lengths.sum()), device=table.device)
        places = total + torch.repeat_interleave(starts - begin, lengths)
        summed = functional.embedding_bag(
            self.ids[places], table, begin, mode="sum", per_sample_weights=self.factors[places]
        )
        return functional.normalize(summed, dim=-1, eps=1e-6)

    @torch.no_grad()
    def all_vectors(self, table: torch.Tensor) -> torch.Tensor:
        """Return unit vectors of all texts."""
        texts = torch.arange(len(self.offsets) - 1, device=table.device)
        return torch.cat([self.vectors(table, part) for part in texts.split(AT_ONCE)])


class Teacher:
    """Vectors of the transformer: [3, pairs, 384] of questions and [nodes, 384]."""

    def __init__(self, corpus: Corpus, weights: Path, device: str) -> None:
        texts, model = Texts(corpus, device), open_model(device, weights)
        self.questions = torch.stack([encode(model, ids) for ids in texts.questions])
        self.nodes = encode(model, texts.documented)

    def shares(self, way: int, pairs: torch.Tensor, nodes: torch.Tensor) -> torch.Tensor:
        """Return how each question of a batch divides one among the nodes."""
        return (self.questions[way, pairs] @ self.nodes[nodes].T / TEMPERATURE).softmax(-1)


def main() -> None:
    options = _options()
    corpus = read_corpus(options.mined, options.questions, options.asked)
    tokenizer, codes, scales, saturation = of_exported(options.model)
    nodes = [text_of(node.path, node.qualname, "", node.code) for node in corpus.nodes]
    bags = [
        bags_of(tokenizer, texts, saturation, options.device)
        for texts in (*corpus.questions(), nodes)
    ]
    teacher = Teacher(corpus, options.weights, options.device)
    table = torch.from_numpy(codes * scales[:, None]).to(options.device)
    vectors, weights = train(Contrast(corpus, options.device), bags, table, teacher, options)
    np.savez(
        options.out,
        vectors=vectors.cpu().numpy(),
        weights=weights[:, 0].cpu().numpy(),
        query_weights=np.zeros(len(weights), np.float32),
        options=json.dumps({"saturation": saturation}),
    )


def train(
    contrast: Contrast,
    bags: Sequence[Bags],
    table: torch.Tensor,
    teacher: Teacher,
    options: argparse.Namespace,
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the directions of the rows and the logarithms of their lengths.

    `bags` are those of the questions in their three ways, and of the nodes.
    """
    *questions, nodes = bags
    lengths = table.norm(dim=1, keepdim=True).clamp_min(1e-6)
    vectors, weights = (table / lengths).requires_grad_(), lengths.log().requires_grad_()
    optimizer = torch.optim.Adam(
        [{"params": [vectors], "top": RATE}, {"params": [weights], "top": WEIGHT_RATE}]
    )
    print_figures("as it is", contrast, bags, table)
    rng, generator = random.Random(0), torch.Generator().manual_seed(0)
    nearest = torch.empty(0)
    for step in range(options.steps):
        now = vectors * weights.exp()
        if step % MINED_EVERY == 0:
            asked = questions[0].all_vectors(now.detach())
            nearest = contrast.nearest(asked, nodes.all_vectors(now.detach()))
        for group in optimizer.param_groups:
            falling = max(0.02, 1 - step / options.steps)
            group["lr"] = group["top"] * min(1, (step + 1) / WARM_UP) * falling
        way, pairs = rng.choice(QUESTION_WAYS), contrast.draw(options.batch, rng)
        read = torch.cat([contrast.answer[pairs], contrast.negatives(nearest[pairs], generator)])
        asked, texts = questions[way].vectors(now, pairs), nodes.vectors(now, read)
        learnt = (asked @ texts.T / TEMPERATURE).log_softmax(-1)
        divergence = -(teacher.shares(way, pairs, read) * learnt).sum(-1).mean()
        loss = torch.lerp(contrast.loss(asked, texts, pairs, read), divergence, DISTILLED_SHARE)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print_figures("distilled", contrast, bags, (vectors * weights.exp()).detach())
    return vectors.detach(), weights.detach()


def bags_of(tokenizer: Tokenizer, texts: list[str], saturation: str, device: str) -> Bags:
    """Fold the tokens of texts as the exported graph does."""
    ragged = Ragged(*tokenise(tokenizer, texts, MAX_TOKENS))
    arrays = folded(ragged, np.arange(len(texts)), saturation)
    return Bags(*(torch.from_numpy(array).to(device) for array in arrays))


def print_figures(
    title: str, contrast: Contrast, bags: Sequence[Bags], table: torch.Tensor
) -> None:
    """Print how the held out repositories are answered."""
    figures = contrast.figures(bags[0].all_vectors(table), bags[-1].all_vectors(table))
    print(f"{title}: held out {figures}", flush=True)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mined", type=Path, required=True)
    parser.add_argument("--asked", type=Path, required=True)
    parser.add_argument("--questions", type=Path, default=QUESTIONS)
    parser.add_argument("--weights", type=Path, required=True)
    parser.add_argument("--model", type=Path, default=MODEL, help="the table to begin with")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--steps", type=int, default=500)
    parser.add_argument("--batch", type=int, default=2_048)
    return parser.parse_args()


if __name__ == "__main__":
    main()
