"""The reader of settings as clients, files and the command line write them.

Bad values never stop the server: each is reported in one line that names it and what is expected,
and the default stays.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields, replace
from difflib import get_close_matches
from typing import Any, NamedTuple

from packhound.core.deep_settings import DeepSettings
from packhound.core.errors import SettingsError
from packhound.core.parameters import Parameter
from packhound.core.settings import Settings


class Setting(NamedTuple):
    """A setting as clients see it; `former_name`, if any, is honoured for one release."""

    name: str
    former_name: str
    field: str
    default: Any
    parameter: Parameter
    harmless: bool


class SettingsRead(NamedTuple):
    """Values read, by field, and one line for each problem and for each former name."""

    changes: Mapping[str, object]
    problems: tuple[str, ...]
    deprecations: tuple[str, ...]


def _camel_case(name: str) -> str:
    head, *rest = name.split("_")
    return head + "".join(word.capitalize() for word in rest)


def _nearest(name: str) -> str:
    """Return the remedy for a setting that does not exist."""
    near = get_close_matches(name, SETTINGS, n=1)
    return f"did you mean {near[0]}?" if near else f"expected one of: {', '.join(SETTINGS)}"


_INHERITED = {each.name for each in fields(DeepSettings)}
SETTINGS: dict[str, Setting] = {
    each.metadata["name"]: Setting(
        each.metadata["name"],
        _camel_case(each.name) if each.metadata["renamed"] else "",
        each.name,
        each.default,
        each.metadata["parameter"],
        each.metadata["harmless"],
    )
    for each in sorted(fields(Settings), key=lambda each: each.name in _INHERITED)
}
FORMER_NAMES: dict[str, Setting] = {
    setting.former_name: setting for setting in SETTINGS.values() if setting.former_name
}


def read_settings(
    values: Mapping[str, object], base: Settings | None = None
) -> tuple[Settings, tuple[str, ...], tuple[str, ...]]:
    """Return `base` changed by `values`, the problems and the notes on former names."""
    changes, problems, deprecations = read_changes(values)
    return replace_fields(base or Settings(), changes), problems, deprecations


def read_changes(values: Mapping[str, object]) -> SettingsRead:
    """Read settings by name: nested objects or dotted keys, camelCase or snake_case."""
    changes: dict[str, object] = {}
    problems: list[str] = []
    deprecations: list[str] = []
    flat = dict(_flatten(values))
    # A client that knows both names of a setting sends both, one of them with its default.
    for key, value in sorted(flat.items(), key=lambda item: _camel_case(item[0]) in SETTINGS):
        name = _camel_case(key)
        setting = SETTINGS.get(name) or FORMER_NAMES.get(name)
        if setting is None:
            problems.append(f"unknown setting '{key}'; {_nearest(name)}")
            continue
        try:
            read = None if value is None else setting.parameter.read(f"setting '{key}'", value)
        except SettingsError as problem:
            problems.append(str(problem))
            continue
        is_former = name not in SETTINGS
        if read is None or (read == setting.default and setting.field in changes):
            continue
        if is_former and read != setting.default:
            deprecations.append(
                f"setting '{key}' is now '{setting.name}'; the old name ends with the next release"
            )
        changes[setting.field] = read
    return SettingsRead(changes, tuple(problems), tuple(deprecations))


def replace_fields(settings: Settings, changes: Mapping[str, object]) -> Settings:
    """Return `settings` with checked values of some fields."""
    return replace(settings, **changes)  # type: ignore[arg-type]


def _flatten(values: Mapping[str, object], levels: int = 2) -> Iterator[tuple[str, object]]:
    """Yield dotted names and values, of objects nested as deep as the longest name is."""
    for key, value in values.items():
        if isinstance(value, Mapping) and levels:
            nested = _flatten(value, levels - 1)
            yield from ((f"{key}.{inner}", leaf) for inner, leaf in nested)
        else:
            yield key, value
