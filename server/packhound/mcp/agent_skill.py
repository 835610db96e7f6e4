"""The skill of Packhound's own that agents read: when to ask which tool."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

from packhound.core.errors import SettingsError
from packhound.mcp.agent_configs import Agent, Change

_DIGEST = re.compile(r"metadata:\n  digest: ([0-9a-f]{16})\n")


def plan_skill(agent: Agent, *, install: bool) -> Change | None:
    """Return the change that adds the skill, or removes it; None for an agent that reads none.

    One that somebody else wrote or edited stays. Raises SettingsError where it cannot be read.
    """
    if agent.skills is None:
        return None
    path = agent.skills / "packhound" / "SKILL.md"
    before = _read(path)
    is_foreign = before is not None and not _is_own(before)
    after = before if is_foreign else skill_text() if install else None
    return Change(agent.name, path, before, after)


def skill_text() -> str:
    """Return the skill with the digest of its text, which tells whether it was edited."""
    text = Path(__file__).with_suffix(".md").read_text("utf-8")
    return text.replace("\n---\n", f"\nmetadata:\n  digest: {_digest(text)}\n---\n", 1)


def _is_own(text: str) -> bool:
    match = _DIGEST.search(text)
    return match is not None and match[1] == _digest(text.replace(match[0], "", 1))


def _digest(text: str) -> str:
    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()


def _read(path: Path) -> str | None:
    try:
        return path.read_bytes().decode("utf-8")
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as problem:
        raise SettingsError(f"'{path}' cannot be read: {problem}") from None
