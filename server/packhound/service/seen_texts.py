"""Files as patches are applied to them: as the user sees them, and as they are on the disk."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from packhound.core.errors import SettingsError
from packhound.files import decode, is_included, read_bytes

if TYPE_CHECKING:
    from packhound.service.indexed_folder import IndexedFolder

_MOST_BYTES = 30_000_000


def read_saved(root: Path, path: str) -> bytes | None:
    """Return a file as it is on the disk, None if it cannot be read or is too large."""
    try:
        file = read_bytes(root, path, _MOST_BYTES)
    except (OSError, ValueError):
        return None
    return file[0] if file else None


def is_empty(folder: IndexedFolder, path: str) -> bool:
    """Return True for a file without text, as the user sees it, that would be indexed with one."""
    if ".." in path.split("/"):
        return False
    document = folder.open_document(path)
    text = document.source if document else read_saved(folder.root, path)
    return text == b"" and is_included(folder.root, path, folder.limits)


def read_seen(folder: IndexedFolder, path: str) -> bytes | None:
    """Return a file as the user sees it. Raises SettingsError for what no patch may change."""
    root = folder.root
    saved, file_path = read_saved(root, path), Path(root, path)
    is_linked = file_path.is_symlink() or any(
        (root / parent).is_symlink() for parent in file_path.relative_to(root).parents
    )
    if is_linked or (saved is None and os.path.lexists(file_path) and not file_path.is_dir()):
        raise SettingsError(f"the patch does not apply to {path!r}: a link, or no plain file")
    document = folder.open_document(path)
    if document is None or (saved is not None and decode(path, saved) == document.source):
        return saved
    if saved is not None and decode(path, saved) != saved.removeprefix(b"\xef\xbb\xbf"):
        raise SettingsError(
            f"the patch does not apply to {path!r}: it is open and not saved, and is searched"
            " as another text than that of its file"
        )
    return document.source
