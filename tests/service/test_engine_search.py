"""What a search over a real folder finds, and why: real parsers, real index, real disk."""

import subprocess
import sys
from pathlib import Path

import pytest

from packhound.core.settings_reader import settings_from
from packhound.core.types import Document, Query
from packhound.pack import PackRequest
from packhound.service.engine import Engine
from tests.support.project import FILES, names, write_files


def test_the_described_function_comes_first(engine: Engine) -> None:
    assert names(engine, "mail the receipt to the customer")[0] == "send_receipt"
    assert names(engine, "total price of all items")[0] == "total_price"
    assert names(engine, "matchRoute")[0] == "matchRoute"


def test_contributions_add_up_to_the_score(engine: Engine) -> None:
    results = engine.search(Query("add an item to the cart"))
    assert results.hits
    for hit in results.hits:
        assert hit.score == pytest.approx(sum(reason.contribution for reason in hit.why))


@pytest.mark.parametrize(
    "query", ["i", "stanbul", "istanbul", "}", "^İ", "nbul$", "'İSTANBULx", "sx"]
)
def test_letters_that_grow_in_lower_case_end_no_search(engine: Engine, query: str) -> None:
    engine.update(Document("a.md", "# İSTANBULx}\n\nword\n\n# xİ}\n\nword\n".encode()))
    actual = [hit.node.name for hit in engine.search(Query(query, mode="symbol")).hits]
    assert ("İSTANBULx}" in actual) == (query in ("i", "stanbul", "istanbul", "}", "^İ", "sx"))


def test_explain_scores_a_node_that_did_not_rank(engine: Engine) -> None:
    hit = engine.explain(Query("total_price"), "shop/mail.py", 1)
    assert hit is not None
    assert hit.node.name == "send_receipt"
    assert engine.explain(Query("total_price"), "shop/nothing.py", 1) is None


def test_related_leaves_out_the_node_itself(engine: Engine) -> None:
    results = engine.related("shop/cart.py", 6, limit=5)
    assert results.hits
    assert "add_item" not in [hit.node.name for hit in results.hits]
    missing = engine.related("gone.py", 6)
    assert missing.hits == ()
    assert "gone.py:7" in missing.notes[0]


def test_nothing_found_is_an_empty_list_with_a_note(engine: Engine) -> None:
    results = engine.search(Query("xyzzyplugh", mode="lexical"))
    assert results.hits == ()
    assert results.notes


def test_what_the_user_works_on_is_one_more_reason(root: Path) -> None:
    for command in (["init", "-q"], ["add", "."], ["commit", "-qm", "Begin"]):
        name = ["-c", "user.name=A", "-c", "user.email=a@example.invalid"]
        subprocess.run(["git", "-C", root, *name, *command], check=True)
    engine = Engine.open(
        root, settings_from({"ranking.gitHistory": True, "ranking.activity": True})
    )
    try:
        assert engine.settled(30)
        engine.update(Document("shop/cart.py", FILES["shop/cart.py"].encode()))
        hits = engine.search(Query("total price of the cart", limit=2)).hits
        reasons = {reason.signal for reason in hits[0].why}
        assert "used_lately" in reasons
        for hit in hits:
            assert hit.score == pytest.approx(sum(reason.contribution for reason in hit.why))
        pack = engine.pack(PackRequest("total price of the cart"))
        origins = [origin for item in pack.items for origin in item.origins]
        whys = [why for origin in origins if origin.hit for why in origin.hit.why]
        assert any(why.signal == "used_lately" for why in whys)
    finally:
        engine.close()


def test_a_server_leaves_the_grammars_to_its_parsers():
    loaded = "import sys, packhound.service.engine; sys.exit('tree_sitter' in sys.modules)"
    subprocess.run([sys.executable, "-c", loaded], check=True)


def test_a_status_names_a_few_broken_notebooks(tmp_path: Path) -> None:
    for n in range(8):
        (tmp_path / f"{n}.ipynb").write_text('{"cells": [')
    engine = Engine.open(tmp_path, settings_from({"index.persist": False}))
    assert engine.settled(60)
    notes = [note for note in engine.status().notes if "plain text" in note]
    engine.close()
    assert [note.split(" ")[0] for note in notes] == [*(f"{n}.ipynb" for n in range(5)), "3"]
    assert notes[-1] == "3 more notebooks are searched as plain text"


def test_hits_are_where_their_text_is_now_though_nobody_watches_the_folder(tmp_path: Path) -> None:
    files = {f"m{n}.py": f"def load_{n}(path):\n    return {n}\n" for n in range(3)}
    root = tmp_path / "root"
    write_files(root, files)
    engine = Engine.open(root, settings_from({"index.persist": False}))
    assert engine.settled(60)

    def places(name: str) -> list[tuple[str, int]]:
        nodes = (hit.node for hit in engine.search(Query(name)).hits)
        return [(node.path, node.span.start_line) for node in nodes if node.name == name]

    assert places("load_1") == [("m1.py", 0)]
    (root / "m1.py").write_text("\n" * 40 + files["m1.py"])
    assert places("load_1") == [("m1.py", 40)]
    (root / "m1.py").unlink()
    assert places("load_1") == []
    engine.close()
    (root / "m2.py").write_text("def other():\n    return 2\n")
    results = engine.search(Query("load"))
    assert [hit.rank for hit in results.hits] == [1] and results.hits[0].node.path == "m0.py"
    assert "1 hit is left out, in files that have changed" in str(results.notes)
