"""Names that the imports of a file bind, by the syntax of its language."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias


class Binding(NamedTuple):
    """Target of an import: `name` of a module, or with "" the module itself."""

    module: str
    name: str = ""


DEFAULT = "default"
"""Name of a module's default export."""
_MAX_USE_DEPTH = 6


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


def read_imports(code: str, language: str) -> Imports:
    """Return the bindings of a source without comments."""
    imports = Imports()
    reader = _READERS.get(language)
    for name, binding in reader(code) if reader else ():
        if name == "*":
            imports.wildcards.append(binding.module)
        elif name:
            imports.names[name] = binding
    return imports


_PYTHON_FROM = re.compile(r"^[ \t]*from\s+([.\w]+)\s+import\s+(\([^)]*\)|[^\n;]+)", re.M)
_PYTHON_IMPORT = re.compile(r"^[ \t]*import\s+([^\n;]+)", re.M)


def _python(code: str) -> Iterator[Entry]:
    code = code.replace("\\\n", "  ")
    for module, names in _PYTHON_FROM.findall(code):
        for name, alias in _split_aliases(names.strip("() \t"), "as"):
            yield ("*" if name == "*" else alias), Binding(module, name)
    for modules in _PYTHON_IMPORT.findall(code):
        for module, alias in _split_aliases(modules, "as"):
            yield alias, Binding(module)
            if alias == module:
                yield module.partition(".")[0], Binding(module.partition(".")[0])


def _split_aliases(names: str, keyword: str) -> Iterator[tuple[str, str]]:
    """Yield each name of a list with its alias, itself without one."""
    for entry in names.split(","):
        words = entry.split()
        if len(words) == 3 and words[1] == keyword:
            yield words[0], words[2]
        elif len(words) == 1:
            yield words[0], words[0]


_SCRIPT_IMPORT = re.compile(
    r"\b(?:import|export)\s+(?:type\s+)?(?:([\w$]+)\s*,?\s*)?"
    r"(?:\{([^}]*)\}|\*(?:\s+as\s+([\w$]+))?)?\s*from\s*[\"']([^\"'\n]+)[\"']"
)
_REQUIRE = re.compile(
    r"\b(?:const|let|var)\s+(?:([\w$]+)|\{([^}]*)\})\s*=\s*(?:await\s+)?"
    r"(?:require|import)\s*\(\s*[\"']([^\"'\n]+)[\"']\s*\)(?:\.([\w$]+))?"
)


def _script(code: str) -> Iterator[Entry]:
    for match in _SCRIPT_IMPORT.finditer(code):
        default, names, namespace, module = match.groups()
        if default:
            yield default, Binding(module, DEFAULT)
        for name, alias in _split_aliases((names or "").replace("type ", " "), "as"):
            yield alias, Binding(module, name)
        if namespace:
            yield namespace, Binding(module)
        elif names is None and not default:
            yield "*", Binding(module)
    for name, names, module, member in _REQUIRE.findall(code):
        if name:
            yield name, Binding(module, member or DEFAULT)
        for original, alias in _split_aliases(names.replace(":", " : "), ":"):
            yield alias, Binding(module, original)


_GO_IMPORT = re.compile(r"^import\s*(?:\(([^)]*)\)|([^\n(]+))", re.M)
_GO_SPEC = re.compile(r"([\w.]+[ \t]+)?\"([^\"\n]+)\"")
_GO_VERSION = re.compile(r"/v\d+$|\.v\d+$")


def _go(code: str) -> Iterator[Entry]:
    for block, line in _GO_IMPORT.findall(code):
        for alias, path in _GO_SPEC.findall(block or line):
            name = alias.strip() or go_name(path)
            yield ("*" if name == "." else name), Binding(path)


def go_name(path: str) -> str:
    """Return the name that a package of Go most likely has, by its import path."""
    return _GO_VERSION.sub("", path).rpartition("/")[2].removeprefix("go-")


_RUST_USE = re.compile(r"\buse\s+([^;]+);")
_RUST_MOD = re.compile(r"\bmod\s+(\w+)\s*;")


def _rust(code: str) -> Iterator[Entry]:
    for tree in _RUST_USE.findall(code):
        yield from _use_tree("", "".join(re.sub(r"\s+as\s+", "=", tree).split()), 0)
    for name in _RUST_MOD.findall(code):
        yield name, Binding(f"self::{name}")


