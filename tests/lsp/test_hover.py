"""The text of a hover, whatever the names, the query and the code hold."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from packhound.core.types import Hit, NodeId, NodeRef, Signal, Span
from packhound.lsp.hover_text import escape, hover_text

WHY = (
    Signal("made_up", 0.5, 3.0),
    Signal("dense_test", 0.25, 2.0),
    Signal("depth_test", 1.0, -0.4),
)


def hit(name: str = "load", why: tuple[Signal, ...] = WHY, rank: int = 2) -> Hit:
    span = Span(0, 1, 0, 0)
    node = NodeRef("/r", "a.py", "python", "function", name, name, "", "", span, 1, NodeId(0))
    return Hit(node, rank, sum(signal.contribution for signal in why), why)


def test_the_biggest_reason_first_with_the_longest_bar():
    assert hover_text("find it", hit(), markdown=False).split("\n") == [
        "load (function), #2 for find it, score 1.600",
        "  +1.500  ████████████  made up (3 × 0.5)",
        "  +0.500  ████          dense test (2 × 0.25)",
        "  -0.400  ███▎          depth test (-0.4 × 1)",
    ]


def test_the_smallest_reasons_share_a_row():
    why = tuple(Signal(f"s{n}", 1.0, 1.0 - n / 100) for n in range(40))
    *_, last_shown, others = hover_text("q", hit(why=why), markdown=False).split("\n")
    assert "s11" in last_shown and others.endswith("28 others")
    assert float(others.split()[0]) == round(sum(s.contribution for s in why[12:]), 3)


def test_a_node_that_is_no_result_says_so():
    assert "not among the results" in hover_text("q", hit(rank=0, why=()), markdown=True)


def test_markdown_is_shown_as_it_is_written():
    assert escape("[x](command:run) <img src=a> **b** `c`\\") == (
        "\\[x\\]\\(command\\:run\\) \\<img src=a\\> \\*\\*b\\*\\* \\`c\\`\\\\"
    )


@given(
    name=st.text(max_size=200), query=st.text(max_size=200), signal=st.text(min_size=1, max_size=20)
)
def test_nothing_leaves_its_place(name, query, signal):
    text = hover_text(query, hit(name, (Signal(signal, 1.0, 1.0),)), markdown=True)
    assert text.count("\n") == 4
    assert text.count("```") == 2
    assert not set(text) & set("\r\u2028\u202e\u200b\x1b\x00")
