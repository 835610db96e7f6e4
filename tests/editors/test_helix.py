"""The configuration of docs/helix.md in a real Helix, looked at through tmux."""

from __future__ import annotations

import re
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.support.editor_clients import CHECKOUT, missing, program
from tests.support.screen import PATIENCE_S, Screen

pytestmark = pytest.mark.editors


@pytest.fixture
def start_helix(
    server_command: list[str], editor_env: dict[str, str], tmp_path: Path
) -> Iterator[Callable[..., Screen]]:
    """A function that starts Helix in a folder with a file of it."""
    if not shutil.which("tmux"):
        missing("tmux")
    hx = program("hx")
    (documented,) = re.findall(r"```toml\n(.*?)```", (CHECKOUT / "docs/helix.md").read_text(), re.S)
    python, *arguments = [*server_command, "lsp"]
    configuration = documented.replace('command = "packhound"', f'command = "{python}"').replace(
        'args = ["lsp"]', f"args = {arguments!r}".replace("'", '"')
    )
    assert configuration != documented
    folder = Path(editor_env["XDG_CONFIG_HOME"]) / "helix"
    folder.mkdir(parents=True)
    (folder / "languages.toml").write_text(configuration)
    screens: list[Screen] = []

    def start(root: Path, file: str) -> Screen:
        command = [hx, "-w", str(root), str(root / file)]
        screens.append(Screen(tmp_path / "tmux", command, editor_env))
        return screens[-1]

    try:
        yield start
    finally:
        for screen in screens:
            screen.close()


@pytest.fixture
def helix(workspace: Path, start_helix: Callable[..., Screen]) -> Screen:
    return start_helix(workspace, "courier/retry.py")


def soon(condition: Callable[[], bool], seconds: float = 10.0) -> bool:
    """Waits for a state; False if it does not come, as where a key was lost."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.05)
    return True


def open_symbols(helix: Screen, query: str) -> None:
    """Opens the picker of workspace symbols; a server that is still starting is asked again."""
    end = time.monotonic() + PATIENCE_S
    while True:
        helix.keys("Escape")
        soon(lambda: not any(corner in helix.text() for corner in "┌╭"))
        helix.keys(" ")
        if soon(lambda: "Space" in helix.text()):
            helix.keys("S")
        # A picker counts its rows.
        if soon(lambda: bool(re.search(r"\d+/\d+", helix.text()))):
            break
        assert time.monotonic() < end, helix.text()
    helix.keys("-l", query)


def find_symbol(helix: Screen, query: str, row: str) -> None:
    """Opens the picker until it has a row: Helix asks once, and a first reading may take longer."""
    end = time.monotonic() + PATIENCE_S
    while True:
        open_symbols(helix, query)
        if soon(lambda: row in helix.text()):
            break
        assert time.monotonic() < end, f"no {row} for {query}; the screen:\n{helix.text()}"


def test_the_documented_configuration_attaches_searches_and_hovers(helix: Screen) -> None:
    helix.until(lambda text: "retry.py" in text, "the file")

    find_symbol(helix, "AnswerCache", "cache.py")
    helix.keys("Enter")
    helix.until(lambda text: "NOR   courier/cache.py" in text, "the file of the symbol")

    # Decorators belong to a definition, so the cursor may stand above its name.
    helix.keys(" ", "k")
    helix.until(lambda text: "named AnswerCache" in text, "the explanation")
    helix.keys("Escape")

    find_symbol(helix, "doubled every time with some jitter", "backoff_delays")
    helix.keys("Escape", "Escape")
    helix.keys("-l", ":q!")
    helix.keys("Enter")


def test_a_folder_without_git_is_searched_by_its_manifest(
    workspace: Path, start_helix: Callable[..., Screen]
) -> None:
    shutil.rmtree(workspace / ".git")
    (workspace / "Makefile").touch()
    helix = start_helix(workspace, "courier/retry.py")
    helix.until(lambda text: "searches that of retry.py" in text, "which folder is searched")
    find_symbol(helix, "AnswerCache", "cache.py")


def test_a_file_without_a_project_says_that_it_is_searched_alone(
    workspace: Path, start_helix: Callable[..., Screen]
) -> None:
    shutil.rmtree(workspace / ".git")
    helix = start_helix(workspace, "courier/retry.py")
    helix.until(lambda text: "open files alone" in text, "that only open files are searched")
    find_symbol(helix, "backoff", "function backoff_delays")
