"""What a query says exactly comes before what is likely, and the first reason says so."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from packhound.core.errors import SettingsError
from packhound.core.settings_reader import settings_from
from packhound.core.status import Reading
from packhound.core.types import Document, Query, Results
from packhound.search import so_far
from packhound.search.remarks import InNoNode
from packhound.service import Engine
from tests.support.operations import call

COPIED = """\
def merge_baskets(first, second):
    items = first.items + second.items
    return Basket(items)
"""
FILES = {
    "shop/cart.py": '''\
"""Carts."""

import decimal


class Cart:
    def total(self, rates):
        """Sum the prices of all items."""
        return sum(item.price * rates[item.currency] for item in self.items)

    def clear(self):
        self.items = []


class Order:
    def total(self):
        return self.amount


def apply_voucher_code(cart, code):
    cart.discount = VOUCHERS[code]
''',
    "shop/limits.py": "MAX_BASKET_SIZE = 40\n\n\ndef check(cart):\n    assert len(cart) < 40\n",
    "lib/cart.py": "def total(prices):\n    return sum(prices)\n",
    "tests/test_cart.py": """\
def test_totals_are_rounded_half_even():
    quirkyvalue = make_cart(price="1.005")
    assert quirkyvalue.total({}) == 1


def test_other():
    cart = make_cart()
    assert cart.total( rates = {} )   ==  0
""",
    "docs/guide.md": "# Guide\n\nSet the zanzibar flag before you call `total`.\n",
    "first/copied.py": COPIED,
    "second/copied.py": COPIED.replace("    ", "        "),
    "docs/how-to-pack.rst": "Boxes first.\n",
    "lib/Label.kt": "/*\n * Copyright (C) Shop\n */\npackage shop\n\nclass Label(val x: Int)\n",
    "tests/test_shelf.py": """\
def test_shelf():
    shelf = fill(shelf, parcels)
    assert shelf.parcels == parcels
""",
    "lib/shelf.py": "def fill_shelf(shelf):\n    return shelf\n",
    "lib/parcels.py": "def sort_parcels(parcels):\n    return parcels\n",
    "docs/api.md": "# Api\n\n## limits.check\n\nFails for a cart of 40.\n",
    "docs/reload.md": "# Reload\n\nThe reloading of voucher tables is slow.\n",
    "lib/reload.py": "".join(f"def reload_{i}():\n    reload({i})\n\n\n" for i in range(20)),
    "lib/printer.py": "def jam():\n    raise OSError('the tray jammed')\n",
    "Shop/Basket.php": "<?php\nnamespace Shop;\nuse A\\B;\nuse A\\C;\n\nclass Basket\n{\n}\n",
    "src/depot/shelf.py": "def stack():\n    pass\n\n\ndef unstack():\n    pass\n",
    "lib/response.js": """\
module.exports = {
  get lastSeen () {
    return this.headers.seen
  },

  set lastSeen (value) {
    this.headers.seen = value
  },
}
""",
    "test/response.test.js": """\
