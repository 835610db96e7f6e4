"""The roots of an agent's session, opened together."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from pathlib import Path

from packhound.core.errors import SettingsError
from packhound.core.log import log
from packhound.core.settings import Settings
from packhound.core.settings_files import (
    WORKSPACE_FILE,
    FolderSettings,
    Overrides,
    other_settings_note,
)
from packhound.core.status import Reading, total_reading
from packhound.operations import (
    OPERATIONS,
    Call,
    Json,
    Operation,
    answer,
    select_operations,
    settle,
)
from packhound.redact import visible_line
from packhound.relay import EditorTexts
from packhound.service import EnginePool, Workspace, real_path

_INDEXING_S = 20.0
"""Seconds that a call waits for a first reading; then it answers with what is there, marked so."""


def operations_of(settings: FolderSettings) -> list[Operation]:
    """Return the operations that settings offer; the default ones where they name an unknown.

    A workspace's own file offers none that the user himself has to name.
    """
    in_force = settings.read()
    origin = in_force.layers["mcp.tools"].origin if "mcp.tools" in in_force.layers else ""
    try:
        operations = select_operations(in_force.settings.mcp.tools)
        return [each for each in operations if not each.by_name or origin != WORKSPACE_FILE]
    except SettingsError as problem:
        log.warning("%s", problem)
        return select_operations(())


class Folders:
    """All roots of one session."""

    def __init__(
        self,
        roots: Sequence[Path],
        overrides: Overrides,
        pool: EnginePool | None = None,
        editors: EditorTexts | None = None,
    ) -> None:
        """Follow the roots with the engines of a pool.

        Answers wait for the texts of `editors`, where a daemon follows one that was killed. Raises
        RootError.
        """
        self._editors = editors
        self.step = ""
        """Step that a long tool is at."""
        if not roots:
            raise SettingsError("give at least one root")
        self._settings = FolderSettings(real_path(roots[0]), overrides)
        self._workspace = Workspace(self.settings, overrides=overrides, pool=pool)
        for root in roots:
            self._workspace.add(root)

    @property
    def roots(self) -> list[str]:
        """The label and the path of each root."""
        return [f"{root.label} ({root.path})" for root in self._workspace.roots]

    @property
    def settings(self) -> Settings:
        """The settings of the first root, which are those of the session."""
        return self._settings.read().settings

    @property
    def operations(self) -> list[Operation]:
        """The operations that the settings offer."""
        return operations_of(self._settings)

    def call(
        self, name: str, arguments: Mapping[str, object], cancel: threading.Event | None = None
    ) -> Json:
        """Run an operation on the root that `root` names, on the first that has a place, or on all.

        Raises SettingsError.
        """
        if name not in OPERATIONS:
            names = ", ".join(operation.name for operation in self.operations)
            raise SettingsError(f"unknown tool '{visible_line(name)}'; expected one of: {names}")
        if OPERATIONS[name] not in self.operations:
            operation = OPERATIONS[name]
            who = "yourself" if operation.by_name else f"or its group '{operation.group}'"
            raise SettingsError(
                f"tool '{name}' is switched off; name it {who} in the setting 'mcp.tools'"
            )
        roots = self._workspace.roots
        if self._editors:
            self._editors.wait()
        if name != "status":
            # Nobody may watch the folders; an unchanged file costs one stat each.
            for root in roots:
                if root.engine.settled(0):
                    root.engine.refresh()
            settle(roots, arguments, _INDEXING_S)
        call = Call(roots, self.settings, cancel, is_agent=True, report=self._take_step)
        try:
            return answer(call, name, arguments)
        finally:
            self.step = ""

    def _take_step(self, progress: Json) -> None:
        self.step = str(progress.get("step", self.step))

    @property
    def reading(self) -> Reading:
        """Number of files of all folders, and of what is read beside them, that were read."""
        engines = self._workspace.engines
        elsewhere = [reading for engine in engines for reading in engine.others.readings]
        return total_reading([*(engine.reading for engine in engines), *elsewhere])

    def count_answer(self, text: str) -> None:
        """Count the tokens of an answer as those of the first root."""
        self._workspace.engines[0].count_answer(text)

    def settings_notes(self) -> list[str]:
        """Return which settings do not count, or hide files, for each folder that has such."""
        notes = []
        for engine in self._workspace.engines:
            in_force = engine.follow_settings()
            others = other_settings_note(self.settings, in_force.settings)
            notes += [(engine.root, note) for note in (others, *in_force.problems) if note]
        return [f"note: {root}: {note}" for root, note in notes]

    def close(self) -> None:
        """Follow the folders no longer."""
        self._workspace.close()
