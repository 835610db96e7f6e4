"""Extractors of installed packages: functions that say which nodes a text has. See docs/plugins.md.

They are found and imported where an index is opened, for their suffixes, and called in the parser
processes, which are killed when a file takes too long or too much memory.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from packhound.core.errors import PluginError
from packhound.core.plugins import Group, describe, entry_point_of, load_plugin

_GROUP: Group = "packhound.extractors"
_REMEDY = "give it a tuple of suffixes such as ('.tf',) as its attribute `suffixes`"


class Extractor(NamedTuple):
    """One extractor. Its `name` is the language of files that no grammar covers.

    `label` names it with its package, `target` is `module:attribute`, `folder` the one to import
    that from, `version` changes with the release and the source of the module.
    """

    name: str
    label: str
    target: str
    folder: str
    suffixes: tuple[str, ...]
    version: str


class Extractors(NamedTuple):
    """The extractors that settings name, and why others are left out."""

    items: tuple[Extractor, ...] = ()
    problems: tuple[str, ...] = ()

    @property
    def suffixes(self) -> frozenset[str]:
        """The suffixes of all, in lower case."""
        return frozenset(suffix for item in self.items for suffix in item.suffixes)

    @property
    def version(self) -> str:
        """A text that changes with any of them; empty for none."""
        return ",".join(sorted(f"{item.name}={item.version}" for item in self.items))

    def of(self, path: str) -> Extractor | None:
        """Return the first extractor for the suffix of a path."""
        suffix = PurePosixPath(path.lower()).suffix if self.items else ""
        return next((item for item in self.items if suffix in item.suffixes), None)

    def encode(self) -> str:
        """Return the extractors as an argument of a parser process."""
        return json.dumps(self.items) if self.items else ""

    @classmethod
    def decode(cls, text: str) -> Extractors:
        """Return what `encode` encoded."""
        rows = json.loads(text) if text else ()
        return cls(tuple(Extractor(*row)._replace(suffixes=tuple(row[4])) for row in rows))


NO_EXTRACTORS = Extractors()


def load_extractors(names: Sequence[str]) -> Extractors:
    """Return the installed extractors of some names; those that cannot be used are problems."""
    items, problems = list[Extractor](), list[str]()
    for name in dict.fromkeys(names):
        try:
            items.append(_load(name))
        except PluginError as problem:
            problems.append(str(problem))
    return Extractors(tuple(items), tuple(problems))


def _load(name: str) -> Extractor:
    function, label = load_plugin(_GROUP, name), describe(_GROUP, name)
    suffixes = getattr(function, "suffixes", ())
    is_list = isinstance(suffixes, tuple | list) and bool(suffixes)
    if not is_list or not all(isinstance(s, str) and s.startswith(".") for s in suffixes):
        raise PluginError(f"extractor {label} has no suffixes; {_REMEDY}")
    target = entry_point_of(_GROUP, name).value
    source = _source_file(target)
    digest = hashlib.blake2b(source.read_bytes() if source else b"", digest_size=8).hexdigest()
    depth = target.partition(":")[0].count(".") + (source is not None and source.stem == "__init__")
    folder = str(source.parents[depth]) if source else ""
    lowered = tuple(suffix.lower() for suffix in suffixes)
    return Extractor(name, label, target, folder, lowered, f"{label}-{digest}")


def _source_file(target: str) -> Path | None:
    """Return the file of a target's module."""
    spec = find_spec(target.partition(":")[0])
    origin = Path(spec.origin) if spec and spec.origin else None
    return origin if origin and origin.is_file() else None
