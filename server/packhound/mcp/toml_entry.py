"""The server's table in a TOML file; everything else keeps its bytes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import tomlkit
from tomlkit.exceptions import TOMLKitError

Entry = Mapping[str, object]


def with_table(text: str | None, key: str, name: str, entry: Entry) -> str:
    """Return the text with `entry` as table `key.name`, None for no file. Raises ValueError."""
    before = text or ""
    document: Any = tomlkit.parse(before)
    if (table := _table_in(document, key, name)) is not None:
        for field, value in entry.items():
            if table.get(field) != value:
                table[field] = value
        return tomlkit.dumps(document)
    if before:
        appended = f"{before}\n{_table(key, name, entry)}"
    else:
        # What tells an empty file from none is the first line.
        appended = _table(key, name, entry) if text is None else f"\n{_table(key, name, entry)}"
    if _reads(appended, key, name, entry):
        return appended
    # Such as an inline table, which no header can add to.
    document[key][name] = dict(entry)
    return tomlkit.dumps(document)


def without_table(text: str, key: str, name: str) -> str | None:
    """Return the text that `with_table` was given, None for no file; as `without_entry` else."""
    document: Any = tomlkit.parse(text)
    if (table := _table_in(document, key, name)) is None:
        return text
    added = _table(key, name, table.unwrap())
    if text == added:
        return None
    if text.endswith(f"\n{added}"):
        return text[: -len(added) - 1]
    del document[key][name]
    return tomlkit.dumps(document)


def _table_in(document: Any, key: str, name: str) -> Any:  # noqa: ANN401 - tomlkit's
    """Return the table `key.name`, None where there is none. Raises ValueError: it is no table."""
    servers = document.get(key, {})
    table = servers.get(name) if isinstance(servers, Mapping) else None
    for label, value in ((key, servers), (f"{key}.{name}", table)):
        if value is not None and not isinstance(value, Mapping):
            raise ValueError(f"'{label}' is no table")
    return table


def _table(key: str, name: str, entry: Entry) -> str:
    return f"[{key}.{name}]\n{tomlkit.dumps(dict(entry))}"


def _reads(text: str, key: str, name: str, entry: Entry) -> bool:
    """Return True if a text is TOML that has the entry."""
    try:
        document: Any = tomlkit.parse(text).unwrap()
    except TOMLKitError:
        return False
    return bool(document.get(key, {}).get(name) == entry)
