"""The whole of a search in the order of its data.

query text -> parsed query -> candidates by words, meaning and names -> signals -> scores -> the
best hits with their reasons -> reranked and personalized hits. One snapshot from start to end; no
query raises, and a budget that runs out truncates: what is left of the work then is skipped, named
in a note.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np

from packhound.core.arrays import NO_NODE_IDS, top_k
from packhound.core.errors import PluginError
from packhound.core.settings import Settings
from packhound.core.settings_reader import changed
from packhound.core.trace import traced
from packhound.core.types import Explanation, Hit, NodeRef, Query, Results, SignalValue
from packhound.grep import NotLookedAt
from packhound.index import Snapshot
from packhound.search import answer_notes, repeats
from packhound.search.confidence import FIRST, confidence_word, is_rated, rate_hits, rate_symbols
from packhound.search.environment import SearchEnvironment
from packhound.search.explainer import explain_hits, explain_symbols, with_losses
from packhound.search.listing import hits_by_path
from packhound.search.order import rank_hits
from packhound.search.query.encode import QueryVectors, encode
from packhound.search.query.exact_matches import find_exact_matches
from packhound.search.query.exact_paths import PAST_END
from packhound.search.query.filters import allowed_node_ids, filter_by_text
from packhound.search.query.levels import IDENTIFIER
from packhound.search.query.messages import find_printers
from packhound.search.query.parse import ParsedQuery, Project, parse_query
from packhound.search.query.structure import find_nodes, take_pattern
from packhound.search.rank.deep import DeepRanker, Likeness
from packhound.search.rank.fusion import competing_rows, rank
from packhound.search.rank.linear import Ranking, Source, Unit
from packhound.search.remarks import NO_WORD, NothingMatches, Stopped
from packhound.search.retrieve.retrieve import TopK, retrieve
from packhound.search.run import SearchRun
from packhound.search.signals.context import SignalContext
from packhound.search.stages import StageContext, apply_stages, first_stage_depth
from packhound.search.symbols import rank_symbols
from packhound.text import has_many_sentences

_RANKED = 50
"""Hits of a search that an explanation tells the rank in: as many as the deep model reads."""
_SHARE_OF_PATTERN = 0.8
"""Of the time of a search that looking for its pattern may take."""
_DISK_DATES = "dates of code are those of its files on the disk"
_COMMIT_DATES = "dates of code are those of the last commits of its files"
_NO_HISTORY = {
    "reading": "git's history is still being read",
    "untracked": "the folder is in no git repository",
    "unavailable": "git does not answer",
}


def search(
    snapshot: Snapshot,
    query: Query,
    environment: SearchEnvironment,
    cancel: threading.Event | None = None,
) -> Results:
    """Answer `query`; raises Cancelled when `cancel` is set meanwhile, nothing else."""
    run = SearchRun(query, cancel)
    query, pattern, problems = take_pattern(snapshot, query)
    run.notes += problems
    if query.like and (pattern is None or environment.texts is None):
        return run.results((), 0, snapshot.generation)
    if pattern is None or environment.texts is None:
        return _search(_Job(snapshot, query, environment, run))
    parsed = parse(snapshot, query, environment)
    # The time that parser processes take to start, with the first pattern, does not count.
    until = time.monotonic() + _SHARE_OF_PATTERN * query.budget.time_ms / 1_000
    parsed, structure, notes = find_nodes(
        snapshot, parsed, pattern, environment.texts, query.facets, until, cancel
    )
    run.notes += notes
    is_cut_short = any(isinstance(note, NotLookedAt) for note in notes)
    run.truncated |= is_cut_short
    allowed = allowed_node_ids(snapshot, environment.cache.stats(snapshot), parsed)
    run.facets = structure.facets(snapshot.live if allowed is None else allowed)
    environment = replace(environment, within=parsed.within)
    results = _search(_Job(snapshot, query, environment, run))
    if is_cut_short and not results.hits:  # There is one reason, and nothing is denied.
        remarks = (n for n in results.remarks if not isinstance(n, Stopped | NothingMatches))
        results = replace(results, remarks=tuple(remarks))
    return replace(results, hits=structure.mark(results.hits))


class _Job(NamedTuple):
    """A query without a pattern, what it is asked of, and the state of its search."""

    snapshot: Snapshot
    query: Query
    environment: SearchEnvironment
    run: SearchRun


def _search(job: _Job) -> Results:
    snapshot, query, environment, run = job
    stages = environment.stages
    parsed = parse(snapshot, query, environment)
    run.notes += parsed.notes
    parsed, lines = filter_by_text(snapshot, parsed, environment.texts, run.notes)
    if not parsed.text and not parsed.exact:
        return _list(job, parsed, lines)
    if parsed.has_stop_words_alone:
        run.notes.append(answer_notes.STOP_WORDS_ALONE)
        return run.results((), 0, snapshot.generation)
    # An answer is judged by its first hits, however few are asked for.
    limit = max(query.limit, FIRST)
    depth = first_stage_depth(stages, limit, parsed)
    stage_context = _stage_context(job, parsed)
    if query.mode == "symbol" or parsed.has_operators:
        stats = environment.cache.stats(snapshot)
        hits, considered = rank_symbols(snapshot, stats, parsed, depth, environment.root)
        run.notes += (
            () if hits else answer_notes.no_symbol_notes(snapshot, stats, parsed, environment.root)
        )
        if hits or query.mode == "symbol":
            hits = apply_stages(stages, hits, limit, stage_context)
            chances = _rate(run, parsed, hits, rate_symbols(hits))
            hits, chances = hits[: query.limit], chances[: query.limit]
            explanations = explain_symbols(hits, parsed)
            hits = _with(hits, chances, [()] * len(hits), explanations)
            return run.results(hits, considered, snapshot.generation)
    likeness = _compare(job, parsed)
    context, ranking = _rank_nodes(job, parsed, depth, likeness)
    if ranking is None:
        _rate(run, parsed, (), ([], 0.0))
        return run.results((), 0, snapshot.generation)
    unit, source = unit_of(query), source_of(query, context.vectors)
    hits, originals = _hits(job, context, ranking, depth, likeness)
    # Copies are told apart by what the stages know, such as the folder that the user is in.
    hits = apply_stages(stages, hits, limit + _n_copies(originals), stage_context)
    hits = tuple(_at_its_line(hit, parsed) for hit in repeats.merge_copies(hits, originals, limit))
    rated: Sequence[float | None] = [None] * len(hits)
    if is_rated(source, environment.model):
        rated = _rate(run, parsed, hits, rate_hits(context, ranking, source, hits), context)
    if run.confidence_word == "strong" and _is_help_text(job, hits[0], parsed):
        run.confidence_word = "likely"
    hits, rated = hits[: query.limit], rated[: query.limit]
    siblings: Sequence[tuple[NodeRef, ...]] = [()] * len(hits)
    if run.over_budget:
        run.skip("further code of the same files")
    else:
        siblings = repeats.siblings_of(context, ranking, hits)
    explanations = explain_hits(context, ranking, unit, hits, environment.text_of)
    hits = _with(hits, rated, siblings, explanations)
    return run.results(hits, len(context.candidates), snapshot.generation)


def _at_its_line(hit: Hit, parsed: ParsedQuery) -> Hit:
    """Return a hit that leads to the line of an exact match that is in no node."""
    match = parsed.exact_matches.get(hit.node.node_id)
    if match is None or match.line is None:
        return hit
    # Such a node is a window.
    name = f"{hit.node.name.rpartition(':')[0]}:{match.line.start_line + 1}"
    return replace(hit, node=replace(hit.node, name=name, qualname=name, span=match.line))


def _is_help_text(job: _Job, hit: Hit, parsed: ParsedQuery) -> bool:
    """Return True if what a hit has of a query is probably in a string literal, not quoted."""
    if hit.node.kind not in ("function", "method") or hit.node.node_id in parsed.exact_matches:
        return False
    node = job.snapshot.node(hit.node.node_id)
    octets = job.environment.text_of(hit.node).partition("\n")[2].encode()
    start = node.span.start
    own = b"\n".join(octets[low - start : high - start] for low, high in node.own_ranges)
    return has_many_sentences(own.decode("utf-8", "replace"))


def _with(
    hits: Sequence[Hit],
    chances: Sequence[float | None],
    siblings: Sequence[tuple[NodeRef, ...]],
    explanations: Sequence[Callable[[], Explanation]],
) -> tuple[Hit, ...]:
    """Return hits with what is known of each besides its score."""
    return tuple(
        replace(hit, confidence=chance, siblings=beside, explanation=explanation)
        for hit, chance, beside, explanation in zip(
            hits, chances, siblings, explanations, strict=True
        )
    )


def _list(job: _Job, parsed: ParsedQuery, lines: Mapping[int, Sequence[int]]) -> Results:
    """Answer a query without words: what passes its filters, by path."""
    snapshot, query, environment, run = job
    stats = environment.cache.stats(snapshot)
    allowed = allowed_node_ids(snapshot, stats, parsed)
    if allowed is None:
        run.notes.append(answer_notes.NO_WORDS)
        return run.results((), 0, snapshot.generation)
    hits, considered = hits_by_path(
        snapshot, allowed, environment, lines, query.limit, files=query.files
    )
    run.notes += () if hits else answer_notes.no_listing_notes(snapshot, stats, parsed)
    return run.results(hits, considered, snapshot.generation)


def _rate(
    run: SearchRun,
    parsed: ParsedQuery,
    hits: Sequence[Hit],
    rating: tuple[list[float], float],
    context: SignalContext | None = None,
) -> list[float]:
    """Return the chances of the hits; the run learns that of the answer, and says if weak."""
    chances, run.confidence = rating
    run.confidence_word = confidence_word(run.confidence, hits, chances, parsed)
    if hits and run.confidence_word == "weak":
        run.notes = answer_notes.with_weak_note(run.notes, context, hits)
    return chances


def _rank_nodes(
    job: _Job, parsed: ParsedQuery, depth: int, likeness: Likeness | None
) -> tuple[SignalContext, Ranking | None]:
    """Return the candidates, and how all signals rank the best `depth` of them; None if none.

    Where a `likeness` will be added to their scores, any of them can be among the best.
    """
    snapshot, query, environment, run = job
    mode = run.affordable_mode(query.mode, snapshot.n_nodes)
    embedder, enabled = environment.embedder, environment.settings.meaning.enabled
    vectors, notes = encode(parsed, mode, snapshot, embedder, enabled=enabled)
    run.notes += notes
    run.check()
    query = run.affordable_query(query)
    context = retrieve_context(snapshot, query, parsed, vectors, environment, likeness)
    matches = parsed.exact_matches.values()
    is_further_down = any(match.line for match in matches)
    if parsed.exact and not len(context.candidates):
        quoted = ", ".join(f'"{words}"' for words in parsed.exact)
        if not is_further_down:
            run.notes.append(f"nothing has all words of {quoted}: ranked without the quotes")
        parsed = replace(parsed, exact=(), phrase_nodes=None)
        context = retrieve_context(snapshot, query, parsed, vectors, environment, likeness)
    run.check()
    is_found = is_further_down or any(
        match.level > IDENTIFIER or match.level == PAST_END for match in matches
    )
    if not is_found:
        run.notes = answer_notes.with_name_notes(run.notes, context, environment.texts)
    if not len(context.candidates):
        run.notes += answer_notes.no_match_notes(context)
        return context, None
    has_words = is_found or len(context.retrieval.matches.matched)
    if vectors.text is not None and not has_words:
        run.notes.append(NO_WORD)
    settings = run.affordable_settings(environment.settings)
    unit, source = unit_of(query), source_of(query, vectors)
    depth = len(context.candidates) if likeness else max(2 * depth, repeats.SIBLING_DEPTH)
    ranking = _rank(context, settings, unit, source, depth, run)
    run.check()
    run.truncated |= context.candidates.truncated
    return context, ranking


def _compare(job: _Job, parsed: ParsedQuery) -> Likeness | None:
    """Return how similar the nodes are that the deep model, one of the stages, read in advance."""
    snapshot, query, environment, run = job
    ranker = next((stage for stage in environment.stages if isinstance(stage, DeepRanker)), None)
    read = environment.read_nodes
    if ranker is None or read is None or unit_of(query) == "file":
        return None
    likeness = ranker.compare(parsed, read, snapshot, environment.settings, run)
    if likeness and read.n_wanted > (n_read := len(read.node_ids)):
        run.notes.append(f"{n_read:,} of {read.n_wanted:,} definitions read closely so far")
    return likeness


@traced("rank")
def _rank(
    context: SignalContext,
    settings: Settings,
    unit: Unit,
    source: Source,
    depth: int,
    run: SearchRun,
) -> Ranking:
    """Rank, by the linear ranker where a plugin fails."""
    try:
        return rank(context, settings, unit, source, depth)
    except PluginError as problem:
        run.notes.append(f"{problem}; ranked by linear")
        return rank(context, changed(settings, {"search.fuser": "linear"}), unit, source, depth)


def explain(
    snapshot: Snapshot,
    query: Query,
    node_id: int,
    environment: SearchEnvironment,
    cancel: threading.Event | None = None,
) -> Hit:
    """Score the node of a live node id for the query whether or not it ranks.

    Its rank is that of a search, behind the first of them the one among the candidates; 0 if it is
    none of them, or if a better hit has its lines, which is told. Raises KeyError for a dead node
    id, Cancelled when `cancel` is set meanwhile.
    """
    run = SearchRun(query, cancel)
    snapshot.locate(node_id)
    parsed = parse(snapshot, query, environment)
    parsed = replace(parsed, kinds=(), languages=(), globs=(), exact=(), within=None)
    vectors, _ = encode(parsed, query.mode, snapshot, environment.embedder)
    job = _Job(snapshot, query, environment, run)
    likeness = _compare(job, parsed)
    context = retrieve_context(snapshot, query, parsed, vectors, environment, likeness)
    is_candidate = bool(context.candidates.mask[node_id])
    if not is_candidate:
        context = context.with_node(node_id)
    run.check()
    unit, source = unit_of(query), source_of(query, vectors)
    settings = environment.settings
    ranking = _rank(context, settings, unit, source, len(context.candidates), run)
    [row] = np.flatnonzero(context.candidates.node_ids == node_id).tolist()
    position = int((ranking.scores > ranking.scores[row]).sum()) + 1 if is_candidate else 0
    ranked = search(snapshot, replace(query, limit=_RANKED), environment, cancel).hits
    others = [hit.node.node_id for hit in ranked if hit.node.node_id != node_id]
    best = np.flatnonzero(np.isin(context.candidates.node_ids, others[:1])).tolist()
    hits: Sequence[Hit] = _make_hits(context, ranking, [row, *best], environment.root)
    stage_context = _stage_context(job, parsed)
    for stage in environment.stages:
        hits = stage.rerank(hits, stage_context)
    position, hidden_by = repeats.rank_among(ranked, hits[0].node, position)
    hits = [_at_its_line(replace(hits[0], rank=position), parsed), *hits[1:]]
    explanations = explain_hits(context, ranking, unit, hits, environment.text_of)
    explanation = partial(with_losses, explanations[0], hidden_by)
    return replace(hits[0], explanation=explanation if hidden_by else explanations[0])


def _stage_context(job: _Job, parsed: ParsedQuery) -> StageContext:
    _, _, environment, run = job
    settings, vectors = environment.settings, environment.vectors
    return StageContext(parsed, run, environment.text_of, settings, vectors)


@traced("parse")
def parse(snapshot: Snapshot, query: Query, environment: SearchEnvironment) -> ParsedQuery:
    """Parse a query; the project's own name is no word of a question."""
    stats = environment.cache.stats(snapshot)
    parsed = parse_query(query, Project(environment.root, snapshot, stats))
    find = find_exact_matches if query.mode in ("hybrid", "lexical") else find_printers
    parsed = find(snapshot, stats, query.text, parsed, environment.texts)
    if parsed.scope.is_dated:
        state = environment.history.state if environment.history else "unavailable"
        note = f"{_DISK_DATES}: {_NO_HISTORY[state]}" if state in _NO_HISTORY else _COMMIT_DATES
        parsed = replace(parsed, history=environment.history, notes=(*parsed.notes, note))
    return parsed if environment.within is None else replace(parsed, within=environment.within)


