"""A prompt to a pack: candidates, the knapsack over their tiers of detail, and the text.

The text never costs more than the request allows, by the count of the request's own tokenizer, and
equal snapshots and requests give equal packs.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from itertools import islice
from typing import TypeAlias

from packhound.core.errors import Cancelled
from packhound.llm.counter import TokenCounter, counter_for
from packhound.llm.prices import cost, find_model
from packhound.pack.context import PackContext
from packhound.pack.excerpt import Excerpts
from packhound.pack.gather import gather
from packhound.pack.items import block_of, items_of
from packhound.pack.knapsack import Choice, Fitting
from packhound.pack.pool import Candidate, Pool
from packhound.pack.render import Block, render
from packhound.pack.request import CONTAINERS, DETAILS, Omitted, Pack, PackRequest
from packhound.pack.sources.neighbourhood import references_of
from packhound.pack.words import telling_words
from packhound.redact.control_characters import safe_line
from packhound.redact.redact import redact

_FIRST_SHARE = 0.9
"""Of the budget, before the definitions that chosen bodies use may come along."""
_LEADERS, _LEADS, _LEAD_SHARE = 2, 0.25, 0.3
"""So many of the surest nodes come first, as whole as this share of the budget lets them."""
_FILES, _TOKENS_A_FILE = 6, 700
"""Files that are read for a pack: a few, and one more for so many tokens."""
_CANDIDATES, _TOKENS_A_CANDIDATE = 60, 60
_ROUNDS = 2
"""Attempts to use what is left after the true cost of the text is known."""
_WORTH_A_ROUND = 40
_OMITTED = 30

Sent: TypeAlias = dict[tuple[str, bytes], int]

TABLES: tuple[Callable[[], object], ...] = (counter_for, lambda: redact(""))
"""Make the tables of tokens and of secrets, which the first pack would wait for."""


def pack(context: PackContext, request: PackRequest) -> Pack:
    """The best of the snapshot for the prompt. Raises Cancelled, or SettingsError (tokenizer)."""
    counter = counter_for(request.tokenizer)
    pool = gather(context, request)
    _check(context)
    excerpts = Excerpts(context.snapshot.files, context.source, counter)
    sent = context.conversations.sent(request.conversation)
    fitting = Fitting(
        excerpts,
        telling_words(request.prompt),
        lambda candidate: sent.get(_key(candidate), -1) + 1 if sent else 0,
        _known_lines(context, sent),
    )
    text, tokens = _fit(context, request, pool, fitting, counter, sent)
    chosen = sorted(fitting.chosen.values(), key=lambda choice: choice.candidate.order)
    context.conversations.remember(
        request.conversation, ((_key(c.candidate), DETAILS.index(c.detail)) for c in chosen)
    )
    return Pack(
        tokens=tokens,
        budget=request.budget,
        items=tuple(
            replace(item, reason=safe_line(item.reason))
            for item in items_of(_by_file(fitting), excerpts)
        ),
        omitted=_omitted(pool, fitting, sent),
        text=text,
        notes=_notes(request, counter, tokens, text),
        generation=context.snapshot.generation,
    )


def _fit(
    context: PackContext,
    request: PackRequest,
    pool: Pool,
    fitting: Fitting,
    counter: TokenCounter,
    sent: Sent,
) -> tuple[str, int]:
    """Choose until the text is as near below the budget as it gets; returns it and its tokens."""
    available = request.available
    ranked = _affordable(pool.ranked(), available)
    fitting.offer(candidate for candidate in ranked if candidate.pinned)
    fitting.run(available)
    free = [candidate for candidate in ranked if not candidate.pinned]
    leaders = [candidate for candidate in free[:_LEADERS] if candidate.utility >= _LEADS]
    fitting.offer(leaders)
    fitting.run(fitting.spent + int((available - fitting.spent) * _LEAD_SHARE))
    fitting.offer(free[len(leaders) :])
    fitting.run(int(available * _FIRST_SHARE))
    _check(context)
    bodies = [c.candidate for c in fitting.chosen.values() if c.detail in ("elided", "full")]
    known = set(pool.by_node_id)
    used = references_of(pool, context, bodies)
    fitting.offer((c for c in used if c.node_id not in known), best="signature")

    @cache
    def block(*choices: Choice) -> Block:
        """The block of a file, which mostly stays from one round to the next."""
        return block_of(choices, fitting.excerpts, context.snapshot.generation)

    def measured() -> tuple[str, int]:
        blocks = [block(*choices) for choices in _by_file(fitting)]
        text = render(blocks, _known(pool, fitting, sent), request.format)
        return text, counter.count(text)

    limit = available
    for _ in range(_ROUNDS):
        fitting.run(limit)
        text, tokens = measured()
        while tokens > available and fitting.undo():
            text, tokens = measured()
        if available - tokens < _WORTH_A_ROUND:
            break
        limit = fitting.spent + available - tokens
    return (text, tokens) if tokens <= available else ("", 0)


def _affordable(ranked: Sequence[Candidate], available: int) -> list[Candidate]:
    """The candidates of the best files only: reading a file for one line of it is not worth it."""
    files: dict[str, float] = defaultdict(float)
    for candidate in ranked:
        files[candidate.path] += 1.0 if candidate.pinned else candidate.utility
    most = _FILES + available // _TOKENS_A_FILE
    best = set(sorted(files, key=lambda path: (-files[path], path))[:most])
    chosen = [c for c in ranked if c.utility > 0 and (c.pinned or c.path in best)]
    return chosen[: _CANDIDATES + available // _TOKENS_A_CANDIDATE]


def _by_file(fitting: Fitting) -> list[list[Choice]]:
    """The choices of each file in reading order; changed and pinned files first, then the best."""
    files: dict[str, list[Choice]] = defaultdict(list)
    for choice in fitting.chosen.values():
        files[choice.candidate.path].append(choice)
    for choices in files.values():
        choices.sort(key=lambda c: (c.lines[0], -c.lines[-1], c.candidate.order))
    return sorted(files.values(), key=_urgency)


def _urgency(choices: Sequence[Choice]) -> tuple[bool, bool, float, str]:
    candidates = [choice.candidate for choice in choices]
    changed = any(candidate.changed for candidate in candidates)
    pinned = any(candidate.pinned for candidate in candidates)
    best = max(candidate.utility for candidate in candidates)
    return not pinned, not changed, -best, candidates[0].path


def _known(pool: Pool, fitting: Fitting, sent: Sent) -> list[str]:
    """Nodes near the topic that the conversation has already, as places to look up."""
    ranked = pool.ranked()[:_OMITTED] if sent else ()
    found = [c for c in ranked if _key(c) in sent and c.node_id not in fitting.chosen]
    return [_place(candidate) for candidate in found[:10]]


def _place(candidate: Candidate) -> str:
    """The lines of a node and its name."""
    node = candidate.node
    lines = f"{node.span.start_line + 1}-{node.span.end_line + 1}"
    return f"{candidate.path}:{lines} {safe_line(node.qualname)}"


def _known_lines(context: PackContext, sent: Sent) -> dict[str, frozenset[int]]:
    """The lines that the conversation has already, so that no container sends them again."""
    lines: dict[str, set[int]] = defaultdict(set)
    for (path, digest), tier in sent.items():
        entry = context.snapshot.files.get(path)
        for position, node in enumerate(entry.nodes if entry else ()):
            assert entry is not None
            whole = tier >= DETAILS.index("elided") and node.kind not in CONTAINERS
            if whole and entry.node_digest(position) == digest:
                lines[path].update(range(node.span.start_line, node.span.end_line + 1))
    return {path: frozenset(known) for path, known in lines.items()}


def _key(candidate: Candidate) -> tuple[str, bytes]:
    return candidate.path, candidate.entry.node_digest(candidate.position)


def _omitted(pool: Pool, fitting: Fitting, sent: Sent) -> tuple[Omitted, ...]:
    told = (candidate for candidate in pool.ranked() if candidate.reasons)
    left = (c for c in (*pool.excluded.values(), *told) if c.node_id not in fitting.chosen)
    return tuple(
        Omitted(
            c.path,
            safe_line(c.name),
            safe_line(_why_not(c, pool, fitting, sent)),
        )
        for c in islice(left, _OMITTED)
    )


def _why_not(candidate: Candidate, pool: Pool, fitting: Fitting, sent: Sent) -> str:
    if candidate.node_id in pool.excluded:
        return "excluded by the request"
    if _key(candidate) in sent:
        return "sent before in this conversation, unchanged"
    if candidate.node_id in fitting.unread:
        return "the file has changed since it was indexed"
    if candidate.repeats:
        return f"nearly repeats {candidate.repeats}"
    needs = fitting.refused.get(candidate.node_id)
    reason = candidate.reasons[0] if candidate.reasons else "candidate"
    return f"over the budget: {reason}" + (f", needs {needs} tokens" if needs else "")


def _notes(request: PackRequest, counter: TokenCounter, tokens: int, text: str) -> tuple[str, ...]:
    how = "counted exactly" if counter.exact else "an upper bound"
    notes = [f"tokens: {counter.name}" if not counter.exact else f"tokens: {counter.name}, {how}"]
    model = find_model(request.model) if request.model else None
    if model:
        notes.append(f"{model.name}: {cost(tokens, model):.4f} USD for reading this pack")
        if request.budget > model.window:
            notes.append(f"the budget is greater than the window of {model.name}: {model.window:,}")
    elif request.model:
        notes.append(f"model '{request.model}' has no price in the table")
    redacted = text.count("[REDACTED:")
    if redacted:
        notes.append(f"secrets redacted: {redacted}")
    return tuple(notes)


def _check(context: PackContext) -> None:
    if context.cancel is not None and context.cancel.is_set():
        raise Cancelled("the pack was cancelled")
