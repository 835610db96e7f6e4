"""Unsaved text is searched at once, stays in memory, and gives way to the file when closed."""

import threading
from pathlib import Path

import pytest

from packhound.core.types import Document, Query
from packhound.service.engine import Engine
from tests.support.project import MAIL, names


def test_unsaved_text_is_found_by_the_very_next_search(engine: Engine) -> None:
    for word in ("zebrafish", "quokka", "axolotl"):
        source = f"def feed_{word}():\n    return 1\n".encode()
        engine.update(Document("shop/mail.py", source))
        assert names(engine, f"feed_{word}")[0] == f"feed_{word}"
    assert "send_receipt" not in names(engine, "send_receipt")
    engine.release("shop/mail.py")
    assert names(engine, "send_receipt")[0] == "send_receipt"
    assert "feed_axolotl" not in names(engine, "feed_axolotl")


def test_the_very_next_search_finds_nothing_of_a_discarded_text(engine: Engine) -> None:
    for n in range(30):
        text = f"def discarded_{n}():\n    return {n}\n".encode()
        engine.update(Document("shop/mail.py", text))
        assert names(engine, f"discarded_{n}")[0] == f"discarded_{n}"
        engine.release("shop/mail.py")
        actual = names(engine, "discarded send_receipt")
        assert actual[0] == "send_receipt" and f"discarded_{n}" not in actual


def test_a_file_that_is_opened_and_closed_unchanged_stays_in_the_index(engine: Engine) -> None:
    for _ in range(2):
        engine.update(MAIL)
        engine.release(MAIL.path)
        assert names(engine, "send_receipt")[0] == "send_receipt"
    assert engine.settled(30)
    assert engine.snapshot.files[MAIL.path].stamp is not None


def test_a_file_saved_and_deleted_before_it_is_closed_is_gone(engine: Engine, root: Path) -> None:
    engine.update(Document("shop/mail.py", b"def edited_last(): pass\n"))
    (root / "shop/mail.py").unlink()
    engine.release("shop/mail.py")
    assert "edited_last" not in names(engine, "edited_last")
    assert "shop/mail.py" not in engine.snapshot.files


@pytest.mark.parametrize(
    "source", ["# {}\n'Doc.'\n", "{} = 1\n", "# {}\n", "'''{}'''\n", "def f(): pass\n# {}"]
)
def test_the_smallest_remark_is_found(engine: Engine, source: str) -> None:
    engine.update(Document("shop/mail.py", source.format("wombatword").encode()))
    (hit, *_) = engine.search(Query("wombatword", mode="lexical")).hits
    assert hit.node.path == "shop/mail.py"


def test_an_unsaved_file_is_found_and_forgotten(engine: Engine) -> None:
    engine.update(Document("new.py", b"def brand_new_thing():\n    pass\n"))
    assert names(engine, "brand_new_thing")[0] == "brand_new_thing"
    engine.release("new.py")
    assert "brand_new_thing" not in names(engine, "brand_new_thing")


def test_unsaved_text_is_not_kept_on_disk(engine: Engine, root: Path, cache: Path) -> None:
    engine.update(Document("shop/mail.py", b"def password_hunter2_secret():\n    pass\n"))
    assert names(engine, "password_hunter2_secret")
    engine.close()
    saved = b"".join(file.read_bytes() for file in cache.rglob("*") if file.is_file())
    assert b"hunter2" not in saved
    again = Engine.open(root)
    try:
        assert again.settled(30)
        assert names(again, "send_receipt")[0] == "send_receipt"
    finally:
        again.close()


SHOWN = {
    ".env": "TOKEN_WOMBAT = 1\n",
    "out/made.py": "def made_wombat(): pass\n",
    "shop/data.json": '{"wombat": 1}\n' * 2_200_000,
    "shop/made.js": "wombat();" * 10_000,
    "latin\udce9.py": "def odd_wombat(): pass\n",
}


@pytest.mark.parametrize("path", SHOWN)
def test_what_the_disk_would_not_give_is_not_taken_from_an_editor(
    engine: Engine, root: Path, path: str
) -> None:
    (root / ".gitignore").write_text("out/\n")
    engine.refresh([".gitignore"])
    assert engine.settled(30)
    engine.update(Document(path, SHOWN[path].encode()))
    assert engine.settled(30)
    assert path not in engine.snapshot.files
    (root / ".gitignore").write_text("")
    engine.refresh([".gitignore"])
    assert engine.settled(30)
    assert (path in engine.snapshot.files) == (path == "out/made.py")


@pytest.mark.slow
def test_what_is_typed_while_the_index_is_rebuilt_is_kept(engine: Engine) -> None:
    for n in range(6):
        rebuilding = threading.Thread(target=engine.rebuild)
        rebuilding.start()
        typed = 0
        while rebuilding.is_alive():
            typed += 1
            engine.update(Document("shop/mail.py", f"def feed_{n}_{typed}(): pass\n".encode()))
        rebuilding.join()
        assert engine.settled(30)
        assert names(engine, f"feed_{n}_{typed}", limit=1) == [f"feed_{n}_{typed}"]
    engine.release("shop/mail.py")
    assert engine.settled(30)
    assert names(engine, "send_receipt")[0] == "send_receipt"


def test_a_rebuild_keeps_what_the_editor_shows(engine: Engine) -> None:
    engine.update(Document("shop/mail.py", b"def unsaved_capybara():\n    pass\n"))
    engine.rebuild()
    assert engine.settled(30)
    assert names(engine, "unsaved_capybara")[0] == "unsaved_capybara"
    assert names(engine, "matchRoute")[0] == "matchRoute"
