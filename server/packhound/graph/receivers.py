"""Meaning of the expression in front of a name: types, modules, or what nothing states.

Members belong to the type of their receiver, which a scope, an annotation, a constructor or the
signature of a called function states. Nothing is run.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import islice

from packhound.graph.definitions import folder_of, language_family
from packhound.graph.exports import Definition, Definitions, Exports
from packhound.graph.file_scope import CALLABLE_KINDS, TYPE_KINDS, FileScope
from packhound.graph.meanings import Grade, Meaning, Owner, Value
from packhound.graph.scopes import MAX_USING_FILES, Scopes
from packhound.graph.source_text import Segment
from packhound.graph.stated_types import LIST

TYPE_PARAMETER = re.compile(r"[A-Z][A-Z0-9]?")
_MAX_BASES = 6
"""Depth of inheritance that is followed."""
_MAX_OVERLOADS = 64
_MAX_SUBTYPES = 400
_MAX_DEFINING = 16
"""Files with members of one name whose types are asked for their bases."""
_MAX_SEGMENTS = 6
_OF_RUST = (
    *("unwrap", "expect", "clone", "as_ref", "as_mut", "as_deref", "as_deref_mut", "borrow"),
    *("lock", "read", "write", "get", "get_mut", "borrow_mut", "to_owned", "deref"),
    *("deref_mut", "take", "await", "by_ref", "cloned"),
)
_TRANSPARENT = {"rust": frozenset(_OF_RUST), "ruby": frozenset({"new"})}
"""Members of standard libraries that lead to the same type, or what it wraps."""
_TYPED_BY_ELEMENT = frozenset({"go", "java", "c", "cpp", "csharp"})
"""Languages whose lists are read as what they are lists of."""
OPEN_LANGUAGES = frozenset({"go", "rust", "c", "cpp", "swift", "ruby", "csharp", "kotlin"})
"""Languages whose types have members outside of the file that defines them."""


_UNKNOWN = Value()
_FOREIGN = Value(is_foreign=True)


class Receivers:
    """Types and values of expressions in the files of one state of a graph."""

    def __init__(
        self,
        scopes: Scopes,
        exports: Exports,
        visible: Callable[[FileScope, int, str, bool], Meaning],
    ) -> None:
        """`visible` returns what a name that stands alone means at a position, maybe called."""
        self._scopes, self._exports, self._visible = scopes, exports, visible
        self._bases: dict[Owner, list[Owner]] = {}
        self._attributes: dict[tuple[Owner, str], Value] = {}
        self._types: dict[tuple[str, int, str], Value] = {}
        self._derived: dict[Owner, tuple[Owner, ...]] = {}

    def value(self, scope: FileScope, position: int, chain: tuple[Segment, ...]) -> Value:
        """Return what a receiver stands for."""
        if scope.language != "ruby":  # The mark of a decorator, not of an attribute.
            chain = (chain[0]._replace(name=chain[0].name.lstrip("@")), *chain[1:])
        is_indexed = any(segment.indexed for segment in chain)
        if is_indexed and scope.language not in _TYPED_BY_ELEMENT:
            return _UNKNOWN
        if not chain[0].name or len(chain) > _MAX_SEGMENTS:
            return _UNKNOWN
        for n in range(len(chain), 1, -1):
            dotted = ".".join(segment.name for segment in chain[:n])
            if dotted in scope.imports.names:
                modules = self._exports.module_of(scope, scope.imports.names[dotted])
                value = Value(modules=modules) if modules else _FOREIGN
                return self._follow(scope, value, chain[n:])
        return self._follow(scope, self._head(scope, position, chain[0]), chain[1:])

    def members(self, owners: Iterable[Owner], name: str) -> Definitions:
        """Return the members of types under a name, those of a base where the type has none."""
        level = list(owners)
        for _ in range(_MAX_BASES):
            definitions = [d for owner in level for d in self.declared_members(owner, name)]
            if definitions:
                return tuple(dict.fromkeys(definitions))[:_MAX_OVERLOADS]
            level = list(dict.fromkeys(base for owner in level for base in self.bases(owner)))
        return ()

    def overridden(self, owner: Owner, name: str) -> Definitions:
        """Return the members of all bases of a type under a name."""
        level, members = self.bases(owner), dict[Definition, None]()
        for _ in range(_MAX_BASES):
            members |= dict.fromkeys(d for base in level for d in self.declared_members(base, name))
            level = list(dict.fromkeys(above for base in level for above in self.bases(base)))
        return tuple(members)

    def bases(self, owner: Owner) -> list[Owner]:
        """Return the bases of a type that are in the graph."""
        if owner not in self._bases:
            self._bases[owner] = []  # A type that is reached again while its bases are sought.
            self._bases[owner] = list(dict.fromkeys(self._find_bases(owner)))
        return self._bases[owner]

    def _find_bases(self, owner: Owner) -> Iterator[Owner]:
        scope = self._scopes.of(owner.path)
        for position in self._scopes.types(*owner):
            for _, bases in self.written_bases(scope, position):
                yield from (base for base in bases if base != owner)

    def written_bases(
        self, scope: FileScope, position: int
    ) -> Iterator[tuple[str, tuple[Owner, ...]]]:
        """Yield the names of a type's bases as they are written, with those in the graph."""
        parent = scope.node(position).parent
        for written in scope.base_names(position):
            value = self.instance_of(scope, -1 if parent is None else parent, written)
            yield written, value.owners

    def overriding(self, owner: Owner, name: str) -> Iterator[Definition]:
        """Yield the members under a name of the types that derive from a type."""
        defined = self._scopes.positions(name)
        derived: Iterable[Owner] = self.subtypes(owner)
        if len(defined) <= _MAX_DEFINING and self._exports.language(owner.path) != "go":
            # Most members are named in few files, most types in many.
            named = dict.fromkeys(
                each
                for path, positions in defined.items()
                for defining in self._owners(path, positions)
                for each in (defining, Owner(path, defining.name))  # What an `impl` extends.
            )
            derived = (each for each in named if self._is_derived(each, owner))
        return (d for each in derived for d in self.declared_members(each, name))

    def _is_derived(self, owner: Owner, base: Owner) -> bool:
        """Return True for a type whose bases include another, directly or not."""
        above, unread = {owner}, [owner]
        while unread and base not in above:
            new = [each for each in self.bases(unread.pop()) if each not in above]
            unread += new
            above.update(new)
        return owner != base and base in above

    def subtypes(self, owner: Owner) -> Iterator[Owner]:
        """Yield the types whose bases include a type, directly or not."""
        derived: dict[Owner, None] = dict.fromkeys(self._implementing(owner))
        yield from derived
        level = [owner]
        while level and len(derived) < _MAX_SUBTYPES:
            for candidate in self._directly_derived(level.pop()):
                if candidate not in derived and candidate != owner:
                    derived[candidate] = None
                    level.append(candidate)
                    yield candidate

    def _directly_derived(self, base: Owner) -> tuple[Owner, ...]:
        """Return the types whose own bases include a type."""
        if base not in self._derived:
            self._derived[base] = tuple(self._find_derived(base))
        return self._derived[base]

    def _find_derived(self, base: Owner) -> Iterator[Owner]:
        using = self._scopes.using(base.name, self._scopes.of(base.path))
        for scope in islice(using, MAX_USING_FILES):
            for user in scope.record.users(base.name):
                node = scope.node(user)
                # Resolving all bases of what only uses the type took most of the time.
                if node.kind in TYPE_KINDS and any(
                    base.name in written for written in scope.base_names(user)
                ):
                    candidate = Owner(scope.path, node.name.partition("<")[0])
                    if base in self.bases(candidate):
                        yield candidate

    def _implementing(self, owner: Owner) -> Iterator[Owner]:
        """Yield the types of Go that have all methods that an interface lists."""
        scope = self._scopes.of(owner.path)
        for position in self._scopes.types(*owner) if scope.language == "go" else ():
            names = scope.names_in("field", position)
            if scope.node(position).kind != "interface" or not names:
                continue
            for path, positions in self._scopes.positions(names[0]).items():
                for candidate in self._owners(path, positions):
                    if all(self.declared_members(candidate, name) for name in names):
                        yield candidate

    def _owners(self, path: str, positions: Iterable[int]) -> Iterator[Owner]:
        """Yield the types of the members among some nodes of a file."""
        scope = self._scopes.of(path)
        for position in positions:
            if scope.is_member(position):
                yield self._owner_named(scope, scope.owner(position))

    def owner_at(self, scope: FileScope, position: int) -> Owner | None:
        """Return the type that a position lies in."""
        for holder in scope.ancestors(position):
            node = scope.node(holder)
            if node.kind in TYPE_KINDS and node.kind != "type":
                return self._owner_named(scope, node.name.partition("<")[0])
            if node.kind == "method" and scope.owner(holder) and not scope.is_arrow(holder):
                return self._owner_named(scope, scope.owner(holder))
        return None

    def _owner_named(self, scope: FileScope, name: str) -> Owner:
        """Return the type of a name as its own file or, for an `impl`, another one defines it."""
        positions = self._scopes.positions(name).get(scope.path, ())
        if any(scope.node(p).kind in TYPE_KINDS - {"impl"} for p in positions):
            return Owner(scope.path, name)
        definitions = self._visible(scope, -1, name, False).definitions
        return Owner(definitions[0].path if definitions else scope.path, name)

    def declared_members(self, owner: Owner, name: str) -> Definitions:
        """Return the members that a type itself has, wherever its language lets them stand."""
        defined, folder = self._scopes.positions(name), folder_of(owner.path)
        members = self._members_in((owner.path,) if owner.path in defined else (), owner, name)
        language = self._exports.language(owner.path)
        if members or language not in OPEN_LANGUAGES:
            return members
        near = (path for path in defined if folder_of(path) == folder)
        members = self._members_in(near, owner, name)
        if members or language == "go":
            return members
        members = self._members_in(defined, owner, name)
        return members if len({d.path for d in members}) <= 2 else ()

    def _members_in(self, paths: Iterable[str], owner: Owner, name: str) -> Definitions:
        language = self._exports.language(owner.path)
        members = tuple(
            Definition(path, position)
            for path in paths
            if (scope := self._scopes.of(path))
            and language_family(scope.language) == language_family(language)
            for position in self._scopes.positions(name)[path]
            if scope.is_member(position) and scope.owner(position) == owner.name != name
        )
        # What a type has of its own comes before what it implements.
        inherent = tuple(d for d in members if language == "rust" and not self._implements(d))
        return inherent or members

    def _implements(self, member: Definition) -> bool:
        """Return True for a member that stands in the implementation of a trait."""
        scope = self._scopes.of(member.path)
        parent = scope.node(member.position).parent
        return parent is not None and scope.node(parent).kind == "impl"

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
            if head.name in types and not (head.called and dialect.calls_methods):
                stated = "" if head.called else types[head.name]
                return self.instance_of(scope, holder, stated) if stated else _UNKNOWN
        bound = "" if head.called or position < 0 else scope.bound(position, head.name)
        if bound not in ("", head.name):
            return self.instance_of(scope, position, bound)
        if owner and (head.name.startswith("@") or dialect.implicit_members):
            value = self._attribute(owner, head.name.lstrip("@"))
            if value != _UNKNOWN:
                return value
        meaning = self._visible(scope, position, head.name, head.called)
        if meaning.definitions and meaning.grade == Grade.RESOLVED:
            return self._value_of(meaning.definitions, called=head.called)
        if head.name in ("std", "core", "alloc") and scope.language == "rust":
            return _FOREIGN
        value = _UNKNOWN if head.called else self._global(scope, head.name)
        binding = scope.imports.names.get(head.name)
        if binding is None or value != _UNKNOWN:
            return value
        modules = self._exports.module_of(scope, binding)
        return Value(modules=modules) if modules else _FOREIGN

    def _global(self, scope: FileScope, name: str, hops: int = 0) -> Value:
        """Return the value of a variable outside of all definitions, here or where it is from."""
        stated, binding = scope.globals.get(name), scope.imports.names.get(name)
        if stated:
            return self.instance_of(scope, -1, stated)
        if binding is None or not binding.name or hops > _MAX_BASES:
            return _UNKNOWN
        modules = map(self._scopes.of, self._exports.files_of(scope, binding.module))
        values = (self._global(module, binding.name, hops + 1) for module in modules)
        return next((value for value in values if value != _UNKNOWN), _UNKNOWN)

    def _follow(self, scope: FileScope, value: Value, chain: tuple[Segment, ...]) -> Value:
        """Return what the rest of a chain stands for."""
        for segment in chain:
            if value.owners and segment.name in scope.dialect.self_names:
                continue  # As in `Outer.this`.
            if value.modules:
                exported = [self._exports.visible_in(path, segment.name) for path in value.modules]
                definitions = tuple(d for ds in exported for d in ds)
                value = self._value_of(definitions, called=segment.called)
            elif value.owners:
                is_field = scope.dialect.names_fields and not segment.called
                definitions = () if is_field else self.members(value.owners, segment.name)
                if not definitions and segment.name in _TRANSPARENT.get(scope.language, ()):
                    continue
                if definitions:
                    value = self._value_of(definitions, called=segment.called)
                elif segment.called:
                    value = _UNKNOWN
                else:
                    value = self._attribute(value.owners[0], segment.name)
            else:
                return _FOREIGN if value.is_foreign else _UNKNOWN
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
                scope = self._scopes.of(holder.path)
                for position in self._scopes.types(*holder):
                    for inside, stated in scope.attributes_of(position).get(name, ()):
                        value = self.instance_of(scope, inside, stated)
                        if value != _UNKNOWN:
                            return value
            level = [base for holder in level for base in self.bases(holder)]
        return _UNKNOWN

    def instance_of(self, scope: FileScope, position: int, written: str) -> Value:
        """Return an instance of the type `written` in a scope, or the result of a call `name()`."""
        key = scope.path, position, written
        if key not in self._types:
            self._types[key] = _UNKNOWN  # One that is reached again, as by `x = x.strip()`.
            self._types[key] = self._find_instance(scope, position, written)
        return self._types[key]

    def _find_instance(self, scope: FileScope, position: int, written: str) -> Value:
        if written.endswith(LIST):
            element = self.instance_of(scope, position, written.removesuffix(LIST))
            return element._replace(n_lists=element.n_lists + 1)
        if written.startswith("="):
            parts = written[1:].split(".")
            links = [Segment(part.removesuffix("()"), part.endswith("()")) for part in parts]
            return self.value(scope, position, tuple(links))
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
        if called:
            return self.value(scope, position, (*chain, last))
        bound = scope.bound(position, name) if position >= 0 and not chain else ""
        if bound not in ("", name):
            return self.instance_of(scope, position, bound)
        definitions = self._static(scope, position, (*chain, last))
        if not definitions:
            is_foreign = not TYPE_PARAMETER.fullmatch(text)
            return Value(is_foreign=is_foreign, unresolved_type=name)
        return self._value_of(definitions, called=False)

    def _static(self, scope: FileScope, position: int, chain: tuple[Segment, ...]) -> Definitions:
        """Return the definitions that a path of names without calls leads to."""
        *path, last = chain
        if not path:
            meaning = self._visible(scope, position, last.name, False)
            return meaning.definitions if meaning.grade == Grade.RESOLVED else ()
        value = self.value(scope, position, tuple(path))
        if value.modules:
            return tuple(d for p in value.modules for d in self._exports.visible_in(p, last.name))
        return self.members(value.owners, last.name) if value.owners else ()

    def _value_of(self, definitions: Definitions, *, called: bool) -> Value:
        """Return what definitions stand for: a type, or the result of a call."""
        for definition in definitions:
            scope = self._scopes.of(definition.path)
            node = scope.node(definition.position)
            if node.kind in TYPE_KINDS:
                return Value((Owner(definition.path, node.name.partition("<")[0]),))
            if node.kind == "constant" and not called:
                return self._global(scope, node.name)
            if node.kind in CALLABLE_KINDS and (called or scope.is_property(definition.position)):
                stated = scope.result_type(definition.position)
                if stated:
                    return self.instance_of(scope, definition.position, stated)
        return _UNKNOWN
