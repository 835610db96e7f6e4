"""Draw questions with hard negatives, and the loss and figures of their vectors."""

from __future__ import annotations

import random
from collections import defaultdict
from typing import NamedTuple

import torch
from corpus import MINED_KINDS, Corpus
from torch.nn import functional

SHARES = {"doc": 0.2, "commit": 0.1, "test": 0.03, "written": 0.67}
"""Of a batch."""
CHUNK = 32
"""Pairs of one repository in a row, which are each other's negatives."""
MIN_OF_REPOSITORY = 4
TEMPERATURE, LATE_TEMPERATURE = 0.05, 0.03
N_NEAREST, N_NEGATIVES = 24, 2
"""Nodes that are kept as hard negatives of a pair, and those that a batch takes of them."""
TOO_NEAR = 0.95
"""A node that comes so near to the answer may answer too: it is no negative."""
AT_ONCE = 4_096


class Tokens(NamedTuple):
    """Unit vectors of the tokens of texts, [texts, tokens, dim], and which tokens there are."""

    vectors: torch.Tensor
    mask: torch.Tensor


class Contrast:
    """The pairs of a corpus on a device: batches of them, and what is no negative of what."""

    def __init__(self, corpus: Corpus, device: str) -> None:
        self.corpus, self.device = corpus, device
        names = [(node.repo, node.qualname) for node in corpus.nodes]
        self._repo = torch.tensor([node.repo for node in corpus.nodes], device=device)
        self._name = _numbered(names, device)
        self._question = _numbered([pair.question.lower() for pair in corpus.pairs], device)
        self.answer = torch.tensor([pair.node for pair in corpus.pairs], device=device)
        """The node of each pair."""
        pools: dict[str, dict[int, list[int]]] = defaultdict(lambda: defaultdict(list))
        for i, pair in enumerate(corpus.pairs):
            repo = corpus.nodes[pair.node].repo
            if repo not in corpus.held_out:
                pools[pair.kind if pair.kind in MINED_KINDS else "written"][repo].append(i)
        large = {
            kind: [pool for pool in pools[kind].values() if len(pool) >= MIN_OF_REPOSITORY]
            for kind in SHARES
        }
        self._pools = {kind: found for kind, found in large.items() if found}
        if not self._pools:
            raise SystemExit(
                f"no repository has {MIN_OF_REPOSITORY} questions of a kind to train on"
            )

    def draw(self, size: int, rng: random.Random) -> torch.Tensor:
        """Draw pairs, in chunks of one kind and repository."""
        kinds, drawn = [*self._pools], []
        while len(drawn) < size:
            [kind] = rng.choices(kinds, [SHARES[kind] for kind in kinds])
            pools = self._pools[kind]
            [pool] = rng.choices(pools, [len(pool) ** 0.5 for pool in pools])
            drawn += rng.sample(pool, min(CHUNK, len(pool)))
        return torch.tensor(drawn[:size], device=self.device)

    @torch.no_grad()
    def nearest(self, asked: torch.Tensor, nodes: torch.Tensor) -> torch.Tensor:
        """Return hard negatives of each pair, [pairs, N_NEAREST]; -1 where there are no more.

        They are the nearest nodes of its repository by the vectors of all questions and nodes.
        """
        found = torch.full((len(asked), N_NEAREST), -1, device=self.device)
        repo = self._repo[self.answer]
        for number in range(len(self.corpus.repositories)):
            own = (self._repo == number).nonzero()[:, 0]
            for pairs in (repo == number).nonzero()[:, 0].split(AT_ONCE):
                answers = self.answer[pairs]
                cosines = asked[pairs] @ nodes[own].T
                reached = (asked[pairs] * nodes[answers]).sum(1, keepdim=True)
                same = self._name[own][None] == self._name[answers][:, None]
                cosines = cosines.masked_fill(same | (cosines > reached * TOO_NEAR), -1)
                best = cosines.topk(min(N_NEAREST, len(own)))
                rows = torch.where(best.values > -0.5, own[best.indices], -1)
                found[pairs, : rows.shape[1]] = rows
        return found

    def negatives(self, nearest: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
        """Draw hard negatives for the rows of a batch, any node where a pair has none."""
        shape = (len(nearest), N_NEGATIVES)
        chosen = torch.randint(nearest.shape[1], shape, generator=generator).to(self.device)
        any_node = torch.randint(len(self._repo), shape, generator=generator).to(self.device)
        nodes = nearest.gather(1, chosen)
        return torch.where(nodes < 0, any_node, nodes).reshape(-1)

    def loss(
        self, asked: torch.Tensor, texts: torch.Tensor, pairs: torch.Tensor, nodes: torch.Tensor
    ) -> torch.Tensor:
        """InfoNCE both ways over a batch; the first texts answer the questions, in their order.

        A node of the same name, and the answer to an equal question, is no negative.
        """
        logits, size = asked @ texts.T / TEMPERATURE, len(pairs)
        own = torch.arange(size, device=self.device)
        same = self._name[nodes][None] == self._name[self.answer[pairs]][:, None]
        questions = self._question[pairs]
        same[:, :size] |= questions[None] == questions[:, None]
        same[own, own] = False
        logits = logits.masked_fill(same, -1e4)
        forth = functional.cross_entropy(logits, own)
        back = functional.cross_entropy(logits[:, :size].T, own)
        return 0.75 * forth + 0.25 * back

    def late_loss(
        self, asked: Tokens, texts: Tokens, pairs: torch.Tensor, nodes: torch.Tensor
    ) -> torch.Tensor:
        """InfoNCE of the late interaction (Khattab and Zaharia 2020), within chunks of questions.

        A text scores the mean over the tokens of the question of the nearest token in the text.
        Each question is told from the answers and hard negatives of its chunk.
        """
        size, n_tokens = min(CHUNK, len(pairs)), asked.mask.shape[1]
        n_blocks = len(pairs) // size
        answers = Tokens(*(_in_blocks(values, size, 1 + N_NEGATIVES) for values in texts))
        questions = Tokens(*(_in_blocks(values, size, 1) for values in asked))
        cosines = torch.bmm(
            questions.vectors.flatten(1, 2), answers.vectors.flatten(1, 2).transpose(1, 2)
        ).view(n_blocks, size, n_tokens, *answers.mask.shape[1:])
        nearest = cosines.masked_fill(~answers.mask[:, None, None], -1).max(-1).values.float()
        weights = questions.mask[..., None].float()
        logits = (nearest * weights).sum(2) / weights.sum(2) / LATE_TEMPERATURE
        of_block = _in_blocks(nodes, size, 1 + N_NEGATIVES)
        asking = _in_blocks(pairs, size, 1)
        same = self._name[of_block][:, None] == self._name[self.answer[asking]][:, :, None]
        numbers = self._question[asking]
        same[:, :, :size] |= numbers[:, None] == numbers[:, :, None]
        own = torch.arange(size, device=self.device)
        same[:, own, own] = False
        logits = logits.masked_fill(same, -1e4)
        return functional.cross_entropy(logits.flatten(0, 1), own.repeat(n_blocks))

    def figures(self, asked: torch.Tensor, nodes: torch.Tensor) -> dict[str, float]:
        """Return the mean reciprocal rank by kind in the held out repositories, by vectors."""
        ranks: dict[str, list[float]] = defaultdict(list)
        repo = self._repo[self.answer]
        for number in self.corpus.held_out:
            own = (self._repo == number).nonzero()[:, 0]
            for pairs in (repo == number).nonzero()[:, 0].split(AT_ONCE):
                reached = (asked[pairs] * nodes[self.answer[pairs]]).sum(1, keepdim=True)
                better = (asked[pairs] @ nodes[own].T > reached + 1e-6).sum(1)
                for pair, n_better in zip(pairs.tolist(), better.tolist(), strict=True):
                    ranks[self.corpus.pairs[pair].kind].append(1 / (1 + n_better))
        return {kind: round(sum(all_) / len(all_), 3) for kind, all_ in sorted(ranks.items())}


def _in_blocks(values: torch.Tensor, size: int, parts: int) -> torch.Tensor:
    """Return rows in blocks, [blocks, parts * size, ...], of `size` rows of each equal part."""
    rows = values.view(parts, -1, size, *values.shape[1:])
    return rows.transpose(0, 1).flatten(1, 2)


def _numbered(keys: list[str] | list[tuple[int, str]], device: str) -> torch.Tensor:
    """Return a number for each key, the same for equal ones."""
    numbers: dict[object, int] = {}
    return torch.tensor([numbers.setdefault(key, len(numbers)) for key in keys], device=device)
