"""Texts of which the white space may differ, beside expressions of Python that say the same."""

import re

from hypothesis import given
from hypothesis import strategies as st

from packhound.grep.pattern import compile_text

TOKENS = ("return", "value", "a", "A", "==", "(", "x1", "Value", "re")
SPACES = ("", " ", "\n\t", " " * 300)


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
    found = [*compile_text(" ".join(tokens), ignore_case=ignore_case).matches(text.encode())]
    assert found == expected(tokens, text.encode(), ignore_case=ignore_case)
