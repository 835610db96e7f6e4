"""The project that a file belongs to, where an editor has no folder open."""

from __future__ import annotations

from pathlib import Path

from packhound.core.user_folders import cache_folder

REPOSITORY_MARKERS = (".git", ".hg", ".svn", ".jj")
MANIFESTS = (
    ".packhound.toml",
    "pyproject.toml",
    "setup.py",
    "requirements.txt",
    "Cargo.toml",
    "go.mod",
    "package.json",
    "deno.json",
    "tsconfig.json",
    "pom.xml",
    "build.gradle",
    "build.gradle.kts",
    "build.sbt",
    "CMakeLists.txt",
    "meson.build",
    "Makefile",
    "composer.json",
    "Gemfile",
    "mix.exs",
    "Package.swift",
    "pubspec.yaml",
    "stack.yaml",
    "dune-project",
    "flake.nix",
)


def find_project(path: Path) -> tuple[Path, str] | None:
    """Return the root of the project that holds `path`, and the entry that marks it.

    It is the nearest repository, else the outermost folder with a manifest, for packages nest.
    Home, what is above it and the root of the file system are no projects, and files of a commit in
    the cache are of no repository that an editor works in.
    """
    is_cached = path.is_relative_to(cache_folder().resolve())
    outermost: tuple[Path, str] | None = None
    for folder in path.parents:
        if Path.home().is_relative_to(folder):
            break
        repository = _first_entry(folder, REPOSITORY_MARKERS)
        if repository and not is_cached:
            return folder, repository
        manifest = _first_entry(folder, MANIFESTS)
        if manifest:
            outermost = folder, manifest
    return outermost


def _first_entry(folder: Path, names: tuple[str, ...]) -> str | None:
    return next((name for name in names if (folder / name).exists()), None)
