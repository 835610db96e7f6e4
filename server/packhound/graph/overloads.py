"""Choice among overloads by the types that are stated for arguments and for parameters."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import islice

from packhound.graph.arguments import MANY, count_parameters
from packhound.graph.exports import Definition, Definitions
from packhound.graph.file_scope import FileScope
from packhound.graph.meanings import Owner, Value
from packhound.graph.receivers import TYPE_PARAMETER, Receivers
from packhound.graph.scopes import Scopes
from packhound.graph.stated_types import FUNCTION, NULL, operands, read_argument, simple_name

_NUMBERS = ("byte", "short", "char", "int", "long", "float", "double")
"""Each converts to those after it."""
_BOXES = {
    "int": "Integer",
    "char": "Character",
    **{name: name.title() for name in ("byte", "short", "long", "float", "double", "boolean")},
}
_OF_STRING = frozenset({"CharSequence", "Comparable", "Serializable"})
_OF_NUMBER = frozenset({"Number", "Comparable", "Serializable"})
_EQUAL, _SAME_NAME, _DERIVED, _POSSIBLE, _ANY = 8.0, 7.0, 6.0, 4.0, 1.0
_STEP = 0.1


class Overloads:
    """Choice among the overloads in the files of one state of a graph."""

    def __init__(self, scopes: Scopes, receivers: Receivers) -> None:
        self._scopes, self._receivers = scopes, receivers

    def choose(
        self, scope: FileScope, position: int, arguments: Iterable[str], overloads: Definitions
    ) -> Definitions:
        """Return the overloads whose parameters fit best to the types that arguments have."""
        types = [self._argument(scope, position, argument) for argument in arguments]
        fits = {each: self._fit_of(types, each) for each in overloads}
        possible = {each: fit for each, fit in fits.items() if fit is not None}
        return tuple(each for each, fit in possible.items() if fit == max(possible.values())) or (
            overloads
        )

    def _argument(self, scope: FileScope, position: int, text: str) -> Value:
        parts = operands(text)
        if len(parts) > 1:
            types = [self._argument(scope, position, part) for part in parts]
            names = [_name(each) for each in types if not each.n_lists]
            if "String" in names:
                return Value(unresolved_type="String")
            is_number = len(names) == len(parts) and all(name in _NUMBERS for name in names)
            widest = max([*names, "int"], key=_NUMBERS.index) if is_number else ""
            return Value(unresolved_type=widest)
        stated, n_indexed = read_argument(text)
        value = self._receivers.instance_of(scope, position, stated)
        return value._replace(n_lists=max(0, value.n_lists - n_indexed))

    def _fit_of(self, types: list[Value], overload: Definition) -> float | None:
        scope = self._scopes.of(overload.path)
        node = scope.node(overload.position)
        takes = count_parameters(node.signature, node.name)
        is_variadic = takes is not None and takes.maximum >= MANY
        n_fixed = takes.minimum if takes and is_variadic else len(types)
        total = -_STEP * is_variadic
        for i, argument in enumerate(types):
            parameter = self._parameter(scope, overload, min(i, n_fixed))
            fit = self._fit(argument, parameter, converts=scope.dialect.overloads)
            if i >= n_fixed and parameter.n_lists:  # A list, or its elements written out.
                element = parameter._replace(n_lists=parameter.n_lists - 1)
                of_element = self._fit(argument, element, converts=scope.dialect.overloads)
                fit = max((each for each in (fit, of_element) if each is not None), default=None)
            if fit is None:
                return None
            total += fit
        return total

    def _parameter(self, scope: FileScope, overload: Definition, i: int) -> Value:
        """Return the type of a parameter, which are the first local names."""
        stated = [*islice(scope.locals_of(overload.position).values(), i, i + 1)]
        return self._receivers.instance_of(scope, overload.position, "".join(stated))

    def _fit(self, argument: Value, parameter: Value, *, converts: bool) -> float | None:
        """Return how well a type fits to that of a parameter, None for not at all."""
        name, expected = _name(argument), _name(parameter)
        if not name or not expected:
            return _POSSIBLE
        n_lists = argument.n_lists, parameter.n_lists
        if n_lists[0] == n_lists[1] and simple_name(name) == simple_name(expected):
            return _EQUAL if name == expected else _SAME_NAME
        if not converts:
            return _POSSIBLE
        is_open = expected == "Object" or TYPE_PARAMETER.fullmatch(expected) is not None
        if name == FUNCTION:
            is_callable = not (is_open or n_lists[1] or expected in _BOXES or expected == "String")
            return _POSSIBLE if is_callable and not self._is_class(parameter) else None
        if is_open and n_lists[0] >= n_lists[1]:
            is_value = n_lists == (1, 1) and name in _BOXES
            return None if is_value else _ANY + _STEP * n_lists[1]
        if name == NULL:
            return None if expected in _BOXES and not n_lists[1] else _POSSIBLE
        if n_lists[0] != n_lists[1]:
            return None
        if name in _BOXES or expected in _BOXES:
            return None if n_lists[0] else _fit_of_primitive(name, expected)
        if name == "String":
            return _DERIVED if expected in _OF_STRING else None
        return self._fit_of_reference(argument, parameter)

    def _fit_of_reference(self, argument: Value, parameter: Value) -> float | None:
        is_closed = bool(parameter.owners) or _name(parameter) == "String"
        if not argument.owners:  # What is from elsewhere derives from nothing here.
            return None if is_closed else _POSSIBLE
        level, reached = list(argument.owners), dict[Owner, float]()
        while level:
            owner = level.pop(0)
            bases = self._receivers.bases(owner)
            fit = reached.get(owner, _DERIVED)
            level += [base for base in bases if base not in reached]
            reached |= {base: fit - _STEP for base in bases if base not in reached}
            if owner in parameter.owners:
                return fit
        return None if is_closed else _POSSIBLE

    def _is_class(self, value: Value) -> bool:
        kinds = (
            self._scopes.of(owner.path).node(position).kind
            for owner in value.owners
            for position in self._scopes.types(*owner)
        )
        return next(kinds, "interface") != "interface"


def _name(value: Value) -> str:
    name = value.owners[0].name if value.owners else value.unresolved_type
    return re.split(r"[.:\\]", name)[-1]


def _fit_of_primitive(name: str, expected: str) -> float | None:
    if name in _NUMBERS and expected in _NUMBERS:
        n_steps = _NUMBERS.index(expected) - _NUMBERS.index(name)
        return _DERIVED - _STEP * n_steps if n_steps > 0 and expected != "char" else None
    if _BOXES.get(name) == expected or _BOXES.get(expected) == name:
        return _POSSIBLE
    return _ANY if name in _NUMBERS and expected in _OF_NUMBER else None
