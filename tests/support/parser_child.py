"""A process that has imported what parsers do, and forks for each start of one."""

from __future__ import annotations

import gc
import sys
from pathlib import Path

import tree_sitter_language_pack  # noqa: F401 - no fork need import it

import packhound.parsing.pool.worker_main  # noqa: F401

sys.path.append(str(Path(__file__).parents[2]))
from tests.support.fork_server import serve

sys.path.pop()
gc.freeze()  # Else each fork copies what it looks through for garbage.
boot, *sys.argv[1:] = serve()
exec(boot)
