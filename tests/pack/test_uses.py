"""Uses of what a prompt is about: callers line by line, registrations, overridden methods."""

from __future__ import annotations

import pytest

from packhound.pack.opening import add_opening
from packhound.pack.pipeline import pack
from packhound.pack.request import PackRequest
from tests.support.pack_check import context_of

_LONG = "".join(f"    total += weigh(basket, {n}, 'a line of its own')\n" for n in range(40))
_SHOP = {
    "shop/prices.py": "def price_of(sku):\n    return {'apple': 30}[sku]\n",
    **{
        f"shop/till_{n}.py": f"from shop.prices import price_of\n\n\n"
        f"def ring_up_{n}(basket):\n    total = price_of('pear_{n}')\n{_LONG}    return total\n"
        for n in range(8)
    },
}


def packed(files: dict[str, str], prompt: str, budget: int = 2_500):
    request = PackRequest(prompt, budget)
    return add_opening(pack(context_of(files), request), request)


def test_a_change_has_each_caller_by_its_line_at_least_and_says_how_many() -> None:
    text = packed(_SHOP, "rename price_of to cents_of").text
    assert all(f"total = price_of('pear_{n}')" in text for n in range(8))
    n_whole = text.count("return total")
    assert n_whole < 8
    said = text.splitlines()[1]
    assert said.startswith("known users of `price_of`: 16, of which ")
    assert said.endswith(f" whole and {16 - n_whole} by their lines")


def test_a_change_says_in_how_many_files_with_the_name_no_users_were_sought() -> None:
    used = "from prices import price_of\n"
    files = {"prices.py": "def price_of(sku):\n    return sku\n"}
    said = [
        packed(
            files | {f"till_{i}.py": used for i in range(n)}, "rename price_of to cents_of"
        ).text.splitlines()[1]
        for n in (300, 302)
    ]
    unread = "; files with the name not searched for users: "
    assert said[0].startswith("known users of `price_of`: 300, ") and unread not in said[0]
    assert said[1].startswith("known users of `price_of`: 300, ") and f"{unread}2" in said[1]


def test_an_addition_has_the_overridden_methods_and_where_the_example_is_registered() -> None:
    filler = "".join(f"    setting_{n} = 'nothing of it matters here'\n" for n in range(200))
    files = {
        "export/base.py": "class Base:\n    def write_rows(self, rows):\n"
        "        raise NotImplementedError\n\n    def helper(self):\n        return 'unrelated'\n",
        "export/csv.py": "from export.base import Base\n\n\nclass CsvExporter(Base):\n"
        "    def write_rows(self, rows):\n        return ','.join(rows)\n",
        "export/table.py": "from export.csv import CsvExporter\n\nEXPORTERS = {\n"
        f"    'csv': CsvExporter,\n}}\n\n\nclass Settings:\n{filler}",
    }
    made = pack(context_of(files), PackRequest("add an exporter like CsvExporter for XML", 2_000))
    edges = {origin.path[1:] for item in made.items for origin in item.origins}
    assert ("overrides",) in edges
    assert "raise NotImplementedError" in made.text and "'csv': CsvExporter" in made.text


def test_an_explanation_has_the_files_of_callers_before_those_of_callees() -> None:
    files = {
        "a_melt.py": "def melt_ore(ore):\n    return [ore, 'melted']\n",
        "b_mine.py": "from c_crush import crush_ore\n\n\ndef mine_ore(hill):\n"
        "    ore = hill.ore\n    return crush_ore(ore)\n",
        "c_crush.py": "from a_melt import melt_ore\n\n\ndef crush_ore(ore):\n"
        "    parts = ore.parts\n    return melt_ore(parts)\n",
    }
    text = packed(
        files, "how is ore mined, crushed and melted: mine_ore, crush_ore, melt_ore?"
    ).text
    assert text.splitlines()[1] == "callers before callees: `mine_ore`, `crush_ore`, `melt_ore`"
    places = [text.index(f"### {path}") for path in ("b_mine.py", "c_crush.py", "a_melt.py")]
    assert places == sorted(places)


def test_a_fix_follows_what_a_suspect_calls_one_step_further() -> None:
    files = {
        "stove.py": "from pan import fry\n\n\ndef cook_omelette(eggs):\n    return fry(eggs)\n",
        "pan.py": "from oil import pour\n\n\ndef fry(food):\n    return pour(food)\n",
        "oil.py": "def pour(what):\n    ladle = [what]\n    return ladle\n",
    }
    context = context_of(files)
    for budget in (2_000, 8_000):
        made = pack(context, PackRequest("fix cook_omelette: the omelette burns", budget))
        edges = {origin.path[1:] for item in made.items for origin in item.origins}
        assert (("leads to",) in edges) == (budget == 8_000)


def test_what_shares_but_a_name_with_what_is_called_does_not_come_along() -> None:
    files = {
        "shop/till.py": "def settle_bill(basket):\n    return weigh_all(basket)\n",
        "jars/jar.py": "class Jar:\n    def weigh_all(self):\n        return len(self.sweets)\n",
    }
    made = pack(context_of(files), PackRequest("settle_bill", 2_000))
    origins = [origin for item in made.items for origin in item.origins]
    assert origins and not [origin for origin in origins if origin.source == "graph"]


