"""Lines, their definitions, totals and pages; unsaved text; what is refused."""

import pytest

from packhound.core.errors import SettingsError
from packhound.core.types import Document, Query
from packhound.grep import GrepRequest, GrepResults
from packhound.service.engine import Engine
from tests.support.project import FILES, cache, engine, root, write_files

__all__ = ["cache", "engine", "root"]


def lines_of(results: GrepResults) -> list[tuple[str, str, list[int]]]:
    return [
        (g.path, g.node.name if g.node else "", [line.number + 1 for line in g.lines])
        for g in results.groups
    ]


def test_lines_come_with_the_definitions_that_hold_them(engine: Engine) -> None:
    results = engine.grep(GrepRequest(r"item(s|\.)"))
    assert lines_of(results) == [
        ("shop/cart.py", "add_item", [9]),
        ("shop/cart.py", "total_price", [12]),
    ]
    assert (results.n_lines, results.n_files, results.next_offset) == (2, 1, -1)


def test_unsaved_text_counts(engine: Engine) -> None:
    engine.update(Document("shop/mail.py", b"def unsaved_receipt():\n    zebra()\n"))
    assert lines_of(engine.grep(GrepRequest("zebra"))) == [("shop/mail.py", "unsaved_receipt", [2])]
    assert not engine.grep(GrepRequest("send_receipt")).n_lines


def test_filters_follow_edits(engine: Engine) -> None:
    write_files(engine.root, {f"more/m{i}.py": f"def f{i}():\n    pass\n" for i in range(40)})
    engine.refresh()
    engine.settled(30)
    assert not engine.grep(GrepRequest("quagga")).n_lines
    assert engine.preparation.join(30)
    write_files(engine.root, {"more/m7.py": "def f7():\n    quagga()\n"})
    engine.refresh()
    engine.settled(30)
    assert lines_of(engine.grep(GrepRequest("quagga"))) == [("more/m7.py", "f7", [2])]
    assert engine.grep(GrepRequest("pass", limit=1)).n_lines == 39


@pytest.mark.parametrize("query", ["", "mail a receipt"])
def test_pages_hold_each_line_once(engine: Engine, query: str) -> None:
    whole = engine.grep(GrepRequest("e", query=query))
    pages, offset = [], 0
    while offset != -1:
        page = engine.grep(GrepRequest("e", limit=2, offset=offset, query=query))
        pages += [(g.path, line.number) for g in page.groups for line in g.lines]
        offset = page.next_offset
    assert pages == [(g.path, line.number) for g in whole.groups for line in g.lines]
    assert len(pages) == whole.n_lines


def test_a_query_ranks_the_definitions(engine: Engine) -> None:
    results = engine.grep(GrepRequest("item|order", query="mail the receipt"))
    assert results.groups[0].node and results.groups[0].node.name == "send_receipt"
    assert results.n_lines == engine.grep(GrepRequest("item|order")).n_lines


def test_counts_globs_case_and_context(engine: Engine) -> None:
    counts = engine.grep(GrepRequest("CART", case="ignore", count_only=True)).counts
    assert counts == (("shop/cart.py", 3, ""),)
    assert not engine.grep(GrepRequest("CART", case="smart")).n_lines
    assert engine.grep(GrepRequest("cart", case="smart")).n_lines == 3
    assert engine.grep(GrepRequest("e", paths=("*.ts",))).n_files == 1
    assert engine.grep(GrepRequest("e", exclude=("shop/",))).n_files == 1
    assert engine.grep(GrepRequest("e", paths=("!shop/**",))).n_files == 1
    assert engine.grep(GrepRequest("e", paths=("*.{js,ts}", "!*.md"))).n_files == 1
    assert (
        engine.search(Query("path:*.{ts,js} path:!shop/** e")).hits[0].node.path == "web/router.ts"
    )
    assert not engine.grep(GrepRequest("[[:upper:]]{9}", case="smart")).n_lines
    [group] = engine.grep(GrepRequest("sum(", regex=False, context=1)).groups
    assert [(line.number + 1, line.is_match) for line in group.lines] == [(11, False), (12, True)]


@pytest.mark.parametrize(
    ("pattern", "named"),
    [("a(?=b)", "look-ahead '(?='"), ("(?<!a)b", "look-behind '(?<!'"), (r"(a)\1", r"'\1'")],
)
def test_what_takes_more_than_linear_time_is_refused_by_name(
    engine: Engine, pattern: str, named: str
) -> None:
    with pytest.raises(SettingsError) as refusal:
        engine.grep(GrepRequest(pattern))
    assert named in str(refusal.value)
    notes = engine.search(Query(f"/{pattern}/ cart")).notes
    assert any(named in note for note in notes)


def test_a_regex_in_the_search_box_filters(engine: Engine) -> None:
    alone = engine.search(Query(r"/items?\b/"))
    assert [hit.node.name for hit in alone.hits] == ["Cart", "add_item", "total_price"][-2:]
    assert alone.hits[0].explanation().reasons == ("3 lines match: 7, 8, 9",)
    beside = engine.search(Query(r"/Receipt|items/i price of the cart"))
    assert {hit.node.name for hit in beside.hits} <= {"send_receipt", "add_item", "total_price"}
    assert beside.hits[0].node.name == "total_price"
    assert not engine.search(Query("/nowhere_at_all/")).hits
    assert engine.search(Query("/shop/ cart.py")).hits


@pytest.mark.parametrize(
    ("pattern", "note"),
    [("[a&&b]", "'&&', '--'"), (r"\bé", r"\b and \w know"), (r"a\nb", "within one line")],
)
def test_what_a_pattern_means_otherwise_is_said(engine: Engine, pattern: str, note: str) -> None:
    assert any(note in each for each in engine.grep(GrepRequest(pattern)).notes)
    assert not engine.grep(GrepRequest(pattern, regex=False)).notes


@pytest.mark.parametrize("head", ["", "# café\n"], ids=["ascii", "unicode"])
def test_quoted_words_stand_side_by_side(engine: Engine, head: str) -> None:
    text = f"{head}{FILES['shop/mail.py']}" + (
        "\n\ndef apart():\n    # the order was lost, a customer of an other order\n    pass\n"
        "\n\ndef together():\n    # Customer\n    #   of the  SHOP\n    pass\n"
    )
    engine.update(Document("shop/mail.py", text.encode()))
    assert {h.node.name for h in engine.search(Query('"customer of the shop"')).hits} == {
        "together"
    }
    assert "apart" not in {h.node.name for h in engine.search(Query('"customer of the"')).hits}
    results = engine.search(Query('"customer of the sho"'))
    assert any("nowhere as a phrase" in note for note in results.notes)
    results = engine.search(Query('"lost order"'))
    assert any("nowhere as a phrase" in note for note in results.notes)
    assert results.hits[0].node.name == "apart"


@pytest.mark.parametrize(
    ("paths", "exclude"), [(("[!",), ()), (("no/such/**",), ()), ((), ("**",))]
)
def test_globs_that_leave_no_file_are_said(engine, paths, exclude):
    answer = engine.grep(GrepRequest("return", paths=paths, exclude=exclude))
    assert not answer.groups
    assert "no indexed file has a path that 'paths' and 'exclude' let through" in answer.notes
    assert not engine.grep(GrepRequest("no such line", paths=("**",))).notes
