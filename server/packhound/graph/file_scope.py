"""One file as the resolver reads it: texts, imports, members, local names and occurrences."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property

from packhound.core.types import Node
from packhound.graph.import_bindings import Imports, read_entries, read_imports
from packhound.graph.local_names import NO_LOCALS, LocalNames, read_locals
from packhound.graph.source_text import SCRIPT_LANGUAGES
from packhound.index import FileEntry
from packhound.parsing import Capture, blank_runs

TYPE_KINDS = frozenset({"class", "struct", "enum", "interface", "trait", "impl", "module", "type"})
CALLABLE_KINDS = frozenset({"function", "method", "test", "macro"})

_QUALIFIER = re.compile(r"::|\.")
_NAME = re.compile(r"[A-Za-z_\x80-\xff][\w\x80-\xff]*")
_SCRIPT_NAME = re.compile(r"#?[A-Za-z_$\x80-\xff][\w$\x80-\xff]*")
_PART_OF_NAME = {_NAME: r"[\w\x80-\xff]", _SCRIPT_NAME: r"[#\w$\x80-\xff]"}
_KEY = {
    "python": re.compile(r"\s*=(?!=)"),
    **dict.fromkeys(("kotlin", "scala", "php", "r", "julia"), re.compile(r"\s*=(?![=>])")),
    **dict.fromkeys(("go", "swift", "dart"), re.compile(r"\s*:(?![:=])")),
    **dict.fromkeys(SCRIPT_LANGUAGES, re.compile(r"\??\s*:(?!:)")),
    **dict.fromkeys(("ruby", "rust", "csharp"), re.compile(r":(?!:)")),
}
"""What follows a name that is a key, a label or a keyword argument."""
_ARROW = re.compile(r"[\w$#.]+\s*[:=](?!\s*(?:async\s+)?function\b)")
_MAX_INDENT = 100


@dataclass(frozen=True, slots=True)
class Dialect:
    """Scoping rules of a language.

    `implicit_members`: members need no receiver. `package`: a folder shares its names. `program`:
    a name of the whole program needs no import. `strict`: a name that is in no scope is not ours.
    """

    self_names: frozenset[str] = frozenset({"this"})
    super_names: frozenset[str] = frozenset({"super", "base", "parent"})
    implicit_members: bool = False
    package: bool = False
    program: bool = False
    strict: bool = True
    name: re.Pattern[str] = _NAME


_SCRIPT = Dialect(name=_SCRIPT_NAME)
_JVM = Dialect(implicit_members=True, package=True)
_DIALECTS = {
    "python": Dialect(frozenset({"self", "cls"})),
    "go": Dialect(frozenset(), package=True),
    "rust": Dialect(frozenset({"self", "Self"}), frozenset()),
    "c": Dialect(program=True),
    "cpp": Dialect(implicit_members=True, program=True),
    "csharp": Dialect(implicit_members=True, program=True),
    "ruby": Dialect(frozenset({"self"}), implicit_members=True, program=True),
    "php": Dialect(frozenset({"$this", "self", "static"}), package=True),
    "swift": Dialect(frozenset({"self", "Self"}), implicit_members=True, program=True),
    "lua": Dialect(frozenset({"self"})),
    "elixir": Dialect(frozenset({"__MODULE__"}), implicit_members=True, program=True),
    "dart": Dialect(implicit_members=True),
    **dict.fromkeys(SCRIPT_LANGUAGES, _SCRIPT),
    **dict.fromkeys(("java", "kotlin", "scala"), _JVM),
}
_OTHER = Dialect(implicit_members=True, strict=False)


@dataclass(eq=False)
class FileScope:
    """A file of the graph with its text, which is read when it is first asked for."""

    path: str
    file: FileEntry
    read: Callable[[], bytes | None]
    _locals: dict[int, LocalNames] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.language = self.file.language
        self.dialect = _DIALECTS.get(self.language, _OTHER)

    def node(self, position: int) -> Node:
        """Return the node at a position."""
        return self.file.node(position)

    @cached_property
    def source(self) -> bytes:
        """The text, empty where it has changed since it was indexed."""
        return self.read() or b""

    @cached_property
    def captured(self) -> list[Capture]:
        """Captures beside the nodes; nothing where the text has changed since."""
        return [*self.file.captured()] if self.source else []

    @cached_property
    def bare(self) -> str:
        """The text without comments and strings, in Latin-1: an offset is that of the byte."""
        blank = [capture.run for capture in self.captured if capture.kind == "blank"]
        return blank_runs(self.source, blank).decode("latin-1")

    @cached_property
    def imports(self) -> Imports:
        """The bindings of all imports."""
        return read_imports(self.source.decode("latin-1"), self.captured)

    def outer_imports(self) -> Iterator[tuple[int, str, str]]:
        """Yield line, 0-based, module and name of each import outside of a block; "*" for all."""
        text = self.source.decode("latin-1")
        for capture in self.captured:
            # What is indented may be tried, or never run.
            if text[text.rfind("\n", 0, capture.run[0]) + 1].isspace():
                continue
            for name, binding in read_entries(text, capture):
                line = self.line(capture.parts.get("name", capture.run)[0])
                yield line, binding.module, "*" if name == "*" else binding.name

    @cached_property
    def exported(self) -> str:
        """The name of the module, or of its default export; "" where it has none."""
        runs = (capture.run for capture in self.captured if capture.kind == "export")
        return next((self.bare[start:end] for start, end in runs), "")

    def own_text(self, position: int) -> str:
        """Return a node's own text, without comments and strings."""
        return "".join([self.bare[low:high] for low, high in self.node(position).own_ranges])

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

    def ancestors(self, position: int) -> Iterator[int]:
        """Yield a node and what it stands in, innermost first; nothing for -1."""
        current = position if position >= 0 else None
        while current is not None:
            yield current
            current = self.node(current).parent

    def locals_of(self, position: int) -> LocalNames:
        """Return the local names of a function; none of any other node."""
        if self.node(position).kind not in CALLABLE_KINDS:
            return NO_LOCALS
        if position not in self._locals:
            self._locals[position] = self._read_locals([position])
        return self._locals[position]

    @cached_property
    def globals(self) -> LocalNames:
        """The names that stand outside of all definitions, with their types."""
        kinds = (self.node(position).kind for position in range(len(self.file.node_ids)))
        outer = [i for i, kind in enumerate(kinds) if kind in ("file", "window", "constant")]
        return self._read_locals(outer)

    def _read_locals(self, positions: Iterable[int]) -> LocalNames:
        runs = [run for position in positions for run in self.node(position).own_ranges]
        return read_locals(self.bare, runs, self._local_captures, self.language)

    @cached_property
    def _local_captures(self) -> list[Capture]:
        """The local names that were captured, by start."""
        captured = [capture for capture in self.captured if capture.kind == "local"]
        return sorted(captured, key=lambda capture: capture.run)

    def occurrences(self, position: int, name: str = "") -> dict[str, list[int]]:
        """Return the offsets of each name, or one, that a node's own text uses.

        Keys and labels are none, nor is where the node gives itself its name.
        """
        offsets: dict[str, list[int]] = defaultdict(list)
        key, pattern = _KEY.get(self.language), self.dialect.name
        if name:
            if not pattern.fullmatch(name):
                return offsets
            # The text first: looking for it takes a tenth of the time of looking at all names.
            part, text = _PART_OF_NAME[pattern], re.escape(name)
            pattern = re.compile(f"{text}(?<!{part}{text})(?!{part})")
        node, is_defined = self.node(position), False
        for low, high in node.own_ranges:
            for match in pattern.finditer(self.bare, low, high):
                before = self.bare[match.start() - 1 : match.start()]
                if not is_defined and match[0] == node.name:
                    is_defined = before != "@"  # As in `@size.setter`.
                elif key is None or before == "." or not self._is_key(key, match):
                    offsets[match[0]].append(match.start())
        return offsets

    def _is_key(self, key: re.Pattern[str], match: re.Match[str]) -> bool:
        if key.match(self.bare, match.end()) is None:
            return False
        before = self.bare[max(0, match.start() - _MAX_INDENT) : match.start()].rstrip(" \t")[-1:]
        if self.language == "python":
            return before in "(,\n"
        return before != "?"

    def is_member(self, position: int) -> bool:
        """Return True for what is reached through a type or an instance."""
        node = self.node(position)
        if node.kind == "method":
            return True
        holder = None if node.parent is None else self.node(node.parent).kind
        return holder in TYPE_KINDS and not (holder == "module" and self.language == "rust")

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
        return self.language in SCRIPT_LANGUAGES and bool(_ARROW.match(node.signature))

    def is_top_level(self, position: int) -> bool:
        """Return True for a definition that other files can name without its owner."""
        node = self.node(position)
        if node.kind in ("method", "impl", "file", "section", "window"):
            return False
        holders = (self.node(holder).kind for holder in [*self.ancestors(position)][1:])
        return all(kind == "module" for kind in holders)
