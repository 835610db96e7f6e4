"""Queries asked of their own repositories and of wrong ones, with the features of the answers."""

from __future__ import annotations

import random
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from operator import attrgetter
from pathlib import Path

from benchmarks.quality.corpora import snapshot_of
from benchmarks.quality.node_examples import Floats, environment_of
from packhound.core.settings_reader import settings_from
from packhound.core.types import Budget, NodeRef, Query
from packhound.encoder.embedder import Embedder
from packhound.evaluation.cases import Case, same_path
from packhound.evaluation.graded import is_answer
from packhound.evaluation.suite import load_suite
from packhound.files import read_text
from packhound.index.snapshot import Snapshot
from packhound.search.confidence import features_of, rate_hits
from packhound.search.environment import SearchEnvironment
from packhound.search.order import rank_hits
from packhound.search.pipeline import best_hits, parse, retrieve_context, source_of
from packhound.search.query.encode import encode
from packhound.search.rank.deep import DEPTH, DeepRanker
from packhound.search.rank.fusion import rank
from packhound.search.run import SearchRun
from packhound.search.stages import NodeVectors, StageContext
from packhound.storage.vector_store import VectorStore

N_WRONG = 2
N_NAMES = 6
N_HITS = 10
MIN_GRADE = 2
PATIENT = Budget(600_000)
_ALL_VECTORS = 2_000_000
DEEP = DeepRanker()
_NAMED_KINDS = frozenset({"function", "method", "class", "struct", "interface", "trait", "enum"})


@dataclass(frozen=True)
class Repository:
    """A corpus with its queries."""

    name: str
    cases: tuple[Case, ...]
    snapshot: Snapshot
    environment: SearchEnvironment
    held_out: bool
    read: VectorStore
    """Vectors that the deep model has made, which takes most of the time."""

    def text_of(self, node: NodeRef) -> str:
        """Return path and source of a node."""
        source = read_text(Path(self.environment.root), node.path) or b""
        text = source[node.span.start : node.span.end].decode("utf-8", "replace")
        return f"{node.path}\n{text}"

    @property
    def reading_again(self) -> SearchEnvironment:
        """The environment of searches whose best hits the deep model reads, as by default."""
        vectors = NodeVectors(self.read, bool)
        return replace(self.environment, stages=(DEEP,), text_of=self.text_of, vectors=vectors)


@dataclass(frozen=True, eq=False)
class Row:
    """One query asked of one repository, with the features of the answer and of its hits."""

    kind: str
    held_out: bool
    right_repository: bool
    answer: Mapping[str, float]
    hits: Mapping[str, Floats]
    relevant: tuple[bool, ...]
    micros: float

    @property
    def is_right(self) -> bool:
        """True if one of the first five hits is relevant."""
        return any(self.relevant[:5])


def load(
    suites: Iterable[str],
    held_out: bool,
    embedder: Embedder,
    cache: Path,
    seen: frozenset[str] = frozenset(),
    whole: bool = False,
) -> Iterator[Repository]:
    """Yield the repositories of suites but those `seen`: the folders judged, or `whole` ones."""
    for suite in suites:
        path, corpora = (Path(part) for part in suite.split("=", 1))
        cases = load_suite(path)
        if whole:
            cases = [replace(case, root="", folder=case.repository) for case in cases]
        cases = sorted(cases, key=attrgetter("folder"))
        for folder, group in groupby(cases, attrgetter("folder")):
            name = folder.partition("/")[0]
            if name not in seen:
                root = corpora / folder
                snapshot = snapshot_of(root, embedder, cache)
                environment = environment_of(root, embedder)
                read = VectorStore(cache, _ALL_VECTORS)
                yield Repository(name, (*group,), snapshot, environment, held_out, read)


def ask_all(repositories: Sequence[Repository], source: str, fuser: str) -> Iterator[Row]:
    """Yield every query, asked of its repository and of wrong ones of the same half."""
    rng = random.Random(0)
    for repository in repositories:
        others = [r for r in repositories if r.held_out == repository.held_out]
        others.remove(repository)
        for case in (*repository.cases, *name_cases(repository, rng)):
            for target in (repository, *rng.sample(others, N_WRONG)):
                row = ask(target, case, target is repository, source, fuser)
                if row:
                    yield row


def name_cases(repository: Repository, rng: random.Random) -> list[Case]:
    """Return names of definitions as queries; whatever has the name answers."""
    names = {
        node.name
        for entry in repository.snapshot.files.values()
        for node in entry.nodes
        if node.kind in _NAMED_KINDS and len(node.name) > 3
    }
    drawn = rng.sample(sorted(names), min(N_NAMES, len(names)))
    return [Case(name, (), "name", repository.name, "", "") for name in drawn]


def ask(
    repository: Repository, case: Case, right_repository: bool, source: str, fuser: str
) -> Row | None:
    """Ask one query; None where there is no candidate, or the deep model reads none of them."""
    snapshot, environment = repository.snapshot, repository.environment
    is_deep, source = source == "deep", "hybrid" if source == "deep" else source
    query = Query(case.text, mode=source, limit=N_HITS, budget=PATIENT)
    parsed = parse(snapshot, query, environment)
    vectors, _ = encode(parsed, query.mode, snapshot, environment.embedder)
    context = retrieve_context(snapshot, query, parsed, vectors, environment)
    if source_of(query, vectors) != source or not len(context.candidates):
        return None
    ranking = rank(context, settings_from({"search.fuser": fuser}), "node", source, 50)
    hits = best_hits(context, ranking, DEPTH if is_deep else N_HITS, environment.root)
    if is_deep:
        if not DEEP.applies(parsed):
            return None
        environment = repository.reading_again
        run, settings = SearchRun(query, None), environment.settings
        stage = StageContext(parsed, run, environment.text_of, settings, environment.vectors)
        hits = rank_hits(DEEP.rerank(hits, stage), N_HITS)
    features = features_of(context, ranking, source, hits)
    start = time.perf_counter()
    rate_hits(context, ranking, source, hits)
    micros = (time.perf_counter() - start) * 1e6
    return Row(
        kind="symbol" if parsed.kind == "symbol" else "question",
        held_out=repository.held_out,
        right_repository=right_repository,
        answer=features.answer,
        hits=features.hits,
        relevant=tuple(is_relevant(hit.node, case, right_repository) for hit in hits),
        micros=micros,
    )


def is_relevant(node: NodeRef, case: Case, right: bool) -> bool:
    """Return True if a node answers: by a grade of 2 or 3, its place, or the name asked for."""
    if case.category == "name":
        return node.name == case.text
    path, span = f"{case.root}/{node.path}".lstrip("/"), node.span
    graded = (answer for answer in case.answers if answer.grade >= MIN_GRADE)
    in_target = (
        same_path(target.path, node.path)
        and (target.start_line or 1) <= span.end_line + 1
        and (target.end_line or span.start_line + 1) >= span.start_line + 1
        for target in case.targets
    )
    return right and (any(is_answer(a, path, node.name, span) for a in graded) or any(in_target))
