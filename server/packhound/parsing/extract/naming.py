"""Names of definitions, and the scopes in front of them."""

from __future__ import annotations

import re

from packhound.parsing.extract.definition import Definition
from packhound.parsing.source import Source

_MAX_NAME = 120
_GENERICS = re.compile(r"<[^<>]*>|\[[^\[\]]*\]")
_OPERATOR = re.compile(r"[^\w\s]+")
_CONVERSION = re.compile(rb"\boperator\s+\Z")
_MAX_BEFORE = 12
"""Bytes in front of the name of a type that tell if it names a conversion."""
_OPERATOR_NAME = re.compile(r"\boperator\b(?:[^(]+|.+)", re.DOTALL)
_PATH = re.compile(r"::|\.|:|\\")
_SCOPE_NOISE = frozenset(
    {"module", "exports", "this", "self", "window", "global", "globalThis", "root"}
)
"""Objects that stand for the file or for everything; they name nothing."""

_QUOTED_KEY = re.compile(r"\[\s*(['\"])(.*?)\1\s*\]")
_BATS_TITLE = re.compile(rb"@test[ \t]+([^\n]*?)[ \t]*\{")
_PLAIN = str.maketrans("", "", "*`")
_QUOTES = "\"'`"
_BORROW = re.compile(r"^(?:'\w+ |mut |dyn )+")
"""Between the reference sign of a Rust type and its name."""


def name_and_scope(source: Source, definition: Definition) -> tuple[str, tuple[str, ...]]:
    """Return the last part of the name as written, never blank, and the parts before it."""
    prefix = _scope(source, definition)
    title = _title(source, definition)
    if title:
        return title[:_MAX_NAME], prefix
    if definition.name is None:
        return source.stem, prefix
    written = " ".join(source.text(definition.name).split())
    # A prime at the end is of the name itself: `foldl'`.
    written = written.strip(_QUOTES) if written[:1] in _QUOTES else written
    if _OPERATOR.fullmatch(written):
        return written[:_MAX_NAME], prefix
    start = definition.name[0]
    if _CONVERSION.search(source.octets, max(0, start - _MAX_BEFORE), start):
        written = f"operator {written}"
    text = written.lstrip(":&*")
    if definition.kind == "impl":
        text = _BORROW.sub("", text)
    parts = [part[:_MAX_NAME] for part in _parts(source, text)] or [text[:_MAX_NAME] or source.stem]
    return parts[-1], (*prefix, *parts[:-1])


def impl_title(source: Source, definition: Definition, path: tuple[str, ...]) -> str:
    """Return what an impl of Rust is called: `impl Drop for Ring`, `impl<T> Ring<T>`.

    `path` is the qualified name of the type.
    """
    name = source.language.separator.join(path)
    if definition.name is None:
        return name
    if definition.trait is not None:
        trait = " ".join(source.text(definition.trait).split())
        return f"impl {trait[:_MAX_NAME]} for {name}"
    text = " ".join(source.text((definition.head, definition.name[1])).split())
    written = text.removeprefix("unsafe ")
    return written[:_MAX_NAME] if len(path) == 1 else f"impl {name}"


def _title(source: Source, definition: Definition) -> str:
    """Return the title of a test, a section or an instance of Haskell."""
    if definition.kind == "section":
        heading = source.text((definition.head, definition.end)).lstrip().partition("\n")[0]
        return heading.strip(" #\r").translate(_PLAIN)
    if definition.name is None:
        return ""
    if definition.trait is not None and source.language.name == "haskell":
        # A name of its own tells the instances of a type from it: `Show Colour`.
        return " ".join(source.text((definition.trait[0], definition.name[1])).split())
    case = _BATS_TITLE.match(source.octets, definition.name[0])
    if case is not None:
        return case[1].decode("utf-8", "replace").strip(_QUOTES)
    if definition.kind == "test":
        title = " ".join(source.text(definition.name).split()).strip(_QUOTES)
        return title.replace('" ', " ").replace(' "', " ")
    return ""


def _parts(source: Source, text: str) -> list[str]:
    """Split a dotted name."""
    if not source.language.dotted:
        return [text] if text else []
    keys = [key for _, key in _QUOTED_KEY.findall(text)] if "[" in text else []
    if keys:
        return [text.partition("[")[0], *keys]
    operator = _OPERATOR_NAME.search(text) if "operator" in text else None
    return [*_path_parts(text[: operator.start()]), operator[0]] if operator else _path_parts(text)


def _scope(source: Source, definition: Definition) -> tuple[str, ...]:
    if definition.scope is None:
        return ()
    text = "".join(source.text(definition.scope).split()).removesuffix(".prototype")
    return tuple(part[:_MAX_NAME] for part in _path_parts(text) if part not in _SCOPE_NOISE)


def _path_parts(text: str) -> list[str]:
    """Split a path of names, without type arguments."""
    if text.isidentifier():
        return [text]
    for _ in range(4):
        if "<" not in text and "[" not in text:
            break
        text = _GENERICS.sub("", text)
    return [bare for part in _PATH.split(text) if (bare := part.strip())]
