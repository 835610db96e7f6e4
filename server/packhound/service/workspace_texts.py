"""The indexed texts of a folder, as sources of records read them."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from packhound.knowledge import Stamp, WorkspaceText
from packhound.service.indexed_folder import IndexedFolder


class WorkspaceTexts:
    """The files of a folder's index, unsaved text included. Any thread may call."""

    def __init__(self, folder: IndexedFolder) -> None:
        self._folder = folder

    @property
    def generation(self) -> int:
        """Number of the current state."""
        return self._folder.snapshot.generation

    def stamps(self, is_document: Callable[[str], bool]) -> Mapping[str, Stamp]:
        """Return the chosen files by path, with their digests."""
        return {
            path: Stamp(entry.digest, entry.stamp.mtime_ns / 1e9 if entry.stamp else 0.0)
            for path, entry in self._folder.snapshot.files.items()
            if is_document(path)
        }

    def code_with(self, path: str, lines: set[str]) -> list[str]:
        """Return references to the code of a path that has some of these lines, in its order."""
        snapshot = self._folder.snapshot
        entry, text = snapshot.files.get(path), self._folder.source(path, snapshot)
        if entry is None or text is None:
            return []
        numbered = enumerate(text.decode("utf-8", "replace").splitlines())
        node_ids = (snapshot.node_id_at(path, n) for n, line in numbered if line.strip() in lines)
        positions = {entry.position(node_id) for node_id in node_ids if node_id is not None}
        names = dict.fromkeys(entry.qualname(position) for position in sorted(positions))
        return [f"{path}#{name}" for name in names if name]

    def text(self, path: str) -> WorkspaceText | None:
        """Return the text of a file, None if it is gone or newer than the index."""
        snapshot = self._folder.snapshot
        text = self._folder.source(path, snapshot)
        if text is None:
            return None
        return WorkspaceText(text, self._folder.is_on_disk(snapshot, path))
