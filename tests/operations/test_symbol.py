"""The tool `symbol`: definitions by name and place, and what it says of them."""

from __future__ import annotations

import pytest

from packhound.core.errors import SettingsError
from packhound.core.settings_reader import settings_from
from packhound.service import Engine
from tests.support.operations import as_text, call

SECRET = "ghp_" + "a1B2c3D4e5" * 3 + "f6G7h8"
FILES = {
    "shop/cart.py": "class Cart:\n    def total(self):\n        return add(1)\n\n\n"
    "def add(amount):\n    return amount\n",
    "shop/pay.py": (
        "from shop.cart import Cart\n\n\ndef pay(cart: Cart):\n    return cart.total()\n"
    ),
    "shop/blind.py": "def guess(thing):\n    return thing.total()\n",
    "shop/post.py": "class Till:\n    def send(self, letter):\n        return letter\n\n"
    "def post(thing):\n    thing.send(1, 2, 3)\n    thing.send()\n",
    "docs/rates.md": "let tax_share be the share of the tax\n",
    "shop/rates.py": "def rates():\n    log(tax_share)\n    tax_share = 3\n    return tax_share\n",
    "shop/till.py": f"def till():\n    api_token = '{SECRET}'\n" + "    print(api_token)\n" * 11,
    "tests/test_pay.py": ("from shop.pay import pay\n\n\ndef test_pay():\n    assert pay(None)\n"),
}


@pytest.fixture(scope="module")
def shop(tmp_path_factory):
    root = tmp_path_factory.mktemp("shop")
    for path, source in FILES.items():
        (root / path).parent.mkdir(exist_ok=True)
        (root / path).write_text(source)
    engine = Engine.open(root, settings_from({"index.persist": False}))
    assert engine.settled(60)
    yield engine
    engine.close()


@pytest.mark.parametrize(
    "name", ["Cart.total", "total", "shop/cart.py:2", "shop/cart.py#Cart.total", "total()"]
)
def test_a_definition_has_its_callers_callees_and_tests(shop, name):
    answer = call(shop, "symbol", {"name": name})
    assert answer["qualname"] == "Cart.total"
    callers = [(row["qualname"], row["line"], row["grade"]) for row in answer["callers"]]
    assert callers == [("pay", 5, "resolved"), ("guess", 2, "possible")]
    assert [row["qualname"] for row in answer["callees"]] == ["add"]
    (test,) = answer["tests"]
    assert (test["qualname"], test["distance"]) == ("test_pay", 2)


def test_tests_are_looked_for_one_call_further_than_other_callers(shop):
    assert not call(shop, "symbol", {"name": "add"})["tests"]
    answer = call(shop, "symbol", {"name": "add", "distance": 2})
    assert [(row["qualname"], row["distance"]) for row in answer["tests"]] == [("test_pay", 3)]
    assert {row["distance"] for row in answer["callers"]} == {1, 2}


def test_text_marks_what_only_the_name_says(shop):
    text = as_text("symbol", call(shop, "symbol", {"name": "total"}))
    assert text.splitlines() == [
        "shop/cart.py:2-3 method Cart.total",
        "2\t    def total(self):",
        "3\t        return add(1)",
        "called or used by:",
        "  shop/pay.py:4-5 function pay(cart: Cart) (line 5) | return cart.total()",
        "  shop/blind.py:1-2 function guess(thing) (line 2, possible) | return thing.total()",
        "calls or uses:",
        "  shop/cart.py:6-7 function add(amount) (line 3)",
        "tests that reach it:",
        "  tests/test_pay.py:4-5 test test_pay() (2 calls away, line 5)",
    ]


def test_where_no_caller_is_known_the_lines_with_the_name_are_shown(shop):
    text = as_text("symbol", call(shop, "symbol", {"name": "Till.send"}))
    assert text.splitlines()[3:] == [
        "called or used by nothing that is known; 2 lines use this name:",
        "  shop/post.py:6 | thing.send(1, 2, 3)",
        "  shop/post.py:7 | thing.send()",
    ]
    text = as_text("symbol", call(shop, "symbol", {"name": "guess"}))
    assert "called or used by nothing that is known; no line uses this name" in text


