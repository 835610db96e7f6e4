"""The Lua of `docs/install.md`, each way in a real Neovim with a clone where the page puts it."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from tests.support.editor_clients import CHECKOUT, program, unpack_plugins

PATIENCE_S = 120
CHECK = """
local installed = vim.fn.exists(':Packhound') == 2 and require('packhound').search ~= nil
io.stdout:write(installed and 'INSTALLED' or 'MISSING')
vim.cmd(installed and 'quitall!' or 'cquit')
"""

pytestmark = pytest.mark.editors


def snippet(first_words: str) -> str:
    """The block of the page that begins so."""
    blocks = re.findall(r"```lua\n(.*?)```", (CHECKOUT / "docs" / "install.md").read_text(), re.S)
    (block,) = (block for block in blocks if block.startswith(first_words))
    return block


@pytest.fixture
def home(editor_env: dict[str, str]) -> Path:
    """A home with a clone."""
    folder = Path(editor_env["HOME"])
    clone = folder / "src" / "packhound"
    subprocess.run(["git", "clone", "--quiet", CHECKOUT, clone], check=True)
    return folder


@pytest.mark.parametrize("nvim", ["nvim-0.10", "nvim-new"])
def test_without_a_package_manager(nvim: str, home: Path, editor_env: dict[str, str]) -> None:
    assert installs(nvim, snippet("vim.opt"), home, editor_env)


def test_with_vim_pack(home: Path, editor_env: dict[str, str]) -> None:
    # It asks before it clones, and nobody is there to answer.
    yes = "vim.fn.confirm = function() return 1 end\n"
    assert installs("nvim-new", yes + snippet("vim.pack"), home, editor_env)


def test_with_mini_deps(home: Path, editor_env: dict[str, str]) -> None:
    begin = manager(home, "mini.nvim") + "require('mini.deps').setup()\n"
    assert installs("nvim-new", begin + snippet("MiniDeps"), home, editor_env)


@pytest.mark.parametrize("nvim", ["nvim-0.10", "nvim-new"])
def test_with_lazy_nvim(nvim: str, home: Path, editor_env: dict[str, str]) -> None:
    spec = snippet("{\n  dir")
    setup = f"require('lazy').setup({{ {spec} }})\n"
    assert installs(nvim, manager(home, "lazy.nvim") + setup, home, editor_env)


def manager(home: Path, name: str) -> str:
    """The Lua that puts a manager of plugins on Neovim's path."""
    (folder,) = unpack_plugins(home, name)
    return f"vim.opt.rtp:prepend('{folder}')\n"


def installs(nvim: str, lua: str, home: Path, env: dict[str, str]) -> bool:
    """Starts Neovim with this `init.lua`; True if the plugin is there afterwards."""
    init, check = home / "init.lua", home / "check.lua"
    init.write_text(lua)
    check.write_text(CHECK)
    done = subprocess.run(
        [program(nvim), "--headless", "-u", init, "-i", "NONE", "-n", "-S", check],
        env=env,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
    )
    assert "INSTALLED" in done.stdout, done.stdout + done.stderr
    return done.returncode == 0
