"""Stores whose bulk is in the database, in files of rows, or in both."""

from __future__ import annotations

import pytest

from packhound.storage import bulk_rows
from tests.support.index_child import BULK


@pytest.fixture(
    params=[
        pytest.param(None, id="in the database", marks=pytest.mark.slow),
        pytest.param(0, id="in files", marks=pytest.mark.slow),
        pytest.param(133_000, id="in both"),
    ]
)
def bulk(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Bytes of bulk in the database, here and in child processes."""
    if request.param is not None:
        monkeypatch.setattr(bulk_rows, "MAX_BYTES", request.param)
        monkeypatch.setenv(BULK, str(request.param))
