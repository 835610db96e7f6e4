"""Tables, rights and migrations of a store; the statements are in the SQL files beside this one.

Rights are the database's own: policies of row-level security that ask which grants are of roles
that the current user has. All they read is read as that user, so that none tells him more.
"""

from __future__ import annotations

from pathlib import Path

MEMBER = "packhound"
"""Role whose members may use a store at all; the grants of a store say what they see of it."""
_MIGRATIONS = ("tables", "notes", "words", "exact")
"""Files of the statements that lead from each version to the next."""
VERSION = len(_MIGRATIONS)

_GRANT = "EXISTS (SELECT FROM packhound.grants g WHERE packhound.matches(g.repository, {0})"
_OF_BRANCH = f"{_GRANT} AND packhound.matches(g.branch, branches.name)".format(
    "branches.repository"
)
_OF_NOTE = _GRANT.format("notes.repository")
_NAMES = {
    "member": MEMBER,
    "readable": f"{_OF_BRANCH})",
    "writable": f"{_OF_BRANCH} AND g.may_push)",
    "admissible": f"{_GRANT.format('files.repository')} AND g.may_push)",
    "readable_notes": f"{_OF_NOTE})",
    "writable_notes": f"{_OF_NOTE} AND g.may_push)",
}
"""Conditions of policies, and the role, by their names in braces in the files."""


def migrations(version: int) -> list[str]:
    """Return the statements that lead from a version to this one, each to the next."""
    return [_statements(name) for name in _MIGRATIONS[version:]]


def member_role() -> str:
    """Return the statements that make the role of members, where there is none."""
    return _statements("member")


def vectors_table(schema: str) -> str:
    """Return the statements that make the table of vectors, pgvector being in a schema."""
    return _statements("vectors", vector=schema)


def _statements(name: str, **names: str) -> str:
    text = Path(__file__).with_name(f"{name}.sql").read_text("utf-8")
    return text.format(**_NAMES, **names)
