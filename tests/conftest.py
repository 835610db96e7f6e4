from __future__ import annotations

import gc
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.support.models import load_models

# Installed modules are compiled. A shell that sets this has each of some thousand processes compile
# those of this checkout anew, which doubles what the tests cost.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# Tests assert no time, and a busy machine draws examples slowly.
settings.register_profile("any load", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any load")

# Programs that `dev.py` has installed beside the interpreter, such as ripgrep.
os.environ["PATH"] += f"{os.pathsep}{Path(sys.executable).parent}"


@pytest.fixture(scope="session", autouse=True)
def _user_folders(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep the settings file, the logs and the notes of whoever runs the tests out of them."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("CONFIG", "STATE", "DATA"):
            folder = str(tmp_path_factory.mktemp(name.lower()))
            patch.setenv(f"PACKHOUND_{name}_DIR", os.environ.get(f"PACKHOUND_{name}_DIR", folder))
        yield


@pytest.fixture(scope="session", autouse=True)
def _models() -> Iterator[object]:
    """Load the models once, where this process has a share of all tests."""
    yield load_models() if "PYTEST_XDIST_WORKER" in os.environ else None


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="rewrite the golden files")


@pytest.fixture
def update_golden(request: pytest.FixtureRequest) -> bool:
    return bool(request.config.getoption("--update-golden"))


def pytest_collection_finish() -> None:
    """Leave thousands of tests out of each collection, of which every engine that ends asks two."""
    gc.freeze()