describe('lastSeen', () => {
  it('is a date', () => assert(response.lastSeen === date))
})
""",
    "samples/demo.py": "def main():\n    fakes = start()\n    networks(fakes)\n    delayed(3)\n",
    "mock/behaviour.py": "def network_delay(network):\n    return network.delay * 2\n",
    "lib/locks.py": "".join(
        f"def take_{name}(lock):\n    raise Busy('shelf is taken')\n\n\n"
        for name in ("red", "blue", "green", "white", "black", "brown", "grey")
    ),
    "lib/taken.py": "def shelf_taken(shelf):\n    return shelf.taken\n",
    "pkg/objects.py": '"""Say `pkg.objects.Marker`."""\n\nfrom pkg._core import Marker\n',
    "pkg/_core.py": "class Marker:\n    def draw(self):\n        return self.symbol\n",
    "Makefile": "release:\n\tpython -m build\n",
}


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    root = tmp_path_factory.mktemp("shop")
    for path, text in FILES.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    engine = Engine.open(root, settings_from({"index.persist": False}))
    assert engine.settled(60)
    yield engine
    engine.close()


def ask(engine: Engine, text: str, **fields: object) -> Results:
    return engine.search(Query(text, **fields))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("query", "first", "reason", "word"),
    [
        ("quirkyvalue", "test_totals_are_rounded_half_even", "the only place with ", "exact"),
        ("QuirkyValue", "test_totals_are_rounded_half_even", "the only place with ", "strong"),
        ("where is zanzibar used?", "Guide", "the only place with zanzibar", "exact"),
        ("shop/cart.py:9", "Cart.total", "line 9 of its path", "exact"),
        ("./shop/cart.py:16:5", "Order.total", "line 16 of its path", "exact"),
        ("lib/Label.kt:2", "Label", "nearest to line 2 of its path", "exact"),
        ("/home/me/shop/lib/cart.py:2", "total", "line 2 of its path", "exact"),
        ('File "shop/cart.py", line 12, in clear', "Cart.clear", "line 12 of its path", "exact"),
        ("limits.py", "limits", "its path", "exact"),
        ("Makefile", "Makefile:1", "its path", "exact"),
        ("Order.total", "Order.total", "defines Order.total", "exact"),
        ("Cart total", "Cart.total", "defines Cart total", "exact"),
        ("limits.check", "check", "defines limits.check", "exact"),
        ("Cart::total(rates)", "Cart.total", "defines Cart::total", "exact"),
        ("(*Order).total", "Order.total", "defines Order.total", "exact"),
        ("Cart<Map<K, V>>.clear(true)", "Cart.clear", "defines Cart.clear", "exact"),
        ("Cart::<K>::clear", "Cart.clear", "defines Cart::clear", "exact"),
        ("Cart -> clear", "Cart.clear", "defines Cart->clear", "exact"),
        ("Cart . clear", "Cart.clear", "defines Cart.clear", "exact"),
        ("Order#total(Rates)", "Order.total", "defines Order#total", "exact"),
        ("&shop.Cart.clear/1", "Cart.clear", "defines shop.Cart.clear", "exact"),
        ("await new Order(7)?.total();", "Order.total", "defines Order.total", "exact"),
        ("order.total(1)", "Order.total", "defines order.total", "strong"),
        ("assert cart.total(rates={}) == 0", "test_other", "the only place with this", "exact"),
        ("    cart.discount = VOUCHERS[code]", "apply_voucher_code", "the only place", "exact"),
        (
            "        self.items = []\nclass Order:",
            "Cart.clear",
            "the",
            "exact",
        ),
        ("Error: the tray jammed", "jam", "the only place", "exact"),
        ("2024-05-01 12:00:03 ERROR [main] app: the tray jammed", "jam", "the only", "exact"),
        ("the tray jammed", "jam", "the only place", "exact"),
        ("ApplyVoucherCode", "apply_voucher_code", "its name is apply_voucher_code", "strong"),
        ("how-to-pack", "how-to-pack:1", "its path", "exact"),
        ("Basket", "Basket", "named Basket", "exact"),
        ("why is MAX_BASKET_SIZE so small for us", "limits", "the only place", "likely"),
        ("applyvouchercode", "apply_voucher_code", "its name is apply_voucher_code", "strong"),
        ("aply_voucher_code", "apply_voucher_code", "its name, apply_voucher_code,", "likely"),
        ("apply_vouch", "apply_voucher_code", "its name begins with apply_vouch", "likely"),
        ("totals", "Cart.total", "its name is nearly totals", "possible"),
    ],
)
def test_a_fact_comes_first(engine: Engine, query: str, first: str, reason: str, word: str) -> None:
    answer = ask(engine, query)
    hit = answer.hits[0]
    assert first in (hit.node.qualname, hit.node.name)
    assert hit.explanation().reasons[0].startswith(reason)
    assert answer.confidence_word == word
    if word in ("exact", "strong"):
        assert not answer.notes
    assert sum(signal.contribution for signal in hit.why) == pytest.approx(hit.score)


@pytest.mark.parametrize(
    "frame",
    [
        'File "/usr/lib/python3.12/site-packages/depot/shelf.py", line 5, in unstack',
        "/usr/lib/python3/dist-packages/depot/shelf.py:5",
        "C:\\Python\\Lib\\site-packages\\depot\\shelf.py:5",
    ],
)
def test_a_path_where_a_package_is_installed_leads_to_its_source(
    engine: Engine, frame: str
) -> None:
    results = engine.search(Query(frame))
    assert results.hits[0].node.qualname == "unstack"
    assert results.confidence_word == "exact"


def test_a_file_of_the_same_name_elsewhere_is_no_fact(engine: Engine) -> None:
    for path in ("/usr/lib/python3/asyncio/shelf.py:5", "other/depot/shelf.py:5"):
        assert engine.search(Query(path)).confidence_word != "exact"


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("shop/limits.py:6", "check"),
        ("limits.py:99999", "check"),
        ("at check (/app/shop/limits.py:777:12)", "check"),
    ],
)
def test_a_line_that_a_file_lacks_is_no_fact(engine: Engine, query: str, first: str) -> None:
    results = ask(engine, query)
    assert results.hits[0].node.name == first
    assert results.confidence_word not in ("exact", "strong")
    assert [n for n in results.notes if "lines" in n] == ["shop/limits.py has 5 lines"]
    assert not any("not in this folder" in note for note in results.notes), results.notes


@pytest.mark.parametrize(
    ("query", "note"),
    [
        ("shop/limmits.py:3", "shop/limmits.py; the nearest is shop/limits.py"),
        ("elsewhere/cart.py", "elsewhere/cart.py; the nearest is lib/cart.py"),
        ("shop/zebra_crossing.py", "shop/zebra_crossing.py"),
    ],
)
def test_a_path_that_no_file_has_is_told_with_the_nearest(
    engine: Engine, query: str, note: str
) -> None:
    assert f"no indexed file has the path {note}" in ask(engine, query).notes


@pytest.mark.parametrize("query", ["shop/cart.py", "shop", "Cart.total", "lib/", "cart.total(x)"])
def test_what_is_there_or_is_no_path_is_not_denied(engine: Engine, query: str) -> None:
    assert not any("no indexed file" in note for note in ask(engine, query).notes)


def test_words_of_a_short_question_that_are_nowhere_are_told_in_one_note(engine: Engine) -> None:
    def denials(text: str) -> list[str]:
        return [note for note in ask(engine, text).notes if " not in this folder" in note]

    assert denials("how is a cart totalled over smtp") == ["`smtp` is not in this folder"]
    assert denials("kubernetes totals and graphql vouchers") == [
        "`kubernetes` and `graphql` are not in this folder"
    ]
    # Another form of a word, a part of a longer one, or a word of a path.
    assert denials("total of all vouchers in a printer") == []
    assert denials("quirky cart") == []
    # Half of a word has another stem than the whole: totalling.
    assert denials("how are carts totalli") == []


@pytest.mark.parametrize("fields", [{"mode": "lexical"}, {"files": True}])
def test_it_does_in_other_modes(engine: Engine, fields: dict[str, object]) -> None:
    for query, path in (("quirkyvalue", "tests/test_cart.py"), ("limits.py", "shop/limits.py")):
        assert ask(engine, query, **fields).hits[0].node.path == path


def test_a_data_file_that_is_indexed_in_part_counts_as_a_place(engine: Engine) -> None:
    rows = "".join(f'  {{"id": {i}, "value": [1, 2, 3]}},\n' for i in range(200_000))
    data = Document("data/quokka.json", f'[\n{rows}  "quokka"\n]\n'.encode())
    code = Document("src/habitat.py", b"def feed():\n    return 'quokka'\n")
    for document in (data, code):
        engine.update(document)
    assert engine.settled(60)
    hits = ask(engine, "quokka").hits
    places = [h.node.path for h in hits if "one of 2 places with quokka" in h.explanation().reasons]
    assert sorted(places) == ["data/quokka.json", "src/habitat.py"]
    lines = [h.node.span.start_line for h in hits if h.node.path == "data/quokka.json"]
    assert lines == [200_001]
    for document in (data, code):
        engine.release(document.path)


def test_a_line_and_a_word_of_a_large_text_are_places(engine: Engine) -> None:
    lines = "".join(f"{i}: a wombat dug there and then slept\n" for i in range(3_000))
    line = "The numbat may lose what it was told of the burrow"
    large = Document("changes.txt", f"{lines}{line}\n{lines}A bilby too\n".encode())
    code = Document("src/burrow.py", b"def dig():\n    return 'bilby'\n")
    for document in (large, code):
        engine.update(document)
    assert engine.settled(60)
    pasted = ask(engine, line)
    assert (pasted.hits[0].node.path, pasted.confidence_word) == ("changes.txt", "exact")
    assert pasted.hits[0].node.span.start_line == 3_000
    assert pasted.hits[0].explanation().reasons[0] == "the only place with this line"
    first, second = ask(engine, "bilby").hits[:2]
    assert {first.node.path, second.node.path} == {"changes.txt", "src/burrow.py"}
    assert first.explanation().reasons[0] == "one of 2 places with bilby"
    for document in (large, code):
        engine.release(document.path)


def test_the_last_word_of_a_text_may_go_on_though_others_have_it_whole(engine: Engine) -> None:
    code = Document("src/probe.py", b"def one():\n    probe.get_ref().is_empty()\n")
    words = Document(
        "src/words.py", b"def two():\n    probe = get_ref\n    return probe is get_ref\n"
    )
    for document in (code, words):
        engine.update(document)
    assert engine.settled(60)
    first = ask(engine, "probe.get_ref().is").hits[0]
    assert first.node.name == "one"
    assert first.explanation().reasons[0] == "the only place with probe.get_ref().is"
    for document in (code, words):
        engine.release(document.path)


def test_a_path_of_which_a_file_has_the_name_alone_is_a_text_first(engine: Engine) -> None:
    module = Document("zoo.mod", b"module zoo\n")
    sums = Document("sums.txt", b"wombat v1.2.3/zoo.mod h1:abc\nbilby v1.0.0 h1:def\n")
    for document in (module, sums):
        engine.update(document)
    assert engine.settled(60)
    assert ask(engine, "v1.2.3/zoo.mod").hits[0].node.path == "sums.txt"
    first = ask(engine, "habitat/zoo.mod").hits[0]
    assert (first.node.path, first.explanation().reasons[0]) == ("zoo.mod", "named zoo.mod")
    assert ask(engine, "./zoo.mod").hits[0].explanation().reasons[0] == "its path"
    for document in (module, sums):
        engine.release(document.path)


def test_plain_words_that_are_nowhere_together_are_each_found(engine: Engine) -> None:
    reasons = [hit.explanation().reasons[0] for hit in ask(engine, "decimal zanzibar").hits[:2]]
    assert sorted(reasons) == ["the only place with decimal", "the only place with zanzibar"]


def test_a_word_in_another_case_is_found_among_many_of_its_stem(engine: Engine) -> None:
    rows = "".join(f"def f{i}():\n    return bar\n\n\n" for i in range(70))
    code = Document("src/bars.py", f"{rows}def other():\n    return 'barring this'\n".encode())
    engine.update(code)
    assert engine.settled(60)
    first = ask(engine, "BARRING").hits[0]
    assert first.explanation().reasons[0] == "the only place with BARRING, in another case"
    assert first.node.name == "other"
    engine.release(code.path)


def test_a_word_that_only_joined_names_have_is_found_and_not_denied(engine: Engine) -> None:
    uses = "".join(f"def press_{i}():\n    return keys.AltWombate\n\n\n" for i in range(9))
    code = Document("src/keys.py", uses.encode())
    engine.update(code)
    assert engine.settled(60)
    for text in ("altwombate", "press altwombate"):
        answer = ask(engine, text)
        assert answer.hits[0].node.path == code.path, text
        assert not any("not in this folder" in note for note in answer.notes), text
        assert any("AltWombate" in reason for reason in answer.hits[0].explanation().reasons), text
    engine.release(code.path)


def test_a_word_in_no_node_is_found_or_named_and_not_denied(engine: Engine) -> None:
    licence = "# Copyright 1987 Quagga Authors\n#\n# All rights reserved.\n\n\n"
    code = Document("src/quagga.py", f"{licence}def graze():\n    return 1\n".encode())
    script = Document("src/run.sh", b"#!/opt/numbatshell\necho 1\n")
    for document in (code, script):
        engine.update(document)
    assert engine.settled(60)
    for text in ("1987", "Copyright 1987 Quagga Authors", "how are quagga authors named"):
        answer = ask(engine, text)
        assert not any("not in this folder" in note for note in answer.notes), text
    assert ask(engine, "1987").hits[0].node.path == code.path
    answer = ask(engine, "numbatshell")
    named = "`numbatshell` is in no definition, but in src/run.sh:1" in answer.notes
    assert named or answer.hits[0].node.path == script.path
    assert "`zebracrossing` is not in this folder" in ask(engine, "zebracrossing").notes
    for document in (code, script):
        engine.release(document.path)


def test_where_a_word_is_outside_of_nodes_is_not_said_before_all_is_read() -> None:
    note = InNoNode("numbat", ("src/run.sh:1",))
    assert str(note) == "`numbat` is in no definition, but in src/run.sh:1"
    results = Results("numbat", (), False, 1, 0.0, 0, (note,))
    assert so_far(results, Reading(10, 300)).notes == ()


def test_the_only_place_is_claimed_of_the_files_that_were_looked_at(tmp_path: Path) -> None:
    (tmp_path / "burrow.py").write_text("def dig():\n    return 'bilby'\n")
    (tmp_path / "rows.json").write_text(
        "[\n" + '{"id": 1, "value": [1, 2, 3]},\n' * 100_000 + "2]\n"
    )
    with closing(Engine.open(tmp_path, settings_from({}))) as engine:
        assert engine.settled(60)
        reasons = ask(engine, "bilby").hits[0].explanation().reasons
    assert reasons[0] == "the only place with bilby but for data and large files"


def test_a_glob_that_no_file_has_is_a_text(engine: Engine) -> None:
    engine.update(Document("ignored.txt", b"build/\n*.wombat~\nout/*.hhk\n"))
    assert engine.settled(60)
    for text in ("out/*.hhk", "*.hhk"):
        answer = ask(engine, text)
        assert answer.hits[0].node.path == "ignored.txt", text
        assert f"no file is called so: searched for the text '{text}'" in answer.notes
    assert not [note for note in ask(engine, "sh*/*.py").notes if "path" in note]
    engine.release("ignored.txt")


def test_what_was_typed_a_moment_ago_is_a_fact(engine: Engine) -> None:
    engine.update(Document("tests/test_new.py", b"def test_it():\n    typedjustnow = 1\n"))
    assert engine.settled(60)
    answer = ask(engine, "typedjustnow")
    assert answer.hits[0].node.path == "tests/test_new.py"
    assert answer.confidence_word == "exact"
    engine.release("tests/test_new.py")


def test_filters_come_before_facts(engine: Engine) -> None:
    paths = [hit.node.path for hit in ask(engine, "quirkyvalue -path:tests").hits]
    assert not any(path.startswith("tests/") for path in paths)


def test_a_test_with_both_words_comes_before_code_with_one(engine: Engine) -> None:
    answer = ask(engine, "shelf parcels")
    assert answer.hits[0].node.name == "test_shelf"
    assert answer.hits[0].explanation().reasons[0] == "the only place with shelf and parcels"


def test_a_sign_is_no_word_that_a_place_has(engine: Engine) -> None:
    reasons = ask(engine, "quirkyvalue.make_cart(_:)").hits[0].explanation().reasons
    assert reasons[0] == "the only place with quirkyvalue and make_cart"


def test_places_of_a_phrase_come_first_also_where_they_are_many(engine: Engine) -> None:
    answer = ask(engine, "shelf is taken")
    assert {hit.node.path for hit in answer.hits[:7]} == {"lib/locks.py"}
    reasons = answer.hits[0].explanation().reasons
    assert reasons[0] == "one of 7 places with shelf is taken"
    assert answer.confidence_word == "likely"


def test_what_a_module_passes_on_comes_before_what_mentions_it(engine: Engine) -> None:
    hits = ask(engine, "pkg.objects.Marker").hits
    assert (hits[0].node.path, hits[0].node.name) == ("pkg/_core.py", "Marker")
    assert hits[0].explanation().reasons[0] == "defines Marker"


def test_words_of_a_name_in_one_place_are_not_the_name(engine: Engine) -> None:
    assert ask(engine, "self items rates").confidence_word == "exact"
    assert ask(engine, "self.items.rates").confidence_word != "exact"


def test_the_one_place_of_a_form_is_not_what_a_question_is_about(engine: Engine) -> None:
    """Unlike a word typed alone, which asks for its place."""
    assert ask(engine, "reloading").hits[0].node.path == "docs/reload.md"
    for hit in ask(engine, "code reloading").hits:
        assert not any(signal.signal == "exact_match" for signal in hit.why)


def test_what_is_in_many_places_is_no_fact(engine: Engine) -> None:
    for hit in ask(engine, "sum the prices of a cart").hits:
        assert not any(signal.signal == "exact_match" for signal in hit.why)


def test_the_same_text_in_two_files_is_one_hit_with_two_places(engine: Engine) -> None:
    hits = [hit for hit in ask(engine, "merge_baskets").hits if hit.node.name == "merge_baskets"]
    [hit] = hits
    places = [hit.node.path, *(copy.path for copy in hit.copies)]
    assert sorted(places) == ["first/copied.py", "second/copied.py"]


def test_words_that_are_everywhere_ask_for_more(engine: Engine) -> None:
    answer = ask(engine, "the of and")
    assert not answer.hits and "add a name" in answer.notes[0]


def test_all_definitions_of_a_name_come_before_a_test_of_it(engine: Engine) -> None:
    kinds = [hit.node.kind for hit in ask(engine, "lastSeen").hits[:3]]
    assert kinds[2] == "test" and "test" not in kinds[:2]
    assert {hit.node.span.start_line for hit in ask(engine, "lastSeen").hits[:2]} == {1, 5}


def test_a_word_that_letter_case_splits_is_found_in_any_case(tmp_path: Path) -> None:
    """Among many files that have its parts."""
    for i in range(160):
        (tmp_path / f"part_{i}.go").write_text("package parts\n\nvar c, h = 2, 2\n")
    text = "package proxy\n\nfunc Listen(o Options) { if o.UseH2C { listenPlain(o) } }\n"
    (tmp_path / "serve.go").write_text(text)
    engine = Engine.open(tmp_path, settings_from({"index.persist": False}))
    assert engine.settled(60)
    hit = ask(engine, "useh2c").hits[0]
    engine.close()
    assert hit.node.name == "Listen"
    assert hit.explanation().reasons[0] == "the only place with useh2c, in another case"


def test_forms_of_three_words_in_a_sample_are_no_fact_about_it(engine: Engine) -> None:
    assert ask(engine, "fake network delay").hits[0].node.name == "network_delay"


def test_what_says_that_it_is_generated_comes_after_what_is_written_by_hand(
    engine: Engine,
) -> None:
    """However much stands below that head; what only prints one is written by hand."""
    table = "".join(f"FIELD_{i} = {i}\n" for i in range(100))
    head = f"# Code generated by wiremaker. DO NOT EDIT.\n\nimport wire\n\n{table}\n\n"
    printed = 'import wire\n\nHEAD = "generated by wiremaker, do not edit"\n\n\n'
    body = "def weigh_sealed_parcel(parcel):\n    return wire.weigh(parcel, {})\n"
    files = ("lib/one.py", "lib/two.py")
    for generated, by_hand in (files, files[::-1]):
        engine.update(Document(generated, (head + body.format(1)).encode()))
        engine.update(Document(by_hand, (printed + body.format(2)).encode()))
        hits = ask(engine, "weigh a sealed parcel").hits
        assert [hit.node.path for hit in hits[:2]] == [by_hand, generated]
    for path in files:
        engine.release(path)


ROW = "price;rates;items;return"


def test_every_front_leads_to_the_line_of_a_word_below_the_first_ones(tmp_path: Path) -> None:
    numbers = "".join(f"{n}_{n * n:x}\n" for n in range(9_000))
    (tmp_path / "table.tok").write_text(f"head\n{numbers}7_Quokka 4\n7_Quokka 5\n{ROW}\n")
    (tmp_path / "code.py").write_text("def price(rates, items):\n    return rates * items\n")
    engine = Engine.open(tmp_path, settings_from({"index.persist": False}))
    try:
        assert engine.settled(60)
        for query, reason in (
            ("7_Quokka", "the first of 2 lines here with 7_Quokka"),
            ("7_quokka", "the first of 2 lines here with 7_quokka, in another case"),
            ("7_Quokka 4", "the only place with 7_Quokka 4"),
            ("table.tok:9002", "line 9,002 of its path"),
            ("`7_Quokka`", "the first of 2 lines here with 7_Quokka"),
        ):
            answer = call(engine, "search", {"query": query, "snippet_lines": 3})
            hit = answer["hits"][0]
            assert (hit["start_line"], hit["end_line"]) == (9_002, 9_002), query
            assert (hit["name"], hit["ref"]) == ("table:9002", "table.tok:9002")
            assert (hit["line"], hit["reasons"][0]) == ("7_Quokka 4", reason)
            assert hit["snippet"] == [{"line": 9_002, "text": "7_Quokka 4"}]
            assert not [note for note in answer["notes"] if "not in this folder" in note]
        read = call(engine, "read_node", {"path": "table.tok:9003"})
        assert (read["first_line"], read["text"]) == (9_003, f"7_Quokka 5\n{ROW}")
        # A function has all its words.
        row = call(engine, "search", {"query": ROW})["hits"][0]
        assert (row["ref"], row["reasons"][0]) == (
            "table.tok:9004",
            "the only place with this line",
        )
        explained = call(engine, "explain", {"query": "7_Quokka", "path": "table.tok:9002"})
        assert (explained["rank"], explained["start_line"]) == (1, 9_002)
        with pytest.raises(SettingsError, match="no indexed code"):
            call(engine, "explain", {"query": "7_Quokka", "path": "table.tok:9001"})
    finally:
        engine.close()
