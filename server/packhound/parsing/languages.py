"""Table of languages, and detection of the language of a file.

A new language is some lines of `languages.txt` and one file in `queries/`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_LISTS = {"file_names", "interpreters", "aliases"}


@dataclass(frozen=True, slots=True)
class Language:
    """One language. `queries` names the file in `queries/`, `grammar` the one in the language pack.

    A function is a test if `test` is found in its head (attributes and signature) and `test_path`
    in its path. `merges` joins neighbouring definitions of one name: clauses of one function.
    `dotted` names are paths: in `A.b`, `A::b` and `A:b` the name is b.
    `identifier` is what matches a whole name where it has more than letters, digits and `_`.
    `in_scripts` says that the grammar covers the script elements of a page only.
    """

    name: str
    grammar: str
    queries: str
    suffixes: tuple[str, ...]
    file_names: tuple[str, ...] = ()
    interpreters: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    separator: str = "."
    test: str = ""
    test_path: str = ""
    merges: bool = False
    dotted: bool = False
    identifier: str = ""
    in_scripts: bool = False


def _read_rows() -> Iterator[Language]:
    text = Path(__file__).with_suffix(".txt").read_text("ascii")
    for name, suffixes, lines in re.findall(r"^(\w+) (.+)\n((?: .+\n)*)", text, re.M):
        fields: dict[str, Any] = dict(re.findall(r"(\w+) (.+)", lines))
        fields |= dict.fromkeys(fields.pop("is", "").split(), True)
        fields |= {field: tuple(fields[field].split()) for field in _LISTS & fields.keys()}
        fields["separator"] = fields.get("separator", ".").replace("_", " ")
        fields["identifier"] = fields.get("identifier", "").replace(r"\w", r"\w\x80-\xff")
        names = {"grammar": name, "queries": name}
        yield Language(name=name, suffixes=tuple(suffixes.split()), **{**names, **fields})


LANGUAGES = tuple(_read_rows())
BY_NAME = {row.name: row for row in LANGUAGES}
HEADER_SUFFIXES = frozenset({".h", ".hpp", ".hh", ".hxx", ".h++", ".cuh", ".inl"})
"""Files whose declarations without a body become nodes."""

_BY_SUFFIX = {suffix: row.name for row in LANGUAGES for suffix in row.suffixes}
_BY_FILE_NAME = {name: row.name for row in LANGUAGES for name in row.file_names}
_BY_INTERPRETER = {name: row.name for row in LANGUAGES for name in row.interpreters}
_BY_ALIAS = {alias: row.name for row in LANGUAGES for alias in (row.name, *row.aliases)}
_SHEBANG = re.compile(rb"#!\s*(?:\S*/)?([\w.+-]+)(?:\s+(?:-\S+\s+)*([\w.+-]+))?")
_VERSION_TAIL = re.compile(r"[\d.]+$")
_CPP_HEADER = re.compile(
    rb"^[ \t]*(?:class\s+\w|namespace\b|template\s*<|using\s+\w|public:|private:|protected:)"
    rb"|\bstd::|\b(?:constexpr|nullptr|noexcept|decltype)\b",
    re.MULTILINE,
)


def language_of(path: str, first_line: bytes = b"") -> str | None:
    """Return the language of a file by its name, or by the interpreter in its first line."""
    stem, suffix = name_parts(path)
    by_name = _BY_FILE_NAME.get(stem + suffix)
    language = by_name or _BY_SUFFIX.get(suffix) or _BY_SUFFIX.get(suffix.lower())
    if language or suffix or not first_line.startswith(b"#!"):
        return language
    return _by_interpreter(first_line)


def language_named(name: str) -> str | None:
    """Return the language that editors and kernels call by a name."""
    return _BY_ALIAS.get(name) or _BY_INTERPRETER.get(name)


def name_parts(path: str) -> tuple[str, str]:
    """Split a file name at its last dot; a leading dot does not count."""
    name = path.rpartition("/")[2]
    dot = name.rfind(".")
    return (name[:dot], name[dot:]) if 0 < dot < len(name) - 1 else (name, "")


def language_for(path: str, source: bytes, language_id: str | None) -> str | None:
    """Return the language to parse a document with; its path overrides the editor's language id."""
    language = language_of(path, source[:200].partition(b"\n")[0]) or _BY_ALIAS.get(
        language_id or ""
    )
    if language == "php" and path.endswith(".inc") and b"<?" not in source:
        return "cpp" if b"#include" in source or _CPP_HEADER.search(source) else None
    if language == "c" and path.endswith(".h") and _CPP_HEADER.search(source):
        return "cpp"
    return language


def _by_interpreter(first_line: bytes) -> str | None:
    match = _SHEBANG.match(first_line)
    if match is None:
        return None
    program, argument = (part.decode("ascii", "replace") for part in match.groups(b""))
    name = argument if program == "env" else program
    return _BY_INTERPRETER.get(name) or _BY_INTERPRETER.get(_VERSION_TAIL.sub("", name))
