"""Build VSIXes with Python and the server: `python scripts/bundle.py [--target linux-x64 ...]`.

Needs npm's packages in place, uv, the package registry for the wheels of each platform, and the
archives of python-build-standalone. `bundled/python` is then a Python that has packhound installed.
With SOURCE_DATE_EPOCH set the same inputs give the same bytes.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import urllib.request
from pathlib import Path
from typing import NamedTuple

EXTENSION = Path(__file__).resolve().parent.parent
CHECKOUT = EXTENSION.parent
STAGED = (
    *("package.json", "package.nls.json", "package.nls.de.json", "l10n"),
    *("README.md", "CHANGELOG.md", "LICENSE", ".vscodeignore", "media", "dist"),
)
# The tokenizer needs the hub's client only to download, which never happens.
OVERRIDES = 'huggingface-hub; python_version < "0"\n'

# onnxruntime has no wheels for 3.14 on Intel's Macs.
PYTHON, RELEASE = "3.13.15", "20260814"
PUBLISHED = f"https://github.com/astral-sh/python-build-standalone/releases/download/{RELEASE}"


class Target(NamedTuple):
    """A platform as uv and as python-build-standalone call it, and the digest of its archive."""

    platform: str
    triple: str
    sha256: str

    @property
    def archive(self) -> str:
        """Return the address of its Python."""
        name = f"cpython-{PYTHON}%2B{RELEASE}-{self.triple}-install_only_stripped.tar.gz"
        return f"{PUBLISHED}/{name}"


TARGETS = {
    "linux-x64": Target(
        "x86_64-manylinux_2_28",
        "x86_64-unknown-linux-gnu",
        "aaca2af2ab4d7b68a712660d1334c0cfd5ec13c0312ccd30c29122d8d0342320",
    ),
    "linux-arm64": Target(
        "aarch64-manylinux_2_28",
        "aarch64-unknown-linux-gnu",
        "985efd78c1c6521b379f7c64c2a25e6a1130f07441d1af8be441aa05260886aa",
    ),
    "darwin-x64": Target(
        "x86_64-apple-darwin",
        "x86_64-apple-darwin",
        "bf87354efcd9ae517da606fcda4e3a3f0d73a6f05ca7cba3c6d3c5270074bfc8",
    ),
    "darwin-arm64": Target(
        "aarch64-apple-darwin",
        "aarch64-apple-darwin",
        "6d472fc49a4d95e58214a992c4c92aa73fe2a935837a01a9a36bab0bec6d72f3",
    ),
    "win32-x64": Target(
        "x86_64-pc-windows-msvc",
        "x86_64-pc-windows-msvc",
        "07c977bbe4abad07e3bbc314608633e6c74eab482a7bae81f4361cda970b45e6",
    ),
}

# What no server runs: of the interpreter, and of the packages installed in it.
UNUSED_OF_PYTHON = (
    *("include", "libs", "share", "Scripts", "tcl", "lib/pkgconfig", "lib/tcl*", "lib/tk*"),
    *("lib/itcl*", "lib/thread*", "lib/libtcl*", "lib/libtk*", "DLLs/_t*", "DLLs/tcl*", "DLLs/tk*"),
)
UNUSED_OF_LIBRARY = (
    *("config-*", "ensurepip", "idlelib", "lib2to3", "pydoc_data", "test", "tkinter"),
    *("turtledemo", "site-packages/*", "lib-dynload/_test*", "lib-dynload/_tkinter*"),
    *("lib-dynload/_xx*", "lib-dynload/xx*"),
)
UNUSED_OF_PACKAGES = (
    *("bin", ".lock", "**/tests", "**/*.[achHm]", "**/*.hpp", "**/*.lib", "**/*.pxd", "**/*.pyx"),
    # What the installer remembers of the machine that it ran on.
    *(f"*.dist-info/{name}" for name in ("RECORD", "direct_url.json", "uv_cache.json")),
    *("numpy/**/*.pyi", "numpy/_core/include", "numpy/f2py"),
    *(f"onnxruntime/{name}" for name in ("backend", "datasets", "quantization", "tools")),
    *("onnxruntime/transformers", "onnxruntime/Privacy.md"),
)
# A program that has the interpreter in itself is larger than one that loads it from a library.
LEAST_WHOLE_BYTES = 2_000_000


def main() -> None:
    """Build the server's wheel, unless one is named, and a VSIX for each target."""
    options = read_options()
    options.out.mkdir(parents=True, exist_ok=True)
    run("npm", "run", "build", "--", "--production", cwd=EXTENSION)
    with tempfile.TemporaryDirectory(prefix="packhound-vsix-") as scratch:
        wheel = options.wheel or build_wheel(Path(scratch, "wheel"))
        for name in options.target:
            target = TARGETS[name]
            stage = Path(scratch, name)
            stage_extension(stage)
            archive = options.interpreter or (target.archive, target.sha256)
            library = unpack_python(*archive, stage / "bundled")
            install(wheel, library, options.platform or target.platform, options.wheels)
            vsix = options.out / f"packhound-{name}.vsix"
            package(stage, name, vsix)
            sys.stdout.write(f"{vsix.name}: {vsix.stat().st_size / 1e6:.1f} MB\n")
            sys.stdout.flush()


