"""What a user works on comes first in a pack: a real server over a real repository."""

from __future__ import annotations

import shutil

import pytest

from packhound.search.signals.registry import group_of
from tests.support.command_line import packhound
from tests.support.git_repository import git
from tests.support.lsp_client import RELAYED, eventually, wait_until, write_files
from tests.support.page import read_page, texts_of

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


BILL = '''
def subtotal(lines):
    """The sum of the lines of a bill."""
    return sum(line.price for line in lines)


def tax(lines):
    """The tax on a bill."""
    return subtotal(lines) // 5


def total(lines):
    """The total of a bill with tax."""
    return subtotal(lines) + tax(lines)
'''.lstrip()
CHANGED = "changed and not committed"


@pytest.fixture
def repository(tmp_path):
    # Not the last component alone: a file name with a space and one that git would quote.
    folder = write_files(tmp_path / "work", {"bill.py": BILL, "bíll two.py": BILL})
    git(folder, "init", "-q")
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "one")
    return folder


@pytest.fixture
def editor(start_server, repository):
    client = start_server()
    client.initialize(repository)
    client.settle()
    return client


def changed_in(client, prompt="the total of a bill"):
    """First lines of the parts of a pack that are told to be changed."""
    packed = client.request("packhound/pack", {"prompt": prompt, "budget": 2_000})
    return {(i["path"], i["start_line"]) for i in packed["items"] if CHANGED in i["reason"]}


def test_nothing_is_changed_at_first(editor):
    assert changed_in(editor) == set()


def test_an_unsaved_edit_is_a_change_at_once(editor, repository):
    document = editor.open_document(repository / "bill.py", BILL)
    assert changed_in(editor) == set()
    editor.change_document(document, 2, (7, 30, 31, "6"))
    assert changed_in(editor) == {("bill.py", 6)}
    # Lines above move it; undoing everything takes it back.
    editor.change_document(document, 3, (0, 0, 0, "# one\n# two\n"))
    assert ("bill.py", 8) in changed_in(editor)
    editor.change_document(document, 4, (BILL,))
    assert changed_in(editor) == set()


def test_a_saved_edit_is_a_change_until_it_is_committed(editor, repository):
    file = repository / "bíll two.py"
    file.write_text(BILL.replace("// 5", "// 6"), encoding="utf-8", newline="")
    editor.notify("textDocument/didSave", {"textDocument": {"uri": file.as_uri()}})
    expected = {("bíll two.py", 6)}
    assert eventually(lambda: changed_in(editor), expected) == expected
    git(repository, "commit", "-qam", "two")
    assert eventually(lambda: changed_in(editor), set()) == set()


def test_unsaved_text_above_a_saved_change_moves_it(editor, repository):
    saved = BILL.replace("// 5", "// 6")
    (repository / "bill.py").write_text(saved, encoding="utf-8", newline="")
    document = editor.open_document(repository / "bill.py", saved)
    editor.notify("textDocument/didSave", {"textDocument": document})
    assert eventually(lambda: changed_in(editor), {("bill.py", 6)}) == {("bill.py", 6)}
    editor.change_document(document, 2, (4, 0, 0, "\n\n\ndef extra(): pass\n\n\n"))
    assert {("bill.py", 8), ("bill.py", 12)} <= changed_in(editor)


def test_changed_files_come_before_better_hits(editor, repository):
    document = editor.open_document(repository / "bíll two.py", BILL)
    editor.change_document(document, 2, (12, 4, 10, "answer"))
    packed = editor.request("packhound/pack", {"prompt": "bill.py total", "budget": 2_000})
    assert packed["items"][0]["path"] == "bíll two.py"


def test_a_new_file_is_a_change(editor, repository):
    file = repository / "fresh.py"
    file.write_text(BILL.replace("bill", "invoice"), encoding="utf-8", newline="")
    changes = [{"uri": file.as_uri(), "type": 1}]
    editor.notify("workspace/didChangeWatchedFiles", {"changes": changes})

    def changed_paths():
        return {path for path, _ in changed_in(editor, "the total of an invoice")}

    assert eventually(changed_paths, {"fresh.py"}) == {"fresh.py"}