def test_distance_follows_calls(shop):
    answer = call(shop, "symbol", {"name": "add", "distance": 2})
    rows = [(row["qualname"], row["distance"]) for row in answer["callers"]]
    assert rows == [("Cart.total", 1), ("pay", 2), ("guess", 2)]


@pytest.mark.parametrize("name", ["nowhere", "shop/none.py:1", "Cart.nothing"])
def test_an_unknown_name_is_named_with_the_remedy(shop, name):
    with pytest.raises(SettingsError, match=f"no definition of '{name}' is indexed; give a name"):
        call(shop, "symbol", {"name": name})


def refusal(engine, name):
    with pytest.raises(SettingsError) as refused:
        call(engine, "symbol", {"name": name})
    return str(refused.value).splitlines()


def test_of_a_name_without_an_indexed_definition_the_lines_are_shown(shop):
    assert refusal(shop, "Rates.tax_share")[1:] == [
        "4 lines have 'tax_share', in 2 files:",
        "  shop/rates.py:3 | tax_share = 3",
        "  docs/rates.md:1 | let tax_share be the share of the tax",
        "  shop/rates.py:2 | log(tax_share)",
        "  shop/rates.py:4 | return tax_share",
    ]
    assert refusal(shop, "nowhere")[1:] == ["no line has 'nowhere'"]
    assert refusal(shop, "shop/none.py:1")[1:] == []


def test_of_many_lines_with_a_name_the_others_are_counted_and_no_secret_is_shown(shop):
    lines = refusal(shop, "api_token")
    assert lines[1] == "12 lines have 'api_token', in 1 file:" and len(lines) == 11
    assert lines[2].startswith("  shop/till.py:2 | api_token = ") and SECRET not in "".join(lines)
    assert lines[-1] == "  ... 4 more by grep"


def test_a_definition_with_the_name_of_its_file_is_what_the_name_means(tmp_path):
    (tmp_path / "Bag.ts").write_text(
        "import { a } from './a'\n\nexport class Bag {\n  pick() {}\n}\n"
    )
    (tmp_path / "a.ts").write_text("console.log('a')\n")
    engine = Engine.open(tmp_path, settings_from({"index.persist": False}))
    try:
        assert engine.settled(60)
        assert call(engine, "symbol", {"name": "Bag.ts#Bag"})["kind"] == "class"
        hits = [
            call(engine, "search", {"query": q})["hits"][0] for q in ("Bag.ts:1", "Bag", "a.ts")
        ]
    finally:
        engine.close()
    assert [hit["ref"] for hit in hits] == ["Bag.ts:1", "Bag.ts#Bag", "a.ts#a"]


def opened(folder, files):
    for path, source in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(source)
    engine = Engine.open(folder, settings_from({"index.persist": False}))
    assert engine.settled(60)
    return engine


POOL = "package pool\n\n{0} object Pool {{\n  {1}fun put(item: Int){2}\n}}\n"
NAMED = {
    "till.js": "class Till { open() { return 1 } shut() { return 2 } }\n",
    "money.R": "print.money <- function(x) {\n  cat(x)\n}\nshow.it <- function(o) print.money(o)\n",
    "git.sh": "git::branch() {\n  echo x\n}\n",
    "shapes/Shape.kt": "interface Shape {\n  data class Circle(val r: Double) : Shape\n}\n",
    "shapes/Circle.kt": "class Circle(val shape: Shape)\n",
    "common/Pool.kt": POOL.format("expect", "", ""),
    "common/Use.kt": "package pool\n\nfun use() {\n  Pool.put(1)\n}\n",
    "jvm/Pool.kt": POOL.format("actual", "actual ", " {\n    keep(item)\n  }"),
    "later.lua": "local M = {}\nfunction M.later(f)\n  return f()\nend\nreturn M\n",
    "a.lua": "local l = require('later')\nfunction go()\n  l.later(print)\nend\n",
    "b.lua": "local later = registry('later').later\nreturn later(print)\n",
    "soon.lua": "local M = {}\nfunction M.soon(f)\n  return f()\nend\nreturn M\n",
    "c.lua": "local near = require('soon').soon\nfunction run()\n  near(print)\nend\n",
    "Ring.hs": "module Ring where\nclass Shape s where\n  area :: s -> Int\ndata Ring = Ring\n"
    'instance Show Ring where\n  show _ = ""\ninstance Shape Ring where\n  area _ = 1\n',
    "loud.dart": "extension Loud on String {\n  String twice() {\n    return this + this;\n  }\n}\n"
    "external int add(int a);\nexternal int get most;\n",
    "talk.dart": "import 'loud.dart';\nvoid talk() {\n  Loud('x').twice();\n  add(most);\n}\n",
}


