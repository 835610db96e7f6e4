"""Types that signatures and class bodies state: bases, attributes and results of calls."""

from __future__ import annotations

import re
from collections.abc import Iterator

from packhound.graph.file_scope import FileScope
from packhound.graph.local_names import read_type, read_value
from packhound.graph.source_text import SCRIPT_LANGUAGES

_GENERICS = re.compile(r"<[^<>]*>|\[[^\[\]]*\]")
_PATH = re.compile(r"[A-Za-z_][\w.:\\]*")
_NO_BASES = frozenset(
    (
        *("extends", "implements", "with", "public", "private", "protected", "virtual", "class"),
        *("where", "metaclass", "object", "abstract", "for", "impl", "unsafe", "pub", "override"),
        *("final", "by"),
    )
)
_EMBEDDED = re.compile(r"^[ \t]*\*?([A-Za-z_][\w.]*)[ \t]*$", re.M)
_MIXIN = re.compile(r"^\s*(?:include|extend|prepend|use)\s+([A-Z\\][\w:\\]*)", re.M)
_AFTER_NAME = {
    "python": re.compile(r"\((.*)\)"),
    "ruby": re.compile(r"<\s*([\w:]+)"),
    "rust": re.compile(r"(?:^|\s)(?:impl\b\s*(.*)\bfor\b|:\s*([^{]*))"),
}
_BASE_LIST = re.compile(r"(?:\bextends\b|\bimplements\b|(?<!:):(?!:))(.*)")
_ARROW = re.compile(r"->\s*([^:{]+)")
_COLON_RESULT = re.compile(r"\)\s*:\s*([^={]+)")
_GO_RESULT = re.compile(r"\)\s*\(?\s*(\*?[\w.]+)[^()]*\)?\s*$")
_RESULTS = {
    "go": _GO_RESULT,
    **dict.fromkeys(("python", "rust", "swift"), _ARROW),
    **dict.fromkeys(("typescript", "tsx", "kotlin", "scala", "php"), _COLON_RESULT),
}
_DECLARED_FIELD = r"([A-Za-z_][\w.]*)(?:<[^;(){}]*>)?[ \t*&]+%s\s*[;={]"
_GO_FIELD = r"^[ \t]*%s[ \t]+([*\w.]+)"
_COLON_FIELD = r"\b%s\s*[!?]?:\s*([^=,;\n{)]+)"
_OWN_FIELD = r"(?<![\w.#$])%s\s*(?:[!?]?:\s*([^=,;\n{)]+))?(?:=(?![=>])\s*([^\n;]*))?"
_PROPERTY = r"\b(?:private|protected|public|readonly)\s+%s\s*\??:\s*([^=,;\n{)]+)"
_PHP_FIELD = r"\b(?:private|protected|public|readonly|var)\s+(?:static\s+)?\??([\w\\]+)\s+\$%s\b"
_ASSIGNED_FIELD = r"(?:self|this|@)\.?%s\s*(?::\s*([^=\n]+?))?\s*=(?!=)\s*([^\n;]*)"
_GETTER = re.compile(r"(?:\w+\s+)*get\s+[\w#$]")
_PROPERTY_DECORATOR = re.compile(r"\s*@[\w.]*property\b")
_RETURN = re.compile(r"\breturn\b([^\n;]*)")
_DECLARING = frozenset({"java", "csharp", "cpp", "c", "dart"})


def base_names(scope: FileScope, position: int) -> list[str]:
    """Return the names of the bases of a type, as its head and its mixins write them."""
    node = scope.node(position)
    head = node.signature
    if scope.language == "go":
        names = _EMBEDDED.findall(scope.own_text(position))
    else:
        pattern = _AFTER_NAME.get(scope.language, _BASE_LIST)
        bare = head
        while (shorter := _GENERICS.sub("", bare)) != bare:
            bare = shorter
        match = pattern.search(bare)
        groups = " ".join(filter(None, match.groups())) if match else ""
        names = [name for name in _PATH.findall(groups) if name not in _NO_BASES]
        if scope.language in ("ruby", "php"):
            names += _MIXIN.findall(scope.own_text(position))
    return [name for name in dict.fromkeys(names) if name != node.name]


def result_type(scope: FileScope, position: int) -> str:
    """Return the type that a function's signature says it returns, "" if it says none."""
    node = scope.node(position)
    if scope.language in _DECLARING:
        match = re.search(
            rf"([A-Za-z_][\w.]*)(?:<.*>)?[\s*&]+{re.escape(node.name)}\s*\(", node.signature
        )
    else:
        pattern = _RESULTS.get(scope.language)
        match = pattern.search(node.signature) if pattern else None
    if match:
        return read_type(match[1], scope.language)
    returned = _RETURN.findall(scope.own_text(position))
    return read_value(returned[0]) if len(returned) == 1 else ""


def attribute_type(scope: FileScope, position: int, name: str) -> str:
    """Return the type of an attribute that the body of a type states, "" if it states none.

    An attribute that a method assigns one of its parameters has the type of the parameter.
    """
    text, escaped = scope.text(position), re.escape(name)
    if scope.language in _DECLARING:
        match = re.search(_DECLARED_FIELD % escaped, text)
        return read_type(match[1], scope.language) if match else ""
    if scope.language == "go":
        match = re.search(_GO_FIELD % escaped, text, re.M)
        return read_type(match[1], scope.language) if match else ""
    if scope.language == "php":
        match = re.search(_PHP_FIELD % escaped, text)
        return read_type(match[1], scope.language) if match else ""
    stated = (_stated(scope, position, *match) for match in _fields(scope, position, escaped))
    return next(filter(None, stated), "")


def _fields(scope: FileScope, position: int, name: str) -> Iterator[tuple[str, str]]:
    """Yield the types and the values that a class states for a field, declarations first."""
    text = scope.text(position)
    yield from re.findall(_OWN_FIELD % name, scope.own_text(position))
    if scope.language in SCRIPT_LANGUAGES:
        yield from ((stated, "") for stated in re.findall(_PROPERTY % name, text))
    yield from re.findall(_ASSIGNED_FIELD % name, text)
    if scope.language not in ("python", *SCRIPT_LANGUAGES):
        yield from ((stated, "") for stated in re.findall(_COLON_FIELD % name, text))


def _stated(scope: FileScope, position: int, type_text: str, value: str) -> str:
    stated = read_type(type_text, scope.language) or read_value(value)
    parameter = _parameter_type(scope, position, value.strip())
    return parameter or stated


def is_property(scope: FileScope, position: int) -> bool:
    """Return True for a member without brackets in its use that runs code."""
    if scope.language == "python":
        return _PROPERTY_DECORATOR.match(scope.text(position)) is not None
    return _GETTER.match(scope.node(position).signature) is not None


def _parameter_type(scope: FileScope, position: int, name: str) -> str:
    if not name.isidentifier():
        return ""
    methods = (i for i, parent in enumerate(scope.file.parents()) if parent == position)
    types = (scope.locals_of(i).get(name, "") for i in methods)
    return next(filter(None, types), "")
