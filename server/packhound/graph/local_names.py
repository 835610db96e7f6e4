"""Local names of a definition and the types that its text states for them.

A type is written as in the source, without arguments; `name()` stands for the result of a call,
and `=a.b().c` for the value of a chain.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from types import MappingProxyType
from typing import TypeAlias

from packhound.graph.source_text import SCRIPT_LANGUAGES, chain_of
from packhound.parsing import ByteRange, Capture

LocalNames: TypeAlias = Mapping[str, str]
"""Local names with their types, "" for an unknown one."""

NO_LOCALS: LocalNames = MappingProxyType({})

_WORD = re.compile(r"[A-Za-z_$]\w*")
_BLANKS = re.compile(r"[ \t\r\f\v]+")
_LINE_ENDS = re.compile(r" ?\n[ \n]*")
_BREAK = re.compile(r"(?<=[(,=|{\[])\n|\n(?=[)\]])")
"""A line end within a list. With each run of blanks as one, patterns take linear time."""
_MAX_TEXT = 60_000
_MAX_VALUE = 400
"""Characters of a definition, and of a type or value, that are read."""
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
        *("where", "let", "var", "val"),
    )
)


_ASSIGNED = r" ?=(?![=~>])(?P<value>[^\n;]{0,400})"


def _statement(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern.replace("<assigned>", _ASSIGNED), re.M)


_COLON_PARAMETER = _statement(r"[(,|{] ?(?:[\w@]+ )*(?P<names>\w+) ?: ?(?P<type>[^,()=|]{1,200})")
_RUST = (
    _statement(r"\blet (?P<names>[^=;:\n]{1,200}?)(?: ?: ?(?P<type>[^=;\n]{1,200}?))?<assigned>"),
    _statement(r"\|(?P<names>[^|\n;]{0,200})\||\bfor (?P<names2>[^;{\n]{1,200}?) in\b"),
    _statement(r"\b[A-Z]\w*(?:::\w+)* ?[({](?P<names>[\w ,&.]{0,200})[)}] ?(?:=>|=|if\b|\|)"),
    _COLON_PARAMETER,
)
_DECLARED = (
    _statement(
        r"(?P<type>[A-Za-z_][\w.:]*(?:<[^;(){}=]{0,200}>)?(?: ?\[\])*)[ *&?]+(?:const )?"
        r"(?P<names>[A-Za-z_]\w*) ?(?:=(?!=)(?P<value>[^\n;]{0,400})|(?=[;,):\[{]|in\b))"
    ),
    _statement(r"\b(?P<names>\w+) ?(?:->|=>)|\((?P<names2>[\w ,]{0,200})\) ?(?:->|=>)"),
)
_KEYWORD_DECLARED = (
    _statement(
        r"\b(?:val|var|let) (?P<names>\w+|\([\w, ]{1,200}\))"
        r"(?: ?: ?(?P<type>[^=\n]{1,200}?))?(?:<assigned>|$)"
    ),
    _statement(
        r"\{ ?\(?(?P<names>[\w, ]{1,200})\)? ?(?:->|=>|\bin\b)"
        r"|\bfor ?\(?(?P<names2>[\w, ()]{1,200}) in\b"
    ),
    _statement(r"\bcase (?P<names>\w+) ?(?:=>|:)|\b(?P<names2>\w+) ?(?:=>|<-)"),
    _COLON_PARAMETER,
)
_RUBY = (
    _statement(r"\b(?P<names>[a-z_]\w*(?: ?, ?\w+)*)(?: ?\|\|)?<assigned>"),
    _statement(r"\|(?P<names>[^|\n]{0,200})\||=> ?(?P<names2>[a-z_]\w*)"),
    _statement(r"\bdef [\w.]+[?!=]? ?\(?(?P<names>[^)\n]{0,400})"),
)
_LUA = (
    _statement(r"\blocal (?P<names>[\w, ]{1,200}?)<assigned>"),
    _statement(
        r"\bfunction\b[^(\n]{0,200}\((?P<names>[^)]{0,400})\)"
        r"|\bfor (?P<names2>[\w, ]{1,200}?) ?(?:=|\bin\b)"
    ),
)
_PHP = (
    _statement(r"(?P<names>\$\w+)<assigned>"),
    _statement(r"(?P<type>[A-Za-z_\\][\w\\]*) &?(?:\.\.\.)?(?P<names>\$\w+)"),
)
_ELIXIR = (
    _statement(r"(?P<names>[\w, {}]{1,200}?)<assigned>|\bfn (?P<names2>[^\n]{0,200}?)->"),
    _statement(r"\bdefp? \w+[?!]? ?\((?P<names>[^\n]{0,400})\)"),
    _statement(r"(?P<names>[\w, {}]{1,200}?) ?(?:<-|->)"),
)
_STATEMENTS = {
    "rust": _RUST,
    "ruby": _RUBY,
    "lua": _LUA,
    "php": _PHP,
    "elixir": _ELIXIR,
    **dict.fromkeys(("java", "csharp", "c", "cpp", "dart"), _DECLARED),
    **dict.fromkeys(("kotlin", "swift", "scala"), _KEYWORD_DECLARED),
}


def read_locals(
    text: str, runs: Sequence[ByteRange], captured: Sequence[Capture], language: str
) -> LocalNames:
    """Return the local names in runs of a text without comments and strings.

    `captured` are those of the whole text, by start. The first statement that names a type counts;
    names are never forgotten at the end of a block.
    """
    names: dict[str, str] = {}
    own = "".join([text[low:high] for low, high in runs])
    for name, type_name in (*_captured(text, runs, captured, language), *_bindings(own, language)):
        if not names.get(name):
            names[name] = type_name
    return names


def _captured(
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


def _bindings(text: str, language: str) -> Iterator[tuple[str, str]]:
    statements = _STATEMENTS.get(language)
    if not statements:
        return
    compact = _BREAK.sub(" ", _LINE_ENDS.sub("\n", _BLANKS.sub(" ", text[:_MAX_TEXT])))
    for match in chain.from_iterable(pattern.finditer(compact) for pattern in statements):
        groups = match.groupdict()
        written = groups.get("names") or groups.get("names2") or ""
        type_text = groups.get("type") or ""
        if type_text not in _NO_TYPES and written not in _NO_TYPES:
            type_name = read_type(type_text, language) or read_value(groups.get("value") or "")
            words = _WORD.findall(written)
            yield from ((word, type_name if len(words) == 1 else "") for word in words)


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
