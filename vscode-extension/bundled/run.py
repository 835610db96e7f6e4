"""Run the server that this VSIX carries: `python run.py lsp`, with a Python of a carried minor."""

import runpy
import sys
from pathlib import Path

# Old Pythons read this file too, so that they can be told what is missing.
LIBS = Path(__file__).resolve().parent / "libs"
COMPILED = LIBS / "cp{}{}".format(*sys.version_info[:2])

if __name__ == "__main__":
    if not COMPILED.is_dir():
        carried = ", ".join(sorted(folder.name for folder in LIBS.glob("cp3*")))
        sys.exit(f"this Python is {sys.version.split()[0]}; the server is carried for: {carried}")
    # In front, and without this file's folder.
    sys.path[0:1] = [str(LIBS / "any"), str(COMPILED)]
    runpy.run_module("packhound", run_name="__main__", alter_sys=True)
