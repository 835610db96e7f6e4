"""Settings of the sources beside code."""

from __future__ import annotations

from dataclasses import dataclass, field

from packhound.core.parameters import array, boolean, choice, text
from packhound.core.records import SOURCE_NAMES, SourceName
from packhound.core.setting_fields import public


@dataclass(frozen=True, slots=True)
class SourceSettings:
    """Settings of the sources beside code: which of them answer when they are asked for."""

    notes: bool = field(
        default=True,
        metadata=public(
            "sources.notes.enabled",
            boolean("Search notes, decisions and stashes, and mark the code that they are about."),
            renamed=False,
        ),
    )
    notes_shared: bool = field(
        default=False,
        metadata=public(
            "notes.shared",
            boolean(
                "Write new notes to `.packhound/notes` of the workspace, if it is trusted, for a "
                "team to share with git."
            ),
            renamed=False,
        ),
    )
    trusted_folders: tuple[str, ...] = field(
        default=(),
        metadata=public(
            "folders.trusted",
            array(
                "Folders whose settings files and shared notes count, with all below them; editors "
                "may trust more. It counts in your own settings, never in a folder's.",
                text("A folder, absolute or below ~.", 4_096, 1),
            ),
            renamed=False,
        ),
    )
    pack_sources: tuple[SourceName, ...] = field(
        default=("notes",),
        metadata=public(
            "pack.sources",
            array(
                "Sources that packs take besides code, a tenth of the budget each: `notes` are "
                "those on the code in the pack, the others what they have for the prompt; "
                "`episodes` also names the earlier pack for a like one.",
                choice("A source.", SOURCE_NAMES),
            ),
            renamed=False,
        ),
    )
    knowledge: bool = field(
        default=True,
        metadata=public(
            "sources.knowledge.enabled",
            boolean("Search conversation logs, notes in Markdown, and the files that agents keep."),
            renamed=False,
        ),
    )
    knowledge_folders: tuple[str, ...] = field(
        default=(),
        metadata=public(
            "knowledge.folders",
            array(
                "Folders of conversation logs and Markdown that are knowledge besides the "
                "workspace's, also outside of it.",
                text("A folder, absolute, below ~ or relative to the workspace.", 4_096, 1),
            ),
            renamed=False,
        ),
    )

    skills: bool = field(
        default=True,
        metadata=public(
            "sources.skills.enabled",
            boolean("Search the workspace's SKILL.md files and skills that were recorded."),
            renamed=False,
        ),
    )
    episodes: bool = field(
        default=False,
        metadata=public(
            "sources.episodes.enabled",
            boolean(
                "Remember what was asked, packed and picked, without secrets and on this machine "
                "only, and search it."
            ),
            renamed=False,
        ),
    )
    session_logs: tuple[str, ...] = field(
        default=(),
        metadata=public(
            "episodes.sessionLogs",
            array(
                "Folders of the session logs (JSON lines) of coding agents; what they did in the "
                "workspace is searched with the episodes.",
                text("A folder, absolute, below ~ or relative to the workspace.", 4_096, 1),
            ),
            renamed=False,
        ),
    )
    commits: bool = field(
        default=False,
        metadata=public(
            "sources.commits.enabled",
            boolean("Search the last 5,000 commits: subject, body and touched paths."),
            renamed=False,
        ),
    )

    def has_source(self, name: SourceName) -> bool:
        """Return True if a source is switched on."""
        return bool(getattr(self, name, False))
