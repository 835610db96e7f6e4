"""Verdict on a patch before anyone applies it, from texts and graph; nothing is run."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from packhound import git, impact
from packhound.core.errors import SettingsError
from packhound.core.types import Document
from packhound.files import is_lock_file
from packhound.parsing import find_errors
from packhound.redact import RedactionTimeout, redact
from packhound.service.seen_texts import read_saved

if TYPE_CHECKING:
    from packhound.service.engine import Engine
    from packhound.service.proposals import Proposal
    from packhound.service.proposed_folder import ProposedFolder

_AUTOMATION = re.compile(
    r"(?:^|/)(?:\.github/(?:workflows|actions)/|\.circleci/|\.buildkite/|\.husky/|\.githooks/"
    r"|\.(?:gitlab-ci|travis|drone|pre-commit-config)\.ya?ml$|azure-pipelines\.ya?ml$"
    r"|lefthook\.ya?ml$|Jenkinsfile$)"
)


@dataclass(frozen=True, slots=True)
class SyntaxProblem:
    """A 0-based line of a file that parsed before the patch and does not after it."""

    path: str
    line: int
    text: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """Breaks and reach of a patch. `warnings` name what a reviewer should see first.

    `refused_by` says why it does not apply to the last commit or to the disk alone, by name.
    """

    syntax: tuple[SyntaxProblem, ...]
    changes: impact.ChangeSet
    warnings: tuple[str, ...]
    refused_by: dict[str, str]


def verdict_of(engine: Engine, proposal: Proposal, patch: bytes, limit: int) -> Verdict:
    """Return what is known of a patch that applies; `limit` bounds tests and related files."""
    folder, root = proposal.folder, str(engine.root)
    before, after = (
        impact.Side(snapshot, each.packs.service().call_graph(snapshot))
        for each, snapshot in ((engine, folder.base_snapshot), (proposal.engine, folder.snapshot))
    )
    files = folder.patched
    lines = {path: _changed_lines(file) for path, file in files.items()}
    breaks = impact.find_breaks(before, after, root, files)
    history = git.CoChanges.of(git.read_commits(engine.root), lines)
    changes = impact.describe_changes(
        after, root, lines, git.renamed_in(files), breaks, history, limit
    )
    related = tuple(each for each in changes.related if each.path not in files)
    return Verdict(
        syntax=tuple(_syntax_problems(proposal)),
        changes=replace(changes, related=related),
        warnings=tuple(warnings_on(files)),
        refused_by=_refusals(folder, patch),
    )


def _changed_lines(file: git.PatchedFile) -> tuple[git.Lines, ...]:
    if file.after is None:
        return (git.GONE,)
    return (git.WHOLE,) if file.before is None else git.move_lines((), file.edits)


def _syntax_problems(proposal: Proposal) -> list[SyntaxProblem]:
    """Return the lines that are no code of their language any more."""
    folder, problems = proposal.folder, list[SyntaxProblem]()
    for path, file in folder.patched.items():
        entry, document = folder.snapshot.files.get(path), folder.open_document(path)
        if entry is None or document is None or file.after is None:
            continue
        old = {file.new_line(line) for line in _error_lines(path, file.before, entry.language)}
        for line in sorted(_error_lines(path, document.source, entry.language) - old):
            text = document.source.split(b"\n")[line].decode("utf-8", "replace").strip()
            problems.append(SyntaxProblem(path, line, text))
    return problems


def _error_lines(path: str, source: bytes | None, language: str) -> set[int]:
    if source is None:
        return set()
    offsets = find_errors(Document(path, source, language))
    return {source.count(b"\n", 0, start) for start in offsets}


def runs_on_its_own(path: str) -> bool:
    """Return True for a file that says what runs in CI or at a commit."""
    return _AUTOMATION.search(path) is not None


def warnings_on(files: Mapping[str, git.PatchedFile]) -> list[str]:
    """Return what of a patch deserves a second look: secrets, automation, lock files."""
    warnings = []
    for path, file in files.items():
        if runs_on_its_own(path):
            warnings.append(f"{path} says what runs on its own, in CI or at a commit")
        if is_lock_file(path):
            warnings.append(f"{path} is a lock file: it decides what is installed")
        try:
            n_secrets = len(redact(file.added).findings)
        except RedactionTimeout:
            warnings.append(f"{path} could not be searched for secrets in time")
            continue
        if n_secrets:
            noun = "secret" if n_secrets == 1 else "secrets"
            warnings.append(f"{path} gets {n_secrets} {noun}, or what looks like one")
    return warnings


def _refusals(folder: ProposedFolder, patch: bytes) -> dict[str, str]:
    """Return why a patch does not apply to what is committed or saved, where it does not."""
    refusals = {}
    sides: dict[str, Callable[[str], bytes | None]] = {
        "HEAD": partial(git.read_committed, folder.root),
        "the disk": partial(read_saved, folder.root),
    }
    for name, read in sides.items():
        try:
            git.apply_patch(patch, read)
        except SettingsError as refusal:
            refusals[name] = str(refusal)
    return refusals
