"""The tool `changes`: what differs from a commit, unsaved text included, and what that touches."""

from __future__ import annotations

import os
import shutil
import sys
from difflib import unified_diff

import pytest

from packhound.core.errors import SettingsError
from packhound.core.settings_reader import settings_from
from packhound.core.types import Document
from packhound.service import Engine
from tests.support.git_repository import git
from tests.support.operations import as_text, call

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")

CART = "class Cart:\n    def total(self):\n        return 1\n\n\ndef empty():\n    return Cart()\n"
FILES = {
    "shop/cart.py": CART,
    "shop/pay.py": "from shop.cart import Cart\n\n\ndef pay(c: Cart):\n    return c.total()\n",
    "shop/tax.py": "RATE = 3\n",
    "tests/test_pay.py": "from shop.pay import pay\n\n\ndef test_pay():\n    pay(None)\n",
    "tests/test_other.py": "def test_other():\n    assert True\n",
    "notes.md": "# Notes\n\nNothing.\n",
}


@pytest.fixture
def shop(tmp_path):
    git(tmp_path, "init", "-q")
    for path, source in FILES.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(source)
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-qm", "one")
    for number in range(4):
        for path in ("shop/cart.py", "shop/tax.py"):
            (tmp_path / path).write_text(f"{FILES[path]}# {number}\n")
        git(tmp_path, "commit", "-qam", f"tax {number}")
    engine = Engine.open(tmp_path, settings_from({"index.persist": False}))
    assert engine.settled(60)
    yield engine
    engine.close()


def edit_total(engine, *, saved):
    path, text = "shop/cart.py", (engine.root / "shop/cart.py").read_text()
    text = text.replace("return 1", "return 2")
    if saved:
        (engine.root / path).write_text(text)
        engine.refresh()
    else:
        engine.update(Document(path, text.encode()))
    assert engine.settled(30)


@pytest.mark.parametrize("saved", [True, False])
def test_a_changed_definition_has_callers_tests_and_what_changes_with_it(shop, saved):
    edit_total(shop, saved=saved)
    answer = call(shop, "changes", {})
    (definition,) = answer["definitions"]
    assert (definition["qualname"], definition["lines"]) == ("Cart.total", [[3, 3]])
    assert [row["qualname"] for row in definition["callers"]] == ["pay"]
    assert answer["tests"][0]["path"] == "tests/test_pay.py"
    assert answer["tests"][0]["reasons"][0] == "2 calls away"
    assert answer["related"][0]["path"] == "shop/tax.py"
    assert answer["related"][0]["reasons"][0] == "in 4 of 4 commits"
    # The first commit, which has all files, is no habit.
    assert "commits" not in " ".join(answer["tests"][0]["reasons"])


def test_a_file_with_rare_words_of_the_changed_lines_may_change_too(shop):
    (shop.root / "web").mkdir()
    (shop.root / "web" / "checkout.js").write_text("function pay() { return surchargeRate; }\n")
    git(shop.root, "add", ".")
    git(shop.root, "commit", "-qm", "web")
    text = CART.replace("return 1", "return surcharge_rate")
    shop.update(Document("shop/cart.py", text.encode()))
    shop.refresh()
    assert shop.settled(30)
    (row,) = [r for r in call(shop, "changes", {})["related"] if r["path"] == "web/checkout.js"]
    assert row["reasons"][0] == "has words of the changed lines"


def test_a_base_further_back_has_more_changes(shop):
    edit_total(shop, saved=True)
    (shop.root / "notes.md").write_text("# Notes\n\nSomething.\n")
    shop.refresh()
    assert shop.settled(30)
    paths = {row["path"] for row in call(shop, "changes", {"base": "HEAD~2"})["definitions"]}
    assert {"shop/cart.py", "notes.md"} <= paths
    assert call(shop, "changes", {"base": "HEAD~2"})["files"] == [{"path": "shop/tax.py"}]


def test_text_says_what_is_changed_first(shop):
    edit_total(shop, saved=False)
    lines = as_text("changes", call(shop, "changes", {})).splitlines()
    assert lines[:3] == [
        "changed since HEAD:",
        "  shop/cart.py:2-3 method Cart.total (line 3)",
        "    used by shop/pay.py:4-5 function pay",
    ]
    assert lines[3:5][0] == "tests to run:" and "tests/test_pay.py (" in lines[4]


def test_where_room_is_short_a_definition_comes_before_its_users(shop):
    long = f"shop/{'of_many_letters_' * 14}.py"
    (shop.root / long).write_text(FILES["shop/pay.py"])
    git(shop.root, "add", ".")
    git(shop.root, "commit", "-qm", "long")
    shop.refresh()
    edit_total(shop, saved=False)
    answer = call(shop, "changes", {})
    assert long in as_text("changes", answer)
    text = as_text("changes", answer, {"max_tokens": 100})
    assert "Cart.total (line 3)" in text and "used by" not in text


