"""What a user can set, and how it is read from a client's object or a TOML table.

Bad values never stop the server: each is reported in one line that names it and the legal ones,
and the default stays.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Literal, get_args

import platformdirs

from packhound.core.types import MOST_HITS

Hover = Literal["results", "always", "off"]
FuserName = Literal["linear", "rrf"]


@dataclass(frozen=True, slots=True)
class Settings:
    """One workspace's settings; the field `max_files` is the client's `maxFiles`."""

    hover: Hover = "results"
    """When the hover explains a score: for results of the last query, for every node, or never."""
    limit: int = 10
    """Hits of a search that does not say how many."""
    fuser: FuserName = "linear"
    """How candidates become one order: the learned linear ranker, or reciprocal rank fusion."""
    model: str = ""
    """Folder with `model.onnx` and `tokenizer.json`; empty means the bundled encoder."""
    reranker: str = ""
    """Folder of a cross-encoder exported to ONNX, which reads the best hits again; empty: none."""
    rerank_weight: float = 0.5
    """What its log-odds count in a score, beside those of the ranker."""
    exclude: tuple[str, ...] = ()
    """Globs, in the syntax of .gitignore, of what is left out besides the ignore files."""
    max_files: int = 100_000
    """Files indexed at most in one folder."""
    max_file_kilobytes: int = 1_000
    """Longer files are left out."""
    workers: int = 2
    """Parser processes while a folder is indexed for the first time; one stays afterwards."""
    index_home: bool = False
    """Index a home directory or a file system root when it is opened as a folder."""
    persist: bool = True
    """Keep the index in the cache folder between sessions."""
    poll_seconds: float = 3.0
    """How often the disk is looked at where the editor does not watch files; 0 means never."""
    git: bool = False
    """Raise files that changed lately, by git's history, read in the background."""
    activation: bool = False
    """Raise files that you opened and edited lately, remembered on this machine only."""


_LEGAL: dict[str, tuple[float, float]] = {
    "limit": (1, MOST_HITS),
    "rerank_weight": (0, 100),
    "max_files": (1, 5_000_000),
    "max_file_kilobytes": (1, 100_000),
    "workers": (1, 64),
    "poll_seconds": (0, 86_400),
}
_CHOICES: dict[str, tuple[str, ...]] = {"hover": get_args(Hover), "fuser": get_args(FuserName)}


def read_settings(
    given: Mapping[str, object], base: Settings | None = None
) -> tuple[Settings, tuple[str, ...]]:
    """`base` changed by what `given` holds (camelCase or snake_case keys); one line a problem."""
    settings = base or Settings()
    known = {field.name: field for field in fields(Settings)}
    changes: dict[str, object] = {}
    problems: list[str] = []
    for key, value in given.items():
        name = _snake_case(key)
        if name not in known:
            legal = ", ".join(sorted(_camel_case(field) for field in known))
            problems.append(f"setting '{key}' is not known; known are: {legal}")
        elif value is not None:
            default = getattr(settings, name)
            read, problem = _read_value(name, key, value, default)
            if problem:
                problems.append(problem)
            else:
                changes[name] = read
    return replace(settings, **changes), tuple(problems)  # type: ignore[arg-type]


def cache_folder() -> Path:
    """Where all indexes of this user live; `PACKHOUND_CACHE_DIR` overrides the system's place."""
    override = os.environ.get("PACKHOUND_CACHE_DIR")
    return Path(override) if override else Path(platformdirs.user_cache_dir("packhound", False))


def _read_value(name: str, key: str, value: object, default: object) -> tuple[object, str | None]:
    if name in _CHOICES:
        if value in _CHOICES[name]:
            return value, None
        return None, f"setting '{key}' is {value!r}; legal are: {', '.join(_CHOICES[name])}"
    if isinstance(default, bool):
        legal = isinstance(value, bool)
        return value, None if legal else f"setting '{key}' is {value!r}; legal are: true, false"
    if isinstance(default, int | float):
        return _read_number(name, key, value, default)
    if isinstance(default, tuple):
        if isinstance(value, list | tuple) and all(isinstance(item, str) for item in value):
            return tuple(value), None
        return None, f"setting '{key}' is {value!r}; legal is a list of globs"
    if isinstance(value, str):
        return value, None
    return None, f"setting '{key}' is {value!r}; legal is a text"


def _read_number(
    name: str, key: str, value: object, default: int | float
) -> tuple[object, str | None]:
    low, high = _LEGAL[name]
    if isinstance(value, int | float) and not isinstance(value, bool) and low <= value <= high:
        return (int(value) if isinstance(default, int) else float(value)), None
    return None, f"setting '{key}' is {value!r}; legal is a number from {low:g} to {high:g}"


def _snake_case(key: str) -> str:
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in key)


def _camel_case(name: str) -> str:
    head, *rest = name.split("_")
    return head + "".join(word.capitalize() for word in rest)
