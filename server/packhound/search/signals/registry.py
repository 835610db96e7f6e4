"""The table of signals, and what is made from it: whatever names several signals reads it.

A signal of files has one value per candidate file, which all nodes of the file share; one of nodes
has one per candidate node. Both are one small function each, whose docstring is their meaning.
Others, in `added.txt`, are added by search by name, by stages over finished hits, and by sources
beside code. Signals whose names begin with `dense` need vectors.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Literal, NamedTuple, cast

import numpy as np

from packhound.core.arrays import Doubles
from packhound.core.types import GROUP_NAMES, GroupName, Hit, SignalValue
from packhound.search.signals import file, node
from packhound.search.signals.context import SignalFunction, zeros_per_node

EXACT_MATCH = node.exact_match.__name__
"""The signal of a fact, beside which all others are small."""
DEEP_SIMILARITY = "deep_similarity"
_PLACE = "Place in the order by: "


class Signal(NamedTuple):
    """A signal: its group, the reason that people are given where it has a value, its meaning.

    The reason is empty where words of the query or a rank say more. `meaning` is a sentence.
    Without a `unit` something else computes the values.
    """

    name: str
    group: GroupName
    reason: str
    meaning: str
    unit: Literal["file", "node"] | None = None
    function: SignalFunction = zeros_per_node


def _of_files(group: GroupName, *functions: SignalFunction, reason: str = "") -> Iterator[Signal]:
    for each in functions:
        yield Signal(each.__name__, group, reason, each.__doc__ or "", "file", each)


def _of_nodes(group: GroupName, *functions: SignalFunction, reason: str = "") -> Iterator[Signal]:
    return (each._replace(unit="node") for each in _of_files(group, *functions, reason=reason))


def _added() -> Iterator[Signal]:
    """Yield what something else computes."""
    text = Path(__file__).with_name("added.txt").read_text("ascii").partition("\n\n")[2]
    for block in text.split("\n\n"):
        group, *rows = block.splitlines()
        for row in rows:
            name, reason, meaning = map(str.strip, row.split("|"))
            yield Signal(name, cast(GroupName, group.rstrip(":")), reason, meaning)


SIGNALS = (
    *_of_files("Name", file.compound_file, file.defines_times, file.defines_size),
    *_of_files("Name", file.stem_is_name, file.query_in_folders, file.mentioned),
    *_of_files("Name", file.module_mentioned, file.stem_in_query_kin, file.first_words_in_stem),
    *_of_files("Name", file.neighbours_in_name),
    *_of_nodes("Name", node.node_name, node.node_compound, node.node_named, node.node_owned),
    *_of_nodes("Name", node.node_defines_type, node.namesakes_above, node.node_mentioned),
    *_of_files("Words", file.lexical, file.lexical_rank, file.best_node, file.all_nodes),
    *_of_files("Words", file.file_coverage),
    *_of_nodes("Words", node.node_words, node.node_signature, node.node_doc, node.node_covered),
    *_of_nodes("Words", node.prints_message, node.exact_match),
    *_of_files("Meaning", file.dense_best, file.dense_file, file.dense_rank),
    *_of_files("Meaning", file.dense_title_file, file.dense_centroid),
    *_of_nodes("Meaning", node.dense_node, node.dense_code_node),
    *_of_files("Structure", file.test_path, reason="test code"),
    *_of_files("Structure", file.example_path, reason="example or benchmark"),
    *_of_files("Structure", file.stale_path, reason="generated, vendored or deprecated"),
    *_of_files("Structure", file.internal_path, reason="internal"),
    *_of_files("Structure", file.prose_file, reason="prose"),
    *_of_files("Structure", file.setting_file, reason="settings"),
    *_of_files("Structure", file.header_file, reason="header"),
    *_of_files("Structure", file.entry_file, reason="entry file of its folder"),
    *_of_files("Structure", file.grab_bag, reason="file of helpers"),
    *_of_files("Structure", file.depth, file.node_count),
    *_of_nodes("Structure", node.node_size, node.node_is_type, node.node_is_function),
    *_of_nodes("Structure", node.node_is_rest),
    *_of_nodes(
        "Structure", file.defined_elsewhere, reason="also defined in what it tests or copies"
    ),
    *_of_files("You", file.file_mentioned, reason="file defines names of your report"),
    *_of_files("You", file.file_framed, reason="file in your stack trace"),
    *_added(),
)
FILE_SIGNALS = tuple(signal for signal in SIGNALS if signal.unit == "file")
NODE_SIGNALS = tuple(signal for signal in SIGNALS if signal.unit == "node")
_BY_NAME = {signal.name: signal for signal in SIGNALS}


def find_signal(name: str) -> Signal | None:
    """Return the signal of a name, or of the order by it (`..._place`); None for a plugin's."""
    return _BY_NAME.get(name.removesuffix("_place"))


def group_of(name: str) -> GroupName:
    """Return the group of a signal; that of a plugin's is Structure."""
    signal = find_signal(name)
    return signal.group if signal else "Structure"


def membership(signals: tuple[str, ...]) -> Doubles:
    """Return 1 where a signal belongs to a group, [groups, signals]."""
    groups = [GROUP_NAMES.index(group_of(signal)) for signal in signals]
    matrix = np.zeros((len(GROUP_NAMES), len(signals)))
    matrix[groups, np.arange(len(signals))] = 1.0
    return matrix


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
