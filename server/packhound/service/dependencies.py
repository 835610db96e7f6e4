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
_MAX_MANIFEST = 4_000_000
_PLACES = (
    "site-packages of .venv or venv, node_modules, vendor, and what go.mod and Cargo.lock name"
)


class Dependency(NamedTuple):
    """The folder of a dependency, and its version where that is known."""

    folder: Path
    version: str


def find_dependency(root: Path, name: str) -> Dependency | str:
    """Return the folder of a dependency of a workspace, or why there is none."""
    if not _NAME.fullmatch(name) or ".." in name.split("/"):
        return f"'deps:{visible_line(name[:200])}' is no name of a package"
    places = (_python, _node, _vendor, _go, _cargo)
    found = next((each for place in places for each in place(root, name)), None)
    if found and not _is_of_packages(root, found.folder):
        place = visible_line(str(found.folder.resolve()))
        return f"'deps:{name}' leads to '{place}', where no packages are installed"
    return found or f"there is no dependency '{name}' here; looked in {_PLACES}"


def _is_of_packages(root: Path, folder: Path) -> bool:
    """Return False for what a link of a stranger's folder may lead to."""
    real = folder.resolve()
    outside = (_go_cache().resolve(), _cargo_home().resolve(), root.resolve())
    is_installed = not {"site-packages", "node_modules"}.isdisjoint(real.parts)
    return is_installed or any(real.is_relative_to(each) for each in outside)


def _python(root: Path, name: str) -> Iterator[Dependency]:
    folded = re.sub(r"[-_.]+", "_", name).lower()
    for environment in _ENVIRONMENTS:
        for pattern in _SITE_PACKAGES:
            for packages in sorted((root / environment).glob(pattern)):
                yield from _in_site_packages(packages, folded)


def _in_site_packages(packages: Path, folded: str) -> Iterator[Dependency]:
    """Yield the package of a distribution, or of a module's own name."""
    version, names = "", [folded]
    for info in sorted(packages.glob("*.dist-info")):
        distribution, _, its_version = info.name.removesuffix(".dist-info").rpartition("-")
        tops = _read(info / "top_level.txt").split()
        if re.sub(r"[-_.]+", "_", distribution).lower() == folded or folded in tops:
            version = its_version
            names += tops
    by_name = {each.name.lower(): each for each in packages.iterdir() if each.is_dir()}
    for each in names:
        if folder := by_name.get(each.lower()):
            yield Dependency(folder, version)


def _node(root: Path, name: str) -> Iterator[Dependency]:
    folder = root / "node_modules" / name
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
