"""Code that has sentences in its string literals, and code that has none."""

from __future__ import annotations

import pytest

from packhound.text import has_many_sentences

HELP = """fn doc_long(&self) -> &'static str {
    r"
When this flag is given, the output is sorted by the time of the last change.
Note that this disables all parallelism and that it runs in a single thread.
.sp
This flag overrides any flag that is given before and that sorts otherwise.
"
}"""
CODE = """def clamp(value, low, high):
    # When this is given, the value is never greater than the bound that it has.
    # Note that this is checked here and that it is never checked again later on.
    # This overrides what was said before, whatever it was that was said there.
    if value is None or low is None or high is None:
        return value if value else None
    return low if value < low else high if value > high else value
"""


@pytest.mark.parametrize(("code", "has"), [(HELP, True), (CODE, False), ("", False)])
def test_sentences_of_literals_are_told_from_code_and_comments(code: str, has: bool) -> None:
    assert has_many_sentences(code) is has
