"""The end of a command while a thread is in native code."""

from __future__ import annotations

import subprocess
import sys

import pytest

_MODEL = "index/vectors/int8_matmul.onnx"
_COMMAND = f"""
import sys, threading
from pathlib import Path
import onnxruntime, packhound
from packhound.cli import run

model = str(Path(packhound.__file__).parent / "{_MODEL}")
loaded = threading.Event()

def load():
    while True:
        onnxruntime.InferenceSession(model)
        loaded.set()

threading.Thread(target=load, daemon=True).start()
loaded.wait()
sys.argv = ["packhound", *sys.argv[1:]]
run()
"""


@pytest.mark.parametrize(("argument", "code"), [("--version", 0), ("--no-such-option", 2)])
def test_a_command_ends_with_its_own_code_while_a_model_is_loaded(argument: str, code: int) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", _COMMAND, argument], capture_output=True, text=True, check=False
    )
    assert (ended.returncode, "terminate" in ended.stderr) == (code, False)
    assert ("packhound, version" in ended.stdout) is (code == 0)
