"""Plugins: objects that installed packages offer under an entry point group.

Only what a setting or a request names is imported. See docs/plugins.md.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal

from packhound.core.errors import PluginError
from packhound.core.settings import Settings

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

Group = Literal["packhound.fusers", "packhound.scorers", "packhound.extractors"]

FUSERS = ("linear", "blend", "rrf")
_BUILT_IN: dict[Group, tuple[str, ...]] = {"packhound.fusers": FUSERS}


def plugin_names(group: Group) -> tuple[str, ...]:
    """Return the names that installed packages offer, sorted."""
    return tuple(sorted(_entry_points(group)))


@lru_cache(maxsize=64)
def load_plugin(group: Group, name: str) -> Any:  # noqa: ANN401 - what a package offers
    """Return the object of a name. Raises PluginError, which names it and its package."""
    kind = group.rpartition(".")[2].removesuffix("s")
    entry_point = _entry_points(group).get(name)
    if entry_point is None:
        expected = ", ".join((*_BUILT_IN.get(group, ()), *plugin_names(group)))
        others = f"; expected one of: {expected}" if expected else ", nor any other"
        raise PluginError(f"no {kind} '{name}' is installed{others}")
    try:
        plugin = entry_point.load()
    except Exception as error:
        # Whatever a package raises while it is imported.
        raise PluginError(f"{kind} {describe(group, name)} cannot be loaded: {error}") from error
    if not callable(plugin):
        raise PluginError(f"{kind} {describe(group, name)} is no function")
    return plugin


def missing_plugins(settings: Settings) -> tuple[str, ...]:
    """Return a line for each fuser or scorer that settings name and no package offers."""
    search = settings.search
    named: list[tuple[str, Group, str]] = [("search.fuser", "packhound.fusers", search.fuser)]
    for scorer in search.scorers:
        named.append(("search.scorers", "packhound.scorers", scorer.partition("=")[0]))
    return tuple(
        f"setting '{setting}' is '{name}'; expected one of: {', '.join(offered) or 'nothing'}"
        for setting, group, name in named
        if name not in FUSERS
        and name not in (offered := (*_BUILT_IN.get(group, ()), *plugin_names(group)))
    )


def entry_point_of(group: Group, name: str) -> EntryPoint:
    """Return the entry point of a name that is installed. Raises KeyError."""
    return _entry_points(group)[name]


def describe(group: Group, name: str) -> str:
    """Return the name of a plugin with its package, for a message."""
    entry_point = _entry_points(group).get(name)
    package = entry_point.dist if entry_point else None
    return f"'{name}' of {package.name} {package.version}" if package else f"'{name}'"


@lru_cache(maxsize=3)
def _entry_points(group: Group) -> dict[str, EntryPoint]:
    # Reading the metadata of all packages takes milliseconds.
    from importlib.metadata import entry_points

    return {entry_point.name: entry_point for entry_point in entry_points(group=group)}