def test_data_beside_tests_is_no_test_to_run(shop):
    (shop.root / "tests" / "test_pay.cnf").write_text("limit = 1\n")
    edit_total(shop, saved=True)
    shop.refresh()
    assert shop.settled(30)
    tests = [row["path"] for row in call(shop, "changes", {})["tests"]]
    assert "tests/test_pay.py" in tests and "tests/test_pay.cnf" not in tests


def test_a_helper_of_tests_is_no_test_to_run(shop):
    (shop.root / "tests" / "conftest.py").write_text(
        "from shop.pay import pay\n\n\ndef paid():\n    return pay(None)\n"
    )
    edit_total(shop, saved=True)
    shop.refresh()
    assert shop.settled(30)
    tests = [row["path"] for row in call(shop, "changes", {})["tests"]]
    assert "tests/test_pay.py" in tests and "tests/conftest.py" not in tests


def test_deleted_renamed_and_binary_files_are_changes(shop):
    (shop.root / "logo.png").write_bytes(b"\x89PNG\0")
    (shop.root / "shop" / "__init__.py").write_text("")
    git(shop.root, "add", ".")
    git(shop.root, "commit", "-qm", "logo")
    (shop.root / "logo.png").write_bytes(b"\x89PNG\0\0")
    (shop.root / "shop" / "tax.py").unlink()
    git(shop.root, "mv", "shop/pay.py", "shop/paying.py")
    shop.refresh()
    assert shop.settled(30)
    answer = call(shop, "changes", {})
    assert answer["deleted"] == [{"path": "shop/tax.py"}]
    assert answer["files"] == [{"path": "logo.png"}]
    assert answer["renamed"] == [{"path": "shop/paying.py", "old_path": "shop/pay.py"}]
    lines = as_text("changes", answer).splitlines()
    assert "  shop/tax.py (deleted)" in lines
    assert "  renamed shop/pay.py to shop/paying.py" in lines
    assert "  nothing provides 'shop.pay': tests/test_pay.py:1  from shop.pay import pay" in lines
    assert answer["tests"][0]["reasons"] == ["breaks by it"]
    # What changed with what is gone before.
    assert answer["related"][0]["path"] == "shop/cart.py"


@pytest.mark.parametrize("saved", [True, False])
def test_what_is_gone_is_named_with_the_lines_that_use_it(shop, saved):
    text = CART.replace("def total", "def amount")
    if saved:
        (shop.root / "shop" / "cart.py").write_text(text)
        shop.refresh()
    else:
        shop.update(Document("shop/cart.py", text.encode()))
    assert shop.settled(30)
    answer = call(shop, "changes", {})
    assert answer["removed"] == ["shop/cart.py#Cart.total"]
    (row,) = answer["unresolved"]
    assert (row["path"], row["line"], row["gone"]) == ("shop/pay.py", 5, answer["removed"][0])
    lines = as_text("changes", answer).splitlines()
    assert lines[:3] == [
        "breaks by it:",
        "  gone: shop/cart.py#Cart.total",
        "    used in shop/pay.py:5  return c.total()",
    ]
    assert "  shop/cart.py:2-3 method Cart.amount (line 2)" in lines
    # The other way round: what HEAD~1 lacked is no loss, and what is not used is gone all the same.
    text = "class Cart:\n    def total(self):\n        return 1\n"
    shop.update(Document("shop/cart.py", text.encode()))
    assert shop.settled(30)
    answer = call(shop, "changes", {})
    assert (answer["removed"], answer["unresolved"]) == (["shop/cart.py#empty"], [])
    assert "  gone: shop/cart.py#empty" in as_text("changes", answer).splitlines()


def test_the_verdict_on_a_patch_names_the_same_breaks(shop):
    path = shop.root / "shop" / "cart.py"
    before = path.read_text()
    after = before.replace("def total", "def amount")
    lines = unified_diff(before.splitlines(True), after.splitlines(True), "a/shop/cart.py")
    patch = "".join(lines).replace("+++ ", "+++ b/shop/cart.py")
    proposed = call(shop, "propose", {"diff": patch})["verdict"]
    patched = call(shop, "changes", {"patch": patch})
    path.write_text(after)
    shop.refresh()
    assert shop.settled(30)
    written = call(shop, "changes", {})
    assert written["unresolved"]
    for kind in ("removed", "unresolved", "calls", "lacking", "imports"):
        assert proposed[kind] == patched[kind] == written[kind]


def test_tests_that_reach_a_change_come_before_likelier_ones(shop):
    (shop.root / "tests" / "test_cart.py").write_text("def test_nothing():\n    assert 1\n")
    git(shop.root, "add", ".")
    git(shop.root, "commit", "-qm", "add a test")
    for number in range(4):
        for path in ("shop/cart.py", "tests/test_cart.py"):
            text = (shop.root / path).read_text()
            (shop.root / path).write_text(f"{text}# a{number}\n")
        git(shop.root, "commit", "-qam", f"cart {number}")
    edit_total(shop, saved=True)
    first, second = call(shop, "changes", {})["tests"][:2]
    assert (first["path"], first["reasons"][0]) == ("tests/test_pay.py", "2 calls away")
    assert second["path"] == "tests/test_cart.py" and second["chance"] > first["chance"]


