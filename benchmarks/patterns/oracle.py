"""Compare where patterns match with ast-grep, over patterns made of real code.

    python -m benchmarks.patterns.oracle FOLDER... [--patterns 400] [--show 5]

Needs `ast-grep-py`, which nothing else needs. For each language, nodes of FOLDERs' files become
patterns: some of their parts are made holes, at random but the same each time. Each pattern is
looked for in its file by both. What cannot be compared is counted: patterns that one of them cannot
read, and those of which the two have other trees, since their grammars are of other releases or a
pattern is read in a frame. Of files only those count of which both have the same tree. Writes
benchmarks/results/patterns.json.
"""

from __future__ import annotations

import argparse
import json
import random
import re
from collections import Counter
from collections.abc import Iterator
from operator import eq
from pathlib import Path
from typing import TypeAlias

from ast_grep_py import SgNode, SgRoot
from tree_sitter import Node

from benchmarks.stored import save
from packhound.parsing.languages import language_of as language_of_path
from packhound.parsing.patterns.compile import (
    Goal,
    NoPattern,
    compile_pattern,
    language_of,
    parser_of,
)
from packhound.parsing.patterns.match import Captures, find

Matches: TypeAlias = "set[tuple[int, int, tuple[tuple[str, str], ...]]]"
"""Start, end and captures of each match."""

RESULT = Path(__file__).parents[1] / "results" / "patterns.json"
LANGUAGES = ("python", "javascript", "typescript", "go", "rust", "java", "c", "ruby", "php")
LANGUAGES += ("csharp", "kotlin", "elixir")
_MAX_FILE, _MIN_PATTERN, _MAX_PATTERN = 60_000, 4, 400
_NAMES = ("A", "B", "C", "D")
_SIGNS = {"c": "\U00010000", "cpp": "\U00010000"}
"""The letter that ast-grep puts in the place of `$` where the grammar cannot read it; else µ."""
_ADJACENT = re.compile(r"[A-Z_$]\$|\w\$|\$[A-Z_$]+\w*[a-z0-9]")
_MAX_FILES = 60


def main() -> None:
    options = _options()
    report = {}
    for language in LANGUAGES:
        files = _files(options.folders, language)
        random.Random(language).shuffle(files)
        files = [file for file in files[:_MAX_FILES] if _same_tree(language, file)]
        if files:
            report[language] = compare(language, files, options.patterns, options.show)
            print(language, report[language], flush=True)
    total: Counter[str] = Counter()
    for counts in report.values():
        total.update({k: v for k, v in counts.items()})
    save(RESULT, {"languages": report, "total": dict(total)})
    print(json.dumps(dict(total)))


def compare(language: str, files: list[bytes], n_patterns: int, n_show: int) -> dict[str, int]:
    """Return how many patterns were compared, and how many match elsewhere than ast-grep's."""
    random_ = random.Random(language)
    counts: Counter[str] = Counter(compared=0, differ=0, matches=0, unread=0, other_tree=0)
    while counts["compared"] < n_patterns and sum(counts.values()) < 20 * n_patterns:
        source = random_.choice(files)
        pattern = _pattern(language, source, random_)
        if pattern is None:
            counts["skipped"] += 1
            continue
        goal, shape = _our_goal(language, pattern), _their_shape(language, pattern)
        if goal is None or shape is None:
            counts["unread"] += 1
            continue
        if [*_shape(goal)] != shape:
            counts["other_tree"] += 1
            continue
        theirs, ours = _theirs(language, source, pattern), _ours(language, source, goal)
        if theirs is None:
            counts["unread"] += 1
            continue
        counts["compared"] += 1
        counts["matches"] += len(theirs)
        if ours != theirs:
            counts["differ"] += 1
            if counts["differ"] <= n_show:
                _show(language, pattern, source, ours, theirs)
    del counts["skipped"]
    return dict(counts)


def _show(language: str, pattern: str, source: bytes, ours: Matches, theirs: Matches) -> None:
    print(f"--- {language}: {pattern!r}")
    for name, found in (("only ours", ours - theirs), ("only theirs", theirs - ours)):
        for start, end, captures in sorted(found)[:2]:
            print(f"  {name}: {source[start:end][:200]!r} {captures}"[:400])


def _pattern(language: str, source: bytes, random_: random.Random) -> str | None:
    """Return a node of a source with some of its parts made holes."""
    root = parser_of(language).parse(source).root_node
    nodes = [node for node in _walk(root) if node.is_named and node.named_child_count]
    nodes = [n for n in nodes if _MIN_PATTERN <= n.end_byte - n.start_byte <= _MAX_PATTERN]
    if not nodes:
        return None
    node = random_.choice(nodes)
    if node.has_error or b"$" in (node.text or b""):
        return None
    cuts = list[tuple[int, int, str]]()
    _cut(node, random_, cuts, 0)
    text, end = b"", node.start_byte
    for start, stop, hole in cuts:
        text, end = text + source[end:start] + hole.encode(), stop
    text += source[end : node.end_byte]
    pattern = text.decode("utf-8", "replace")
    holes_apart = not _ADJACENT.search(pattern.replace("$$$", "$"))
    return pattern if cuts and holes_apart else None


