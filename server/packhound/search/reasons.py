"""Reasons for a hit and against it, and differences from the best other one, in words.

Each can be checked in the code: words as they stand there, places, ranks; never a number of the
ranker, a stem, or an edge of the graph, which may rest on a bare name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, TypeAlias

from packhound.core.types import GroupName, Hit, NodeRef
from packhound.search.evidence import QueryWord, WordMatches, as_written, shared_phrase
from packhound.search.query.levels import IDENTIFIER, SAME_LEVEL
from packhound.search.query.parse import ParsedQuery
from packhound.search.signals.registry import SIGNALS

Amounts: TypeAlias = Mapping[GroupName, float]
Texts: TypeAlias = Mapping[GroupName, str]

MAX_REASONS = 3
_LEADER_SHARE = 0.15
"""A group is a reason if it adds this share of what the leading group does."""
_LEAST = 0.05
"""Contributions below it move nothing."""
_RANKED, _CLOSE_RANK = 10, 50
"""Closest nodes that are told their place, and those that are close."""
_MOST_LACKING = 4
_MAX_TITLE = 60

_STRUCTURE = tuple(s for s in SIGNALS if s.group == "Structure" and s.reason)
_YOU = tuple(s for s in SIGNALS if s.group == "You")
_PRINTS, _QUOTES = "prints this message", "quotes this message"
_DIFFERENCES: Texts = {
    "Name": "name",
    "Words": "words",
    "Meaning": "meaning",
    "Structure": "the kind and size of the code",
    "You": "what you work on",
}


class Evidence(NamedTuple):
    """Evidence on one hit.

    `words` are those of the query and `matches` those of them that the hit has, `is_named` says
    that it has a name of the query, letter for letter or (`is_folded`) in another case. `likeness`
    is a cosine and `meaning_rank` its rank among the candidates, 0 without vectors; `values` are
    those of the hit's signals by name, `contributions` what they add. `source` is the text of the
    node where it can be read.
    """

    query: ParsedQuery
    words: tuple[QueryWord, ...]
    matches: WordMatches
    is_named: bool
    is_folded: bool
    name_value: float
    likeness: float
    meaning_rank: int
    values: Mapping[str, float]
    contributions: Mapping[str, float]
    source: str = ""

    @property
    def overlap(self) -> float:
        """Share of the query's words that the hit has."""
        return len(self.matches.anywhere) / len(self.words) if self.words else 0.0

    @property
    def you(self) -> float:
        """Share that the hit has in the user's work, 0 to 1."""
        return min(1.0, max([self.values.get(signal.name, 0.0) for signal in _YOU]))


def level_of(hit: Hit, query: ParsedQuery) -> float:
    """Return how exactly a hit is what a query says, 0 where it is not."""
    match = query.exact_matches.get(hit.node.node_id)
    return match.level if match else 0.0


def choose_reasons(
    hit: Hit, evidence: Evidence, sums: Amounts, above: Amounts, texts: Texts
) -> tuple[str, ...]:
    """Return a fact, then the reasons of the groups that lead.

    `sums` are what the groups add, `above` how much more than to the best candidates on average.
    """
    ranked = sorted(
        [name for name, text in texts.items() if text and sums[name] > 0],
        key=lambda name: -above[name],
    )
    largest = max([above[name] for name in texts], default=0.0)
    leaders = [name for name in ranked if above[name] > _LEADER_SHARE * largest > 0]
    # Where no group is above the average, what the hit has in common with others must do.
    reasons = [texts[name] for name in leaders or ranked]
    match = evidence.query.exact_matches.get(hit.node.node_id)
    if match and match.reason:
        # It says of the words what those of another reason say.
        prints = evidence.values.get("prints_message")
        others = [reason for reason in reasons if prints or reason != texts["Words"]]
        reasons = [match.reason, *others]
    if not reasons:
        reasons = [_last_reason(evidence)]
    # What is kept of the user's own doings is said wherever it counts.
    yours = [texts["You"]] if texts["You"] and sums["You"] > 0 else []
    reasons = [reason for reason in reasons if reason and reason not in yours]
    return (*reasons[: MAX_REASONS - len(yours)], *yours)


