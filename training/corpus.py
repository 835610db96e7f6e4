"""Mined records and questions -> nodes, and pairs of a question and the node that answers it.

Questions are of four sources: doc comments (`doc`), subjects of commits (`commit`) and titles of
tests (`test`), both by asked.py, and questions.jsonl.xz, which were written for single functions:
`d` a description in other words, `q` a question, `f` a change request, `s` a symptom, `k` keywords,
`r` the beginning of a bug report, `e` a question for a function and its siblings.
"""

from __future__ import annotations

import gzip
import json
import lzma
import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from assemble import SKIPPED_LANGUAGES
from pairs import first_sentence, query_of

QUESTIONS = Path(__file__).parent / "questions.jsonl.xz"
MINED_KINDS = {"doc": 700, "commit": 300, "test": 200}
"""At most so many pairs of a repository, so that the largest do not drown the others."""
POOL = 1_100
"""Nodes of a repository to tell answers from, unless more of them are answers."""
SHORTEST_CODE = 60
SHORTEST_SENTENCE, MAX_SENTENCE, MAX_PROSE, MAX_DOC = 12, 240, 400, 300
"""Characters."""
_WORD = re.compile(r"[A-Za-z][a-z]+")


class Node(NamedTuple):
    """A node; `repo` is the place of its repository in the corpus, `doc` prose or empty."""

    repo: int
    path: str
    qualname: str
    doc: str
    code: str


class Pair(NamedTuple):
    """The place of a node in the corpus and what asks for it; `prose` may be longer."""

    node: int
    kind: str
    question: str
    prose: str


@dataclass
class Corpus:
    """Nodes and pairs of repositories, of which `held_out` only judge."""

    repositories: list[Mapping[str, str]] = field(default_factory=list)
    nodes: list[Node] = field(default_factory=list)
    pairs: list[Pair] = field(default_factory=list)
    held_out: set[int] = field(default_factory=set)

    def questions(self) -> tuple[list[str], list[str], list[str]]:
        """Return questions as they are, without words of the code if mined, and as prose."""
        rng, harder = random.Random(0), []
        for pair in self.pairs:
            node = self.nodes[pair.node]
            mined = pair.kind in MINED_KINDS
            code = f"{node.qualname} {node.code}" if mined else ""
            harder.append(without_words_of(pair.question, code, rng))
        return [p.question for p in self.pairs], harder, [p.prose for p in self.pairs]

    def sources(self) -> list[dict[str, Any]]:
        """Return what is known of each repository, with its number of pairs by kind."""
        counts: dict[int, Counter[str]] = defaultdict(Counter)
        for pair in self.pairs:
            kind = pair.kind if pair.kind in MINED_KINDS else "written"
            counts[self.nodes[pair.node].repo][kind] += 1
        return [
            {**head, "pairs": dict(sorted(counts[i].items()))}
            for i, head in enumerate(self.repositories)
        ]

    def add(
        self,
        head: Mapping[str, str],
        records: Iterable[Mapping[str, Any]],
        asked: Iterable[Mapping[str, Any]],
    ) -> None:
        """Take in a repository: its records and the questions that are asked of it."""
        rng, repo = random.Random(head["repo"]), len(self.repositories)
        records = [record for record in records if _is_code(record)]
        by_kind = defaultdict(list, doc=_documented(records))
        places = {(r["path"], r["lines"][0], r["qualname"]): i for i, r in enumerate(records)}
        for entry in asked:
            if entry.get("held_out"):
                self.held_out.add(repo)
            place = places.get((entry["path"], entry["line"], entry["qualname"]))
            if place is not None:
                question = entry["question"]
                by_kind[entry["kind"]].append(Pair(place, entry["kind"], question, question))
        pairs: list[Pair] = []
        for kind, found in sorted(by_kind.items()):
            pairs += rng.sample(found, min(len(found), MINED_KINDS.get(kind, len(found))))
        answers = {pair.node for pair in pairs}
        others = [i for i in range(len(records)) if i not in answers]
        n_others = min(len(others), max(0, POOL - len(answers)))
        kept = sorted(answers.union(rng.sample(others, n_others)))
        now_at = {i: len(self.nodes) + n for n, i in enumerate(kept)}
        self.repositories.append(head)
        for record in map(records.__getitem__, kept):
            doc = query_of(record["doc"]) if record["doc"] else None
            text = (record["path"], record["qualname"], (doc or "")[:MAX_DOC], record["code"])
            self.nodes.append(Node(repo, *text))
        self.pairs += (pair._replace(node=now_at[pair.node]) for pair in pairs)


def read_corpus(mined: Path, *questions: Path) -> Corpus:
    """Read what mine.py wrote, and files of questions. Questions for other nodes are left out."""
    asked: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for path in questions:
        for entry in read_lines(path):
            asked[entry["repo"]].append(entry)
    corpus = Corpus()
    for path in sorted(mined.glob("*.jsonl.gz")):
        head, *records = read_lines(path)
        corpus.add(head, records, asked[head["repo"]])
    kinds = dict(Counter(pair.kind for pair in corpus.pairs))
    print(
        f"{len(corpus.repositories)} repositories, {len(corpus.nodes)} nodes, {kinds}", flush=True
    )
    return corpus


def read_lines(path: Path) -> list[dict[str, Any]]:
    """Read a compressed file of JSON lines."""
    opened = lzma.open if path.suffix == ".xz" else gzip.open
    with opened(path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def without_words_of(question: str, code: str, rng: random.Random) -> str:
    """Leave out half of the words that begin as one of the code does, unless too few are left."""
    stems = {word[:5].lower() for word in _WORD.findall(code)}
    words = question.split()
    left = [
        word for word in words if word.strip("`.,()")[:5].lower() not in stems or rng.random() < 0.5
    ]
    return " ".join(left if len(left) >= 4 else words)


def _is_code(record: Mapping[str, Any]) -> bool:
    return (
        record["language"] not in SKIPPED_LANGUAGES
        and record["kind"] not in {"window", "file"}
        and len(record["code"]) >= SHORTEST_CODE
    )


def _documented(records: Sequence[Mapping[str, Any]]) -> list[Pair]:
    """Return pairs by the first sentence of doc comments, each sentence once."""
    by_sentence: dict[str, Pair] = {}
    for i, record in enumerate(records):
        prose = query_of(record["doc"]) if record["doc"] else None
        sentence = first_sentence(prose) if prose else ""
        if prose and len(sentence) >= SHORTEST_SENTENCE:
            pair = Pair(i, "doc", sentence[:MAX_SENTENCE], prose[:MAX_PROSE])
            by_sentence.setdefault(sentence, pair)
    return [*by_sentence.values()]
