"""Maps: what others use comes first, within the budget, with what is left out, the same always."""

from __future__ import annotations

import json
from itertools import pairwise

import pytest

from packhound.llm.counter import counter_for
from packhound.pack.pipeline import pack
from packhound.pack.request import FORMATS, PackFocus, PackRequest
from tests.support.pack_check import context_of

COUNT = counter_for().count
BRANCHES = {
    f"branch_{n}/{name}.py": text
    for n in range(20)
    for name, text in {
        "base": f"class Base{n}:\n    def grow_{n}(self):\n        return {n}\n",
        "leaf": f"from branch_{n}.base import Base{n}\n\n\ndef leaf_{n}():\n    return Base{n}()\n",
    }.items()
}
CORE = {
    "core.py": 'def shared_core(key="AKIAQ3EGR7XNVPT2LK4M"):\n    return key\n\n\n'
    "def unused_in_core():\n    return 2\n",
    **{
        f"user_{n}.py": f"from core import shared_core\n\n\ndef user_{n}():\n    shared_core()\n"
        for n in range(10)
    },
    "main.py": "from seldom import used_once\n\n\ndef main():\n    used_once()\n",
    "seldom.py": "def used_once():\n    return 3\n",
    "tests/test_core.py": "def helper_of_tests():\n    return 1\n\n\n"
    + "".join(f"def test_{n}():\n    helper_of_tests()\n" for n in range(30)),
}


@pytest.fixture(scope="module")
def branches():
    return context_of(BRANCHES)


def mapped(context, budget: int, **fields):
    return pack(context, PackRequest("", budget, map=True, **fields))


def test_what_others_use_comes_first():
    items = mapped(context_of(CORE), 2_000).items
    assert (items[0].path, items[0].reason) == ("core.py", "used in 10 other files")
    paths = [item.path for item in items]
    assert paths.index("seldom.py") < paths.index("tests/test_core.py")
    one = mapped(context_of(CORE), 70)
    assert "shared_core" in one.text and "unused_in_core" not in one.text
    assert "AKIAQ3EGR7XNVPT2LK4M" not in one.text and "REDACTED" in one.text


def test_a_member_stands_below_what_it_is_within(branches):
    for n in range(40, 400, 7):
        lines = mapped(branches, n).text.splitlines()
        for before, line in pairwise(lines):
            assert "  def grow_" not in line or "class Base" in before


@pytest.mark.parametrize("form", FORMATS)
def test_no_map_exceeds_its_budget_and_each_says_what_it_leaves_out(branches, form):
    sizes = []
    for budget in range(1, 1_500, 41):
        packed = mapped(branches, budget, format=form)
        assert packed.tokens == COUNT(packed.text) <= budget
        n_shown = len(packed.items)
        sizes.append(n_shown)
        if packed.text and n_shown < 60:
            assert f"{60 - n_shown} of 60 definitions" in packed.text
        elif packed.text:
            assert "of 60 definitions" not in packed.text
        else:
            assert any("raise the budget" in note for note in packed.notes)
    assert sizes == sorted(sizes) and sizes[-1] == 60


def test_open_pinned_and_prompted_files_bring_what_they_use(branches):
    assert "Base17" not in mapped(branches, 100).text
    focus = PackFocus("branch_17/leaf.py", open_paths=("branch_9/leaf.py",))
    near = mapped(branches, 100, focus=focus).text
    assert "Base17" in near and "Base9" in near
    assert "Base17" in mapped(branches, 100, pinned=("branch_17/leaf.py",)).text
    core = context_of(CORE)
    assert "used_once" not in mapped(core, 55).text
    assert "used_once" in pack(core, PackRequest("seldom", 55, map=True)).text


def test_equal_folders_have_equal_maps(branches):
    again = context_of(dict(reversed(BRANCHES.items())))
    assert mapped(again, 500).text == mapped(branches, 500).text


def test_excluded_files_are_not_shown_and_json_has_definitions_by_file(branches):
    packed = mapped(branches, 5_000, excluded=("*/leaf.py",), format="json")
    rows = json.loads(packed.text)["files"]
    assert len(rows) == 20 and all(row["path"].endswith("base.py") for row in rows)
    assert rows[0]["definitions"][0].startswith("1: class Base")


def test_overloads_and_constructors_stand_for_one_definition():
    source = (
        "class Cart {\n  Cart() {}\n  Cart(int n) {}\n"
        "  void add(int sku) {}\n  void add(String sku) {}\n}\n"
    )
    use = "class Shop { Cart open() { return new Cart(); } }\n"
    packed = mapped(context_of({"Cart.java": source, "Shop.java": use}), 1_000)
    assert [item.start_line for item in packed.items if item.path == "Cart.java"] == [0, 3]
    assert packed.items[0].reason == "used in 1 other file"


def test_a_folder_without_definitions_says_so():
    packed = mapped(context_of({"notes.md": "# A heading\n\nsome text\n"}), 500)
    assert packed.text == "" and "nothing is defined" in packed.notes[-1]
