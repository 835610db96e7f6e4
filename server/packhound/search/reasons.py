"""At most three reasons for the place of a hit, in words that a person can check in its code.

A reason names words of the query, places in the code or ranks, never a number of the ranker; and no
reason names an edge of the graph, which may rest on a bare name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, TypeAlias

from packhound.core.types import GroupName, Hit, SignalGroup
from packhound.search.evidence import QueryWord, WordMatches, shared_phrase
from packhound.search.query.parse import ParsedQuery
from packhound.search.signals.registry import SIGNALS
from packhound.text import terms

Texts: TypeAlias = Mapping[GroupName, str]

MAX_REASONS = 3
VERY_HIGH_LIKENESS = 0.9
"""Cosine from which two texts are very much alike."""
STRONG_OVERLAP = 0.5
"""Share of the query's words from which a hit overlaps strongly."""

_LEADER_SHARE = 0.15
"""A group is a reason if it adds this share of what the leading group does."""
_CLOSE_RANK = 50
_BELOW = 50
"""Ranks up to here are exact: more candidates are not scored."""

_STRUCTURE = tuple(s for s in SIGNALS if s.group == "Structure" and s.reason)
_YOU = tuple(s for s in SIGNALS if s.group == "You")
_PRINTS, _QUOTES = "prints this message", "quotes this message"


class Evidence(NamedTuple):
    """Evidence on one hit.

    `words` are those of the query and `matches` those of them that the hit has, `is_named` says
    that it has a name of the query, letter for letter or (`is_folded`) in another case. `likeness`
    is a cosine and `meaning_rank` its rank among the candidates, 0 without vectors; `values` are
    those of the hit's signals by name, `used` is what the user did with it in words.
    """

    query: ParsedQuery
    words: tuple[QueryWord, ...]
    matches: WordMatches
    is_named: bool
    is_folded: bool
    name_value: float
    likeness: float
    meaning_rank: int
    n_candidates: int
    values: Mapping[str, float]
    used: str = ""

    @property
    def overlap(self) -> float:
        """Share of the query's words that the hit has."""
        return len(self.matches.anywhere) / len(self.words) if self.words else 0.0

    @property
    def you(self) -> float:
        """Share that the hit has in the user's work, 0 to 1."""
        return min(1.0, max([self.values.get(signal.name, 0.0) for signal in _YOU]))


def choose_reasons(groups: Sequence[SignalGroup], evidence: Texts) -> tuple[str, ...]:
    """Return the reasons of the leading groups, the largest first."""
    ranked = sorted(
        [group for group in groups if group.contribution > 0 and evidence.get(group.name)],
        key=lambda group: -group.above_average,
    )
    largest = max([group.above_average for group in groups if group.name in evidence], default=0.0)
    leaders = [group for group in ranked if group.above_average > _LEADER_SHARE * largest > 0]
    # Where no group is above the average, what the hit has in common with others must do.
    return tuple([evidence[group.name] for group in (leaders or ranked)[:MAX_REASONS]])


def reason_texts(hit: Hit, evidence: Evidence) -> Texts:
    """Return a reason for each group but Structure, "" for a group that speaks not for the hit."""
    you = _you_texts(evidence)
    return {
        "Name": _name_reason(hit, evidence),
        "Words": _words_reason(hit, evidence),
        "Meaning": _meaning_reason(evidence),
        "You": f"you: {you[0]}" if you else "",
    }


def group_texts(evidence: Evidence, texts: Texts, above: Mapping[GroupName, float]) -> Texts:
    """Return what speaks for or against a hit in each group, "" for nothing.

    `above` is what each group adds above the average: what is below it is not called strong.
    """
    structure = [s.reason for s in _STRUCTURE if evidence.values.get(s.name, 0) > 0]
    return {
        "Name": texts["Name"],
        "Words": _overlap(evidence, texts["Words"], is_strong=above["Words"] >= 0),
        "Meaning": _likeness(evidence, is_strong=above["Meaning"] >= 0),
        "Structure": ", ".join(structure),
        "You": ", ".join(_you_texts(evidence)),
    }


