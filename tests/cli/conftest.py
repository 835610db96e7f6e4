"""A folder of two files, and an example plugin as an installed package."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.command_line import make_house

PLUGIN = Path(__file__).parents[1] / "fixtures" / "example-plugin"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return make_house(tmp_path / "house")


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target, copy = tmp_path_factory.mktemp("site"), tmp_path_factory.mktemp("source") / "plugin"
    shutil.copytree(PLUGIN, copy)  # A build leaves files beside the sources.
    options = ("--no-deps", "--no-build-isolation", "--no-index", "--quiet", "--target")
    command = [sys.executable, "-m", "pip", "install", *options, str(target), str(copy)]
    subprocess.run(command, check=True)
    return target
