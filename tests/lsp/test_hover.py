"""The text of a hover, whatever the names, the query and the code hold."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from packhound.core.types import Explanation, Hit, NodeId, NodeRef, Span
from packhound.lsp.hover_text import escape, hover_text

EXPLANATION = Explanation(
    reasons=('says "after a timeout"', "closest in meaning"),
    against=("lacks other", "test code: otherwise 1st"),
    beside="beside Retry.wait: ahead by meaning; behind by words (1 fewer)",
)


def hit(name: str = "load", explanation: Explanation = EXPLANATION, rank: int = 2) -> Hit:
    span = Span(0, 1, 0, 0)
    node = NodeRef("/r", "a.py", "python", "function", name, name, "", "", span, 1, NodeId(0))
    return Hit(node, rank, 15.0, (), explanation=lambda: explanation)


def test_a_line_for_and_against_and_the_best_other_hit():
    assert hover_text("find it", hit(), markdown=False).split("\n") == [
        "load (function), #2 for find it",
        'for      says "after a timeout" · closest in meaning',
        "against  lacks other · test code: otherwise 1st",
        "beside   Retry.wait: ahead by meaning; behind by words (1 fewer)",
    ]


def test_what_there_is_not_has_no_line():
    explanation = EXPLANATION._replace(against=(), beside="")
    text = hover_text("q", hit(explanation=explanation), markdown=False)
    assert text.split("\n")[1:] == ['for      says "after a timeout" · closest in meaning']


def test_a_node_that_is_no_result_says_so():
    assert "not among the results" in hover_text(
        "q", hit(rank=0, explanation=Explanation()), markdown=True
    )


def test_markdown_is_shown_as_it_is_written():
    assert escape("[x](command:run) <img src=a> **b** `c` _d_\\") == (
        "\\[x\\](command:run) \\<img src=a\\> \\*\\*b\\*\\* \\`c\\` \\_d\\_\\\\"
    )
    assert escape("http://a www.b c@d") == "http\\://a www\\.b c\\@d"


def test_what_needs_no_backslash_has_none():
    assert escape("stale: retry_all (twice). See a.py:3 - soon!") == (
        "stale: retry_all (twice). See a.py:3 - soon!"
    )
    text = hover_text("q", hit("Session.__init__"), markdown=True)
    assert text.startswith("`Session.__init__` function, #2 for `q`\n")


@given(name=st.text(max_size=200), query=st.text(max_size=200), text=st.text(max_size=200))
def test_nothing_leaves_its_place(name, query, text):
    explanation = Explanation((f"body: {text}",), (f"lacks {text}",), f"beside {text}: ahead")
    output = hover_text(query, hit(name, explanation), markdown=True)
    assert output.count("\n") == 6
    assert output.count("```") == 2
    assert not set(output) & set("\r\u2028\u202e\u200b\x1b\x00")
