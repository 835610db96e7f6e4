"""The project's own name in a question: a stop word of this project.

In "how curl resolves a host" all of curl is about curl, and the one file that is called so is
hardly the answer.
"""

from __future__ import annotations

import re

from packhound.index import Snapshot
from packhound.search.query.parse import WordFilter
from packhound.search.query.word_lists import STOP_WORDS
from packhound.search.retrieve.corpus_stats import CorpusStats
from packhound.text import terms

_FILE_SHARE, _NODE_SHARE = 0.5, 0.1
"""The share of the files and of their nodes that have the project's name in them; hardly another
word has that share of both."""
_MIN_WORDS = 2
"""Words besides stop words that a question needs to be asked without the name."""

_PART = re.compile(r"[^\W_]+")
_EDGES = re.compile(r"^\W+|(?:'s)?\W*$")


def project_name_filter(root: str, snapshot: Snapshot, stats: CorpusStats) -> WordFilter:
    """Return the filter that drops the project's name from a question.

    The name is a word of the path of the folder `root` that most of its code has.
    """

    def drop_name(words: list[str]) -> tuple[list[str], str]:
        path_words = _path_words(root)
        names = [word for word in words if _is_name(word, path_words, snapshot, stats)]
        remaining = [word for word in words if word not in names]
        n_content_words = sum(word.lower() not in STOP_WORDS for word in remaining)
        if not names or n_content_words < _MIN_WORDS:
            return words, ""
        listed = ", ".join(dict.fromkeys(_EDGES.sub("", name) for name in names))
        return remaining, f"searched without '{listed}', which is all over this project"

    return drop_name


def _is_name(word: str, path_words: frozenset[str], snapshot: Snapshot, stats: CorpusStats) -> bool:
    """Return True if all parts of a word are in the folder's path, and one is all over the code.

    Stop words are no names, whatever folders are called.
    """
    bare = _EDGES.sub("", word.lower())
    if bare in STOP_WORDS:
        return False
    parts = _PART.findall(bare)
    if not parts or "_" in bare or not path_words.issuperset(parts):
        return False
    return any(_is_everywhere(part, snapshot, stats) for part in parts)


def _is_everywhere(word: str, snapshot: Snapshot, stats: CorpusStats) -> bool:
    word_terms = terms(word)
    if not word_terms:
        return False
    [match] = stats.term_matches.lookup(snapshot, word_terms[-1:])
    (files, _), (nodes, _) = match.in_files, match.nodes
    n_files, n_nodes = snapshot.n_files, snapshot.n_nodes
    return len(files) >= _FILE_SHARE * n_files and len(nodes) >= _NODE_SHARE * n_nodes


def _path_words(root: str) -> frozenset[str]:
    """Return the words of a path, and each of its components as one word."""
    components = [_PART.findall(component.lower()) for component in re.split(r"[\\/]", root)]
    return frozenset(word for words in components for word in (*words, "".join(words)))
