"""Settings in force in a folder: those of files, of clients and of the command line, in layers.

Later layers win: `packhound.toml` in the user's configuration folder, then `.packhound.toml` or
`[tool.packhound]` of `pyproject.toml` in the folder, then the client or `--set`. What a folder says
may come from a stranger, so only harmless settings of it count unless the folder is trusted, by the
editor or by the user's setting `folders.trusted`.
"""

from __future__ import annotations

import os
import stat
import sys
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from packhound.core.plugins import FUSERS
from packhound.core.settings import Settings
from packhound.core.settings_reader import SETTINGS, SettingsRead, changed, read_changes
from packhound.core.user_folders import config_folder

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

USER_FILE, WORKSPACE_FILE, COMMAND_LINE, CLIENT = "user file", "workspace file", "--set", "client"
_MAX_BYTES = 256 * 1024
_PATHS = ("encoder.path", "rerank.path")

Values = Mapping[str, object]


class Layer(NamedTuple):
    """Values of one origin; `file` is where they were read."""

    origin: str
    values: Values
    file: str = ""


LayerRead: TypeAlias = tuple[Layer, SettingsRead]


class SettingsInForce(NamedTuple):
    """Settings, the layer that each setting comes from, and one line for each problem.

    `trusted` says that what other people put into the folder may count.
    """

    settings: Settings
    layers: Mapping[str, Layer]
    problems: tuple[str, ...] = ()
    deprecations: tuple[str, ...] = ()
    trusted: bool = False

    def rows(self) -> list[dict[str, object]]:
        """Return name, value, origin, file and sentence of every setting."""
        default = Layer("default", {})
        rows: list[dict[str, object]] = []
        for name, setting in SETTINGS.items():
            layer, value = self.layers.get(name, default), setting.value(self.settings)
            rows.append(
                {
                    "name": name,
                    "value": list(value) if isinstance(value, tuple) else value,
                    "origin": layer.origin,
                    "file": layer.file,
                    "description": setting.description,
                }
            )
        return rows


@dataclass(slots=True)
class Overrides:
    """Statements of a client on all its folders: layers above their files, and if it trusts them.

    A client that changes its mind replaces `layers`; its folders' settings follow.
    """

    layers: tuple[Layer, ...] = ()
    trusted: bool = False

    @classmethod
    def of_command_line(cls, values: Values) -> Overrides:
        """Return values of `--set` by name."""
        return cls((Layer(COMMAND_LINE, values),))


class FolderSettings:
    """Settings of one folder, whose files are read again when they changed. Any thread may call."""

    def __init__(self, root: Path | None, overrides: Overrides | None = None) -> None:
        self._root = root
        self._overrides = overrides or Overrides()
        self._lock = threading.Lock()
        self._key: object = None
        self._in_force = SettingsInForce(Settings(), {})

    def read(self) -> SettingsInForce:
        """Return the settings in force: the same object until a file or a client changed them."""
        overrides = self._overrides.layers
        key = ([_stamp(path) for path in self._paths()], overrides)
        with self._lock:
            if key != self._key:
                self._key = key
                self._in_force = self._resolve(
                    [(layer, read_changes(layer.values)) for layer in overrides]
                )
            return self._in_force

    def _paths(self) -> list[Path]:
        user = config_folder() / "packhound.toml"
        root = self._root
        return [user] if root is None else [user, root / ".packhound.toml", root / "pyproject.toml"]

    def _resolve(self, overrides: Sequence[LayerRead]) -> SettingsInForce:
        user_file, *workspace = self._paths()
        user = _read_file(USER_FILE, user_file)
        by_user = _resolve([user, *overrides]).settings
        trusted = self._overrides.trusted or _is_below(self._root, by_user.folders.trusted)
        layers = [user, *self._read_workspace(workspace, by_user, trusted=trusted), *overrides]
        return _resolve(layers)._replace(trusted=trusted)

    def _read_workspace(
        self, paths: Iterable[Path], by_user: Settings, *, trusted: bool
    ) -> Iterator[LayerRead]:
        for path in paths:
            layer, read = _read_file(WORKSPACE_FILE, path)
            if read.changes or read.problems:
                read = _of_folder(layer, read)
                yield layer, read if trusted else _harmless(layer, read, by_user)
                # As with other tools, the file of our own replaces the shared one.
                return


def _is_below(root: Path | None, folders: Iterable[str]) -> bool:
    """Return True if a folder is one of some, or below one."""
    paths = (Path(os.path.expanduser(folder)) for folder in folders)  # noqa: PTH111 - may not raise
    real = (os.path.realpath(path) for path in paths if path.is_absolute())
    return root is not None and any(root.is_relative_to(path) for path in real)


