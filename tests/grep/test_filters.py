"""No match is lost by what decides which files are read, nor by the short ways through a text."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from packhound.core.errors import SettingsError
from packhound.grep.literals import NOTHING, required_literals
from packhound.grep.ngrams import FilterTable, Hashes, hashes_of, make_filter
from packhound.grep.pattern import compile_pattern, quote
from tests.support.patterns import random_pattern

WORDS = ["foo", "Bar", "foobar", "a.b", "x", "(", "self", "ab", "é", "0", "foo bar", "_", "[i]"]
OTHERS = [make_filter(b"x" * n) for n in (0, 100, 50_000)]
texts = st.lists(st.sampled_from([*WORDS, " ", "\n", "\t", "K", "ſelf"]), max_size=30).map("".join)


def passes(bits: bytes, hashes: Hashes) -> bool:
    """Return True if a filter among others admits its text, and a missing one any text."""
    candidates = FilterTable([*OTHERS, bits, None]).candidates(hashes).tolist()
    assert candidates == sorted(set(candidates))
    assert not hashes or len(OTHERS) + 1 in candidates
    return len(OTHERS) in candidates


@given(st.integers(), texts)
def test_a_matching_text_passes_the_filter_of_its_pattern(seed: int, text: str) -> None:
    source = text.encode()
    try:
        pattern = compile_pattern(random_pattern(Random(seed), WORDS), case="sensitive")
    except SettingsError:
        return
    if pattern.lines(source):
        assert passes(make_filter(source), pattern.hashes), pattern.text


@given(st.integers(), texts, st.sampled_from(["ignore", "smart"]))
def test_so_it_does_in_any_case(seed: int, text: str, case: str) -> None:
    source = text.encode()
    try:
        pattern = compile_pattern(random_pattern(Random(seed), WORDS), case=case)  # type: ignore
    except SettingsError:
        return
    if pattern.lines(source):
        assert passes(make_filter(source), pattern.hashes), pattern.text


@given(st.sampled_from(WORDS), texts)
def test_a_literal_is_found_as_by_its_escaped_pattern(literal: str, text: str) -> None:
    source = text.encode()
    by_regex = compile_pattern(f"(?:{quote(literal)})")
    lines = compile_pattern(literal, regex=False).lines(source)
    assert [source.count(b"\n", 0, offset) for offset in lines] == [
        source.count(b"\n", 0, offset) for offset in by_regex.lines(source)
    ]


@pytest.mark.parametrize(
    ("pattern", "literals"),
    [
        (rb"foo\.bar\(", ((b"foo.bar(",),)),
        (rb"ab+c", ((b"ab", b"c"),)),
        (rb"ab?c", ((b"a", b"c"),)),
        (rb"(foo|bar)baz", ((b"foo", b"baz"), (b"bar", b"baz"))),
        (rb"x{0,3}yz", ((b"yz",),)),
        (rb"[]a]bc|(?i)def", ((b"bc",), (b"def",))),
        (rb"a|", ((b"a",), ())),
        (rb"\Qa.b\E", NOTHING),
        (rb"\x41bc", NOTHING),
    ],
)
def test_what_a_pattern_requires(pattern: bytes, literals: object) -> None:
    assert required_literals(pattern) == literals


def test_a_filter_keeps_out_most_texts_without_the_literal() -> None:
    random = Random(0)
    texts = [bytes(random.choices(b"abcdefghijklmnopqrstuvwxyz \n", k=20_000)) for _ in range(50)]
    filters = [make_filter(text) for text in texts]
    assert len(FilterTable(filters).candidates(hashes_of(((b"unlikely",),)))) < 5
