"""Error messages and log lines in a query: which code prints them, whatever the values were."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from packhound.core.arrays import unique_sorted
from packhound.index import Snapshot
from packhound.search.query.parse import STOPS, ParsedQuery
from packhound.search.retrieve.corpus_stats import CorpusStats
from packhound.search.retrieve.retrieve import best_nodes
from packhound.text import FLAGS, is_test, terms

if TYPE_CHECKING:
    from packhound.grep import Grep

_SIGNS = re.compile(r"[^\w\s,.?'-]|\d|\.\w|(?<!\w)'\w")
"""What messages have and questions have not: values, quotes, colons."""
_QUOTED = re.compile(r"[\"'`“‘]((?:[^\s\"'`”’]+\s+){2}[^\"'`”’]+)[\"'`”’]")
"""Three words or more, which may be a message in a sentence."""
_ERROR_LINE = re.compile(r"(?:error|exception|warning|panic|fail).{0,200}[:'\"]", re.I)
_HEAD = re.compile(
    r"^.*?\b(?:TRACE|DEBUG|INFO|NOTICE|WARN(?:ING)?|ERROR|FATAL|CRITICAL)\b[^:\n]{0,60}: (.+)", re.M
)
"""A line of a log up to its message, which says nothing of what prints it."""
_MIN_WORDS = 3
_MAX_LINES = 8
_MAX_CHARACTERS = 1_500
_MAX_NODES, _MIN_COVERED = 15, 0.3
"""Nodes in which the message is looked for: so many with most of its words, by their idf, of which
they have this share at least."""
_CERTAIN_LETTERS = 30
"""Letters of a literal, outside its placeholders, that no other message has by chance."""
_MIN_SHARE = 0.5
"""A literal with fewer of the letters of the longest prints a part of the message at best."""
_QUOTE_SHARE = 0.5
"""Of the score of code: a test quotes what that prints."""


def find_printers(
    snapshot: Snapshot, stats: CorpusStats, text: str, query: ParsedQuery, texts: Grep | None
) -> ParsedQuery:
    """Return the query with the nodes that print the message that its `text` is, if it is one."""
    message = _message_of(text, query)
    if texts is None or not message:
        return query
    tails = [found[1] for found in _HEAD.finditer(message)]
    parts = (message, *_QUOTED.findall(message), *tails[-1:])
    likely = [_likely_nodes(snapshot, stats, part) for part in parts]
    printers = texts.nodes_that_print(
        snapshot, message, unique_sorted(np.concatenate(likely)).tolist()
    )
    max_letters = max((n_letters for n_letters, _ in printers.values()), default=0)
    certain = min(_CERTAIN_LETTERS, sum(map(str.isalpha, message)))
    scores = {
        node_id: (min(1.0, n_letters / certain), line)
        for node_id, (n_letters, line) in printers.items()
        if n_letters >= _MIN_SHARE * max_letters
    }
    in_tests = {
        node_id: (_QUOTE_SHARE * score, line)
        for node_id, (score, line) in scores.items()
        if is_test(snapshot.paths[snapshot.file_of[node_id]])
    }
    return replace(query, printers=scores | in_tests if len(in_tests) < len(scores) else scores)


def _message_of(text: str, query: ParsedQuery) -> str:
    """Return what may be a message in a query, "" if nothing is."""
    if query.kind == "symbol":
        return ""
    if query.kind == "report":
        lines = [line for line in text.splitlines() if _ERROR_LINE.search(line)]
        text = "\n".join([query.title, *lines[-_MAX_LINES:]])
    text = text[:_MAX_CHARACTERS]
    is_message = len(text.split()) >= _MIN_WORDS and _SIGNS.search(text)
    return text if is_message else ""


def _likely_nodes(snapshot: Snapshot, stats: CorpusStats, message: str) -> NDArray[np.integer[Any]]:
    """Return the nodes of the code with most words of a message, rare ones counting more."""
    words = [term for term in dict.fromkeys(terms(message)) if term not in STOPS]
    weights, total = np.zeros(snapshot.n_node_ids, np.float32), 0.0
    for match in stats.term_matches.lookup(snapshot, words):
        node_ids, _ = match.nodes
        if len(node_ids):
            np.add.at(weights, node_ids, np.float32(match.idf))
            total += match.idf
    likely = np.flatnonzero(weights > _MIN_COVERED * total)
    is_prose = stats.flags[FLAGS.index("is_prose")].take(snapshot.file_of.take(likely))
    likely = likely[is_prose == 0]
    return best_nodes(snapshot, likely, weights[likely], _MAX_NODES)
