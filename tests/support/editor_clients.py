"""Where the editors are that `setup.sh` has set up, and what happens where one is not."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

HERE = Path(__file__).parent
CHECKOUT = HERE.parent.parent
CLIENTS = Path(os.environ.get("PACKHOUND_CLIENTS") or CHECKOUT / ".cache" / "clients").resolve()


def missing(what: str) -> None:
    """A client is not there: a failure where clients are required, else a skip."""
    message = f"{what} is missing; run tests/editors/setup.sh"
    if os.environ.get("PACKHOUND_REQUIRE_CLIENTS") == "1":
        pytest.fail(message, pytrace=False)
    pytest.skip(message)


def program(name: str) -> str:
    """The launcher of a client."""
    launcher = CLIENTS / "bin" / name
    if not launcher.is_file():
        missing(name)
    return str(launcher)
