"""Local names of a definition and the types that its text states for them.

A type is written as in the source, without arguments; `name()` stands for the result of a call,
and `=a.b().c` for the value of a chain.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import TypeAlias

from packhound.graph.arguments import bracket_parts
from packhound.graph.source_text import SCRIPT_LANGUAGES, chain_of

LocalNames: TypeAlias = Mapping[str, str]
"""Local names with their types, "" for an unknown one."""

NO_LOCALS: LocalNames = MappingProxyType({})

_WORD = re.compile(r"[A-Za-z_$]\w*")
_BLANKS = re.compile(r"[ \t\r\f\v]+")
_LINE_ENDS = re.compile(r" ?\n[ \n]*")
_BREAK = re.compile(r"(?<=[(,=|{\[])\n|\n(?=[)\]])")
"""A line end within a list. With each run of blanks as one, patterns take linear time."""
_STATED_TYPE = re.compile(r":[^,]*")
_MAX_TEXT = 60_000
"""Characters of a definition that are read."""
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
_PYTHON = (
    _statement(
        r"^ ?(?P<names>(?:[\w, )*]|(?<!\w)\(){1,200}?) ?(?::(?P<type>[^=\n]{1,200}?))?<assigned>"
    ),
    _statement(r"\bfor (?P<names>[\w, ()*]{1,200}?) in\b|\bas \(?(?P<names2>\w+)"),
    _statement(r"\b(?P<names>\w+) ?:=(?P<value>[^\n]{0,400})|\blambda (?P<names2>[\w, *]{1,200})"),
)
_SCRIPT = (
    _statement(
        r"\b(?:const|let|var) (?P<names>[\w$]+|[\[{][^=;]{0,400}[\]}])"
        r"(?: ?[!?]?:(?P<type>[^=\n;]{1,200}?))?<assigned>"
    ),
    _statement(
        r"\b(?:const|let|var) (?P<names>[\w$]+|[\[{][^=;]{0,400}?[\]}]) ?"
        r"(?::|;|\n|\bof\b|\bin\b)"
    ),
    _statement(r"(?P<names>[\w$]+) ?=>|\((?P<names2>[^()]{0,400})\) ?(?::[^=()\n]{1,200})?=>"),
    _statement(r"\bfunction\b[^(\n]{0,200}\((?P<names>[^()]{0,400})\)|\bcatch ?\((?P<names2>\w+)"),
)
_GO = (
    _statement(r"[(,] ?(?P<names>\w+(?: ?, ?\w+)*) (?:\.\.\.)?(?P<type>(?:\[\]|\*)*\w[\w.]*|\[)"),
    _statement(r"\w+, (?P<names>\w+) ?:= ?range (?P<value>[\w.()]{1,200}) \{"),
    _statement(r"(?P<names>\w+(?: ?, ?\w+)*) ?:= ?(?:range\b|(?P<value>[^\n;]{0,400}))"),
    _statement(r"\bvar (?P<names>\w+(?: ?, ?\w+)*) ?(?P<type>[\w.*\[\]]+)?(?:<assigned>)?"),
)
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
    "python": _PYTHON,
    "go": _GO,
    "rust": _RUST,
    "ruby": _RUBY,
    "lua": _LUA,
    "php": _PHP,
    "elixir": _ELIXIR,
    **dict.fromkeys(SCRIPT_LANGUAGES, _SCRIPT),
    **dict.fromkeys(("java", "csharp", "c", "cpp", "dart"), _DECLARED),
    **dict.fromkeys(("kotlin", "swift", "scala"), _KEYWORD_DECLARED),
}
_WITH_PARAMETERS = frozenset({"python", *SCRIPT_LANGUAGES})
"""Languages whose parameters are read one by one from the signature."""


def read_locals(text: str, language: str) -> LocalNames:
    """Return the local names of a definition's own text, without comments and strings.

    The first statement that names a type counts; names are never forgotten at the end of a block.
    """
    names: dict[str, str] = {}
    compact = _BREAK.sub(" ", _LINE_ENDS.sub("\n", _BLANKS.sub(" ", text[:_MAX_TEXT])))
    for name, type_name in _bindings(compact, language):
        if not names.get(name):
            names[name] = type_name
    return names


def _bindings(text: str, language: str) -> Iterator[tuple[str, str]]:
    if language in _WITH_PARAMETERS:
        yield from _parameters(text, language)
    for pattern in _STATEMENTS.get(language, ()):
        for match in pattern.finditer(text):
            groups = match.groupdict()
            written = groups.get("names") or groups.get("names2") or ""
            type_text = groups.get("type") or ""
            if type_text in _NO_TYPES or written in _NO_TYPES:
                continue
            value = groups.get("value") or ""
            type_name = read_type(type_text, language) or read_value(value)
            if language in _WITH_PARAMETERS and written[:1] not in "{[":
                yield from _parameters(f"({written})", language) if ":" in written else ()
                written = _STATED_TYPE.sub("", written)
            elif written.startswith("{") and type_name.startswith("="):
                yield from _members(written, type_name)
            words = _WORD.findall(written)
            # In Go a stated type is that of each name, and a first result that of the first.
            n_typed = len(words) if type_text and language == "go" else 1
            for n, word in enumerate(words):
                is_typed = n < n_typed and (language == "go" or len(words) == 1)
                yield word, type_name if is_typed else ""


def _parameters(text: str, language: str) -> Iterator[tuple[str, str]]:
    """Yield the parameters of the first bracket: `name: type = default`."""
    start = text.find("(")
    for parameter in bracket_parts(text, start) if start >= 0 else ():
        name, _, rest = parameter.partition("=")[0].partition(":")
        for word in _WORD.findall(name):
            yield word, read_type(rest, language)


def _members(pattern: str, chain: str) -> Iterator[tuple[str, str]]:
    """Yield what a pattern `{a, b: name}` takes out of the value of a chain."""
    for part in bracket_parts(pattern, 0):
        member, _, name = part.partition("=")[0].strip().partition(":")
        if member.isidentifier() and (not name or name.strip().isidentifier()):
            yield name.strip() or member, f"{chain}.{member}"


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
