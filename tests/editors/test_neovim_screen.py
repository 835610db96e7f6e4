"""A new user's way through the Neovim plugin, typed into a terminal, with a picture of each step.

PACKHOUND_SCREENSHOTS keeps the pictures, as text.
"""

from __future__ import annotations

import re
import shlex
import shutil
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from tests.support.editor_clients import CHECKOUT, missing, program, unpack_plugins
from tests.support.screen import Screen

# Out of a list, in whatever mode it is.
CLOSE = ("C-\\", "C-n", ":q", "Enter")

STEPS = (
    # A name, what is typed, what the screen shows then.
    ("start", (), r"(?s)class GaveUpError.*packhound ✓"),
    ("search", (":Packhound search", "Enter"), r"Packhound"),
    ("typed", ("send a request again after a growing delay",), r"> send_with_retries  .*says"),
    ("next", ("Down",), r"> backoff_delays"),
    ("opened", ("Up", "Enter"), r"26,5"),
    ("hover", ("K",), r"for .*closest in meaning"),
    (
        "filter",
        (":Packhound search kind:class cache", "Enter"),
        r"AnswerCache  courier/cache\.py:16",
    ),
    ("nothing", (*CLOSE, ":Packhound search path:nowhere/** cache", "Enter"), r"note: .*nowhere"),
    ("nonsense", (*CLOSE, ":Packhound search flibber gromp zwackle", "Enter"), r"weak|note: "),
    (
        "lines",
        (*CLOSE, r":Packhound grep raise \w+Error", "Enter"),
        r"4 lines in 3 files",
    ),
    ("pattern", ("(",), r"missing \)"),
    ("lines-again", ("BSpace",), r"4 lines in 3 files"),
    ("marked", ("Down", "Tab", "Tab", "C-q"), r"(?m)^\S+\|\d+ col .*\n\S+\|\d+ col .*\n~"),
    ("closed", (":cclose", "Enter", ":e courier/retry.py", "Enter", "18G0w"), r"18,5"),
    (
        "why",
        (":Packhound why drop stale answers", "Enter"),
        r"#\d+.*\n(.*\n)*.*details",
    ),
    ("entered", (":Packhound why drop stale answers", "Enter"), r"\[Scratch\]"),
    ("numbers", ("Tab",), r"Meaning"),
    ("related", ("q", ":Packhound related", "Enter"), r"│> \w+"),
    (
        "about",
        (*CLOSE, ":Packhound about", "Enter"),
        r"> backoff_delays  .*retry\.py:18",
    ),
    (
        "like",
        (*CLOSE, "/raise Assertion", "Enter", ":Packhound like", "Enter"),
        r"the shape 'raise \$CALL'",
    ),
    ("holes", ("Up",), r"> \$CALL: "),
    ("values", ("Enter",), r"what \$CALL is"),
    ("narrowed", ("Enter",), r"Packhound: \$CALL = "),
    ("calls", (*CLOSE, "18G0w", ":Packhound symbol", "Enter"), r"called by  send_with_retries"),
    ("tests", (*CLOSE, ":Packhound tests", "Enter"), r"test  test_delays_grow"),
    ("note", (*CLOSE, ":Packhound note insight keep the jitter", "Enter"), r"noted on"),
    ("notes", (":Packhound notes", "Enter"), r"> backoff_delays|> .*keep the jitter"),
    ("note-page", ("Enter",), r"keep the jitter"),
    ("note-found", (":Packhound search type:note jitter", "Enter"), r"> .*jitter"),
    (
        "changes",
        (
            *CLOSE,
            ":e courier/retry.py",
            "Enter",
            ":20s/$/ * 2",
            "Enter",
            ":Packhound changes",
            "Enter",
        ),
        r"changed  backoff_delays",
    ),
    ("review", (*CLOSE, ":Packhound review budget=900", "Enter"), r"of 900 tokens"),
    (
        "pack",
        (":bd!", "Enter", ":Packhound pack budget=900 mend the retries", "Enter"),
        r"# mend the retries",
    ),
    ("map", (":bd!", "Enter", ":Packhound map budget=900", "Enter"), r"### Map"),
    (
        "saved",
        (":bd!", "Enter", ":Packhound save stale answers", "Enter", ":Packhound saved", "Enter"),
        r"> stale answers",
    ),
    ("asked-again", ("Enter",), r"> AnswerCache\.drop_expired"),
    ("status", (*CLOSE, ":Packhound status", "Enter"), r"definitions"),
    ("health", ("Enter", ":checkhealth packhound", "Enter"), r"OK"),
    ("help", (":q", "Enter", ":help packhound", "Enter"), r"packhound-install"),
    ("wrong", (":q", "Enter", ":Packhound serach", "Enter"), r"expected one of"),
)

pytestmark = pytest.mark.editors


@pytest.fixture
def neovim(
    workspace: Path, server_command: list[str], editor_env: dict[str, str], tmp_path: Path
) -> Iterator[Screen]:
    """A Neovim whose plugins lazy.nvim has from clones, and the server from the PATH."""
    if not shutil.which("tmux"):
        missing("tmux")
    server = tmp_path / "bin" / "packhound"
    server.parent.mkdir()
    server.write_text(f'#!/bin/sh\nexec {shlex.join(server_command)} "$@"\n')
    server.chmod(0o755)
    lazy, plenary, telescope = unpack_plugins(
        tmp_path, "lazy.nvim", "plenary.nvim", "telescope.nvim"
    )
    # A copy, so that help tags are not written into the checkout.
    plugin = shutil.copytree(CHECKOUT / "neovim", tmp_path / "neovim")
    init = tmp_path / "init.lua"
    init.write_text(
        f"""
        vim.opt.rtp:prepend('{lazy}')
        require('lazy').setup({{
          {{ dir = '{plenary}' }},
          {{ dir = '{telescope}' }},
          {{ dir = '{plugin}', config = function() require('packhound').setup() end }},
        -- The launcher has its parsers there.
        }}, {{ performance = {{ rtp = {{ reset = false }} }} }})
        vim.cmd.helptags('{plugin}/doc')
        vim.o.statusline = "%f %l,%c %=%{{v:lua.require'packhound'.statusline()}}"
        vim.o.laststatus, vim.o.swapfile = 3, false
        """
    )
    env = {**editor_env, "PATH": f"{server.parent}:{editor_env['PATH']}", "TERM": "xterm-256color"}
    # It would start its core as a program of its own, and the launcher's loader hides which one.
    nvim, pipe = program("nvim-new"), tmp_path / "pipe"
    core = f"{nvim} --headless --listen {pipe} -u {init} -i NONE courier/retry.py"
    wait = f"until [ -S {pipe} ]; do sleep 0.1; done"
    window = f"{core} & {wait}; exec {nvim} --server {pipe} --remote-ui"
    screen = Screen(tmp_path / "tmux", ["sh", "-c", window], env, workspace)
    try:
        yield screen
    finally:
        screen.close()


def test_a_new_user_sees_what_he_asks_for(neovim: Screen, pictures: Path) -> None:
    for number, (name, typed, pattern) in enumerate(STEPS, 1):
        for keys in typed:
            neovim.type(keys)
        text = neovim.until(partial(re.search, pattern), f"{name}: {pattern}")
        (pictures / f"neovim-{number:02}-{name}.txt").write_text(text)
