from __future__ import annotations

import subprocess

import pytest

from packhound.parsing.pool import worker


@pytest.fixture(autouse=True)
def _parsers_as_everywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """Start parsers as users do: other tests have them forked."""
    monkeypatch.setattr(worker, "subprocess", subprocess)