def _name_reason(hit: Hit, evidence: Evidence) -> str:
    matches = evidence.matches
    if evidence.is_named:
        return f"name: {hit.node.name} (exact)"
    if evidence.is_folded:
        return f"name: {hit.node.name} (in another case)"
    if matches.name:
        return f"name: {_spell(matches.name)}"
    if not matches.path:
        return ""
    folder, _, file = hit.node.path.rpartition("/")
    for title, text in (("file", file.rpartition(".")[0] or file), ("folder", folder)):
        present = frozenset(terms(text))
        if words := [word for word in matches.path if word.term in present]:
            return f"{title}: {_spell(words)}"
    return ""


def _words_reason(hit: Hit, evidence: Evidence) -> str:
    if evidence.values.get("prints_message"):
        return _QUOTES if evidence.values.get("test_path") else _PRINTS
    matches = evidence.matches
    words_by_field = {
        "comment": matches.doc,
        "signature": tuple([word for word in matches.signature if word not in matches.name]),
        "body": matches.outside(*matches[1:]),
    }
    field, words = max(words_by_field.items(), key=_weight)
    if not words:
        return ""
    if field == "comment" and (phrase := shared_phrase(evidence.query, hit.node.doc, words)):
        return f'comment: "{phrase}"'
    return f"{field}: {_spell(words)}"


def _weight(entry: tuple[str, Sequence[QueryWord]]) -> float:
    return sum([word.idf for word in entry[1]])


def _spell(words: Sequence[QueryWord]) -> str:
    return " ".join([word.text for word in words])


def _meaning_reason(evidence: Evidence) -> str:
    close = 0 < evidence.meaning_rank <= _CLOSE_RANK
    return f"meaning: {_closeness(evidence)}" if close else ""


def _closeness(evidence: Evidence) -> str:
    rank = evidence.meaning_rank
    order = "closest" if rank == 1 else f"{ordinal(rank)} closest"
    return f"{order} of {evidence.n_candidates:,}"


def _you_texts(evidence: Evidence) -> list[str]:
    values = evidence.values
    texts = {signal.name: signal.reason for signal in _YOU if values.get(signal.name)}
    if evidence.used and "used_lately" in texts:
        texts["used_lately"] = evidence.used
    return list(texts.values())


def _overlap(evidence: Evidence, reason: str, *, is_strong: bool) -> str:
    has = evidence.matches.anywhere
    if not has:
        return ""
    is_strong = is_strong and evidence.overlap >= STRONG_OVERLAP
    strong = "strong term overlap, " if is_strong else ""
    missing = _spell([word for word in evidence.words if word not in has])
    text = f"{strong}{len(has)} of {len(evidence.words)} words"
    return "; ".join(filter(None, (text, reason, missing and f"missing: {missing}")))


def _likeness(evidence: Evidence, *, is_strong: bool) -> str:
    if not evidence.meaning_rank:
        return ""
    is_very_high = is_strong and evidence.likeness >= VERY_HIGH_LIKENESS
    return ("very high conceptual likeness, " if is_very_high else "") + _closeness(evidence)


def counterfactual(
    rank: int, groups: Sequence[SignalGroup], without_penalty: Mapping[str, int]
) -> str:
    """Return what would move a hit, and where to; "" for a hit without a rank."""
    if not rank:
        return ""
    for signal in _STRUCTURE:
        if 0 < (better := without_penalty.get(signal.name, rank)) < rank:
            return f"{signal.reason}: without that it would be {ordinal(better)}"
    moves = sorted(
        (group for group in groups if group.rank_without != rank),
        key=lambda group: -abs(group.rank_without - rank),
    )
    if not moves:
        return "nothing alone would move it"
    texts = [f"{_without(group)} it would be {_place(group.rank_without)}" for group in moves[:2]]
    return ", ".join(texts)


def _without(group: SignalGroup) -> str:
    return f"without {group.name}" if group.above_average > 0 else f"with average {group.name}"


def _place(rank: int) -> str:
    return ordinal(rank) if rank <= _BELOW else f"below {ordinal(_BELOW)}"


def ordinal(rank: int) -> str:
    """Return `1st`, `2nd`, `3rd`, `4th`."""
    if rank % 100 in (11, 12, 13):
        return f"{rank:,}th"
    return f"{rank:,}{ {1: 'st', 2: 'nd', 3: 'rd'}.get(rank % 10, 'th') }"