def _cut(node: Node, random_: random.Random, cuts: list[tuple[int, int, str]], depth: int) -> None:
    named = [child for child in node.children if child.is_named]
    if depth and len(named) > 1 and random_.random() < 0.15:
        first = random_.randrange(len(named))
        name = random_.choice(("", "X", "Y"))
        cuts.append((named[first].start_byte, named[-1].end_byte, f"$$${name}"))
        named = named[:first]
        nested = list[tuple[int, int, str]]()
        for child in named:
            _cut_child(child, random_, nested, depth)
        cuts[-1:] = [*nested, cuts[-1]]
        return
    for child in named:
        _cut_child(child, random_, cuts, depth)


def _cut_child(
    child: Node, random_: random.Random, cuts: list[tuple[int, int, str]], depth: int
) -> None:
    if random_.random() < 0.3:
        hole = random_.choice(("$_", *(f"${name}" for name in _NAMES)))
        cuts.append((child.start_byte, child.end_byte, hole))
    else:
        _cut(child, random_, cuts, depth + 1)


def _walk(node: Node) -> Iterator[Node]:
    yield node
    for child in node.children:
        yield from _walk(child)


def _our_goal(language: str, pattern: str) -> Goal | None:
    try:
        return compile_pattern(language, pattern)
    except NoPattern:
        return None


def _ours(language: str, source: bytes, goal: Goal) -> Matches:
    tree = parser_of(language).parse(source)
    return {
        (found.node.start_byte, found.node.end_byte, _captures(found.captures))
        for found in find(language_of(language), goal, tree)
    }


def _shape(goal: Goal) -> Iterator[str]:
    yield "hole" if goal.hole else goal.kind
    for child in goal.children:
        yield from _shape(child)
    yield ")"


def _their_shape(language: str, pattern: str) -> list[str] | None:
    """Return the tree that ast-grep reads in a pattern; None if it has errors."""
    sign = "$" if language in ("javascript", "typescript", "java") else _SIGNS.get(language, "µ")
    root = SgRoot(pattern.replace("$", sign), language).root()
    hole = re.compile(f"{re.escape(sign)}(?:_|[A-D])|{re.escape(3 * sign)}[XY]?")

    def walk(node: SgNode) -> Iterator[str]:
        if hole.fullmatch(node.text()):
            yield "hole"
        else:
            yield node.kind()
            for child in node.children():
                if child.text() or child.children():
                    yield from walk(child)
        yield ")"

    while len(root.children()) == 1:
        root = root.children()[0]
    shape = [*walk(root)]
    return None if "ERROR" in shape else shape


def _same_tree(language: str, source: bytes) -> bool:
    """Return True if both have the same tree of a source."""
    text = source.decode()

    def theirs(node: SgNode) -> Iterator[str]:
        yield node.kind()
        for child in node.children():
            yield from theirs(child)
        yield ")"

    def ours(node: Node) -> Iterator[str]:
        yield node.type
        for child in node.children:
            yield from ours(child)
        yield ")"

    mine = ours(parser_of(language).parse(source).root_node)
    return all(map(eq, mine, theirs(SgRoot(text, language).root())))


def _captures(captures: Captures) -> tuple[tuple[str, str], ...]:
    return tuple(
        (
            name.lstrip("$"),
            " ".join((node.text or b"").decode("utf-8", "replace") for node in nodes),
        )
        for name, nodes in sorted(captures.items(), key=lambda item: item[0].lstrip("$"))
    )


def _theirs(language: str, source: bytes, pattern: str) -> Matches | None:
    text = source.decode()
    offsets = [0]
    for character in text:
        offsets.append(offsets[-1] + len(character.encode()))
    try:
        found = SgRoot(text, language).root().find_all(pattern=pattern)
    except BaseException:
        return None
    return {
        (
            offsets[match.range().start.index],
            offsets[match.range().end.index],
            _their_captures(match, pattern),
        )
        for match in found
    }


def _their_captures(match: SgNode, pattern: str) -> tuple[tuple[str, str], ...]:
    captures = []
    for name in (*_NAMES, "X", "Y"):
        one = match.get_match(name)
        many = match.get_multiple_matches(name)
        if f"$$${name}" in pattern:
            captures.append((name, " ".join(node.text() for node in many)))
        elif one is not None:
            captures.append((name, one.text()))
    return tuple(captures)


def _files(folders: list[Path], language: str) -> list[bytes]:
    sources = []
    for folder in folders:
        for path in sorted(folder.rglob("*")):
            if path.is_file() and language_of_path(path.name) == language:
                source = path.read_bytes()
                if len(source) < _MAX_FILE and b"\r" not in source:
                    try:
                        source.decode()
                    except UnicodeDecodeError:
                        continue
                    sources.append(source)
    return sources


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--patterns", type=int, default=400)
    parser.add_argument("--show", type=int, default=5)
    return parser.parse_args()


if __name__ == "__main__":
    main()
