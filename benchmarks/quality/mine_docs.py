"""Mine what tells the nodes of a file apart: what a doc comment says, and what it is for.

    python -m benchmarks.quality.mine_docs --sources train.json --never never_train.txt --out DIR

`--sources` lists repositories with `repo` and `gitdir` (a git directory). The newest tree of each
is written to `DIR/trees` with all its comments blank, so that the code alone can answer, and to
`DIR/docs.jsonl`, in the format of bug reports, the first sentences of some of them. Repositories
of `--never` are left out.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

from benchmarks.quality.mine_reports import Row, export, run
from packhound.core.types import Document, Node
from packhound.files.reader import read
from packhound.files.walk import WalkLimits, walk
from packhound.parsing.grammar import grammar_of
from packhound.parsing.languages import language_for
from packhound.parsing.parse import parse
from packhound.text.path_features import FLAGS, path_facts

MOST_OF_A_TREE = 60
MOST_OF_A_FILE = 3
MOST_BYTES = 400_000
WORDS = range(5, 26)
FEWEST_BYTES = 80
"""Of a definition's own text; less of it says nothing."""
DEFINITIONS = ("function", "method", "class", "struct", "enum", "interface", "trait")

_ASIDE = ("is_test", "is_example", "is_stale", "is_prose", "is_setting")
_SENTENCE = re.compile(r"(.+?)(?:[.!?](?:\s|$)|\n\s*\n|$)", re.DOTALL)
_INK = re.compile(rb"[^\s]")
_MARKS = re.compile(r"[`*\[\]}]|\{@\w+ ?")
_NO_QUERY = re.compile(
    r"[^\x00-\x7f]|@|https?:|todo|fixme|deprecated|param|eslint|licen[cs]e|copyright|inheritdoc",
    re.IGNORECASE,
)

Found = tuple[str, str, str]
"""A path, a definition in it and what its doc comment says."""


def main() -> None:
    run(__doc__, mine, "docs.jsonl")


def mine(repository: str, git_dir: str, trees: Path) -> Iterator[Row]:
    """The queries of one repository; its tree is written to `trees`, its comments blank."""
    name = repository.replace("/", "__")
    export(git_dir, "HEAD", trees / name)
    pairs: list[Found] = []
    for path, _ in walk(trees / name, WalkLimits(max_file_bytes=MOST_BYTES)):
        document = read(trees / name, path, MOST_BYTES)
        if document is None:
            continue
        if not set(_ASIDE) & _flags(path):
            queries = ((node, query_of(node)) for node in parse(document).nodes)
            pairs += [(path, node.qualname, query) for node, query in queries if query]
        (trees / name / path).write_bytes(blanked(document))
    random.Random(0).shuffle(pairs)
    for path, definition, query in islice(_spread(pairs), MOST_OF_A_TREE):
        entity = f"{path}:{definition.replace('::', '.')}"
        gold = [{"file": path, "changes": {"edited_entities": [entity]}}]
        yield {"instance_id": name, "repo": repository, "problem_statement": query, "gold": gold}


def query_of(node: Node) -> str:
    """The first sentence of a definition's doc comment, empty where it makes no query."""
    n_bytes = sum(end - start for start, end in node.own_ranges)
    if node.kind not in DEFINITIONS or not node.doc or n_bytes < FEWEST_BYTES:
        return ""
    sentence = _SENTENCE.match(node.doc.strip())
    query = " ".join(_MARKS.sub("", sentence[1]).split()) if sentence else ""
    plain = sum(letter.isalpha() or letter == " " for letter in query) > 0.85 * len(query)
    return query if plain and len(query.split()) in WORDS and not _NO_QUERY.search(query) else ""


def blanked(document: Document) -> bytes:
    """The source with spaces for its comments and docstrings."""
    language = language_for(document.path, document.source, document.language)
    if language is None:
        return document.source
    grammar = grammar_of(language)
    captures = grammar.captures(grammar.parse(document.source))
    octets = bytearray(document.source)
    for start, end in (
        *captures.comments,
        *captures.docs,
        *captures.leading_docs,
        *captures.following_docs,
    ):
        octets[start:end] = _INK.sub(b" ", octets[start:end])
    return bytes(octets)


def _flags(path: str) -> set[str]:
    return {name for name, is_set in zip(FLAGS, path_facts(path).flags, strict=True) if is_set}


def _spread(pairs: Iterable[Found]) -> Iterator[Found]:
    """Not too many of one file."""
    taken: Counter[str] = Counter()
    for path, definition, query in pairs:
        taken[path] += 1
        if taken[path] <= MOST_OF_A_FILE:
            yield path, definition, query


if __name__ == "__main__":
    main()
