"""Signals in words for users."""

from __future__ import annotations

from functools import lru_cache

from packhound.core.types import GROUP_NAMES, GroupName, Hit, Signal
from packhound.search.signals.groups import group_of
from packhound.search.signals.registry import FILE_SIGNALS, NODE_SIGNALS

_OTHERS = {
    "name_match": "How well the name matches what was typed.",
    "definition_kind": "Types before functions before the rest.",
    "same_file_above": "Better nodes of the same file come first.",
    "speaks_for_file": "Another part brought the file here; this one answers best in it.",
    "name_length": "Longer names say less about what was typed.",
    "cross_encoder": "What the reranker, which reads query and code together, makes of it.",
    "deep_similarity": "Similarity of query and code to a small transformer, less the usual.",
    "repeats_above": "A better hit says nearly the same.",
    "changed_lately": "Changed lately by git's history, or not committed yet.",
    "record_words": "Words of the query, of all sources beside code by BM25.",
    "record_meaning": "Similarity of query and record to the encoder.",
    "record_title": "A word of the query is in the title.",
    "record_recency": "Written lately.",
    "record_state": "The code that it is about has changed or is gone.",
    "reciprocal_rank": "Its rank in its own source, as scores of sources do not compare.",
    "near_file": "In the file that you are in.",
    "near_stem": "In a file of the same name as yours: its test, its header, its other half.",
    "near_import": "Imported by the file that you are in, or importing it.",
    "near_folder": "In the folder of the file that you are in.",
    "near_name": "Its name is used in the file that you are in.",
    "near_use": "Uses a name that the file you are in defines, and few others do.",
    "near_edit": "In a file that you edited lately.",
    "used_lately": "Opened, edited, picked from results or committed by you lately.",
}
_PLACE = "Place in the order by: "


def phrase(reason: Signal) -> str:
    """Return the meaning of the signal in one sentence without its full stop."""
    name = reason.signal
    ranked_by = name.removesuffix("_place")
    meaning = meanings().get(ranked_by, ranked_by.replace("_", " "))
    sentence = " ".join(meaning.split()).rstrip(".")
    return sentence if ranked_by == name else _PLACE + sentence[0].lower() + sentence[1:]


@lru_cache(maxsize=1)
def meanings() -> dict[str, str]:
    """Return the meaning of every signal: the docstring of its function."""
    measures = (*FILE_SIGNALS, *NODE_SIGNALS)
    return {measure.__name__: measure.__doc__ or "" for measure in measures} | _OTHERS


def signals_by_group(hit: Hit) -> dict[GroupName, list[Signal]]:
    """Return the signals of a hit in their groups, the largest contributions first."""
    groups: dict[GroupName, list[Signal]] = {name: [] for name in GROUP_NAMES}
    for signal in sorted(hit.why, key=lambda signal: -abs(signal.contribution)):
        groups[group_of(signal.signal)].append(signal)
    return groups
