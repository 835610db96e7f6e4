"""Several folders are searched as one."""

from pathlib import Path

from packhound.core.types import Query
from packhound.service.workspace import Workspace


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
