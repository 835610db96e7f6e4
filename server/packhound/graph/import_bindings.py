"""Names that the imports of a file bind."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from packhound.parsing import Capture


class Binding(NamedTuple):
    """Target of an import: `name` of a module, or with "" the module itself."""

    module: str
    name: str = ""


DEFAULT = "default"
"""Name of a module's default export."""
_MAX_DEPTH = 6
_QUOTES = "\"'`<> "
_VERSION = re.compile(r"/v\d+$|\.v\d+$")
_ALIAS = re.compile(r"\s+as\s+|\s*=>\s*")
_SEPARATOR = re.compile(r"(?:::|\\|\.)(?=[^:\\.]*\Z)")
_KEYWORDS = re.compile(r"\A(?:import|function|const)\s+")


@dataclass(slots=True)
class Imports:
    """`names` are bound; of `wildcards` (modules) every name is visible."""

    names: dict[str, Binding] = field(default_factory=dict)
    wildcards: list[str] = field(default_factory=list)

    def aliases(self, name: str) -> list[str]:
        """Return the other names that are bound to a name of some module."""
        return [bound for bound, to in self.names.items() if to.name == name != bound]


Entry: TypeAlias = tuple[str, Binding]
"""A bound name, "*" for every name of the module."""


def read_imports(text: str, captured: Iterable[Capture]) -> Imports:
    """Return the bindings of imports of a text."""
    imports = Imports()
    for capture in captured:
        for name, binding in read_entries(text, capture):
            if name == "*":
                imports.wildcards.append(binding.module)
            elif name:
                imports.names[name] = binding
    return imports


def read_entries(text: str, capture: Capture) -> Iterator[Entry]:
    """Yield what an import binds."""
    parts = {kind: text[start:end] for kind, (start, end) in capture.parts.items()}
    (start, end), alias = capture.run, parts.get("alias", "")
    module = text[start:end].strip(_QUOTES)
    if "all" in parts or alias == ".":
        yield "*", Binding(module)
    elif "path" in parts:
        yield from _paths("", _KEYWORDS.sub("", module), alias)
    elif "default" in parts:
        yield parts["default"], Binding(module, DEFAULT)
    elif "name" in parts:
        yield alias or parts["name"], Binding(module, parts["name"])
    elif capture.parts["alias"] == capture.run:
        yield path_name(module), Binding(module)
    else:
        yield alias, Binding(module)
        if start == capture.parts["alias"][0]:
            yield module, Binding(module)
            yield alias, Binding(alias)


def path_name(path: str) -> str:
    """Return the name that a module or package most likely has, by its path."""
    return _VERSION.sub("", path).rpartition("/")[2].removeprefix("go-")


def _paths(prefix: str, text: str, alias: str = "", depth: int = 0) -> Iterator[Entry]:
    """Yield what a path binds, or a tree of paths: `a::{b, c as d}`."""
    head, brace, rest = text.partition("{")
    if brace and depth < _MAX_DEPTH:
        for part in _split_outside_braces(rest.rpartition("}")[0]):
            yield from _paths(prefix + head.strip(), part.strip(), "", depth + 1)
        return
    path, *renamed = _ALIAS.split(prefix + text, maxsplit=1)
    path = "".join(path.replace("`", "").split()).lstrip("\\")
    match = _SEPARATOR.search(path)
    module, name = (path[: match.start()], path[match.end() :]) if match else ("", path)
    if name == "self":
        module, _, name = module.rpartition("::")
    is_all = name in ("*", "_")
    bound = "*" if is_all else alias or (renamed[0].strip() if renamed else name)
    yield bound, Binding(module, name)


def _split_outside_braces(text: str) -> Iterator[str]:
    depth, start = 0, 0
    for i, character in enumerate(text):
        depth += (character == "{") - (character == "}")
        if character == "," and depth == 0:
            yield text[start:i]
            start = i + 1
    yield text[start:]
