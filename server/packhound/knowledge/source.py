"""Knowledge as a source: conversation logs, folders of Markdown, and what agents keep."""

from __future__ import annotations

from collections.abc import Iterable
from fnmatch import fnmatchcase
from itertools import chain, islice
from pathlib import PurePosixPath

from packhound.core.records import Record, SourceName
from packhound.knowledge.conversation_log import is_log, read_log
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
        name = PurePosixPath(path).name
        if name.lower() in _MEMORY_FILES or (self.is_document_outside(path) and is_log(name, ())):
            return True
        return any(
            fnmatchcase(path, f"{start}{glob}") for glob in _MEMORY_FOLDERS for start in ("", "*/")
        )

    def is_document_outside(self, path: str) -> bool:
        """Return True for the name of a Markdown file."""
        return path.lower().endswith(_MARKDOWN)

    def parse(self, file: TextFile) -> Iterable[Record]:
        """Return the phases of a conversation log, the sections of any other file."""
        head = [*islice(file.lines, _HEAD_LINES)]
        rewound = file._replace(lines=chain(head, file.lines))
        return read_log(rewound) if is_log(file.path, head) else read_sections(rewound)
