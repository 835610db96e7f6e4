"""A process that has imported `packhound`, loaded its models, and forks for each start."""

from __future__ import annotations

import gc
import importlib
import os
import pkgutil
import runpy
import sys
from pathlib import Path

import onnxruntime  # noqa: F401 - no fork need import what these do
import rich.live
import rich.progress
import rich.table  # noqa: F401
import tokenizers  # noqa: F401

import packhound.cli.commands
import packhound.lsp.handlers.registry

sys.path.append(str(Path(__file__).parents[2]))
from tests.support.fork_server import serve
from tests.support.models import load_models
from tests.support.parsers import CHILD, fork_parsers
from tests.support.program import forks

sys.path.pop()


def import_packages() -> None:
    """Import what each package exports, most of which is imported when it is first used."""
    for module in pkgutil.walk_packages(packhound.__path__, "packhound."):
        if module.ispkg:
            package = importlib.import_module(module.name)
            for name in getattr(package, "__all__", ()):
                getattr(package, name)


import_packages()
fork_parsers()
forks(CHILD)  # All forks ask the same one.
models = load_models()
gc.freeze()  # Else each fork copies what it looks through for garbage.
sys.argv[1:] = serve()
sys.path[0] = os.getcwd()
sys.path[1:1] = filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))
runpy.run_module("packhound", run_name="__main__", alter_sys=True)
