"""The text of a hover, whatever the names, the query and the code hold."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from packhound.core.types import Explanation, Hit, NodeId, NodeRef, SignalGroup, Span
from packhound.lsp.hover_text import escape, hover_text

GROUPS = (
    SignalGroup("Name", 0.5, 2.0, -0.4, 1, "file: worker"),
    SignalGroup("Words", 0.75, 7.0, 1.5, 4, "3 of 4 words; comment: after a timeout"),
    SignalGroup("Meaning", 0.6, 5.0, 3.0, 9, "closest of 1,695"),
    SignalGroup("Structure", 0.5, 1.0, 0.2, 2, ""),
    SignalGroup("You", 0.0, 0.0, 0.0, 2, ""),
)


def hit(name: str = "load", groups: tuple[SignalGroup, ...] = GROUPS, rank: int = 2) -> Hit:
    span = Span(0, 1, 0, 0)
    node = NodeRef("/r", "a.py", "python", "function", name, name, "", "", span, 1, NodeId(0))
    moves = "without Meaning it would be 9th" if groups and rank else ""
    return Hit(node, rank, 15.0, (), explanation=lambda: Explanation((), groups, moves))


def test_five_lines_the_group_that_tells_most_first():
    assert hover_text("find it", hit(), markdown=False).split("\n") == [
        "load (function), #2 for find it",
        "Meaning    ██████   +3.0  closest of 1,695",
        "Words      ███      +1.5  3 of 4 words; comment: after a timeout",
        "Name       ▊        -0.4  file: worker",
        "without Meaning it would be 9th",
    ]


def test_a_group_that_is_as_that_of_others_is_left_out():
    groups = (GROUPS[0]._replace(above_average=0.01), *GROUPS[1:])
    text = hover_text("q", hit(groups=groups), markdown=False)
    assert GROUPS[0].name not in text
    assert all(group.name in text for group in GROUPS[1:] if abs(group.above_average) > 1)


def test_an_only_candidate_says_what_it_matched():
    groups = tuple(group._replace(above_average=0.0) for group in GROUPS)
    text = hover_text("q", hit(groups=groups), markdown=False)
    assert [group.text for group in groups if group.text and group.text not in text] == []


def test_a_node_that_is_no_result_says_so():
    assert "not among the results" in hover_text("q", hit(rank=0, groups=()), markdown=True)


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
    groups = (SignalGroup("Name", 0.5, 2.0, 1.4, 1, text),)
    output = hover_text(query, hit(name, groups), markdown=True)
    assert output.count("\n") == 5
    assert output.count("```") == 2
    assert not set(output) & set("\r\u2028\u202e\u200b\x1b\x00")
