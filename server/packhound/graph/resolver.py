"""The meaning of a name where it is used: by scopes, imports and stated types, else by name only.

A reference is resolved as a reader would without running anything: local names hide others,
members belong to the type of their receiver, imports lead to files. What only shares its name with
a definition is marked `by_name`; it never leads from source into tests.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from packhound.graph.definitions import folder_of, language_family
from packhound.graph.exports import Defined, Definition, Definitions, Exports
from packhound.graph.file_scope import CALLABLE_KINDS, TYPE_KINDS, FileScope
from packhound.graph.source_text import Segment, receiver
from packhound.graph.type_facts import (
    attribute_type,
    base_names,
    count_arguments,
    count_parameters,
    result_type,
)
from packhound.text import is_test

_MAX_BASES = 6
"""Depth of inheritance that is followed."""
_MAX_SAME_NAME = 3
"""A name with more definitions says nothing by itself."""
_MAX_OVERLOADS = 8
_MAX_SEGMENTS = 6
_OPEN_LANGUAGES = frozenset({"go", "rust", "c", "cpp", "swift", "ruby", "csharp", "kotlin"})
"""Languages whose types have members outside of the file that defines them."""


class Owner(NamedTuple):
    """A type, by the file of one of its definitions and its name."""

    path: str
    name: str


class Value(NamedTuple):
    """What an expression stands for: members of `owners`, names of `modules`, or neither.

    `is_foreign` says that it comes from outside of the folder.
    """

    owners: tuple[Owner, ...] = ()
    modules: tuple[str, ...] = ()
    is_foreign: bool = False


class Meaning(NamedTuple):
    """The definitions that a name means; `by_name` if nothing but the name says so."""

    definitions: Definitions = ()
    by_name: bool = False


_UNKNOWN = Value()
_FOREIGN = Value(is_foreign=True)
_NOTHING = Meaning()


class Resolver:
    """Resolves names in the files of one state of a graph; the caller holds the graph's lock."""

    def __init__(self, positions: Defined, exports: Exports) -> None:
        self._positions, self._exports = positions, exports
        self._bases: dict[Owner, list[Owner]] = {}
        self._attributes: dict[tuple[Owner, str], Value] = {}
        self._types: dict[tuple[str, int, str], Value] = {}

    def meaning(self, scope: FileScope, position: int, name: str, offset: int) -> Meaning:
        """Return what the `name` at `offset`, in the node at `position`, means."""
        meaning = self._meaning(scope, position, name, offset)
        if len(meaning.definitions) < 2:
            return meaning
        n_arguments = count_arguments(scope.bare, offset + len(name))
        return meaning._replace(definitions=self._fitting(meaning.definitions, n_arguments))

    def _meaning(self, scope: FileScope, position: int, name: str, offset: int) -> Meaning:
        chain = receiver(scope.bare, offset)
        if not chain:
            return self.visible(scope, position, name)
        value = self._evaluate(scope, position, chain)
        if value.owners:
            return Meaning(self.members(value.owners, name))
        if value.modules:
            definitions = (self._exports.visible_in(path, name) for path in value.modules)
            return Meaning(tuple(d for exported in definitions for d in exported))
        if value.is_foreign:
            return _NOTHING
        return self._by_name(scope, name, members=True)

    def visible(self, scope: FileScope, position: int, name: str) -> Meaning:
        """Return what a name that stands alone means."""
        inner, is_local = self._in_scopes(scope, position, name)
        if inner or is_local:
            return Meaning(inner)
        positions = self._positions(name).get(scope.path, ())
        here = [Definition(scope.path, p) for p in positions if scope.is_top_level(p)]
        if here:
            return Meaning(tuple(here))
        binding = scope.imports.names.get(name)
        if binding is not None:
            return Meaning(self._exports.of_binding(scope, binding))
        exports, dialect = self._exports, scope.dialect
        shared = exports.in_package(scope, name) if dialect.package else ()
        shared = shared or exports.of_wildcards(scope, name)
        if shared:
            return Meaning(shared)
        if dialect.program:
            everywhere = exports.in_program(scope, name)
            return Meaning(everywhere, by_name=not self._is_one_entity(everywhere))
        return _NOTHING if dialect.strict else self._by_name(scope, name, members=False)

    def members(self, owners: Iterable[Owner], name: str) -> Definitions:
        """Return the members of types under a name, those of a base where the type has none."""
        level = list(owners)
        for _ in range(_MAX_BASES):
            definitions = [d for owner in level for d in self.declared_members(owner, name)]
            if definitions:
                return tuple(dict.fromkeys(definitions))[:_MAX_OVERLOADS]
            level = list(dict.fromkeys(base for owner in level for base in self.bases(owner)))
        return ()

    def bases(self, owner: Owner) -> list[Owner]:
        """Return the bases of a type that are in the graph."""
        if owner not in self._bases:
            self._bases[owner] = []  # A type that is reached again while its bases are sought.
            self._bases[owner] = list(dict.fromkeys(self._find_bases(owner)))
        return self._bases[owner]

    def _find_bases(self, owner: Owner) -> Iterator[Owner]:
        scope = self._exports.scope(owner.path)
        for position in self._type_positions(scope, owner) if scope else ():
            parent = scope.node(position).parent
            for written in base_names(scope, position):
                value = self._typed(scope, -1 if parent is None else parent, written)
                yield from (base for base in value.owners if base != owner)

    def owner_at(self, scope: FileScope, position: int) -> Owner | None:
        """Return the type that a position lies in."""
        for holder in scope.ancestors(position):
            node = scope.node(holder)
            if node.kind in TYPE_KINDS and node.kind != "type":
                return self._owner_named(scope, node.name.partition("<")[0])
            if node.kind == "method" and scope.owner(holder):
                return self._owner_named(scope, scope.owner(holder))
        return None

    def _owner_named(self, scope: FileScope, name: str) -> Owner:
        """Return the type of a name as its own file or, for an `impl`, another one defines it."""
        positions = self._positions(name).get(scope.path, ())
        if any(scope.node(p).kind in TYPE_KINDS - {"impl"} for p in positions):
            return Owner(scope.path, name)
        definitions = self.visible(scope, -1, name).definitions
        return Owner(definitions[0].path if definitions else scope.path, name)

    def _in_scopes(self, scope: FileScope, position: int, name: str) -> tuple[Definitions, bool]:
        """Return what the enclosing scopes define, and True for a local name."""
        positions = self._positions(name).get(scope.path, ())
        for holder in scope.ancestors(position):
            kind = scope.node(holder).kind
            is_type = kind in TYPE_KINDS and kind != "module"
            inner = [p for p in positions if self._is_inner(scope, p, holder, name)]
            if inner and (not is_type or holder == position or scope.dialect.implicit_members):
                return tuple(Definition(scope.path, p) for p in inner), False
            if name in scope.locals_of(holder):
                return (), True
        owner = self.owner_at(scope, position) if scope.dialect.implicit_members else None
        return (self.members([owner], name) if owner else ()), False

    def _is_inner(self, scope: FileScope, position: int, holder: int, name: str) -> bool:
        """Return True for what a node defines inside; a constructor is named by its type."""
        return scope.node(position).parent == holder and scope.node(holder).name != name

    def declared_members(self, owner: Owner, name: str) -> Definitions:
        """Return the members that a type itself has, wherever its language lets them stand."""
        defined, folder = self._positions(name), folder_of(owner.path)
        members = self._members_in((owner.path,) if owner.path in defined else (), owner, name)
        language = self._exports.language(owner.path)
        if members or language not in _OPEN_LANGUAGES:
            return members
        near = (path for path in defined if folder_of(path) == folder)
        members = self._members_in(near, owner, name)
        if members or language == "go":
            return members
        members = self._members_in(defined, owner, name)
        return members if len({d.path for d in members}) <= 2 else ()

    def _members_in(self, paths: Iterable[str], owner: Owner, name: str) -> Definitions:
        language = self._exports.language(owner.path)
        return tuple(
            Definition(path, position)
            for path in paths
            if (scope := self._exports.scope(path))
            and language_family(scope.language) == language_family(language)
            for position in self._positions(name)[path]
            if scope.is_member(position) and scope.owner(position) == owner.name != name
        )

    def _evaluate(self, scope: FileScope, position: int, chain: tuple[Segment, ...]) -> Value:
        """Return what a receiver stands for."""
        if not chain[0].name or len(chain) > _MAX_SEGMENTS:
            return _UNKNOWN
        for n in range(len(chain), 1, -1):
            dotted = ".".join(segment.name for segment in chain[:n])
            if dotted in scope.imports.names:
                modules = self._exports.module_of(scope, scope.imports.names[dotted])
                value = Value(modules=modules) if modules else _FOREIGN
                return self._follow(scope, value, chain[n:])
        return self._follow(scope, self._head(scope, position, chain[0]), chain[1:])

    def _head(self, scope: FileScope, position: int, head: Segment) -> Value:
        dialect = scope.dialect
        owner = self.owner_at(scope, position)
        if head.name in dialect.self_names and not head.called:
            return Value((owner,)) if owner else _UNKNOWN
        if head.name in dialect.super_names:
            bases = self.bases(owner) if owner else []
            return Value(tuple(bases)) if bases else _FOREIGN
        for holder in scope.ancestors(position):
            types = scope.locals_of(holder)
            if head.name in types:
                stated = types[head.name]
                return self._typed(scope, holder, stated) if stated and not head.called else _UNKNOWN
        if owner and (head.name.startswith("@") or dialect.implicit_members):
            value = self._attribute(owner, head.name.lstrip("@"))
            if value != _UNKNOWN:
                return value
        meaning = self.visible(scope, position, head.name)
        if meaning.definitions and not meaning.by_name:
            return self._value_of(meaning.definitions, called=head.called)
        binding = scope.imports.names.get(head.name)
        if binding is None:
            return _UNKNOWN
        modules = self._exports.module_of(scope, binding)
        return Value(modules=modules) if modules else _FOREIGN

    def _follow(self, scope: FileScope, value: Value, chain: tuple[Segment, ...]) -> Value:
        """Return what the rest of a chain stands for."""
        for segment in chain:
            if value.modules:
                exported = [self._exports.visible_in(path, segment.name) for path in value.modules]
                definitions = tuple(d for ds in exported for d in ds)
                value = self._value_of(definitions, called=segment.called)
            elif value.owners:
                definitions = self.members(value.owners, segment.name)
                attribute = self._attribute(value.owners[0], segment.name)
                value = (
                    self._value_of(definitions, called=segment.called)
                    if definitions
                    else attribute if not segment.called else _UNKNOWN
                )
            else:
                return value
        return value

    def _attribute(self, owner: Owner, name: str) -> Value:
        """Return the value of an attribute whose type the body of its own type states."""
        key = owner, name
        if key not in self._attributes:
            self._attributes[key] = _UNKNOWN  # One that is reached again while it is sought.
            self._attributes[key] = self._find_attribute(owner, name)
        return self._attributes[key]

    def _find_attribute(self, owner: Owner, name: str) -> Value:
        level = [owner]
        for _ in range(_MAX_BASES):
            for holder in level:
                scope = self._exports.scope(holder.path)
                for position in self._type_positions(scope, holder) if scope else ():
                    stated = attribute_type(scope, position, name)
                    if stated:
                        return self._typed(scope, position, stated)
            level = [base for holder in level for base in self.bases(holder)]
        return _UNKNOWN

    def _type_positions(self, scope: FileScope, owner: Owner) -> list[int]:
        positions = self._positions(owner.name).get(owner.path, ())
        return [p for p in positions if scope.node(p).kind in TYPE_KINDS]

    def _typed(self, scope: FileScope, position: int, written: str) -> Value:
        """Return an instance of the type `written` in a scope, or the result of the call `name()`."""
        key = scope.path, position, written
        if key not in self._types:
            self._types[key] = _UNKNOWN  # One that is reached again, as by `x = x.strip()`.
            self._types[key] = self._find_typed(scope, position, written)
        return self._types[key]

    def _find_typed(self, scope: FileScope, position: int, written: str) -> Value:
        called = written.endswith("()")
        text = written.removesuffix("()").replace("::", ".").replace("->", ".").replace("\\", ".")
        *path, name = text.strip(".").split(".")
        chain = tuple(Segment(part, called=False) for part in path)
        head = chain[0].name if chain else name
        if not head:
            return _UNKNOWN
        if not called and head in scope.dialect.self_names:
            owner = self.owner_at(scope, position)
            return Value((owner,)) if owner else _UNKNOWN
        last = Segment(name, called)
        value = self._evaluate(scope, position, (*chain, last)) if called else _UNKNOWN
        if called:
            return value
        definitions = self._static(scope, position, (*chain, last))
        return self._value_of(definitions, called=False) if definitions else _FOREIGN

    def _static(self, scope: FileScope, position: int, chain: tuple[Segment, ...]) -> Definitions:
        """Return the definitions that a path of names without calls leads to."""
        *path, last = chain
        if not path:
            meaning = self.visible(scope, position, last.name)
            return () if meaning.by_name else meaning.definitions
        value = self._evaluate(scope, position, tuple(path))
        if value.modules:
            return tuple(d for p in value.modules for d in self._exports.visible_in(p, last.name))
        return self.members(value.owners, last.name) if value.owners else ()

    def _value_of(self, definitions: Definitions, *, called: bool) -> Value:
        """Return what definitions stand for: a type, or the result of a call."""
        for definition in definitions:
            scope = self._exports.scope(definition.path)
            if scope is None:
                continue
            node = scope.node(definition.position)
            if node.kind in TYPE_KINDS:
                return Value((Owner(definition.path, node.name.partition("<")[0]),))
            if node.kind in CALLABLE_KINDS and called:
                stated = result_type(scope, definition.position)
                if stated:
                    return self._typed(scope, definition.position, stated)
        return _UNKNOWN

    def _fitting(self, definitions: Definitions, n_arguments: int) -> Definitions:
        """Return the overloads that take a number of arguments; all if none does."""
        fitting = [
            d
            for d in definitions
            if (scope := self._exports.scope(d.path))
            and n_arguments in count_parameters(scope.node(d.position).signature)
        ]
        return tuple(fitting) or definitions

    def _by_name(self, scope: FileScope, name: str, *, members: bool) -> Meaning:
        """Return the few definitions that share a name, none in tests for a name in source."""
        family, from_test = language_family(scope.language), is_test(scope.path)
        definitions = []
        for path, positions in self._positions(name).items():
            if (is_test(path) and not from_test) or language_family(self._exports.language(path)) != family:
                continue
            other = self._exports.scope(path)
            definitions += [
                Definition(path, p) for p in positions if other and other.is_member(p) == members
            ]
        few = len(definitions) <= _MAX_SAME_NAME
        return Meaning(tuple(definitions), by_name=True) if definitions and few else _NOTHING

    def _is_one_entity(self, definitions: Definitions) -> bool:
        """Return True for definitions that can be one: a declaration with its definition."""
        return len({d.path for d in definitions}) <= 2 and len(definitions) <= _MAX_SAME_NAME
