"""`packhound/accept`: an editor changes what it has open itself, and the rest is on the disk."""

from __future__ import annotations

from pathlib import Path

import pytest

from packhound.text import TextBuffer
from tests.support.git_repository import git
from tests.support.lsp_client import LspClient, ResponseError

EDITS = {"workspace": {"applyEdit": True, "workspaceEdit": {"documentChanges": True}}}
SHAPES = "class Circle:\n    def area(self):\n        return 3\n"
DIFF = """\
--- a/shapes.py
+++ b/shapes.py
@@ -1,3 +1,3 @@
 class Circle:
     def area(self):
-        return 3
+        return '\U0001f600', 4
--- a/config.py
+++ b/config.py
@@ -1,3 +1,3 @@
-def load_config(path):
+def load(path):
     '''Read the settings file.'''
     return path
"""
NEW_SHAPES = SHAPES.replace("3", "'\U0001f600', 4")


class Editor:
    """One open document of a client, which applies edits as editors do."""

    def __init__(self, client: LspClient, path: Path, text: str, *, applies: bool = True) -> None:
        self.client, self.path, self.version, self.applies = client, path, 1, applies
        self.buffer = TextBuffer(text)
        self.document = client.open_document(path, text)
        self.n_edits = 0
        client.edit = self.apply

    @property
    def text(self) -> str:
        return self.buffer.source.decode()

    def type(self, text: str) -> None:
        """Replace the whole text by what the user types."""
        self.version += 1
        self.buffer.replace_all(text)
        self.client.change_document(self.document, self.version, (text,))

    def apply(self, edit: dict) -> dict:
        """Apply a workspace edit of this document's version, and tell the server of it."""
        (change,) = edit["documentChanges"]
        is_current = change["textDocument"]["version"] == self.version
        if not self.applies or not is_current:
            return {"applied": False, "failureReason": "not now"}
        assert change["textDocument"]["uri"] == self.document["uri"]
        for each in reversed(change["edits"]):
            edges = [
                (each["range"][e]["line"], each["range"][e]["character"]) for e in ("start", "end")
            ]
            self.buffer.edit(*edges, each["newText"])
        self.n_edits += 1
        self.type(self.text)
        return {"applied": True}


@pytest.fixture
def client(start_server, folder: Path, tmp_path: Path) -> LspClient:
    git(folder, "init", "-q")
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "Begin")
    client = start_server(environment={"PACKHOUND_DATA_DIR": str(tmp_path / "data")})
    client.initialize(folder, capabilities=EDITS)
    client.settle()
    return client


def test_what_is_open_is_changed_by_one_edit_and_the_rest_on_the_disk(
    client: LspClient, folder: Path
) -> None:
    editor = Editor(client, folder / "shapes.py", SHAPES)
    proposed = client.request("packhound/propose", {"diff": DIFF})
    answer = client.request("packhound/accept", {"proposal": proposed["id"], "trace": "mine"})
    assert answer["trace"]["id"] == "mine"
    assert editor.text == NEW_SHAPES and editor.n_edits == 1
    assert (folder / "shapes.py").read_text() == SHAPES
    assert (folder / "config.py").read_text().startswith("def load(path):\n")
    assert {row["path"]: row["in_editor"] for row in answer["files"]} == {
        "shapes.py": True,
        "config.py": False,
    }
    client.settle()
    assert client.search("load", mode="symbol") == ["config.py load"]


@pytest.mark.parametrize("applies", [True, False])
def test_what_is_not_saved_is_merged_in_the_editor_or_stays(
    client: LspClient, folder: Path, applies: bool
) -> None:
    editor = Editor(client, folder / "shapes.py", SHAPES, applies=applies)
    typed = "import math\n\n\n\n\n" + SHAPES
    editor.type(typed)
    with pytest.raises(ResponseError, match=r"applies to what is saved: merge \(three-way\)"):
        client.request("packhound/accept", {"proposal": DIFF})
    asked = {"proposal": DIFF, "three_way": True}
    if applies:
        client.request("packhound/accept", asked)
        assert editor.text == "import math\n\n\n\n\n" + NEW_SHAPES
        return
    with pytest.raises(ResponseError, match="nothing was written: the editor refused: not now"):
        client.request("packhound/accept", asked)
    # What was on the disk already is as it was.
    assert editor.text == typed
    assert (folder / "config.py").read_text().startswith("def load_config(path):\n")
    assert client.request("packhound/overlays", {})["overlays"]


def test_a_client_that_edits_no_versions_has_it_on_the_disk(
    start_server, folder: Path, tmp_path: Path
) -> None:
    client = start_server(environment={"PACKHOUND_DATA_DIR": str(tmp_path / "data")})
    client.initialize(folder)
    client.settle()
    client.open_document(folder / "shapes.py", SHAPES)
    client.request("packhound/accept", {"proposal": DIFF})
    assert (folder / "shapes.py").read_text() == NEW_SHAPES
    client.open_document(folder / "config.py", "typed = 1\n")
    with pytest.raises(ResponseError, match="unsaved changes"):
        new = "--- a/config.py\n+++ b/config.py\n@@ -1 +1 @@\n-typed = 1\n+typed = 2\n"
        client.request("packhound/accept", {"proposal": new, "three_way": True})
