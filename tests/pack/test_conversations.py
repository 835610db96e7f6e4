"""What conversations have been sent: bounded, private, and there after a restart."""

from __future__ import annotations

import stat
import sys
from pathlib import Path

import pytest

from packhound.pack.conversations import CONVERSATIONS_FILE, Conversations
from tests.support.command_line import packhound
from tests.support.lsp_client import write_files

KEY = ("a.py", bytes(16))
CODE = 'def unlock(door):\n    """Unlock the front door."""\n    return door.key.turn()\n'
REQUEST = {"prompt": "unlock the front door", "conversation": "moving in"}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "cache" / CONVERSATIONS_FILE


def test_a_conversation_is_over_after_a_week(file: Path) -> None:
    now = [1_000.0]
    conversations = Conversations(file, clock=lambda: now[0])
    conversations.remember("c", [(KEY, 2)])
    now[0] += 6 * 86_400
    assert Conversations(file, clock=lambda: now[0]).sent_tiers("c") == {KEY: 2}
    conversations.remember("c", [(KEY, 1)])
    now[0] += 6 * 86_400
    assert conversations.sent_tiers("c") == {KEY: 2}
    now[0] += 2 * 86_400
    assert (
        conversations.sent_tiers("c")
        == {}
        == Conversations(file, clock=lambda: now[0]).sent_tiers("c")
    )


def test_two_processes_follow_each_other(file: Path) -> None:
    first, second = Conversations(file), Conversations(file)
    first.remember("c", [(KEY, 0)])
    second.remember("d", [(KEY, 3)])
    assert second.sent_tiers("c") == {KEY: 0} and first.sent_tiers("d") == {KEY: 3}
    second.clear()
    assert first.sent_tiers("c") == {} and not file.exists()


@pytest.mark.skipif(sys.platform == "win32", reason="modes and links")
def test_the_file_is_this_users_alone(file: Path, tmp_path: Path) -> None:
    conversations = Conversations(file)
    conversations.remember("c", [(KEY, 0)])
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    (tmp_path / "other").write_text("text")
    file.unlink()
    file.symlink_to(tmp_path / "other")
    assert conversations.sent_tiers("c") == {KEY: 0}
    conversations.remember("c", [(KEY, 1)])
    assert (tmp_path / "other").read_text() == "text" and not file.is_symlink()


@pytest.mark.parametrize("content", ["", "{", "[1]", '[["c", 1, [["a", "zz", 0]]]]', "null"])
def test_a_damaged_file_is_no_conversation(file: Path, content: str) -> None:
    file.parent.mkdir()
    file.write_text(content)
    conversations = Conversations(file)
    assert conversations.sent_tiers("c") == {}
    conversations.remember("c", [(KEY, 0)])
    assert Conversations(file).sent_tiers("c") == {KEY: 0}


def test_the_oldest_are_dropped(file: Path) -> None:
    conversations = Conversations(file)
    for number in range(70):
        conversations.remember(f"c{number}", [(KEY, 0)])
    assert conversations.sent_tiers("c5") == {} and Conversations(file).sent_tiers("c69") == {
        KEY: 0
    }
    many = [((f"{number}.py", bytes(16)), 0) for number in range(20_001)]
    conversations.remember("long", many)
    assert len(conversations.sent_tiers("long")) == 20_000 and conversations.sent_tiers("c69") == {}


def test_the_command_line_goes_on_where_it_was(tmp_path: Path) -> None:
    folder = write_files(tmp_path / "house", {"door.py": CODE})
    command = ("pack", REQUEST["prompt"], "--root", str(folder), "--conversation")
    assert "key.turn()" in packhound(tmp_path, *command, REQUEST["conversation"]).stdout
    again = packhound(tmp_path, *command, REQUEST["conversation"]).stdout
    assert "key.turn()" not in again and "Sent before and unchanged: door.py" in again
    assert "key.turn()" in packhound(tmp_path, *command, "another").stdout
    assert not packhound(tmp_path, "clear", "--activation", "--root", str(folder)).returncode
    assert "key.turn()" in packhound(tmp_path, *command, REQUEST["conversation"]).stdout
