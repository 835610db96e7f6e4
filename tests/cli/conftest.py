"""A folder of two files."""

from pathlib import Path

import pytest

from tests.support.command_line import make_house


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return make_house(tmp_path / "house")
