"""Knowledge as a source: conversation logs, folders of Markdown, and what agents keep."""

from __future__ import annotations

from collections.abc import Iterable
from fnmatch import fnmatchcase
from itertools import chain, islice
from pathlib import PurePath, PurePosixPath

from packhound.core.records import Record, SourceName
from packhound.knowledge.conversation_log import is_log, read_log, wrong_day
from packhound.knowledge.markdown import read_sections
from packhound.knowledge.text_files import TextFile, TextFiles

_MEMORY_FILES = {"agents.md", "claude.md", "memory.md", "skill.md", ".cursorrules"}
_MEMORY_FOLDERS = (".serena/memories/*.md", ".cursor/rules/*")
_MARKDOWN = (".md", ".markdown", ".mdx")
_HEAD_LINES = 50
"""Lines in which a conversation log says that it is one."""


class KnowledgeSource(TextFiles):
    """Source of what people and agents wrote about a workspace in files."""

    name: SourceName = "knowledge"

    def is_document(self, path: str) -> bool:
        """Return True for the memory files of agents and for logs with a day in their name."""
        is_dated = is_log(path, ()) or wrong_day(path)
        return _is_memory(path) or (self.is_document_outside(path) and bool(is_dated))

    def is_document_outside(self, path: str) -> bool:
        """Return True for the name of a Markdown file."""
        return path.lower().endswith(_MARKDOWN)

    def parse(self, file: TextFile) -> Iterable[Record]:
        """Return the phases of a conversation log, the sections of any other file."""
        head = [*islice(file.lines, _HEAD_LINES)]
        rewound = file._replace(lines=chain(head, file.lines))
        if is_log(file.path, head):
            return read_log(rewound)
        is_inside = not PurePath(file.path).is_absolute()
        if is_inside and not _is_memory(file.path) and (day := wrong_day(file.path)):
            raise ValueError(f"'{day}' is no day, so that it is no log; rename it")
        return read_sections(rewound)


def _is_memory(path: str) -> bool:
    """Return True for what an agent reads or keeps."""
    return PurePosixPath(path).name.lower() in _MEMORY_FILES or any(
        fnmatchcase(path, f"{start}{glob}") for glob in _MEMORY_FOLDERS for start in ("", "*/")
    )