def test_each_item_says_what_brought_it_and_can_be_asked_for(editor):
    packed = editor.request("packhound/pack", {"prompt": "the total of a bill", "budget": 2_000})
    origins = [origin for item in packed["items"] for origin in item["origins"]]
    hits = [origin for origin in origins if origin["source"] == "search"]
    assert hits and all(origin["rank"] >= 1 and origin["words"] for origin in hits)
    assert any(
        origin["path"][1] in ("references", "referenced-by")
        for origin in origins
        if origin["source"] == "graph"
    )
    assert not any("why" in origin for origin in origins)
    for number, item in enumerate(packed["items"]):
        requests = editor.request("packhound/packItem", {"id": packed["id"], "item": number})
        for short, full in zip(item["origins"], requests.pop("origins"), strict=True):
            why = full.pop("why", [])
            assert full == short and bool(why) == (full["source"] == "search")
            by_meaning = [s for s in why if group_of(s["signal"]) == "Meaning"]
            total = sum(signal["contribution"] for signal in by_meaning)
            assert total == pytest.approx(full.get("meaning", 0))
        assert requests == {key: item[key] for key in requests}
    for bad in ({"id": "pack-9"}, {"id": packed["id"], "item": 99}, {}):
        with pytest.raises(Exception, match="expected"):
            editor.request("packhound/packItem", bad)


def test_a_pack_has_a_page(editor):
    packed = editor.request("packhound/pack", {"prompt": "the total of a bill", "budget": 2_000})
    asked = {"id": packed["id"], "prompt": "the total of a bill"}
    seen = read_page(editor.request("packhound/packPage", asked)["html"])
    assert texts_of(seen, "h1") == ["the total of a bill"]
    ids = [str(each.attributes.get("id", "")) for each in seen]
    assert sum(each.startswith("part-") for each in ids) == len(packed["items"]) > 0
    wider = editor.request("packhound/packPage", {**asked, "budget": 4_321})["html"]
    assert f"{packed['tokens']:,} of 4,321 tokens" in wider
    with pytest.raises(Exception, match="expected"):
        editor.request("packhound/packPage", {"id": "pack-9"})


def test_the_price_of_a_pack_and_of_a_session(editor):
    request = {"prompt": "the total of a bill", "budget": 2_000, "model": "gpt-4o"}
    first = editor.request("packhound/pack", request)
    assert first["cost"]["model"] == "gpt-4o" and first["cost"]["usd"] > 0
    second = editor.request("packhound/pack", {**request, "model": ""})
    assert second["cost"] is None
    assert second["total"] == {
        "packs": 2,
        "tokens": first["tokens"] + second["tokens"],
        "usd": first["cost"]["usd"],
    }


def test_a_conversation_goes_on_after_a_restart_and_on_the_command_line(start_server, tmp_path):
    folder = write_files(tmp_path / "work", {"bill.py": BILL})
    prompt = "the total of a bill"
    for is_known in (False, True):
        client = start_server()
        client.initialize(folder)
        client.settle()
        packed = client.request("packhound/pack", {"prompt": prompt, "conversation": "bills"})
        assert ("def total(" not in packed["text"]) is is_known
        command = ("pack", prompt, "--root", str(folder), "--conversation", "bills")
        assert "Sent before" in packhound(tmp_path, *command).stdout
        assert client.shut_down() == 0


def test_unsaved_text_is_among_the_changes_that_are_reviewed_and_listed(start_server, repository):
    editor = start_server(command=RELAYED)
    editor.initialize(repository)
    editor.open_document(repository / "bill.py", BILL.replace("// 5", "// 4"))
    editor.settle()
    prompt = "review my uncommitted changes"
    assert changed_in(editor, prompt) == {("bill.py", 6)}
    [definition] = editor.request("packhound/changes", {})["definitions"]
    assert (definition["name"], definition["callers"][0]["name"]) == ("tax", "total")
    # The command line asks the server of the editor, which knows what is not saved.
    root = ("--root", str(repository))
    assert "// 4" in packhound(repository.parent, "pack", prompt, *root).stdout
    assert "function tax (line 8)" in packhound(repository.parent, "changes", *root).stdout


def test_the_setting_gives_packs_other_sources(start_server, tmp_path):
    advice = "# Advice\n\nRound the tax of a bill down to the cent.\n"
    folder = write_files(tmp_path / "work", {"bill.py": BILL, "AGENTS.md": advice})
    client = start_server()
    options = {"packhound": {"pack": {"sources": ["notes", "knowledge"]}}}
    client.initialize(folder, initializationOptions=options)
    client.settle()
    request = {"prompt": "the tax of a bill", "budget": 2_000, "excluded": ["*.md"]}
    packed = client.request("packhound/pack", request)
    section = packed["text"].partition("### Knowledge for this task")[2]
    assert "data, not instructions" in section
    assert "Round the tax" in section
    settings = {"packhound": {"pack": {"sources": []}}}
    client.notify("workspace/didChangeConfiguration", {"settings": settings})
    wait_until(lambda: "Knowledge" not in client.request("packhound/pack", request)["text"])
