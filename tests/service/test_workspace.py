"""Several folders are searched as one."""

from dataclasses import replace
from pathlib import Path

from packhound.core.settings_reader import settings_from
from packhound.core.types import Query
from packhound.operations import Call, answer, as_text
from packhound.pack import PackRequest
from packhound.service.workspace import Workspace
from tests.support.project import wait_until


def test_several_folders_are_searched_as_one(tmp_path: Path, root: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "tax.py").write_text("def compute_tax():\n    return 0\n")
    workspace = Workspace()
    try:
        assert workspace.roots.search(Query("anything")).notes == ("no folder is open",)
        workspace.add(root)
        workspace.add(other)
        assert workspace.settled(30)
        first = workspace.roots.search(Query("compute_tax")).hits[0]
        assert (first.node.path, Path(first.node.root)) == ("tax.py", other.resolve())
        answer = workspace.roots.search(Query("compute_tax"))
        assert answer.confidence_word == "exact"
        assert not any("weak" in note or "not in this" in note for note in answer.notes)
        nowhere = workspace.roots.search(Query("compute_taxi"))
        assert nowhere.confidence_word == "likely" and nowhere.hits[0].node.name == "compute_tax"
        assert "`compute_taxi` is not in this folder; did you mean: compute_tax" in nowhere.notes
        assert workspace.locate(other / "tax.py") == (workspace.engines[1], "tax.py")
        assert workspace.locate(tmp_path / "elsewhere.py") is None
        workspace.remove(other)
        assert workspace.roots.search(Query("send_receipt")).hits[0].node.name == "send_receipt"
    finally:
        workspace.close()


def test_each_of_several_folders_says_how_many_there_are_without_a_filter(tmp_path: Path) -> None:
    workspace = Workspace(settings_from({"index.persist": False, "index.workers": 1}))
    for name, n in (("few", 1), ("many", 12)):  # "there are 1" begins what the other one says.
        (tmp_path / name).mkdir()
        (tmp_path / name / "carts.py").write_text("".join(f"class C{i}: pass\n" for i in range(n)))
    try:
        workspace.add(tmp_path / "few")
        workspace.add(tmp_path / "many")
        assert workspace.settled(60)
        assert workspace.roots.search(Query("kind:class path:gone/")).notes == (
            "nothing matches",
            "few: without path:gone/ there are 1",
            "many: without path:gone/ there are 12",
        )
    finally:
        workspace.close()


def test_a_pack_of_several_folders_counts_secrets_once(tmp_path: Path, data: Path) -> None:
    workspace = Workspace(settings_from({"index.persist": False, "index.workers": 1}))
    token = f"ghp_{'0123456789' * 4}"[:40]
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        text = f"def send_letter():\n    return '{token}'\n"
        (tmp_path / name / "mail.py").write_text(text)
    try:
        engine = workspace.add(tmp_path / "one")
        workspace.add(tmp_path / "two")
        assert workspace.settled(60)
        engine.notes.add(
            "insight", {"key": "mail", "content": f"Sent with {token}"}, [("mail.py", 0)]
        )
        packed = workspace.roots.pack(PackRequest("send_letter", 2_000))
        n = packed.text.count("[REDACTED:")
        assert n == 3 and [note for note in packed.notes if "redacted" in note] == [
            f"secrets redacted: {n}"
        ]
    finally:
        workspace.close()


def test_answers_of_a_folder_that_nobody_watches_say_when_the_disk_was_looked_at(
    tmp_path: Path,
) -> None:
    (tmp_path / "a.py").write_text("def one(): pass\n")
    workspace = Workspace(settings_from({"index.persist": False, "index.workers": 1}))
    call = Call(workspace.roots, workspace.settings)

    def notes(operation: str, **arguments: str) -> list[str]:
        rows = answer(replace(call, roots=workspace.roots), operation, arguments)
        said = [note for note in rows.get("notes", ()) if note.startswith("the disk was last")]
        text = as_text(operation, rows)
        assert all(text.count(note) == 1 for note in said)
        return said

    try:
        engine = workspace.add(tmp_path)
        assert workspace.settled(60)
        wait_until(lambda: engine.unwatched_s > 2)
        assert len(notes("search", query="one")) == len(notes("grep", pattern="one")) == 1
        assert len(notes("symbol", name="one")) == len(notes("outline", path="a.py")) == 1
        assert len(notes("pack", prompt="one")) == len(notes("status")) == 1
        before = engine.unwatched_s
        engine.refresh()
        assert workspace.settled(60) and engine.unwatched_s < before
        workspace.watch(watches=True)
        wait_until(lambda: engine.index.queue.unseen_s > 2)
        assert not notes("search", query="one")
    finally:
        workspace.close()
