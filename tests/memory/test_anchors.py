"""Notes on code: fresh, stale, renamed, moved, moved perhaps, gone; in search, list and show."""

from __future__ import annotations

from pathlib import Path

import pytest

from packhound.core.types import Document, Query
from packhound.memory.body_digest import body_digest
from packhound.service import Engine
from tests.support.operations import memory

CODE = '''def reconnect(client, delay):
    """Open the connection again."""
    for attempt in range(client.most):
        wait = delay * 2 ** attempt + jitter(client)
        if client.open(timeout=wait):
            return client
    raise Lost(client, delay)


def other(client):
    return client.name.strip().lower()
'''
PATH = "net.py"


def edit(engine: Engine, text: str, path: str = PATH) -> None:
    engine.update(Document(path, text.encode()))
    assert engine.settled(30)


@pytest.fixture
def noted(engine: Engine) -> Engine:
    """An engine with a note on `reconnect`."""
    edit(engine, CODE)
    values = {"type": "insight", "key": "backoff", "content": "Jitter is needed by the broker"}
    memory(engine, "add", {**values, "code": [f"{PATH}#reconnect"]})
    return engine


def state(engine: Engine) -> tuple[str, str]:
    """Return the state of the only note and the place of its code."""
    [row] = memory(engine, "list", {})["notes"]
    [code] = row["code"]
    assert row["state"] == code["state"]
    return code["state"], code["ref"]


def marked(engine: Engine, text: str = "open the connection again") -> dict[str, list[str]]:
    """Return the titles of the notes on each hit of a plain search."""
    hits = engine.search(Query(text)).hits
    return {h.node.name: [mark.record.title for mark in h.notes] for h in hits if h.notes}


def test_a_fresh_note_is_marked_on_the_node_that_a_plain_search_shows(noted: Engine) -> None:
    assert state(noted) == ("", "net.py#reconnect")
    assert marked(noted) == {"reconnect": ["backoff"]}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("    for attempt", "    # Try a few times.\n    for attempt"),
        ('"""Open the connection again."""', '"""Other words."""'),
        ("delay * 2 ** attempt + jitter(client)", "delay*2**attempt  +  jitter( client )"),
        ("def other", "def added():\n    return 1\n\n\ndef other"),
    ],
)
def test_comments_layout_and_other_code_leave_it_fresh(noted: Engine, old: str, new: str) -> None:
    assert old in CODE
    edit(noted, CODE.replace(old, new))
    assert state(noted) == ("", "net.py#reconnect")
    assert marked(noted) == {"reconnect": ["backoff"]}


def test_a_change_makes_it_stale_and_the_diff_is_shown(noted: Engine) -> None:
    edit(noted, CODE.replace("2 ** attempt", "3 ** attempt"))
    assert state(noted) == ("stale", "net.py#reconnect")
    assert marked(noted) == {}, "a plain search marks fresh notes alone"
    [row] = memory(noted, "list", {})["notes"]
    [code] = memory(noted, "show", {"id": row["id"]})["code"]
    assert "-        wait = delay * 2 ** attempt + jitter(client)" in code["diff"]
    assert "+        wait = delay * 3 ** attempt + jitter(client)" in code["diff"]
    edit(noted, CODE)
    assert state(noted) == ("", "net.py#reconnect")


def test_stale_notes_rank_lower_and_say_so(noted: Engine) -> None:
    [before] = noted.search(Query("jitter broker", types=("note",))).hits
    edit(noted, CODE.replace("2 ** attempt", "3 ** attempt"))
    [after] = noted.search(Query("jitter broker", types=("note",))).hits
    assert after.score == pytest.approx(0.7 * before.score, rel=1e-3)
    assert "stale" in after.explanation().reasons


def test_a_rename_is_followed_and_then_an_edit_is_noticed(noted: Engine) -> None:
    renamed = CODE.replace("def reconnect", "def open_again")
    edit(noted, renamed)
    assert marked(noted) == {"open_again": ["backoff"]}
    assert state(noted) == ("", "net.py#open_again")
    edit(noted, renamed.replace("2 ** attempt", "3 ** attempt"))
    assert state(noted) == ("stale", "net.py#open_again")


