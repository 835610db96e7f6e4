"""Local names of a definition and the types that its text states for them.

A type is written as in the source, without arguments; `name()` stands for the result of a call,
and `=a.b().c` for the value of a chain.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TypeAlias

from packhound.graph.source_text import SCRIPT_LANGUAGES, chain_of
from packhound.parsing import ByteRange, Capture

LocalNames: TypeAlias = Mapping[str, str]
"""Local names with their types, "" for an unknown one."""

NO_LOCALS: LocalNames = MappingProxyType({})

_MAX_VALUE = 400
"""Characters of a type or a value that are read."""
_OPTIONAL = re.compile(r"(?:typing\.)?Optional\[(.*)\]\Z")
_WRAPPER = re.compile(
    r"(?:[&\s]|'\w+\b(?!')|\bmut\b)*(?:\w+::)*"
    r"(?:Box|Arc|Rc|Pin|Cow|Ref|RefMut|\w*Guard|Option|Result|(?:unique|shared)_ptr)"
    r"<\s*(?:'\w+\s*,)?(.*)\Z",
    re.DOTALL,
)
"""Types with the members of their first argument: by `Deref` and `?` in Rust, by `->` in C++."""
_SCRIPT_WRAPPER = re.compile(
    r"\s*(?:Promise|Readonly|Required|Partial|NonNullable|Awaited)<(.*)\Z", re.DOTALL
)
_WRAPPERS = {
    **dict.fromkeys(("rust", "cpp"), _WRAPPER),
    **dict.fromkeys(SCRIPT_LANGUAGES, _SCRIPT_WRAPPER),
}
_NULL = re.compile(r"\A(?:null|undefined|None) ?\||\|\s*(?:null|undefined|None)\s*\Z")
_LIST = re.compile(r"(?:readonly )?[\w$.]+(?:<.*>)?\[\]")
_TYPE = re.compile(
    r"(?:[&*?\[\]\s]|'\w+\b(?!')|\b(?:mut|dyn|impl|const|final|readonly|struct)\b)*"
    r"[\"']?([A-Za-z_][\w.:\\]*)"
)
_VALUE = re.compile(
    r"\s*(?:await\s+)?(new\s+|&)?([A-Za-z_$@][\w.:$@>\\-]*?)(?:<[^<>()]*>)?\s*([({])"
)
_CAST = re.compile(r"(?: as |\w\.\(\*?)([A-Za-z][\w$.]*)\)?\s*\Z")
_NO_TYPES = frozenset(
    (
        *("return", "throw", "new", "else", "case", "goto", "in", "await", "yield", "package"),
        *("import", "using", "typeof", "instanceof", "delete", "is", "as", "not", "and", "or"),
        *("namespace", "raise", "class", "interface", "enum", "extends", "implements", "throws"),
        *("where", "let", "var", "val", "auto"),
    )
)


def read_locals(
    text: str, runs: Sequence[ByteRange], captured: Sequence[Capture], language: str
) -> LocalNames:
    """Return the local names in runs of a text without comments and strings.

    `captured` are those of the whole text, by start. The first statement that names a type counts;
    names are never forgotten at the end of a block.
    """
    names: dict[str, str] = {}
    for name, type_name in _bindings(text, runs, captured, language):
        if not names.get(name):
            names[name] = type_name
    return names


def _bindings(
    text: str, runs: Iterable[ByteRange], captured: Sequence[Capture], language: str
) -> Iterator[tuple[str, str]]:
    for low, high in runs:
        first, last = (bisect_left(captured, ("local", (offset,))) for offset in (low, high))
        for _, (start, end), parts in captured[first:last]:
            texts = {kind: text[a : min(b, a + _MAX_VALUE)] for kind, (a, b) in parts.items()}
            stated = read_type(texts.get("type", ""), language) or read_value(
                texts.get("value", "")
            )
            member = texts.get("name")
            if member:  # Taken out of the value.
                stated = f"{stated}.{member}" if stated.startswith("=") else ""
            yield text[start:end], stated


def read_type(annotation: str, language: str) -> str:
    """Return the name of the type that an annotation states, "" for none or a container."""
    text = annotation.strip().strip("\"'")
    optional = _OPTIONAL.match(text)
    text = optional[1] if optional else text
    while (bare := _NULL.sub("", text).strip()) != text:
        text = bare
    pattern = _WRAPPERS.get(language)
    while pattern and (wrapper := pattern.match(text)):
        text = wrapper[1]
    if language in SCRIPT_LANGUAGES and _LIST.match(text):
        return "Array"
    match = _TYPE.match(text)
    if match is None or "|" in text or match[1] in _NO_TYPES:
        return ""
    return match[1].rstrip(".:")


def read_value(value: str) -> str:
    """Return the type of an assigned value: of a constructor, else of a call or a chain."""
    if cast := _CAST.search(value):
        return cast[1]
    match = _VALUE.match(value)
    if match is None or match[2] in _NO_TYPES:
        return _chain_value(value)
    if match[3] == "{":
        return match[2].rstrip(".:")
    rest = value[match.end() - 1 :]
    depth = 0
    for i, character in enumerate(rest):
        depth += (character == "(") - (character == ")")
        if depth == 0:
            if rest[i + 1 :].lstrip(" ?!")[:1] in (".", "[", "(", "-", ":"):
                return _chain_value(value)
            break
    is_new = bool(match[1]) and match[1].startswith("new")
    return match[2] if is_new else f"{match[2]}()"


def _chain_value(value: str) -> str:
    chain = chain_of(value)
    return "=" + ".".join(name + "()" * called for name, called, _ in chain) if chain else ""
