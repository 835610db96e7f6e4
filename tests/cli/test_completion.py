"""Completion in the shell: a script for each, and what it is answered."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from click.shell_completion import ShellComplete

from packhound.cli.commands import main
from tests.support.command_line import packhound


def complete(*words: str) -> list[tuple[str, str]]:
    *arguments, incomplete = words
    items = ShellComplete(main, {}, "packhound", "_PACKHOUND_COMPLETE").get_completions(
        list(arguments), incomplete
    )
    return [(item.type, item.value) for item in items]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_each_shell_has_a_script(tmp_path, shell) -> None:
    done = packhound(tmp_path, "completion", shell)
    assert done.returncode == 0
    assert "packhound" in done.stdout and f"_PACKHOUND_COMPLETE={shell}_complete" in done.stdout


def test_another_shell_is_refused(tmp_path) -> None:
    done = packhound(tmp_path, "completion", "tcsh")
    assert done.returncode == 2 and "'bash', 'zsh', 'fish'" in done.stderr


def test_the_program_answers_the_script() -> None:
    environment = os.environ | {
        "_PACKHOUND_COMPLETE": "bash_complete",
        "COMP_WORDS": "packhound comp",
        "COMP_CWORD": "1",
    }
    code = "from packhound.cli.commands import main; main(prog_name='packhound')"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, env=environment)
    assert done.stdout.decode().strip() == "plain,completion"


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("sea",), ("plain", "search")),
        (("search", "--mo"), ("plain", "--mode")),
        (("search", "--mode", "d"), ("plain", "dense")),
        (("search", "--root", "sr"), ("dir", "sr")),
        (("search", "--batch", "q"), ("file", "q")),
        (("search", "--set", "search.lim"), ("plain", "search.limit=")),
        (("explain", "query", "src/"), ("file", "src/")),
        (("related", "src/"), ("file", "src/")),
        (("pack", "prompt", "--pin", "src/"), ("file", "src/")),
        (("agents", "ins"), ("plain", "install")),
        (("outl",), ("plain", "outline")),
        (("outline", "src/"), ("file", "src/")),
        (("grep", "--case", "sm"), ("plain", "smart")),
        (("search", "--kind", "cl"), ("plain", "class")),
        (("search", "--focus", "src/"), ("file", "src/")),
        (("memory", "reca"), ("plain", "recall")),
        (("memory", "list", "--type", "st"), ("plain", "stash")),
        (("mcp", "src/"), ("dir", "src/")),
        (("completion", "z"), ("plain", "zsh")),
    ],
)
def test_commands_options_and_paths_are_completed(words, expected) -> None:
    assert expected in complete(*words)
