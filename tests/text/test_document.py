"""Lines and edits, checked against a second implementation that works on code points."""

from __future__ import annotations

import re
from bisect import bisect_right

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from packhound.core.types import Span
from packhound.text.line_index import LineIndex
from packhound.text.text_buffer import TextBuffer, bytes_in, characters_in
from tests.support.reference_text import apply_edit, check_line_starts, width
from tests.support.release import size

ENCODINGS = ("utf-8", "utf-16", "utf-32")
ALPHABET = "ab \n\r\f\v\x1c\x85\u2028\u2029\t\ufeffé漢😀🏳\u0301\ud83d\ude00"
TEXTS = st.text(ALPHABET, max_size=30) | st.lists(
    st.sampled_from(["\r\n", "\n", "\r", "a", "😀", "é", "\f"]), max_size=20
).map("".join)
NUMBERS = st.integers(-1, 12) | st.sampled_from([2**31 - 1, 2**40])
EDITS = st.lists(
    st.tuples(st.tuples(NUMBERS, NUMBERS), st.tuples(NUMBERS, NUMBERS), TEXTS), max_size=8
)


@pytest.mark.parametrize("encoding", ENCODINGS)
@settings(max_examples=size(150))
@given(text=TEXTS, edits=EDITS)
def test_edits_equal_those_of_a_second_implementation(encoding, text, edits):
    buffer = TextBuffer(text, encoding)
    for start, end, new in edits:
        buffer.edit(start, end, new)
        text = apply_edit(text, start, end, new, encoding)
        assert buffer.source == text.encode("utf-8", "surrogatepass")
        check_line_starts(buffer, LineIndex(buffer.source).starts)


@pytest.mark.parametrize("encoding", ENCODINGS)
@given(line=st.text(ALPHABET.replace("\n", "").replace("\r", ""), max_size=20))
def test_each_character_goes_to_bytes_and_back(encoding, line):
    source = line.encode("utf-8", "surrogatepass")
    characters = 0
    for n, char in enumerate(line):
        before = len(line[:n].encode("utf-8", "surrogatepass"))
        assert bytes_in(source, characters, encoding) == before
        assert characters_in(source, before, encoding) == characters
        characters += width(char, encoding)
    assert bytes_in(source, characters + 5, encoding) == len(source)


@given(source=st.binary(max_size=40), character=NUMBERS)
def test_bytes_that_are_no_text_have_positions(source, character):
    for encoding in ENCODINGS:
        assert 0 <= bytes_in(source, character, encoding) <= len(source)
        assert 0 <= characters_in(source, character, encoding) <= 2 * len(source)


@given(text=TEXTS)
def test_line_index_equals_counting(text):
    source = text.encode("utf-8", "surrogatepass")
    starts = [0] + [m.end() for m in re.finditer(rb"\r\n|\n|\r", source)]
    index = LineIndex(source)
    assert index.starts == starts
    for offset in range(len(source) + 1):
        assert index.line_of(offset) == bisect_right(starts, offset) - 1


@pytest.mark.parametrize(
    ("source", "start", "end", "expected"),
    [
        (b"", 0, 0, Span(0, 0, 0, 0)),
        (b"a\nb\n", 0, 4, Span(0, 4, 0, 1)),
        (b"a\nb\n", 2, 3, Span(2, 3, 1, 1)),
        (b"a\r\nb\rc", 0, 6, Span(0, 6, 0, 2)),
        (b"a\fb\xe2\x80\xa8c\n", 0, 7, Span(0, 7, 0, 0)),
        (b"ab", 2, 2, Span(2, 2, 0, 0)),
    ],
)
def test_span(source, start, end, expected):
    assert LineIndex(source).span(start, end) == expected


@pytest.mark.parametrize(
    ("line", "column", "expected"),
    [(0, 1, 1), (0, 9, 2), (1, 0, 3), (1, 9, 5), (7, 0, 5), (-1, 3, 0), (1, -4, 3)],
)
def test_offset_stays_inside_its_line(line, column, expected):
    assert LineIndex(b"ab\ncd").offset(line, column) == expected


@pytest.mark.parametrize(
    ("encoding", "character", "expected"),
    [
        ("utf-16", 2, "éX😀 b"),
        ("utf-16", 3, "é😀X b"),
        ("utf-16", 99, "é😀 bX"),
        ("utf-8", 3, "éX😀 b"),
        ("utf-8", 6, "é😀X b"),
        ("utf-32", 2, "é😀X b"),
    ],
)
def test_inside_a_character_means_before_it(encoding, character, expected):
    buffer = TextBuffer("é😀 b\r\nnext", encoding)
    buffer.edit((0, character), (0, character), "X")
    assert buffer.source.decode() == expected + "\r\nnext"
