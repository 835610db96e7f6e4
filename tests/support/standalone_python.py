"""A Python in the layout of python-build-standalone, made of the one that runs the tests."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
import sysconfig
import tarfile
from pathlib import Path

MINOR = sysconfig.get_python_version()
# What neither the published archives nor a server of them have.
LEFT_OUT = shutil.ignore_patterns(
    "__pycache__", "config-*", "dist-packages", "site-packages", "test"
)


def make_archive(folder: Path) -> tuple[str, str]:
    """Return the address of an archive and its digest, as `bundle.py --interpreter` takes them."""
    python = folder / "python"
    (python / "bin").mkdir(parents=True)
    program = python / "bin" / f"python{MINOR}"
    shutil.copy(Path(sys._base_executable).resolve(), program)
    (python / "bin" / "python3").symlink_to(program.name)
    library = python / "lib" / f"python{MINOR}"
    shutil.copytree(sysconfig.get_path("stdlib"), library, ignore=LEFT_OUT)
    for modules in library.glob("lib-dynload/*.so"):
        strip(modules)
    loaded = Path(sysconfig.get_config_var("LIBDIR"), f"libpython{MINOR}.so.1.0")
    if sysconfig.get_config_var("Py_ENABLE_SHARED"):
        strip(Path(shutil.copy(loaded, python / "lib")))
        subprocess.run(["patchelf", "--set-rpath", "$ORIGIN/../lib", program], check=True)
    archive = folder / "python.tar.gz"
    with tarfile.open(archive, "w:gz") as files:
        files.add(python, "python")
    return archive.as_uri(), hashlib.sha256(archive.read_bytes()).hexdigest()


def strip(library: Path) -> None:
    """Take the symbols that only a debugger reads out of a library."""
    subprocess.run(["strip", "--strip-unneeded", library], check=True)