def _read_file(origin: str, path: Path) -> LayerRead:
    """Read a settings file; one that is missing has no values, a broken one is a problem."""
    try:
        values = _load(path, follow_links=origin == USER_FILE)
    except (OSError, ValueError, RecursionError) as error:
        problem = f"settings file '{path}' is ignored: {error}"
        return Layer(origin, {}, str(path)), SettingsRead({}, (problem,), ())
    read = read_changes(values)
    changes = {
        name: _absolute(value, path.parent) if name in _PATHS else value
        for name, value in read.changes.items()
    }
    problems = tuple(f"'{path}': {problem}" for problem in read.problems)
    return Layer(origin, values, str(path)), read._replace(changes=changes, problems=problems)


def _load(path: Path, *, follow_links: bool) -> Values:
    """Return our settings in a TOML file. Raises OSError, ValueError or RecursionError."""
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    if not path.parent.is_dir():
        return {}
    try:
        handle = os.open(path, flags if follow_links else flags | getattr(os, "O_NOFOLLOW", 0))
    except (FileNotFoundError, NotADirectoryError):
        return {}
    with os.fdopen(handle, "rb") as file:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise ValueError("it is no regular file")
        data = file.read(_MAX_BYTES + 1)
    if len(data) > _MAX_BYTES:
        raise ValueError(f"it has more than {_MAX_BYTES:,} bytes")
    table: Any = tomllib.loads(data.decode("utf-8"))
    if path.name == "pyproject.toml":
        tool = table.get("tool")
        table = tool.get("packhound", {}) if isinstance(tool, dict) else {}
    if not isinstance(table, dict):
        raise ValueError("'tool.packhound' is no table")
    return table


def _absolute(value: object, folder: Path) -> object:
    return str(folder / Path(value).expanduser()) if isinstance(value, str) and value else value


def _of_folder(layer: Layer, read: SettingsRead) -> SettingsRead:
    """Return what may count of a folder's file, even if it is trusted."""
    changes = {n: value for n, value in read.changes.items() if not SETTINGS[n].of_user}
    problems = _ignored(layer, read, changes, "counts in your own settings alone")
    return read._replace(changes=changes, problems=(*read.problems, *problems))


def _ignored(layer: Layer, read: SettingsRead, counting: Values, why: str) -> list[str]:
    """Return a line for each setting of a file that is not among those that count."""
    file = config_folder() / "packhound.toml"
    names = [name for name in read.changes if name not in counting]
    return [f"'{layer.file}': setting '{name}' {why}; set it in '{file}'" for name in names]


def _harmless(layer: Layer, read: SettingsRead, by_user: Settings) -> SettingsRead:
    """Return what may count of an untrusted folder's file: less of the folder, shown otherwise."""
    changes = {n: value for n, value in read.changes.items() if _is_harmless(n, value, by_user)}
    why = "is ignored in a folder that is not trusted"
    problems = _ignored(layer, read, changes, why)
    hidden = {
        name: changes[name] for name in ("index.exclude", "index.maxFiles") if name in changes
    }
    if isinstance(exclude := hidden.get("index.exclude"), tuple):
        # A pattern with `!` takes in what would be left out.
        hides = tuple(pattern for pattern in exclude if not pattern.lstrip().startswith("!"))
        changes["index.exclude"] = (*by_user.index.exclude, *hides)
        hidden["index.exclude"] = ", ".join(hides)
    problems += [
        f"'{layer.file}': '{name}' of a folder that is not trusted hides files of it: {value}"
        for name, value in hidden.items()
        if value and value != SETTINGS[name].value(by_user)
    ]
    return read._replace(changes=changes, problems=(*read.problems, *problems))


def _is_harmless(name: str, value: object, by_user: Settings) -> bool:
    """Return True if a value runs no plugin and reads no more files than the user's own."""
    if name == "search.fuser":
        return value in FUSERS
    if name == "index.maxFiles":
        return isinstance(value, int) and value <= by_user.index.max_files
    return SETTINGS[name].harmless


def _resolve(layers: Sequence[LayerRead]) -> SettingsInForce:
    """Apply layers in order; a client's default gives way to a file, since clients send all."""
    values, origins = dict[str, object](), dict[str, Layer]()
    for layer, read in layers:
        for name, value in read.changes.items():
            is_default = layer.origin == CLIENT and value == SETTINGS[name].default
            if is_default and name in origins and origins[name].origin != CLIENT:
                continue
            values[name], origins[name] = value, layer
    return SettingsInForce(
        changed(Settings(), values),
        origins,
        tuple(dict.fromkeys(problem for _, read in layers for problem in read.problems)),
        tuple(dict.fromkeys(note for _, read in layers for note in read.deprecations)),
    )


def _stamp(path: Path) -> tuple[int, ...]:
    try:
        status = path.stat()
    except (OSError, ValueError):
        return ()
    return status.st_mtime_ns, status.st_size, status.st_ino, status.st_ctime_ns


def other_settings_note(requested: Settings, in_force: Settings) -> str:
    """Return which settings of a client do not count in a folder that others opened; else ""."""
    names = [
        name
        for name, setting in SETTINGS.items()
        if not setting.of_session and setting.value(requested) != setting.value(in_force)
    ]
    if not names:
        return ""
    return f"the folder was opened by others, with other values of {', '.join(names)}; theirs count"
