from __future__ import annotations

import gc

from hypothesis import given, settings
from hypothesis import strategies as st

from packhound.core.types import Document
from packhound.parsing.analyse import analyse
from packhound.parsing.parse import parse
from packhound.parsing.tree_cache import TreeCache
from packhound.text.line_index import LineIndex
from tests.support.syntax_check import SOURCES, check_nodes, parsed

relaxed = settings(max_examples=60, derandomize=True)


@st.composite
def mutated(draw: st.DrawFn) -> tuple[str, bytes]:
    """A sample with pieces cut out, doubled, or replaced by what breaks parsers."""
    path = draw(st.sampled_from(sorted(SOURCES)))
    source = SOURCES[path]
    for _ in range(draw(st.integers(1, 4))):
        low = draw(st.integers(0, len(source)))
        high = min(len(source), low + draw(st.integers(0, 80)))
        junk = draw(
            st.sampled_from(
                [b"", source[low:high] * 2, b'"', b"'''", b"/*", b"{", b"}", b"(", b"\r", b"\xff"]
            )
            | st.binary(max_size=8).filter(lambda octets: b"\0" not in octets)
        )
        source = source[:low] + junk + source[high:]
    return path, source


@relaxed
@given(mutated())
def test_mutated_samples_keep_the_rules(case: tuple[str, bytes]) -> None:
    parsed(*case)


@relaxed
@given(st.sampled_from(sorted(SOURCES)), st.binary(max_size=400))
def test_any_bytes_can_be_parsed(path: str, source: bytes) -> None:
    parsed(path, source)


@relaxed
@given(mutated())
def test_equal_sources_give_equal_analyses(case: tuple[str, bytes]) -> None:
    document = Document(*case)
    file, again = parse(document), parse(document)
    first, second = (analyse(document, one, with_texts=True) for one in (file, again))
    assert first == second
    check_nodes(document.source, file)
    assert len(first.texts) == len(first.node_digests) == len(file.nodes)
    assert first.nodes == file.nodes


def line_of(source: bytes, offset: int) -> int:
    """The line of a byte, counted the slow way."""
    head = source[:offset]
    split_end = head.endswith(b"\r") and source[offset : offset + 1] == b"\n"
    return head.replace(b"\r\n", b"\n").replace(b"\r", b"\n").count(b"\n") - split_end


@given(st.binary(max_size=60) | st.text("a\r\n\x0c\u2028", max_size=60).map(str.encode))
def test_the_line_index_agrees_with_a_slow_one(source: bytes) -> None:
    for offset in range(len(source)):
        assert LineIndex(source).span(offset, offset + 1).start_line == line_of(source, offset)


def test_parsing_leaves_no_cycles() -> None:
    """Workers run without the collector of cycles."""

    def parse_all() -> None:
        trees = TreeCache()
        for path, source in SOURCES.items():
            for text in (source, source + b"\n", source.replace(b"(", b"", 1)):
                document = Document(path, text)
                analyse(document, parse(document, trees), with_texts=True)

    parse_all()  # What is made once, a table or a pattern, may well hold cycles.
    gc.collect()
    gc.disable()
    try:
        parse_all()
        assert gc.collect() == 0
    finally:
        gc.enable()