@pytest.fixture(scope="module")
def named(tmp_path_factory):
    engine = opened(tmp_path_factory.mktemp("named"), NAMED)
    yield engine
    engine.close()


@pytest.mark.parametrize("name", ["open", "Till.open", "till.js#open", "till.js#Till.open"])
def test_of_two_definitions_that_begin_on_one_line_the_named_one_is_shown(named, name):
    assert call(named, "symbol", {"name": name})["qualname"] == "Till.open"
    if "#" in name:
        assert call(named, "read_node", {"path": name})["qualname"] == "Till.open"


def test_a_column_chooses_among_the_definitions_of_a_line(named):
    answers = [
        call(
            named, "symbol", {"name": "till.js", "line": 1, "column": NAMED["till.js"].index(w) + 1}
        )
        for w in ("Till", "open", "shut")
    ]
    assert [each["qualname"] for each in answers] == ["Till", "Till.open", "Till.shut"]


@pytest.mark.parametrize("name", ["print.money", "git::branch", "money.R#print.money"])
def test_a_dot_or_colons_can_be_of_the_name_itself(named, name):
    assert call(named, "symbol", {"name": name})["name"] == name.rpartition("#")[2]


def test_a_whole_qualified_name_comes_before_a_name_in_a_file_that_has_its_owner(named):
    answer = call(named, "symbol", {"name": "Shape.Circle"})
    assert (answer["path"], answer["qualname"]) == ("shapes/Shape.kt", "Shape.Circle")


@pytest.mark.parametrize(
    ("path", "grade"), [("common/Pool.kt", "resolved"), ("jvm/Pool.kt", "possible")]
)
def test_the_path_decides_and_calls_of_what_is_expected_may_reach_what_is_actual(
    named, path, grade
):
    answer = call(named, "symbol", {"name": f"{path}#Pool.put"})
    assert answer["path"] == path
    callers = [(row["path"], row["grade"]) for row in answer["callers"]]
    assert callers == [("common/Use.kt", grade)]
    assert len(answer["others"]) == 1


def test_beside_known_callers_the_lines_are_counted_where_the_name_means_nothing_known(named):
    text = as_text("symbol", call(named, "symbol", {"name": "later"}))
    assert text.splitlines()[4:] == [
        "called or used by:",
        "  a.lua:2-4 function go() (line 3) | l.later(print)",
        "2 further lines use this name; what it means there is not known:",
        "  b.lua:1 | local later = registry('later').later",
        "  b.lua:2 | return later(print)",
    ]


SIGNS = {
    "money.R": "print.money <- function(x) {\n  cat(x)\n}\n"
    "money <- function(o) {\n  print.money(o)\n}\n",
    "git.sh": "git::branch() {\n  do-it\n}\n\ndo-it() {\n  echo 1\n}\nmain() {\n  git::branch\n}\n",
    "lib/new.ex": "defmodule M.New do\n  def new(a), do: a\n\n  def new!(a), do: new(a)\n\n"
    "  def ok?(a), do: a!=new!(a)\nend\n",
    "lib/other.ex": "defmodule M.Other do\n  @spec new!(integer) :: integer\n"
    "  def new!(a), do: a\nend\n",
    "lib/use.ex": "defmodule M.Use do\n  alias M.New\n\n  def use(a), do: a |> New.ok?()\nend\n",
    "Fold.hs": "module Fold where\n\nfoldl' :: Int -> Int\nfoldl' x = x\n\n"
    "foldl :: Int -> Int\nfoldl x = foldl' x\n",
    "bag.rb": "class Bag\n  def empty?\n    true\n  end\n"
    "  def empty\n    1 if !empty?\n  end\nend\n",
    "form.dart": "class Form {\n  Form.raw(this.x);\n  const Form.fix(this.x);\n"
    "  Form.fromMap(int q) {\n    x = q;\n  }\n}\nvoid main() {\n  Form.fromMap(1);\n"
    "  Form.raw(2);\n}\n",
}


