"""Build VSIXes that carry the server: `python scripts/bundle.py [--target linux-x64 ...]`.

Needs npm's packages in place, uv, and the package registry for the wheels of each platform.
`bundled/libs/any` has what is the same for every Python, `bundled/libs/cp3XX` one minor's rest.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from collections import defaultdict
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


class Target(NamedTuple):
    """A platform as uv calls it, and the Python minors that its VSIX carries."""

    platform: str
    minors: tuple[str, ...]


# Minors: of Ubuntu 24.04 and Debian 13; of Homebrew and python.org.
TARGETS = {
    "linux-x64": Target("x86_64-manylinux_2_28", ("3.12", "3.13")),
    "linux-arm64": Target("aarch64-manylinux_2_28", ("3.12", "3.13")),
    # onnxruntime has no wheels for 3.14 on Intel.
    "darwin-x64": Target("x86_64-apple-darwin", ("3.12", "3.13")),
    "darwin-arm64": Target("aarch64-apple-darwin", ("3.13", "3.14")),
    "win32-x64": Target("x86_64-pc-windows-msvc", ("3.13", "3.14")),
}


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
            minors = tuple(options.python or target.minors)
            install(wheel, stage / "bundled" / "libs", target._replace(minors=minors))
            vsix = options.out / f"packhound-{name}.vsix"
            package(stage, name, vsix)
            size = vsix.stat().st_size / 1e6
            sys.stdout.write(f"{vsix.name}: {size:.0f} MB, Python {' and '.join(minors)}\n")
            sys.stdout.flush()


def read_options() -> argparse.Namespace:
    """Read what to build."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--target", nargs="+", choices=TARGETS, default=list(TARGETS))
    parser.add_argument("--python", nargs="+", metavar="3.X", help="other minors to carry")
    parser.add_argument("--wheel", type=Path, help="the server's wheel, instead of building it")
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
    shutil.copy(EXTENSION / "bundled" / "run.py", stage / "bundled")
    for name in STAGED:
        source = EXTENSION / name
        copy = shutil.copytree if source.is_dir() else shutil.copy
        copy(source, stage / name)


def install(wheel: Path, libs: Path, target: Target) -> None:
    """Install the server for each minor, then move what all minors share into `any`."""
    overrides = libs.parent / "overrides.txt"
    overrides.write_text(OVERRIDES)
    folders = {minor: libs / f"cp{minor.replace('.', '')}" for minor in target.minors}
    for minor, folder in folders.items():
        uv(
            *("pip", "install", "--quiet", "--target", str(folder), "--only-binary", ":all:"),
            *("--python-version", minor, "--python-platform", target.platform),
            *("--override", str(overrides), str(wheel)),
        )
        drop_unused(folder)
    overrides.unlink()
    share(list(folders.values()), libs / "any")


def drop_unused(folder: Path) -> None:
    """Delete grammars that no language uses, programs, and the installer's own files."""
    sys.path.insert(0, str(folder))
    sys.dont_write_bytecode = True
    from packhound.parsing.languages import BY_NAME

    used = {language.grammar for language in BY_NAME.values()}
    for binding in (folder / "tree_sitter_language_pack" / "bindings").iterdir():
        if binding.suffix in (".so", ".pyd") and binding.name.split(".")[0] not in used:
            binding.unlink()
    shutil.rmtree(folder / "bin", ignore_errors=True)
    (folder / ".lock").unlink(missing_ok=True)


def share(folders: list[Path], shared: Path) -> None:
    """Move each distribution that is the same in all folders into `shared`."""
    shared.mkdir()
    records: defaultdict[str, list[str]] = defaultdict(list)
    for folder in folders:
        for info in folder.glob("*.dist-info"):
            records[info.name].append((info / "RECORD").read_text())
    for contents in records.values():
        is_compiled = any(".cpython-3" in each or ".cp3" in each for each in contents)
        if len(contents) == len(folders) and len(set(contents)) == 1 and not is_compiled:
            for at, folder in enumerate(folders):
                move_distribution(folder, contents[at], shared if at == 0 else None)


def move_distribution(folder: Path, record: str, to: Path | None) -> None:
    """Move the files of one distribution, or delete them where `to` is None."""
    for line in record.splitlines():
        source = folder / line.split(",")[0]
        if not source.is_file():
            continue
        if to is None:
            source.unlink()
        else:
            goal = to / source.relative_to(folder)
            goal.parent.mkdir(parents=True, exist_ok=True)
            source.rename(goal)
        parent = source.parent
        while parent != folder and not any(parent.iterdir()):
            parent.rmdir()
            parent = parent.parent


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