def reason_texts(hit: Hit, evidence: Evidence) -> Texts:
    """Return a reason for each group but Structure, "" for a group that speaks not for the hit."""
    you = _you_texts(hit, evidence)
    return {
        "Name": _name_reason(hit.node, evidence),
        "Words": _words_reason(hit.node, evidence),
        "Meaning": _meaning_reason(evidence),
        "You": f"you: {you[0]}" if you else "",
    }


def group_texts(hit: Hit, evidence: Evidence, texts: Texts) -> Texts:
    """Return what there is to see of each group, "" for nothing."""
    return {
        "Name": texts["Name"],
        "Words": _overlap(hit, evidence, texts["Words"]),
        "Meaning": _closeness(evidence),
        "Structure": ", ".join(s.reason for s in _STRUCTURE if evidence.values.get(s.name, 0) > 0),
        "You": ", ".join(_you_texts(hit, evidence)),
    }


def losses(hit: Hit, evidence: Evidence, rank_without: Mapping[str, int]) -> tuple[str, ...]:
    """Return what speaks against a hit: words it lacks, its meaning, and what kind of code it is.

    `rank_without` is the rank that it would have without a signal, 0 for a hit without a rank.
    """
    told = []
    if lacking := _lacking(hit, evidence):
        told.append(f"lacks {lacking}")
    if evidence.meaning_rank > _CLOSE_RANK:
        told.append("not close in meaning")
    for signal in _STRUCTURE:
        if evidence.contributions.get(signal.name, 0.0) <= -_LEAST:
            better = rank_without.get(signal.name, hit.rank)
            otherwise = f": otherwise {ordinal(better)}" if 0 < better < hit.rank else ""
            told.append(f"{signal.reason}{otherwise}")
    return tuple(told[:MAX_REASONS])


def beside(hit: Hit, other: Hit, ahead: Amounts, evidence: Evidence, of_other: Evidence) -> str:
    """Return in what a hit is ahead of another and in what behind.

    `ahead` is what each group adds to the score more than to that of the other.
    """
    least = max(_LEAST, _LEADER_SHARE * max(map(abs, ahead.values()), default=0.0))
    names = sorted((n for n in ahead if abs(ahead[n]) >= least), key=lambda n: -abs(ahead[n]))
    difference = level_of(hit, evidence.query) - level_of(other, evidence.query)
    counts = len(evidence.matches.anywhere) - len(of_other.matches.anywhere)

    def text_of(name: GroupName) -> str:
        if name != "Words":
            return _DIFFERENCES[name]
        if abs(difference) > SAME_LEVEL:
            return "what the query says exactly"
        more = counts * ahead[name] > 0
        return f"words ({abs(counts)} {'more' if counts > 0 else 'fewer'})" if more else "words"

    parts = [
        f"{title} {', '.join(map(text_of, group))}"
        for title, group in (
            ("ahead by", [name for name in names if ahead[name] > 0]),
            ("behind by", [name for name in names if ahead[name] < 0]),
        )
        if group
    ]
    title = _title(other.node)
    place = f" ({other.node.path})" if title == _title(hit.node) else ""
    return f"beside {title}{place}: {'; '.join(parts)}" if parts else ""


def _title(node: NodeRef) -> str:
    title = node.qualname or node.name or node.path
    return title if len(title) <= _MAX_TITLE else title[: _MAX_TITLE - 1] + "…"


def _name_reason(node: NodeRef, evidence: Evidence) -> str:
    matches = evidence.matches
    if evidence.is_named:
        return f"named {node.name}"
    if evidence.is_folded:
        return f"named {node.name}, in another case"
    if matches.name and not evidence.words:
        return _typed_reason(node.name, evidence.query.names)
    if matches.name:
        return f"name has {as_written(matches.name, node.name, in_parts=True)}"
    if not matches.path:
        return ""
    folder, _, file = node.path.rpartition("/")
    for title, text in (("file name", file.rpartition(".")[0] or file), ("folder", folder)):
        if written := as_written(matches.path, text, in_parts=True):
            return f"{title} has {written}"
    return ""


