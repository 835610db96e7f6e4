"""Names and lines of the workspace in a terminal: no escape sequence, line end or bidi mark."""

import json
import re
import subprocess
from pathlib import Path

import pytest

from packhound.redact import visible_text
from tests.support.command_line import packhound

# Clears the screen and sets the title, forges a line, reverses what follows, C1's CSI, hides; and
# the marks of the library that prints styles.
EVIL = "\x1b[2J\x1b]0;owned\x07\nforged.py:1\r\u202egnp.\x9b31m\u2066\u200b[red]"
WORSE = f"{EVIL}[/green][link=file:x]"
NAME = f"door{EVIL}.py"
SOURCE = f"""def open_latch(key):
    \"\"\"Open the latch {WORSE} slowly.\"\"\"
    return "{WORSE}".strip()


def use_latch():
    return open_latch(1)
"""


@pytest.fixture(scope="module")
def evil_root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that only these tests read, with its index beside it."""
    root = tmp_path_factory.mktemp("evil") / "rooms"
    root.mkdir()
    (root / NAME).write_text(SOURCE, newline="")
    (root / f"notes{EVIL}.md").write_text(
        f"# Latch {WORSE}\n\nopen the latch {WORSE}\n", newline=""
    )
    (root / ".packhound.toml").write_text('bogus = "\\u202e\\u001b[2J[red][/green]"\n')
    name = ["-c", "user.name=Eve\x1b[2J", "-c", "user.email=eve@example.invalid"]
    for command in (["init", "-q"], ["add", "."], [*name, "commit", "-qm", f"Begin {WORSE}"]):
        subprocess.run(["git", "-C", root, *command], check=True)
    with (root / NAME).open("a") as file:
        file.write(f"\n\ndef close_latch():\n    return {WORSE!r}\n")
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
        ["symbol", "latch"],
        ["changes"],
        ["show", "open_latch"],
        ["pack", "open the latch"],
        ["related", f"{NAME}:1"],
        ["outline"],
        ["skills", "open the latch"],
        ["status"],
        ["doctor"],
        ["index"],
        ["index", "--verify"],
        ["config"],
        ["search", "latch", "--focus", f"nowhere{EVIL}.py"],
        ["memory", "add", "insight", f"latch {EVIL}", f"Careful {EVIL}", "--code", "open_latch"],
        ["memory", "show", f"nothing{EVIL}"],
        ["show", "open_latch", NAME],
        ["search", "latch", f"--set=search.limit={WORSE}"],
        ["search", f"kind:{WORSE} latch"],
        ["grep", f"latch({EVIL}"],
        ["eval", "--history"],
        ["no such", f"command{EVIL}"],
        [NAME],
    ],
    ids=lambda command: " ".join(command).replace(EVIL, "*"),
)
def test_nothing_of_the_workspace_steers_the_terminal(command: list[str], evil_root: Path) -> None:
    done = packhound(evil_root.parent, *command, "--root", str(evil_root))
    printed = done.stdout + done.stderr
    assert_harmless(printed)
    assert not re.search(r"^forged\.py", printed, re.MULTILINE) or command[0] in ("show", "pack")


def assert_harmless(printed: str) -> None:
    assert printed.strip()
    assert "Traceback" not in printed
    assert printed == visible_text(printed)


def test_the_answers_of_a_batch_do_not_either(evil_root: Path) -> None:
    lines = f"{json.dumps({'query': 'latch'})}\n{json.dumps({'query': 'latch', EVIL: EVIL})}\n"
    done = packhound(evil_root.parent, "search", "--batch=-", "--root", str(evil_root), stdin=lines)
    assert_harmless(done.stdout)
    assert_harmless(done.stderr)
    assert json.loads(done.stdout.splitlines()[0])["hits"]


def test_marks_of_styles_are_printed_as_they_are(evil_root: Path) -> None:
    done = packhound(
        evil_root.parent, "search", "open the latch", "--snippet=9", "--root", str(evil_root)
    )
    assert "[red].py:1-5" in done.stdout
    assert "[red][/green][link=file:x]" in done.stdout


def test_json_keeps_the_name_as_it_is(evil_root: Path) -> None:
    done = packhound(evil_root.parent, "search", "open latch", "--json", "--root", str(evil_root))
    assert NAME in {hit["path"] for hit in json.loads(done.stdout)["hits"]}