@traced("candidates")
def retrieve_context(
    snapshot: Snapshot,
    query: Query,
    parsed: ParsedQuery,
    vectors: QueryVectors,
    environment: SearchEnvironment,
    likeness: Likeness | None = None,
) -> SignalContext:
    """Retrieve the candidates of a query, as the context of their signals."""
    if query.mode == "dense" and vectors.text is not None:
        parsed = parsed.without_words()
    stats = environment.cache.stats(snapshot)
    allowed = allowed_node_ids(snapshot, stats, parsed)
    budget = query.budget.candidates
    limits = TopK.of(environment.settings)
    alike = likeness.best(limits.meaning) if likeness else NO_NODE_IDS
    top_k = None if unit_of(query) == "file" else limits
    retrieval = retrieve(
        snapshot, stats, parsed, vectors.text, allowed, top_k, budget=budget, further=alike
    )
    return SignalContext(parsed, snapshot, stats, vectors, retrieval)


def source_of(query: Query, vectors: QueryVectors) -> Source:
    """Return which set of weights ranks the query."""
    if vectors.text is None:
        return "lexical"
    return "dense" if query.mode == "dense" else "hybrid"


def unit_of(query: Query) -> Unit:
    """Return what the query ranks."""
    return "file" if query.files else "node"


def best_hits(
    context: SignalContext, ranking: Ranking, limit: int, root: str, unit: Unit = "node"
) -> tuple[Hit, ...]:
    """Return the best `limit` nodes as hits, or the best node of each of the best files."""
    rows = competing_rows(context, ranking, unit)
    limit = min(max(0, limit), len(rows))
    if not limit:
        return ()
    best = rows[top_k(ranking.rounded[rows], limit)].tolist()
    return rank_hits(_make_hits(context, ranking, best, root), limit)