@pytest.mark.parametrize(
    ("files", "prompt", "name"),
    [
        (
            {
                "ui/bar.py": "class Bar:\n    def make_step(self, n):\n"
                "        self.begun = self.start + n\n        return self.begun\n",
                "ui/capture.py": "class Capture:\n    def start(self):\n        return 'open'\n",
            },
            "make_step of the bar",
            "Capture.start",
        ),
        (
            {
                "lib/dot.js": "class Dot {\n  constructor(runner) {\n"
                "    runner.on('pass', () => process.stdout.write('.'));\n  }\n}\n",
                "lib/html.js": "function on(el, event) {\n  el.listen(event);\n}\n"
                "class Html {\n  write(text) {\n    this.out += text;\n  }\n}\n",
            },
            "constructor of Dot",
            "on",
        ),
        (
            {
                "src/batch.php": "<?php\nclass Batch {\n  public function fill($items) {\n"
                "    return \\count($items);\n  }\n}\n",
                "src/node.php": "<?php\nclass Node {\n  public function count() {\n"
                "    return 1;\n  }\n}\n",
            },
            "fill of Batch",
            "Node.count",
        ),
    ],
)
def test_what_has_the_name_of_a_use_alone_is_not_said_to_be_used(
    files: dict[str, str], prompt: str, name: str
) -> None:
    made = pack(context_of(files), PackRequest(prompt, 2_000))
    assert [item for item in made.items if "used by" in item.reason and name in item.names] == []


def test_callers_come_before_callees_only_where_one_calls_the_other() -> None:
    files = {
        "kiln.py": "def fire_brick(brick):\n    shape = brick.dry_brick\n    return shape\n",
        "yard.py": "class Yard:\n    def dry_brick(self):\n        return 'in the sun'\n\n\n"
        "class Shed:\n    def dry_brick(self):\n        return 'in the wind'\n",
    }
    text = packed(files, "how do fire_brick and dry_brick treat a brick?").text
    assert "callers before callees" not in text


def test_a_change_tells_users_from_those_of_the_same_name_and_marks_what_may_be_one() -> None:
    long = "".join(f"    note(till, {n})\n" for n in range(60))
    files = {
        "shop/till.py": "class Till:\n    def ring_up(self, sku):\n        return sku\n\n\n"
        f"def close_shop(till: Till):\n    till.ring_up('first')\n{long}    till.ring_up('last')\n",
        "shop/phone.py": "class Phone:\n    def ring_up(self, number):\n        return number\n\n\n"
        f"def call_all(phone: Phone):\n    phone.ring_up('everyone')\n{long}",
        "shop/clerk.py": f"def serve(it):\n    it.ring_up('whatever it is')\n{long}",
    }
    text = packed(files, "Rename Till.ring_up to Till.enter", 1_500).text
    said = text.splitlines()[1]
    assert said.startswith("known users of `Till.ring_up`: 1 and 1 possible by the name alone")
    assert said.endswith("; other lines with the name: 1 (shop/phone.py:7)")
    shown = ("till.ring_up('first')", "till.ring_up('last')", "it.ring_up('whatever it is')")
    assert all(line in text for line in shown)


def test_a_change_has_the_users_of_each_definition_that_no_owner_tells_apart() -> None:
    files = {
        "src/poll.c": "#if WINDOWS\n#define shut_soon(h) want_end((h)->loop, (h))\n#endif\n"
        "void poll_shut(int* h) {\n  shut_soon(h);\n}\n",
        "src/unix/core.c": "void shut_soon(int* h) {\n  *h = 1;\n}\n\n"
        "void core_shut(int* h) {\n  shut_soon(h);\n}\n",
        "src/unix/sun.c": "void sun_shut(int* h) {\n  shut_soon(h);\n}\n",
    }
    text = packed(files, "Rename shut_soon to queue_shut with all its callers").text
    said = text.splitlines()[1]
    assert said.startswith("known users of `shut_soon`, which has 2 definitions: 3, of which 3")
    assert all(f"void {user}_shut" in text for user in ("poll", "core", "sun"))


def test_a_constant_that_is_no_definition_has_each_place_with_its_name() -> None:
    files = {
        "db/format.h": "namespace config {\nstatic const int kMaxFlushLevel = 2;\n}\n",
        "db/pick.cc": '#include "db/format.h"\nint PickLevel(int level) {\n'
        "  return level < config::kMaxFlushLevel ? level : config::kMaxFlushLevel;\n}\n",
        "db/other.cc": "void OtherLevel() {}\n",
    }
    text = packed(files, "Rename config::kMaxFlushLevel to config::kTopLevel everywhere").text
    said = text.splitlines()[1]
    assert said.startswith("places with `kMaxFlushLevel`, whose definition is not indexed: 2")
    assert "static const int kMaxFlushLevel = 2;" in text and "level : config::" in text