@pytest.fixture(scope="module")
def signs(tmp_path_factory):
    engine = opened(tmp_path_factory.mktemp("signs"), SIGNS)
    yield engine
    engine.close()


@pytest.mark.parametrize(
    ("name", "line", "callers"),
    [
        *(("print.money", 1, ["money"]), ("money", 4, []), ("git::branch", 1, ["main"])),
        *(("do-it", 5, ["git::branch"]), ("M.New.new", 2, ["M.New.new!"])),
        *(
            ("M.New.new!", 4, ["M.New.ok?"]),
            ("M.New.ok?", 6, ["M.Use.use"]),
            ("foldl'", 3, ["foldl"]),
            ("foldl", 6, []),
        ),
        *(("empty?", 2, ["Bag::empty"]), ("Bag#empty", 5, [])),
        *(("Form.fromMap", 4, ["main"]), ("Form.raw", 2, ["main"]), ("Form.fix", 3, [])),
    ],
)
def test_signs_of_a_name_are_part_of_it_where_it_is_defined_and_used(signs, name, line, callers):
    answer = call(signs, "symbol", {"name": name})
    assert (answer["start_line"], [row["qualname"] for row in answer["callers"]]) == (line, callers)
    assert answer["name"].endswith(name.rpartition(".")[2].rpartition("#")[2])
    assert answer["totals"]["mentions"] == 0


MODULES = {
    "lib/Tree/Walker.php": "<?php\nnamespace Acme\\Tree;\n\nclass Walker {\n"
    "    public function walk($node) { return $node; }\n}\n",
    "shop/_core/plot.py": "class Plot:\n    def add(self, mark):\n        return mark\n",
    "shop/objects.py": "from shop._core.plot import Plot\n",
    "Sources/Queue.swift": "final class Queue {\n    func read(sql text: String) -> Int {\n"
    "        return 1\n    }\n}\n",
}


@pytest.mark.parametrize(
    ("name", "qualname"),
    [
        *(("Acme\\Tree\\Walker::walk", "Walker.walk"), ("\\Acme\\Tree\\Walker", "Walker")),
        *(("shop._core.plot.Plot.add", "Plot.add"), ("Queue.read(sql:)", "Queue.read")),
        *(("shop.objects.Plot.add", "Plot.add"), ("shop.objects.Mark", "")),
        *(("Other\\Tree\\Walker::walk", ""), ("shop.other.Plot.add", "")),
    ],
)
def test_a_name_may_begin_with_the_module_or_namespace_of_its_file(tmp_path, name, qualname):
    engine = opened(tmp_path, MODULES)
    try:
        if qualname:
            assert call(engine, "symbol", {"name": name})["qualname"] == qualname
        else:
            with pytest.raises(SettingsError, match="no definition of"):
                call(engine, "symbol", {"name": name})
    finally:
        engine.close()


@pytest.mark.parametrize("name", ["Cart", "shop/cart.py#Cart"])
def test_a_type_is_used_and_not_called(shop, name):
    text = as_text("symbol", call(shop, "symbol", {"name": name}))
    assert "\nused by:\n" in text and "called" not in text


def test_the_instances_of_a_type_are_its_uses_and_those_of_a_class_implement_it(named):
    ring = call(named, "symbol", {"name": "Ring.hs#Ring"})
    assert (ring["kind"], [row["qualname"] for row in ring["callers"]]) == (
        "type",
        ["Show Ring", "Shape Ring"],
    )
    shape = call(named, "symbol", {"name": "Ring.hs#Shape"})
    assert [row["qualname"] for row in shape["implementations"]] == ["Shape Ring"]


@pytest.mark.parametrize("name", ["Loud", "Loud.twice", "add", "most"])
def test_extensions_and_external_functions_of_dart_are_definitions(named, name):
    answer = call(named, "symbol", {"name": f"loud.dart#{name}"})
    assert (answer["qualname"], [row["qualname"] for row in answer["callers"]]) == (name, ["talk"])


def test_a_field_of_a_module_of_lua_is_imported(named):
    callers = call(named, "symbol", {"name": "M.soon"})["callers"]
    rows = [(row["path"], row["qualname"], row["line"], row["grade"]) for row in callers]
    assert rows == [("c.lua", "run", 3, "resolved")]
