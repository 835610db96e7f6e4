"""Records that a search has scored, as hits."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial

from packhound.core.records import Record, iso_date
from packhound.core.types import Explanation, GroupName, Hit, NodeId, NodeRef, SignalGroup, Span
from packhound.sources.record_index import stem_groups
from packhound.sources.record_snapshot import MEANING_WEIGHT, WORDS_WEIGHT, ScoredRecord

_GROUPS: tuple[tuple[GroupName, str, float], ...] = (
    ("Words", "record_words", WORDS_WEIGHT),
    ("Meaning", "record_meaning", MEANING_WEIGHT),
)
_MAX_WORDS = 4
_LINE_CHARACTERS = 200


def hits_of(scored: Iterable[ScoredRecord], root: str, query: str) -> tuple[Hit, ...]:
    """Return records of one source as hits, numbered from 1."""
    words = tuple(dict.fromkeys(query.split()))
    return tuple(
        Hit(
            node=_node_of(entry.record, root),
            rank=rank,
            score=entry.score,
            why=entry.why,
            explanation=partial(_explain, entry, words),
            record=with_state(entry.record, entry.state),
        )
        for rank, entry in enumerate(scored, 1)
    )


def _explain(entry: ScoredRecord, words: Sequence[str]) -> Explanation:
    record = entry.record
    in_record = set(stem_groups(f"{record.title} {record.text}"))
    matched = [word for word in words if not in_record.isdisjoint(stem_groups(word))]
    meaning = any(signal.signal == "record_meaning" for signal in entry.why)
    reasons = (
        f"has {', '.join(matched[:_MAX_WORDS])}" if matched else "",
        "close in meaning" if meaning else "",
        entry.state,
        iso_date(record.date) if record.date else "",
    )
    line = " ".join(record.text.split())[:_LINE_CHARACTERS]
    return Explanation(tuple(filter(None, reasons)), groups=tuple(_groups(entry)), line=line)


def _groups(entry: ScoredRecord) -> Iterator[SignalGroup]:
    """Yield words and meaning, each 0 to 1."""
    for name, signal_name, weight in _GROUPS:
        total = sum(s.contribution for s in entry.why if s.signal == signal_name)
        yield SignalGroup(name, total / weight, total, "")


def with_state(record: Record, state: str) -> Record:
    """Return a record whose metadata name its state, if it has one."""
    return record._replace(metadata={**record.metadata, "state": state}) if state else record


def _node_of(record: Record, root: str) -> NodeRef:
    """Return the place of a record: its line in a file, or no path."""
    line = max(0, record.line - 1)
    return NodeRef(
        root=root,
        path=record.path or "",
        language="",
        kind=record.type,
        name=record.title,
        qualname=record.title,
        signature="",
        doc="",
        span=Span(0, 0, line, line),
        generation=0,
        node_id=NodeId(-1),
    )
