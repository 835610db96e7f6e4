"""Signals in words for users."""

from __future__ import annotations

from packhound.core.types import GROUP_NAMES, GroupName, Hit, SignalValue
from packhound.search.signals.registry import find_signal, group_of

_PLACE = "Place in the order by: "


def phrase(reason: SignalValue) -> str:
    """Return the meaning of the signal in one sentence without its full stop."""
    name, signal = reason.signal, find_signal(reason.signal)
    if signal is None:
        return name.replace("_", " ")
    sentence = " ".join(signal.meaning.split()).rstrip(".")
    return sentence if signal.name == name else _PLACE + sentence[0].lower() + sentence[1:]


def signals_by_group(hit: Hit) -> dict[GroupName, list[SignalValue]]:
    """Return the signals of a hit in their groups, the largest contributions first."""
    groups: dict[GroupName, list[SignalValue]] = {name: [] for name in GROUP_NAMES}
    for signal in sorted(hit.why, key=lambda signal: -abs(signal.contribution)):
        groups[group_of(signal.signal)].append(signal)
    return groups
