"""Texts of which the white space may differ, beside expressions of Python that say the same."""

import re

from hypothesis import given
from hypothesis import strategies as st

from packhound.grep.ngrams import NgramFilters
from packhound.grep.pattern import compile_text

TOKENS = ("return", "value", "a", "A", "==", "(", "x1", "Value", "re", "the", "iff")
SPACES = ("", " ", "\n\t", " " * 300, "\r\n", "\f")


def expected(tokens: list[str], text: bytes, *, ignore_case: bool) -> list[tuple[int, int]]:
    """Return where the tokens stand one after the other, words at their bounds."""
    regex, before = b"", ""
    for token in tokens:
        is_between_words = before[-1:].isalnum() and token[0].isalnum()
        regex += (rb"\s+" if is_between_words else rb"\s*") if before else b""
        regex += re.escape(token.encode())
        before = token
    regex = rb"\b" * tokens[0].isalnum() + regex + rb"\b" * tokens[-1].isalnum()
    return [match.span() for match in re.finditer(regex, text, re.IGNORECASE * ignore_case)]


@given(
    st.lists(st.sampled_from(TOKENS), min_size=1, max_size=4),
    st.lists(st.tuples(st.sampled_from(TOKENS), st.sampled_from(SPACES)), max_size=12),
    st.integers(0, 12),
    st.booleans(),
)
def test_a_text_is_found_where_its_words_stand(
    tokens: list[str], pieces: list[tuple[str, str]], at: int, ignore_case: bool
) -> None:
    planted = [(token, " ") for token in tokens]
    text = "".join(token + space for token, space in [*pieces[:at], *planted, *pieces[at:]])
    pattern, filters = compile_text(" ".join(tokens), ignore_case=ignore_case), NgramFilters()
    found = [*pattern.matches(text.encode())]
    assert found == expected(tokens, text.encode(), ignore_case=ignore_case)
    filters.add(b"digest", text.encode())
    assert not found or filters.admits(b"digest", pattern.hashes)


def test_a_filter_keeps_out_words_that_are_no_neighbours() -> None:
    filters = NgramFilters()
    source = b"parse the file,\n  a configuration of what is\n\tparsed\n" + b"x" * 4_000
    filters.add(b"digest", source)
    for text in ("the file", "a configuration", "of what", "is parsed"):
        assert filters.admits(b"digest", compile_text(text).hashes), text
    for text in ("parse file", "configuration parsed", "what a configuration", "parse a file"):
        assert not filters.admits(b"digest", compile_text(text).hashes), text