def _use_tree(prefix: str, tree: str, depth: int) -> Iterator[Entry]:
    """Yield what `use prefix::tree` binds."""
    head, brace, rest = tree.partition("{")
    if brace and depth < _MAX_USE_DEPTH:
        for part in _split_outside_braces(rest.rpartition("}")[0]):
            yield from _use_tree(prefix + head, part, depth + 1)
        return
    path, _, alias = (prefix + tree).partition("=")
    module, _, name = path.rpartition("::")
    if name == "self":
        module, _, name = module.rpartition("::")
    yield ("*" if name == "*" else alias or name), Binding(module, name)


def _split_outside_braces(text: str) -> Iterator[str]:
    depth, start = 0, 0
    for i, character in enumerate(text):
        depth += (character == "{") - (character == "}")
        if character == "," and depth == 0:
            yield text[start:i]
            start = i + 1
    yield text[start:]


_JVM_IMPORT = re.compile(
    r"^\s*import\s+(?:static\s+)?([\w.`]+)(?:\.(?:(\*|_)|\{([^}]*)\}))?(?:\s+as\s+(\w+))?", re.M
)


def _jvm(code: str) -> Iterator[Entry]:
    for path, wildcard, names, alias in _JVM_IMPORT.findall(code):
        module, _, name = path.replace("`", "").rpartition(".")
        if wildcard:
            yield "*", Binding(path)
        elif names:
            for original, renamed in _split_aliases(names.replace("=>", " as "), "as"):
                yield ("*" if original in "*_" else renamed), Binding(path, original)
        else:
            yield alias or name, Binding(module, name)


_USING = re.compile(r"^\s*(?:global\s+)?using\s+(?:static\s+)?(?:(\w+)\s*=\s*)?([\w.]+)\s*;", re.M)


def _csharp(code: str) -> Iterator[Entry]:
    for alias, path in _USING.findall(code):
        module, _, name = path.rpartition(".")
        yield (alias, Binding(module, name)) if alias else ("*", Binding(path))


_PHP_USE = re.compile(r"^\s*use\s+(?:function\s+|const\s+)?([^;({]+)(?:\{([^}]*)\})?;", re.M)


def _php(code: str) -> Iterator[Entry]:
    for path, names in _PHP_USE.findall(code):
        for original, alias in _split_aliases(names or path, "as"):
            full = f"{path.strip()}{original}" if names else original
            module, _, name = full.strip("\\").rpartition("\\")
            yield (alias.rpartition("\\")[2], Binding(module, name))


_INCLUDE = re.compile(r"^\s*#\s*include\s*[<\"]([^>\"\n]+)[>\"]", re.M)
_RUBY_REQUIRE = re.compile(r"^\s*require(?:_relative)?\s*\(?\s*[\"']([^\"'\n]+)[\"']", re.M)
_LUA_REQUIRE = re.compile(r"(\w+)\s*=\s*require\s*\(?\s*[\"']([^\"'\n]+)[\"']")
_ELIXIR_ALIAS = re.compile(r"^\s*alias\s+([\w.]+)(?:\.\{([^}]*)\})?(?:,\s*as:\s*(\w+))?", re.M)
_ELIXIR_IMPORT = re.compile(r"^\s*(?:import|use)\s+([\w.]+)", re.M)
_DART_IMPORT = re.compile(r"^\s*(?:import|export|part)\s+'([^'\n]+)'(?:\s+as\s+(\w+))?", re.M)


def _c(code: str) -> Iterator[Entry]:
    return (("*", Binding(path)) for path in _INCLUDE.findall(code))


def _ruby(code: str) -> Iterator[Entry]:
    return (("*", Binding(path)) for path in _RUBY_REQUIRE.findall(code))


def _lua(code: str) -> Iterator[Entry]:
    return ((name, Binding(path)) for name, path in _LUA_REQUIRE.findall(code))


def _elixir(code: str) -> Iterator[Entry]:
    for path, names, alias in _ELIXIR_ALIAS.findall(code):
        for name in names.split(",") if names else [path.rpartition(".")[2]]:
            module = path if names else path.rpartition(".")[0]
            yield alias or name.strip(), Binding(module, name.strip())
    for path in _ELIXIR_IMPORT.findall(code):
        yield "*", Binding(path)


def _dart(code: str) -> Iterator[Entry]:
    for path, alias in _DART_IMPORT.findall(code):
        yield alias or "*", Binding(path)


_READERS: dict[str, Callable[[str], Iterator[Entry]]] = {
    "python": _python,
    "go": _go,
    "rust": _rust,
    "csharp": _csharp,
    "php": _php,
    "ruby": _ruby,
    "lua": _lua,
    "elixir": _elixir,
    "dart": _dart,
    **dict.fromkeys(("javascript", "typescript", "tsx", "vue", "svelte"), _script),
    **dict.fromkeys(("java", "kotlin", "scala"), _jvm),
    **dict.fromkeys(("c", "cpp"), _c),
}
