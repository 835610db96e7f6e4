"""The meaning of a name where it is used: by scopes, imports and stated types, else by name only.

A reference is resolved as a reader would without running anything: local names hide others,
members belong to the type of their receiver, imports lead to files. What only shares its name with
a definition has a grade of its own; it never leads from source into tests.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import partial
from itertools import islice
from weakref import proxy

from packhound.core.common_prefix import common_prefix_length
from packhound.graph.arguments import ANY_NUMBER, call_arguments, count_arguments, count_parameters
from packhound.graph.definitions import folder_of, language_family
from packhound.graph.exports import Definition, Definitions, Exports
from packhound.graph.file_scope import CALLABLE_KINDS, TYPE_KINDS, FileScope
from packhound.graph.import_bindings import Binding
from packhound.graph.imports import crate_of
from packhound.graph.meanings import Grade, Meaning, Owner
from packhound.graph.overloads import Overloads
from packhound.graph.receivers import OPEN_LANGUAGES, Receivers
from packhound.graph.scip import ScipIndex, name_of
from packhound.graph.scopes import Scopes
from packhound.graph.source_text import SCRIPT_LANGUAGES, Segment, receiver
from packhound.graph.standard_names import standard_names
from packhound.text import is_test

_MAX_SAME_NAME = 3
"""A name with more definitions says nothing by itself."""
_MAX_IMPLEMENTING, _MAX_READ = 12, 48
"""Members of derived types that a call possibly leads to, and that are read to find these."""
_ALIAS = re.compile(r"\s+as\s+([\w$]+)")
_CALLED_WITHOUT_BRACKETS = frozenset(
    {"python", "ruby", "scala", "elixir", "haskell", "ocaml", "julia"}
)
"""Languages where a name without brackets can be a call, as of a property."""
_OF_IMPORTS = frozenset({"python", *SCRIPT_LANGUAGES})
"""Languages where a file names what it takes from which others."""
_OVERLOAD = re.compile(r"\s*@(?:\w+\.)?overload\b")
_ACTUAL = re.compile(r"\s*(?:@\S+\s+|\w+\s+)*?actual\s")
_MACRO = re.compile(r"!\s*[(\[{]")
_NOTHING = Meaning()


class Resolver:
    """Resolves names in the files of one state of a graph; the caller holds the graph's lock."""

    def __init__(self, scopes: Scopes, exports: Exports, scip: ScipIndex | None = None) -> None:
        self._scopes, self._exports, self._scip = scopes, exports, scip
        self._fit: dict[tuple[Definition, int, bool], bool] = {}
        self._named: dict[tuple[str, str, bool, bool], Meaning] = {}
        self._meanings: dict[tuple[str, str, int], Meaning] = {}
        self._near: dict[str, frozenset[str]] = {}
        self._alone: dict[tuple[str, int, str, bool], Meaning] = {}
        # Each asks the other. A cycle would keep all texts until a garbage collection.
        self.receivers = Receivers(scopes, exports, partial(Resolver.visible, proxy(self)))
        self._overloads = Overloads(scopes, self.receivers)

    def meaning(self, scope: FileScope, position: int, name: str, offset: int) -> Meaning:
        """Return what the `name` at `offset`, in the node at `position`, means."""
        key = scope.path, name, offset
        if key not in self._meanings:
            indexed = self._indexed(self._scip, scope, name, offset) if self._scip else None
            self._meanings[key] = indexed or self._find_meaning(scope, position, name, offset)
        return self._meanings[key]

    def _indexed(self, scip: ScipIndex, scope: FileScope, name: str, offset: int) -> Meaning | None:
        """Return what an index says that a name means, None where it cannot say."""
        names = scip.names(scope.path, scope.source, scope.file.digest)
        if names is None or (symbol := names.uses.get(offset)) is None:
            return None
        meant, is_indexed = dict[Definition, None](), True
        for path, positions in self._scopes.positions(name_of(symbol) or name).items():
            defining = self._scopes.of(path)
            in_file = scip.names(path, defining.source, defining.file.digest)
            is_indexed = is_indexed and in_file is not None
            for start in in_file.definitions.get(symbol, ()) if in_file else ():
                enclosing = [p for p in positions if defining.is_around(p, start)]
                meant |= dict.fromkeys(Definition(path, p) for p in enclosing[-1:])
        return Meaning(tuple(meant), by=scip.tool) if meant or is_indexed else None

    def _find_meaning(self, scope: FileScope, position: int, name: str, offset: int) -> Meaning:
        if scope.dialect.modules and _MACRO.match(scope.bare, offset + len(name)):
            return Meaning(self._macros(scope, position, name))
        n_arguments = count_arguments(scope.bare, offset + len(name))
        meaning = self._meaning(scope, position, name, offset, n_arguments != -1)
        is_path = scope.bare[offset - 1] == ":"
        if scope.dialect.names_fields and n_arguments == -1 and not is_path:
            # A field can share the name of a method.
            fields = self._of_kind(meaning.definitions, "method", is_kept=False)
            meaning = meaning._replace(definitions=fields)
        if scope.dialect.modules and n_arguments != -1:
            functions = self._of_kind(meaning.definitions, "macro", is_kept=False)
            meaning = meaning._replace(definitions=functions)
        if meaning.grade != Grade.RESOLVED:
            most = _MAX_IMPLEMENTING if meaning.by_type else _MAX_SAME_NAME
            fits = self._fitting(meaning.definitions, n_arguments, with_self=is_path)
            # A name can have hundreds.
            fitting = tuple(islice(fits, most + 1))
            is_few = 0 < len(fitting) <= most
            return meaning._replace(definitions=fitting) if is_few else _NOTHING
        if len(meaning.definitions) < 2:
            return meaning
        if scope.language == "python":
            meaning = meaning._replace(definitions=self._implemented(meaning.definitions))
        fits = self._fitting(meaning.definitions, n_arguments, with_self=is_path)
        overloads = tuple(fits) or meaning.definitions
        if len(overloads) > 1 and n_arguments > 0:
            arguments = call_arguments(scope.bare, offset + len(name)) or []
            overloads = self._overloads.choose(scope, position, arguments, overloads)
        if len(overloads) > _MAX_SAME_NAME and scope.dialect.overloads:
            is_few = len(overloads) <= _MAX_IMPLEMENTING
            return Meaning(overloads, Grade.POSSIBLE) if is_few else _NOTHING
        return meaning._replace(definitions=overloads)

    def _macros(self, scope: FileScope, position: int, name: str) -> Definitions:
        """Return the macros of a name that can be called: those of a module only within it."""
        binding = scope.imports.names.get(name)
        imported = self._exports.of_binding(scope, binding) if binding else ()
        if imported:
            return self._of_kind(imported, "macro", is_kept=True)
        crate = crate_of(folder_of(scope.path))
        macros = self._of_kind(self._exports.in_program(scope, name), "macro", is_kept=True)
        in_file, in_crate = [], []
        for definition in macros:
            defining = self._scopes.of(definition.path)
            if definition.path == scope.path and scope.is_seen(definition.position, position):
                in_file.append(definition)
            elif definition.path != scope.path:
                is_near = crate and crate_of(folder_of(definition.path)) == crate
                if is_near and defining.is_seen(definition.position, -1):
                    in_crate.append(definition)
        return tuple(in_file or in_crate)

    def _meaning(
        self, scope: FileScope, position: int, name: str, offset: int, called: bool
    ) -> Meaning:
        chain = receiver(scope.bare, offset, scope.language)
        if not chain:
            alias = _ALIAS.match(scope.bare, offset + len(name))
            binding = scope.imports.names.get(alias[1]) if alias else None
            if binding and binding.module and binding.name == name:
                return Meaning(self._exports.of_binding(scope, binding))
            return self.visible(scope, position, name, called)
        if in_module := self._in_module(scope, chain, name):
            return Meaning(in_module)
        value = self.receivers.value(scope, position, chain)
        if value.owners:
            members = self.receivers.members(value.owners, name)
            if members:
                return Meaning(members)
            implementing = self._implementing(scope, value.owners, name)
            if implementing or scope.language not in OPEN_LANGUAGES:
                grade = Grade.ONLY_CANDIDATE if len(implementing) == 1 else Grade.POSSIBLE
                return Meaning(implementing, grade, by_type=True)
            # A trait or an extension can have it.
            meaning = self._by_name(scope, name, members=True)
            return meaning if meaning.grade == Grade.ONLY_CANDIDATE else _NOTHING
        if value.modules:
            definitions = (self._exports.visible_in(path, name) for path in value.modules)
            return Meaning(tuple(d for exported in definitions for d in exported))
        if value.is_foreign:
            return _NOTHING
        if in_namespace := self._in_namespace(scope, chain, name, offset):
            return Meaning(in_namespace)
        meaning = self._by_name(scope, name, members=True)
        if meaning.grade == Grade.ONLY_CANDIDATE and scope.language in _OF_IMPORTS:
            # Of a file that does not know the type, a value is more likely from outside.
            (candidate,) = meaning.definitions
            if candidate.path not in self._known_files(scope):
                return meaning._replace(grade=Grade.POSSIBLE)
        return meaning

    def _known_files(self, scope: FileScope) -> frozenset[str]:
        """Return a file with those that its imports lead to, and what its modules pass on."""
        if scope.path not in self._near:
            paths = {scope.path, *self._imported(scope)}
            modules = (b.module for b in scope.imports.names.values() if not b.name)
            for path in {p for module in modules for p in self._exports.files_of(scope, module)}:
                paths.update(self._imported(self._scopes.of(path)))
            self._near[scope.path] = frozenset(paths)
        return self._near[scope.path]

    def _imported(self, scope: FileScope) -> Iterator[str]:
        for module in scope.imports.wildcards:
            yield from self._exports.files_of(scope, module)
        for binding in scope.imports.names.values():
            yield from self._exports.files_of(scope, binding.module)
            yield from self._exports.module_of(scope, binding)
            yield from (d.path for d in self._exports.of_binding(scope, binding))

    def _in_module(self, scope: FileScope, chain: Iterable[Segment], name: str) -> Definitions:
        """Return what a path of modules of Elixir means, which may begin with an alias."""
        if scope.language != "elixir":
            return ()
        return self._exports.of_path(scope, [*(segment.name for segment in chain), name])

    def _in_namespace(
        self, scope: FileScope, chain: Iterable[Segment], name: str, offset: int
    ) -> Definitions:
        """Return what stands in the namespace that a path of names ends with."""
        if scope.bare[offset - 2 : offset] != "::" or not scope.dialect.program:
            return ()
        qualified = "::".join((*(segment.name for segment in chain), name))
        definitions = self._exports.in_program(scope, qualified.rpartition("::")[2])
        names = ((d, self._scopes.of(d.path).node(d.position).qualname) for d in definitions)
        return tuple(d for d, name in names if f"::{name}".endswith(f"::{qualified}"))

    def _implementing(self, scope: FileScope, owners: Iterable[Owner], name: str) -> Definitions:
        """Return the members under a name of the types that derive from some types."""
        from_test = is_test(scope.path)
        members = (d for owner in owners for d in self.receivers.overriding(owner, name))
        seen = (d for d in members if from_test or not is_test(d.path))
        first = tuple(dict.fromkeys(islice(seen, _MAX_READ + 1)))
        return first if len(first) <= _MAX_READ else ()

    def expected(self, scope: FileScope, position: int) -> Definitions:
        """Return what an `actual` definition of Kotlin stands for, in files of its package."""
        if scope.language != "kotlin" or not _ACTUAL.match(scope.text(position)):
            return ()
        node = scope.node(position)
        positions = self._scopes.positions(node.name)
        return tuple(
            Definition(path, p)
            for path, defining in zip(positions, map(self._scopes.of, positions), strict=True)
            if defining.language == "kotlin" and defining.exported == scope.exported
            for p in positions[path]
            if defining.node(p).qualname == node.qualname and not _ACTUAL.match(defining.text(p))
        )

    def visible(self, scope: FileScope, position: int, name: str, called: bool) -> Meaning:
        """Return what a name that stands alone means, maybe called."""
        key = scope.path, position, name, called
        if key not in self._alone:
            self._alone[key] = self._find_visible(scope, position, name, called)
        return self._alone[key]

    def _find_visible(self, scope: FileScope, position: int, name: str, called: bool) -> Meaning:
        inner, is_local = self._in_scopes(scope, position, name, called)
        if inner or is_local:
            return Meaning(inner)
        positions = self._scopes.positions(name).get(scope.path, ())
        in_file = tuple(Definition(scope.path, p) for p in positions if scope.is_top_level(p))
        hides = scope.dialect.modules
        near = tuple(d for d in in_file if not hides or scope.is_seen(d.position, position))
        if near:
            return Meaning(self._with_bodies(scope, near, name))
        binding = scope.imports.names.get(name)
        if binding is not None:
            imported = self._exports.of_binding(scope, binding)
            static = imported or self._static_members(scope, [binding.module], name)
            return Meaning(static or in_file)
        exports, dialect = self._exports, scope.dialect
        shared = exports.in_package(scope, name) if dialect.package else ()
        shared = shared or exports.of_wildcards(scope, name)
        shared = shared or self._static_members(scope, scope.imports.wildcards, name) or in_file
        if shared:
            return Meaning(self._with_bodies(scope, shared, name))
        if dialect.program:
            # A macro is seen where its file is included.
            everywhere = self._of_kind(exports.in_program(scope, name), "macro", is_kept=False)
            is_one = self._is_one_entity(everywhere)
            return Meaning(everywhere, Grade.RESOLVED if is_one else Grade.POSSIBLE)
        return _NOTHING if dialect.strict else self._by_name(scope, name, members=False)

    def _with_bodies(self, scope: FileScope, definitions: Definitions, name: str) -> Definitions:
        """Return definitions, for functions that are only declared with the nearest bodies."""
        if not all(self._scopes.of(d.path).is_declared(d.position) for d in definitions):
            return definitions
        bodies = [d for d in self._exports.in_program(scope, name) if d not in definitions]
        path = scope.path.split("/")
        n_shared = {d: common_prefix_length(path, d.path.split("/")) for d in bodies}
        nearest = tuple(d for d in bodies if n_shared[d] == max(n_shared.values()))
        return definitions + nearest if self._is_one_entity(nearest) else definitions

    def _static_members(self, scope: FileScope, types: Iterable[str], name: str) -> Definitions:
        """Return the members of types that an import of the Java world names."""
        if not (scope.dialect.package and scope.dialect.implicit_members):
            return ()
        bindings = (Binding(*each.rpartition(".")[::2]) for each in types)
        owners = [
            Owner(definition.path, binding.name)
            for binding in bindings
            for definition in self._exports.of_binding(scope, binding)
        ]
        return self.receivers.members(owners, name)

    def _in_scopes(
        self, scope: FileScope, position: int, name: str, called: bool
    ) -> tuple[Definitions, bool]:
        """Return what the enclosing scopes define, and True for a local name."""
        positions = self._scopes.positions(name).get(scope.path, ())
        has_members = scope.dialect.implicit_members
        for holder in scope.ancestors(position):
            kind = scope.node(holder).kind
            is_type = kind in TYPE_KINDS and kind != "module"
            inner = [p for p in positions if self._is_inner(scope, p, holder, name)]
            is_body = holder == position and not scope.dialect.modules
            if inner and (not is_type or is_body or has_members):
                return tuple(Definition(scope.path, p) for p in inner), False
            if name in scope.locals_of(holder) and not (called and scope.dialect.calls_methods):
                return (), True
            # What a type inherits comes before what is around it.
            owner = self.receivers.owner_at(scope, holder) if has_members and is_type else None
            if members := self.receivers.members([owner], name) if owner else ():
                return members, False
        owner = self.receivers.owner_at(scope, position) if has_members else None
        return (self.receivers.members([owner], name) if owner else ()), False

    def _is_inner(self, scope: FileScope, position: int, holder: int, name: str) -> bool:
        """Return True for what a node defines inside; a constructor is named by its type."""
        node, outer = scope.node(position), scope.node(holder)
        is_object = node.kind == "method" and outer.kind in ("function", "method")
        is_named = outer.name != name and node.kind != "impl"
        return node.parent == holder and is_named and not is_object

    def _implemented(self, definitions: Definitions) -> Definitions:
        """Return the definitions that are not only an `@overload` of another."""
        texts = ((d, self._scopes.of(d.path).text(d.position)) for d in definitions)
        return tuple(d for d, text in texts if not _OVERLOAD.match(text)) or definitions

    def _of_kind(self, definitions: Definitions, kind: str, *, is_kept: bool) -> Definitions:
        """Return the definitions of a kind, or all others."""
        nodes = ((d, self._scopes.of(d.path).node(d.position)) for d in definitions)
        return tuple(d for d, node in nodes if (node.kind == kind) == is_kept)

    def _fitting(
        self, definitions: Definitions, n_arguments: int, *, with_self: bool
    ) -> Iterator[Definition]:
        """Yield the definitions that can have a number of arguments."""
        for definition in definitions:
            key = definition, n_arguments, with_self
            if key not in self._fit:
                self._fit[key] = self._fits(*key)
            if self._fit[key]:
                yield definition

    def _fits(self, definition: Definition, n_arguments: int, with_self: bool) -> bool:
        scope = self._scopes.of(definition.path)
        node = scope.node(definition.position)
        if node.kind not in CALLABLE_KINDS or n_arguments == ANY_NUMBER:
            return True
        if n_arguments < 0:
            is_called = scope.language in _CALLED_WITHOUT_BRACKETS
            return is_called or scope.is_property(definition.position)
        takes = count_parameters(node.signature, node.name, with_self=with_self)
        return takes is None or takes.minimum <= n_arguments <= takes.maximum

    def _by_name(self, scope: FileScope, name: str, *, members: bool) -> Meaning:
        """Return the definitions that share a name, none in tests for a name in source."""
        family, from_test = language_family(scope.language), is_test(scope.path)
        key = name, family, from_test, members
        if key not in self._named:
            self._named[key] = self._find_by_name(*key)
        return self._named[key]

    def _find_by_name(self, name: str, family: str, from_test: bool, members: bool) -> Meaning:
        definitions = []
        for path, positions in self._scopes.positions(name).items():
            if (is_test(path) and not from_test) or language_family(
                self._exports.language(path)
            ) != family:
                continue
            defining = self._scopes.of(path)
            definitions += [
                Definition(path, p) for p in positions if defining.is_member(p) == members
            ]
        names = standard_names(family)
        is_only = len(definitions) == 1 and names is not None and name not in names
        return Meaning(tuple(definitions), Grade.ONLY_CANDIDATE if is_only else Grade.POSSIBLE)

    def _is_one_entity(self, definitions: Definitions) -> bool:
        """Return True for definitions that can be one: a declaration with its definition."""
        return len({d.path for d in definitions}) <= 2 and len(definitions) <= _MAX_SAME_NAME
