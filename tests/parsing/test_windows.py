from __future__ import annotations

import random
from base64 import b64encode

import pytest

from packhound.core.status import GREP_ALONE
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


NOISE = random.Random(1).randbytes(60_000)


def in_lines(text: str) -> str:
    return "\n".join(text[at : at + 60] for at in range(0, len(text), 60))


DATA = {
    "tokens": "\n".join(f"{b64encode(NOISE[n : n + 6]).decode()} {n}" for n in range(9_000)),
    "base64": in_lines(b64encode(NOISE).decode()),
    "digests": "\n".join(NOISE[n : n + 32].hex() for n in range(0, 59_000, 16)),
    "numbers": "\n".join(f"v {n} 0.{n} -{n}e-05" for n in range(9_000)),
    "genes": in_lines("".join("acgt"[octet % 4] for octet in NOISE * 2)),
}
WORDS = {
    "prose": "A sentence, of some words: one, two.\n",
    "capitals": "MOVE A TO B. PERFORM CHECK-IT 10 TIMES.\n",
    "assembly": "\tmovq\t%rax, 8(%rbp)\n\tjne\t.L27\n\tcall\tread_all\n",
    "chinese": "我們在這裡寫一些字。\n",
}


@pytest.mark.parametrize("text", DATA.values(), ids=DATA)
def test_of_long_data_without_words_the_first_lines_are_a_window(text: str) -> None:
    result = parsed("table", text)
    assert result.degraded == GREP_ALONE
    assert [(node.kind, node.name, node.span.start_line) for node in result.nodes] == [
        ("window", "table:1", 0)
    ]
    assert not parsed("table", text[:60_000]).degraded


@pytest.mark.parametrize("text", WORDS.values(), ids=WORDS)
def test_long_texts_of_words_are_windows_throughout(text: str) -> None:
    text = text * (70_000 // len(text.encode()) + 1)
    result = parsed("notes", text)
    assert not result.degraded
    assert result.nodes[-1].span.end == len(text.encode()) - 1


def test_code_is_parsed_whatever_it_is_of() -> None:
    result = parsed("font.py", f"def glyphs():\n    return '''{DATA['base64']}'''\n")
    assert [node.name for node in result.nodes] == ["glyphs"]
