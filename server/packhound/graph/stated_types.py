"""Types that the text of a definition states by an annotation or by a value.

A type is written as in the source, without arguments; `name()` stands for the result of a call,
and `=a.b().c` for the value of a chain.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import chain

from packhound.graph.source_text import SCRIPT_LANGUAGES, chain_of

_OPTIONAL = re.compile(r"(?:typing\.)?Optional\[(.*)\]\Z")
_WRAPPER = re.compile(
    r"(?:[&\s]|'\w+\b(?!')|\bmut\b)*(?:\w+::)*"
    r"(?:Box|Arc|Rc|Pin|Cow|Ref|RefMut|RefCell|UnsafeCell|Mutex|RwLock|ManuallyDrop|\w*Guard"
    r"|Option|Result|(?:unique|shared)_ptr)"
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
_ANNOTATION = re.compile(r"@[\w.]+\s+")
_NULL = re.compile(r"\A(?:null|undefined|None) ?\||\|\s*(?:null|undefined|None)\s*\Z")
_LIST = re.compile(r"(?:readonly )?[\w$.]+(?:<.*>)?\[\]")
_TYPE = re.compile(
    r"(?:[&*?\[\]\s]|'\w+\b(?!')|\b(?:mut|dyn|impl|const|final|readonly|struct)\b)*"
    r"[\"']?([A-Za-z_][\w.:\\]*)"
)
_VALUE = re.compile(
    r"\s*(?:(?:await|try[?!]?)\s+)*(new\s+|&)?([A-Za-z_$@][\w.:$@>\\-]*?)(?:<[^<>()]*>)?\s*([({])"
)
_CAST = re.compile(r"(?: as (?!const\b)|\w\.\(\*?)([A-Za-z][\w$.]*)\)?\s*\Z")
_BRACKET_CAST = re.compile(r"\s*\(\s*([A-Za-z][\w.]*)(?:<[^()]*>)?((?:\[\])*)\s*\)\s*[\w(\"]")
_NEW_LIST = re.compile(r"\s*new\s+([\w.]+)(?:<[^()]*>)?((?:\[[^\[\]]*\])+)\s*(?:\{|\Z)")
_INDEX = re.compile(r"\[[^\[\]]*\]\s*\Z")
LIST = "[]"
"""After the type of an element."""
_LISTS = re.compile(r"(?:<.*>)?((?:\s*(?:\[\]|\.\.\.))*)", re.DOTALL)
_ONE_LIST = re.compile(r"\[\]|\.\.\.")
NULL, FUNCTION = "null", "function"
_LITERALS = {
    "String": re.compile(
        r'\s*"[\s"]*\Z|\s*String\.\w+\([^()]*(?:\([^()]*\)[^()]*)*\)\s*\Z|.*\.toString\(\s*\)\s*\Z'
    ),
    "char": re.compile(r"\s*'[\s']*\Z"),
    "boolean": re.compile(
        r"\s*(?:true|false)\s*\Z|\s*![^?]*\Z|[^?\"']*(?:[=!<>]=|\s[<>]\s|&&|\|\||\sinstanceof\s)[^?]*\Z"
    ),
    "int": re.compile(r"\s*-?(?:\d+|0x[\da-fA-F]+)\s*\Z"),
    "long": re.compile(r"\s*-?\d+[lL]\s*\Z"),
    "float": re.compile(r"\s*-?[\d.]+[fF]\s*\Z"),
    "double": re.compile(r"\s*-?(?:\d+\.\d*|\.\d+|\d+(?=[dD]))[dD]?\s*\Z"),
    "Class": re.compile(r"\s*[\w.]+(?:\[\])*\.class\s*\Z"),
    NULL: re.compile(r"\s*null\s*\Z"),
    FUNCTION: re.compile(r"\s*(?:\w+|\([\w\s,]*\))\s*->|\s*[\w.<>\[\]]+::\w+\s*\Z"),
}
"""Values that state their type, in texts whose strings are blank."""
_BRACKETS = re.compile(r"\([^()\[\]{}]*\)|\[[^()\[\]{}]*\]|\{[^()\[\]{}]*\}")
_NO_OPERAND = re.compile(r"[?=<>&|^~:]|\bnew\b|\+\+|--")
_OPERATORS = re.compile(r"(?<=[\w)\"'])\s*[-+*/%]\s*(?=[\w(\"'-])")
_NO_TYPES = frozenset(
    (
        *("return", "throw", "new", "else", "case", "goto", "in", "await", "yield", "package"),
        *("import", "using", "typeof", "instanceof", "delete", "is", "as", "not", "and", "or"),
        *("namespace", "raise", "class", "interface", "enum", "extends", "implements", "throws"),
        *("where", "let", "var", "val", "auto"),
    )
)


def stated_type(texts: Mapping[str, str], language: str) -> str:
    """Return what the texts of a capture state by a type or else by a value, "" for nothing."""
    stated = read_type(texts.get("type", ""), language) or read_value(texts.get("value", ""))
    if member := texts.get("name"):  # Taken out of the value.
        return f"{stated}.{member}" if stated.startswith("=") else ""
    return stated


def read_type(annotation: str, language: str) -> str:
    """Return the name of the type that an annotation states, "" for none or a container."""
    text = _ANNOTATION.sub("", annotation).strip().strip("\"'")
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
    name = match[1].rstrip(".:")
    lists = _LISTS.match(text, match.start(1) + len(name)) if language == "java" else None
    return name + LIST * len(_ONE_LIST.findall(lists[1] if lists else ""))


def read_argument(text: str) -> tuple[str, int]:
    """Return the type of an argument, and how many indices its value has."""
    for name, literal in _LITERALS.items():
        if literal.match(text):
            return name, 0
    if cast := _BRACKET_CAST.match(text):
        return cast[1] + LIST * len(_ONE_LIST.findall(cast[2])), 0
    if array := _NEW_LIST.match(text):
        return array[1] + LIST * array[2].count("["), 0
    bare, n_indexed = _INDEX.subn("", text)
    return read_value(bare), n_indexed


def operands(text: str) -> list[str]:
    """Return what arithmetic operators divide in an expression that is no condition or cast."""
    if _BRACKET_CAST.match(text):
        return [text]
    flat, n = text, 1
    while n:
        flat, n = _BRACKETS.subn(lambda match: "_" * len(match[0]), flat)
    if any(literal.match(flat) for literal in _LITERALS.values()) or _NO_OPERAND.search(flat):
        return [text]
    edges = [0, *chain.from_iterable(match.span() for match in _OPERATORS.finditer(flat)), None]
    return [text[slice(*each)] for each in zip(edges[::2], edges[1::2], strict=True)]


def simple_name(stated: str) -> str:
    """Return the last name of a type in lower case, as `string` for `System.String`."""
    return re.split(r"[.:\\]", stated)[-1].casefold()


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