def _typed_reason(name: str, typed: Sequence[str]) -> str:
    """Return what a name has of what a search by name asks for."""
    folded = name.lower()
    for text in typed:
        if folded.startswith(text.lower()):
            return f"name begins with {text}"
        if text.lower() in folded:
            return f"name has {text}"
    return "name has the letters typed, in order"


def _last_reason(evidence: Evidence) -> str:
    """Return a reason of a hit that no group of signals speaks for."""
    if evidence.meaning_rank:
        return f"{ordinal(evidence.meaning_rank)} closest in meaning"
    return "its file has words of the query" if evidence.values.get("file_coverage") else ""


def _words_reason(node: NodeRef, evidence: Evidence) -> str:
    if evidence.values.get("prints_message"):
        return _QUOTES if evidence.values.get("test_path") else _PRINTS
    matches = evidence.matches
    fields = {
        "comment": (node.doc, matches.doc),
        "signature": (node.signature, [w for w in matches.signature if w not in matches.name]),
        "body": (evidence.source, matches.outside(*matches[1:])),
    }
    words: Sequence[QueryWord]
    field, (text, words) = max(fields.items(), key=lambda item: _weight(item[1][1]))
    if not words:
        return ""
    if field == "comment" and (phrase := shared_phrase(evidence.query, node.doc, words)):
        return f'says "{phrase}"'
    if len(words) < len(matches.anywhere):
        # They stand in several places.
        field, words = "", matches.anywhere
        text = f"{node.qualname} {node.signature} {node.doc} {evidence.source} {node.path}"
    written = as_written(words, text) or ", ".join([word.text for word in words])
    return f"{field} has {written}".lstrip() if written else ""


def _weight(words: Sequence[QueryWord]) -> float:
    return sum([word.idf for word in words])


def _meaning_reason(evidence: Evidence) -> str:
    close = 0 < evidence.meaning_rank <= _CLOSE_RANK
    return f"{_closeness(evidence)} in meaning" if close else ""


def _closeness(evidence: Evidence) -> str:
    rank = evidence.meaning_rank
    if not rank or rank > _RANKED:
        return "" if not rank else "close" if rank <= _CLOSE_RANK else "not close"
    return "closest" if rank == 1 else f"{ordinal(rank)} closest"


def _you_texts(hit: Hit, evidence: Evidence) -> list[str]:
    texts = {signal.name: signal.reason for signal in _YOU if evidence.values.get(signal.name)}
    if hit.used and "used_lately" in texts:
        texts["used_lately"] = hit.used
    return list(texts.values())


def _overlap(hit: Hit, evidence: Evidence, reason: str) -> str:
    if not evidence.words:
        return reason
    has = f"{len(evidence.matches.anywhere)} of {len(evidence.words)} words"
    lacking = _lacking(hit, evidence)
    return "; ".join(filter(None, (has, reason, lacking and f"lacks {lacking}")))


def _lacking(hit: Hit, evidence: Evidence) -> str:
    """Return the words of the query that a hit has not, of many the first; "" beside a fact."""
    if level_of(hit, evidence.query) > IDENTIFIER:
        return ""
    words = [word.text for word in evidence.words if word not in evidence.matches.anywhere]
    more = f" and {len(words) - _MOST_LACKING} more" if len(words) > _MOST_LACKING else ""
    return ", ".join(words[:_MOST_LACKING]) + more


def ordinal(rank: int) -> str:
    """Return `1st`, `2nd`, `3rd`, `4th`."""
    if rank % 100 in (11, 12, 13):
        return f"{rank:,}th"
    return f"{rank:,}{ {1: 'st', 2: 'nd', 3: 'rd'}.get(rank % 10, 'th') }"
