"""The project's own name in a question: it says nothing of where in the project to look.

In "how curl resolves a host" all of curl is about curl, and the one file that is called so is
hardly the answer.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache

from packhound.core.types import Query
from packhound.index.snapshot import Snapshot
from packhound.search.query.parse import ParsedQuery, parse_query
from packhound.search.query.word_lists import STOP_WORDS
from packhound.search.retrieve.corpus_stats import Corpus, facts_of
from packhound.text.tokenizer import terms

_OF_FILES, _OF_NODES = 0.5, 0.1
"""The share of the files and of their nodes that have the project's name in them; hardly another
word has that share of both."""
_FEWEST_WORDS = 2
"""That must be left of a question for it to be asked without the name."""

_PART = re.compile(r"[^\W_]+")
_EDGES = re.compile(r"^\W+|(?:'s)?\W*$")


def read_query(query: Query, snapshot: Snapshot, root: str) -> ParsedQuery:
    """The query as the scorers see it, a question in words without the name of the project.

    The name is a word of the path of the folder `root` that most of the code in it has. Names and
    bug reports as queries are read as they are.
    """
    parsed = parse_query(query)
    if parsed.kind not in ("phrase", "prose"):
        return parsed
    words = parsed.text.split()
    own = _words_of(root)
    corpus = facts_of(snapshot)
    names = [word for word in words if _is_own(word, own, snapshot, corpus)]
    kept = [word for word in words if word not in names]
    left = sum(word.lower() not in STOP_WORDS for word in kept)
    if not names or left < _FEWEST_WORDS:
        return parsed
    said = ", ".join(dict.fromkeys(_EDGES.sub("", name) for name in names))
    return replace(
        parse_query(replace(query, text=" ".join(kept))),
        exact=parsed.exact,
        kinds=parsed.kinds,
        languages=parsed.languages,
        globs=parsed.globs,
        notes=(*parsed.notes, f"searched without '{said}', which is all over this project"),
    )


def _is_own(word: str, own: frozenset[str], snapshot: Snapshot, corpus: Corpus) -> bool:
    """Whether all parts of a word are of the folder's path, and one is all over the code."""
    bare = _EDGES.sub("", word.lower())
    parts = _PART.findall(bare)
    if not parts or "_" in bare or not own.issuperset(parts):
        return False
    return any(_is_everywhere(part, snapshot, corpus) for part in parts)


def _is_everywhere(word: str, snapshot: Snapshot, corpus: Corpus) -> bool:
    found = terms(word)
    if not found:
        return False
    [match] = corpus.matches.of(snapshot, found[-1:])
    (files, _), (nodes, _) = match.in_files, match.nodes
    return len(files) >= _OF_FILES * snapshot.n_files and len(nodes) >= _OF_NODES * snapshot.n_nodes


@lru_cache(maxsize=64)
def _words_of(root: str) -> frozenset[str]:
    """The words of a path, and each of its components as one word."""
    components = [_PART.findall(component.lower()) for component in re.split(r"[\\/]", root)]
    return frozenset(word for words in components for word in (*words, "".join(words)))
