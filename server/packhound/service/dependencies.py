"""Sources of a workspace's dependencies, where its package managers have put them."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from packhound.redact import visible_line

_ENVIRONMENTS = (".venv", "venv", "env", ".env")
_SITE_PACKAGES = ("lib/python3*/site-packages", "Lib/site-packages")
_NAME = re.compile(r"@?[\w.-]+(?:/[\w.-]+)*")
_RECORDED = re.compile(r"^(?!__pycache__/)([\w-]+)(?:\.py,|/)", re.M)
"""The package or module that a file of a distribution is in: `six.py,sha256=...`."""
_MAX_MANIFEST = 4_000_000
_PLACES = (
    "site-packages of .venv, venv or $VIRTUAL_ENV, node_modules, vendor, and what go.mod and"
    " Cargo.lock name"
)


class Dependency(NamedTuple):
    """The folder of a dependency, or its only file, and its version where that is known."""

    path: Path
    version: str


def find_dependency(root: Path, name: str) -> Dependency | str:
    """Return the place of a dependency of a workspace, or why there is none."""
    if not _NAME.fullmatch(name) or ".." in name.split("/"):
        return f"'deps:{visible_line(name[:200])}' is no name of a package"
    managers = (_python, _node, _vendor, _go, _cargo)
    dependency = next((each for manager in managers for each in manager(root, name)), None)
    if dependency and not _is_of_packages(root, dependency.path):
        real = visible_line(str(dependency.path.resolve()))
        return f"'deps:{name}' leads to '{real}', where no packages are installed"
    return dependency or f"there is no dependency '{name}' here; looked in {_PLACES}"


def _is_of_packages(root: Path, path: Path) -> bool:
    """Return False for what a link of a stranger's folder may lead to."""
    real = path.resolve()
    outside = (_go_cache().resolve(), _cargo_home().resolve(), root.resolve())
    is_installed = not {"site-packages", "node_modules"}.isdisjoint(real.parts)
    return is_installed or any(real.is_relative_to(each) for each in outside)


def _python(root: Path, name: str) -> Iterator[Dependency]:
    folded = _folded(name)
    active = os.environ.get("VIRTUAL_ENV")
    for environment in (*_ENVIRONMENTS, *([active] if active else ())):
        for pattern in _SITE_PACKAGES:
            for packages in sorted((root / environment).glob(pattern)):
                yield from _in_site_packages(packages, folded)


def _in_site_packages(packages: Path, folded: str) -> Iterator[Dependency]:
    """Yield the package, or the only module, of a distribution or of a name to import."""
    version, names = "", [folded]
    for info in sorted(packages.glob("*.dist-info")):
        distribution, _, its_version = info.name.removesuffix(".dist-info").rpartition("-")
        is_named, tops = _folded(distribution) == folded, _read(info / "top_level.txt").split()
        if is_named or folded in tops:
            version = its_version
            names += tops or (_RECORDED.findall(_read(info / "RECORD")) if is_named else [])
    by_name = {each.name.lower(): each for each in packages.iterdir()}
    for name in dict.fromkeys(each.lower() for each in names):
        for file in (name, f"{name}.py"):
            if (path := by_name.get(file)) and (path.is_dir() or file != name):
                yield Dependency(path, version)


def _folded(name: str) -> str:
    return re.sub(r"[-_.]+", "_", name).lower()


def _node(root: Path, name: str) -> Iterator[Dependency]:
    """Yield a package that npm, yarn or pnpm has installed, or one that such a package needs."""
    modules = root / "node_modules"
    of_pnpm = modules / ".pnpm"
    needed = of_pnpm.glob(f"{name.replace('/', '+')}@*/node_modules/{name}")
    for folder in (modules / name, of_pnpm / "node_modules" / name, *sorted(needed)):
        if folder.is_dir():
            try:
                version = str(json.loads(_read(folder / "package.json") or "{}").get("version", ""))
            except (ValueError, AttributeError):
                version = ""
            yield Dependency(folder.resolve(), version)


def _vendor(root: Path, name: str) -> Iterator[Dependency]:
    for each in (root / "vendor" / name, root / "vendor" / "bundle" / name):
        if each.is_dir():
            yield Dependency(each, "")


def _go(root: Path, name: str) -> Iterator[Dependency]:
    modules = re.findall(
        r"^\s*(?:require\s+)?([\w./~-]+)\s+(v[\w.+-]+)", _read(root / "go.mod"), re.M
    )
    for module, version in modules:
        if name in (module, module.rpartition("/")[2]):
            escaped = re.sub("[A-Z]", lambda upper: f"!{upper[0].lower()}", module)
            folder = _go_cache() / f"{escaped}@{version}"
            if folder.is_dir():
                yield Dependency(folder, version)


def _cargo(root: Path, name: str) -> Iterator[Dependency]:
    lock = _read(root / "Cargo.lock")
    versions = re.findall(rf'name = "{re.escape(name)}"\nversion = "([^"]+)"', lock)
    for version in reversed(versions):
        for folder in sorted(_cargo_home().glob(f"registry/src/*/{name}-{version}")):
            yield Dependency(folder, version)


def _go_cache() -> Path:
    cache = os.environ.get("GOMODCACHE") or Path(os.environ.get("GOPATH") or "~/go", "pkg", "mod")
    return Path(cache).expanduser()


def _cargo_home() -> Path:
    return Path(os.environ.get("CARGO_HOME") or "~/.cargo").expanduser()


def _read(path: Path) -> str:
    """Return the text of a manifest, "" where there is none."""
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            return file.read(_MAX_MANIFEST)
    except OSError:
        return ""
