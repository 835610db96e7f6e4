"""The five groups of signals that people are shown, and which signal belongs to which."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from packhound.core.arrays import Doubles
from packhound.core.types import GROUP_NAMES, GroupName

EXACT_MATCH = "exact_match"
"""The signal of a fact, beside which all others are small."""

_GROUPS: dict[GroupName, str] = {
    "Name": """
        node_name node_named node_named_folded node_owned node_defines_type namesakes_above
        name_in_query name_match name_length
        node_compound compound_file best_name path_words path_rank defines defines_folded
        defines_times defines_kind defines_size defines_with_owner stem_is_name query_in_stem
        query_in_folders stem_in_query_kin query_in_path_kin first_words_in_stem
        neighbours_in_name mentioned module_mentioned node_mentioned record_title
    """,
    "Words": """
        lexical lexical_rank best_node all_nodes whole_file_rank file_coverage node_words
        node_signature node_doc node_covered prints_message exact_match record_words
    """,
    "Meaning": """
        dense_best dense_file dense_rank dense_title_file dense_centroid dense_node
        dense_code_node deep_similarity cross_encoder record_meaning
    """,
    "Structure": """
        test_path example_path stale_path internal_path prose_file setting_file header_file depth
        node_count common_stem entry_file grab_bag node_size node_is_type node_is_function
        node_is_rest definition_kind same_file_above speaks_for_file repeats_above defined_elsewhere
        record_recency record_state reciprocal_rank
    """,
    "You": """
        changed_lately used_lately near_file near_stem near_folder near_import near_name near_use
        near_edit file_framed node_framed file_mentioned
    """,
}
GROUP_OF: dict[str, GroupName] = {
    signal: group for group, signals in _GROUPS.items() for signal in signals.split()
}


def group_of(signal: str) -> GroupName:
    """Return the group of a signal, or of the order by a signal (`..._place`)."""
    return GROUP_OF.get(signal.removesuffix("_place"), "Structure")


@lru_cache(maxsize=64)
def membership(signals: tuple[str, ...]) -> Doubles:
    """Return 1 where a signal belongs to a group, [groups, signals]."""
    groups = [GROUP_NAMES.index(group_of(signal)) for signal in signals]
    matrix = np.zeros((len(GROUP_NAMES), len(signals)))
    matrix[groups, np.arange(len(signals))] = 1.0
    return matrix