def test_a_recursive_function_is_followed(engine: Engine) -> None:
    code = (
        "def walk(node, depth):\n    for child in node.children:\n        walk(child, depth + 1)\n"
    )
    edit(engine, code)
    values = {"type": "insight", "content": "Depth counts from the root"}
    memory(engine, "add", {**values, "code": [f"{PATH}#walk"]})
    edit(engine, code.replace("walk", "visit"))
    assert state(engine) == ("", "net.py#visit")


def test_a_move_to_another_file_is_followed(noted: Engine) -> None:
    body, rest = CODE.split("\n\n\n")
    edit(noted, rest)
    edit(noted, "import x\n\n\n" + body + "\n", "link/socket.py")
    assert state(noted) == ("", "link/socket.py#reconnect")
    assert marked(noted) == {"reconnect": ["backoff"]}


def test_a_move_with_another_name_is_followed(noted: Engine) -> None:
    body, rest = CODE.split("\n\n\n")
    edit(noted, rest)
    edit(noted, body.replace("def reconnect", "def revive") + "\n", "link/socket.py")
    assert state(noted) == ("", "link/socket.py#revive")


def test_what_moved_and_changed_is_proposed(noted: Engine) -> None:
    body, rest = CODE.split("\n\n\n")
    edit(noted, rest)
    changed = body.replace("def reconnect", "def revive").replace(
        "timeout=wait", "timeout=wait + 1"
    )
    edit(noted, changed + "\n", "link/socket.py")
    assert state(noted) == ("moved?", "link/socket.py#revive")
    assert marked(noted) == {}


def test_two_equal_bodies_are_proposed_not_followed(noted: Engine) -> None:
    body, rest = CODE.split("\n\n\n")
    copies = [body.replace("def reconnect", f"def {name}") for name in ("first", "second")]
    edit(noted, "\n\n\n".join([*copies, rest]))
    assert state(noted)[0] == "moved?"


def test_what_is_gone_is_orphaned_and_the_note_stays(noted: Engine) -> None:
    edit(noted, "def unlike(a):\n    return [b for b in a if b]\n")
    assert state(noted) == ("orphaned", "net.py#reconnect")
    [row] = memory(noted, "list", {})["notes"]
    [code] = memory(noted, "show", {"id": row["id"]})["code"]
    assert "-    raise Lost(client, delay)" in code["diff"]
    noted.search(Query("jitter", types=("note",)))
    edit(noted, CODE)
    assert state(noted) == ("", "net.py#reconnect")


def test_a_note_on_a_type_does_not_watch_its_members(engine: Engine, root: Path) -> None:
    values = {"type": "insight", "content": "One cart a customer", "code": ["shop/cart.py#Cart"]}
    memory(engine, "add", values)
    text = (root / "shop/cart.py").read_text()
    edit(engine, text.replace("+ count", "+ 2 * count"), "shop/cart.py")
    assert state(engine)[0] == ""
    edit(
        engine, text.replace("    def add_item", "    size = 3\n\n    def add_item"), "shop/cart.py"
    )
    assert state(engine)[0] == "stale"


@pytest.mark.parametrize(
    ("language", "first", "second"),
    [
        ("python", "x = 1  # one\ny = '# no'", "x=1\ny = '# no'"),
        ("go", "x := 1 // one\n/* two */ y", "x := 1\ny"),
        ("lua", "x = 1 -- one\ny", "x = 1\ny"),
        ("sql", "select 1 -- one\nfrom t /* t */", "select 1 from t"),
        ("haskell", "x = 1 -- one\n{- two -} y", "x = 1\ny"),
        ("ocaml", "let x = 1 (* one *) in y", "let x = 1 in y"),
        ("php", "$x = 1; # one\n// two\n$y", "$x = 1;\n$y"),
        ("rust", 'let s = "// no";\n// one', 'let s = "// no";'),
    ],
)
def test_comments_and_layout_do_not_count(language: str, first: str, second: str) -> None:
    assert body_digest(first, "f", language) == body_digest(second, "f", language)


@pytest.mark.parametrize(
    ("language", "first", "second"),
    [
        ("python", "x = 1", "x = 2"),
        ("python", "y = '# no'", "y = '# yes'"),
        ("rust", 'let s = "// no";', 'let s = "// yes";'),
        ("go", "a b", "ab"),
        ("javascript", "a - b", "a + b"),
    ],
)
def test_tokens_do_count(language: str, first: str, second: str) -> None:
    assert body_digest(first, "f", language) != body_digest(second, "f", language)
