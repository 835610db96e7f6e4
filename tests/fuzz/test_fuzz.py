"""Every target holds: for inputs drawn at random, and in the slow run for those of a fuzzer."""

from __future__ import annotations

import importlib.util
import random
import subprocess
import sys
from pathlib import Path

import pytest

from tests.fuzz.targets import NAMES, target
from tests.support.release import seed, size

REPOSITORY = Path(__file__).parents[2]
INPUTS = 40
FUZZED_S = 15


@pytest.fixture(autouse=True, scope="module")
def cache(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PACKHOUND_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.mark.parametrize("name", NAMES)
def test_random_inputs_break_nothing(name: str) -> None:
    one, draw = target(name), random.Random(f"{name}{seed() or ''}")
    for _ in range(size(INPUTS)):
        one(draw.randbytes(draw.randrange(200)))


@pytest.mark.release
@pytest.mark.skipif(not importlib.util.find_spec("atheris"), reason="atheris is not installed")
@pytest.mark.parametrize("name", NAMES)
def test_a_fuzzer_breaks_nothing(name: str, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tests.fuzz.fuzz", "--kept", tmp_path]
    fuzzed = subprocess.run(
        [*command, "--seconds", str(size(FUZZED_S)), "--seed", str(seed(1)), name],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        check=False,
    )
    assert fuzzed.returncode == 0, fuzzed.stderr[-5_000:]
