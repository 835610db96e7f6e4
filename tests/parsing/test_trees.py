"""A tree that came from an older one is the tree of the text alone, in every language."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tree_sitter import Tree

from packhound.core.types import Document
from packhound.parsing.extract.preprocess import preprocess
from packhound.parsing.grammar import Grammar, grammar_of
from packhound.parsing.languages import BY_NAME, LANGUAGES, language_of
from packhound.parsing.parse import parse
from packhound.parsing.source import Source
from packhound.parsing.tree_cache import MOST_DOCUMENTS, TreeCache
from tests.support.release import seed, size

SAMPLES = sorted((Path(__file__).parents[2] / "fixtures" / "languages").glob("*/sample.*"))
PIECES = (
    *("", "", "x", " ", "\n", "\r\n", "\r", "\f", "    ", "\t", "é", "日本", "😀", "_b1", "0", "."),
    *(",", ";", " = 1\n", "(", ")", "()", "{", "}", "{}", "[]", '"', "'", '"a"', "`", "\\", "$x"),
    *("# c\n", "// c\n", "/* c */", "/*", "-- c\n", "#{x}", "${x}", '"""', "%w[a b]", "/a/"),
    *("def f(a):\n    return a\n", "if x:\n  y\n", "    pass\n", "return x\n", "end\n", " do\n"),
    *("fn f() {}\n", "function f() { return 1 }\n", "let q = 2\n", "class C {\n}\n"),
    *("<<EOF\nhi ${x}\nEOF\n", "cat <<-'E'\n\tx\n\tE\n", "<<~A\n  b #{c}\nA\n", "=begin\n=end\n"),
    *("  where\n    z = 1\n", "case x of\n  1 -> 2\n", "{- c -}", 'r#"a"#', "@doc '''\na\n'''\n"),
    *("# h\n", "- item\n", "  1. x\n", "```\ncode\n```\n", "| a | b |\n|--|--|\n", "<b>x</b>"),
    *("<script>\nlet z = 1\n</script>\n", "</script>", "<script lang='ts'>", "<?php\n", "?>\n"),
)
PLACE = st.one_of(st.just(0.0), st.just(1.0), st.floats(0, 1))
EDIT = st.tuples(PLACE, st.sampled_from((0, 0, 1, 2, 7, 40)), st.sampled_from(PIECES))


def edited(source: bytes, place: float, removed: int, piece: str) -> bytes:
    at = round(place * len(source))
    return source[:at] + piece.encode() + source[at + removed :]


def code_of(path: str, source: bytes) -> tuple[Grammar, bytes]:
    language = language_of(path)
    assert language
    return grammar_of(language), preprocess(Source(path, source, BY_NAME[language]))[0]


def test_there_is_a_sample_of_every_language() -> None:
    assert {language_of(path.name) for path in SAMPLES} >= {row.name for row in LANGUAGES}


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.name)
def test_edits_give_what_the_text_alone_gives(path: Path) -> None:
    sample = path.read_bytes()

    @settings(max_examples=size(4), derandomize=not seed())
    @given(st.sampled_from((b"\n", b"\r\n")), st.lists(EDIT, min_size=1, max_size=6))
    def check(line_end: bytes, edits: list[tuple[float, int, str]]) -> None:
        source, trees = sample.replace(b"\n", line_end), TreeCache()
        for one in [(0.0, 0, ""), *edits]:
            source = edited(source, *one)
            grammar, code = code_of(path.name, source)
            tree, alone = trees.parse("tree", grammar, code), grammar.parse(code)
            assert str(tree.root_node) == str(alone.root_node)
            document = Document(path.name, source)
            assert parse(document, trees) == parse(document)

    check()


def functions(tree: Tree) -> list[int]:
    """An identity for the inside of each function, which trees share that share the function."""
    return [function.child(0).id for function in tree.root_node.children]


def test_an_edit_costs_a_parse_of_what_it_changed() -> None:
    grammar, trees = grammar_of("rust"), TreeCache()
    lines = [b"fn f%d() {\n    a()\n}\n" % i for i in range(50)]
    before = trees.parse("a.rs", grammar, b"".join(lines))
    lines[25] += b"// a comment\n"
    after = trees.parse("a.rs", grammar, b"".join(lines))
    assert len({*functions(before)} & {*functions(after)}) > 40


def test_a_text_that_has_an_error_for_a_while_goes_on_from_before_it() -> None:
    grammar, trees = grammar_of("rust"), TreeCache()
    source = b"fn f() { a() }\n" * 50
    before = trees.parse("a.rs", grammar, source)
    assert trees.parse("a.rs", grammar, source + b"fn g(").root_node.has_error
    after = trees.parse("a.rs", grammar, source + b"fn g() {}\n")
    assert len({*functions(before)} & {*functions(after)}) > 40


def test_a_path_can_change_its_language() -> None:
    trees = TreeCache()
    source = b"a = 1\n"
    assert trees.parse("a", grammar_of("python"), source).root_node.type == "module"
    assert trees.parse("a", grammar_of("javascript"), source).root_node.type == "program"


def test_few_trees_are_kept_and_none_of_texts_that_are_too_long() -> None:
    grammar, trees = grammar_of("python"), TreeCache()
    for i in range(MOST_DOCUMENTS + 1):
        trees.parse(f"{i}.py", grammar, b"a = 1\n")
    assert trees.paths == tuple(f"{i}.py" for i in range(1, MOST_DOCUMENTS + 1))
    trees.parse("long.py", grammar, b"a = 1\n" * 150_000)
    assert not trees.paths
