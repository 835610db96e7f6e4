"""The table of signals, and what is made from it: whatever names several signals reads it.

A signal of files has one value per candidate file, which all nodes of the file share; one of nodes
has one per candidate node. Both are one small function each, whose docstring is their meaning.
Others are added by search by name, by stages over finished hits, and by sources beside code.
Signals whose names begin with `dense` need vectors.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Literal, NamedTuple

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


def _of_files(group: GroupName, function: SignalFunction, reason: str = "") -> Signal:
    return Signal(function.__name__, group, reason, function.__doc__ or "", "file", function)


def _of_nodes(group: GroupName, function: SignalFunction, reason: str = "") -> Signal:
    return Signal(function.__name__, group, reason, function.__doc__ or "", "node", function)


SIGNALS = (
    _of_files("Name", file.path_words),
    _of_files("Name", file.path_rank),
    _of_files("Name", file.compound_file),
    _of_files("Name", file.defines_times),
    _of_files("Name", file.defines_size),
    _of_files("Name", file.defines_with_owner),
    _of_files("Name", file.stem_is_name),
    _of_files("Name", file.query_in_stem),
    _of_files("Name", file.query_in_folders),
    _of_files("Name", file.mentioned),
    _of_files("Name", file.module_mentioned),
    _of_files("Name", file.stem_in_query_kin),
    _of_files("Name", file.query_in_path_kin),
    _of_files("Name", file.first_words_in_stem),
    _of_files("Name", file.neighbours_in_name),
    _of_nodes("Name", node.node_name),
    _of_nodes("Name", node.name_in_query),
    _of_nodes("Name", node.node_compound),
    _of_nodes("Name", node.node_named),
    _of_nodes("Name", node.node_named_folded),
    _of_nodes("Name", node.node_owned),
    _of_nodes("Name", node.node_defines_type),
    _of_nodes("Name", node.namesakes_above),
    _of_nodes("Name", node.node_mentioned),
    Signal("name_match", "Name", "", "How well the name matches what was typed."),
    Signal("name_length", "Name", "", "Longer names say less about what was typed."),
    Signal("record_title", "Name", "", "A word of the query is in the title."),
    _of_files("Words", file.lexical),
    _of_files("Words", file.lexical_rank),
    _of_files("Words", file.best_node),
    _of_files("Words", file.all_nodes),
    _of_files("Words", file.whole_file_rank),
    _of_files("Words", file.file_coverage),
    _of_nodes("Words", node.node_words),
    _of_nodes("Words", node.node_signature),
    _of_nodes("Words", node.node_doc),
    _of_nodes("Words", node.node_covered),
    _of_nodes("Words", node.prints_message),
    _of_nodes("Words", node.exact_match),
    Signal("record_words", "Words", "", "Words of the query."),
    _of_files("Meaning", file.dense_best),
    _of_files("Meaning", file.dense_file),
    _of_files("Meaning", file.dense_rank),
    _of_files("Meaning", file.dense_title_file),
    _of_files("Meaning", file.dense_centroid),
    _of_nodes("Meaning", node.dense_node),
    _of_nodes("Meaning", node.dense_code_node),
    Signal(
        "cross_encoder",
        "Meaning",
        "",
        "What the reranker, which reads query and code together, makes of it.",
    ),
    Signal(
        DEEP_SIMILARITY,
        "Meaning",
        "",
        "Likeness of meaning between query and code to the deep model, less the usual.",
    ),
    Signal(
        "record_meaning", "Meaning", "", "Likeness of meaning between the query and the record."
    ),
    _of_files("Structure", file.test_path, "test code"),
    _of_files("Structure", file.example_path, "example or benchmark"),
    _of_files("Structure", file.stale_path, "generated, vendored or deprecated"),
    _of_files("Structure", file.internal_path, "internal"),
    _of_files("Structure", file.prose_file, "prose"),
    _of_files("Structure", file.setting_file, "settings"),
    _of_files("Structure", file.header_file, "header"),
    _of_files("Structure", file.entry_file, "entry file of its folder"),
    _of_files("Structure", file.grab_bag, "file of helpers"),
    _of_files("Structure", file.common_stem),
    _of_files("Structure", file.depth),
    _of_files("Structure", file.node_count),
    _of_nodes("Structure", node.node_size),
    _of_nodes("Structure", node.node_is_type),
    _of_nodes("Structure", node.node_is_function),
    _of_nodes("Structure", node.node_is_rest),
    _of_nodes("Structure", file.defined_elsewhere, "also defined in what it tests or copies"),
    Signal("definition_kind", "Structure", "", "Types before functions before the rest."),
    Signal(
        "same_file_above",
        "Structure",
        "below better code of its file",
        "Better parts of the same file come first.",
    ),
    Signal(
        "speaks_for_file",
        "Structure",
        "best answer in a file that others brought up",
        "Another part brought the file here; this one answers best in it.",
    ),
    Signal("repeats_above", "Structure", "", "A better hit says nearly the same."),
    Signal("record_recency", "Structure", "", "Written lately."),
    Signal("record_state", "Structure", "", "The code that it is about has changed or is gone."),
    Signal(
        "reciprocal_rank",
        "Structure",
        "",
        "Its rank in its own source, as scores of sources do not compare.",
    ),
    _of_files("You", file.file_mentioned, "file defines names of your report"),
    _of_files("You", file.file_framed, "file in your stack trace"),
    Signal(
        "changed_lately",
        "You",
        "changed lately",
        "Changed lately by git's history, or not committed yet.",
    ),
    Signal(
        "used_lately",
        "You",
        "used lately",
        "Opened, edited, picked from results or committed by you lately.",
    ),
    Signal("near_file", "You", "in the file you are in", "In the file that you are in."),
    Signal(
        "near_stem",
        "You",
        "file of the same name as yours",
        "In a file of the same name as yours: its test, its header, its other half.",
    ),
    Signal(
        "near_name",
        "You",
        "named in the file you are in",
        "Its name is used in the file that you are in.",
    ),
    Signal(
        "near_use",
        "You",
        "uses names of the file you are in",
        "Uses a name that the file you are in defines, and few others do.",
    ),
    Signal(
        "near_import",
        "You",
        "imported by the file you are in, or imports it",
        "Imported by the file that you are in, or importing it.",
    ),
    Signal("near_edit", "You", "file edited lately", "In a file that you edited lately."),
    Signal(
        "near_folder",
        "You",
        "in the folder you are in",
        "In the folder of the file that you are in.",
    ),
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


@lru_cache(maxsize=64)
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
