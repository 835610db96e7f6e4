"""The reader of settings as clients, files and the command line write them.

Bad values never stop the server: each is reported in one line that names it and what is expected,
and the default stays.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, get_args

import msgspec

from packhound.core.errors import SettingsError
from packhound.core.settings import Settings
from packhound.core.typed import convert_value, nearest


class Setting(NamedTuple):
    """A setting as clients see it.

    `title` is that of its group; what follows is as `core/settings` declares it.
    """

    name: str
    group: str
    field: str
    type: Any
    default: Any
    description: str
    title: str
    scope: str
    former: str = ""
    harmless: bool = False
    of_session: bool = False
    of_user: bool = False
    choices: tuple[str, ...] = ()

    def value(self, settings: Settings) -> Any:  # noqa: ANN401 - as `type` says
        """Return its value among all settings."""
        return getattr(getattr(settings, self.group), self.field)


class SettingsRead(NamedTuple):
    """Values read, by name, and one line for each problem and for each former name."""

    changes: Mapping[str, object]
    problems: tuple[str, ...]
    deprecations: tuple[str, ...]


def _camel_case(name: str) -> str:
    head, *rest = name.split("_")
    return head + "".join(word.capitalize() for word in rest)


def _settings() -> Iterator[Setting]:
    """Yield all settings in the order of their declaration."""
    for group in msgspec.structs.fields(Settings):
        struct, of_group = get_args(group.type)
        for field in msgspec.structs.fields(struct):
            about = get_args(field.type)[-1]
            more = {**of_group.extra, **about.extra}
            yield Setting(
                _camel_case(f"{group.name}.{more.pop('name', field.name)}"),
                *(group.name, field.name, field.type, field.default),
                *(about.description, of_group.title),
                **more,
            )


SETTINGS: dict[str, Setting] = {setting.name: setting for setting in _settings()}
FORMER_NAMES: dict[str, Setting] = {
    setting.former: setting for setting in SETTINGS.values() if setting.former
}


def settings_from(values: Mapping[str, object], base: Settings | None = None) -> Settings:
    """Return `base` changed by values that must be right. Raises SettingsError."""
    settings, problems, _ = read_settings(values, base)
    if problems:
        raise SettingsError("; ".join(problems))
    return settings


def read_settings(
    values: Mapping[str, object], base: Settings | None = None
) -> tuple[Settings, tuple[str, ...], tuple[str, ...]]:
    """Return `base` changed by `values`, the problems and the notes on former names."""
    changes, problems, deprecations = read_changes(values)
    return changed(base or Settings(), changes), problems, deprecations


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
            problems.append(f"unknown setting '{key}'; {nearest(name, SETTINGS)}")
            continue
        if value is None:
            continue
        try:
            read = convert_value(setting.type, f"setting '{key}'", value)
        except SettingsError as problem:
            problems.append(str(problem))
            continue
        if read == setting.default and setting.name in changes:
            continue
        if name in FORMER_NAMES and read != setting.default:
            deprecations.append(
                f"setting '{key}' is now '{setting.name}'; the old name ends with the next release"
            )
        changes[setting.name] = read
    return SettingsRead(changes, tuple(problems), tuple(deprecations))


def changed(settings: Settings, changes: Mapping[str, object]) -> Settings:
    """Return settings with checked values of some, by name."""
    groups: dict[str, dict[str, object]] = {}
    for name, value in changes.items():
        groups.setdefault(SETTINGS[name].group, {})[SETTINGS[name].field] = value
    replaced = {
        group: msgspec.structs.replace(getattr(settings, group), **values)
        for group, values in groups.items()
    }
    return msgspec.structs.replace(settings, **replaced)


def _flatten(values: Mapping[str, object], levels: int = 2) -> Iterator[tuple[str, object]]:
    """Yield dotted names and values, of objects nested as deep as the longest name is."""
    for key, value in values.items():
        if isinstance(value, Mapping) and levels:
            nested = _flatten(value, levels - 1)
            yield from ((f"{key}.{inner}", leaf) for inner, leaf in nested)
        else:
            yield key, value
