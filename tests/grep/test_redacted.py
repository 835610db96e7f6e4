"""Agents search redacted texts; those that cannot match are not redacted."""

import gc
import weakref

import pytest
from hypothesis import given
from hypothesis import strategies as st

from packhound.core.types import Document
from packhound.grep import GrepRequest
from packhound.redact import may_add, redact, visible_text
from packhound.redact.markers import secret_kinds
from packhound.service.engine import Engine
from tests.support.project import cache, engine, root

__all__ = ["cache", "engine", "root"]

SECRET = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"
PARTS = [
    *(f'token = "{SECRET}"', SECRET, f"password: {SECRET}\n", "AKIAQ3EGRXLP7WVNT2YA"),
    *("\u202e", "\u200b", "\x1b[0m", "\r", "\n", "\t", " ", "]", "[", "<", ">", ":", "U+", "-"),
    *("red", "acted", "REDACTED", "github", "token", "secret", "aws", "key", "e", "2", "x_y", "é"),
]
texts = st.lists(st.sampled_from(PARTS), max_size=12).map("".join)
literals = st.lists(st.sampled_from(PARTS), min_size=1, max_size=4).map("".join)


def redacted(text: str) -> bytes:
    return visible_text(redact(text).text).encode()


@given(texts, literals)
def test_a_literal_that_redaction_cannot_add_is_in_the_text_itself(text: str, part: str) -> None:
    literal = part.lower().encode()
    if literal in redacted(text).lower() and not may_add(literal):
        assert literal in text.encode().lower()


def test_the_marks_of_all_kinds_are_known() -> None:
    kinds = secret_kinds()
    assert {"github-token", "aws-access-key", "aws-secret", "private-key", "jwt"} <= kinds
    for kind in kinds:
        mark = f"[REDACTED:{kind}]"
        pieces = {mark[i:j] for i in range(len(mark)) for j in range(i + 1, len(mark) + 1)}
        assert all(may_add(piece.encode()) for piece in pieces)


def test_every_kind_that_is_found_is_known() -> None:
    assert {finding.kind for finding in redact("\n".join(PARTS)).findings} <= secret_kinds()


@pytest.mark.parametrize(
    ("pattern", "n_lines"),
    [
        (SECRET, 0),
        (SECRET[:12], 0),
        ("def only_here", 1),
        ("(?i)ONLY_HERE|nowhere", 2),
        (r"REDACTED:github", 1),
        (r"<U\+202E>", 1),
        (r'"\[REDACTED:[\w-]+\]"$', 1),
        (r"\bn.where_at_all", 0),
    ],
)
def test_agents_match_what_they_may_read(engine: Engine, pattern: str, n_lines: int) -> None:
    text = f'token = "{SECRET}"\ndef only_here():\n    return "\u202e"  # only_here\n'
    engine.update(Document("shop/secret.py", text.encode()))
    for _ in range(2):  # The second time the text is remembered.
        assert engine.grep(GrepRequest(pattern), redacted=True).n_lines == n_lines


def test_a_grep_keeps_no_old_files_alive(engine: Engine) -> None:
    engine.grep(GrepRequest("total"))
    engine.update(Document("shop/mail.py", b"def unsaved_receipt():\n    zebra()\n"))
    old = weakref.ref(engine.snapshot)
    engine.grep(GrepRequest("zebra"))
    engine.update(Document("shop/mail.py", b"def other():\n    quagga()\n"))
    engine.settled(30)
    gc.collect()
    assert old() is None
