from __future__ import annotations

from packhound.core.types import Document
from packhound.parsing.extract.windows import windows
from tests.support.syntax_check import parsed


def test_windows_cover_the_text_and_break_at_blank_lines() -> None:
    paragraph = "word " * 10 + "\n"
    text = (paragraph * 9 + "\n") * 20
    nodes = parsed("notes.txt", text).nodes
    assert [(node.span.start_line, node.span.end_line) for node in nodes[:2]] == [(0, 38), (40, 78)]
    assert [node.name for node in nodes[:2]] == ["notes:1", "notes:41"]
    assert (
        sum(high - low for node in nodes for low, high in node.own_ranges) >= len(text.strip()) - 40
    )


def test_lines_without_end_are_cut_between_characters() -> None:
    text = "ä" * 10_000
    nodes = windows(Document("a.txt", text.encode()))
    assert (
        "".join(text.encode()[low:high].decode() for node in nodes for low, high in node.own_ranges)
        == text
    )


def test_bytes_that_are_no_text_are_cut_too() -> None:
    assert windows(Document("a.txt", b"\x80" * 50_000))


def test_blank_and_binary_texts_have_no_windows() -> None:
    assert windows(Document("a.txt", b" \n\r\n\t")) == ()
    assert windows(Document("a.txt", b"PK\x03\x04\x00")) == ()


def test_no_line_of_a_long_text_of_short_lines_is_left_out() -> None:
    lines = [f"w{number}\n" for number in range(100_000)]
    text = "".join(lines).encode()
    nodes = windows(Document("words", text))
    covered = b"".join(text[low:high] + b"\n" for node in nodes for low, high in node.own_ranges)
    assert covered == text
    assert len(nodes) <= 1_100