def read_options() -> argparse.Namespace:
    """Read what to build."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--target", nargs="+", choices=TARGETS, default=list(TARGETS))
    parser.add_argument("--wheel", type=Path, help="the server's wheel, instead of building it")
    parser.add_argument("--wheels", type=Path, help="a folder of wheels that no registry has")
    parser.add_argument(
        "--interpreter",
        nargs=2,
        metavar=("URL", "SHA256"),
        help="an archive of the same layout in place of the published one, for one target",
    )
    parser.add_argument("--platform", help="another one as uv calls it, for one target")
    parser.add_argument("--out", type=Path, default=EXTENSION / "dist-vsix")
    return parser.parse_args()


def build_wheel(folder: Path) -> Path:
    """Build the server's wheel from this checkout."""
    uv("build", "--quiet", "--wheel", "--out-dir", str(folder), str(CHECKOUT))
    (wheel,) = folder.glob("*.whl")
    return wheel


def stage_extension(stage: Path) -> None:
    """Copy what a VSIX holds into a folder of its own, so that no build disturbs another."""
    (stage / "bundled").mkdir(parents=True)
    for name in STAGED:
        source = EXTENSION / name
        copy = shutil.copytree if source.is_dir() else shutil.copy
        copy(source, stage / name)


def unpack_python(url: str, sha256: str, folder: Path) -> Path:
    """Unpack the Python of an archive as `python` and return the folder of its library."""
    archive = folder / "python.tar.gz"
    with urllib.request.urlopen(url) as answer, archive.open("wb") as copy:
        shutil.copyfileobj(answer, copy)
    found = hashlib.sha256(archive.read_bytes()).hexdigest()
    if found != sha256:
        sys.exit(f"{url} has the digest {found}; {sha256} was expected")
    with tarfile.open(archive) as files:
        files.extractall(folder, filter="data")
    archive.unlink()
    python = folder / "python"
    library = next(iter(python.glob("lib/python3.*")), python / "Lib")
    drop(library, UNUSED_OF_LIBRARY)
    drop(python, UNUSED_OF_PYTHON)
    if (python / "bin").is_dir():
        keep_program(python)
    return library


def keep_program(python: Path) -> None:
    """Leave `bin/python3` alone in its folder, a file since a VSIX has no links."""
    program = (python / "bin" / "python3").resolve()
    content, mode = program.read_bytes(), program.stat().st_mode
    shutil.rmtree(python / "bin")
    (python / "bin").mkdir()
    kept = python / "bin" / "python3"
    kept.write_bytes(content)
    kept.chmod(mode)
    if len(content) > LEAST_WHOLE_BYTES:
        drop(python, ("lib/libpython*",))
    for link in [path for path in python.rglob("*") if path.is_symlink()]:
        link.unlink()


def install(wheel: Path, library: Path, platform: str, wheels: Path | None) -> None:
    """Install the server into the unpacked Python, for its minor and platform."""
    found = re.search(r"python(3\.\d+)", library.name)
    packages = library / "site-packages"
    overrides = library / "overrides.txt"
    overrides.write_text(OVERRIDES)
    uv(
        *("pip", "install", "--quiet", "--target", str(packages), "--only-binary", ":all:"),
        *("--python-version", found[1] if found else PYTHON),
        *("--python-platform", platform, "--override", str(overrides)),
        *(["--find-links", str(wheels), f"{wheel}[graph]"] if wheels else [str(wheel)]),
    )
    overrides.unlink()
    drop_grammars(packages)
    drop(packages, UNUSED_OF_PACKAGES)
    drop_unlinked(packages / "onnxruntime" / "capi")


def drop_grammars(packages: Path) -> None:
    """Delete the grammars that no language uses."""
    sys.path.insert(0, str(CHECKOUT / "server"))
    sys.dont_write_bytecode = True
    from packhound.parsing.languages import BY_NAME

    used = {language.grammar for language in BY_NAME.values()}
    for binding in (packages / "tree_sitter_language_pack" / "bindings").iterdir():
        if binding.suffix in (".so", ".pyd") and binding.name.split(".")[0] not in used:
            binding.unlink()


def drop_unlinked(folder: Path) -> None:
    """Delete libraries that the module beside them does not name: it has their code in itself."""
    (module,) = folder.glob("onnxruntime_pybind11_state*")
    names = module.read_bytes()
    for library in folder.iterdir():
        is_library = library.suffix in (".dll", ".dylib") or ".so." in library.name
        if is_library and library.name.encode() not in names:
            library.unlink()


def drop(folder: Path, patterns: tuple[str, ...]) -> None:
    """Delete what matches one of the patterns."""
    found = [path for each in (*patterns, "**/__pycache__") for path in folder.glob(each)]
    for path in found:
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)


def package(stage: Path, target: str, vsix: Path) -> None:
    """Zip the staged folder; looking for secrets in public wheels would take most of the time."""
    flags = ("--no-dependencies", "--no-rewrite-relative-links")
    run(
        *(str(EXTENSION / "node_modules" / ".bin" / "vsce"), "package", *flags),
        *("--target", target, "--out", str(vsix.resolve()), "--allow-package-all-secrets"),
        cwd=stage,
    )


def uv(*arguments: str) -> None:
    """Run uv, from the PATH or from this Python's packages."""
    # onnxruntime's wheels for Apple's own chips are for macOS 14 and newer.
    env = {**os.environ, "MACOSX_DEPLOYMENT_TARGET": "14.0"}
    program = [shutil.which("uv")] if shutil.which("uv") else [sys.executable, "-m", "uv"]
    subprocess.run([*program, *arguments], check=True, env=env)


def run(*command: str, cwd: Path) -> None:
    """Run a program quietly; where it fails, end with what it wrote."""
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{command[0]} failed:\n{done.stdout}{done.stderr}")


if __name__ == "__main__":
    main()
