"""The parts of the ranking that can be left out, to see what each is worth."""

from __future__ import annotations

from collections.abc import Iterable

from packhound.search.rank.linear import REPEATED, SPEAKS
from packhound.search.signals.registry import FILE_SIGNALS, NODE_SIGNALS

WHOLE = "all"
"""What the ranking is called that no part is left out of."""

_NATURE = frozenset(
    {"test_path", "example_path", "stale_path", "internal_path", "prose_file", "setting_file"}
    | {"header_file", "depth", "node_count", "entry_file", "grab_bag", "common_stem", "node_size"}
    | {"node_is_type", "node_is_function", "node_is_rest"}
)
"""What is so whatever the query says."""


def parts() -> dict[str, frozenset[str]]:
    """The signals of each source, each stage and each signal, by the name of the part."""
    file, node = _names(FILE_SIGNALS), _names(NODE_SIGNALS)
    meaning = frozenset(name for name in file | node if name.startswith("dense"))
    return {
        "source: words": (file | node) - meaning - _NATURE,
        "source: meaning": meaning,
        "source: what the code is": _NATURE,
        "stage: file signals": file,
        "stage: node signals": node,
        "stage: one node per file first": frozenset({REPEATED}),
        "stage: which node speaks for its file": frozenset({SPEAKS}),
        **{f"signal: {name}": frozenset({name}) for name in sorted(file | node)},
    }


def _names(signals: Iterable[object]) -> frozenset[str]:
    return frozenset(getattr(signal, "__name__", "") for signal in signals)
