"""All signals: each is one small function, and its docstring is its meaning for users.

A file signal has one value per candidate file, which all nodes of the file share; a node signal
has one per candidate node. Signals whose names begin with `dense` need vectors.
"""

from __future__ import annotations

from packhound.search.signals import file as file_signals
from packhound.search.signals import name as name_signals
from packhound.search.signals import node as node_signals
from packhound.search.signals.context import SignalFunction

FILE_SIGNALS: tuple[SignalFunction, ...] = (
    file_signals.lexical,
    file_signals.lexical_rank,
    file_signals.best_node,
    file_signals.all_nodes,
    file_signals.whole_file_rank,
    file_signals.path_words,
    file_signals.path_rank,
    file_signals.best_name,
    file_signals.file_coverage,
    file_signals.compound_file,
    name_signals.defines,
    name_signals.defines_folded,
    name_signals.defines_times,
    name_signals.defines_kind,
    name_signals.defines_size,
    name_signals.defines_with_owner,
    name_signals.stem_is_name,
    name_signals.query_in_stem,
    name_signals.query_in_folders,
    name_signals.common_stem,
    name_signals.mentioned,
    name_signals.file_mentioned,
    name_signals.file_framed,
    name_signals.module_mentioned,
    name_signals.stem_in_query_kin,
    name_signals.query_in_path_kin,
    name_signals.first_words_in_stem,
    name_signals.neighbours_in_name,
    name_signals.entry_file,
    name_signals.grab_bag,
    file_signals.dense_best,
    file_signals.dense_file,
    file_signals.dense_rank,
    file_signals.dense_title_file,
    file_signals.dense_centroid,
    file_signals.test_path,
    file_signals.example_path,
    file_signals.stale_path,
    file_signals.internal_path,
    file_signals.prose_file,
    file_signals.setting_file,
    file_signals.header_file,
    file_signals.depth,
    file_signals.node_count,
)
NODE_SIGNALS: tuple[SignalFunction, ...] = (
    node_signals.node_words,
    node_signals.node_name,
    node_signals.node_signature,
    node_signals.node_doc,
    node_signals.node_covered,
    node_signals.prints_message,
    node_signals.exact_match,
    node_signals.name_in_query,
    node_signals.node_compound,
    node_signals.node_named,
    node_signals.node_named_folded,
    node_signals.node_owned,
    node_signals.node_defines_type,
    node_signals.namesakes_above,
    name_signals.defined_elsewhere,
    node_signals.dense_node,
    node_signals.node_size,
    node_signals.node_is_type,
    node_signals.node_is_function,
    node_signals.node_is_rest,
    node_signals.node_mentioned,
    node_signals.node_framed,
    node_signals.dense_code_node,
)
