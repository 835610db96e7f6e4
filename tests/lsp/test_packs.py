"""What a user works on comes first in a pack: a real server over a real repository."""

from __future__ import annotations

import shutil

import pytest

from tests.support.git_repository import git
from tests.support.lsp_client import eventually, write_files

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
    made = client.request("packhound/pack", {"prompt": prompt, "budget": 2_000})
    return {(i["path"], i["start_line"]) for i in made["items"] if CHANGED in i["reason"]}


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
    wanted = {("bíll two.py", 6)}
    assert eventually(lambda: changed_in(editor), wanted) == wanted
    git(repository, "commit", "-qam", "two")
    assert eventually(lambda: changed_in(editor), set()) == set()


def test_unsaved_text_above_a_saved_change_moves_it(editor, repository):
    saved = BILL.replace("// 5", "// 6")
    (repository / "bill.py").write_text(saved, encoding="utf-8", newline="")
    document = editor.open_document(repository / "bill.py", saved)
    editor.notify("textDocument/didSave", {"textDocument": document})
    eventually(lambda: changed_in(editor), {("bill.py", 6)})
    editor.change_document(document, 2, (4, 0, 0, "\n\n\ndef extra(): pass\n\n\n"))
    assert {("bill.py", 8), ("bill.py", 12)} <= changed_in(editor)


def test_changed_files_come_before_better_hits(editor, repository):
    document = editor.open_document(repository / "bíll two.py", BILL)
    editor.change_document(document, 2, (12, 4, 10, "answer"))
    made = editor.request("packhound/pack", {"prompt": "bill.py total", "budget": 2_000})
    assert made["items"][0]["path"] == "bíll two.py"


def test_a_new_file_is_a_change(editor, repository):
    file = repository / "fresh.py"
    file.write_text(BILL.replace("bill", "invoice"), encoding="utf-8", newline="")
    changes = [{"uri": file.as_uri(), "type": 1}]
    editor.notify("workspace/didChangeWatchedFiles", {"changes": changes})

    def told():
        return {path for path, _ in changed_in(editor, "the total of an invoice")}

    assert eventually(told, {"fresh.py"}) == {"fresh.py"}