def _hits(
    job: _Job, context: SignalContext, ranking: Ranking, limit: int, likeness: Likeness | None
) -> tuple[tuple[Hit, ...], dict[int, int]]:
    """Return the best `limit` nodes, or files, that share no lines, and who is a copy of whom.

    By their scores with `likeness`, which the stage of the deep model adds.
    """
    query, root = job.query, job.environment.root
    if query.files or query.overlapping:
        return best_hits(context, ranking, limit, root, unit_of(query)), {}
    node_ids = context.candidates.node_ids.take(ranking.nodes)
    added = likeness.of(node_ids) if likeness else np.zeros(len(node_ids), np.float32)
    nodes = repeats.distinct_nodes(context, ranking, added, limit, root, job.environment.text_of)
    reasons = ranking.why([each.row for each in nodes])
    hits = [
        Hit(each.node, rank, _score(why), why)
        for rank, (each, why) in enumerate(zip(nodes, reasons, strict=True), 1)
    ]
    return rank_hits(hits, len(nodes)), {each.node.node_id: each.original for each in nodes}


def _n_copies(originals: Mapping[int, int]) -> int:
    return sum(node_id != original for node_id, original in originals.items())


def _make_hits(
    context: SignalContext, ranking: Ranking, rows: Sequence[int], root: str
) -> list[Hit]:
    """Return each node `ranking.nodes[row]` with the reasons that add up to its score."""
    node_ids = context.candidates.node_ids[ranking.nodes[rows]].tolist()
    return [
        Hit(context.snapshot.ref(node_id, root), 0, _score(why), why)
        for node_id, why in zip(node_ids, ranking.why(rows), strict=True)
    ]


def _score(why: Sequence[SignalValue]) -> float:
    return math.fsum([weight * value for _, value, weight in why])