def test_tests_that_reach_what_is_gone_are_to_run(shop):
    text = CART.replace("def total", "def amount")
    shop.update(Document("shop/cart.py", text.encode()))
    assert shop.settled(30)
    first = call(shop, "changes", {})["tests"][0]
    assert (first["path"], first["reasons"][0]) == ("tests/test_pay.py", "2 calls away")


def test_files_that_only_lie_near_are_said_to_do_so(shop):
    (shop.root / "shop" / "lamp.py").write_text("OIL = 7\n")
    git(shop.root, "add", ".")
    git(shop.root, "commit", "-qm", "lamp")
    (shop.root / "shop" / "lamp.py").write_text("OIL = 8\n")
    shop.refresh()
    assert shop.settled(30)
    answer = call(shop, "changes", {})
    assert answer["files"] == [{"path": "shop/lamp.py"}]
    lines = as_text("changes", answer).splitlines()
    assert "may change too:" not in lines
    assert "  shop/cart.py (near in the folders)" in lines[lines.index("only near:") :]


def test_a_renamed_file_has_no_changed_definitions_and_loses_none(shop):
    text = "def größe(x):\n    return x\n\n\nclass Maß:\n    pass\n"
    (shop.root / "maß.py").write_text(text)
    git(shop.root, "add", ".")
    git(shop.root, "commit", "-qm", "size")
    shop.refresh()
    assert shop.settled(30)
    patch = "diff --git a/maß.py b/größe.py\nsimilarity index 100%\n"
    patch += "rename from maß.py\nrename to größe.py\n"
    patched = call(shop, "changes", {"patch": patch})
    git(shop.root, "mv", "maß.py", "größe.py")
    shop.refresh()
    assert shop.settled(30)
    for answer in (patched, call(shop, "changes", {})):
        assert answer["renamed"] == [{"path": "größe.py", "old_path": "maß.py"}]
        for key in ("definitions", "files", "deleted", "removed"):
            assert answer[key] == []


def test_new_files_that_are_too_many_are_counted(shop):
    for number in range(1_001):
        (shop.root / f"{number}.bin").touch()
    edit_total(shop, saved=True)
    answer = call(shop, "changes", {})
    assert [row["path"] for row in answer["definitions"]] == ["shop/cart.py"]
    assert "1,001 files that git does not know are not named" in answer["notes"]


@pytest.mark.skipif(sys.platform == "win32", reason="a script in place of git")
@pytest.mark.parametrize("option", ["--raw", "--unified=1", "--untracked-files=all"])
def test_a_question_to_git_that_fails_is_no_answer(shop, tmp_path_factory, monkeypatch, option):
    program = tmp_path_factory.mktemp("bin") / "git"
    program.write_text(
        f'#!/bin/sh\nfor each; do [ "$each" = {option} ] && exit 1; done\n'
        f'exec {shutil.which("git")} "$@"\n'
    )
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
    with pytest.raises(SettingsError, match="git did not compare"):
        call(shop, "changes", {})


def test_what_would_run_filters_is_refused(shop):
    git(shop.root, "config", "filter.crypt.clean", "cat")
    with pytest.raises(SettingsError, match="has filters in its git settings"):
        call(shop, "changes", {})


def test_nothing_changed_says_so(shop):
    assert as_text("changes", call(shop, "changes", {})) == "nothing differs from HEAD"


@pytest.mark.parametrize("base", ["nowhere", "--output=x", "HEAD~99"])
def test_an_unknown_base_is_named(shop, base):
    with pytest.raises(SettingsError, match=f"'{base}' is no commit"):
        call(shop, "changes", {"base": base})
    assert not (shop.root / "x").exists()


def test_a_folder_without_git_says_what_is_missing(tmp_path):
    (tmp_path / "a.py").write_text("x = 1\n")
    engine = Engine.open(tmp_path, settings_from({"index.persist": False}))
    with pytest.raises(SettingsError, match="is in no git repository"):
        call(engine, "changes", {})
    engine.close()


def test_a_pack_of_my_uncommitted_changes_has_exactly_those(shop):
    edit_total(shop, saved=False)
    answer = call(shop, "pack", {"prompt": "review my uncommitted changes", "budget": 2_000})
    assert answer["items"][0]["path"] == "shop/cart.py"
    assert answer["items"][0]["reason"].startswith("changed and not committed")
    assert "return 2" in answer["text"]
    assert {item["path"] for item in answer["items"]} <= {"shop/cart.py", "shop/pay.py"}
