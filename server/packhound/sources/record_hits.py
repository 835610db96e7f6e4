"""Records that a search has scored, as hits."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

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
    words = dict.fromkeys(query.split())
    return tuple(
        Hit(
            node=_node_of(entry.record, root),
            rank=rank,
            score=entry.score,
            why=entry.why,
            explanation=_Explainer(entry, tuple(words)),
            record=with_state(entry.record, entry.state),
        )
        for rank, entry in enumerate(scored, 1)
    )


class _Explainer:
    """Explains a record when it is asked to."""

    def __init__(self, entry: ScoredRecord, words: tuple[str, ...]) -> None:
        self._entry = entry
        self._words = words

    def __call__(self) -> Explanation:
        record = self._entry.record
        in_record = set(stem_groups(f"{record.title} {record.text}"))
        matched = [word for word in self._words if not in_record.isdisjoint(stem_groups(word))]
        meaning = any(signal.signal == "record_meaning" for signal in self._entry.why)
        reasons = (
            f"words: {', '.join(matched[:_MAX_WORDS])}" if matched else "",
            "meaning" if meaning else "",
            self._entry.state,
            iso_date(record.date) if record.date else "",
        )
        line = " ".join(record.text.split())[:_LINE_CHARACTERS]
        return Explanation(tuple(filter(None, reasons)), tuple(self._groups()), line=line)

    def _groups(self) -> Iterator[SignalGroup]:
        """Yield words and meaning, each 0 to 1."""
        for name, signal_name, weight in _GROUPS:
            contributions = [s.contribution for s in self._entry.why if s.signal == signal_name]
            total = sum(contributions)
            yield SignalGroup(name, total / weight, total, total, 0, "")


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
