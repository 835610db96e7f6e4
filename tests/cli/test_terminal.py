"""Names and lines of the workspace in a terminal: no escape sequence, line end or bidi mark."""

import json
import re
import subprocess
from pathlib import Path

import pytest

from packhound.redact import visible_text
from tests.support.command_line import packhound

# Clears the screen and sets the title, forges a line, reverses what follows, C1's CSI, hides.
EVIL = "\x1b[2J\x1b]0;owned\x07\nforged.py:1\r\u202egnp.\x9b31m\u2066\u200b"
NAME = f"door{EVIL}.py"
SOURCE = f"""def open_latch(key):
    \"\"\"Open the latch {EVIL} slowly.\"\"\"
    return "{EVIL}".strip()


def use_latch():
    return open_latch(1)
"""


@pytest.fixture
def evil_root(tmp_path: Path) -> Path:
    root = tmp_path / "rooms"
    root.mkdir()
    (root / NAME).write_text(SOURCE, newline="")
    (root / f"notes{EVIL}.md").write_text(f"# Latch {EVIL}\n\nopen the latch {EVIL}\n", newline="")
    (root / ".packhound.toml").write_text('bogus = "\\u202e\\u001b[2J"\n')
    name = ["-c", "user.name=Eve\x1b[2J", "-c", "user.email=eve@example.invalid"]
    for command in (["init", "-q"], ["add", "."], [*name, "commit", "-qm", f"Begin {EVIL}"]):
        subprocess.run(["git", "-C", root, *command], check=True)
    with (root / NAME).open("a") as file:
        file.write(f"\n\ndef close_latch():\n    return {EVIL!r}\n")
    return root


@pytest.mark.parametrize(
    "command",
    [
        ["search", "open the latch"],
        ["search", "open the latch", "--json"],
        ["search", "open the latch", "--show-scores", "--git"],
        ["search", "open the latch", "--files", "--snippet", "20"],
        ["search", "latch type:commit,code"],
        ["grep", "latch"],
        ["grep", "latch", "-C", "2", "--json"],
        ["grep", "latch", "-c"],
        ["explain", "open latch", f"{NAME}:1"],
        ["symbol", "open_latch"],
        ["changes"],
        ["show", "open_latch"],
        ["pack", "open the latch"],
        ["status"],
        ["doctor"],
        ["index"],
        ["index", "--verify"],
        ["config"],
        ["search", "latch", "--focus", f"nowhere{EVIL}.py"],
        ["memory", "add", "insight", f"latch {EVIL}", f"Careful {EVIL}", "--code", "open_latch"],
        ["memory", "show", f"nothing{EVIL}"],
        ["no such", f"command{EVIL}"],
    ],
    ids=lambda command: " ".join(command).replace(EVIL, "*"),
)
def test_nothing_of_the_workspace_steers_the_terminal(
    command: list[str], tmp_path: Path, evil_root: Path
) -> None:
    done = packhound(tmp_path, *command, "--root", str(evil_root))
    printed = done.stdout + done.stderr
    assert printed.strip()
    assert "Traceback" not in printed
    assert printed == visible_text(printed)
    assert not re.search(r"^forged\.py", printed, re.MULTILINE) or command[0] in ("show", "pack")


def test_json_keeps_the_name_as_it_is(tmp_path: Path, evil_root: Path) -> None:
    done = packhound(tmp_path, "search", "open latch", "--json", "--root", str(evil_root))
    assert NAME in {hit["path"] for hit in json.loads(done.stdout)["hits"]}
