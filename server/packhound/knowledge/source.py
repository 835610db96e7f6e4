"""Knowledge as a source: conversation logs, folders of Markdown, and what agents keep."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fnmatch import fnmatchcase
from itertools import chain, islice
from pathlib import Path, PurePosixPath

from packhound.core.records import Record, SourceName
from packhound.knowledge.conversation_log import is_log, read_log
from packhound.knowledge.markdown import read_sections
from packhound.knowledge.text_files import TextFile, TextFiles, WorkspaceTexts
from packhound.sources import Source

_MEMORY_FILES = {"agents.md", "claude.md", "memory.md", "skill.md", ".cursorrules"}
_MEMORY_FOLDERS = (".serena/memories/*.md", ".cursor/rules/*")
_MARKDOWN = (".md", ".markdown", ".mdx")
_HEAD_LINES = 50
"""Lines in which a conversation log says that it is one."""


class KnowledgeSource(Source):
    """Source of what people and agents wrote about a workspace in files."""

    name: SourceName = "knowledge"

    def __init__(self, workspace: WorkspaceTexts, folders: Callable[[], Sequence[Path]]) -> None:
        self._files = TextFiles(workspace, folders, is_knowledge, is_markdown, read_document)

    def version(self) -> object:
        """Return what differs once a file changed."""
        return self._files.version()

    def records(self) -> Iterable[Record]:
        """Return phases of logs and sections of other files."""
        return self._files.records()

    def is_on_disk(self, record: Record) -> bool:
        """Return False for a record of a text that an editor has not saved."""
        return self._files.is_on_disk(record)

    def problems(self) -> Sequence[str]:
        """Return the folders and files that could not be read."""
        return self._files.problems


def is_knowledge(path: str) -> bool:
    """Return True for the memory files of agents and for logs with a day in their name."""
    name = PurePosixPath(path).name
    if name.lower() in _MEMORY_FILES or (is_markdown(path) and is_log(name, ())):
        return True
    return any(
        fnmatchcase(path, f"{start}{glob}") for glob in _MEMORY_FOLDERS for start in ("", "*/")
    )


def is_markdown(path: str) -> bool:
    """Return True for the name of a Markdown file."""
    return path.lower().endswith(_MARKDOWN)


def read_document(file: TextFile) -> Iterable[Record]:
    """Return the phases of a conversation log, the sections of any other file."""
    head = [*islice(file.lines, _HEAD_LINES)]
    rewound = file._replace(lines=chain(head, file.lines))
    return read_log(rewound) if is_log(file.path, head) else read_sections(rewound)
