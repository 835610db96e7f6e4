"""One file as the resolver reads it: texts, imports, members, local names and occurrences."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import count, product
from typing import TypeAlias

from packhound.core.types import Node
from packhound.graph.import_bindings import Imports, read_entries, read_imports
from packhound.graph.source_text import SCRIPT_LANGUAGES
from packhound.graph.stated_types import read_type, read_value, stated_type
from packhound.index import FileEntry
from packhound.parsing import LANGUAGES, ByteRange, Capture, Captures, Record, blank_runs

LocalNames: TypeAlias = Mapping[str, str]
"""Local names with their types, "" for an unknown one."""
_MAX_PART = 400
"""Characters of a type or a value that are read."""
TYPE_KINDS = frozenset({"class", "struct", "enum", "interface", "trait", "impl", "module", "type"})
CALLABLE_KINDS = frozenset({"function", "method", "test", "macro"})

_QUALIFIER = re.compile(r"::|\.")
_NAME = re.compile(r"[A-Za-z_\x80-\xff][\w\x80-\xff]*")
_SCRIPT_NAME = re.compile(r"#?[A-Za-z_$\x80-\xff][\w$\x80-\xff]*")
_PART_OF_NAME = {
    _NAME: re.compile(r"[\w\x80-\xff]"),
    _SCRIPT_NAME: re.compile(r"[#\w$\x80-\xff]"),
}


@dataclass(frozen=True, slots=True)
class Dialect:
    """Scoping rules of a language.

    `implicit_members`: members need no receiver. `package`: a folder shares its names, and files
    of one named package do. `program`: a name of the whole program needs no import. `strict`: a
    name that is in no scope is not ours. `calls_methods`: what is called is no local name.
    `names_fields`: a member that is not called is a field. `overloads`: functions of one name
    differ by the types of their parameters, with the conversions of Java. `modules`: what a module
    within a file defines is seen in it, and a mark calls macros.
    """

    self_names: frozenset[str] = frozenset({"this"})
    super_names: frozenset[str] = frozenset({"super"})
    implicit_members: bool = False
    package: bool = False
    program: bool = False
    strict: bool = True
    calls_methods: bool = False
    names_fields: bool = False
    overloads: bool = False
    modules: bool = False
    name: re.Pattern[str] = _NAME


_SCRIPT = Dialect(name=_SCRIPT_NAME)
_JVM = Dialect(implicit_members=True, package=True)
_JAVA = replace(_JVM, calls_methods=True, names_fields=True, overloads=True)
_DIALECTS = {
    "python": Dialect(frozenset({"self", "cls"})),
    "go": Dialect(frozenset(), package=True),
    "rust": Dialect(frozenset({"self", "Self"}), frozenset(), names_fields=True, modules=True),
    "c": Dialect(program=True),
    "cpp": Dialect(implicit_members=True, program=True),
    "csharp": Dialect(super_names=frozenset({"base"}), implicit_members=True, program=True),
    "ruby": Dialect(frozenset({"self"}), implicit_members=True, program=True),
    "php": Dialect(frozenset({"$this", "self", "static"}), frozenset({"parent"}), package=True),
    "swift": Dialect(frozenset({"self", "Self"}), implicit_members=True, program=True),
    "lua": Dialect(frozenset({"self"})),
    "elixir": Dialect(frozenset({"__MODULE__"}), implicit_members=True, program=True),
    "dart": Dialect(implicit_members=True),
    **dict.fromkeys(SCRIPT_LANGUAGES, _SCRIPT),
    "java": _JAVA,
    **dict.fromkeys(("kotlin", "scala"), _JVM),
}
_OTHER = Dialect(implicit_members=True, strict=False)
_DIALECTS |= {
    row.name: replace(_DIALECTS.get(row.name, _OTHER), name=re.compile(row.identifier))
    for row in LANGUAGES
    if row.identifier
}


@dataclass(eq=False)
class FileScope:
    """A file of the graph with its text, which is read when it is first asked for."""

    path: str
    file: FileEntry
    read: Callable[[], bytes | None]
    _locals: dict[int, LocalNames] = field(default_factory=dict)
    _attributes: dict[int, dict[str, list[tuple[int, str]]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.language = self.file.language
        self.dialect = _DIALECTS.get(self.language, _OTHER)

    def node(self, position: int) -> Node:
        """Return the node at a position."""
        return self.record.node(position)

    @cached_property
    def record(self) -> Record:
        """The nodes and captures."""
        return self.file.decoded()

    @cached_property
    def _captures(self) -> Captures:
        """All captures; none where the text has changed since."""
        return Captures(self.record.captured if self.source else ())

    @cached_property
    def source(self) -> bytes:
        """The text, empty where it has changed since it was indexed."""
        return self.read() or b""

    @cached_property
    def full(self) -> str:
        """The text in Latin-1: an offset is that of the byte."""
        return self.source.decode("latin-1")

    @cached_property
    def bare(self) -> str:
        """The same without comments and strings."""
        return blank_runs(self.source, self._captures.runs("blank")).decode("latin-1")

    def _captures_in(self, kind: str, position: int) -> Iterator[Capture]:
        """Yield the captures of a kind in a node's own text."""
        for start, end in self.node(position).own_ranges:
            yield from self._captures.of(kind, start, end)

    def names_in(self, kind: str, position: int) -> list[str]:
        """Return the names of a kind that were captured in a node's own text."""
        runs = (capture.run for capture in self._captures_in(kind, position))
        return [self.bare[start:end] for start, end in runs]

    def _stated_in(self, kind: str, position: int) -> Iterator[tuple[str, str]]:
        """Yield the names of a kind in a node's own text, with what is stated for them."""
        number = count()
        for capture in self._captures_in(kind, position):
            texts = {part: self._cut(part, run) for part, run in capture.parts.items()}
            name = str(next(number)) if "all" in texts else self._cut(kind, capture.run)
            yield name, stated_type(texts, self.language)

    def _cut(self, part: str, run: ByteRange) -> str:
        # A type can stand in a string.
        return (self.full if part == "type" else self.bare)[slice(*run)][:_MAX_PART]

    @cached_property
    def imports(self) -> Imports:
        """The bindings of all imports."""
        captured: Iterable[Capture] = self._captures.of("import")
        if self.dialect.modules:  # Those of the file come before those of a module in it.
            captured = sorted(captured, key=self._is_indented, reverse=True)
        return read_imports(self.full, captured)

    def _is_indented(self, capture: Capture) -> bool:
        return self.full[self.full.rfind("\n", 0, capture.run[0]) + 1].isspace()

    def outer_imports(self) -> Iterator[tuple[int, str, str]]:
        """Yield line, 0-based, module and name of each import outside of a block; "*" for all."""
        for capture in self._captures.of("import"):
            # What is indented may be tried, or never run.
            if self._is_indented(capture):
                continue
            for name, binding in read_entries(self.full, capture):
                line = self.line(capture.parts.get("name", capture.run)[0])
                yield line, binding.module, "*" if name == "*" else binding.name

    @cached_property
    def exported(self) -> str:
        """The name of the module, or of its default export; "" where it has none."""
        runs = (capture.run for capture in self._captures.of("export"))
        return next((self.bare[start:end] for start, end in runs), "")

    def base_names(self, position: int) -> list[str]:
        """Return the names of the bases of a type, as its head and its mixins write them."""
        return [read_type(name, self.language) for name in self.names_in("base", position)]

    def is_property(self, position: int) -> bool:
        """Return True for a member without brackets in its use that runs code."""
        return self.node(position).name in self.names_in("property", position)

    def is_declared(self, position: int) -> bool:
        """Return True for a function without a body, which is defined elsewhere."""
        return self.node(position).name in self.names_in("declared", position)

    def result_type(self, position: int) -> str:
        """Return the type that a function says it returns, "" if it says none."""
        name = self.node(position).name
        for kind in ("result", "property"):
            for written, stated in self._stated_in(kind, position):
                if stated and written.rpartition("::")[2] == name:
                    return stated
        values = self.names_in("return", position)
        return read_value(values[0]) if len(values) == 1 else ""

    def attributes_of(self, position: int) -> Mapping[str, list[tuple[int, str]]]:
        """Return the attributes of a type with the nodes that state something for them."""
        if position not in self._attributes:
            attributes = defaultdict[str, list[tuple[int, str]]](list)
            kinds = [(position, kind) for kind in ("field", "local", "property")]
            inside = (i for i, holder in enumerate(self._types) if holder == position)
            for holder, kind in (*kinds, *((i, "field") for i in inside)):
                for name, stated in self._stated_in(kind, holder):
                    if stated:
                        attributes[name.lstrip("@$")].append((holder, stated))
            self._attributes[position] = attributes
        return self._attributes[position]

    @cached_property
    def _types(self) -> list[int]:
        """The innermost type around each node, -1 for none."""
        types: list[int] = []
        for parent in self.record.parents():
            is_type = parent >= 0 and self.node(parent).kind in TYPE_KINDS
            types.append(parent if is_type or parent < 0 else types[parent])
        return types

    def text(self, position: int) -> str:
        """Return a node's whole text, without comments and strings."""
        span = self.node(position).span
        return self.bare[span.start : span.end]

    def line(self, offset: int) -> int:
        """Return the 0-based line of an offset."""
        return self.source.count(b"\n", 0, offset)

    def source_line(self, offset: int) -> str:
        """Return the text of the line of an offset."""
        start, end = self.source.rfind(b"\n", 0, offset) + 1, self.source.find(b"\n", offset)
        return self.source[start : end if end >= 0 else None].decode("utf-8", "replace").strip()

    def is_around(self, position: int, offset: int) -> bool:
        """Return True if an offset lies in a node."""
        span = self.node(position).span
        return span.start <= offset < span.end

    def ancestors(self, position: int) -> Iterator[int]:
        """Yield a node and what it stands in, innermost first; nothing for -1."""
        current = position if position >= 0 else None
        while current is not None:
            yield current
            current = self.node(current).parent

    def locals_of(self, position: int) -> LocalNames:
        """Return the local names of a function; none of any other node."""
        if self.node(position).kind not in CALLABLE_KINDS:
            return {}
        if position not in self._locals:
            self._locals[position] = self._read_locals([position], "local")
        return self._locals[position]

    def bound(self, position: int, name: str) -> str:
        """Return the type that the nearest type parameter of a name must have, "" for none."""
        end = self.node(position).span.end
        for capture in reversed([*self._captures.of("generic")]):
            if capture.run[0] < end and self._cut("generic", capture.run) == name:
                return read_type(self._cut("type", capture.parts["type"]), self.language)
        return ""

    @cached_property
    def globals(self) -> LocalNames:
        """The names that stand outside of all definitions, with their types."""
        kinds = (self.node(position).kind for position in range(len(self.file.node_ids)))
        outer = [i for i, kind in enumerate(kinds) if kind in ("file", "window", "constant")]
        return self._read_locals(outer, "local", "field")

    def _read_locals(self, positions: Iterable[int], *kinds: str) -> LocalNames:
        """Return names in some nodes: the first statement that names a type counts."""
        names: dict[str, str] = {}
        for kind, position in product(kinds, positions):
            for name, stated in self._stated_in(kind, position):
                if not names.get(name):
                    names[name] = stated
        return names

    @cached_property
    def _starts(self) -> tuple[set[int], set[int]]:
        """The starts of names that are bound, or name an argument, and of those used all the same.

        An import uses the name that it binds, and an embedded field that of its type.
        """
        starts, used = self._captures.starts("key", "local", "field")
        return starts, used | self._captures.starts("import")[1]

    def _is_used(self, offset: int) -> bool:
        """Return False for a name that is bound or only names an argument or an entry."""
        starts, used = self._starts
        return offset not in starts or offset in used or self.bare[offset - 1 : offset] == "."

    def occurrences(
        self, position: int, names: Iterable[str] | None = None
    ) -> dict[str, list[int]]:
        """Return the offsets of each name, or some, that a node's own text uses.

        Where a name is bound is none, nor is the name of an argument or an entry.
        """
        node, is_defined = self.node(position), False
        offsets: dict[str, list[int]] = defaultdict(list)
        for name, offset in (
            self._names(position) if names is None else self._places(position, names)
        ):
            if not is_defined and name == node.name:
                is_defined = self.bare[offset - 1 : offset] != "@"  # As in `@size.setter`.
            elif self._is_used(offset):
                offsets[name].append(offset)
        return offsets

    def _names(self, position: int) -> Iterator[tuple[str, int]]:
        """Yield all names in a node's own text, with their offsets."""
        for low, high in self.node(position).own_ranges:
            for match in self.dialect.name.finditer(self.bare, low, high):
                yield match[0], match.start()

    def _places(self, position: int, names: Iterable[str]) -> Iterator[tuple[str, int]]:
        """Yield some names in a node's own text, which takes a tenth of the time for one."""
        bare = self.bare
        for name, (low, high) in product(names, self.node(position).own_ranges):
            start = bare.find(name, low, high)
            while start >= 0:
                end = start + len(name)
                if self._is_whole(start, end, low, high):
                    yield name, start
                start = bare.find(name, end, high)

    def _is_whole(self, start: int, end: int, low: int, high: int) -> bool:
        """Return True for a name that is no part of a longer one."""
        bare, is_part = self.bare, _PART_OF_NAME.get(self.dialect.name)
        if is_part:
            is_begun = start > 0 and is_part.match(bare, start - 1)
            return not is_begun and not is_part.match(bare, end, high)
        before = max(low, bare.rfind("\n", low, start), start - _MAX_PART)
        names = self.dialect.name.finditer(bare, before, high)
        return next((name.span() for name in names if name.end() > start), None) == (start, end)

    def offsets_of(self, position: int, name: str) -> list[int]:
        """Return where a node's own text has a name, bound or used."""
        return [offset for _, offset in self._places(position, [name])]

    def is_member(self, position: int) -> bool:
        """Return True for what is reached through a type or an instance."""
        node = self.node(position)
        if node.kind == "method" or self._is_associated(node):
            return True
        holder = None if node.parent is None else self.node(node.parent).kind
        return holder in TYPE_KINDS and not (holder == "module" and self.language == "rust")

    def _is_associated(self, node: Node) -> bool:
        """Return True for a constant of a type whose `impl` is no node."""
        is_outer = node.parent is None and node.kind == "constant"
        return is_outer and self.dialect.modules and "::" in node.qualname

    def owner(self, position: int) -> str:
        """Return the name of the type that a node is a member of, "" for none."""
        node = self.node(position)
        if node.parent is not None and self.node(node.parent).kind in TYPE_KINDS:
            return self.node(node.parent).name.partition("<")[0]
        parts = _QUALIFIER.split(node.qualname)
        return parts[-2].partition("<")[0] if len(parts) > 1 else ""

    def is_arrow(self, position: int) -> bool:
        """Return True for a function within another that has the `this` of that one."""
        node = self.node(position)
        if node.parent is None or self.node(node.parent).kind not in CALLABLE_KINDS:
            return False
        return node.name in self.names_in("arrow", position)

    def is_seen(self, position: int, user: int) -> bool:
        """Return True if a node lies in the module of a definition outside of types."""
        module = self.node(position).qualname.rpartition("::")[0]
        return not module or (user >= 0 and self.node(user).qualname.startswith(f"{module}::"))

    def is_file_local(self, position: int) -> bool:
        """Return True for what is static in a file of C that is no header."""
        is_source = self.path.endswith((".c", ".cc", ".cpp", ".cxx", ".m", ".mm"))
        return is_source and self.node(position).signature.startswith("static ")

    def is_top_level(self, position: int) -> bool:
        """Return True for a definition that other files can name without its owner."""
        node = self.node(position)
        unnamed = ("method", "impl", "file", "section", "window")
        if node.kind in unnamed or self._is_associated(node):
            return False
        holders = (self.node(holder).kind for holder in [*self.ancestors(position)][1:])
        return all(kind == "module" for kind in holders)
