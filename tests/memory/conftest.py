from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.project import cache, engine, root

__all__ = ["cache", "engine", "root"]


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Data folder of this test alone."""
    folder = tmp_path / "data"
    monkeypatch.setenv("PACKHOUND_DATA_DIR", str(folder))
    return folder
