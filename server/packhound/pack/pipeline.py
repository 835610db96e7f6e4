"""A prompt to a pack: candidates, the knapsack over their tiers of detail, and the text.

The text never costs more than the request allows, by the count of the request's own tokenizer, and
equal snapshots and requests give equal packs.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import chain, islice
from typing import TypeAlias

from packhound.core.errors import Cancelled
from packhound.core.trace import span
from packhound.llm import TokenCounter, counter_for
from packhound.pack.context import PackContext
from packhound.pack.conversations import NodeKey
from packhound.pack.gather import gather
from packhound.pack.intention import intention_of
from packhound.pack.items import block_of, items_of
from packhound.pack.knapsack import Choice, Knapsack, estimated_cost
from packhound.pack.map import map_of
from packhound.pack.notes import OVER_BUDGET, empty_note, request_notes
from packhound.pack.pool import Candidate, Pool, Users
from packhound.pack.prompt_words import PromptWords
from packhound.pack.render import Block, render
from packhound.pack.request import (
    CONTAINERS,
    DETAILS,
    Omitted,
    Pack,
    PackRequest,
)
from packhound.pack.sources.neighbourhood import referenced_by
from packhound.pack.uses import callers_first, calls_among
from packhound.redact import safe_line
from packhound.search import caveats_in, content_of

_FIRST_SHARE = 0.9
"""Of the budget, before the definitions that chosen bodies use may come along."""
_USERS_SHARE = 0.15
"""Of the budget, for the lines of users before any definition is shown whole."""
_NAMED_SHARE = 0.4
"""Of the budget, for the lines of long bodies that the prompt points at, before other code."""
_LEADER_SHARE = 0.6
"""Of the budget, up to which the best definition that the prompt names is whole before others."""
_MAX_CUT, _LEAST_CUT, _WEAKER, _FIRST_HITS = 4, 0.05, 0.5, 12
"""Bodies that did not fit of which the lines that matter are shown, from which utility on, instead
of what has less than this share of it and is none of the first hits."""
_MAX_CALLED = 6
"""Definitions of which the first lines say that callers come first."""
_LEAST_LINES = 3
"""Of a definition that nothing but its file brings along."""
_UNSURE_PART = 3
"""Times fewer files that a pack has, and more of each, if the search is unsure."""
_FILES, _TOKENS_A_FILE = 6, 700
"""Files that are read for a pack: a few, and one more for so many tokens."""
_CANDIDATES, _TOKENS_A_CANDIDATE = 60, 60
_ROUNDS = 2
"""Attempts to use what remains after the true cost of the text is known."""
_MIN_ROUND_TOKENS = 40
_MAX_OMITTED = 30
_SUBJECTS, _USES = 3, ("references", "referenced-by")
"""Chosen definitions of which what they use, or what uses them, is before what is left out else."""
_USED, _CONTAINER = 4.0, 0.3
"""Times that such a definition counts more there, and what holds others, such as a class."""
_MAX_ALREADY_SENT = 10
_MAX_PLACES = 3
"""Other lines with a name that are said where they are."""

Sent: TypeAlias = dict[NodeKey, int]
"""Tiers that a conversation has, by node."""


def pack(context: PackContext, request: PackRequest) -> Pack:
    """Return the best code for the prompt, or the map of the folder.

    Raises Cancelled, or SettingsError (tokenizer).
    """
    if request.map:
        return map_of(context, request)
    counter = counter_for(request.tokenizer)
    pool = gather(context, request)
    _check_cancelled(context)
    excerpts = context.excerpts(counter)
    sent = context.conversations.sent_tiers(request.conversation)
    knapsack = Knapsack(
        excerpts,
        PromptWords(content_of(request.prompt)),
        lambda candidate: sent.get(_key(candidate), -1) + 1 if sent else 0,
        _sent_lines(context, sent),
    )
    packing = _Packing(context, request, pool, knapsack, counter, sent)
    packing.choose()
    is_explained = intention_of(request.prompt) == "explain"
    topics = packing.topics() if is_explained else []
    called_by = calls_among(pool, topics)
    order = callers_first(topics, called_by)
    text, tokens = packing.fit_text(order)
    chosen = sorted(knapsack.chosen.values(), key=lambda choice: choice.candidate.order)
    context.conversations.remember(
        request.conversation, ((_key(c.candidate), DETAILS.index(c.detail)) for c in chosen)
    )
    answer, linked = pool.answer, {*called_by, *chain.from_iterable(called_by.values())}
    matches = any(candidate.utility > 0 for candidate in pool.by_node_id.values())
    empty = () if text else (empty_note(request, matches=matches, sent=bool(sent)),)
    return Pack(
        tokens=tokens,
        budget=request.budget,
        items=tuple(
            replace(item, reason=safe_line(item.reason))
            for item in items_of(_by_file(knapsack, order), excerpts)
        ),
        omitted=_omissions(pool, knapsack, sent),
        text=text,
        remarks=(*pool.notes, *request_notes(request, counter, tokens, text), *empty),
        generation=context.snapshot.generation,
        confidence=answer.confidence if answer else None,
        confidence_word=answer.confidence_word if answer else None,
        caveats=tuple(caveats_in(answer.remarks)) if answer else (),
        uses=tuple(_uses(pool, knapsack, [c for c in order if c.node_id in linked])),
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Packing:
    """One pack in the making: candidates into the knapsack, and the knapsack into text."""

    context: PackContext
    request: PackRequest
    pool: Pool
    knapsack: Knapsack
    counter: TokenCounter
    sent: Sent

    def choose(self) -> None:
        """Fill the knapsack: what is sure, then all, whole where they fit, then what these use."""
        available, knapsack = self.request.available, self.knapsack
        first = int(available * _FIRST_SHARE)
        ranked = _affordable(self.pool, available)
        surest = [c for c in ranked if c.pinned or c.is_answer or c.is_subject]
        knapsack.offer(surest, ("signature", "elided", "full"))
        knapsack.run(available)
        knapsack.offer(self.pool.users.candidates, ("outline",))
        knapsack.run(int(available * _USERS_SHARE))
        knapsack.offer((c for c in ranked if c.named_lines), ("elided",))
        knapsack.run(int(available * _NAMED_SHARE))
        leaders = (c for c in ranked if c.is_named and c.kind not in CONTAINERS)
        for leader in islice(leaders, 1):
            is_short = estimated_cost(leader, "full") <= _LEADER_SHARE * available
            knapsack.offer([leader], ("full" if is_short else "elided",))
            knapsack.run(first)
        free = [candidate for candidate in ranked if candidate not in surest]
        knapsack.offer(free, ("full",))
        bodies = (c for c in free if c.kind not in CONTAINERS)
        knapsack.offer((c for c in bodies if estimated_cost(c, "full") > first), ("elided",))
        knapsack.run(first)
        self._show_cut(ranked, first)
        _check_cancelled(self.context)
        users = [c.candidate for c in knapsack.chosen.values() if c.detail in ("elided", "full")]
        referenced = referenced_by(self.pool, self.context, users)
        knapsack.offer((c for c in referenced if c.node_id not in knapsack.chosen), ("signature",))

    def _show_cut(self, ranked: Sequence[Candidate], limit: int) -> None:
        """Show the lines that matter of the best bodies that did not fit, instead of trifles."""
        chosen, first_hits = self.knapsack.chosen, range(1, _FIRST_HITS + 1)
        bodies = (c for c in ranked if c.is_asked and c.kind not in CONTAINERS)
        cut = [c for c in bodies if c.node_id not in chosen and c.utility >= _LEAST_CUT]
        for candidate in cut[:_MAX_CUT]:
            weaker = [
                c
                for c in (choice.candidate for choice in chosen.values())
                if c.utility < _WEAKER * candidate.utility
                and not (c.pinned or c.is_named or c.rank in first_hits or c.use_lines)
            ]
            weaker.sort(key=lambda c: (-c.utility, c.order))
            self.knapsack.insist(candidate, "elided", limit, weaker)

    def topics(self) -> list[Candidate]:
        """Return the chosen definitions that the search or the prompt named, best first."""
        chosen = [c.candidate for c in self.knapsack.chosen.values() if c.detail == "full"]
        topics = [c for c in chosen if c.is_asked and c.kind not in CONTAINERS]
        return sorted(topics, key=lambda c: (-c.utility, c.order))

    def fit_text(self, order: Sequence[Candidate]) -> tuple[str, int]:
        """Return the text as near below the budget as it gets, and its tokens.

        Files come in the order of definitions of theirs.
        """
        generation = self.context.snapshot.generation

        @cache
        def block(*choices: Choice) -> Block:
            """Return the block of a file, which mostly stays from one round to the next."""
            return block_of(choices, self.knapsack.excerpts, generation)

        def measure() -> tuple[str, int]:
            blocks = [block(*choices) for choices in _by_file(self.knapsack, order)]
            already_sent = _already_sent(self.pool, self.knapsack, self.sent)
            text = render(blocks, already_sent, self.request.format)
            with span("count tokens"):
                return text, self.counter.count(text)

        available = limit = self.request.available
        for _ in range(_ROUNDS):
            self.knapsack.run(limit)
            text, tokens = measure()
            while tokens > available and self.knapsack.undo():
                text, tokens = measure()
            if available - tokens < _MIN_ROUND_TOKENS:
                break
            limit = self.knapsack.spent + available - tokens
        return (text, tokens) if tokens <= available else ("", 0)


def _affordable(pool: Pool, available: int) -> list[Candidate]:
    """Return the candidates of the best files that are worth a place, of few files where unsure."""
    ranked = pool.by_rank()
    utilities: dict[str, float] = defaultdict(float)
    for candidate in ranked:
        utilities[candidate.path] += 1.0 if candidate.pinned else candidate.utility
    is_unsure = pool.answer is not None and pool.answer.confidence_word == "weak"
    n_files = (_FILES + available // _TOKENS_A_FILE) // (_UNSURE_PART if is_unsure else 1)
    best = set(sorted(utilities, key=lambda path: (-utilities[path], path))[:n_files])
    chosen = [c for c in ranked if c.pinned or (c.path in best and _is_worth_a_place(c))]
    return chosen[: _CANDIDATES + available // _TOKENS_A_CANDIDATE]


def _is_worth_a_place(candidate: Candidate) -> bool:
    """Return False for what is no use, and for trifles that only stand beside something."""
    first, last = candidate.entry.lines(candidate.position)
    is_beside = all(origin.source == "file" for origin in candidate.origins)
    return candidate.utility > 0 and not (is_beside and last - first + 1 < _LEAST_LINES)


def _by_file(knapsack: Knapsack, order: Sequence[Candidate]) -> list[list[Choice]]:
    """Return the choices of each file in reading order.

    Pinned and changed files come first, then those of `order`.
    """
    first = {candidate.path: i for i, candidate in reversed([*enumerate(order)])}
    files: dict[str, list[Choice]] = defaultdict(list)
    for choice in knapsack.chosen.values():
        files[choice.candidate.path].append(choice)
    for choices in files.values():
        choices.sort(key=lambda c: (c.lines[0], -c.lines[-1], c.candidate.order))
    return sorted(files.values(), key=lambda choices: _file_order(choices, first))


def _file_order(
    choices: Sequence[Choice], first: Mapping[str, int]
) -> tuple[bool, bool, int, float, str]:
    candidates = [choice.candidate for choice in choices]
    changed = any(candidate.changed for candidate in candidates)
    pinned = any(candidate.pinned for candidate in candidates)
    best = max(candidate.utility for candidate in candidates)
    path = candidates[0].path
    return not pinned, not changed, first.get(path, len(first)), -best, path


def _uses(pool: Pool, knapsack: Knapsack, called: Sequence[Candidate]) -> Iterator[str]:
    """Yield what is said of the users, and the order of the call."""
    if pool.users.subject:
        yield _users_remark(pool.users, knapsack)
    if called:
        names = ", ".join(f"`{candidate.name}`" for candidate in called[:_MAX_CALLED])
        yield f"callers before callees: {names}"
    yield from pool.remarks


def _users_remark(users: Users, knapsack: Knapsack) -> str:
    """Return how many users there are and are shown, and where others may be."""
    node_ids = {user.node_id for user in users.candidates}
    details = [c.detail for node_id, c in knapsack.chosen.items() if node_id in node_ids]
    n_whole, n_missing = details.count("full"), len(node_ids) - len(details)
    counts = f"{n_whole} whole and {len(details) - n_whole} by their lines"
    possible = f" and {users.n_possible} possible by the name alone" if users.n_possible else ""
    missing = f", {n_missing} not shown" if n_missing else ""
    parts = f", of which {counts}{missing}" if node_ids else ""
    places, n_unread = ", ".join(users.other_lines[:_MAX_PLACES]), users.n_unread_files
    rest = f"; other lines with the name: {len(users.other_lines)} ({places})" if places else ""
    rest += f"; files with the name not searched for users: {n_unread}" if n_unread else ""
    return f"{users.subject}: {len(node_ids) - users.n_possible}{possible}{parts}{rest}"


def _already_sent(pool: Pool, knapsack: Knapsack, sent: Sent) -> list[str]:
    """Return nodes near the topic that the conversation has, as locations to look up."""
    ranked = pool.by_rank()[:_MAX_OMITTED] if sent else ()
    candidates = [c for c in ranked if _key(c) in sent and c.node_id not in knapsack.chosen]
    return [_location(candidate) for candidate in candidates[:_MAX_ALREADY_SENT]]


def _location(candidate: Candidate) -> str:
    """Return path, lines and name of a node."""
    node = candidate.node
    lines = f"{node.span.start_line + 1}-{node.span.end_line + 1}"
    return f"{candidate.path}:{lines} {safe_line(node.qualname)}"


def _sent_lines(context: PackContext, sent: Sent) -> dict[str, frozenset[int]]:
    """Return the lines that the conversation has, so that no container sends them again."""
    lines: dict[str, set[int]] = defaultdict(set)
    for (path, digest), tier in sent.items():
        entry = context.snapshot.files.get(path)
        for position, node in enumerate(entry.nodes if entry else ()):
            assert entry is not None
            has_body = tier >= DETAILS.index("elided") and node.kind not in CONTAINERS
            if has_body and entry.node_digest(position) == digest:
                lines[path].update(range(node.span.start_line, node.span.end_line + 1))
    return {path: frozenset(numbers) for path, numbers in lines.items()}


def _key(candidate: Candidate) -> NodeKey:
    return candidate.path, candidate.entry.node_digest(candidate.position)


def _omissions(pool: Pool, knapsack: Knapsack, sent: Sent) -> tuple[Omitted, ...]:
    with_reasons = [c for c in pool.by_rank() if c.has_reason and _is_worth_a_place(c)]
    used = _used_with_best(pool, knapsack)
    factors = {c.node_id: _CONTAINER if c.kind in CONTAINERS else 1.0 for c in with_reasons}
    factors |= {node_id: _USED * factors.get(node_id, 1.0) for node_id in used}
    with_reasons.sort(key=lambda c: -factors[c.node_id] * c.utility)
    candidates = (*pool.excluded.values(), *with_reasons)
    # Of what holds a definition that is shown, that one is the part that matters.
    owners = (pool.parent(choice.candidate) for choice in knapsack.chosen.values())
    node_ids = {*knapsack.chosen, *(owner.node_id for owner in owners if owner)}
    omitted = (c for c in candidates if c.node_id not in node_ids)
    return tuple(
        Omitted(
            c.path,
            safe_line(c.name),
            safe_line(_reason_omitted(c, pool, knapsack, sent)),
        )
        for c in islice(omitted, _MAX_OMITTED)
    )


def _used_with_best(pool: Pool, knapsack: Knapsack) -> set[int]:
    """Return what the best chosen definitions use, and what uses these."""
    chosen = (choice.candidate for choice in knapsack.chosen.values())
    bodies = [c for c in chosen if c.is_asked and c.kind not in CONTAINERS]
    bodies.sort(key=lambda c: (-c.utility, c.order))
    subjects = {body.display_name for body in bodies[:_SUBJECTS]}
    return {
        candidate.node_id
        for candidate in pool.by_node_id.values()
        for origin in candidate.origins
        if origin.path and origin.path[0] in subjects and origin.path[1] in _USES
    }


def _reason_omitted(candidate: Candidate, pool: Pool, knapsack: Knapsack, sent: Sent) -> str:
    if candidate.node_id in pool.excluded:
        return "excluded by the request"
    if _key(candidate) in sent:
        return "sent before in this conversation, unchanged"
    if candidate.path in knapsack.excerpts.unchecked:
        return "secrets in the file could not be ruled out in time"
    if candidate.node_id in knapsack.unread:
        return "the file has changed since it was indexed"
    if candidate.duplicate_of:
        return f"nearly repeats {candidate.duplicate_of}"
    needs = knapsack.refused.get(candidate.node_id)
    reason = candidate.reasons[0] if candidate.reasons else "candidate"
    return f"{OVER_BUDGET}{reason}" + (f", needs {needs} tokens" if needs else "")


def _check_cancelled(context: PackContext) -> None:
    if context.cancel is not None and context.cancel.is_set():
        raise Cancelled("the pack was cancelled")
