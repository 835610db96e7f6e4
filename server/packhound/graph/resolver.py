"""The meaning of a name where it is used: by scopes, imports and stated types, else by name only.

A reference is resolved as a reader would without running anything: local names hide others,
members belong to the type of their receiver, imports lead to files. What only shares its name with
a definition is marked `by_name`; it never leads from source into tests.
"""

from __future__ import annotations

from functools import partial
from weakref import proxy

from packhound.graph.definitions import language_family
from packhound.graph.exports import Definition, Definitions, Exports
from packhound.graph.file_scope import TYPE_KINDS, FileScope
from packhound.graph.receivers import Meaning, Receivers
from packhound.graph.scopes import Scopes
from packhound.graph.source_text import receiver
from packhound.graph.type_facts import count_arguments, count_parameters
from packhound.text import is_test

_MAX_SAME_NAME = 3
"""A name with more definitions says nothing by itself."""
_NOTHING = Meaning()


class Resolver:
    """Resolves names in the files of one state of a graph; the caller holds the graph's lock."""

    def __init__(self, scopes: Scopes, exports: Exports) -> None:
        self._scopes, self._exports = scopes, exports
        # Each asks the other. A cycle would keep all texts until a garbage collection.
        self.receivers = Receivers(scopes, exports, partial(Resolver.visible, proxy(self)))

    def meaning(self, scope: FileScope, position: int, name: str, offset: int) -> Meaning:
        """Return what the `name` at `offset`, in the node at `position`, means."""
        meaning = self._meaning(scope, position, name, offset)
        n_arguments = count_arguments(scope.bare, offset + len(name))
        if scope.language == "java" and n_arguments < 0 and scope.bare[offset - 1] != ":":
            meaning = meaning._replace(definitions=self._without_methods(meaning.definitions))
        if len(meaning.definitions) < 2:
            return meaning
        return meaning._replace(definitions=self._overloads(meaning.definitions, n_arguments))

    def _meaning(self, scope: FileScope, position: int, name: str, offset: int) -> Meaning:
        chain = receiver(scope.bare, offset)
        if not chain:
            return self.visible(scope, position, name)
        value = self.receivers.value(scope, position, chain)
        if value.owners:
            return Meaning(self.receivers.members(value.owners, name))
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
        positions = self._scopes.positions(name).get(scope.path, ())
        definitions = [Definition(scope.path, p) for p in positions if scope.is_top_level(p)]
        if definitions:
            return Meaning(tuple(definitions))
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

    def _in_scopes(self, scope: FileScope, position: int, name: str) -> tuple[Definitions, bool]:
        """Return what the enclosing scopes define, and True for a local name."""
        positions = self._scopes.positions(name).get(scope.path, ())
        for holder in scope.ancestors(position):
            kind = scope.node(holder).kind
            is_type = kind in TYPE_KINDS and kind != "module"
            inner = [p for p in positions if self._is_inner(scope, p, holder, name)]
            if inner and (not is_type or holder == position or scope.dialect.implicit_members):
                return tuple(Definition(scope.path, p) for p in inner), False
            if name in scope.locals_of(holder):
                return (), True
        owner = self.receivers.owner_at(scope, position) if scope.dialect.implicit_members else None
        return (self.receivers.members([owner], name) if owner else ()), False

    def _is_inner(self, scope: FileScope, position: int, holder: int, name: str) -> bool:
        """Return True for what a node defines inside; a constructor is named by its type."""
        return scope.node(position).parent == holder and scope.node(holder).name != name

    def _without_methods(self, definitions: Definitions) -> Definitions:
        """Return the definitions that are meant without a call: a variable can share a name."""
        scopes = ((d, self._scopes.of(d.path)) for d in definitions)
        return tuple(d for d, scope in scopes if scope and scope.node(d.position).kind != "method")

    def _overloads(self, definitions: Definitions, n_arguments: int) -> Definitions:
        """Return the overloads that take a number of arguments; all if none does."""
        fitting = [
            d
            for d in definitions
            if (scope := self._scopes.of(d.path))
            and n_arguments in count_parameters(scope.node(d.position).signature)
        ]
        return tuple(fitting) or definitions

    def _by_name(self, scope: FileScope, name: str, *, members: bool) -> Meaning:
        """Return the few definitions that share a name, none in tests for a name in source."""
        family, from_test = language_family(scope.language), is_test(scope.path)
        definitions = []
        for path, positions in self._scopes.positions(name).items():
            if (is_test(path) and not from_test) or language_family(
                self._exports.language(path)
            ) != family:
                continue
            other = self._scopes.of(path)
            definitions += [
                Definition(path, p) for p in positions if other and other.is_member(p) == members
            ]
        few = len(definitions) <= _MAX_SAME_NAME
        return Meaning(tuple(definitions), by_name=True) if definitions and few else _NOTHING

    def _is_one_entity(self, definitions: Definitions) -> bool:
        """Return True for definitions that can be one: a declaration with its definition."""
        return len({d.path for d in definitions}) <= 2 and len(definitions) <= _MAX_SAME_NAME
